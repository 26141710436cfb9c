/* What the profile lacks, and what it cost. */
#include "analysis/metrics/formulas.h"

static struct cup_value logs_read(T t)
{
    return cup_count(t->profile->logs_read);
}

static struct cup_value logs_damaged(T t)
{
    return cup_count(t->profile->logs_damaged);
}

static struct cup_value logs_unreadable(T t)
{
    return cup_count(t->profile->logs_unreadable);
}

static struct cup_value bytes_lost(T t)
{
    return cup_count(t->profile->skipped_bytes);
}

static struct cup_value records_unfinished(T t)
{
    return cup_count(t->profile->unfinished_records);
}

static struct cup_value records_orphaned(T t)
{
    return cup_count(t->profile->orphan_records);
}

static struct cup_value waits_excess_s(T t)
{
    return cup_of_ns(t->waits.excess_ns);
}

static struct cup_value noncpu_below_zero_s(T t)
{
    return cup_of_ns(t->waits.below_zero_ns);
}

static struct cup_value tasks_without_cpu(T t)
{
    return cup_count(t->all.without_cpu);
}

static struct cup_value tasks_unfinished(T t)
{
    return cup_count(t->all.unfinished);
}

static struct cup_value logs_not_closed(T t)
{
    uint64_t count = 0;
    for (size_t i = 0; i < t->profile->process_count; i++)
        count += t->profile->processes[i].header.log_stop_ns == 0;
    return cup_count(count);
}

/* Calls that were counted, so that their cost can be bounded. */
static struct cup_value counted_calls(T t)
{
    static const int calls[] = {CUP_C_READ_CALLS,   CUP_C_WRITE_CALLS, CUP_C_OPEN_CALLS,
                                CUP_C_IMPORT_CALLS, CUP_C_ALLOC_CALLS, CUP_C_FREE_CALLS};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        sum += t->counters[calls[i]] + t->without_task[calls[i]] + t->elsewhere[calls[i]];
    return cup_count(sum);
}

static struct cup_value anchor_s(T t)
{
    return cup_of_ns(t->profile->health[CUP_H_ANCHOR_NS]);
}

static struct cup_value mapping_s(T t)
{
    return cup_of_ns(t->profile->health[CUP_H_MAPPING_NS]);
}

static struct cup_value anchor_share(T t)
{
    return cup_ratio((double)t->profile->health[CUP_H_ANCHOR_NS], (double)t->all.wall_ns);
}

/* ---- the table -------------------------------------------------------------------------- */

#define WAITS CUP_FEATURE_WAITS
#define MAPPED CUP_FEATURE_MAPPED

/* clang-format off */
static const struct cup_metric metrics[] = {
    {"logs_read", "logs read", CUP_UNIT_COUNT, logs_read, "files of the profile directory", 0, NULL},
    {"logs_damaged", "of them, damaged", CUP_UNIT_COUNT, logs_damaged, "read as far as possible", 0, NULL},
    {"logs_unreadable", "logs that cannot be read", CUP_UNIT_COUNT, logs_unreadable, "told on standard error", 0, NULL},
    {"logs_not_closed", "logs not closed", CUP_UNIT_COUNT, logs_not_closed, "processes killed, crashed or still running", 0, NULL},
    {"bytes_lost", "bytes lost to damage", CUP_UNIT_BYTES, bytes_lost, "between sound records", 0, NULL},
    {"records_unfinished", "records never completed", CUP_UNIT_COUNT, records_unfinished, "their process died while it wrote", 0, NULL},
    {"records_orphaned", "records without their task", CUP_UNIT_COUNT, records_orphaned, "what they refer to is lost", 0, NULL},
    {"tasks_unfinished", "tasks unfinished", CUP_UNIT_COUNT, tasks_unfinished, "no end in the log: killed, crashed or still running", 0, NULL},
    {"tasks_without_cpu", "tasks without CPU time", CUP_UNIT_COUNT, tasks_without_cpu, "async tasks share the event loop's thread: their cpu_s is not known", 0, NULL},
    {"waits_excess_s", "waits beyond non-CPU time", CUP_UNIT_SECONDS, waits_excess_s, "P: measured waits beyond the non-CPU time of their task, cut off from its largest part: clocks have grains", WAITS, NULL},
    {"noncpu_below_zero_s", "CPU beyond wall time", CUP_UNIT_SECONDS, noncpu_below_zero_s, "P: CPU time beyond the wall time of its task: two clocks; counts as 0 s of non-CPU time", 0, NULL},
    {"counted_calls", "calls counted by hooks", CUP_UNIT_COUNT, counted_calls, "reads, writes, opens, allocations and frees", 0, NULL},
    {"measuring_s", "cost of begins and ends", CUP_UNIT_SECONDS, anchor_s, "P: anchor_ns of all processes", 0, NULL},
    {"measuring_share", "  share of task time", CUP_UNIT_SHARE, anchor_share, "P: measuring_s / total_task_time", 0, NULL},
    {"mapping_s", "cost of asking for pages", CUP_UNIT_SECONDS, mapping_s, "P: mapping_ns of all processes: which pages of mapped files are there", MAPPED, NULL},
};
/* clang-format on */

const struct cup_metric_section cup_health_metrics = {"health", metrics,
                                                      sizeof metrics / sizeof *metrics};
