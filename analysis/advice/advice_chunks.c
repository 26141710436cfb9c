/* Advice on chunks, and on how they read. */
#include "analysis/advice/advice_rules.h"

bool cup_rule_opening(const struct cup_totals *t, struct cup_advice *advice)
{
    double open = (double)t->open_ns / 1e9, all = (double)t->chunk_wall_ns / 1e9;
    if (!t->timed_chunks || !(open / all > 0.25) || cup_chunks_too_small(t))
        return false;
    return cup_advise(
        advice, open / cup_metric_number(CUP_METRIC_THREADS_S, t),
        "Chunks spent %.0f %% of their time before process() (%s, threshold 25 %%), opening files "
        "and importing modules. Use larger chunks, which open files less often.",
        open / all * 100, in_seconds(advice, open));
}

bool cup_rule_long_tail(const struct cup_totals *t, struct cup_advice *advice)
{
    double tail = (double)t->tail_ns / 1e9, all = (double)cup_stretch_ns(t->chunks) / 1e9;
    if (t->tail_ns < 0 || t->used_chunks < 20 || !(tail / all > 0.25))
        return false;
    return cup_advise(advice, tail / all * 0.5,
                      "The last 10 %% of the chunks took %.0f %% of the chunks' time (%s, "
                      "threshold 25 %%). Use smaller or more even chunks.",
                      tail / all * 100, in_seconds(advice, tail));
}

bool cup_rule_wasted(const struct cup_totals *t, struct cup_advice *advice)
{
    double waste = cup_metric_number(CUP_METRIC_WASTED_WALL_S, t),
           all = (double)(t->all.wall_ns + t->waste->killed.wall_ns) / 1e9;
    if (!(waste / all > 0.05))
        return false;
    return cup_advise(advice, waste / all,
                      "%.0f %% of the task time (%s, threshold 5 %%) went into results that were "
                      "not used; tasks: %llu failed, %llu computed again, %llu never ended. Find "
                      "out why they failed, or why their workers died.",
                      waste / all * 100, in_seconds(advice, waste), (big)t->waste->failed.tasks,
                      (big)t->waste->retried.tasks + t->waste->lost.tasks,
                      (big)t->waste->killed.tasks);
}

/* ---- reading ---------------------------------------------------------------------------- */

bool cup_rule_read_again(const struct cup_totals *t, struct cup_advice *advice)
{
    double times = (double)t->chunk_file_bytes / (double)t->chunk_file_size;
    if (!t->chunk_file_size || !(times > 1.5) || cup_baskets_shared(t))
        return false;
    return cup_advise(
        advice, 0.2,
        "Chunks read %s from .root files of %s: %.1f times their size (threshold 1.5). Each chunk "
        "reads the file's headers and the baskets at its own edges again: use larger chunks.",
        in_bytes(advice, (double)t->chunk_file_bytes), in_bytes(advice, (double)t->chunk_file_size),
        times);
}

bool cup_rule_small_reads(const struct cup_totals *t, struct cup_advice *advice)
{
    double bytes = cup_metric_number(CUP_METRIC_BYTES_ATTRIBUTED, t);
    double calls = (double)t->counters[CUP_C_READ_CALLS], time = (double)t->counters[CUP_C_READ_NS];
    double share = time / (double)t->all.wall_ns;
    if (calls < 1000 || !(bytes / calls < 16384) || !(share > 0.05))
        return false;
    return cup_advise(
        advice, share,
        "Reads are small: %s on average (threshold 16.4 kB) in %.0f calls, which took %s, %.0f %% "
        "of the task time (threshold 5 %%). Use larger baskets, or a client that merges requests.",
        in_bytes(advice, bytes / calls), calls, in_seconds(advice, time / 1e9), share * 100);
}
