/* The metrics of the section "fine", one row each; metrics.h says what is in a row. */

/* What Dask's workers report of an activity: all of it, or what they did for tasks. */
#define DASK_METRIC(name, unit, activity, ...)                                                     \
    METRIC(name, NULL, unit, of_dask(t, CUP_FINE_##activity), DASK_D __VA_ARGS__,                  \
           .missing = NOT_REPORTED)
#define TASKS_METRIC(name, unit, activity, source)                                                 \
    METRIC(name, NULL, unit, of_tasks(t, CUP_FINE_##activity), TASKS_D source,                     \
           .missing = NOT_REPORTED)
/* The same, for the processor or for all other prefixes. */
#define SPLIT_METRIC(name, unit, value, source)                                                    \
    METRIC(name, NULL, unit, value, TASKS_D source, .missing = NO_PROCESSOR)
#define HELPER_METRIC(name, wait, feature, source)                                                 \
    METRIC(name, NULL, SECONDS, cup_ns(t->helper_waits.ns[CUP_WAITED_##wait]), HELPER_P source,    \
           .needs = CUP_FEATURE_WAITS | (feature))

DASK_METRIC(thread_cpu_s, SECONDS, THREAD_CPU, "time of tasks on the thread's CPU clock")
DASK_METRIC(thread_noncpu_s, SECONDS, THREAD_NONCPU,
            "the rest of the time of tasks on their threads")
DASK_METRIC(disk_read_bytes, BYTES, DISK_READ,
            "spilled data read back, for tasks and for transfers", LESS_FOR_SAME_WORK)
DASK_METRIC(disk_write_bytes, BYTES, DISK_WRITE,
            "data spilled, by tasks, transfers and the memory monitor", LESS_FOR_SAME_WORK)
DASK_METRIC(memory_read_bytes, BYTES, MEMORY_READ,
            "inputs of tasks that were in the worker's memory")
DASK_METRIC(memory_read_count, COUNT, MEMORY_READS, "number of these inputs")
DASK_METRIC(compress_s, SECONDS, COMPRESS, "for transfers and spilling, not of ROOT baskets")
DASK_METRIC(decompress_s, SECONDS, DECOMPRESS, "for transfers and spilling, not of ROOT baskets")
DASK_METRIC(serialize_s, SECONDS, SERIALIZE, "of results that were sent or spilled")
DASK_METRIC(deserialize_s, SECONDS, DESERIALIZE, "of tasks and of what was received or read back")
DASK_METRIC(network_s, SECONDS, NETWORK, "waits for transfers between workers and to clients")
DASK_METRIC(executor_s, SECONDS, EXECUTOR, "between the event loop and the task's thread")
DASK_METRIC(other_s, SECONDS, OTHER, "activities that Dask does not name")
TASKS_METRIC(disk_read_bytes_tasks, BYTES, DISK_READ, "disk-read (its disk_read_bytes)")
TASKS_METRIC(disk_write_bytes_tasks, BYTES, DISK_WRITE, "disk-write (its disk_write_bytes)")
TASKS_METRIC(cpu_time_seconds, SECONDS, THREAD_CPU, "thread-cpu")
TASKS_METRIC(io_time_seconds, SECONDS, THREAD_NONCPU, "thread-noncpu")
TASKS_METRIC(compression_time_seconds, SECONDS, COMPRESS, "compress")
TASKS_METRIC(decompression_time_seconds, SECONDS, DECOMPRESS, "decompress")
TASKS_METRIC(serialization_time_seconds, SECONDS, SERIALIZE, "serialize")
TASKS_METRIC(deserialization_time_seconds, SECONDS, DESERIALIZE, "deserialize")
METRIC(basket_decompress_cpu_s, NULL, SECONDS, cup_null(), "this version does not measure it",
       .unavailable = true)
METRIC(processor_cpu_time_seconds, NULL, SECONDS, cpu_of(t, true),
       "P: CPU time of the tasks of the prefixes that carried chunks", LESS_FOR_SAME_WORK)
METRIC(processor_noncpu_time_seconds, NULL, SECONDS, noncpu_of(t, true),
       "P: time less CPU time of the same tasks", LESS_FOR_SAME_WORK)
METRIC(processor_cpu_percentage, NULL, PERCENT, processor_cpu_percentage(t),
       "P: CPU time / time of the same tasks")
METRIC(processor_noncpu_percentage, NULL, PERCENT,
       cup_real(100 - cup_number(processor_cpu_percentage(t))),
       "P: 100 less processor_cpu_percentage")
METRIC(overhead_cpu_time_seconds, NULL, SECONDS, cpu_of(t, false),
       "P: CPU time of the tasks of all other prefixes", LESS_FOR_SAME_WORK)
METRIC(overhead_noncpu_time_seconds, NULL, SECONDS, noncpu_of(t, false),
       "P: time less CPU time of the tasks of all other prefixes", LESS_FOR_SAME_WORK)
SPLIT_METRIC(processor_cpu_time_seconds_dask, SECONDS,
             dask_of(t, &t->fine->processor, CUP_FINE_THREAD_CPU),
             "thread-cpu of the prefixes that carried chunks")
SPLIT_METRIC(processor_noncpu_time_seconds_dask, SECONDS,
             dask_of(t, &t->fine->processor, CUP_FINE_THREAD_NONCPU),
             "thread-noncpu of the prefixes that carried chunks")
SPLIT_METRIC(processor_cpu_percentage_dask, PERCENT, processor_cpu_percentage_dask(t),
             "thread-cpu / (thread-cpu + thread-noncpu) of the prefixes that carried chunks")
SPLIT_METRIC(processor_noncpu_percentage_dask, PERCENT,
             cup_real(100 - cup_number(processor_cpu_percentage_dask(t))),
             "100 less processor_cpu_percentage_dask")
SPLIT_METRIC(overhead_cpu_time_seconds_dask, SECONDS,
             dask_of(t, &t->fine->overhead, CUP_FINE_THREAD_CPU),
             "thread-cpu of all other prefixes")
SPLIT_METRIC(overhead_noncpu_time_seconds_dask, SECONDS,
             dask_of(t, &t->fine->overhead, CUP_FINE_THREAD_NONCPU),
             "thread-noncpu of all other prefixes")
METRIC(total_compression_overhead_seconds, NULL, SECONDS,
       sum_of(of_tasks(t, CUP_FINE_COMPRESS), of_tasks(t, CUP_FINE_DECOMPRESS)),
       TASKS_D "compress and decompress", .missing = NOT_REPORTED)
METRIC(total_serialization_overhead_seconds, NULL, SECONDS,
       sum_of(of_tasks(t, CUP_FINE_SERIALIZE), of_tasks(t, CUP_FINE_DESERIALIZE)),
       TASKS_D "serialize and deserialize", .missing = NOT_REPORTED)
METRIC(workers_told, NULL, COUNT, cup_count(t->fine->worker_count),
       "D: workers that reported fine metrics")
METRIC(workers_silent, NULL, COUNT, cup_count(t->fine->silent_workers),
       "P: Dask workers that reported no fine metrics")
METRIC(workers_incomplete, NULL, COUNT, cup_count(t->fine->incomplete_workers),
       "D: workers whose last report was not made at their end: killed, or still running")
METRIC(behind_s, NULL, SECONDS,
       cup_value_if(t->fine->worker_count, cup_seconds(t->fine->behind_ns)),
       "P: from the last report of such a worker to the last sign of its process; the longest of "
       "all such workers",
       .missing = NOT_REPORTED)
#define X(id, name, label, text, features, source)                                                 \
    NAMED_METRIC(WAITED_##id, name, NULL, SECONDS,                                                 \
                 t->waits.tasks ? cup_ns(t->waits.ns[CUP_WAITED_##id]) : cup_null(),               \
                 "P: of all tasks: " source, .needs = features, LESS_FOR_SAME_WORK)
CUP_WAITS(X)
#undef X
HELPER_METRIC(helper_io_wait_s, IO, 0, "")
HELPER_METRIC(helper_gil_wait_s, GIL, CUP_FEATURE_GIL, "")
HELPER_METRIC(helper_lock_wait_s, LOCK, 0, "")
HELPER_METRIC(helper_sleep_s, SLEEP, 0, "")
HELPER_METRIC(helper_poll_wait_s, POLL, 0, "")
HELPER_METRIC(helper_run_delay_s, RUN_DELAY, CUP_FEATURE_RUN_DELAY,
              "; only delays at the end of a wait")
METRIC(helper_fault_wait_s, NULL, SECONDS, cup_null(), CUP_NO_HELPER_REST, .unavailable = true)
METRIC(helper_other_wait_s, NULL, SECONDS, cup_null(), CUP_NO_HELPER_REST, .unavailable = true)

#undef DASK_METRIC
#undef TASKS_METRIC
#undef SPLIT_METRIC
#undef HELPER_METRIC
