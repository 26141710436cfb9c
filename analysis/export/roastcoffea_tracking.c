/* What schedulers' samples say over time, and Dask's fine metrics of the run's spans. */
#include <stdlib.h>

#include "analysis/export/roastcoffea.h"
#include "analysis/export/samples_table.h"

typedef const struct cup_profile *P;

/* ---- timelines of workers ------------------------------------------------------------------ */

/* Rows of schedulers' samples of the run, those of a worker in a row, in the order of time. */
struct timelines {
    uint32_t *rows; /* owned; indexes of worker samples */
    size_t count;
};

static bool is_tracked(const struct cup_roast *roast, const struct cup_sample *sample)
{
    return cup_sample_by_scheduler(roast->profile, sample) &&
           cup_sample_in_run(roast->totals, sample);
}

struct ordered {
    uint32_t address, row;
};

static int by_worker(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    return x->address != y->address ? (x->address > y->address) - (x->address < y->address)
                                    : (x->row > y->row) - (x->row < y->row);
}

static int timelines_make(struct timelines *timelines, const struct cup_roast *roast)
{
    P profile = roast->profile;
    struct ordered *ordered = malloc((profile->worker_sample_count + 1) * sizeof *ordered);
    *timelines = (struct timelines){
        .rows = malloc((profile->worker_sample_count + 1) * sizeof *timelines->rows)};
    for (uint32_t i = 0; ordered && i < profile->worker_sample_count; i++) {
        const struct cup_worker_sample *row = &profile->worker_samples[i];
        if (is_tracked(roast, &profile->samples[row->sample]))
            ordered[timelines->count++] = (struct ordered){row->address, i};
    }
    if (ordered && timelines->rows) {
        qsort(ordered, timelines->count, sizeof *ordered, by_worker);
        for (size_t i = 0; i < timelines->count; i++)
            timelines->rows[i] = ordered[i].row;
    }
    int result = ordered && timelines->rows ? 0 : -1;
    if (result != 0)
        free(timelines->rows);
    free(ordered);
    return result;
}

/* ---- values -------------------------------------------------------------------------------- */

static const uint64_t *heartbeat_of(P profile, const struct cup_worker_sample *row)
{
    return row->heartbeat ? profile->heartbeats[row->heartbeat - 1].values : NULL;
}

static struct cup_value memory(P profile, const struct cup_worker_sample *row)
{
    const uint64_t *heartbeat = heartbeat_of(profile, row);
    return heartbeat ? cup_known_count(heartbeat[CUP_HV_RSS]) : cup_null();
}

/* In percent of a core. */
static struct cup_value cpu(P profile, const struct cup_worker_sample *row)
{
    const uint64_t *heartbeat = heartbeat_of(profile, row);
    if (!heartbeat || heartbeat[CUP_HV_CPU_NS_PER_S] == CUP_UNKNOWN64)
        return cup_null();
    return cup_real((double)heartbeat[CUP_HV_CPU_NS_PER_S] / 1e7);
}

static struct cup_value last_seen(P profile, const struct cup_worker_sample *row)
{
    uint64_t unseen_ns = row->values[CUP_WV_UNSEEN_NS];
    return unseen_ns == CUP_UNKNOWN64
               ? cup_null()
               : cup_seconds(profile->samples[row->sample].time_ns - (int64_t)unseen_ns);
}

static struct cup_value occupancy(P profile, const struct cup_worker_sample *row)
{
    (void)profile;
    uint64_t ns = row->values[CUP_WV_OCCUPANCY_NS];
    return ns == CUP_UNKNOWN64 ? cup_null() : cup_seconds((int64_t)ns);
}

#define COUNT(name, id)                                                                            \
    static struct cup_value name(P profile, const struct cup_worker_sample *row)                   \
    {                                                                                              \
        (void)profile;                                                                             \
        return cup_known_count(row->values[CUP_WV_##id]);                                          \
    }
COUNT(memory_limit, MEMORY_LIMIT)
COUNT(active_tasks, PROCESSING)
COUNT(cores, THREADS)
COUNT(nbytes, NBYTES)
COUNT(executing, EXECUTING)

static const struct {
    const char *name;
    struct cup_value (*value)(P profile, const struct cup_worker_sample *row);
} timeline_kinds[] = {
    {"worker_memory", memory},
    {"worker_memory_limit", memory_limit},
    {"worker_cores", cores},
    {"worker_active_tasks", active_tasks},
    {"worker_executing", executing},
    {"worker_nbytes", nbytes},
    {"worker_occupancy", occupancy},
    {"worker_last_seen", last_seen},
    {"worker_cpu", cpu},
};
enum { TIMELINE_KINDS = sizeof timeline_kinds / sizeof *timeline_kinds };

/* ---- tracking_data ------------------------------------------------------------------------- */

static void put_counts(struct cup_roast *roast)
{
    cup_json_object(&roast->json, "worker_counts");
    for (size_t i = 0; i < roast->profile->sample_count; i++) {
        const struct cup_sample *sample = &roast->profile->samples[i];
        char time[CUP_PYTHON_TIME_ROOM];
        if (is_tracked(roast, sample) && sample->values[CUP_SV_WORKERS] != CUP_UNKNOWN64)
            cup_json_value(&roast->json, cup_python_time(time, sample->time_ns),
                           cup_count(sample->values[CUP_SV_WORKERS]));
    }
    cup_json_end_object(&roast->json);
}

static void put_point(struct cup_roast *roast, int64_t time_ns, struct cup_value value)
{
    char time[CUP_PYTHON_TIME_ROOM];
    if (value.kind == CUP_VALUE_NULL)
        return;
    cup_json_array(&roast->json, NULL);
    cup_json_value(&roast->json, NULL, cup_string(cup_python_time(time, time_ns)));
    cup_json_value(&roast->json, NULL, value);
    cup_json_end_array(&roast->json);
}

static void open_worker(struct cup_roast *roast, uint32_t address)
{
    cup_python_clear(&roast->key);
    cup_python_add_text(&roast->key, cup_profile_text(roast->profile, address));
    cup_json_array(&roast->json, roast->key.bytes ? roast->key.bytes : "");
}

static void put_timelines(struct cup_roast *roast, const struct timelines *timelines, int kind)
{
    P profile = roast->profile;
    cup_json_object(&roast->json, timeline_kinds[kind].name);
    for (size_t i = 0; i < timelines->count && !cup_output_failed(roast->output); i++) {
        const struct cup_worker_sample *row = &profile->worker_samples[timelines->rows[i]];
        uint32_t before = i ? profile->worker_samples[timelines->rows[i - 1]].address : 0;
        if (i == 0 || row->address != before) {
            if (i > 0)
                cup_json_end_array(&roast->json);
            open_worker(roast, row->address);
        }
        put_point(roast, profile->samples[row->sample].time_ns,
                  timeline_kinds[kind].value(profile, row));
    }
    if (timelines->count)
        cup_json_end_array(&roast->json);
    cup_json_end_object(&roast->json);
}

static bool any_tracked(const struct cup_roast *roast)
{
    for (size_t i = 0; i < roast->profile->sample_count; i++)
        if (is_tracked(roast, &roast->profile->samples[i]))
            return true;
    return false;
}

int cup_roast_put_tracking(struct cup_roast *roast)
{
    struct timelines timelines;
    if (!any_tracked(roast)) {
        cup_json_value(&roast->json, "tracking_data", cup_null());
        return 0;
    }
    if (timelines_make(&timelines, roast) != 0)
        return -1;
    cup_json_row(&roast->json, "tracking_data");
    put_counts(roast);
    for (int kind = 0; kind < TIMELINE_KINDS; kind++)
        put_timelines(roast, &timelines, kind);
    cup_json_end_object(&roast->json);
    free(timelines.rows);
    return roast->key.failed ? -1 : 0;
}
