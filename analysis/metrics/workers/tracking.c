#include "analysis/metrics/workers/tracking.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"

struct kept {
    uint32_t worker;
    struct cup_tracked_row row;
};

/* State of one pass over the samples. */
struct pass {
    const struct cup_observed *observed;
    uint64_t every;
    uint64_t sample; /* number of the current sample within the window, counted from 0 */
    uint64_t *seen;  /* owned; rows so far, by worker: if workers were sampled at other times */
    struct kept *kept;
    size_t count, room;
};

static bool is_wanted(struct pass *pass, const struct cup_sample_row *row, bool together)
{
    const struct cup_observed_worker *worker = &pass->observed->workers[row->worker];
    uint64_t number = together ? pass->sample : pass->seen[row->worker]++;
    return number % pass->every == 0 || row->time_ns == worker->first_ns ||
           row->time_ns == worker->last_ns;
}

static int keep_row(struct pass *pass, const struct cup_sample_row *row)
{
    if (cup_array_grow(&pass->kept, &pass->room, pass->count, sizeof *pass->kept) != 0)
        return -1;
    struct kept *kept = &pass->kept[pass->count++];
    kept->worker = row->worker;
    kept->row.time_ns = row->time_ns;
    memcpy(kept->row.values, row->values, sizeof kept->row.values);
    return 0;
}

static int go_through(struct pass *pass, struct cup_sample_feed *feed)
{
    const struct cup_window *window = &pass->observed->window;
    struct cup_sample_head head;
    struct cup_sample_row row;
    while (cup_sample_feed_next(feed, &head)) {
        if (head.time_ns < window->from_ns || head.time_ns > window->to_ns)
            continue;
        while (cup_sample_feed_row(feed, &row))
            if (is_wanted(pass, &row, feed->together) && keep_row(pass, &row) != 0)
                return -1;
        pass->sample++;
    }
    return 0;
}

/* Orders the rows by worker. Rows of one worker keep their order. */
static int sort_rows(struct cup_tracking *tracking, const struct pass *pass)
{
    size_t workers = pass->observed->worker_count;
    tracking->rows = malloc((pass->count + 1) * sizeof *tracking->rows);
    tracking->first = calloc(workers + 2, sizeof *tracking->first);
    if (!tracking->rows || !tracking->first)
        return -1;
    for (size_t i = 0; i < pass->count; i++)
        tracking->first[pass->kept[i].worker + 2]++;
    for (size_t i = 2; i < workers + 2; i++)
        tracking->first[i] += tracking->first[i - 1];
    for (size_t i = 0; i < pass->count; i++)
        tracking->rows[tracking->first[pass->kept[i].worker + 1]++] = pass->kept[i].row;
    tracking->row_count = pass->count;
    return 0;
}

static int keep_moments(struct cup_tracking *tracking, const struct cup_observed *observed,
                        size_t most)
{
    size_t count = observed->moment_count, every = most ? (count + most - 1) / most : 1;
    tracking->moments = malloc((count + 1) * sizeof *tracking->moments);
    if (!tracking->moments)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (i % (every ? every : 1) == 0 || i + 1 == count)
            tracking->moments[tracking->moment_count++] = observed->moments[i];
    return 0;
}

static uint64_t thinning(const struct cup_observed *observed, size_t most)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < observed->worker_count; i++)
        rows += observed->workers[i].present.count;
    return most && rows > most ? (rows + most - 1) / most : 1;
}

static int make_from_feed(struct cup_tracking *tracking, const struct cup_observed *observed,
                          struct cup_sample_feed *feed)
{
    struct pass pass = {.observed = observed, .every = tracking->every};
    pass.seen = calloc(observed->worker_count + 1, sizeof *pass.seen);
    int result = pass.seen ? go_through(&pass, feed) : -1;
    if (result == 0)
        result = sort_rows(tracking, &pass);
    free(pass.seen);
    free(pass.kept);
    return result;
}

int cup_tracking_make(struct cup_tracking *tracking, const struct cup_observed *observed,
                      size_t most)
{
    struct cup_sample_feed feed;
    *tracking = (struct cup_tracking){.every = thinning(observed, most)};
    int result = keep_moments(tracking, observed, most);
    if (result == 0 && observed->origin)
        result = cup_observed_feed(observed, &feed);
    if (result == 0 && observed->origin) {
        result = make_from_feed(tracking, observed, &feed);
        if (cup_sample_feed_close(&feed) != 0)
            result = -1;
    }
    if (result != 0)
        cup_tracking_free(tracking);
    return result;
}

void cup_tracking_free(struct cup_tracking *tracking)
{
    free(tracking->rows);
    free(tracking->first);
    free(tracking->moments);
    *tracking = (struct cup_tracking){0};
}
