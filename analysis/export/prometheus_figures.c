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
    {CUP_METRIC_T_START, "run_start_timestamp_seconds", NULL, NULL, 1, "When the run began."},
    {CUP_METRIC_T_STOP, "run_stop_timestamp_seconds", NULL, NULL, 1, "When the run ended."},
    {CUP_METRIC_WALL_TIME, "run_duration_seconds", NULL, NULL, 1, "How long the run took."},
    {CUP_METRIC_GRAPH_S, "stage_duration_seconds", "stage", "graph", 1, STAGE_HELP},
    {CUP_METRIC_PREPROCESS_S, "stage_duration_seconds", "stage", "preprocess", 1, STAGE_HELP},
    {CUP_METRIC_PROCESS_S, "stage_duration_seconds", "stage", "process", 1, STAGE_HELP},
    {CUP_METRIC_TAIL_S, "stage_duration_seconds", "stage", "tail", 1, STAGE_HELP},
    {CUP_METRIC_MERGE_S, "stage_duration_seconds", "stage", "merge", 1, STAGE_HELP},
    {CUP_METRIC_NUM_CHUNKS, "chunks_total", NULL, NULL, 1, "Different chunks that succeeded."},
    {CUP_METRIC_NUM_FAILED_CHUNKS, "failed_chunk_attempts_total", NULL, NULL, 1, "Attempts at chunks that erred."},
    {CUP_METRIC_NUM_RETRIED_CHUNKS, "retried_chunks_total", NULL, NULL, 1, "Chunks with more than one attempt."},
    {CUP_METRIC_TOTAL_EVENTS, "events_total", NULL, NULL, 1, "Events of the chunks that succeeded."},
    {CUP_METRIC_TOTAL_EVENTS_COFFEA, "coffea_events_total", NULL, NULL, 1, "Events, as Coffea's report counts them."},
    {CUP_METRIC_TOTAL_CPU_TIME, "process_seconds_total", NULL, NULL, 1, "Wall time inside process(), summed over chunks (Coffea's processtime)."},
    {CUP_METRIC_TOTAL_TASK_TIME, "task_seconds_total", NULL, NULL, 1, "Wall time of all tasks that ended."},
    {CUP_METRIC_TOTAL_THREAD_CPU_TIME, "task_cpu_seconds_total", NULL, NULL, 1, "CPU time of all tasks and of the threads that helped them."},
    {CUP_METRIC_TOTAL_BYTES_READ_COFFEA, "requested_bytes_total", NULL, NULL, 1, "Bytes that uproot requested (Coffea's bytesread)."},
    {CUP_METRIC_TOTAL_BYTES_READ, "read_bytes_total", NULL, NULL, 1, "Bytes delivered to tasks: data files, mapped files, sockets."},
    {CUP_METRIC_WIRE_BYTES, "received_bytes_total", NULL, NULL, 1, "Bytes that sockets delivered in workers, Dask's own apart."},
    {CUP_METRIC_BYTES_READ_COMPRESSED, "basket_compressed_bytes_total", NULL, NULL, 1, "Baskets read, compressed."},
    {CUP_METRIC_BYTES_READ_UNCOMPRESSED, "basket_uncompressed_bytes_total", NULL, NULL, 1, "Baskets read, uncompressed."},
    {CUP_METRIC_COMPRESSION_RATIO, "basket_compression_ratio", NULL, NULL, 1, "Uncompressed over compressed bytes of the baskets read."},
    {CUP_METRIC_BASKETS, "baskets_total", NULL, NULL, 1, "Baskets read, repeated reads included."},
    {CUP_METRIC_REREAD_BYTES, "basket_reread_bytes_total", NULL, NULL, 1, "Compressed bytes of baskets that the same task or another had read before."},
    {CUP_METRIC_INCIDENTAL_BYTES, "basket_incidental_bytes_total", NULL, NULL, 1, "Compressed bytes of baskets that read-ahead delivered and uproot never requested."},
    {CUP_METRIC_BRANCHES_READ, "branches_read", NULL, NULL, 1, "Different branches that were read."},
    {CUP_METRIC_BRANCHES_SHARE, "branches_read_ratio", NULL, NULL, 1, "Branches read over branches of the trees, summed up over files."},
    {CUP_METRIC_BYTES_SHARE, "tree_bytes_read_ratio", NULL, NULL, 1, "Compressed bytes of different baskets read over those of the trees."},
    {CUP_METRIC_READ_AMPLIFICATION, "read_amplification_ratio", NULL, NULL, 1, "Bytes read by chunks over bytes requested."},
    {CUP_METRIC_REQUESTED_RATE_GBPS, "throughput_bytes_per_second", "bytes", "requested", GBPS, RATE_HELP},
    {CUP_METRIC_DELIVERED_RATE_GBPS, "throughput_bytes_per_second", "bytes", "delivered", GBPS, RATE_HELP},
    {CUP_METRIC_FILE_RATE_GBPS, "throughput_bytes_per_second", "bytes", "files", GBPS, RATE_HELP},
    {CUP_METRIC_EVENT_RATE_WALL_KHZ, "events_per_second", NULL, NULL, KHZ, "Events over wall time."},
    {CUP_METRIC_EVENT_RATE_AGG_KHZ, "events_per_process_second", NULL, NULL, KHZ, "Events over time inside process()."},
    {CUP_METRIC_EVENT_RATE_CORE_HZ, "events_per_core_second", NULL, NULL, 1, "Events over wall time and cores."},

    {CUP_METRIC_AVG_WORKERS, "average_workers", NULL, NULL, 1, "Workers, averaged over the run."},
    {CUP_METRIC_PEAK_WORKERS, "peak_workers", NULL, NULL, 1, "The most workers at a time."},
    {CUP_METRIC_AVG_CORES, "average_cores", NULL, NULL, 1, "Threads of all workers, averaged over the run."},
    {CUP_METRIC_PEAK_MEMORY_BYTES, "worker_peak_memory_bytes", NULL, NULL, 1, "The largest resident memory of any worker."},
    {CUP_METRIC_AVG_MEMORY_PER_WORKER_BYTES, "worker_average_memory_bytes", NULL, NULL, 1, "Resident memory of a worker, averaged."},
    {CUP_METRIC_MEMORY_UTILIZATION_PCT, "memory_utilization_ratio", NULL, NULL, PERCENT, "Memory over limit."},
    {CUP_METRIC_CPU_UTILIZATION_PCT, "assigned_tasks_per_core_ratio", NULL, NULL, PERCENT, "Assigned tasks, queued ones too, over cores; may exceed 1."},
    {CUP_METRIC_EXECUTING_UTILIZATION_PCT, "executing_tasks_per_core_ratio", NULL, NULL, PERCENT, "Executing tasks over cores."},
    {CUP_METRIC_REAL_CPU_UTILIZATION_PCT, "cpu_utilization_ratio", NULL, NULL, PERCENT, "CPU time of the workers' processes over cores, by Dask."},
    {CUP_METRIC_SPILLED_BYTES, "spilled_bytes", NULL, NULL, 1, "Results spilled to disk, averaged."},
    {CUP_METRIC_MANAGED_BYTES, "managed_memory_bytes", NULL, NULL, 1, "Results in memory, by Dask's estimate, averaged."},
    {CUP_METRIC_UNMANAGED_BYTES, "unmanaged_memory_bytes", NULL, NULL, 1, "Memory other than results, averaged."},
    {CUP_METRIC_EVENT_LOOP_STALL_S, "event_loop_stall_seconds", NULL, NULL, 1, "Stalls of the event loop."},

    {CUP_METRIC_THREAD_CPU_EFFICIENCY, "thread_cpu_efficiency_ratio", NULL, NULL, 1, "CPU time of tasks over wall time and cores."},
    {CUP_METRIC_CORE_EFFICIENCY, "core_efficiency_ratio", NULL, NULL, 1, "Time inside process() over wall time and cores: waiting counts as busy."},
    {CUP_METRIC_SPEEDUP_FACTOR, "speedup_ratio", NULL, NULL, 1, "Time inside process() over wall time."},
    {CUP_METRIC_IO_WAIT_PCT, "io_wait_ratio", NULL, NULL, PERCENT, "Waits for files over the time of tasks."},
    {CUP_METRIC_WASTED_WALL_S, "wasted_task_seconds_total", NULL, NULL, 1, "Time of tasks whose result was not used."},
    {CUP_METRIC_WASTED_CPU_S, "wasted_cpu_seconds_total", NULL, NULL, 1, "CPU time of tasks whose result was not used."},
    {CUP_METRIC_WASTED_BYTES, "wasted_read_bytes_total", NULL, NULL, 1, "Bytes read by tasks whose result was not used."},

    {CUP_METRIC_TASK_CPU_S, "thread_seconds_total", "part", "task_cpu", 1, THREAD_HELP},
#define X(id, name, label, text, needs, source) {CUP_METRIC_BUDGET_##id, "thread_seconds_total", "part", name, 1, THREAD_HELP},
    CUP_WAITS(X)
#undef X
    {CUP_METRIC_OTHER_TASK_S, "thread_seconds_total", "part", "other_task", 1, THREAD_HELP},
    {CUP_METRIC_UNFINISHED_TASK_S, "thread_seconds_total", "part", "unfinished_task", 1, THREAD_HELP},
    {CUP_METRIC_DASK_BETWEEN_TASKS_S, "thread_seconds_total", "part", "dask_between_tasks", 1, THREAD_HELP},
    {CUP_METRIC_IDLE_S, "thread_seconds_total", "part", "idle", 1, THREAD_HELP},
#define X(id, name, label, text, needs, source) {CUP_METRIC_WAITED_##id, "task_wait_seconds_total", "wait", name, 1, WAIT_HELP},
    CUP_WAITS(X)
#undef X
    {CUP_METRIC_THREAD_CPU_S, "dask_activity_seconds_total", "activity", "thread-cpu", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_THREAD_NONCPU_S, "dask_activity_seconds_total", "activity", "thread-noncpu", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_COMPRESS_S, "dask_activity_seconds_total", "activity", "compress", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_DECOMPRESS_S, "dask_activity_seconds_total", "activity", "decompress", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_SERIALIZE_S, "dask_activity_seconds_total", "activity", "serialize", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_DESERIALIZE_S, "dask_activity_seconds_total", "activity", "deserialize", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_NETWORK_S, "dask_activity_seconds_total", "activity", "network", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_EXECUTOR_S, "dask_activity_seconds_total", "activity", "executor", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_OTHER_S, "dask_activity_seconds_total", "activity", "other", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_DISK_READ_BYTES, "dask_activity_bytes_total", "activity", "disk-read", 1, DASK_BYTES_HELP},
    {CUP_METRIC_DISK_WRITE_BYTES, "dask_activity_bytes_total", "activity", "disk-write", 1, DASK_BYTES_HELP},
    {CUP_METRIC_MEMORY_READ_BYTES, "dask_activity_bytes_total", "activity", "memory-read", 1, DASK_BYTES_HELP},

    {CUP_METRIC_BYTES_TOTAL, "measured_bytes_total", NULL, NULL, 1, "Bytes read in workers, attributed to a task or not."},
    {CUP_METRIC_BYTES_ATTRIBUTED, "attributed_bytes_total", NULL, NULL, 1, "Bytes read in workers that were attributed to a task."},
    {CUP_METRIC_LOGS_READ, "logs", "state", "read", 1, "Logs of the profile."},
    {CUP_METRIC_LOGS_DAMAGED, "logs", "state", "damaged", 1, "Logs of the profile."},
    {CUP_METRIC_LOGS_UNREADABLE, "logs", "state", "unreadable", 1, "Logs of the profile."},
    {CUP_METRIC_TASKS_UNFINISHED, "unfinished_tasks_total", NULL, NULL, 1, "Tasks that never ended: their process was killed, crashed or still runs."},
    {CUP_METRIC_MEASURING_SHARE, "measuring_ratio", NULL, NULL, 1, "Cost of the measurement at begins and ends of tasks over the time of tasks."},
};
/* clang-format on */
const size_t cup_prometheus_figure_count =
    sizeof cup_prometheus_figures / sizeof *cup_prometheus_figures;
