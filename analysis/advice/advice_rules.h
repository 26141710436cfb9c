/* The rules behind the advice, by what they are about, and what they share. */
#ifndef CUPPING_ANALYSIS_ADVICE_ADVICE_RULES_H
#define CUPPING_ANALYSIS_ADVICE_ADVICE_RULES_H

#include <stdio.h>

#include "analysis/advice/advice.h"
#include "analysis/base/units.h"
#include "analysis/metrics/metrics.h"

#define CUP_RULES(X)                                                                               \
    X(tasks_failed, false)                                                                         \
    X(tasks_unfinished, false)                                                                     \
    X(records_lost, false)                                                                         \
    X(unattributed, false)                                                                         \
    X(gil_bound, true)                                                                             \
    X(io_bound, true)                                                                              \
    X(network_bound, true)                                                                         \
    X(lock_bound, true)                                                                            \
    X(sleeping, true)                                                                              \
    X(no_core, true)                                                                               \
    X(page_faults, true)                                                                           \
    X(trim_churn, true)                                                                            \
    X(waits_unexplained, true)                                                                     \
    X(waits_not_told_apart, true)                                                                  \
    X(starved, true)                                                                               \
    X(between_tasks, true)                                                                         \
    X(memory_near_limit, false)                                                                    \
    X(spilling, false)                                                                             \
    X(workers_missing, false)                                                                      \
    X(loop_stalled, false)                                                                         \
    X(opening, false)                                                                              \
    X(slow_opens, false)                                                                           \
    X(opens_fail, false)                                                                           \
    X(chunk_size, false)                                                                           \
    X(memory_request, false)                                                                       \
    X(long_tail, false)                                                                            \
    X(events_lost, false)                                                                          \
    X(server_loses, false)                                                                         \
    X(slow_host, false)                                                                            \
    X(merge_bound, false)                                                                          \
    X(wasted, false)                                                                               \
    X(shared_baskets, false)                                                                       \
    X(chunks_cut_clusters, false)                                                                  \
    X(over_read, false)                                                                            \
    X(read_twice, false)                                                                           \
    X(heavy_branch, false)                                                                         \
    X(lzma, false)                                                                                 \
    X(incidental_baskets, false)                                                                   \
    X(poor_compression, false)                                                                     \
    X(tiny_baskets, false)                                                                         \
    X(few_branches, false)                                                                         \
    X(read_again, false)                                                                           \
    X(small_reads, false)                                                                          \
    X(cpu_bound, true)                                                                             \
    X(nothing_stands_out, true)

#define X(name, about_time)                                                                        \
    bool cup_rule_##name(const struct cup_totals *t, struct cup_advice *advice);
CUP_RULES(X)
#undef X

/* The rule chunk_size says that larger ones would suit. */
bool cup_chunks_too_small(const struct cup_totals *t);

/* The rule shared_baskets applies. */
bool cup_baskets_shared(const struct cup_totals *t);

/* A figure in humane units; the buffer is the caller's. */
static inline const char *humane(char *to, double number, enum cup_unit unit)
{
    return cup_print_human_readable(to, cup_real(number), unit);
}

#endif
