#include "analysis/export/prometheus_figures.h"

#define PERCENT 0.01
#define GBPS (1e9 / 8)
#define KHZ 1e3

#define STAGE_HELP "How long a stage of the run took; tail is part of process."
#define DASK_SECONDS_HELP "Dask's own fine metrics of all tasks, by activity."
#define DASK_BYTES_HELP                                                                            \
    "Bytes that Dask's own fine metrics count, by activity; not those of input files."
#define WAIT_HELP "Where tasks' time went while their own threads used no CPU."
#define THREAD_HELP "Threads x wall time, split without remainder."
#define RATE_HELP                                                                                  \
    "Bytes over wall time: requested by uproot, delivered to tasks, size of the files."

/* clang-format off */
const struct cup_prometheus_figure cup_prometheus_figures[] = {
    {"workflow", "t_start", "run_start_timestamp_seconds", NULL, NULL, 1, "When the run began."},
    {"workflow", "t_stop", "run_stop_timestamp_seconds", NULL, NULL, 1, "When the run ended."},
    {"workflow", "wall_time", "run_duration_seconds", NULL, NULL, 1, "How long the run took."},
    {"workflow", "graph_s", "stage_duration_seconds", "stage", "graph", 1, STAGE_HELP},
    {"workflow", "preprocess_s", "stage_duration_seconds", "stage", "preprocess", 1, STAGE_HELP},
    {"workflow", "process_s", "stage_duration_seconds", "stage", "process", 1, STAGE_HELP},
    {"workflow", "tail_s", "stage_duration_seconds", "stage", "tail", 1, STAGE_HELP},
    {"workflow", "merge_s", "stage_duration_seconds", "stage", "merge", 1, STAGE_HELP},
    {"workflow", "num_chunks", "chunks_total", NULL, NULL, 1, "Different chunks that succeeded."},
    {"workflow", "num_failed_chunks", "failed_chunk_attempts_total", NULL, NULL, 1, "Attempts at chunks that erred."},
    {"workflow", "num_retried_chunks", "retried_chunks_total", NULL, NULL, 1, "Chunks with more than one attempt."},
    {"workflow", "total_events", "events_total", NULL, NULL, 1, "Events of the chunks that succeeded."},
    {"workflow", "total_events_coffea", "coffea_events_total", NULL, NULL, 1, "Events, as Coffea's report counts them."},
    {"workflow", "total_cpu_time", "process_seconds_total", NULL, NULL, 1, "Wall time inside process(), summed over chunks (Coffea's processtime)."},
    {"workflow", "total_task_time", "task_seconds_total", NULL, NULL, 1, "Wall time of all tasks that ended."},
    {"workflow", "total_thread_cpu_time", "task_cpu_seconds_total", NULL, NULL, 1, "CPU time of all tasks and of the threads that helped them."},
    {"workflow", "total_bytes_read_coffea", "requested_bytes_total", NULL, NULL, 1, "Bytes that uproot asked for (Coffea's bytesread)."},
    {"workflow", "total_bytes_read", "read_bytes_total", NULL, NULL, 1, "Bytes delivered to tasks: data files, mapped files, sockets."},
    {"workflow", "wire_bytes", "received_bytes_total", NULL, NULL, 1, "Bytes that sockets delivered in workers, Dask's own apart."},
    {"workflow", "bytes_read_compressed", "basket_compressed_bytes_total", NULL, NULL, 1, "Baskets read, compressed."},
    {"workflow", "bytes_read_uncompressed", "basket_uncompressed_bytes_total", NULL, NULL, 1, "Baskets read, uncompressed."},
    {"workflow", "compression_ratio", "basket_compression_ratio", NULL, NULL, 1, "Uncompressed over compressed bytes of the baskets read."},
    {"branches", "baskets", "baskets_total", NULL, NULL, 1, "Baskets read, those read again too."},
    {"branches", "reread_bytes", "basket_reread_bytes_total", NULL, NULL, 1, "Of the compressed bytes of baskets: those read before, by the same task or another."},
    {"branches", "incidental_bytes", "basket_incidental_bytes_total", NULL, NULL, 1, "Compressed bytes of baskets that read-ahead delivered and nobody asked for."},
    {"branches", "branches_read", "branches_read", NULL, NULL, 1, "Different branches that were read."},
    {"branches", "branches_share", "branches_read_ratio", NULL, NULL, 1, "Branches read over branches of the trees, summed up over files."},
    {"branches", "bytes_share", "tree_bytes_read_ratio", NULL, NULL, 1, "Compressed bytes of different baskets read over those of the trees."},
    {"workflow", "read_amplification", "read_amplification_ratio", NULL, NULL, 1, "Bytes read by chunks over bytes requested."},
    {"workflow", "requested_rate_gbps", "throughput_bytes_per_second", "bytes", "requested", GBPS, RATE_HELP},
    {"workflow", "delivered_rate_gbps", "throughput_bytes_per_second", "bytes", "delivered", GBPS, RATE_HELP},
    {"workflow", "file_rate_gbps", "throughput_bytes_per_second", "bytes", "files", GBPS, RATE_HELP},
    {"workflow", "event_rate_wall_khz", "events_per_second", NULL, NULL, KHZ, "Events over wall time."},
    {"workflow", "event_rate_agg_khz", "events_per_process_second", NULL, NULL, KHZ, "Events over time inside process()."},
    {"workflow", "event_rate_core_hz", "events_per_core_second", NULL, NULL, 1, "Events over wall time and cores."},

    {"workers", "avg_workers", "average_workers", NULL, NULL, 1, "Workers, averaged over the run."},
    {"workers", "peak_workers", "peak_workers", NULL, NULL, 1, "The most workers at a time."},
    {"workers", "avg_cores", "average_cores", NULL, NULL, 1, "Threads of all workers, averaged over the run."},
    {"workers", "peak_memory_bytes", "worker_peak_memory_bytes", NULL, NULL, 1, "The largest resident memory of any worker."},
    {"workers", "avg_memory_per_worker_bytes", "worker_average_memory_bytes", NULL, NULL, 1, "Resident memory of a worker, averaged."},
    {"workers", "memory_utilization_pct", "memory_utilization_ratio", NULL, NULL, PERCENT, "Memory over limit."},
    {"workers", "cpu_utilization_pct", "assigned_tasks_per_core_ratio", NULL, NULL, PERCENT, "Assigned tasks, queued ones too, over cores; may exceed 1."},
    {"workers", "executing_utilization_pct", "executing_tasks_per_core_ratio", NULL, NULL, PERCENT, "Executing tasks over cores."},
    {"workers", "real_cpu_utilization_pct", "cpu_utilization_ratio", NULL, NULL, PERCENT, "CPU time of the workers' processes over cores, by Dask."},
    {"workers", "spilled_bytes", "spilled_bytes", NULL, NULL, 1, "Results spilled to disk, averaged."},
    {"workers", "managed_bytes", "managed_memory_bytes", NULL, NULL, 1, "Results in memory, by Dask's estimate, averaged."},
    {"workers", "unmanaged_bytes", "unmanaged_memory_bytes", NULL, NULL, 1, "Memory that is no result, averaged."},
    {"workers", "event_loop_stall_s", "event_loop_stall_seconds", NULL, NULL, 1, "Stalls of the event loop."},

    {"efficiency", "thread_cpu_efficiency", "thread_cpu_efficiency_ratio", NULL, NULL, 1, "CPU time of tasks over wall time and cores."},
    {"efficiency", "core_efficiency", "core_efficiency_ratio", NULL, NULL, 1, "Time inside process() over wall time and cores: waiting counts as busy."},
    {"efficiency", "speedup_factor", "speedup_ratio", NULL, NULL, 1, "Time inside process() over wall time."},
    {"efficiency", "io_wait_pct", "io_wait_ratio", NULL, NULL, PERCENT, "Waits for files over the time of tasks."},
    {"efficiency", "wasted_wall_s", "wasted_task_seconds_total", NULL, NULL, 1, "Time of tasks whose result was not used."},
    {"efficiency", "wasted_cpu_s", "wasted_cpu_seconds_total", NULL, NULL, 1, "CPU time of tasks whose result was not used."},
    {"efficiency", "wasted_bytes", "wasted_read_bytes_total", NULL, NULL, 1, "Bytes read by tasks whose result was not used."},

    {"time_budget", "task_cpu_s", "thread_seconds_total", "part", "task_cpu", 1, THREAD_HELP},
#define X(id, name, label, text, needs, source) {"time_budget", name, "thread_seconds_total", "part", name, 1, THREAD_HELP},
    CUP_WAITS(X)
#undef X
    {"time_budget", "other_task_s", "thread_seconds_total", "part", "other_task", 1, THREAD_HELP},
    {"time_budget", "unfinished_task_s", "thread_seconds_total", "part", "unfinished_task", 1, THREAD_HELP},
    {"time_budget", "dask_between_tasks_s", "thread_seconds_total", "part", "dask_between_tasks", 1, THREAD_HELP},
    {"time_budget", "idle_s", "thread_seconds_total", "part", "idle", 1, THREAD_HELP},
#define X(id, name, label, text, needs, source) {"fine", name, "task_wait_seconds_total", "wait", name, 1, WAIT_HELP},
    CUP_WAITS(X)
#undef X
    {"fine", "thread_cpu_s", "dask_activity_seconds_total", "activity", "thread-cpu", 1, DASK_SECONDS_HELP},
    {"fine", "thread_noncpu_s", "dask_activity_seconds_total", "activity", "thread-noncpu", 1, DASK_SECONDS_HELP},
    {"fine", "compress_s", "dask_activity_seconds_total", "activity", "compress", 1, DASK_SECONDS_HELP},
    {"fine", "decompress_s", "dask_activity_seconds_total", "activity", "decompress", 1, DASK_SECONDS_HELP},
    {"fine", "serialize_s", "dask_activity_seconds_total", "activity", "serialize", 1, DASK_SECONDS_HELP},
    {"fine", "deserialize_s", "dask_activity_seconds_total", "activity", "deserialize", 1, DASK_SECONDS_HELP},
    {"fine", "network_s", "dask_activity_seconds_total", "activity", "network", 1, DASK_SECONDS_HELP},
    {"fine", "executor_s", "dask_activity_seconds_total", "activity", "executor", 1, DASK_SECONDS_HELP},
    {"fine", "other_s", "dask_activity_seconds_total", "activity", "other", 1, DASK_SECONDS_HELP},
    {"fine", "disk_read_bytes", "dask_activity_bytes_total", "activity", "disk-read", 1, DASK_BYTES_HELP},
    {"fine", "disk_write_bytes", "dask_activity_bytes_total", "activity", "disk-write", 1, DASK_BYTES_HELP},
    {"fine", "memory_read_bytes", "dask_activity_bytes_total", "activity", "memory-read", 1, DASK_BYTES_HELP},

    {"attribution", "bytes_total", "measured_bytes_total", NULL, NULL, 1, "Bytes read in workers, with a task or without."},
    {"attribution", "bytes_attributed", "attributed_bytes_total", NULL, NULL, 1, "Of them, those that have a task."},
    {"health", "logs_read", "logs", "state", "read", 1, "Logs of the profile."},
    {"health", "logs_damaged", "logs", "state", "damaged", 1, "Logs of the profile."},
    {"health", "logs_unreadable", "logs", "state", "unreadable", 1, "Logs of the profile."},
    {"health", "tasks_unfinished", "unfinished_tasks_total", NULL, NULL, 1, "Tasks that never ended: their process was killed, crashed or still runs."},
    {"health", "measuring_share", "measuring_ratio", NULL, NULL, 1, "Cost of the measurement at begins and ends of tasks over the time of tasks."},
};
/* clang-format on */
const size_t cup_prometheus_figure_count =
    sizeof cup_prometheus_figures / sizeof *cup_prometheus_figures;
