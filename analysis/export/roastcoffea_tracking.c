/* What samples say over time, as roastcoffea's `tracking_data`. */
#include <math.h>
#include <stdio.h>

#include "analysis/export/roastcoffea.h"
#include "analysis/metrics/workers/tracking.h"

static void put_counts(struct cup_roast *roast, const struct cup_tracking *tracking)
{
    cup_json_object(&roast->json, "worker_counts");
    for (size_t i = 0; i < tracking->moment_count; i++) {
        char time[CUP_PYTHON_TIME_ROOM];
        const struct cup_moment *moment = &tracking->moments[i];
        if (!isnan(moment->workers))
            cup_json_value(&roast->json, cup_python_time(time, moment->time_ns),
                           cup_count((uint64_t)moment->workers));
    }
    cup_json_end_object(&roast->json);
}

/* CPU in percent, occupancy and times of day in seconds; all else are counts and bytes. */
static struct cup_value value_of(int kind, double value)
{
    bool real = kind == CUP_SEEN_CPU || kind == CUP_SEEN_OCCUPANCY || kind == CUP_SEEN_LAST_SEEN;
    return real || value < 0 || value > 9e15 ? cup_real(value) : cup_count((uint64_t)value);
}

static void put_point(struct cup_roast *roast, int64_t time_ns, struct cup_value value)
{
    char time[CUP_PYTHON_TIME_ROOM];
    cup_json_array(&roast->json, NULL);
    cup_json_value(&roast->json, NULL, cup_string(cup_python_time(time, time_ns)));
    cup_json_value(&roast->json, NULL, value);
    cup_json_end_array(&roast->json);
}

static void put_worker(struct cup_roast *roast, const struct cup_tracking *tracking, size_t worker,
                       int kind)
{
    cup_python_clear(&roast->key);
    cup_python_add_text(&roast->key, roast->totals->observed->workers[worker].address);
    cup_json_array(&roast->json, roast->key.bytes ? roast->key.bytes : "");
    for (size_t i = tracking->first[worker]; i < tracking->first[worker + 1]; i++) {
        const struct cup_tracked_row *row = &tracking->rows[i];
        if (!isnan(row->values[kind]))
            put_point(roast, row->time_ns, value_of(kind, row->values[kind]));
    }
    cup_json_end_array(&roast->json);
}

static void put_timelines(struct cup_roast *roast, const struct cup_tracking *tracking, int kind)
{
    const struct cup_observed *observed = roast->totals->observed;
    cup_json_object(&roast->json, cup_seen_names[kind]);
    for (size_t i = 0; i < observed->worker_count && !cup_output_failed(roast->output); i++)
        if (cup_observed_known(&observed->workers[i]))
            put_worker(roast, tracking, i, kind);
    cup_json_end_object(&roast->json);
}

enum { MOST_ROWS = 10 * CUP_TRACKED_ROWS };
int cup_roast_put_tracking(struct cup_roast *roast)
{
    struct cup_tracking tracking;
    if (!roast->totals->observed->origin) {
        cup_json_value(&roast->json, "tracking_data", cup_null());
        return 0;
    }
    if (cup_tracking_make(&tracking, roast->totals->observed, MOST_ROWS) != 0)
        return -1;
    cup_json_row(&roast->json, "tracking_data");
    put_counts(roast, &tracking);
    for (int kind = 0; kind < CUP_TRACKED_COUNT; kind++)
        put_timelines(roast, &tracking, kind);
    cup_json_end_object(&roast->json);
    cup_tracking_free(&tracking);
    return roast->key.failed ? -1 : 0;
}
