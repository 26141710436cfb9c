#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/metrics/time/tail.h"
#include "analysis/metrics/workers/hosts.h"

/* ---- which ------------------------------------------------------------------------------ */

static bool is_in_tail(const struct cup_totals *totals, uint32_t item, int64_t from_ns)
{
    const struct cup_task *task = cup_task_of_item(totals->profile, item);
    return totals->outcomes[item] && task->status && task->stop_ns > from_ns;
}

/* Restores the heap of the chunks that ended last. Its root is the one that ended first, which is
 * dropped for a later one once the heap is full. */
static void sift_down(struct cup_tail *tail, const struct cup_profile *profile, size_t at)
{
    for (;;) {
        size_t first = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < tail->count; child++)
            if (cup_task_of_item(profile, tail->chunks[child].item)->stop_ns <
                cup_task_of_item(profile, tail->chunks[first].item)->stop_ns)
                first = child;
        if (first == at)
            return;
        struct cup_tail_chunk swapped = tail->chunks[at];
        tail->chunks[at] = tail->chunks[first];
        tail->chunks[first] = swapped;
        at = first;
    }
}

static void keep_chunk(struct cup_tail *tail, const struct cup_profile *profile, uint32_t item)
{
    tail->total++;
    if (tail->count < CUP_TAIL_MOST) {
        tail->chunks[tail->count++].item = item;
        if (tail->count == CUP_TAIL_MOST)
            for (size_t i = tail->count / 2; i-- > 0;)
                sift_down(tail, profile, i);
    } else if (cup_task_of_item(profile, item)->stop_ns >
               cup_task_of_item(profile, tail->chunks[0].item)->stop_ns) {
        tail->chunks[0].item = item;
        sift_down(tail, profile, 0);
    }
}

/* Sorts the chunks, the one that ended last first. There are at most CUP_TAIL_MOST. */
static void sort_chunks(struct cup_tail *tail, const struct cup_profile *profile)
{
    for (size_t i = 1; i < tail->count; i++) {
        struct cup_tail_chunk chunk = tail->chunks[i];
        size_t at = i;
        for (; at > 0 && cup_task_of_item(profile, tail->chunks[at - 1].item)->stop_ns <
                             cup_task_of_item(profile, chunk.item)->stop_ns;
             at--)
            tail->chunks[at] = tail->chunks[at - 1];
        tail->chunks[at] = chunk;
    }
}

/* ---- why -------------------------------------------------------------------------------- */

/* Medians over the used chunks; NAN: none. */
struct typical {
    double wall_s, events, per_event_s;
};

static double median_of(const struct cup_totals *totals, enum cup_chunk_statistic which,
                        double *numbers)
{
    size_t count = cup_chunk_numbers(totals, which, numbers);
    return cup_quantile(numbers, count, 0.5);
}

static double io_wait_s(const struct cup_profile *profile, const struct cup_task *task)
{
    return profile->own_waits &&
                   cup_process_has(profile, cup_task_process(profile, task), CUP_FEATURE_WAITS)
               ? (double)profile->own_waits[task - profile->tasks].ns[CUP_WAITED_IO] / 1e9
               : NAN;
}

static bool on_slow_host(const struct cup_totals *totals, const struct cup_task *task)
{
    const struct cup_hosts *hosts = totals->hosts;
    uint32_t host =
        cup_host_of(hosts, &totals->profile->processes[cup_task_process(totals->profile, task)]);
    return host && hosts->rows[host - 1].verdict == CUP_HOST_SLOW;
}

static uint32_t waiting(const struct cup_profile *profile, const struct cup_task *task,
                        double wall_s)
{
    if (io_wait_s(profile, task) > CUP_TAIL_WAIT_SHARE * wall_s)
        return 1u << CUP_TAIL_IO_WAIT;
    if (task->cpu_ns != CUP_UNKNOWN64 &&
        wall_s - (double)task->cpu_ns / 1e9 > CUP_TAIL_WAIT_SHARE * wall_s)
        return 1u << CUP_TAIL_OFF_CPU;
    return 0;
}

/* Why a chunk ended in the tail. If it did not take longer than others, it started late; if it took
 * longer, the other reasons say why. */
static uint32_t reasons_of(const struct cup_totals *totals, uint32_t item,
                           const struct typical *typical, int64_t from_ns)
{
    const struct cup_profile *profile = totals->profile;
    const struct cup_task *task = cup_task_of_item(profile, item);
    double wall_s = cup_chunk_number(totals, item, CUP_STAT_WALL);
    double until_mark_s = (double)(from_ns - task->start_ns) / 1e9;
    uint32_t reasons = task->status == CUP_STATUS_ERRED ? 1u << CUP_TAIL_FAILED : 0;
    if (until_mark_s < typical->wall_s)
        reasons |= 1u << CUP_TAIL_STARTED_LATE;
    if (!(wall_s >= CUP_TAIL_TIMES * typical->wall_s))
        return reasons;
    if (cup_chunk_number(totals, item, CUP_STAT_EVENTS) >= CUP_TAIL_TIMES * typical->events)
        reasons |= 1u << CUP_TAIL_MANY_EVENTS;
    if (on_slow_host(totals, task))
        reasons |= 1u << CUP_TAIL_SLOW_HOST;
    reasons |= waiting(profile, task, wall_s);
    if (cup_chunk_number(totals, item, CUP_STAT_TIME_PER_EVENT) >=
        CUP_TAIL_TIMES * typical->per_event_s)
        reasons |= 1u << CUP_TAIL_LONG;
    return reasons;
}

static int explain_chunks(struct cup_tail *tail, const struct cup_totals *totals)
{
    double *numbers = malloc((totals->profile->item_count + 1) * sizeof *numbers);
    if (!numbers)
        return -1;
    const struct typical typical = {median_of(totals, CUP_STAT_WALL, numbers),
                                    median_of(totals, CUP_STAT_EVENTS, numbers),
                                    median_of(totals, CUP_STAT_TIME_PER_EVENT, numbers)};
    free(numbers);
    tail->median_s = typical.wall_s;
    for (size_t i = 0; i < tail->count; i++)
        tail->chunks[i].reasons = reasons_of(totals, tail->chunks[i].item, &typical, tail->from_ns);
    return 0;
}

int cup_tail_make(struct cup_tail *tail, const struct cup_totals *totals)
{
    *tail = (struct cup_tail){.median_s = NAN};
    tail->chunks = calloc(CUP_TAIL_MOST, sizeof *tail->chunks);
    if (!tail->chunks)
        return -1;
    if (totals->tail_ns < 0)
        return 0;
    tail->from_ns = totals->chunks.stop_ns - totals->tail_ns;
    for (uint32_t i = 0; i < totals->profile->item_count; i++)
        if (is_in_tail(totals, i, tail->from_ns))
            keep_chunk(tail, totals->profile, i);
    sort_chunks(tail, totals->profile);
    if (explain_chunks(tail, totals) == 0)
        return 0;
    cup_tail_free(tail);
    return -1;
}

void cup_tail_free(struct cup_tail *tail)
{
    free(tail->chunks);
    *tail = (struct cup_tail){0};
}

char *cup_tail_why(char to[CUP_TAIL_ROOM], const struct cup_tail_chunk *chunk)
{
    static const char *const texts[] = {
#define X(id, text) text,
        CUP_TAIL_REASONS(X)
#undef X
    };
    size_t used = 0;
    *to = '\0';
    for (int i = 0; i < CUP_TAIL_REASON_COUNT; i++)
        if (chunk->reasons & 1u << i)
            used += (size_t)snprintf(to + used, CUP_TAIL_ROOM - used, "%s%s", used ? ", " : "",
                                     texts[i]);
    return to;
}
