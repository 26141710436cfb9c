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
    advice->weight = 2;
    snprintf(advice->text, sizeof advice->text, "%llu of %llu tasks failed (threshold: any)%s%.*s.",
             (unsigned long long)t->all.erred, (unsigned long long)t->all.tasks,
             error.length ? "; the first: " : "", (int)(error.length < 160 ? error.length : 160),
             error.bytes ? error.bytes : "");
    return true;
}

bool cup_rule_tasks_unfinished(const struct cup_totals *t, struct cup_advice *advice)
{
    if (t->all.unfinished == 0)
        return false;
    advice->weight = 1.5;
    snprintf(
        advice->text, sizeof advice->text,
        "%llu of %llu tasks never ended (threshold: any): their process was killed, crashed or "
        "is still running. A worker that is killed is often out of memory.",
        (unsigned long long)t->all.unfinished, (unsigned long long)t->all.tasks);
    return true;
}

bool cup_rule_records_lost(const struct cup_totals *t, struct cup_advice *advice)
{
    uint64_t lost =
        t->profile->health[CUP_H_RECORDS_DROPPED] + t->profile->health[CUP_H_BLOCKS_DROPPED];
    if (lost == 0)
        return false;
    advice->weight = 1.2;
    snprintf(advice->text, sizeof advice->text,
             "%llu records or events were lost (threshold: any): disk full or limit reached. Sums "
             "in this report are too low.",
             (unsigned long long)lost);
    return true;
}

bool cup_rule_unattributed(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = 1 - cup_metric_number(CUP_METRIC_SHARE_ATTRIBUTED, t);
    char bytes[CUP_HUMAN_READABLE_ROOM];
    if (!(share > 0.01))
        return false;
    advice->weight = 0.5 + share;
    snprintf(advice->text, sizeof advice->text,
             "%s, %.1f %% of the bytes read in workers, found no task (threshold 1 %%): see "
             "attribution and health for which feature is off.",
             humane(bytes, share * cup_metric_number(CUP_METRIC_BYTES_TOTAL, t), CUP_UNIT_BYTES),
             share * 100);
    return true;
}
