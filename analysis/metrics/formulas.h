/* What the rows and the formulas of metrics_*.c share. A formula yields null where nothing is
 * known. */
#pragma once

#include "analysis/metrics/metrics.h"

#define CUP_CORES_FROM_LOGS                                                                        \
    "P: estimated from the logs: each worker, with its threads, from the opening of its log to "   \
    "the last tick of its event loop, within the run"

typedef const struct cup_totals *T;

static inline struct cup_value cup_ns_or_null(int64_t ns)
{
    return ns < 0 ? cup_null() : cup_seconds(ns);
}

static inline double cup_run_s(T t)
{
    int64_t ns = cup_stretch_ns(t->run);
    return ns < 0 ? 0 : (double)ns / 1e9;
}

static inline bool cup_ended_with_cpu(T t)
{
    return cup_sums_have_cpu(&t->all);
}

/* CPU time of the tasks' own threads and of their helper threads. */
static inline uint64_t cup_all_cpu_ns(T t)
{
    return t->all.cpu_ns + t->counters[CUP_C_HELPER_CPU_NS];
}

#define CUP_EVENTS_MISSING                                                                         \
    "no chunk succeeded, or the entry range of one that did is not known, so its events are not"

#define CUP_LOG_MISSING "a worker left no log that can be read here, or records of tasks were lost"

static inline bool cup_events_known(T t)
{
    return t->used_chunks && !t->chunks_without_events;
}

static inline double cup_chunks_s(T t)
{
    int64_t ns = cup_stretch_ns(t->chunks);
    return ns < 0 ? 0 : (double)ns / 1e9;
}

/* Threads of all workers, averaged over the run: by the logs. */
static inline double cup_estimated_cores(T t)
{
    int64_t ns = cup_stretch_ns(t->run);
    return ns > 0 ? (double)t->budget.threads_ns / (double)ns : (double)t->budget.threads;
}

/* Threads of all workers, averaged over the run, by samples; NAN without samples. */
static inline double cup_sampled_cores(T t)
{
    return cup_observed_threads(t->observed);
}

/* The logs say when each worker was there. Samples only say it to within their interval, which is
 * too coarse for a short run, or for a worker that comes or goes. False: some workers left no log,
 * or the user chose samples. */
static inline bool cup_logs_have_workers(T t)
{
    bool more_sampled = cup_timeline_max(&t->observed->count) > (double)t->all_workers;
    return t->workers && t->observed->origin && !t->observed->file && !more_sampled &&
           cup_workers_all_logged(t->observed);
}

/* Workers, averaged over the run. NAN: not known. */
static inline double cup_run_workers(T t)
{
    int64_t ns = cup_stretch_ns(t->run);
    double logged = ns > 0 ? t->workers_ns / (double)ns : (double)t->workers;
    return cup_logs_have_workers(t) ? logged : cup_timeline_average(&t->observed->count);
}

/* Threads of all workers, averaged over the run. Efficiencies use this. */
static inline double cup_run_cores(T t)
{
    double sampled = cup_logs_have_workers(t) ? (double)NAN : cup_sampled_cores(t);
    return isnan(sampled) ? cup_estimated_cores(t) : sampled;
}

/* Number of workers x their mean threads, which is how roastcoffea defines it; that is wrong if
 * workers of different sizes come and go. Without samples: by the logs. */
static inline double cup_total_cores(T t)
{
    double cores = cup_run_workers(t) * t->observed->cores;
    return isnan(cores) ? cup_run_cores(t) : cores;
}

/* Bytes attributed to tasks: from data files, servers, mapped files and other sockets. */
static inline uint64_t cup_attributed_bytes(T t)
{
    uint64_t sum = cup_otherwise_read(t->counters);
    for (int method = 0; method < CUP_METHOD_NONE; method++)
        sum += cup_method_bytes(t, method);
    return sum;
}

static inline uint64_t cup_all_bytes(T t)
{
    return cup_attributed_bytes(t) + cup_method_bytes(t, CUP_METHOD_NONE) +
           cup_otherwise_read(t->without_task);
}

/* Unattributed bytes are counted by process, so they belong to all runs and spans that it served.
 */
#define CUP_OF_ALL_RUNS                                                                            \
    "unattributed bytes belong to all runs of the processes: look at the profile without --run "   \
    "and --span"

/* False: the tasks were selected, and some bytes are unattributed. */
static inline bool cup_is_of_run(T t)
{
    return !t->profile->selective || cup_all_bytes(t) == cup_attributed_bytes(t);
}

/* A counter of the tasks plus that of worker processes outside of tasks; null if tasks were
 * selected and the latter has bytes. */
static inline struct cup_value cup_class_bytes(T t, int counter)
{
    return cup_value_if(!t->profile->selective || t->without_task[counter] == 0,
                        cup_count(t->counters[counter] + t->without_task[counter]));
}
