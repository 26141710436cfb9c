#include "analysis/profile/sample_feed.h"

#include <math.h>
#include <stdlib.h>

const char *const cup_row_names[CUP_ROW_COUNT] = {
#define X(id, name, text) name,
    CUP_ROW_VALUES(X)
#undef X
};

/* ---- a profile -------------------------------------------------------------------------- */

int cup_sample_feed_open(struct cup_sample_feed *feed, const struct cup_profile *profile,
                         enum cup_sample_origin origin)
{
    *feed = (struct cup_sample_feed){.origin = origin, .profile = profile};
    return 0;
}

static bool next_of_profile(struct cup_sample_feed *feed, struct cup_sample_head *head)
{
    (void)feed, (void)head;
    return false;
}

static bool row_of_profile(struct cup_sample_feed *feed, struct cup_sample_row *row)
{
    (void)feed, (void)row;
    return false;
}

/* ---- a file ----------------------------------------------------------------------------- */

int cup_sample_feed_open_file(struct cup_sample_feed *feed, const struct cup_samples_file *file)
{
    *feed = (struct cup_sample_feed){
        .origin = CUP_SAMPLES_FILE, .file = file, .together = file->together};
    feed->workers = calloc(file->worker_count + 1, sizeof *feed->workers);
    if (!feed->workers)
        return -1;
    for (feed->worker_count = 0; feed->worker_count < file->worker_count; feed->worker_count++)
        feed->workers[feed->worker_count].address =
            cup_intern_text(&file->strings, file->workers[feed->worker_count]);
    return 0;
}

static bool has_count_now(const struct cup_sample_feed *feed)
{
    const struct cup_samples_file *file = feed->file;
    return feed->count < file->count_count &&
           (feed->at >= file->value_count ||
            file->counts[feed->count].time_ns <= file->values[feed->at].time_ns);
}

static size_t count_workers(const struct cup_told_value *values, size_t from, size_t to)
{
    size_t workers = 0;
    for (size_t i = from; i < to; i++)
        workers += i == from || values[i].worker != values[i - 1].worker;
    return workers;
}

/* All that the file says of one moment. */
static bool next_of_file(struct cup_sample_feed *feed, struct cup_sample_head *head)
{
    const struct cup_samples_file *file = feed->file;
    feed->at = feed->end;
    *head = (struct cup_sample_head){.workers = (double)NAN, .threads = (double)NAN, .stall = (double)NAN};
    bool counted = has_count_now(feed);
    if (!counted && feed->at >= file->value_count)
        return false;
    head->time_ns = counted ? file->counts[feed->count].time_ns : file->values[feed->at].time_ns;
    if (counted)
        head->workers = file->counts[feed->count++].workers;
    while (feed->end < file->value_count && file->values[feed->end].time_ns == head->time_ns)
        feed->end++;
    if (file->count_count == 0 && file->together)
        head->workers = (double)count_workers(file->values, feed->at, feed->end);
    return true;
}

static bool row_of_file(struct cup_sample_feed *feed, struct cup_sample_row *row)
{
    const struct cup_told_value *told = &feed->file->values[feed->at];
    if (feed->at >= feed->end)
        return false;
    *row = (struct cup_sample_row){.time_ns = told->time_ns, .worker = told->worker, .fresh = true};
    for (int i = 0; i < CUP_ROW_COUNT; i++)
        row->values[i] = (double)NAN;
    for (; feed->at < feed->end && told->worker == row->worker; feed->at++, told++)
        row->values[told->value] = told->number;
    return true;
}

/* ---- either ----------------------------------------------------------------------------- */

bool cup_sample_feed_next(struct cup_sample_feed *feed, struct cup_sample_head *head)
{
    return feed->file ? next_of_file(feed, head) : next_of_profile(feed, head);
}

bool cup_sample_feed_row(struct cup_sample_feed *feed, struct cup_sample_row *row)
{
    return feed->file ? row_of_file(feed, row) : row_of_profile(feed, row);
}

void cup_sample_feed_close(struct cup_sample_feed *feed)
{
    free(feed->workers);
    *feed = (struct cup_sample_feed){0};
}
