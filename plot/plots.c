#include "plot/plots.h"

/* One row for each plot: X(DATA, CHART, OF, name, title, question). Its data are made by
 * cup_data_DATA(), in DATA.c, data_DATA.c, or next to data of the same kind; cup_chart_CHART()
 * draws them. OF: enum cup_plot_of. Plots of one maker differ in name only: the maker looks it up
 * in a table of its own. */
#define PLOTS(X)                                                                                   \
    X(worker_count, curves, ALL_TASKS, "worker-count", "Workers and data rate",                    \
      "How many workers and threads were there, and how fast was data read?")                      \
    X(data_rate, curves, ALL_TASKS, "data-rate", "Data read over time",                            \
      "How fast were data files read and written over time?")                                      \
    X(efficiency_summary, rows, SUMS, "efficiency-summary", "Efficiency of the run",               \
      "How much of the workers' threads, CPU and memory was used?")                                \
    X(time_budget, time_budget, SUMS, "time-budget", "Where the threads' time went",               \
      "What did the workers' threads spend their time on, and what did they wait for?")            \
    X(task_stream, task_stream, SINGLE_TASKS, "task-stream", "Tasks on the threads",               \
      "What did each worker thread do when, and how much of each task was CPU, I/O and GIL?")      \
    X(runtime_events, runtime_events, ALL_TASKS, "runtime-events", "Chunk time against events",    \
      "Does the time of a chunk grow with its events, and which chunks stand out?")                \
    X(event_rate, curves, ALL_TASKS, "event-rate", "Event rate",                                   \
      "How many events a second were processed over time, in total and per busy thread?")          \
    X(progress, progress, ALL_TASKS, "progress", "Events done over time",                          \
      "When were 50 %, 90 % and 99 % of the events done, and how long was the tail?")              \
    X(resource_utilization, curves, ALL_TASKS, "resource-utilization",                             \
      "Use of the workers over time", "Did the run lack threads, CPU or memory, and when?")        \
    X(sampled, curves, SUMS, "memory-utilization", "Memory of the workers",                        \
      "How close did the workers come to their memory limits?")                                    \
    X(sampled, curves, SUMS, "cpu-utilization", "CPU use of the workers",                          \
      "How much CPU did the workers use?")                                                         \
    X(worker_activity, per_worker, ALL_TASKS, "worker-activity", "Activity of each worker",        \
      "Which workers ran tasks, and when were they idle?")                                         \
    X(per_worker, per_worker, SUMS, "memory-per-worker", "Memory of each worker",                  \
      "Which workers came close to their memory limits, and when?")                                \
    X(per_worker, per_worker, SUMS, "cpu-per-worker", "CPU use of each worker",                    \
      "Which workers used their CPU, and when?")                                                   \
    X(heap_rss, curves, ALL_TASKS, "heap-rss", "Memory of the workers by use",                     \
      "How much of the workers' memory was results, heap of tasks, and neither?")                  \
    X(peak_memory_events, peak_memory_events, ALL_TASKS, "peak-memory-events",                     \
      "Peak memory against events",                                                                \
      "How much memory does a chunk need for its events, and how far is that from the limit?")     \
    X(gil_pressure, curves, SUMS, "gil-pressure", "Threads waiting for the GIL",                   \
      "How many threads waited for the GIL, and for files, over time?")                            \
    X(sampled, curves, SUMS, "executing-tasks", "Running tasks",                                   \
      "How many tasks ran at the same time?")                                                      \
    X(sampled, curves, SUMS, "active-tasks", "Tasks assigned to workers",                          \
      "How many tasks did the workers have, running or queued?")                                   \
    X(sampled, curves, SUMS, "occupancy", "Occupancy of the workers",                              \
      "How much work was assigned to the workers, by the scheduler's estimate?")                   \
    X(chunk_runtime, chunk_runtime, ALL_TASKS, "chunk-runtime", "Chunk times",                     \
      "How long do chunks take, and how much longer do the slowest take?")                         \
    X(task_cpu, task_cpu, SUMS, "task-cpu", "Time of the tasks, by prefix",                        \
      "How much of the time of tasks was CPU, and what was the rest, by prefix?")                  \
    X(task_bytes, task_bytes, ALL_TASKS, "task-bytes", "Bytes read by each task",                  \
      "How much did the tasks of each prefix read from files and sockets?")                        \
    X(task_overhead, rows, SUMS, "task-overhead", "Overhead around the tasks",                     \
      "How long did Dask itself take for a task: transfers, (de)serialising, event loop?")         \
    X(wasted_work, rows, SUMS, "wasted-work", "Wasted work",                                       \
      "How much time went into tasks whose results were not used, and why?")                       \
    X(hosts, rows, SUMS, "hosts", "Event rate of the hosts",                                       \
      "Which hosts are slower than others with the same processor?")                               \
    X(scaling, scaling, ALL_TASKS, "scaling", "Rate against busy threads",                         \
      "Did more busy threads make the run faster?")                                                \
    X(branches_per_chunk, branches_per_chunk, ALL_TASKS, "branches-per-chunk",                     \
      "Branches read per chunk", "How many branches does a chunk read, by dataset?")               \
    X(bytes_per_chunk, bytes_per_chunk, ALL_TASKS, "bytes-per-chunk", "Bytes read per chunk",      \
      "How many bytes of baskets does a chunk read, and how many were delivered for them?")        \
    X(compression_ratio, compression_ratio, SUMS, "compression-ratio",                             \
      "Compression of the branches read",                                                          \
      "Which branches take the most bytes, how well are they compressed, and with what?")          \
    X(compression_ratio_files, compression_ratio_files, SUMS, "compression-ratio-files",           \
      "Compression of the files read", "How well compressed is what was read of each file?")       \
    X(share_read, share_read, ALL_TASKS, "share-read", "Share of the files that was read",         \
      "How much of the files' trees was read, in bytes and in branches?")                          \
    X(share_read_branches, rows, ALL_TASKS, "share-read-branches",                                 \
      "Share of each branch that was read",                                                        \
      "Which branches were read completely, and which in part (with --files)?")                    \
    X(access_sizes, rows, SUMS, "access-sizes", "Sizes of the reads",                              \
      "Were files read in few large or in many small pieces?")                                     \
    X(io_map, io_map, SINGLE_TASKS, "io-map", "Where the files were read, and when",               \
      "Were files read in order or with jumps, and what was read twice?")                          \
    X(servers, rows, SUMS, "servers", "Bytes by storage server",                                   \
      "Which servers did the data come from, and in how large pieces?")                            \
    X(server_rate, server_rate, ALL_TASKS, "server-rate", "Data rate by storage server",           \
      "How much did each server deliver over time?")                                               \
    X(open_latency, open_latency, SUMS, "open-latency", "Time to open files",                      \
      "How long did it take to open files or to connect, and how often did it fail?")              \
    X(server_latency, server_latency, ALL_TASKS, "server-latency", "Latency of storage servers",   \
      "How long did requests to each server take over time?")                                      \
    X(server_latency, server_latency, ALL_TASKS, "server-quantiles",                               \
      "Latency of storage servers, quantiles",                                                     \
      "Which server is slow for a few requests, and which for most?")                              \
    X(server_hosts, server_hosts, ALL_TASKS, "server-hosts",                                       \
      "Latency from each host to each server",                                                     \
      "Is a server slow for all hosts, or a host for all servers?")                                \
    X(flame, flame, SUMS, "flame-cpu", "CPU time by function",                                     \
      "Which functions use the tasks' CPU time, and who calls them?")                              \
    X(flame, flame, SUMS, "flame-wait", "Waits by function",                                       \
      "Which functions do tasks wait in, and who calls them?")                                     \
    X(flame, flame, SUMS, "flame-read", "Bytes read by function",                                  \
      "Which functions read the data, and who calls them?")                                        \
    X(flame, flame, SUMS, "flame-alloc", "Bytes allocated by function",                            \
      "Which functions allocate memory, and who calls them?")

#define RUN_PLOTS(X)                                                                               \
    X(compare, compare, SUMS, "compare", "Runs compared",                                          \
      "Several runs: which key figures got better or worse, and by how much?")                     \
    X(compare_budget, rows, SUMS, "compare-budget", "Where the threads' time went, by run",        \
      "Several runs: what did the threads of each run spend their time on?")                       \
    X(compare_runtime, compare_runtime, SUMS, "compare-runtime", "Chunk times, by run",            \
      "Several runs: are chunks faster, all of them or only some?")                                \
    X(compare_scaling, compare_scaling, SUMS, "compare-scaling",                                   \
      "Throughput against cluster size",                                                           \
      "Several runs: how does throughput grow with cores or workers, and how far is it from "      \
      "ideal?")                                                                                    \
    X(compare_flame, flame, SUMS, "compare-flame-cpu", "Change of CPU time by function",           \
      "Two runs: which functions take more or less CPU time per event?")                           \
    X(compare_flame, flame, SUMS, "compare-flame-wait", "Change of waits by function",             \
      "Two runs: which functions wait more or less per event?")                                    \
    X(compare_flame, flame, SUMS, "compare-flame-read", "Change of bytes read by function",        \
      "Two runs: which functions read more or less per event?")                                    \
    X(compare_flame, flame, SUMS, "compare-flame-alloc", "Change of bytes allocated by function",  \
      "Two runs: which functions allocate more or less per event?")

#define X(data, chart, of, name, title, answers)                                                   \
    const void *cup_data_##data(struct cup_plot_input *input);                                     \
    void cup_chart_##chart(struct cup_figure *figure, const void *values);
PLOTS(X)
RUN_PLOTS(X)
#undef X

#define X(data, chart, of, name, title, answers)                                                   \
    {name, title, answers, cup_data_##data, cup_chart_##chart, CUP_PLOT_OF_##of},
static const struct cup_plot plots[] = {PLOTS(X)};
static const struct cup_plot run_plots[] = {RUN_PLOTS(X)};
#undef X

const char *const cup_main_plots[CUP_MAIN_PLOTS] = {"time-budget", "task-stream", "event-rate",
                                                    "runtime-events", "flame-cpu"};

const struct cup_plot_table cup_plots = {plots, sizeof plots / sizeof *plots};
const struct cup_plot_table cup_run_plots = {run_plots, sizeof run_plots / sizeof *run_plots};
