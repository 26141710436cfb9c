/* The metrics of the section "fine", one row each; metrics.h says what is in a row. */

METRIC(THREAD_CPU_S, "thread_cpu_s", NULL, SECONDS, of_dask(t, CUP_FINE_THREAD_CPU),
       DASK_D "time of tasks on the thread's CPU clock", .missing = NOT_TOLD)
METRIC(THREAD_NONCPU_S, "thread_noncpu_s", NULL, SECONDS, of_dask(t, CUP_FINE_THREAD_NONCPU),
       DASK_D "the rest of the time of tasks on their threads", .missing = NOT_TOLD)
METRIC(DISK_READ_BYTES, "disk_read_bytes", NULL, BYTES, of_dask(t, CUP_FINE_DISK_READ),
       DASK_D "spilled data read back, for tasks and for transfers", .missing = NOT_TOLD,
       .direction = {CUP_BETTER_LOWER, .same_work = true})
METRIC(DISK_WRITE_BYTES, "disk_write_bytes", NULL, BYTES, of_dask(t, CUP_FINE_DISK_WRITE),
       DASK_D "data spilled, by tasks, transfers and the memory monitor", .missing = NOT_TOLD,
       .direction = {CUP_BETTER_LOWER, .same_work = true})
METRIC(MEMORY_READ_BYTES, "memory_read_bytes", NULL, BYTES, of_dask(t, CUP_FINE_MEMORY_READ),
       DASK_D "inputs of tasks that were in the worker's memory", .missing = NOT_TOLD)
METRIC(MEMORY_READ_COUNT, "memory_read_count", NULL, COUNT, of_dask(t, CUP_FINE_MEMORY_READS),
       DASK_D "likewise, their number", .missing = NOT_TOLD)
METRIC(COMPRESS_S, "compress_s", NULL, SECONDS, of_dask(t, CUP_FINE_COMPRESS),
       DASK_D "for transfers and spilling, not of ROOT baskets", .missing = NOT_TOLD)
METRIC(DECOMPRESS_S, "decompress_s", NULL, SECONDS, of_dask(t, CUP_FINE_DECOMPRESS),
       DASK_D "likewise", .missing = NOT_TOLD)
METRIC(SERIALIZE_S, "serialize_s", NULL, SECONDS, of_dask(t, CUP_FINE_SERIALIZE),
       DASK_D "of results that were sent or spilled", .missing = NOT_TOLD)
METRIC(DESERIALIZE_S, "deserialize_s", NULL, SECONDS, of_dask(t, CUP_FINE_DESERIALIZE),
       DASK_D "of tasks and of what was received or read back", .missing = NOT_TOLD)
METRIC(NETWORK_S, "network_s", NULL, SECONDS, of_dask(t, CUP_FINE_NETWORK),
       DASK_D "waits for transfers between workers, and to clients", .missing = NOT_TOLD)
METRIC(EXECUTOR_S, "executor_s", NULL, SECONDS, of_dask(t, CUP_FINE_EXECUTOR),
       DASK_D "between the event loop and the task's thread", .missing = NOT_TOLD)
METRIC(OTHER_S, "other_s", NULL, SECONDS, of_dask(t, CUP_FINE_OTHER),
       DASK_D "what Dask has no name for", .missing = NOT_TOLD)
METRIC(DISK_READ_BYTES_TASKS, "disk_read_bytes_tasks", NULL, BYTES, of_tasks(t, CUP_FINE_DISK_READ),
       TASKS_D "disk-read (its disk_read_bytes)", .missing = NOT_TOLD)
METRIC(DISK_WRITE_BYTES_TASKS, "disk_write_bytes_tasks", NULL, BYTES,
       of_tasks(t, CUP_FINE_DISK_WRITE), TASKS_D "disk-write (its disk_write_bytes)",
       .missing = NOT_TOLD)
METRIC(CPU_TIME_SECONDS, "cpu_time_seconds", NULL, SECONDS, of_tasks(t, CUP_FINE_THREAD_CPU),
       TASKS_D "thread-cpu", .missing = NOT_TOLD)
METRIC(IO_TIME_SECONDS, "io_time_seconds", NULL, SECONDS, of_tasks(t, CUP_FINE_THREAD_NONCPU),
       TASKS_D "thread-noncpu", .missing = NOT_TOLD)
METRIC(COMPRESSION_TIME_SECONDS, "compression_time_seconds", NULL, SECONDS,
       of_tasks(t, CUP_FINE_COMPRESS), TASKS_D "compress", .missing = NOT_TOLD)
METRIC(DECOMPRESSION_TIME_SECONDS, "decompression_time_seconds", NULL, SECONDS,
       of_tasks(t, CUP_FINE_DECOMPRESS), TASKS_D "decompress", .missing = NOT_TOLD)
METRIC(SERIALIZATION_TIME_SECONDS, "serialization_time_seconds", NULL, SECONDS,
       of_tasks(t, CUP_FINE_SERIALIZE), TASKS_D "serialize", .missing = NOT_TOLD)
METRIC(DESERIALIZATION_TIME_SECONDS, "deserialization_time_seconds", NULL, SECONDS,
       of_tasks(t, CUP_FINE_DESERIALIZE), TASKS_D "deserialize", .missing = NOT_TOLD)
METRIC(BASKET_DECOMPRESS_CPU_S, "basket_decompress_cpu_s", NULL, SECONDS, cup_null(),
       "stacks are not taken by this version", .unavailable = true)
METRIC(PROCESSOR_CPU_TIME_SECONDS, "processor_cpu_time_seconds", NULL, SECONDS, cpu_of(t, true),
       "P: tasks of the prefixes that carried chunks",
       .direction = {CUP_BETTER_LOWER, .same_work = true})
METRIC(PROCESSOR_NONCPU_TIME_SECONDS, "processor_noncpu_time_seconds", NULL, SECONDS,
       noncpu_of(t, true), "P: likewise", .direction = {CUP_BETTER_LOWER, .same_work = true})
METRIC(PROCESSOR_CPU_PERCENTAGE, "processor_cpu_percentage", NULL, PERCENT,
       processor_cpu_percentage(t), "P: of the time of these tasks")
METRIC(PROCESSOR_NONCPU_PERCENTAGE, "processor_noncpu_percentage", NULL, PERCENT,
       processor_noncpu_percentage(t), "P: likewise")
METRIC(OVERHEAD_CPU_TIME_SECONDS, "overhead_cpu_time_seconds", NULL, SECONDS, cpu_of(t, false),
       "P: tasks of all other prefixes", .direction = {CUP_BETTER_LOWER, .same_work = true})
METRIC(OVERHEAD_NONCPU_TIME_SECONDS, "overhead_noncpu_time_seconds", NULL, SECONDS,
       noncpu_of(t, false), "P: likewise", .direction = {CUP_BETTER_LOWER, .same_work = true})
METRIC(PROCESSOR_CPU_TIME_SECONDS_DASK, "processor_cpu_time_seconds_dask", NULL, SECONDS,
       processor_cpu_dask(t), TASKS_D "thread-cpu of the prefixes that carried chunks",
       .missing = NO_PROCESSOR)
METRIC(PROCESSOR_NONCPU_TIME_SECONDS_DASK, "processor_noncpu_time_seconds_dask", NULL, SECONDS,
       processor_noncpu_dask(t), TASKS_D "thread-noncpu, likewise", .missing = NO_PROCESSOR)
METRIC(PROCESSOR_CPU_PERCENTAGE_DASK, "processor_cpu_percentage_dask", NULL, PERCENT,
       processor_cpu_percentage_dask(t), TASKS_D "of the sum of both", .missing = NO_PROCESSOR)
METRIC(PROCESSOR_NONCPU_PERCENTAGE_DASK, "processor_noncpu_percentage_dask", NULL, PERCENT,
       cup_real(100 - cup_number(processor_cpu_percentage_dask(t))), TASKS_D "likewise",
       .missing = NO_PROCESSOR)
METRIC(OVERHEAD_CPU_TIME_SECONDS_DASK, "overhead_cpu_time_seconds_dask", NULL, SECONDS,
       dask_of(t, &t->fine->overhead, CUP_FINE_THREAD_CPU),
       TASKS_D "thread-cpu of all other prefixes", .missing = NO_PROCESSOR)
METRIC(OVERHEAD_NONCPU_TIME_SECONDS_DASK, "overhead_noncpu_time_seconds_dask", NULL, SECONDS,
       dask_of(t, &t->fine->overhead, CUP_FINE_THREAD_NONCPU), TASKS_D "thread-noncpu, likewise",
       .missing = NO_PROCESSOR)
METRIC(TOTAL_COMPRESSION_OVERHEAD_SECONDS, "total_compression_overhead_seconds", NULL, SECONDS,
       sum_of(of_tasks(t, CUP_FINE_COMPRESS), of_tasks(t, CUP_FINE_DECOMPRESS)),
       TASKS_D "compress and decompress", .missing = NOT_TOLD)
METRIC(TOTAL_SERIALIZATION_OVERHEAD_SECONDS, "total_serialization_overhead_seconds", NULL, SECONDS,
       sum_of(of_tasks(t, CUP_FINE_SERIALIZE), of_tasks(t, CUP_FINE_DESERIALIZE)),
       TASKS_D "serialize and deserialize", .missing = NOT_TOLD)
METRIC(WORKERS_TOLD, "workers_told", NULL, COUNT, cup_count(t->fine->worker_count),
       "D: workers that told fine metrics")
METRIC(WORKERS_SILENT, "workers_silent", NULL, COUNT, cup_count(t->fine->silent_workers),
       "P: Dask workers that told none")
METRIC(WORKERS_INCOMPLETE, "workers_incomplete", NULL, COUNT,
       cup_count(t->fine->incomplete_workers),
       "D: workers whose last values are not those of their end: killed, or still running")
METRIC(BEHIND_S, "behind_s", NULL, SECONDS,
       t->fine->worker_count ? cup_seconds(t->fine->behind_ns) : cup_null(),
       "P: from the last look at such a worker's values to the last sign of its process; of the "
       "one where that is longest",
       .missing = NOT_TOLD)
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
       cup_of_ns(t->helper_waits.ns[CUP_WAITED_RUN_DELAY]), HELPER_P "; only where a wait ended so",
       .needs = CUP_FEATURE_WAITS | CUP_FEATURE_RUN_DELAY)
METRIC(HELPER_FAULT_WAIT_S, "helper_fault_wait_s", NULL, SECONDS, cup_null(), CUP_NO_HELPER_REST,
       .unavailable = true)
METRIC(HELPER_OTHER_WAIT_S, "helper_other_wait_s", NULL, SECONDS, cup_null(), CUP_NO_HELPER_REST,
       .unavailable = true)
