/* The metrics of the section "health", one row each; metrics.h says what is in a row. */

METRIC(LOGS_READ, "logs_read", "logs read", COUNT, cup_count(t->profile->logs_read),
       "files of the profile directory")
METRIC(LOGS_DAMAGED, "logs_damaged", "  damaged", COUNT, cup_count(t->profile->logs_damaged),
       "read as far as possible")
METRIC(LOGS_UNREADABLE, "logs_unreadable", "logs that cannot be read", COUNT,
       cup_count(t->profile->logs_unreadable), "named on standard error")
METRIC(LOGS_NOT_CLOSED, "logs_not_closed", "logs not closed", COUNT, logs_not_closed(t),
       "processes killed, crashed or still running")
METRIC(BYTES_LOST, "bytes_lost", "bytes lost to damage", BYTES,
       cup_count(t->profile->skipped_bytes), "between records that can be read")
METRIC(RECORDS_UNFINISHED, "records_unfinished", "records never completed", COUNT,
       cup_count(t->profile->unfinished_records), "their process died while it wrote")
METRIC(RECORDS_ORPHANED, "records_orphaned", "records without their task", COUNT,
       cup_count(t->profile->orphan_records), "what they refer to is lost")
METRIC(TASKS_UNFINISHED, "tasks_unfinished", "tasks unfinished", COUNT,
       cup_count(t->all.unfinished), "no end in the log: killed, crashed or still running")
METRIC(TASKS_WITHOUT_CPU, "tasks_without_cpu", "tasks without CPU time", COUNT,
       cup_count(t->all.without_cpu),
       "async tasks share the event loop's thread: their cpu_s is not known")
METRIC(WAITS_EXCESS_S, "waits_excess_s", "waits beyond non-CPU time", SECONDS,
       cup_of_ns(t->waits.excess_ns),
       "P: measured waits beyond the non-CPU time of their task, taken off its largest wait: "
       "clocks have limited resolution",
       .needs = CUP_FEATURE_WAITS)
METRIC(NONCPU_BELOW_ZERO_S, "noncpu_below_zero_s", "CPU beyond wall time", SECONDS,
       cup_of_ns(t->waits.below_zero_ns),
       "P: CPU time beyond the wall time of its task, for these are two clocks; counts as 0 s of "
       "non-CPU time")
METRIC(COUNTED_CALLS, "counted_calls", "calls counted by hooks", COUNT, counted_calls(t),
       "reads, writes, opens, allocations and frees")
METRIC(MEASURING_S, "measuring_s", "cost of begins and ends", SECONDS,
       cup_of_ns(t->profile->health[CUP_H_ANCHOR_NS]),
       "P: time that the library spent at begins and ends of tasks (anchor_ns of all processes)")
METRIC(MEASURING_SHARE, "measuring_share", "  share of task time", SHARE,
       cup_ratio((double)t->profile->health[CUP_H_ANCHOR_NS], (double)t->all.wall_ns),
       "P: measuring_s / total_task_time")
METRIC(MAPPING_S, "mapping_s", "cost of checking mapped pages", SECONDS,
       cup_of_ns(t->profile->health[CUP_H_MAPPING_NS]),
       "P: time to find which pages of mapped files are present (mapping_ns of all processes)",
       .needs = CUP_FEATURE_MAPPED)
