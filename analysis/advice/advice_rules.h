/* The rules behind the advice, and what they share. To add one, add a row and its function. */
#pragma once

#include <stdio.h>

#include "analysis/advice/advice.h"
#include "analysis/metrics/functions/call_tree.h"
#include "analysis/metrics/metrics.h"

typedef unsigned long long big; /* for %llu */

/* One row for each rule: its name, which docs/advice.md has too; whether it says what a part of the
 * time budget means; and where a page shows its evidence: a plot, and the heading of a table (NULL:
 * none). NEEDS: the features that its figures rest on; without them it does not judge. The last two
 * rules are tried only if no other one applies. */
/* Which baskets were requested: by their place in what was read, they are an upper bound. */
#define REQUESTS (CUP_FEATURE_BASKETS | CUP_FEATURE_REQUESTED)
#define CUP_RULES(X)                                                                               \
    X(tasks_failed, false, "wasted-work", "Tasks that failed or never ended", 0)                   \
    X(tasks_unfinished, false, "worker-count", "Tasks that failed or never ended", 0)              \
    X(workers_not_profiled, false, "worker-count", "Workers", 0)                                   \
    X(records_lost, false, NULL, "Health", 0)                                                      \
    X(unattributed, false, "task-bytes", "Attribution", 0)                                         \
    X(gil_bound, true, "gil-pressure", "Waits", CUP_FEATURE_WAITS | CUP_FEATURE_GIL)               \
    X(io_bound, true, "data-rate", "Waits", CUP_FEATURE_WAITS)                                     \
    X(network_bound, true, "servers", "Waits", CUP_FEATURE_WAITS)                                  \
    X(lock_bound, true, "task-cpu", "Waits", CUP_FEATURE_WAITS)                                    \
    X(sleeping, true, "task-cpu", "Waits", CUP_FEATURE_WAITS)                                      \
    X(no_core, true, "task-cpu", "Waits", CUP_FEATURE_WAITS | CUP_FEATURE_RUN_DELAY)               \
    X(page_faults, true, "memory-utilization", "Waits", CUP_FEATURE_WAITS)                         \
    X(trim_churn, true, "task-cpu", "Waits", CUP_FEATURE_WAITS)                                    \
    X(waits_unexplained, true, "task-cpu", "Waits", CUP_FEATURE_WAITS)                             \
    X(waits_not_told_apart, true, "task-cpu", "Health", 0)                                         \
    X(starved, true, "task-stream", "Time budget", 0)                                              \
    X(between_tasks, true, "task-overhead", "Time budget", 0)                                      \
    X(memory_near_limit, false, "memory-utilization", "Workers", 0)                                \
    X(memory_grows, false, "heap-rss", "Chunks", 0)                                                \
    X(spilling, false, "memory-utilization", "Workers", 0)                                         \
    X(workers_missing, false, "worker-count", "Processes", 0)                                      \
    X(loop_stalled, false, "gil-pressure", "Workers", 0)                                           \
    X(opening, false, "chunk-runtime", "Chunks", CUP_FEATURE_CHUNKS)                               \
    X(slow_opens, false, "open-latency", "Opening files", CUP_FEATURE_OPENS)                       \
    X(opens_fail, false, "open-latency", "Opening files", CUP_FEATURE_OPENS)                       \
    X(chunk_size, false, "runtime-events", "Chunks", 0)                                            \
    X(memory_request, false, "peak-memory-events", "Chunks", 0)                                    \
    X(long_tail, false, "progress", "Tail", 0)                                                     \
    X(slow_server, false, "server-latency", "Servers", 0)                                          \
    X(failing_server, false, "servers", "Servers", 0)                                              \
    X(redirect_storm, false, "open-latency", "Opening files", CUP_FEATURE_OPENS)                   \
    X(cache_misses, false, "server-quantiles", "Servers", 0)                                       \
    X(few_connections, false, "server-quantiles", "Servers", 0)                                    \
    X(events_lost, false, "wasted-work", "Losses", 0)                                              \
    X(server_loses, false, "servers", "Losses", 0)                                                 \
    X(slow_host, false, "hosts", "Hosts", 0)                                                       \
    X(merge_bound, false, "progress", "Merging", 0)                                                \
    X(wasted, false, "wasted-work", "Efficiency", 0)                                               \
    X(shared_baskets, false, "bytes-per-chunk", "Branches", REQUESTS)                              \
    X(chunks_cut_clusters, false, "bytes-per-chunk", "Files", REQUESTS)                            \
    X(over_read, false, "bytes-per-chunk", "Branches", REQUESTS)                                   \
    X(read_twice, false, "bytes-per-chunk", "Branches", REQUESTS)                                  \
    X(heavy_branch, false, "compression-ratio", "Branches", REQUESTS)                              \
    X(lzma, false, "compression-ratio-files", "Branches", REQUESTS)                                \
    X(incidental_baskets, false, "bytes-per-chunk", "Branches", REQUESTS)                          \
    X(poor_compression, false, "compression-ratio", "Branches", REQUESTS)                          \
    X(tiny_baskets, false, "access-sizes", "Branches", REQUESTS)                                   \
    X(few_branches, false, "share-read", "Files", REQUESTS)                                        \
    X(read_again, false, "share-read", "Files", 0)                                                 \
    X(small_reads, false, "access-sizes", "Files", 0)                                              \
    X(cpu_bound, true, "time-budget", "Tasks by prefix", 0)                                        \
    X(nothing_stands_out, true, "time-budget", NULL, 0)

#define X(name, about_time, plot, table, needs)                                                    \
    bool cup_rule_##name(const struct cup_totals *t, struct cup_advice *advice);
CUP_RULES(X)
#undef X

/* Fills in the advice, or adds to its text. Both return true, so that a rule can end with them.
 * What to do begins after a "\n", which is removed. */
__attribute__((format(printf, 3, 4))) bool cup_advise(struct cup_advice *advice, double weight,
                                                      const char *format, ...);
__attribute__((format(printf, 2, 3))) bool cup_advise_more(struct cup_advice *advice,
                                                           const char *format, ...);

/* Adds " Most of that, 5.99 s, was at processor.py:28." if the stacks are known, and one line of
 * the user's code has more than half of the NS that tasks spent on a wait. */
void cup_advise_line(const struct cup_totals *t, struct cup_advice *advice, enum cup_weight wait,
                     uint64_t ns);

/* Its first MOST bytes, as a string that lasts until the end of the block. */
#define CUP_SHOW_TEXT(text, most) cup_copy_text((char[CUP_LINE_ROOM]){""}, text, most)
char *cup_copy_text(char *to, struct cup_text text, size_t most);

/* These seconds as a share of the threads' time. */
static inline double cup_share_of_threads(const struct cup_totals *t, double seconds)
{
    return seconds * 1e9 / (double)(t->budget.threads_ns ? t->budget.threads_ns : 1);
}

/* Bytes that calls on files delivered to tasks: without sockets and mapped files. */
static inline double cup_file_read_bytes(const struct cup_totals *t)
{
    double sum = -(double)t->counters[CUP_C_SERVER_READ_BYTES];
    for (int method = 0; method < CUP_METHOD_NONE; method++)
        sum += (double)cup_method_bytes(t, method);
    return sum;
}

/* Notes how many seconds of the threads' time the advice may save, at most all of it (several
 * requests or waits at a time may add up to more). Returns their weight, at most 1. */
static inline double cup_saves(const struct cup_totals *t, struct cup_advice *advice,
                               double seconds)
{
    double all_s = (double)t->budget.threads_ns / 1e9;
    advice->saves_s = all_s > 0 && seconds > all_s ? all_s : seconds;
    return fmin(1, cup_share_of_threads(t, seconds));
}

/* Mean events of a used chunk; NAN: not known. */
static inline double cup_mean_chunk_events(const struct cup_totals *t)
{
    uint64_t known = t->used_chunks - t->chunks_without_events;
    return known ? (double)t->events / (double)known : (double)NAN;
}

/* Notes how many bytes the advice may save. Returns WEIGHT, its place in the order. */
static inline double cup_saves_bytes(struct cup_advice *advice, double weight, double bytes)
{
    advice->saves_bytes = bytes;
    return weight;
}

/* The same if WEIGHT is an estimate of the time of these bytes, as a share of the threads' time. */
static inline double cup_saves_bytes_and_time(const struct cup_totals *t, struct cup_advice *advice,
                                              double weight, double bytes)
{
    advice->estimate_s = weight * (double)t->budget.threads_ns / 1e9;
    return cup_saves_bytes(advice, weight, bytes);
}
