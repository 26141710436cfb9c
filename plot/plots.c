#include "plot/plots.h"

/* One row for each plot: X(DATA, CHART, name, title, question). Its data are made by
 * cup_data_DATA(), in data_DATA.c or beside data of the same kind; cup_chart_CHART() draws them. */
#define PLOTS(X)                                                                                   \
    X(worker_count, worker_count, "worker-count", "Workers and data rate",                         \
      "how many workers and threads were there, and how fast data were read")                      \
    X(data_rate, curves, "data-rate", "Data read over time",                                       \
      "how fast data files were read and written, at the time when they were")                     \
    X(efficiency_summary, rows, "efficiency-summary", "Efficiency of the run",                     \
      "how much of the threads, the CPU and the memory of the workers was used")                   \
    X(time_budget, time_budget, "time-budget", "Where the threads' time went",                     \
      "how much of the workers' threads was used, and what they waited for")                       \
    X(task_stream, task_stream, "task-stream", "Tasks on the threads",                             \
      "what each worker thread did when, and how much of each task was CPU, I/O and GIL")          \
    X(runtime_events, runtime_events, "runtime-events", "Chunk time against events",               \
      "does a chunk's time grow with its events, and which chunks stand out")                      \
    X(event_rate, event_rate, "event-rate", "Event rate",                                          \
      "how many events a second were done over time, in all and by each busy thread")              \
    X(progress, progress, "progress", "Events done over time",                                     \
      "when half, 90 % and 99 % of the events were done: how long the tail is")                    \
    X(resource_utilization, curves, "resource-utilization", "Use of the workers over time",        \
      "whether threads, CPU or memory were what the run was short of, and when")                   \
    X(memory_utilization, sampled, "memory-utilization", "Memory of the workers",                  \
      "how near the workers came to their memory limits")                                          \
    X(cpu_utilization, sampled, "cpu-utilization", "CPU use of the workers",                       \
      "how much CPU the workers' processes used")                                                  \
    X(worker_activity, per_worker, "worker-activity", "Activity of each worker",                   \
      "which workers ran tasks, and when they had nothing to do")                                  \
    X(memory_per_worker, per_worker, "memory-per-worker", "Memory of each worker",                 \
      "which workers came near their memory limits, and when")                                     \
    X(cpu_per_worker, per_worker, "cpu-per-worker", "CPU use of each worker",                      \
      "which workers were busy, and when")                                                         \
    X(heap_rss, curves, "heap-rss", "Memory of the workers, and whose it is",                      \
      "how much of the workers' memory is results, how much the heap of tasks, how much neither")  \
    X(peak_memory_events, peak_memory_events, "peak-memory-events", "Peak memory against events",  \
      "how much memory a chunk needs for its events, and how far that is from the limit")          \
    X(gil_pressure, gil_pressure, "gil-pressure", "Threads that wait for the GIL",                 \
      "how many threads waited for the interpreter's lock, and for files, over time")              \
    X(executing_tasks, sampled, "executing-tasks", "Tasks that run",                               \
      "how many tasks ran at the same time")                                                       \
    X(active_tasks, sampled, "active-tasks", "Tasks assigned to workers",                          \
      "how many tasks the workers had, queued ones too")                                           \
    X(occupancy, sampled, "occupancy", "Occupancy of the workers",                                 \
      "how much work the scheduler took to be assigned")                                           \
    X(chunk_runtime, chunk_runtime, "chunk-runtime", "Chunk times",                                \
      "how long chunks take, and how far the slow ones are from the others")                       \
    X(task_cpu, task_cpu, "task-cpu", "Time of the tasks, by prefix",                              \
      "how much of the tasks of each prefix was CPU, and what the rest was")                       \
    X(task_bytes, task_bytes, "task-bytes", "Bytes read by each task",                             \
      "how much the tasks of each prefix read from files and sockets")                             \
    X(task_overhead, rows, "task-overhead", "Overhead around the tasks",                           \
      "what Dask itself took for a task of each prefix: transfers, (de)serialising, its loop")     \
    X(wasted_work, rows, "wasted-work", "Work without use",                                        \
      "how much time went into tasks whose results were not used, and why")                        \
    X(hosts, rows, "hosts", "Event rate of the hosts",                                             \
      "which hosts are slower than others with the same processor")                                \
    X(scaling, scaling, "scaling", "Rate against busy threads",                                    \
      "whether more busy threads still made the run faster")                                       \
    X(branches_per_chunk, branches_per_chunk, "branches-per-chunk", "Branches read per chunk",     \
      "how many branches a chunk reads, by dataset")                                               \
    X(bytes_per_chunk, bytes_per_chunk, "bytes-per-chunk", "Bytes read per chunk",                 \
      "how many bytes of baskets a chunk reads, and how much was delivered for them")              \
    X(compression_ratio, compression_ratio, "compression-ratio",                                   \
      "Compression of the branches read",                                                          \
      "which branches most bytes are of, how well they compress, and by what")                     \
    X(compression_ratio_files, compression_ratio_files, "compression-ratio-files",                 \
      "Compression of the files read", "how well what was read of each file compresses")           \
    X(share_read, share_read, "share-read", "Share of the files that was read",                    \
      "how much of the files' trees was read: bytes and branches")                                 \
    X(share_read_branches, rows, "share-read-branches", "Share of each branch that was read",      \
      "of which branches all was read, and of which only a part (with --files)")                   \
    X(access_sizes, rows, "access-sizes", "Sizes of the reads",                                    \
      "whether files were read in few large or in many small pieces")                              \
    X(io_map, io_map, "io-map", "Where the files were read, and when",                             \
      "are files read in order or with jumps, and what is read twice")                             \
    X(servers, rows, "servers", "Bytes by storage server",                                         \
      "which servers the data came from, and in how large pieces")                                 \
    X(server_rate, server_rate, "server-rate", "Data rate by storage server",                      \
      "how much each server delivered over time")                                                  \
    X(open_latency, open_latency, "open-latency", "Time to open files",                            \
      "how long it took to open files, or to connect, at each server, and how often it failed")    \
    X(flame_cpu, flame, "flame-cpu", "CPU time by function",                                       \
      "which functions the tasks' CPU time goes to, and who calls them")                           \
    X(flame_wait, flame, "flame-wait", "Waits by function",                                        \
      "which functions the tasks wait in, and who calls them")                                     \
    X(flame_read, flame, "flame-read", "Bytes read by function",                                   \
      "which functions read the data, and for whom")                                               \
    X(flame_alloc, flame, "flame-alloc", "Bytes allocated by function",                            \
      "which functions allocate memory, and for whom")

#define RUN_PLOTS(X)                                                                               \
    X(compare, compare, "compare", "Runs compared",                                                \
      "several runs: which key figures got better or worse, and by how much")                      \
    X(compare_budget, rows, "compare-budget", "Where the threads' time went, by run",              \
      "several runs: what the threads' time was used for in each")                                 \
    X(compare_runtime, compare_runtime, "compare-runtime", "Chunk times, by run",                  \
      "several runs: are chunks faster, all of them or only some")                                 \
    X(compare_scaling, compare_scaling, "compare-scaling", "Throughput against size",              \
      "several runs: how throughput grows with cores or workers, and how far it is from ideal")    \
    X(compare_flame_cpu, flame, "compare-flame-cpu", "Change of CPU time by function",             \
      "several runs: which functions of two take more or less CPU time for an event")              \
    X(compare_flame_wait, flame, "compare-flame-wait", "Change of waits by function",              \
      "several runs: which functions of two wait more or less for an event")                       \
    X(compare_flame_read, flame, "compare-flame-read", "Change of bytes read by function",         \
      "several runs: which functions of two read more or less for an event")                       \
    X(compare_flame_alloc, flame, "compare-flame-alloc", "Change of bytes allocated by function",  \
      "several runs: which functions of two allocate more or less for an event")

#define X(data, chart, name, title, answers)                                                       \
    const void *cup_data_##data(struct cup_plot_input *input);                                     \
    void cup_chart_##chart(struct cup_figure *figure, const void *data);
PLOTS(X)
RUN_PLOTS(X)
#undef X

#define X(data, chart, name, title, answers)                                                       \
    {name, title, answers, cup_data_##data, cup_chart_##chart},
static const struct cup_plot plots[] = {PLOTS(X)};
static const struct cup_plot run_plots[] = {RUN_PLOTS(X)};
#undef X

const struct cup_plot_table cup_plots = {plots, sizeof plots / sizeof *plots};
const struct cup_plot_table cup_run_plots = {run_plots, sizeof run_plots / sizeof *run_plots};
