/* Dask's fine metrics of tasks, summed over workers and over the spans that tasks of the run are
 * in: what that tool calls a span's cumulative_worker_metrics. */
#include <stddef.h>
#include <stdlib.h>

#include "analysis/export/roastcoffea.h"

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
        wanted[profile->tasks[i].span] = true;
        *any |= profile->tasks[i].span != 0;
    }
    return wanted;
}

static bool is_wanted(const struct cup_digest *digest, const bool *spans, bool any)
{
    return digest->prefix && (!any || spans[digest->span_name]);
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
static void put_part(struct cup_roast *roast, const struct part *part)
{
    const uint32_t texts[] = {part->context, part->prefix, part->activity, part->unit};
    cup_python_clear(&roast->key);
    for (int i = 0; i < 4; i++) {
        cup_python_add(&roast->key, i ? ", " : "(");
        cup_python_add_repr(&roast->key, cup_profile_text(roast->profile, texts[i]));
    }
    cup_python_add(&roast->key, ")");
    if (!roast->key.failed)
        cup_json_value(&roast->json, roast->key.bytes, cup_real(part->value));
}

static size_t collect(const struct cup_profile *profile, struct part *parts, const bool *spans,
                      bool any)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->digest_count; i++) {
        const struct cup_digest *digest = &profile->digests[i];
        if (is_wanted(digest, spans, any))
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
    size_t count = result == 0 ? collect(profile, parts, spans, any) : 0;
    for (size_t i = 0; i < count; i++)
        put_part(roast, &parts[i]);
    cup_json_end_object(&roast->json);
    free(parts);
    free(spans);
    return result == 0 && !roast->key.failed ? 0 : -1;
}
