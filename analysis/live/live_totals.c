/* Tasks that began when their log was full: the log has sums of them, which grow. */
#include <stdlib.h>
#include <string.h>

#include "analysis/live/live_log.h"
#include "analysis/metrics/sums/sums.h"

static uint64_t grown(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

/* What the entry gained since the last look, of what this file uses. */
static struct cup_total gain_of(const struct cup_total *now, const struct cup_total *before)
{
    struct cup_total gain = *now;
    for (int status = 0; status < CUP_TOTAL_STATUSES; status++)
        for (int i = 0; i < CUP_TOTAL_VALUES; i++)
            gain.values[status][i] = grown(now->values[status][i], before->values[status][i]);
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < CUP_COUNTER_ROOM; i++)
            gain.counters[kind][i] = grown(now->counters[kind][i], before->counters[kind][i]);
    return gain;
}

/* The log does not say when they ended: since the last look. */
static void add_events(struct cup_live *live, uint64_t events, uint64_t planned)
{
    live->real.events += events;
    live->planned.events += planned;
    if (live->looks)
        cup_live_count_events(live, live->now_ns, events, planned);
    else if (events)
        live->ends_known_ns = live->now_ns;
}

static void add_chunks(struct cup_live *live, const struct cup_total *gain, uint64_t tasks)
{
    const uint64_t *finished = gain->values[CUP_STATUS_FINISHED - 1];
    bool is_chunk = gain->key.item == CUP_ITEM_WORK || gain->key.item == CUP_ITEM_READ;
    bool is_planned = gain->key.item == CUP_ITEM_WORK || finished[CUP_T_TIMED];
    if (!is_chunk)
        return;
    live->real.items += tasks;
    live->planned.items += is_planned ? tasks : 0;
    live->failed_chunks += gain->values[CUP_STATUS_ERRED - 1][CUP_T_TASKS];
    if (gain->key.skipped) {
        live->real.skipped += finished[CUP_T_TASKS];
        live->planned.skipped += is_planned ? finished[CUP_T_TASKS] : 0;
        return;
    }
    live->real.used += finished[CUP_T_TASKS];
    live->planned.used += is_planned ? finished[CUP_T_TASKS] : 0;
    add_events(live, finished[CUP_T_EVENTS], is_planned ? finished[CUP_T_EVENTS] : 0);
}

/* Used chunks of an entry whose entry ranges are not known. */
static uint64_t count_without_events(const struct cup_total *total, bool planned_only)
{
    const uint64_t *finished = total->values[CUP_STATUS_FINISHED - 1];
    bool is_work = total->key.item == CUP_ITEM_WORK;
    bool counts =
        is_work || (total->key.item == CUP_ITEM_READ && (!planned_only || finished[CUP_T_TIMED]));
    return counts && !total->key.skipped && !finished[CUP_T_EVENTS] ? finished[CUP_T_TASKS] : 0;
}

/* As in a report, an entry with any events is one of chunks whose events are known: then those that
 * were added before are subtracted. */
static void add_without_events(struct cup_live *live, const struct cup_total *now,
                               const struct cup_total *before)
{
    live->real.without_events +=
        count_without_events(now, false) - count_without_events(before, false);
    live->planned.without_events +=
        count_without_events(now, true) - count_without_events(before, true);
}

static uint64_t add_tasks(struct cup_live *live, const struct cup_total *gain)
{
    bool in_pool = gain->key.origin != CUP_ORIGIN_ASYNC && gain->key.origin != CUP_ORIGIN_ACTOR;
    uint64_t tasks = 0;
    live->finished += gain->values[CUP_STATUS_FINISHED - 1][CUP_T_TASKS];
    live->erred += gain->values[CUP_STATUS_ERRED - 1][CUP_T_TASKS];
    live->unknown += gain->values[CUP_STATUS_UNKNOWN - 1][CUP_T_TASKS];
    for (int status = 0; status < CUP_TOTAL_STATUSES; status++) {
        tasks += gain->values[status][CUP_T_TASKS];
        live->closed.task_ns += in_pool ? gain->values[status][CUP_T_WALL_NS] : 0;
    }
    live->tasks += tasks;
    live->summed += tasks;
    add_chunks(live, gain, tasks);
    return tasks;
}

/* All tasks of an entry started in [first, last]; a part of them cannot be selected. */
static void note_times(struct cup_live *live, const struct cup_total *now)
{
    for (int status = 0; status < CUP_TOTAL_STATUSES; status++) {
        const uint64_t *values = now->values[status];
        int64_t first_ns = cup_sane_time((int64_t)values[CUP_T_FIRST_NS]);
        int64_t last_ns = cup_sane_time((int64_t)values[CUP_T_LAST_NS]);
        if (!values[CUP_T_TASKS])
            continue;
        if (!live->stretch.start_ns || first_ns < live->stretch.start_ns)
            live->stretch.start_ns = first_ns;
        if (last_ns > live->stretch.stop_ns)
            live->stretch.stop_ns = last_ns;
    }
}

static bool is_in_window(const struct cup_live *live, const struct cup_total *now)
{
    for (int status = 0; status < CUP_TOTAL_STATUSES; status++) {
        const uint64_t *values = now->values[status];
        if (values[CUP_T_TASKS] && ((int64_t)values[CUP_T_FIRST_NS] < live->from_ns ||
                                    (int64_t)values[CUP_T_LAST_START_NS] >= live->to_ns))
            return false;
    }
    return true;
}

static void add_gain(struct cup_live *live, struct cup_live_worker *worker,
                     const struct cup_total *gain)
{
    uint64_t bytes =
        cup_live_attributed_bytes(gain->counters[0]) + cup_live_attributed_bytes(gain->counters[1]);
    const struct cup_measured_waits waits = cup_measured_waits_of(gain->counters[1]);
    uint64_t tasks = add_tasks(live, gain);
    live->closed.read_bytes += bytes;
    cup_measured_waits_add(&live->closed.waits, &waits);
    if (!worker)
        return;
    worker->done += tasks;
    worker->closed_bytes += bytes;
    live->known.processes[worker->process].tasks += tasks;
}

void cup_live_totals(struct cup_live *live, struct cup_live_log *log,
                     const struct cup_task_totals *totals)
{
    if (!totals)
        return;
    if (!log->totals && !(log->totals = calloc(1, sizeof *log->totals))) {
        live->out_of_memory = true;
        return;
    }
    for (int i = CUP_TOTAL_OTHERS; i < CUP_TOTALS; i++) {
        const struct cup_total *now = &totals->entries[i];
        if (!now->used || !is_in_window(live, now))
            continue;
        const struct cup_total gain = gain_of(now, &log->totals->entries[i]);
        add_without_events(live, now, &log->totals->entries[i]);
        add_gain(live, cup_live_worker_of(live, log, now->key.server), &gain);
        note_times(live, now);
    }
    *log->totals = *totals;
}
