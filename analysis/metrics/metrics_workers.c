/* The workers: how many, how large, how busy. */
#include "analysis/metrics/formulas.h"

/* ---- how many --------------------------------------------------------------------------- */

static struct cup_value avg_workers(T t)
{
    return cup_real(cup_timeline_average(&t->observed.count));
}

/* Where they were not looked at together, how many there were is known over time only. */
static struct cup_value mean_workers(T t)
{
    bool apart = t->observed.origin == CUP_SAMPLES_WORKERS;
    return cup_real(apart ? cup_timeline_average(&t->observed.count)
                          : cup_timeline_mean(&t->observed.count));
}

static struct cup_value peak_workers(T t)
{
    return cup_whole(cup_timeline_max(&t->observed.count));
}

/* ---- how large -------------------------------------------------------------------------- */

static struct cup_value cores_per_worker(T t)
{
    return t->observed.origin ? cup_real(t->observed.cores) : cup_null();
}

static struct cup_value cores_per_worker_min(T t)
{
    return t->observed.origin ? cup_real(t->observed.cores_min) : cup_null();
}

static struct cup_value cores_per_worker_max(T t)
{
    return t->observed.origin ? cup_real(t->observed.cores_max) : cup_null();
}

static struct cup_value total_cores(T t)
{
    return t->observed.origin
               ? cup_real(cup_timeline_average(&t->observed.count) * t->observed.cores)
               : cup_null();
}

static struct cup_value avg_cores(T t)
{
    return t->workers || t->observed.origin ? cup_real(cup_run_cores(t)) : cup_null();
}

static struct cup_value avg_cores_estimate(T t)
{
    return t->workers ? cup_real(cup_estimated_cores(t)) : cup_null();
}

static struct cup_value avg_cores_estimate_ratio(T t)
{
    return t->workers ? cup_ratio(cup_estimated_cores(t), cup_sampled_cores(t)) : cup_null();
}

/* ---- memory ----------------------------------------------------------------------------- */

static struct cup_value peak_memory(T t)
{
    return cup_whole(cup_observed_highest(&t->observed, CUP_SEEN_MEMORY));
}

static struct cup_value avg_memory_per_worker(T t)
{
    return cup_whole(cup_observed_per_worker(&t->observed, CUP_SEEN_MEMORY));
}

static struct cup_value mean_memory_per_worker(T t)
{
    return cup_whole(cup_observed_plain_mean(&t->observed, CUP_SEEN_MEMORY));
}

static struct cup_value workers_without_memory_limit(T t)
{
    return t->observed.known ? cup_count(t->observed.without_limit) : cup_null();
}

/* ---- shares ----------------------------------------------------------------------------- */

#define PERCENT(name, which)                                                                       \
    static struct cup_value name(T t)                                                              \
    {                                                                                              \
        return cup_real(cup_timeline_mean(&t->observed.percents[which]));                          \
    }                                                                                              \
    static struct cup_value name##_min(T t)                                                        \
    {                                                                                              \
        return cup_real(cup_timeline_min(&t->observed.percents[which]));                           \
    }                                                                                              \
    static struct cup_value name##_max(T t)                                                        \
    {                                                                                              \
        return cup_real(cup_timeline_max(&t->observed.percents[which]));                           \
    }
PERCENT(memory_utilization, CUP_PCT_MEMORY)
PERCENT(cpu_utilization, CUP_PCT_PROCESSING)
PERCENT(executing_utilization, CUP_PCT_EXECUTING)
PERCENT(real_cpu_utilization, CUP_PCT_CPU)
#undef PERCENT

static struct cup_value real_cpu_utilization_process(T t)
{
    double cpu_s = 0, thread_s = 0;
    for (size_t i = 0; i < t->observed.worker_count; i++) {
        cpu_s += t->observed.workers[i].process_cpu_s;
        thread_s += t->observed.workers[i].process_thread_s;
    }
    return cup_ratio(100 * cpu_s, thread_s);
}

/* ---- what heartbeats tell --------------------------------------------------------------- */

/* A sum of bytes is a whole number, a mean of seconds is not. */
#define TOLD(name, seen, number)                                                                   \
    static struct cup_value name(T t)                                                              \
    {                                                                                              \
        return number(cup_timeline_average(&t->observed.totals[seen]));                            \
    }                                                                                              \
    static struct cup_value name##_peak(T t)                                                       \
    {                                                                                              \
        return number(cup_timeline_max(&t->observed.totals[seen]));                                \
    }                                                                                              \
    static struct cup_value name##_per_worker(T t)                                                 \
    {                                                                                              \
        return number(cup_observed_per_worker(&t->observed, seen));                                \
    }                                                                                              \
    static struct cup_value name##_per_worker_peak(T t)                                            \
    {                                                                                              \
        return number(cup_observed_highest(&t->observed, seen));                                   \
    }
TOLD(spilled, CUP_SEEN_SPILLED, cup_whole)
TOLD(managed, CUP_SEEN_MANAGED, cup_whole)
TOLD(unmanaged, CUP_SEEN_UNMANAGED, cup_whole)
TOLD(host_net_read, CUP_SEEN_NET_READ, cup_real)
TOLD(host_net_write, CUP_SEEN_NET_WRITE, cup_real)
TOLD(host_disk_read, CUP_SEEN_DISK_READ, cup_real)
TOLD(host_disk_write, CUP_SEEN_DISK_WRITE, cup_real)
TOLD(num_fds, CUP_SEEN_FDS, cup_real)
#undef TOLD

static struct cup_value event_loop_stall(T t)
{
    return cup_real(cup_observed_per_worker(&t->observed, CUP_SEEN_STALL));
}

static struct cup_value event_loop_stall_peak(T t)
{
    return cup_real(cup_observed_highest(&t->observed, CUP_SEEN_STALL));
}

static struct cup_value scheduler_stall(T t)
{
    return cup_real(cup_timeline_mean(&t->observed.stalls));
}

static struct cup_value scheduler_stall_peak(T t)
{
    return cup_real(cup_timeline_max(&t->observed.stalls));
}

/* ---- the samples themselves ------------------------------------------------------------- */

static struct cup_value num_samples(T t)
{
    return t->observed.origin ? cup_count(t->observed.samples) : cup_null();
}

static bool has_heartbeats(T t)
{
    return t->observed.origin == CUP_SAMPLES_SCHEDULER;
}

static struct cup_value num_heartbeats(T t)
{
    return has_heartbeats(t) ? cup_count(t->observed.heartbeats) : cup_null();
}

static struct cup_value num_repeated_heartbeats(T t)
{
    return has_heartbeats(t) ? cup_count(t->observed.repeats) : cup_null();
}

static struct cup_value sample_interval_asked(T t)
{
    return t->observed.origin ? cup_real(t->observed.asked_s) : cup_null();
}

static struct cup_value sample_interval(T t)
{
    return cup_ratio(t->observed.gaps_ns / 1e9, (double)t->observed.gaps);
}

static struct cup_value sample_longest_gap(T t)
{
    return t->observed.gaps ? cup_real(t->observed.longest_gap_ns / 1e9) : cup_null();
}

/* ---- the table -------------------------------------------------------------------------- */

#define APART "workers were not looked at together: what all had at one moment is not known"
#define ESTIMATE                                                                                   \
    "P: estimated from the thread counts of the workers, each for the time of the run that its "   \
    "log was open"
#define SPREAD(name, label, compute, source)                                                       \
    {name, label, CUP_UNIT_PERCENT, compute, source "; mean of all samples of all workers",        \
     0,    NULL},                                                                                  \
        {name "_min", NULL, CUP_UNIT_PERCENT, compute##_min, source "; the lowest", 0, NULL},      \
    {                                                                                              \
        name "_max", NULL, CUP_UNIT_PERCENT, compute##_max, source "; the highest", 0, NULL        \
    }
#define TOLD(name, label, unit, compute, source)                                                   \
    {name, label, unit, compute, source "; of all workers, average over time", 0, NULL},           \
        {name "_peak",                                                                             \
         NULL,                                                                                     \
         unit,                                                                                     \
         compute##_peak,                                                                           \
         source "; of all workers at one time, the "                                               \
                "highest",                                                                         \
         0,                                                                                        \
         APART},                                                                                   \
        {name "_per_worker",                                                                       \
         NULL,                                                                                     \
         unit,                                                                                     \
         compute##_per_worker,                                                                     \
         source "; average over time of "                                                          \
                "each worker, and mean of those",                                                  \
         0,                                                                                        \
         NULL},                                                                                    \
    {                                                                                              \
        name "_per_worker_peak", NULL, unit, compute##_per_worker_peak,                            \
            source "; the highest "                                                                \
                   "of any worker",                                                                \
            0, NULL                                                                                \
    }
#define ONCE "; of all workers: each host once"

/* clang-format off */
static const struct cup_metric metrics[] = {
    {"avg_workers", "workers, over time", CUP_UNIT_RATIO, avg_workers, "@; trapezoid over time, interpolated at the run's start and stop", 0, NULL},
    {"mean_workers", NULL, CUP_UNIT_RATIO, mean_workers, "@; mean of the samples", 0, NULL},
    {"peak_workers", "  at most", CUP_UNIT_COUNT, peak_workers, "@", 0, NULL},
    {"cores_per_worker", "threads a worker", CUP_UNIT_RATIO, cores_per_worker, "@; mean over workers", 0, NULL},
    {"cores_per_worker_min", NULL, CUP_UNIT_RATIO, cores_per_worker_min, "@; the smallest worker", 0, NULL},
    {"cores_per_worker_max", NULL, CUP_UNIT_RATIO, cores_per_worker_max, "@; the largest worker", 0, NULL},
    {"total_cores", "workers x threads a worker", CUP_UNIT_RATIO, total_cores, "@; avg_workers * cores_per_worker, as roastcoffea documents it; wrong where workers of different sizes come and go", 0, NULL},
    {"avg_cores", "threads of all, over time", CUP_UNIT_RATIO, avg_cores, "#; trapezoid over time of the sum of all workers' threads", 0, NULL},
    {"avg_cores_estimate", "  estimated from the logs", CUP_UNIT_RATIO, avg_cores_estimate, ESTIMATE, 0, NULL},
    {"avg_cores_estimate_ratio", NULL, CUP_UNIT_RATIO, avg_cores_estimate_ratio, "P and @; avg_cores_estimate / avg_cores", 0, NULL},
    {"peak_memory_bytes", "memory of a worker, at most", CUP_UNIT_BYTES, peak_memory, "@; the highest of any worker", 0, NULL},
    {"avg_memory_per_worker_bytes", "  over time", CUP_UNIT_BYTES, avg_memory_per_worker, "@; trapezoid over time of each worker, and mean of those", 0, NULL},
    {"mean_memory_per_worker_bytes", NULL, CUP_UNIT_BYTES, mean_memory_per_worker, "@; mean of all values, a heartbeat that several samples carry once", 0, NULL},
    SPREAD("memory_utilization_pct", "memory of its limit", memory_utilization, "@; memory / memory_limit, workers without a limit left out"),
    {"workers_without_memory_limit", NULL, CUP_UNIT_COUNT, workers_without_memory_limit, "@", 0, NULL},
    SPREAD("cpu_utilization_pct", "tasks assigned per thread", cpu_utilization, "@; tasks assigned to a worker, queued ones too, / its threads: can be more than 100"),
    SPREAD("executing_utilization_pct", "tasks that run per thread", executing_utilization, "@; tasks that run / threads"),
    SPREAD("real_cpu_utilization_pct", "CPU of worker processes", real_cpu_utilization, "@; CPU that the worker's process says it uses / threads"),
    {"real_cpu_utilization_process_pct", "  by their clocks", CUP_UNIT_PERCENT, real_cpu_utilization_process, "P: CPU clocks of the worker processes over threads x time, between their own samples within the run", 0, "no worker that is under cupping itself took two samples within the run"},
    TOLD("spilled_bytes", "spilled to disk", CUP_UNIT_BYTES, spilled, "@; by its size on disk"),
    TOLD("managed_bytes", "results in memory", CUP_UNIT_BYTES, managed, "@; Dask's estimate of results in memory, spilled ones left out"),
    TOLD("unmanaged_bytes", "memory besides", CUP_UNIT_BYTES, unmanaged, "@; memory less managed_bytes"),
    TOLD("host_net_read_bps", NULL, CUP_UNIT_RATIO, host_net_read, "@; received by the whole host, bytes/s" ONCE),
    TOLD("host_net_write_bps", NULL, CUP_UNIT_RATIO, host_net_write, "@; sent by the whole host, bytes/s" ONCE),
    TOLD("host_disk_read_bps", NULL, CUP_UNIT_RATIO, host_disk_read, "@; read from disks by the whole host, bytes/s" ONCE),
    TOLD("host_disk_write_bps", NULL, CUP_UNIT_RATIO, host_disk_write, "@; written to disks by the whole host, bytes/s" ONCE),
    {"event_loop_stall_s", "event loops held up", CUP_UNIT_SECONDS, event_loop_stall, "@; time between two ticks of a worker's event loop beyond what Dask sets them to: of workers under cupping the longest since the sample before, of others the mean that they tell; average over time, mean over workers", 0, NULL},
    {"event_loop_stall_s_peak", "  at most", CUP_UNIT_SECONDS, event_loop_stall_peak, "@; likewise, the highest of any worker", 0, NULL},
    {"scheduler_event_loop_stall_s", "scheduler's loop held up", CUP_UNIT_SECONDS, scheduler_stall, "@; longest time between two ticks of the scheduler's event loop since the sample before, beyond what Dask sets them to; mean of the samples", 0, NULL},
    {"scheduler_event_loop_stall_s_peak", "  at most", CUP_UNIT_SECONDS, scheduler_stall_peak, "@; likewise, the longest", 0, NULL},
    TOLD("num_fds", NULL, CUP_UNIT_RATIO, num_fds, "@; open descriptors of the worker's process"),
    {"num_samples", "samples", CUP_UNIT_COUNT, num_samples, "@; within the run", 0, NULL},
    {"num_heartbeats", "  different heartbeats", CUP_UNIT_COUNT, num_heartbeats, "@; different ones that the samples carry", 0, "only a scheduler's samples carry heartbeats"},
    {"num_repeated_heartbeats", NULL, CUP_UNIT_COUNT, num_repeated_heartbeats, "@; rows of samples that carry the heartbeat of the one before: their memory, CPU and so on are not counted again", 0, "only a scheduler's samples carry heartbeats"},
    {"sample_interval_asked_s", "  interval asked for", CUP_UNIT_SECONDS, sample_interval_asked, "P: CUPPING_INTERVAL; @", 0, NULL},
    {"sample_interval_s", "  interval reached", CUP_UNIT_SECONDS, sample_interval, "@; mean within the run", 0, "fewer than two samples within the run"},
    {"sample_longest_gap_s", "  longest gap", CUP_UNIT_SECONDS, sample_longest_gap, "@; within the run", 0, "fewer than two samples within the run"},
};
/* clang-format on */

const struct cup_metric_section cup_workers_metrics = {"workers", metrics,
                                                       sizeof metrics / sizeof *metrics};
