/* What Dask's samples and fine metrics say: `tracking_data` and `raw_span_metrics`. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/export/roastcoffea.h"
#include "analysis/metrics/workers/tracking.h"

/* ---- samples over time --------------------------------------------------------------------- */

static void put_counts(struct cup_roast *roast, const struct cup_tracking *tracking)
{
    cup_json_object(&roast->json, "worker_counts");
    for (size_t i = 0; i < tracking->moment_count; i++) {
        char time[CUP_PYTHON_TIME_ROOM];
        const struct cup_moment *moment = &tracking->moments[i];
        if (!isnan(moment->workers))
            cup_roast_put(roast, cup_python_time(time, moment->time_ns),
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
    cup_roast_put(roast, NULL, cup_string(cup_python_time(time, time_ns)));
    cup_roast_put(roast, NULL, value);
    cup_json_end_array(&roast->json);
}

static int put_worker(struct cup_roast *roast, const struct cup_tracking *tracking, size_t worker,
                      int kind)
{
    char *address = cup_python_string(roast->totals->observed->workers[worker].address);
    cup_json_array(&roast->json, address ? address : "?");
    for (size_t i = tracking->first[worker]; i < tracking->first[worker + 1]; i++) {
        const struct cup_tracked_row *row = &tracking->rows[i];
        if (!isnan(row->values[kind]))
            put_point(roast, row->time_ns, value_of(kind, row->values[kind]));
    }
    cup_json_end_array(&roast->json);
    free(address);
    return address ? 0 : -1;
}

static int put_timelines(struct cup_roast *roast, const struct cup_tracking *tracking, int kind)
{
    const struct cup_observed *observed = roast->totals->observed;
    int result = 0;
    cup_json_object(&roast->json, cup_seen_names[kind]);
    for (size_t i = 0; i < observed->worker_count && !cup_output_failed(roast->output); i++)
        if (result == 0 && cup_observed_known(&observed->workers[i]))
            result = put_worker(roast, tracking, i, kind);
    cup_json_end_object(&roast->json);
    return result;
}

int cup_roast_put_tracking(struct cup_roast *roast)
{
    enum { MOST_ROWS = 10 * CUP_TRACKED_ROWS };
    struct cup_tracking tracking;
    int result = 0;
    if (!roast->totals->observed->origin) {
        cup_roast_put(roast, "tracking_data", cup_null());
        return 0;
    }
    if (cup_tracking_make(&tracking, roast->totals->observed, MOST_ROWS) != 0)
        return -1;
    cup_json_row(&roast->json, "tracking_data");
    put_counts(roast, &tracking);
    for (int kind = 0; kind < CUP_TRACKED_COUNT && result == 0; kind++)
        result = put_timelines(roast, &tracking, kind);
    cup_json_end_object(&roast->json);
    cup_tracking_free(&tracking);
    return result;
}

/* ---- fine metrics --------------------------------------------------------------------------
 * Of tasks, summed over workers and over the spans that tasks of the run are in: what that tool
 * calls a span's cumulative_worker_metrics. None, if other runs have a part in the sums. */

/* Digests whose sums are wanted, as the parts of their keys. */
struct part {
    uint32_t context, prefix, activity, unit;
    double value;
};

static int by_key(const void *a, const void *b)
{
    return memcmp(a, b, offsetof(struct part, value));
}

/* By name: true for the spans of the run's tasks. Allocated; NULL without memory. */
static bool *spans_of_tasks(const struct cup_profile *profile, bool *any)
{
    bool *wanted = calloc(profile->strings.count + 1, sizeof *wanted);
    *any = false;
    for (size_t i = 0; wanted && i < profile->task_count; i++) {
        uint32_t span = cup_scope_of(profile, &profile->tasks[i])->span;
        wanted[span] = true;
        *any |= span != 0;
    }
    return wanted;
}

/* Of equal keys, side by side, one with their sum is left. */
static size_t add_up(struct part *parts, size_t count)
{
    size_t sums = 0;
    for (size_t i = 0; i < count; i++) {
        if (sums && by_key(&parts[sums - 1], &parts[i]) == 0)
            parts[sums - 1].value += parts[i].value;
        else
            parts[sums++] = parts[i];
    }
    return sums;
}

/* {"('execute', 'prefix', 'thread-cpu', 'seconds')": sum} */
static int put_part(struct cup_roast *roast, const struct part *part)
{
    const uint32_t texts[] = {part->context, part->prefix, part->activity, part->unit};
    char *reprs[4], *key = NULL;
    bool all = true;
    for (int i = 0; i < 4; i++) {
        reprs[i] = cup_python_repr(cup_profile_text(roast->profile, texts[i]));
        all &= reprs[i] != NULL;
    }
    all = all && asprintf(&key, "(%s, %s, %s, %s)", reprs[0], reprs[1], reprs[2], reprs[3]) >= 0;
    if (all)
        cup_roast_put(roast, key, cup_real(part->value));
    for (int i = 0; i < 4; i++)
        free(reprs[i]);
    if (all)
        free(key);
    return all ? 0 : -1;
}

static size_t collect(const struct cup_profile *profile, struct part *parts, const bool *spans,
                      bool any)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->digest_count; i++) {
        const struct cup_digest *digest = &profile->digests[i];
        if (digest->prefix && (!any || spans[digest->span_name]))
            parts[count++] = (struct part){digest->context, digest->prefix, digest->activity,
                                           digest->unit, digest->value};
    }
    qsort(parts, count, sizeof *parts, by_key);
    return add_up(parts, count);
}

int cup_roast_put_spans(struct cup_roast *roast)
{
    const struct cup_profile *profile = roast->profile;
    bool any;
    bool *spans = spans_of_tasks(profile, &any);
    struct part *parts = malloc((profile->digest_count + 1) * sizeof *parts);
    int result = spans && parts ? 0 : -1;
    cup_json_object(&roast->json, "raw_span_metrics");
    bool mixed = roast->totals->fine->mixed || (profile->selective && !any);
    size_t count = result == 0 && !mixed ? collect(profile, parts, spans, any) : 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = put_part(roast, &parts[i]);
    cup_json_end_object(&roast->json);
    free(parts);
    free(spans);
    return result;
}
