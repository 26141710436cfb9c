#include "analysis/profile/samples/sample_feed.h"

#include <math.h>
#include <stdlib.h>

const char *const cup_seen_names[CUP_SEEN_COUNT] = {CUP_SEEN_VALUES(CUP_NAME_OF)};

/* ---- values of the profile -------------------------------------------------------------- */

static double number_of(uint64_t value)
{
    return value == CUP_UNKNOWN64 ? (double)NAN : (double)value;
}

static double not_below_zero(double value)
{
    return value < 0 ? 0 : value;
}

/* Computes managed and unmanaged memory as Dask's MemoryState does: what is spilled to disk is not
 * managed memory. A worker's own samples do not say what is spilled; a heartbeat without it comes
 * from a worker that cannot spill. */
static void fill_memory(double *values, const uint64_t *heartbeat, bool own)
{
    uint64_t spilled = heartbeat[CUP_HV_SPILLED_MEMORY_BYTES];
    bool is_zero = spilled == CUP_UNKNOWN64 && !own;
    double managed =
        number_of(heartbeat[CUP_HV_MANAGED_BYTES]) - (is_zero ? 0 : number_of(spilled));
    values[CUP_SEEN_MEMORY] = number_of(heartbeat[CUP_HV_RSS]);
    values[CUP_SEEN_SPILLED] = number_of(heartbeat[CUP_HV_SPILLED_DISK_BYTES]);
    values[CUP_SEEN_MANAGED] = not_below_zero(managed);
    values[CUP_SEEN_UNMANAGED] = not_below_zero(values[CUP_SEEN_MEMORY] - values[CUP_SEEN_MANAGED]);
}

/* How long the event loop of the server itself was blocked: the longest time between two of its
 * ticks, less the configured time. */
static double own_stall(const struct cup_sample *sample)
{
    return not_below_zero(number_of(sample->values[CUP_SV_LOOP_LONGEST_NS]) -
                          number_of(sample->values[CUP_SV_TICK_NS])) /
           1e9;
}

/* How long the event loop of a worker was blocked, as the scheduler sees it. A heartbeat only has
 * the mean time between ticks, and the configured time is taken from the scheduler: Dask
 * configures all servers alike. */
static double heartbeat_stall(const struct cup_sample *sample, const uint64_t *heartbeat)
{
    return not_below_zero(number_of(heartbeat[CUP_HV_LOOP_INTERVAL_NS]) -
                          number_of(sample->values[CUP_SV_TICK_NS])) /
           1e9;
}

static void fill_heartbeat(double *values, const uint64_t *heartbeat, bool own)
{
    fill_memory(values, heartbeat, own);
    values[CUP_SEEN_CPU] = number_of(heartbeat[CUP_HV_CPU_NS_PER_S]) / 1e7;
    values[CUP_SEEN_NET_READ] = number_of(heartbeat[CUP_HV_HOST_NET_READ_BPS]);
    values[CUP_SEEN_NET_WRITE] = number_of(heartbeat[CUP_HV_HOST_NET_WRITE_BPS]);
    values[CUP_SEEN_DISK_READ] = number_of(heartbeat[CUP_HV_HOST_DISK_READ_BPS]);
    values[CUP_SEEN_DISK_WRITE] = number_of(heartbeat[CUP_HV_HOST_DISK_WRITE_BPS]);
    values[CUP_SEEN_FDS] = number_of(heartbeat[CUP_HV_NUM_FDS]);
}

struct cup_own_sample cup_own_sample_of(const struct cup_sample *sample,
                                        const struct cup_worker_row *row)
{
    return (struct cup_own_sample){.time_ns = sample->time_ns,
                                   .cpu = number_of(row->heartbeat[CUP_HV_CPU_NS_PER_S]) / 1e7,
                                   .stall = own_stall(sample),
                                   .threads = (float)number_of(row->values[CUP_WV_THREADS]),
                                   .worker = row->worker};
}

/* A memory limit of 0 means no limit. */
static void fill_state(double *values, const uint64_t *state)
{
    uint64_t limit = state[CUP_WV_MEMORY_LIMIT];
    values[CUP_SEEN_THREADS] = number_of(state[CUP_WV_THREADS]);
    values[CUP_SEEN_LIMIT] = limit ? number_of(limit) : (double)NAN;
    values[CUP_SEEN_PROCESSING] = number_of(state[CUP_WV_PROCESSING]);
    values[CUP_SEEN_EXECUTING] = number_of(state[CUP_WV_EXECUTING]);
    values[CUP_SEEN_NBYTES] = number_of(state[CUP_WV_NBYTES]);
    values[CUP_SEEN_OCCUPANCY] = number_of(state[CUP_WV_OCCUPANCY_NS]) / 1e9;
    values[CUP_SEEN_LAST_SEEN] = number_of(state[CUP_WV_SEEN_NS]) / 1e9;
}

/* ---- a profile -------------------------------------------------------------------------- */

/* Chooses the scheduler with the most samples between FROM and TO; if none has any there, the one
 * with the most samples at all. */
static int choose_scheduler(struct cup_sample_feed *feed, int64_t from_ns, int64_t to_ns)
{
    const struct cup_profile *profile = feed->profile;
    uint64_t *samples = calloc(profile->server_count + 1, sizeof *samples);
    if (!samples)
        return -1;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct cup_sample_place *place = &profile->samples[i];
        bool is_scheduler = profile->servers[place->server].role == CUP_ROLE_SCHEDULER;
        bool within = place->time_ns >= from_ns && place->time_ns <= to_ns;
        samples[place->server + 1] += is_scheduler ? (within ? profile->sample_count : 1) : 0;
    }
    for (uint32_t i = 1; i <= profile->server_count; i++) {
        feed->others += samples[i] >= profile->sample_count && samples[i] > 0;
        if (samples[i] > samples[feed->server])
            feed->server = i;
    }
    feed->others -= feed->others > 0;
    free(samples);
    return 0;
}

static int name_worker(struct cup_sample_feed *feed, struct cup_id_map *map, size_t index)
{
    const struct cup_sampled_worker *worker = &feed->profile->sampled_workers[index];
    uint32_t number = cup_id_map_get(map, worker->address);
    if (!number) {
        feed->workers[feed->worker_count++] =
            (struct cup_sampled_name){cup_profile_text(feed->profile, worker->address),
                                      cup_profile_text(feed->profile, worker->name)};
        number = (uint32_t)feed->worker_count;
    }
    feed->numbers[index] = number - 1;
    return cup_id_map_set(map, worker->address, number);
}

/* Lists the workers by address: a worker that left and came back is one worker here, but two
 * entries in sampled_workers. */
static int name_workers(struct cup_sample_feed *feed)
{
    size_t count = feed->profile->sampled_worker_count;
    struct cup_id_map map = {0};
    feed->workers = calloc(count + 1, sizeof *feed->workers);
    feed->numbers = calloc(count + 1, sizeof *feed->numbers);
    int result = feed->workers && feed->numbers ? 0 : -1;
    for (size_t i = 0; i < count && result == 0; i++)
        result = name_worker(feed, &map, i);
    cup_id_map_clear(&map);
    return result;
}

int cup_sample_feed_open(struct cup_sample_feed *feed, const struct cup_profile *profile,
                         enum cup_sample_origin origin, int64_t from_ns, int64_t to_ns)
{
    bool together = origin == CUP_SAMPLES_SCHEDULER;
    *feed = (struct cup_sample_feed){.origin = origin, .profile = profile, .together = together};
    if (together && choose_scheduler(feed, from_ns, to_ns) != 0)
        return -1;
    if (name_workers(feed) != 0) {
        cup_sample_feed_close(feed);
        return -1;
    }
    cup_worker_rows_start(&feed->rows, profile, together ? CUP_ROLE_SCHEDULER : CUP_ROLE_WORKER);
    return 0;
}

static bool next_of_profile(struct cup_sample_feed *feed, struct cup_sample_head *head)
{
    bool there;
    while ((there = cup_worker_rows_next(&feed->rows)) && feed->together &&
           feed->rows.sample.server != feed->server)
        ;
    feed->at = 0;
    if (!there)
        return false;
    const struct cup_sample *sample = &feed->rows.sample;
    head->time_ns = sample->time_ns;
    head->workers = number_of(sample->values[CUP_SV_WORKERS]);
    head->threads = number_of(sample->values[CUP_SV_THREADS]);
    head->interval_s = number_of(sample->values[CUP_SV_INTERVAL_NS]) / 1e9;
    head->stall = own_stall(sample);
    return true;
}

static bool row_of_profile(struct cup_sample_feed *feed, struct cup_sample_row *row)
{
    if (feed->at >= feed->rows.count)
        return false;
    const struct cup_worker_row *held = feed->rows.rows[feed->at++];
    const struct cup_sample *sample = &feed->rows.sample;
    row->time_ns = sample->time_ns;
    row->worker = feed->numbers[held->worker];
    row->fresh = held->new_heartbeat;
    fill_state(row->values, held->values);
    fill_heartbeat(row->values, held->heartbeat, !feed->together);
    row->values[CUP_SEEN_STALL] =
        feed->together ? heartbeat_stall(sample, held->heartbeat) : own_stall(sample);
    return true;
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

static size_t count_workers(const struct cup_file_value *values, size_t from, size_t to)
{
    size_t workers = 0;
    for (size_t i = from; i < to; i++)
        workers += i == from || values[i].worker != values[i - 1].worker;
    return workers;
}

/* Reads the next sample of a file: all its values that have the same time. */
static bool next_of_file(struct cup_sample_feed *feed, struct cup_sample_head *head)
{
    const struct cup_samples_file *file = feed->file;
    feed->at = feed->end;
    *head = (struct cup_sample_head){.workers = (double)NAN,
                                     .threads = (double)NAN,
                                     .interval_s = (double)NAN,
                                     .stall = (double)NAN};
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
    const struct cup_file_value *value = &feed->file->values[feed->at];
    if (feed->at >= feed->end)
        return false;
    *row =
        (struct cup_sample_row){.time_ns = value->time_ns, .worker = value->worker, .fresh = true};
    for (int i = 0; i < CUP_SEEN_COUNT; i++)
        row->values[i] = (double)NAN;
    for (; feed->at < feed->end && value->worker == row->worker; feed->at++, value++)
        row->values[value->value] = value->number;
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

int cup_sample_feed_close(struct cup_sample_feed *feed)
{
    int result = feed->profile ? cup_worker_rows_finish(&feed->rows) : 0;
    free(feed->workers);
    free(feed->numbers);
    *feed = (struct cup_sample_feed){0};
    return result;
}
