/* The metrics of the section "fine", one row each; metrics.h says what is in a row. */

METRIC(THREAD_CPU_S, "thread_cpu_s", NULL, SECONDS, of_dask(t, CUP_FINE_THREAD_CPU),
       DASK_D "time of tasks on the thread's CPU clock", .missing = NOT_REPORTED)
METRIC(THREAD_NONCPU_S, "thread_noncpu_s", NULL, SECONDS, of_dask(t, CUP_FINE_THREAD_NONCPU),
       DASK_D "the rest of the time of tasks on their threads", .missing = NOT_REPORTED)
METRIC(DISK_READ_BYTES, "disk_read_bytes", NULL, BYTES, of_dask(t, CUP_FINE_DISK_READ),
       DASK_D "spilled data read back, for tasks and for transfers", .missing = NOT_REPORTED,
       .direction = {CUP_BETTER_LOWER, .same_work = true})
METRIC(DISK_WRITE_BYTES, "disk_write_bytes", NULL, BYTES, of_dask(t, CUP_FINE_DISK_WRITE),
       DASK_D "data spilled, by tasks, transfers and the memory monitor", .missing = NOT_REPORTED,
       .direction = {CUP_BETTER_LOWER, .same_work = true})
METRIC(MEMORY_READ_BYTES, "memory_read_bytes", NULL, BYTES, of_dask(t, CUP_FINE_MEMORY_READ),
       DASK_D "inputs of tasks that were in the worker's memory", .missing = NOT_REPORTED)
METRIC(MEMORY_READ_COUNT, "memory_read_count", NULL, COUNT, of_dask(t, CUP_FINE_MEMORY_READS),
       DASK_D "number of these inputs", .missing = NOT_REPORTED)
METRIC(COMPRESS_S, "compress_s", NULL, SECONDS, of_dask(t, CUP_FINE_COMPRESS),
       DASK_D "for transfers and spilling, not of ROOT baskets", .missing = NOT_REPORTED)
METRIC(DECOMPRESS_S, "decompress_s", NULL, SECONDS, of_dask(t, CUP_FINE_DECOMPRESS),
       DASK_D "for transfers and spilling, not of ROOT baskets", .missing = NOT_REPORTED)
METRIC(SERIALIZE_S, "serialize_s", NULL, SECONDS, of_dask(t, CUP_FINE_SERIALIZE),
       DASK_D "of results that were sent or spilled", .missing = NOT_REPORTED)
METRIC(DESERIALIZE_S, "deserialize_s", NULL, SECONDS, of_dask(t, CUP_FINE_DESERIALIZE),
       DASK_D "of tasks and of what was received or read back", .missing = NOT_REPORTED)
METRIC(NETWORK_S, "network_s", NULL, SECONDS, of_dask(t, CUP_FINE_NETWORK),
       DASK_D "waits for transfers between workers and to clients", .missing = NOT_REPORTED)
METRIC(EXECUTOR_S, "executor_s", NULL, SECONDS, of_dask(t, CUP_FINE_EXECUTOR),
       DASK_D "between the event loop and the task's thread", .missing = NOT_REPORTED)
METRIC(OTHER_S, "other_s", NULL, SECONDS, of_dask(t, CUP_FINE_OTHER),
       DASK_D "activities that Dask does not name", .missing = NOT_REPORTED)
METRIC(DISK_READ_BYTES_TASKS, "disk_read_bytes_tasks", NULL, BYTES, of_tasks(t, CUP_FINE_DISK_READ),
       TASKS_D "disk-read (its disk_read_bytes)", .missing = NOT_REPORTED)
METRIC(DISK_WRITE_BYTES_TASKS, "disk_write_bytes_tasks", NULL, BYTES,
       of_tasks(t, CUP_FINE_DISK_WRITE), TASKS_D "disk-write (its disk_write_bytes)",
       .missing = NOT_REPORTED)
METRIC(CPU_TIME_SECONDS, "cpu_time_seconds", NULL, SECONDS, of_tasks(t, CUP_FINE_THREAD_CPU),
       TASKS_D "thread-cpu", .missing = NOT_REPORTED)
METRIC(IO_TIME_SECONDS, "io_time_seconds", NULL, SECONDS, of_tasks(t, CUP_FINE_THREAD_NONCPU),
       TASKS_D "thread-noncpu", .missing = NOT_REPORTED)
METRIC(COMPRESSION_TIME_SECONDS, "compression_time_seconds", NULL, SECONDS,
       of_tasks(t, CUP_FINE_COMPRESS), TASKS_D "compress", .missing = NOT_REPORTED)
METRIC(DECOMPRESSION_TIME_SECONDS, "decompression_time_seconds", NULL, SECONDS,
       of_tasks(t, CUP_FINE_DECOMPRESS), TASKS_D "decompress", .missing = NOT_REPORTED)
METRIC(SERIALIZATION_TIME_SECONDS, "serialization_time_seconds", NULL, SECONDS,
       of_tasks(t, CUP_FINE_SERIALIZE), TASKS_D "serialize", .missing = NOT_REPORTED)
METRIC(DESERIALIZATION_TIME_SECONDS, "deserialization_time_seconds", NULL, SECONDS,
       of_tasks(t, CUP_FINE_DESERIALIZE), TASKS_D "deserialize", .missing = NOT_REPORTED)
METRIC(BASKET_DECOMPRESS_CPU_S, "basket_decompress_cpu_s", NULL, SECONDS, cup_null(),
       "this version does not measure it", .unavailable = true)
METRIC(PROCESSOR_CPU_TIME_SECONDS, "processor_cpu_time_seconds", NULL, SECONDS, cpu_of(t, true),
       "P: CPU time of the tasks of the prefixes that carried chunks",
       .direction = {CUP_BETTER_LOWER, .same_work = true})
METRIC(PROCESSOR_NONCPU_TIME_SECONDS, "processor_noncpu_time_seconds", NULL, SECONDS,
       noncpu_of(t, true), "P: time less CPU time of the same tasks",
       .direction = {CUP_BETTER_LOWER, .same_work = true})
METRIC(PROCESSOR_CPU_PERCENTAGE, "processor_cpu_percentage", NULL, PERCENT,
       processor_cpu_percentage(t), "P: CPU time / time of the same tasks")
METRIC(PROCESSOR_NONCPU_PERCENTAGE, "processor_noncpu_percentage", NULL, PERCENT,
       processor_noncpu_percentage(t), "P: 100 less processor_cpu_percentage")
METRIC(OVERHEAD_CPU_TIME_SECONDS, "overhead_cpu_time_seconds", NULL, SECONDS, cpu_of(t, false),
       "P: CPU time of the tasks of all other prefixes",
       .direction = {CUP_BETTER_LOWER, .same_work = true})
METRIC(OVERHEAD_NONCPU_TIME_SECONDS, "overhead_noncpu_time_seconds", NULL, SECONDS,
       noncpu_of(t, false), "P: time less CPU time of the tasks of all other prefixes",
       .direction = {CUP_BETTER_LOWER, .same_work = true})
METRIC(PROCESSOR_CPU_TIME_SECONDS_DASK, "processor_cpu_time_seconds_dask", NULL, SECONDS,
       processor_cpu_dask(t), TASKS_D "thread-cpu of the prefixes that carried chunks",
       .missing = NO_PROCESSOR)
METRIC(PROCESSOR_NONCPU_TIME_SECONDS_DASK, "processor_noncpu_time_seconds_dask", NULL, SECONDS,
       processor_noncpu_dask(t), TASKS_D "thread-noncpu of the prefixes that carried chunks",
       .missing = NO_PROCESSOR)
METRIC(PROCESSOR_CPU_PERCENTAGE_DASK, "processor_cpu_percentage_dask", NULL, PERCENT,
       processor_cpu_percentage_dask(t),
       TASKS_D "thread-cpu / (thread-cpu + thread-noncpu) of the prefixes that carried chunks",
       .missing = NO_PROCESSOR)
METRIC(PROCESSOR_NONCPU_PERCENTAGE_DASK, "processor_noncpu_percentage_dask", NULL, PERCENT,
       cup_real(100 - cup_number(processor_cpu_percentage_dask(t))),
       TASKS_D "100 less processor_cpu_percentage_dask", .missing = NO_PROCESSOR)
METRIC(OVERHEAD_CPU_TIME_SECONDS_DASK, "overhead_cpu_time_seconds_dask", NULL, SECONDS,
       dask_of(t, &t->fine->overhead, CUP_FINE_THREAD_CPU),
       TASKS_D "thread-cpu of all other prefixes", .missing = NO_PROCESSOR)
METRIC(OVERHEAD_NONCPU_TIME_SECONDS_DASK, "overhead_noncpu_time_seconds_dask", NULL, SECONDS,
       dask_of(t, &t->fine->overhead, CUP_FINE_THREAD_NONCPU),
       TASKS_D "thread-noncpu of all other prefixes", .missing = NO_PROCESSOR)
METRIC(TOTAL_COMPRESSION_OVERHEAD_SECONDS, "total_compression_overhead_seconds", NULL, SECONDS,
       sum_of(of_tasks(t, CUP_FINE_COMPRESS), of_tasks(t, CUP_FINE_DECOMPRESS)),
       TASKS_D "compress and decompress", .missing = NOT_REPORTED)
METRIC(TOTAL_SERIALIZATION_OVERHEAD_SECONDS, "total_serialization_overhead_seconds", NULL, SECONDS,
       sum_of(of_tasks(t, CUP_FINE_SERIALIZE), of_tasks(t, CUP_FINE_DESERIALIZE)),
       TASKS_D "serialize and deserialize", .missing = NOT_REPORTED)
METRIC(WORKERS_TOLD, "workers_told", NULL, COUNT, cup_count(t->fine->worker_count),
       "D: workers that reported fine metrics")
METRIC(WORKERS_SILENT, "workers_silent", NULL, COUNT, cup_count(t->fine->silent_workers),
       "P: Dask workers that reported no fine metrics")
METRIC(WORKERS_INCOMPLETE, "workers_incomplete", NULL, COUNT,
       cup_count(t->fine->incomplete_workers),
       "D: workers whose last report was not made at their end: killed, or still running")
METRIC(BEHIND_S, "behind_s", NULL, SECONDS,
       t->fine->worker_count ? cup_seconds(t->fine->behind_ns) : cup_null(),
       "P: from the last report of such a worker to the last sign of its process; the longest of "
       "all such workers",
       .missing = NOT_REPORTED)
#define X(id, name, label, text, features, source)                                                 \
    METRIC(WAITED_##id, name, NULL, SECONDS,                                                       \
           t->waits.tasks ? cup_of_ns(t->waits.ns[CUP_WAITED_##id]) : cup_null(),                  \
           "P: of all tasks: " source, .needs = features,                                          \
           .direction = {CUP_BETTER_LOWER, .same_work = true})
CUP_WAITS(X)
#undef X
METRIC(HELPER_IO_WAIT_S, "helper_io_wait_s", NULL, SECONDS,
       cup_of_ns(t->helper_waits.ns[CUP_WAITED_IO]), HELPER_P, .needs = CUP_FEATURE_WAITS)
METRIC(HELPER_GIL_WAIT_S, "helper_gil_wait_s", NULL, SECONDS,
       cup_of_ns(t->helper_waits.ns[CUP_WAITED_GIL]), HELPER_P,
       .needs = CUP_FEATURE_WAITS | CUP_FEATURE_GIL)
METRIC(HELPER_LOCK_WAIT_S, "helper_lock_wait_s", NULL, SECONDS,
       cup_of_ns(t->helper_waits.ns[CUP_WAITED_LOCK]), HELPER_P, .needs = CUP_FEATURE_WAITS)
METRIC(HELPER_SLEEP_S, "helper_sleep_s", NULL, SECONDS,
       cup_of_ns(t->helper_waits.ns[CUP_WAITED_SLEEP]), HELPER_P, .needs = CUP_FEATURE_WAITS)
METRIC(HELPER_POLL_WAIT_S, "helper_poll_wait_s", NULL, SECONDS,
       cup_of_ns(t->helper_waits.ns[CUP_WAITED_POLL]), HELPER_P, .needs = CUP_FEATURE_WAITS)
METRIC(HELPER_RUN_DELAY_S, "helper_run_delay_s", NULL, SECONDS,
       cup_of_ns(t->helper_waits.ns[CUP_WAITED_RUN_DELAY]),
       HELPER_P "; only delays at the end of a wait",
       .needs = CUP_FEATURE_WAITS | CUP_FEATURE_RUN_DELAY)
METRIC(HELPER_FAULT_WAIT_S, "helper_fault_wait_s", NULL, SECONDS, cup_null(), CUP_NO_HELPER_REST,
       .unavailable = true)
METRIC(HELPER_OTHER_WAIT_S, "helper_other_wait_s", NULL, SECONDS, cup_null(), CUP_NO_HELPER_REST,
       .unavailable = true)
