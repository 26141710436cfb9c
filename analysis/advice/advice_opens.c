/* Advice on how long it takes to open files, and on those that cannot be opened. */
#include "analysis/advice/advice_rules.h"

#include <stdlib.h>

#include "analysis/metrics/reads/open_ranks.h"

static double of_task_time(const struct cup_totals *t)
{
    bool timed = cup_profile_measured(t->profile, CUP_FEATURE_OPENS);
    return timed && t->all.wall_ns ? (double)t->counters[CUP_C_OPEN_NS] / (double)t->all.wall_ns
                                   : 0;
}

/* The server whose opens took the most time; NULL: there is none, or no memory. Connections are
 * left out, because the counter of the tasks does not have them. */
static const struct cup_open_sum *most_time(const struct cup_totals *t)
{
    size_t count;
    const struct cup_open_sum **sums = cup_opens_by_time(t->profile, &count), *most = NULL;
    for (size_t i = 0; sums && i < count && !most; i++)
        if (sums[i]->kind != CUP_OPEN_CONNECT && sums[i]->opened > 0)
            most = sums[i];
    free(sums);
    return most;
}

bool cup_rule_slow_opens(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_open_sum *most = of_task_time(t) > 0.10 ? most_time(t) : NULL;
    if (!most || most->opened < 10)
        return false;
    struct cup_text server = cup_profile_text(t->profile, most->server);
    double open_s = (double)t->counters[CUP_C_OPEN_NS] / 1e9;
    return cup_advise(
        advice, open_s / cup_metric_number(CUP_METRIC_THREADS_S, t),
        "Opening data files took %.0f %% of the task time (%s, added up over threads, threshold 10 "
        "%%), most of it at %.*s: %llu opens, median %s, 99 %% below %s. Use larger chunks, which "
        "open files less often, or a nearer server.",
        of_task_time(t) * 100, in_seconds(advice, open_s), (int)server.length,
        server.length ? server.bytes : "", (big)most->opened,
        in_seconds(advice, cup_open_quantile_ns(most, 0.5) / 1e9),
        in_seconds(advice, cup_open_quantile_ns(most, 0.99) / 1e9));
}

/* Share of failed opens, for servers only: programs often try local files that need not exist, but
 * a file on a server should exist. */
static double failed_share(const struct cup_open_sum *sum)
{
    bool remote = sum->kind != CUP_OPEN_LOCAL && sum->failed >= 5;
    return remote ? (double)sum->failed / (double)(sum->failed + sum->opened) : 0;
}

bool cup_rule_opens_fail(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_open_sum *worst = NULL;
    char error[64] = "";
    size_t count;
    const struct cup_open_sum **sums = cup_opens_by_time(t->profile, &count);
    for (size_t i = 0; sums && i < count; i++)
        if (failed_share(sums[i]) > 0.05 && (!worst || sums[i]->failed > worst->failed))
            worst = sums[i];
    free(sums);
    if (!worst)
        return false;
    struct cup_text server = cup_profile_text(t->profile, worst->server);
    cup_open_worst(worst, error, sizeof error);
    return cup_advise(advice, 0.3,
                      "%.0f %% of the %s %.*s failed (%llu, threshold 5 %%), mostly with: %s. The "
                      "failures took %s. Tell the site, or leave the server out.",
                      failed_share(worst) * 100,
                      worst->kind == CUP_OPEN_CONNECT ? "connections to" : "opens at",
                      (int)server.length, server.length ? server.bytes : "", (big)worst->failed,
                      error, in_seconds(advice, (double)worst->failed_ns / 1e9));
}
