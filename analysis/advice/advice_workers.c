/* Advice on the workers, by samples of them. */
#include "analysis/advice/advice_rules.h"

bool cup_rule_memory_near_limit(const struct cup_totals *t, struct cup_advice *advice)
{
    double percent = cup_metric_number(CUP_METRIC_MEMORY_UTILIZATION_PCT_MAX, t);
    double average = cup_metric_number(CUP_METRIC_MEMORY_UTILIZATION_PCT, t);
    if (!(percent > 80))
        return false;
    advice->weight = 0.9;
    snprintf(
        advice->text, sizeof advice->text,
        "The memory of a worker reached %.0f %% of its limit (threshold 80 %%, where Dask "
        "pauses it; at 95 %% it is killed), %.0f %% on average over all. Smaller chunks, fewer "
        "threads a worker, or a higher limit.",
        percent, average);
    return true;
}

bool cup_rule_spilling(const struct cup_totals *t, struct cup_advice *advice)
{
    double most = cup_metric_number(CUP_METRIC_SPILLED_BYTES_PER_WORKER_PEAK, t);
    double all = cup_metric_number(CUP_METRIC_SPILLED_BYTES_PEAK, t);
    char worker[CUP_HUMAN_READABLE_ROOM], sum[CUP_HUMAN_READABLE_ROOM];
    if (!(most > 0))
        return false;
    advice->weight = 0.3;
    snprintf(advice->text, sizeof advice->text,
             "Workers spilled results to disk (threshold: any): at most %s at one time, %s of one "
             "worker. Results that are merged earlier or are smaller, or more memory, avoid that.",
             humane(sum, all, CUP_UNIT_BYTES), humane(worker, most, CUP_UNIT_BYTES));
    return true;
}

/* Of the threads' time that there would have been. */
bool cup_rule_workers_missing(const struct cup_totals *t, struct cup_advice *advice)
{
    double average = cup_metric_number(CUP_METRIC_AVG_WORKERS, t);
    double most = cup_metric_number(CUP_METRIC_PEAK_WORKERS, t);
    double missing = 1 - average / most;
    if (!(missing > 0.3))
        return false;
    advice->weight = missing;
    snprintf(advice->text, sizeof advice->text,
             "On average %.1f workers were there, of %.0f at most: %.0f %% were missing (threshold "
             "30 %%). They came late, left early or were lost; waiting for them before the run, or "
             "a run that is long against their start, gives steadier figures.",
             average, most, missing * 100);
    return true;
}

bool cup_rule_loop_stalled(const struct cup_totals *t, struct cup_advice *advice)
{
    double worker = cup_metric_number(CUP_METRIC_EVENT_LOOP_STALL_S_PEAK, t);
    double scheduler = cup_metric_number(CUP_METRIC_SCHEDULER_EVENT_LOOP_STALL_S_PEAK, t);
    bool is_scheduler = !(worker > scheduler) && scheduler > 1;
    char longest[CUP_HUMAN_READABLE_ROOM];
    if (!(worker > 1) && !is_scheduler)
        return false;
    advice->weight = is_scheduler ? 0.25 : 0.1;
    snprintf(advice->text, sizeof advice->text,
             "The event loop of %s stood still for %s (threshold 1 s): nobody was answered and no "
             "task handed out meanwhile. %s",
             is_scheduler ? "the scheduler" : "a worker",
             humane(longest, is_scheduler ? scheduler : worker, CUP_UNIT_SECONDS),
             is_scheduler ? "Fewer and larger tasks, or a faster machine for it."
                          : "Code that holds the interpreter's lock for long does that.");
    return true;
}
