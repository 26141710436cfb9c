/* The metrics of the section "health", one row each; metrics.h says what is in a row. */

METRIC(logs_read, "logs read", COUNT, cup_count(t->profile->logs_read),
       "files of the profile directory")
METRIC(logs_damaged, "  damaged", COUNT, cup_count(t->profile->logs_damaged),
       "read as far as possible")
METRIC(logs_unreadable, "logs that cannot be read", COUNT, cup_count(t->profile->logs_unreadable),
       "named on standard error")
METRIC(logs_forbidden, "  permission denied", COUNT, cup_count(t->profile->logs_forbidden),
       "written by another user, or with a strict umask")
METRIC(logs_unopened, "empty logs", COUNT, cup_count(t->profile->logs_unopened),
       "their processes were killed before they recorded anything")
METRIC(logs_in_part, "incomplete logs", COUNT,
       cup_count(cup_collected_lost(&t->profile->collected)),
       "their file system did not store all of them; or, of `cupping collect` and attach, "
       "their nanny vanished, or there was no room")
METRIC(workers_refused, "workers that attach refused", COUNT,
       cup_count(t->profile->collected.refused), "they are not profiled")
METRIC(tasks_missing, "tasks in no log", COUNT, cup_count(cup_missing_sum(t->profile).tasks),
       "by the count of Dask's scheduler; of `cupping collect` and attach")
METRIC(tasks_lost, "tasks without a record", COUNT, cup_count(t->tasks_lost),
       "by the library's own count, in processes that lost records: the disk was full, or the log "
       "reached its limit before it had room for sums")
METRIC(chunks_counted_twice, "chunks counted twice", COUNT, cup_count(t->chunks_counted_twice),
       "two processes ended them, and `cupping merge --per-prefix` summed up both attempts")
METRIC(logs_not_closed, "logs not closed", COUNT, logs_not_closed(t),
       "processes killed, crashed or still running")
METRIC(bytes_lost, "bytes lost to damage", BYTES, cup_count(t->profile->skipped_bytes),
       "between records that can be read")
METRIC(records_unfinished, "records never completed", COUNT,
       cup_count(t->profile->unfinished_records), "their process died while it wrote")
METRIC(records_orphaned, "records without their task", COUNT, cup_count(t->profile->orphan_records),
       "what they refer to is lost")
METRIC(tasks_unfinished, "tasks unfinished", COUNT, cup_count(t->all.unfinished),
       "no end in the log: their process was killed or crashed")
METRIC(tasks_unknown, "tasks of unknown outcome", COUNT, cup_count(t->all.unknown),
       "they ended, but it is not known how")
METRIC(tasks_running, "tasks running", COUNT, cup_count(t->all.running),
       "their process ran when the report was made")
METRIC(tasks_without_cpu, "tasks without CPU time", COUNT, cup_count(t->all.without_cpu),
       "async tasks share the event loop's thread: their cpu_s is not known")
METRIC(waits_excess_s, "waits beyond non-CPU time", SECONDS, cup_ns(t->waits.excess_ns),
       "P: measured waits beyond the non-CPU time of their task, taken off its largest wait: "
       "clocks have limited resolution",
       .needs = CUP_FEATURE_WAITS)
METRIC(noncpu_below_zero_s, "CPU beyond wall time", SECONDS, cup_ns(t->waits.below_zero_ns),
       "P: CPU time beyond the wall time of its task, for these are two clocks; counts as 0 s of "
       "non-CPU time")
METRIC(counted_calls, "calls counted by hooks", COUNT, counted_calls(t),
       "reads, writes, opens, allocations and frees")
METRIC(measuring_s, "cost of begins and ends", SECONDS, cup_ns(t->profile->health[CUP_H_ANCHOR_NS]),
       "P: time that the library spent at begins and ends of tasks (anchor_ns of all processes)")
METRIC(measuring_share, "  share of task time", SHARE,
       cup_value_if(!t->profile->selective && t->tasks_lost == 0,
                    cup_ratio((double)t->profile->health[CUP_H_ANCHOR_NS], (double)t->all.wall_ns)),
       "P: measuring_s / total_task_time",
       .missing = "the cost is that of all tasks of the processes, and some are not in the report")
METRIC(mapping_s, "cost of checking mapped pages", SECONDS,
       cup_ns(t->profile->health[CUP_H_MAPPING_NS]),
       "P: time to find which pages of mapped files are present (mapping_ns of all processes)",
       .needs = CUP_FEATURE_MAPPED)
