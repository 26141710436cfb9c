/* Advice on what went wrong. */
#include "analysis/advice/advice_rules.h"

bool cup_rule_tasks_failed(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_task *first = NULL;
    for (size_t i = 0; i < t->profile->task_count && !first && t->all.erred; i++)
        if (t->profile->tasks[i].status == CUP_STATUS_ERRED)
            first = &t->profile->tasks[i];
    if (!first)
        return false;
    struct cup_text error = cup_profile_text(t->profile, first->error);
    return cup_advise(
        advice, 2,
        "%llu of %llu tasks failed (threshold: any)%s%.*s%s `cupping tasks` lists them all.",
        (big)t->all.erred, (big)t->all.tasks, error.length ? "; the first: " : "",
        (int)(error.length < 160 ? error.length : 160), error.bytes ? error.bytes : "",
        error.length > 160 ? " ..." : ".");
}

bool cup_rule_tasks_unfinished(const struct cup_totals *t, struct cup_advice *advice)
{
    if (t->all.unfinished == 0)
        return false;
    return cup_advise(advice, 1.5,
                      "%llu of %llu tasks never ended (threshold: any): their process was killed, "
                      "crashed or is still running. Find out what killed the worker: often it is "
                      "out of memory, or it reached a limit of the batch system.",
                      (big)t->all.unfinished, (big)t->all.tasks);
}

bool cup_rule_records_lost(const struct cup_totals *t, struct cup_advice *advice)
{
    uint64_t lost =
        t->profile->health[CUP_H_RECORDS_DROPPED] + t->profile->health[CUP_H_BLOCKS_DROPPED];
    if (lost == 0)
        return false;
    return cup_advise(
        advice, 1.2,
        "%llu records or events were lost (threshold: any), so sums in this report are too low: "
        "the disk was full, or a log reached its limit. Free the disk, or raise CUPPING_MAX_BYTES.",
        (big)lost);
}

bool cup_rule_unattributed(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = 1 - cup_metric_number(CUP_METRIC_SHARE_ATTRIBUTED, t);
    if (!(share > 0.01))
        return false;
    return cup_advise(
        advice, 0.5 + share,
        "%s, %.1f %% of the bytes read in workers, are unattributed (threshold 1 %%). `--only "
        "attribution` says which bytes, `--only health` which feature is off.",
        in_bytes(advice, share * cup_metric_number(CUP_METRIC_BYTES_TOTAL, t)), share * 100);
}
