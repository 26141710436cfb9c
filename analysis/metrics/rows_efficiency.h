/* The metrics of the section "efficiency", one row each; metrics.h says what is in a row. */

METRIC(thread_cpu_efficiency, "CPU share of all threads", SHARE,
       thread_cpu_share(t, cup_run_cores(t)),
       "P: total_thread_cpu_time / (wall_time * avg_cores); helper threads count only in the "
       "first; threads: #",
       MORE_IS_BETTER, .missing = NO_CPU_SHARE)
METRIC(thread_cpu_efficiency_total_cores, NULL, SHARE, thread_cpu_share(t, cup_total_cores(t)),
       "P: total_thread_cpu_time / (wall_time * total_cores); threads: #", .missing = NO_CPU_SHARE)
METRIC(
    core_efficiency, "slots busy in process()", SHARE, busy_share(t, cup_total_cores(t)),
    "C: total_cpu_time / (wall_time * total_cores); waiting for storage counts as busy; threads: #",
    .missing = NO_BUSY_SHARE)
METRIC(core_efficiency_avg_cores, NULL, SHARE, busy_share(t, cup_run_cores(t)),
       "C: total_cpu_time / (wall_time * avg_cores); threads: #", .missing = NO_BUSY_SHARE)
METRIC(cpu_efficiency, NULL, SHARE, busy_share(t, cup_total_cores(t)),
       "the same number as core_efficiency", .missing = NO_BUSY_SHARE)
METRIC(speedup_factor, "speed-up factor", RATIO, busy_share(t, 1), "C: total_cpu_time / wall_time",
       .missing = NO_BUSY_SHARE)
METRIC(efficiency_ratio, NULL, RATIO, busy_share(t, 1), "C: the same number as speedup_factor",
       .missing = NO_BUSY_SHARE)
METRIC(io_overhead_pct, NULL, PERCENT,
       cup_ratio(cup_metric_number(CUP_METRIC_processor_noncpu_time_seconds, t) * 100,
                 cup_run_s(t)),
       "P: processor_noncpu_time_seconds / wall_time")
METRIC(io_wait_pct, "I/O wait", PERCENT,
       cup_ratio(100 * (double)t->waits.ns[CUP_WAITED_IO],
                 (double)cup_wait_sums_wall_ns(&t->waits)),
       "P: io_wait_s of all tasks / their time, where waits were measured",
       .needs = CUP_FEATURE_WAITS, LESS_IS_BETTER)
METRIC(wasted_wall_s, "wasted task time", SECONDS, cup_ns(cup_waste_sum(t->waste).wall_ns),
       "P: tasks that erred; all but one success of a chunk; tasks that were computed again "
       "because their result was lost with its worker; tasks that never ended, until the last sign "
       "of their process",
       LESS_FOR_SAME_WORK)
METRIC(wasted_cpu_s, "wasted CPU time", SECONDS, cup_ns(cup_waste_sum(t->waste).cpu_ns),
       "P: the same tasks, on their own threads, without those that never ended: a thread's CPU "
       "clock is read when its task ends",
       LESS_FOR_SAME_WORK)
METRIC(wasted_bytes, "wasted bytes read", BYTES, wasted_bytes(t), "P: bytes read by the same tasks",
       .needs = CUP_FEATURE_FILES,
       .missing = "a full log has the bytes of failed tasks and of others in one sum",
       LESS_FOR_SAME_WORK)
METRIC(scaling_efficiency, NULL, RATIO, cup_null(), "needs two or more runs: `cupping compare A B`",
       .unavailable = true, MORE_IS_BETTER)
