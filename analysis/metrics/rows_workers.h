/* The metrics of the section "workers", one row each; metrics.h says what is in a row. */

/* The mean, the lowest and the highest of all samples of all workers. */
#define PERCENT_METRICS(name, label, percent, source)                                              \
    METRIC(name, label, PERCENT, cup_real(cup_timeline_mean(&t->observed->percents[percent])),     \
           source "; mean of all samples of all workers")                                          \
    METRIC(name##_min, NULL, PERCENT, cup_real(cup_timeline_min(&t->observed->percents[percent])), \
           source "; the lowest")                                                                  \
    METRIC(name##_max, NULL, PERCENT, cup_real(cup_timeline_max(&t->observed->percents[percent])), \
           source "; the highest")
/* What each worker reports: the sum over the workers and one worker, on average and at most.
 * number: cup_whole() for bytes, which have no parts; else cup_real(). */
#define HEARTBEAT_METRICS(name, label, unit, seen, number, source, preferred)                      \
    METRIC(name, label, unit, number(cup_timeline_average(&t->observed->totals[seen])),            \
           source "; of all workers, average over time", .direction = {.better = preferred})       \
    METRIC(name##_peak, NULL, unit, number(cup_timeline_max(&t->observed->totals[seen])),          \
           source "; of all workers at one time, the highest", .missing = APART)                   \
    METRIC(name##_per_worker, NULL, unit, number(cup_observed_per_worker(t->observed, seen)),      \
           source "; average over time of each worker, and mean of those")                         \
    METRIC(name##_per_worker_peak, NULL, unit, number(cup_observed_highest(t->observed, seen)),    \
           source "; the highest of any worker")

METRIC(avg_workers, "workers, on average", RATIO,
       cup_value_if(t->observed->origin, cup_real(cup_run_workers(t))),
       "#; from samples: trapezoid over time, interpolated at the run's start and stop")
METRIC(mean_workers, NULL, RATIO, mean_workers(t), "@; mean of the samples")
METRIC(peak_workers, "  at most", COUNT, peak_workers(t), "#")
METRIC(logged_workers, NULL, COUNT, cup_value_if(t->workers, cup_count(t->workers)),
       "P: workers that left a log: the most at one time of the run",
       .missing = "no worker left a log")
METRIC(cores_per_worker, "threads a worker", RATIO,
       cup_value_if(t->observed->origin, cup_real(t->observed->cores)), "@; mean over workers")
METRIC(cores_per_worker_min, NULL, RATIO,
       cup_value_if(t->observed->origin, cup_real(t->observed->cores_min)),
       "@; the smallest worker")
METRIC(cores_per_worker_max, NULL, RATIO,
       cup_value_if(t->observed->origin, cup_real(t->observed->cores_max)), "@; the largest worker")
METRIC(total_cores, "workers x threads a worker", RATIO,
       cup_value_if(t->observed->origin, cup_real(cup_run_workers(t) * t->observed->cores)),
       "#; avg_workers * cores_per_worker, as roastcoffea documents it; wrong where workers of "
       "different sizes come and go")
METRIC(avg_cores, "threads of all, on average", RATIO,
       cup_value_if(t->workers || t->observed->origin, cup_real(cup_run_cores(t))),
       "#; from samples: trapezoid over time of the sum of all workers' threads")
METRIC(avg_cores_estimate, "  estimated from the logs", RATIO,
       cup_value_if(t->workers, cup_real(cup_estimated_cores(t))), CUP_CORES_FROM_LOGS)
METRIC(avg_cores_estimate_ratio, NULL, RATIO,
       cup_value_if(t->workers, cup_ratio(cup_estimated_cores(t), cup_sampled_cores(t))),
       "P and @; avg_cores_estimate / the same by samples")
METRIC(peak_memory_bytes, "memory of a worker, at most", BYTES,
       cup_whole(cup_observed_highest(t->observed, CUP_SEEN_MEMORY)),
       "@; the highest of any worker", LESS_IS_BETTER)
METRIC(peak_task_rss_bytes, "  at begins and ends of tasks", BYTES,
       cup_value_if(t->task_rss_bytes, cup_count(t->task_rss_bytes)),
       "P: the largest memory (RSS) of a worker's process when one of its tasks began or ended",
       LESS_IS_BETTER)
METRIC(peak_memory_pct, "  at most, share of its limit", PERCENT, peak_memory_percent(t),
       "P and @; the larger of memory_utilization_pct_max and of a worker's memory (RSS) when one "
       "of its tasks began or ended, in percent of its limit")
METRIC(avg_memory_per_worker_bytes, "  on average", BYTES,
       cup_whole(cup_observed_per_worker(t->observed, CUP_SEEN_MEMORY)),
       "@; trapezoid over time of each worker, and mean of those")
METRIC(mean_memory_per_worker_bytes, NULL, BYTES,
       cup_whole(cup_observed_plain_mean(t->observed, CUP_SEEN_MEMORY)),
       "@; mean of all values; a heartbeat that several samples carry counts once")
PERCENT_METRICS(memory_utilization_pct, "memory, mean share of its limit", CUP_PCT_MEMORY,
                "@; memory / memory_limit, without workers that have no limit")
METRIC(workers_without_memory_limit, NULL, COUNT,
       cup_value_if(t->observed->known, cup_count(t->observed->without_limit)), "@")
PERCENT_METRICS(
    cpu_utilization_pct, "tasks assigned per thread", CUP_PCT_PROCESSING,
    "@; tasks assigned to a worker, queued ones included, / its threads: can be more than 100")
METRIC(executing_utilization_pct, "tasks that run per thread", PERCENT, executing_percent(t),
       "P: share of the threads' time in which they held a task, by the times of the tasks (100 % "
       "less dask_between_tasks and idle of time_budget); where a worker left no log: tasks that "
       "run / threads, mean of all samples of all workers")
METRIC(executing_utilization_pct_min, NULL, PERCENT,
       cup_real(cup_timeline_min(&t->observed->percents[CUP_PCT_EXECUTING])),
       "@; tasks that run / threads; the lowest of all samples of all workers")
METRIC(executing_utilization_pct_max, NULL, PERCENT,
       cup_real(cup_timeline_max(&t->observed->percents[CUP_PCT_EXECUTING])),
       "@; tasks that run / threads; the highest")
PERCENT_METRICS(real_cpu_utilization_pct, "CPU of worker processes", CUP_PCT_CPU,
                "@; CPU use that the worker's process reports / threads")
METRIC(real_cpu_utilization_process_pct, "  by their clocks", PERCENT,
       real_cpu_utilization_process(t),
       "P: CPU clocks of the worker processes over threads x time, between their own samples "
       "within the run",
       .missing = "no worker under cupping took two samples of itself within the run")
HEARTBEAT_METRICS(spilled_bytes, "spilled to disk", BYTES, CUP_SEEN_SPILLED, cup_whole,
                  "@; by its size on disk", CUP_BETTER_LOWER)
HEARTBEAT_METRICS(managed_bytes, "results in memory", BYTES, CUP_SEEN_MANAGED, cup_whole,
                  "@; Dask's estimate of results in memory, without spilled ones",
                  CUP_BETTER_UNKNOWN)
HEARTBEAT_METRICS(unmanaged_bytes, "other memory", BYTES, CUP_SEEN_UNMANAGED, cup_whole,
                  "@; memory less managed_bytes", CUP_BETTER_UNKNOWN)
HEARTBEAT_METRICS(host_net_read_bps, NULL, RATIO, CUP_SEEN_NET_READ, cup_real,
                  "@; received by the whole host, bytes/s" ONCE, CUP_BETTER_UNKNOWN)
HEARTBEAT_METRICS(host_net_write_bps, NULL, RATIO, CUP_SEEN_NET_WRITE, cup_real,
                  "@; sent by the whole host, bytes/s" ONCE, CUP_BETTER_UNKNOWN)
HEARTBEAT_METRICS(host_disk_read_bps, NULL, RATIO, CUP_SEEN_DISK_READ, cup_real,
                  "@; read from disks by the whole host, bytes/s" ONCE, CUP_BETTER_UNKNOWN)
HEARTBEAT_METRICS(host_disk_write_bps, NULL, RATIO, CUP_SEEN_DISK_WRITE, cup_real,
                  "@; written to disks by the whole host, bytes/s" ONCE, CUP_BETTER_UNKNOWN)
METRIC(event_loop_stall_s, "delay of event loops", SECONDS,
       cup_real(cup_observed_per_worker(t->observed, CUP_SEEN_STALL)),
       "@; delay of the worker's event loop: time between two of its ticks, beyond the interval "
       "that Dask sets; of workers under cupping the longest since the previous sample, of others "
       "the mean that they report; average over time, mean over workers",
       LESS_FOR_SAME_WORK)
METRIC(event_loop_stall_s_peak, "  at most", SECONDS,
       cup_real(cup_observed_highest(t->observed, CUP_SEEN_STALL)),
       "@; the longest such delay of any worker")
METRIC(scheduler_event_loop_stall_s, "delay of the scheduler's loop", SECONDS,
       cup_real(cup_timeline_mean(&t->observed->stalls)),
       "@; delay of the scheduler's event loop: longest time between two of its ticks since the "
       "previous sample, beyond the interval that Dask sets; mean of the samples")
METRIC(scheduler_event_loop_stall_s_peak, "  at most", SECONDS,
       cup_real(cup_timeline_max(&t->observed->stalls)), "@; the longest such delay")
HEARTBEAT_METRICS(num_fds, NULL, RATIO, CUP_SEEN_FDS, cup_real,
                  "@; open descriptors of the worker's process", CUP_BETTER_UNKNOWN)
METRIC(num_samples, "samples", COUNT,
       cup_value_if(t->observed->origin, cup_count(t->observed->samples)), "@; within the run")
METRIC(num_heartbeats, "  different heartbeats", COUNT,
       cup_value_if(t->observed->origin == CUP_SAMPLES_SCHEDULER,
                    cup_count(t->observed->heartbeats)),
       "@; different heartbeats that the samples carry",
       .missing = "only a scheduler's samples carry heartbeats")
METRIC(num_repeated_heartbeats, NULL, COUNT,
       cup_value_if(t->observed->origin == CUP_SAMPLES_SCHEDULER, cup_count(t->observed->repeats)),
       "@; rows of samples that repeat the previous heartbeat: their memory, CPU and so on are not "
       "counted again",
       .missing = "only a scheduler's samples carry heartbeats")
METRIC(sample_interval_asked_s, "  interval requested", SECONDS,
       cup_value_if(t->observed->origin, cup_real(t->observed->asked_s)), "P: CUPPING_INTERVAL; @")
METRIC(sample_interval_s, "  interval reached", SECONDS,
       cup_ratio(t->observed->gaps_ns / 1e9, (double)t->observed->gaps), "@; mean within the run",
       .missing = "fewer than two samples within the run")
METRIC(sample_longest_gap_s, "  longest gap", SECONDS,
       cup_value_if(t->observed->gaps, cup_real(t->observed->longest_gap_ns / 1e9)),
       "@; within the run", .missing = "fewer than two samples within the run")

#undef PERCENT_METRICS
#undef HEARTBEAT_METRICS
