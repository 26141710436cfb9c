/* Advice on the workers, by samples of them. */
#include "analysis/advice/advice_rules.h"

#include <math.h>

/* Before all other failures, because every figure lacks these workers. */
bool cup_rule_workers_not_profiled(const struct cup_totals *t, struct cup_advice *advice)
{
    struct cup_text first;
    uint64_t workers = cup_workers_without_log(t->observed, &first);
    return workers > 0 &&
           cup_advise(advice, 3,
                      "Dask's scheduler had %s; %llu of them left no log here (threshold: any), "
                      "such as %.*s, so the report has nothing of what %s did. \nStart all workers "
                      "under cupping-run with this profile directory; `cupping doctor` checks a "
                      "machine.",
                      CUP_SHOW_COUNTED(t->observed->known, "worker"), (big)workers,
                      (int)(first.length < 80 ? first.length : 80), first.bytes,
                      workers == 1 ? "it" : "they");
}

bool cup_rule_memory_near_limit(const struct cup_totals *t, struct cup_advice *advice)
{
    double percent = cup_metric_number(CUP_METRIC_peak_memory_pct, t);
    double average = cup_metric_number(CUP_METRIC_memory_utilization_pct, t);
    char over_time[CUP_LINE_ROOM] = "";
    if (!isnan(average))
        cup_format(over_time, "; on average over all workers it was %.0f %%", average);
    return percent > 80 &&
           cup_advise(
               advice, 0.9,
               "The memory of a worker reached %.0f %% of its limit (threshold 80 %%: there Dask "
               "pauses a worker; at 95 %% its nanny kills it)%s. \nUse smaller chunks, fewer "
               "threads per worker, or a higher limit.",
               percent, over_time);
}

/* Adds after how many chunks of one process the limit is reached, if both are known. */
static void advise_limit(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_memory_growth *growth = &t->fits->growth;
    double limit = t->fits->memory.limit_bytes, parts = CUP_GROWTH_PARTS;
    double chunks = (limit - growth->first_bytes) / growth->chunk_bytes +
                    (double)growth->chunks / parts / 2 - 0.5; /* before the middle of part 1 */
    if (chunks > 0)
        cup_advise_more(advice,
                        " At this rate, a process reaches the limit of %s after some %s chunks.",
                        CUP_SHOW_BYTES(limit), CUP_SHOW_COUNT(cup_two_digits(chunks)));
}

/* Mean size of the results of used chunks; NAN: not known. */
static double mean_result(const struct cup_totals *t)
{
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < t->profile->item_count; i++) {
        double bytes = t->outcomes[i] == CUP_OUTCOME_USED ? cup_chunk_number(t, i, CUP_STAT_RESULT)
                                                          : (double)NAN;
        sum += isnan(bytes) ? 0 : bytes;
        count += !isnan(bytes);
    }
    return sum / count;
}

bool cup_rule_memory_grows(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_memory_growth *growth = &t->fits->growth;
    if (!growth->grows)
        return false;
    double result = mean_result(t);
    cup_advise(advice, 0.85,
               "The memory of %s grew by %s with each chunk and did not fall again: from %s to %s "
               "before a chunk (medians of the first and the last eighth of %s%zu chunks; "
               "threshold: 20 %% more, and more in each eighth).",
               growth->processes == 1 ? "a worker" : "the workers",
               CUP_SHOW_BYTES(growth->chunk_bytes), CUP_SHOW_BYTES(growth->first_bytes),
               CUP_SHOW_BYTES(growth->last_bytes), growth->processes == 1 ? "" : "on average ",
               growth->chunks);
    advise_limit(t, advice);
    if (result > 0.5 * growth->chunk_bytes && !cup_profile_is_without_dask(t->profile))
        return cup_advise_more(advice,
                               " The result of a chunk has %s, and a worker keeps it until it is "
                               "merged. \nMake results smaller, or merge them earlier.",
                               CUP_SHOW_BYTES(result));
    return cup_advise_more(advice,
                           " \nLook for what the processor keeps from one chunk to the next, such "
                           "as lists and caches of a module%s.",
                           cup_profile_is_without_dask(t->profile)
                               ? ", and at the results, which the executor adds up in the process"
                               : "");
}

bool cup_rule_spilling(const struct cup_totals *t, struct cup_advice *advice)
{
    double most = cup_metric_number(CUP_METRIC_spilled_bytes_per_worker_peak, t);
    double all = cup_metric_number(CUP_METRIC_spilled_bytes_peak, t);
    return most > 0 && cup_advise(advice, 0.3,
                                  "Workers spilled results to disk (threshold: any): at most %s at "
                                  "one time, and at most %s on one worker. \nMake results smaller, "
                                  "merge them earlier, or use more memory.",
                                  CUP_SHOW_BYTES(all), CUP_SHOW_BYTES(most));
}

/* The weight is the share of the threads' time that was missing, compared with a run in which all
 * workers were there. Without a sample inside the run the average is only interpolated. */
bool cup_rule_workers_missing(const struct cup_totals *t, struct cup_advice *advice)
{
    double average = cup_metric_number(CUP_METRIC_avg_workers, t);
    double most = cup_metric_number(CUP_METRIC_peak_workers, t);
    double missing = 1 - average / most;
    return t->all.tasks > 0 && missing > 0.3 && t->observed->samples > 0 &&
           cup_advise(advice, cup_saves(t, advice, missing * (double)t->budget.threads_ns / 1e9),
                      "On average %.1f workers were there, of %.0f at most: %.0f %% were missing "
                      "(threshold 30 %%). They came late, left early or were lost. \nWait for the "
                      "workers before the run; `--only processes` shows those that died.",
                      average, most, missing * 100);
}

bool cup_rule_loop_stalled(const struct cup_totals *t, struct cup_advice *advice)
{
    double worker = cup_metric_number(CUP_METRIC_event_loop_stall_s_peak, t);
    double scheduler = cup_metric_number(CUP_METRIC_scheduler_event_loop_stall_s_peak, t);
    bool is_scheduler = !(worker > scheduler) && scheduler > 1;
    if (!(worker > 1) && !is_scheduler)
        return false;
    return cup_advise(
        advice, is_scheduler ? 0.25 : 0.1,
        "The event loop of %s was blocked for %s (threshold 1 s): it answered no messages. %s",
        is_scheduler ? "the scheduler" : "a worker", CUP_SHOW_S(is_scheduler ? scheduler : worker),
        is_scheduler ? "\nUse fewer and larger tasks, or a faster machine for the scheduler."
                     : "\nLook for code that holds the GIL for long.");
}
