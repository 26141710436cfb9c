/* The log of one process. This header is the contract between the writer (preload/) and the reader
 * (analysis/). docs/contributing/log-format.md gives the reasons and an example.
 *
 * A log consists of three parts: one struct cup_log_header; regions, which the process updates in
 * place while it lives (header.regions states where they are); and records, which are only
 * appended, from header.records_offset to header.records_end. The process writes all of it through
 * a MAP_SHARED mapping: if it is killed, everything that it has stored so far is in the file.
 *
 * Which change needs a new version?
 * - These changes need none: a new type of record, a new region, a new counter or value at the end
 *   of its list, a new field at the end of a record's fixed part. Readers skip types that they do
 *   not know. If a fixed part is shorter than a reader knows it, the missing fields are 0; if it
 *   is longer, the reader ignores the rest.
 * - Any change of the meaning, order or size of what exists needs a new CUP_LOG_VERSION. If
 *   readers of the previous version would read such a log wrongly, CUP_LOG_MIN_READER becomes the
 *   new version as well.
 *
 * Units: names that end in _ns are nanoseconds. Times are CLOCK_REALTIME, since the epoch. Sizes
 * are bytes. Integers have the byte order of the writer's machine, see header.byte_order.
 *
 * The lists of rows X(...) are X macros: enums, names, checks and tables are made from them, so
 * each fact is stated only once. */
#pragma once

#include <stdint.h>

#define CUP_LOG_MAGIC "CUPPING\n" /* 8 bytes, no NUL */
#define CUP_LOG_BYTE_ORDER 0x01020304u
/* Since 6, fixed parts may be packed, and buckets have a list; since 8, rows of STACK_USE are
 * shorter. Older readers would take such records for damage. */
#define CUP_LOG_VERSION 8
#define CUP_LOG_MIN_READER 8
#define CUP_LOG_SUMMED 9      /* as 8, with SUM records: a merge wrote it, no process does */
#define CUP_LOG_OLDEST 2      /* oldest version that this reader reads; it skips the samples of 2 */
#define CUP_LOG_SERVERS 4     /* since 4, read_*_bytes include what servers sent to sockets */
#define CUP_LOG_SUMMED_4 5    /* as 4, with SUM records */
#define CUP_LOG_SUMMED_6 7    /* as 6, with SUM records */
#define CUP_LOG_SUFFIX ".cup" /* HOST-PID-STARTNS.cup in the profile directory */
/* An empty file beside a log, whose name it continues: the file system refused to store parts of
 * the log that it had taken before. */
#define CUP_LOG_REFUSED ".refused"

/* Make tables from lists with such columns: {CUP_SERIES(CUP_NAME_OF)} is an array of names. */
#define CUP_NAME_OF(id, name, ...) name,
#define CUP_TEXT_OF(id, name, text) text,

#define CUP_UNKNOWN64 UINT64_MAX /* "not known", in fields whose comment says so */

/* ---- counters ------------------------------------------------------------------------------ */

/* Attribution methods: how a thread's bytes were attributed to a task, strongest evidence first. */
#define CUP_METHODS(X)                                                                             \
    X(OWN, "own", "the reading thread runs the task")                                              \
    X(CONTEXT, "context", "Python's context in the reading thread")                                \
    X(DESCRIPTOR, "descriptor", "opened by the task, and used by it alone")                        \
    X(HANDOFF, "handoff", "work handed over by a semaphore, Future or queue")                      \
    X(INHERITED, "inherited", "the thread was started by the task")                                \
    X(SOLE, "sole", "no other task ran in the process")                                            \
    X(NONE, "none", "no task could be named without guessing")
enum cup_method {
#define X(id, name, text) CUP_METHOD_##id,
    CUP_METHODS(X)
#undef X
        CUP_METHOD_COUNT
};

/* The counters of a block: what one thread did for one task (task 0: for no task that is known).
 * X(id, name, kind, needs, what).
 *
 * KIND: how the values of several blocks are combined. SUM: they are added up. MAX: the value is
 * the peak of one block; peaks are added up, too, which gives an upper bound. LARGEST: only the
 * largest value counts. NEEDS: the features without which the counter means nothing
 * (cup_counter_needs()).
 *
 * A wait is the wall time of a call that blocks, less its CPU time, less its run delay. No
 * nanosecond is in two waits. The five counters from IO_WAIT_NS on are in the order of enum
 * cup_wait_class. */
#define CUP_COUNTERS(X)                                                                            \
    X(READ_OWN_BYTES, "read_own_bytes", SUM, FILES,                                                \
      "data files and servers: read by the task's own thread")                                     \
    X(READ_CONTEXT_BYTES, "read_context_bytes", SUM, CONTEXT,                                      \
      "data files and servers: attributed by the context")                                         \
    X(READ_DESCRIPTOR_BYTES, "read_descriptor_bytes", SUM, FILES,                                  \
      "data files and servers: attributed by the descriptor")                                      \
    X(READ_HANDOFF_BYTES, "read_handoff_bytes", SUM, HANDOFF,                                      \
      "data files and servers: attributed by a hand-off, or by a request")                         \
    X(READ_INHERITED_BYTES, "read_inherited_bytes", SUM, HANDOFF,                                  \
      "data files and servers: read by a thread that the task started")                            \
    X(READ_SOLE_BYTES, "read_sole_bytes", SUM, FILES,                                              \
      "data files and servers: read while the task was the only one")                              \
    X(READ_NONE_BYTES, "read_none_bytes", SUM, FILES,                                              \
      "data files and servers: unattributed (task 0 only)")                                        \
    X(READ_CALLS, "read_calls", SUM, FILES, "calls that read data files")                          \
    X(READ_NS, "read_ns", SUM, FILES, "wall time of calls that read data files")                   \
    X(WRITE_BYTES, "write_bytes", SUM, FILES, "written to regular files")                          \
    X(WRITE_CALLS, "write_calls", SUM, FILES, "calls that wrote regular files")                    \
    X(WRITE_NS, "write_ns", SUM, FILES, "wall time of calls that wrote regular files")             \
    X(OPEN_CALLS, "open_calls", SUM, FILES, "files opened, without imports")                       \
    X(IMPORT_BYTES, "import_bytes", SUM, FILES, "read from .py, .pyc, .so and package metadata")   \
    X(IMPORT_CALLS, "import_calls", SUM, FILES, "calls that read import_bytes")                    \
    X(PIPE_BYTES, "pipe_bytes", SUM, FILES, "read from pipes and terminals")                       \
    X(SPILL_READ_BYTES, "spill_read_bytes", SUM, FILES, "Dask's spilled data read back")           \
    X(SPILL_WRITE_BYTES, "spill_write_bytes", SUM, FILES, "Dask's spilled data written")           \
    X(ALLOC_BYTES, "alloc_bytes", SUM, HEAP, "allocated, in usable size")                          \
    X(ALLOC_CALLS, "alloc_calls", SUM, HEAP, "allocations")                                        \
    X(FREED_BYTES, "freed_bytes", SUM, HEAP,                                                       \
      "freed by this thread, no matter which thread allocated it")                                 \
    X(FREE_CALLS, "free_calls", SUM, HEAP, "frees of non-NULL pointers")                           \
    X(PEAK_LIVE_BYTES, "peak_live_bytes", MAX, HEAP,                                               \
      "most bytes at a time that were allocated and not yet freed")                                \
    X(HELPER_CPU_NS, "helper_cpu_ns", SUM, HELPERS,                                                \
      "CPU time of this thread while it helped the task")                                          \
    X(MAPPED_BYTES, "mapped_bytes", SUM, MAPPED,                                                   \
      "pages of mapped files that became present: mostly an upper bound")                          \
    X(RECV_BYTES, "recv_bytes", SUM, FILES, "received from sockets other than Dask's")             \
    X(RECV_CALLS, "recv_calls", SUM, FILES, "calls that received recv_bytes")                      \
    X(SEND_BYTES, "send_bytes", SUM, FILES, "sent to sockets other than Dask's")                   \
    X(SEND_CALLS, "send_calls", SUM, FILES, "calls that sent send_bytes")                          \
    X(NET_NS, "net_ns", SUM, FILES, "wall time in the calls that received and sent")               \
    X(TRANSFER_RECV_BYTES, "transfer_recv_bytes", SUM, FILES,                                      \
      "received from Dask's own sockets (task 0 only)")                                            \
    X(TRANSFER_SEND_BYTES, "transfer_send_bytes", SUM, FILES,                                      \
      "sent to Dask's own sockets (task 0 only)")                                                  \
    X(DASK_READ_BYTES, "dask_read_bytes", SUM, FILES,                                              \
      "data files: read by Dask's own threads, for deserialising or in the event loop (task 0 "    \
      "only)")                                                                                     \
    X(SOCKET_READ_BYTES, "socket_read_bytes", SUM, FILES,                                          \
      "part of what sockets delivered: by read() and readv(), which the kernel counts as reads")   \
    X(OTHER_READ_BYTES, "other_read_bytes", SUM, FILES,                                            \
      "read from logs of the job, /proc, /sys, devices, memory files")                             \
    X(STDIO_READ_BYTES, "stdio_read_bytes", SUM, FILES,                                            \
      "part of the bytes of all files: delivered by stdio; the kernel counts the refills of its "  \
      "buffers instead")                                                                           \
    X(COPIED_BYTES, "copied_bytes", SUM, FILES,                                                    \
      "part of read_bytes: moved inside the kernel (sendfile, copy_file_range, splice)")           \
    X(IO_WAIT_NS, "io_wait_ns", SUM, WAITS, "blocked in calls on files")                           \
    X(GIL_WAIT_NS, "gil_wait_ns", SUM, GIL, "blocked by the interpreter's lock")                   \
    X(LOCK_WAIT_NS, "lock_wait_ns", SUM, WAITS,                                                    \
      "blocked by locks, conditions, the end of other threads")                                    \
    X(SLEEP_NS, "sleep_ns", SUM, WAITS, "slept")                                                   \
    X(POLL_WAIT_NS, "poll_wait_ns", SUM, WAITS, "blocked on sockets and pipes")                    \
    X(RUN_DELAY_NS, "run_delay_ns", SUM, DELAY,                                                    \
      "ready to run, without a CPU core; of helper threads only at the end of a wait")             \
    X(HELD_UP_NS, "held_up_ns", SUM, WAITS,                                                        \
      "part of the task's own waits: for a lock, while a helper waited for something else or a "   \
      "server had not answered; counted in that class")                                            \
    X(GUESSED_WAIT_NS, "guessed_wait_ns", SUM, WAITS,                                              \
      "part of the waits: calls that blocked unexpectedly, whose CPU time was estimated from "     \
      "their size")                                                                                \
    X(GIL_WAITS, "gil_waits", SUM, GIL, "number of waits for the interpreter's lock")              \
    X(MAJOR_FAULTS, "major_faults", SUM, WAITS,                                                    \
      "page faults of the task's own thread that waited for a disk")                               \
    X(MINOR_FAULTS, "minor_faults", SUM, WAITS,                                                    \
      "page faults of the task's own thread that did not wait for a disk")                         \
    X(SYSTEM_CPU_NS, "system_cpu_ns", SUM, WAITS,                                                  \
      "part of the CPU time of the task's own thread: in the kernel, by the kernel's count")       \
    X(READ_LONGEST_NS, "read_longest_ns", LARGEST, WAITS, "longest call that read a data file")    \
    X(GIL_LONGEST_NS, "gil_longest_ns", LARGEST, GIL, "longest wait for the interpreter's lock")   \
    X(REMOTE_READ_BYTES, "remote_read_bytes", SUM, FILES,                                          \
      "part of read_bytes: delivered by XRootD's client, not through a descriptor")                \
    X(WIRE_RECV_BYTES, "wire_recv_bytes", SUM, FILES,                                              \
      "received by sockets of XRootD's client, which delivers the same bytes as reads (task 0 "    \
      "only)")                                                                                     \
    X(OPEN_NS, "file_open_ns", SUM, OPENS,                                                         \
      "wall time of opening data files, failed opens included: of the call, or until the "         \
      "XRootD server answers")                                                                     \
    X(FAILED_OPENS, "failed_opens", SUM, OPENS, "opens of data files that failed")                 \
    X(PEAK_BEFORE_BYTES, "peak_before_bytes", MAX, FILES,                                          \
      "peak_live_bytes until the current section began: that has a peak of its own")               \
    X(SERVER_READ_BYTES, "server_read_bytes", SUM, SERVERS,                                        \
      "part of read_bytes and of recv_bytes: from servers, through TCP connections")
enum cup_counter {
#define X(id, name, kind, needs, what) CUP_C_##id,
    CUP_COUNTERS(X)
#undef X
        CUP_COUNTER_COUNT
};
enum { CUP_COUNTER_ROOM = 64 }; /* counters that a block has room for, for later versions */

/* What a blocked thread waits for. */
enum cup_wait_class {
    CUP_WAIT_IO,
    CUP_WAIT_GIL,
    CUP_WAIT_LOCK,
    CUP_WAIT_SLEEP,
    CUP_WAIT_POLL,
    CUP_WAIT_COUNT
};

/* Histograms of durations: counts in buckets, two buckets to each power of two. Reads are measured
 * in wall time, GIL waits in blocked time (without run delay). */
#define CUP_HISTOGRAMS(X)                                                                          \
    X(READ, "read", "calls that read data files")                                                  \
    X(GIL_WAIT, "gil_wait", "waits for the interpreter's lock")
enum cup_histogram {
#define X(id, name, text) CUP_HISTOGRAM_##id,
    CUP_HISTOGRAMS(X)
#undef X
        CUP_HISTOGRAM_COUNT
};
enum { CUP_BUCKETS = 64, CUP_BUCKETS_FROM = 8 /* the first power of two: 256 ns */ };

/* The bucket of a duration. Shorter durations are in the first bucket, longer ones in the last. */
static inline unsigned cup_bucket(uint64_t ns)
{
    if (ns >> CUP_BUCKETS_FROM == 0)
        return 0;
    unsigned power = 63u - (unsigned)__builtin_clzll(ns);
    unsigned bucket = 2 * (power - CUP_BUCKETS_FROM) + (unsigned)(ns >> (power - 1) & 1);
    return bucket < CUP_BUCKETS ? bucket : CUP_BUCKETS - 1;
}

/* The shortest duration of a bucket, in nanoseconds; of bucket CUP_BUCKETS, the end of the last. */
static inline uint64_t cup_bucket_from_ns(unsigned bucket)
{
    return bucket ? (UINT64_C(2) + bucket % 2) << (bucket / 2 + CUP_BUCKETS_FROM - 1) : 0;
}

/* What one thread did to one file for one task. */
#define CUP_FILE_COUNTERS(X)                                                                       \
    X(READ_BYTES, "read_bytes", "delivered by reads")                                              \
    X(READ_CALLS, "read_calls", "reads")                                                           \
    X(READ_NS, "read_ns", "wall time inside reads")                                                \
    X(SEQUENTIAL_CALLS, "sequential_calls", "reads that began where the one before ended")         \
    X(WRITE_BYTES, "write_bytes", "accepted by writes")                                            \
    X(WRITE_CALLS, "write_calls", "writes")                                                        \
    X(WRITE_NS, "write_ns", "wall time inside writes")                                             \
    X(OPENS, "opens", "opens whose descriptor was read or written afterwards")                     \
    X(SIZE_0_100, "size_0_100", "reads that delivered up to 100 bytes")                            \
    X(SIZE_100_1K, "size_100_1k", "reads over 100 bytes, up to 1 KiB")                             \
    X(SIZE_1K_10K, "size_1k_10k", "over 1 KiB, up to 10 KiB")                                      \
    X(SIZE_10K_100K, "size_10k_100k", "over 10 KiB, up to 100 KiB")                                \
    X(SIZE_100K_1M, "size_100k_1m", "over 100 KiB, up to 1 MiB")                                   \
    X(SIZE_1M_4M, "size_1m_4m", "over 1 MiB, up to 4 MiB")                                         \
    X(SIZE_4M_10M, "size_4m_10m", "over 4 MiB, up to 10 MiB")                                      \
    X(SIZE_10M_100M, "size_10m_100m", "over 10 MiB, up to 100 MiB")                                \
    X(SIZE_100M_1G, "size_100m_1g", "over 100 MiB, up to 1 GiB")                                   \
    X(SIZE_1G_UP, "size_1g_up", "over 1 GiB")                                                      \
    X(MAPPED_BYTES, "mapped_bytes", "pages present through mappings: mostly an upper bound")       \
    X(WAIT_NS, "wait_ns",                                                                          \
      "a server: how long tasks were blocked while a request to it was out; of several servers "   \
      "at a time, the one that answered first")                                                    \
    X(READS_FAILED, "reads_failed", "of the reads: failed; only those of XRootD's client count")   \
    X(RECONNECTS, "reconnects",                                                                    \
      "a server: of the opens, connections of a task that had had as many open before")
enum cup_file_counter {
#define X(id, name, text) CUP_F_##id,
    CUP_FILE_COUNTERS(X)
#undef X
        CUP_FILE_COUNTER_COUNT
};
enum { CUP_FILE_COUNTER_ROOM = 28 };

/* Rows of the time series. */
#define CUP_SERIES(X)                                                                              \
    X(READ_BYTES, "read_bytes", "read from data files and servers")                                \
    X(WRITE_BYTES, "write_bytes", "regular files written")                                         \
    X(READ_NS, "read_ns", "wall time inside reads of data files, all threads")                     \
    X(TASK_NS, "task_ns", "wall time of tasks, in the bin of their end")                           \
    X(TASK_CPU_NS, "task_cpu_ns", "CPU time of tasks, in the bin of their end")                    \
    X(TASKS, "tasks", "tasks ended")                                                               \
    X(IO_WAIT_NS, "io_wait_ns", "blocked in calls on files, tasks and their helpers")              \
    X(GIL_WAIT_NS, "gil_wait_ns", "blocked for the interpreter's lock, all threads")
enum cup_series_row {
#define X(id, name, text) CUP_S_##id,
    CUP_SERIES(X)
#undef X
        CUP_SERIES_COUNT
};
enum { CUP_SERIES_ROOM = 8, CUP_SERIES_BINS = 256 };

/* What the library counts about itself, per process. Values only grow, but for blocks_dropped. */
#define CUP_HEALTH(X)                                                                              \
    X(TASKS_BEGUN, "tasks_begun", "tasks that began")                                              \
    X(TASKS_ENDED, "tasks_ended", "tasks that ended")                                              \
    X(RECORDS_DROPPED, "records_dropped", "records lost: log full, disk full or limit reached")    \
    X(BLOCKS_DROPPED, "blocks_dropped", "counter blocks in use that the log had no room for")      \
    X(STRINGS_DROPPED, "strings_dropped", "strings not stored: table full (records have id 0)")    \
    X(FILES_DROPPED, "files_dropped", "files that share a record: table full")                     \
    X(ANCHOR_CALLS, "anchor_calls", "clock calls whose Python frame was read")                     \
    X(ANCHOR_NS, "anchor_ns", "time spent on anchor_calls: what begins and ends of tasks cost")    \
    X(ANCHOR_ERRORS, "anchor_errors", "frames of clock calls that were not as expected")           \
    X(FORKS, "forks", "children forked (their reads are not in this log)")                         \
    X(KERNEL_READ_START, "kernel_read_start", "rchar of /proc/self/io when the log was opened")    \
    X(KERNEL_READ_STOP, "kernel_read_stop", "that rchar when the process ended (0: not read)")     \
    X(OWN_READ_BYTES, "own_read_bytes", "read by the library itself since the log was opened")     \
    X(REAPED_READ_BYTES, "reaped_read_bytes", "rchar of children when they were waited for")       \
    X(MAPPING_NS, "mapping_ns", "time spent asking the kernel for the pages of mapped files")      \
    X(MAPPINGS_DROPPED, "mappings_dropped",                                                        \
      "mapped files not followed: table full, or no pagemap")                                      \
    X(LOCKS_DROPPED, "locks_dropped", "locks whose origin is not known: table full")               \
    X(THREADS_VOIDED, "threads_voided",                                                            \
      "threads started by a task that may work for other tasks, and do not count as its helpers")  \
    X(DELAYS_UNKNOWN, "delays_unknown",                                                            \
      "threads whose run delay was not read: too many, or too few descriptors")                    \
    X(RUNS, "runs", "calls of Coffea's Runner, one RUN record each")                               \
    X(SAMPLES_TAKEN, "samples_taken", "samples of Dask's servers, dropped ones included")          \
    X(SAMPLES_MISSED, "samples_missed", "samples not taken because the event loop was busy")       \
    X(SAMPLES_DROPPED, "samples_dropped", "samples lost: the log was full")                        \
    X(SAMPLE_NS, "sample_ns", "time for which taking samples blocked event loops")                 \
    X(BASKETS_SEEN, "baskets_seen", "keys of baskets found in what was read")                      \
    X(BASKETS_DROPPED, "baskets_dropped", "baskets lost: tables or log full")                      \
    X(REMOTE_DROPPED, "remote_dropped",                                                            \
      "reads through XRootD's client that were not counted: too many at a time, or of unknown "    \
      "form")                                                                                      \
    X(OPENS_DROPPED, "opens_dropped",                                                              \
      "opens that are in no record: too many connections at a time")                               \
    X(SECTIONS_DROPPED, "sections_dropped",                                                        \
      "sections and values that the program named, lost: tables or log full")                      \
    X(STACKS_TAKEN, "stacks_taken", "Python stacks read at events of a task")                      \
    X(STACKS_DROPPED, "stacks_dropped", "stacks or uses of them lost: tables or log full")         \
    X(CODES_REPLACED, "codes_replaced", "functions whose code has the address of an earlier one")  \
    X(CPU_SAMPLES, "cpu_samples", "samples of threads that run tasks, on a CPU core or not")       \
    X(CPU_SAMPLES_TORN, "cpu_samples_torn",                                                        \
      "samples whose stack changed while it was read: their time counts, without a stack")         \
    X(CPU_SAMPLES_MISSED, "cpu_samples_missed", "samples not taken because the sampler was late")  \
    X(CPU_SAMPLES_DROPPED, "cpu_samples_dropped",                                                  \
      "samples of CPU_SAMPLES records lost: the log was full")                                     \
    X(NATIVE_MISSED, "native_missed",                                                              \
      "stacks without their native frames: a library was unloaded, or there was too little room")  \
    X(NATIVE_APART, "native_apart",                                                                \
      "new stacks whose Python and native frames could not be merged: Python's come first")        \
    X(CPU_SAMPLER_NS, "cpu_sampler_ns", "CPU time of the sampler itself")                          \
    X(READS_DROPPED, "reads_dropped",                                                              \
      "reads without a row in a READS record: a quarter of the log's largest size was full")       \
    X(EVENTS_THINNED, "events_thinned",                                                            \
      "reads, writes and waits that count at the stack of another one")                            \
    X(STACKS_CUT, "stacks_cut",                                                                    \
      "rows of stacks that count at a caller: too many different stacks in a short time")          \
    X(VOIDS_DROPPED, "voids_dropped", "VOID records lost: log full, and its reserve, too")         \
    X(ARENAS_DROPPED, "arenas_dropped", "anonymous mappings not counted as heap: table full")
enum cup_health {
#define X(id, name, text) CUP_H_##id,
    CUP_HEALTH(X)
#undef X
        CUP_HEALTH_COUNT
};
enum { CUP_HEALTH_ROOM = 64 };

/* ---- header ------------------------------------------------------------------------------ */

/* Features: what was measured. Each is one bit, in this order. If a bit is clear, the metrics that
 * need it are null ("n/a"). X(id, name, what the bit means, what the report says if it is clear).
 */
#define CUP_FEATURES(X)                                                                            \
    X(FILES, "files", "the hooks of files are in place", "reads and writes are not measured")      \
    X(HEAP, "heap", "the hooks of malloc() and its family are in place",                           \
      "allocations are not measured")                                                              \
    X(BRIDGE, "bridge", "CPython's data structures were verified: Dask tasks are seen",            \
      "Dask tasks are not seen")                                                                   \
    X(CONTEXT, "context", "attribution method context was verified",                               \
      "reads on helper threads may be unattributed")                                               \
    X(CHUNKS, "chunks", "the layout of frames was verified: Coffea's clock calls are seen",        \
      "time inside process() is not known")                                                        \
    X(RSS, "rss", "/proc/self/statm can be read", "memory of the process is not known")            \
    X(HANDOFF, "handoff", "Python's locks are seen: attribution methods handoff and inherited",    \
      "work that is handed over is unattributed; helpers' CPU time is not known")                  \
    X(MAPPED, "mapped", "/proc/self/pagemap can be read", "pages of mapped files are not counted") \
    X(WAITS, "waits", "calls that block are timed", "kinds of waits are not known")                \
    X(GIL, "gil", "waits for the interpreter's lock are recognised",                               \
      "waits for the interpreter's lock count as waits for locks")                                 \
    X(RUN_DELAY, "run_delay", "/proc/self/task/TID/schedstat can be read",                         \
      "time without a CPU core counts as waits")                                                   \
    X(SAMPLES, "samples", "Dask's servers are sampled, if the process has any",                    \
      "Dask's view of its workers (memory, cores, tasks over time) is not known")                  \
    X(DIGESTS, "digests", "Dask's fine metrics are read, if the process has any",                  \
      "Dask's fine metrics are not known")                                                         \
    X(BASKETS, "baskets", "baskets of ROOT files are searched for in what is read",                \
      "what was read of which branch is not known")                                                \
    X(REQUESTED, "asked", "uproot's list of requested baskets was verified and is read",           \
      "the baskets that uproot requested are not known: all that a request covers count as read")  \
    X(OPENS, "opens", "opens are timed: OPEN records",                                             \
      "how long it took to open files is not known")                                               \
    X(ACCESS, "access", "offsets and times of reads are recorded: ACCESS records",                 \
      "where in the files was read is not known")                                                  \
    X(STACKS, "stacks", "Python stacks: the interpreter's layout was verified",                    \
      "which functions did what is not known")                                                     \
    X(NATIVE, "native", "native frames are read as well",                                          \
      "native code is known only by the Python function that called it")                           \
    X(CPU, "cpu", "threads that run tasks are sampled",                                            \
      "which functions used the CPU is not known")                                                 \
    X(UNATTRIBUTED, "unattributed",                                                                \
      "what was read for no known task counts for each task that ran: UNATTRIBUTED records",       \
      "the report does not mark tasks that may have read more than their figures say")             \
    X(SERVERS, "servers",                                                                          \
      "what servers send is in read_bytes: the reader sets it, from version 4",                    \
      "what servers sent counts as received only, not as read")                                    \
    X(REPEATS, "repeats", "requests sent again and connections made again are counted",            \
      "requests that were sent again, and connections that were made again, are not known")        \
    X(VOIDS, "voids", "lost VOID records are counted apart: voids_dropped",                        \
      "if any record was lost, what threads read that a task started is unattributed")
enum {
#define X(id, name, text, missing) CUP_FEATURE_BIT_##id,
    CUP_FEATURES(X)
#undef X
        CUP_FEATURE_COUNT
};
enum cup_feature {
#define X(id, name, text, missing) CUP_FEATURE_##id = 1u << CUP_FEATURE_BIT_##id,
    CUP_FEATURES(X)
#undef X
};

enum cup_region_type {
    CUP_REGION_BLOCKS = 1, /* struct cup_block, count entries. A process that needs more blocks adds
                              such regions. Blocks are numbered through all of them, from 0 */
    CUP_REGION_SERIES = 2, /* struct cup_series, one entry */
    CUP_REGION_TOTALS = 3, /* struct cup_task_totals, one entry. Only if the log was full when a
                              task began; it is in a ROOM record */
};

struct cup_region {
    uint32_t type;
    uint32_t count;
    uint64_t offset;
    uint64_t entry_size;
};
enum { CUP_REGION_ROOM = 16 };

struct cup_log_header {
    char magic[8];
    uint32_t byte_order;
    uint16_t version;
    uint16_t min_reader;  /* oldest version of a reader that can read this file */
    uint32_t header_size; /* sizeof(struct cup_log_header) of the writer */
    uint32_t region_count;
    uint64_t records_offset;
    uint64_t records_end; /* end of the last reserved record; only grows */
    uint32_t pid;
    uint32_t ppid;
    int64_t process_start_ns; /* when the library was loaded */
    int64_t log_start_ns;     /* when this log was opened; the series begins here */
    int64_t log_stop_ns;      /* 0: the process lives, was killed or crashed */
    uint64_t features;        /* enum cup_feature */
    uint32_t parent_task; /* number, in the parent, of the task that forked this process; 0: none */
    uint32_t hook_count;  /* hooks in place */
    char host[64];        /* NUL-terminated; cut if longer */
    char library_version[32];
    char library_build[48]; /* compiler and options */
    struct cup_region regions[CUP_REGION_ROOM];
    uint64_t health[CUP_HEALTH_ROOM];
};

/* `cupping merge --per-prefix` wrote the log. */
static inline int cup_log_is_summed(const struct cup_log_header *header)
{
    return header->version == CUP_LOG_SUMMED || header->version == CUP_LOG_SUMMED_6 ||
           header->version == CUP_LOG_SUMMED_4;
}

/* ---- regions ----------------------------------------------------------------------------- */

struct cup_file_use {
    uint32_t file;   /* id of a FILE record; 0: empty */
    uint32_t access; /* for the writer only: number of its set of access extents */
    uint64_t counters[CUP_FILE_COUNTER_ROOM];
};
enum { CUP_BLOCK_FILES = 3 };

/* Why the block's thread works for the task. */
enum cup_block_kind {
    CUP_BLOCK_HELPS = 0,    /* for any other reason than the following; also if the task is 0 */
    CUP_BLOCK_RUNS = 1,     /* the thread runs the task */
    CUP_BLOCK_INHERITS = 2, /* the task started the thread. A VOID record of the task makes such
                               blocks unattributed */
};

/* Counters of one thread for one task. Only that thread updates them, in place.
 *
 * To close a block, the thread writes a COUNTERS record, which holds the block's index and sequence
 * number; then it raises the sequence number and frees the block. If the process is killed in
 * between, a reader finds a record with the sequence number that the block still has: it ignores
 * the block, so nothing counts twice. Closed blocks of helpers of the same task are added up before
 * their records are written. */
struct cup_block {
    uint32_t used; /* 0: free; CUP_BLOCK_MOVED: readers ignore it */
    uint32_t task; /* task's number in this process; 0: no task */
    uint32_t tid;  /* thread that owns the block; 0: the blocks of several threads were added up */
    uint32_t sequence;                       /* starts at 1 */
    uint32_t own;                            /* enum cup_block_kind */
    uint32_t file_sequence[CUP_BLOCK_FILES]; /* a sequence number for each entry of `files`, since
                                                an entry is written before the block closes if
                                                another file needs it; starts at 1 */
    uint64_t counters[CUP_COUNTER_ROOM];
    struct cup_file_use files[CUP_BLOCK_FILES];
    uint32_t histograms[CUP_HISTOGRAM_COUNT][CUP_BUCKETS];
    uint32_t
        total; /* 0, or index + 1 of the entry of struct cup_task_totals that the block is added
                  to when it closes: its task has no records. Older logs do not have it */
    uint32_t pad;
    uint64_t live_bytes; /* allocated and not yet freed. Frees of memory that was there before lower
                            it, too, but not below 0. Older logs do not have it */
};

enum { CUP_BLOCK_MOVED = 4 }; /* the block is being added to another one */

struct cup_series {
    uint64_t bin_ns; /* width of a bin: 100 ms at first, doubled each time that all bins are used */
    uint32_t rows;   /* rows that the writer knows */
    uint32_t doubling; /* 1 while bins are merged: if it is still 1 after a kill, ignore all bins */
    uint64_t values[CUP_SERIES_ROOM][CUP_SERIES_BINS];
};

/* Sums of tasks that began when the log was full. There are no records of these tasks. What several
 * tasks have in common: */
struct cup_total_key {
    uint32_t prefix;  /* string */
    uint32_t server;  /* SERVER record; 0: not known */
    uint32_t origin;  /* enum cup_task_origin */
    uint32_t dataset; /* string */
    uint32_t item;    /* enum cup_item_kind; 0: no work item */
    uint32_t skipped; /* 1: Coffea skipped their chunk or file. Older logs do not say it: 0 */
};

enum {
    CUP_TOTAL_NONE,   /* the entry of counters without a task that could not be written */
    CUP_TOTAL_OTHERS, /* the entry of all tasks that have none, and of counters of tasks with
                         records, if the reserve is full as well. Its key is 0 */
    CUP_TOTALS = 24,  /* entries */
    CUP_TOTAL_STATUSES = 3,
    CUP_TOTAL_VALUES = 32, /* room for enum cup_task_sum_value */
};

struct cup_total {
    uint32_t used;     /* 0: the entry is free */
    uint32_t block;    /* index and sequence number of the block that was added last: a reader */
    uint32_t sequence; /* ignores the block while it has that number. 0: none was added */
    uint32_t pad;
    struct cup_total_key key;
    uint64_t values[CUP_TOTAL_STATUSES][CUP_TOTAL_VALUES]; /* by enum cup_task_status, less 1 */
    uint64_t longest_ns;                                   /* of the tasks */
    uint64_t durations[CUP_BUCKETS];                       /* of the tasks: wall time */
    uint64_t counters[2][CUP_COUNTER_ROOM]; /* 0: of other threads; 1: of the tasks' own threads */
    uint64_t histograms[CUP_HISTOGRAM_COUNT][CUP_BUCKETS];
};

struct cup_task_totals {
    uint32_t unfinished; /* index + 1 of an entry that is being changed: what it was before that
                            change is in `before`, and counts instead. 0: none */
    uint32_t pad;
    struct cup_total before;
    struct cup_total entries[CUP_TOTALS];
};

/* ---- records ----------------------------------------------------------------------------- */

/* Records are 8-byte aligned. The writer stores the length when it reserves a record. When the
 * record is complete, it stores the type, with release order. So type 0 is a record that was never
 * completed: skip as many bytes as its length. Length 0 marks the end of all records. */
struct cup_record {
    uint32_t length; /* of the whole record, this head included; a multiple of 8 */
    uint16_t type;   /* enum cup_record_type */
    uint16_t fixed;  /* bytes of the fixed part, this head included; a tail may follow. With
                        CUP_FIXED_PACKED, if it is packed */
};

/* A packed fixed part has its words of 32 bits, behind the head, in groups of four: one byte with
 * two bits for each word, the first word in the lowest, then the words. 0: the word is 0, and has
 * no byte; 1 to 3: it has its lowest 1, 2 or 4 bytes. Words that are not there are 0, so bytes of 0
 * may follow the last group, as padding. Most fields are small numbers: packed, the fixed parts of
 * a task's records take half of the bytes. */
enum { CUP_FIXED_PACKED = 1 << 15 };

/* The types of records. X(NAME, name, number, bytes, least, tail):
 *   NAME    what `cupping dump` prints; CUP_R_NAME in code
 *   name    the fixed part is struct cup_r_name; cup_load_name() adds it to a profile and
 *           cup_dump_name() prints it
 *   number  stands in cup_record.type; 17 was used by version 2 and is not used again
 *   bytes   size of the fixed part
 *   least   smallest fixed part that a version since CUP_LOG_OLDEST wrote. After damage the reader
 *           searches for records of at least this size; 0: it does not search for this type
 *   tail    what follows the fixed part; empty: nothing
 * The enum, the checks of sizes, the reader's bounds, the loader's and the dump's tables come from
 * this list. */
#define CUP_RECORDS(X)                                                                             \
    X(STRING, string, 1, 16, 16, "the text, no NUL")                                               \
    X(FILE, file, 2, 56, 48, "")                                                                   \
    X(INFO, info, 3, 16, 16, "")                                                                   \
    X(SERVER, server, 4, 48, 40, "")                                                               \
    X(TASK_BEGIN, task_begin, 5, 64, 64, "str(key), no NUL")                                       \
    X(TASK_END, task_end, 6, 56, 56, "")                                                           \
    X(ITEM, item, 7, 48, 48, "")                                                                   \
    X(CHUNK, chunk, 8, 40, 40, "")                                                                 \
    X(COUNTERS, counters, 9, 24, 24, "pairs: counters, a list of buckets, files")                  \
    X(FILE_USE, file_use, 10, 32, 32, "pairs: file counters")                                      \
    X(NOTE, note, 11, 16, 16, "")                                                                  \
    X(PARENT, parent, 12, 24, 24, "")                                                              \
    X(CHILD, child, 13, 24, 24, "")                                                                \
    X(VOID, void, 14, 16, 16, "")                                                                  \
    X(ROOM, room, 15, 8, 0, "a region that was added while the process ran")                       \
    X(SAMPLE, sample, 16, 32, 24, "pairs: enum cup_sample_value")                                  \
    X(SPAN, span, 18, 16, 16, "")                                                                  \
    X(DIGEST_KEY, digest_key, 19, 40, 40, "")                                                      \
    X(DIGEST, digest, 20, 24, 24, "struct cup_digest_value, until the end of the record")          \
    X(COLUMNS, columns, 21, 16, 16, "ids of strings, 32 bits each")                                \
    X(CHUNK_REPORT, chunk_report, 22, 32, 32, "")                                                  \
    X(RUN, run, 23, 96, 48, "")                                                                    \
    X(WORKER, worker, 24, 24, 24, "")                                                              \
    X(STATUS, status, 25, 16, 16, "")                                                              \
    X(ROWS, rows, 26, 16, 16, "rows: what changed of each worker")                                 \
    X(INPUTS, inputs, 27, 32, 32, "str(key) of one of the inputs, no NUL")                         \
    X(BRANCH, branch, 28, 24, 24, "")                                                              \
    X(BASKETS, baskets, 29, 40, 40, "rows: the baskets of one branch each")                        \
    X(TREE, tree, 30, 56, 56, "")                                                                  \
    X(ROOT_FILE, root_file, 31, 32, 32, "")                                                        \
    X(ACCESS, access, 32, 32, 32, "access extents")                                                \
    X(CODE, code, 33, 32, 32, "the name, then the line table, no NUL")                             \
    X(MODULE, module, 34, 32, 32, "the build id")                                                  \
    X(STACKS, stacks, 35, 16, 16, "struct cup_stack_node")                                         \
    X(STACK_USE, stack_use, 36, 16, 16, "rows: one use of one node each")                          \
    X(SECTION, section, 37, 24, 24, "pairs: enum cup_section_value")                               \
    X(VALUE, value, 38, 56, 56, "")                                                                \
    X(OPEN, open, 39, 56, 48, "")                                                                  \
    X(EXTENTS, extents, 40, 824, 824, "")                                                          \
    X(CPU_SAMPLES, cpu_samples, 41, 32, 32,                                                        \
      "rows: one or more samples that found the thread alike")                                     \
    X(READS, reads, 42, 16, 16, "rows: one read each")                                             \
    X(REQUESTS, requests, 43, 48, 48, "pairs: enum cup_request_value, then buckets of durations")  \
    X(UNATTRIBUTED, unattributed, 44, 48, 16, "")                                                  \
    X(OPENS, opens, 45, 40, 40, "pairs: enum cup_open_value, then buckets of durations")           \
    X(SUM, sum, 46, 40, 40, "pairs: the numbers of its kind; of KEYS, 64 bits each")               \
    X(NODES, nodes, 47, 16, 16, "rows: one node each")
enum cup_record_type {
#define X(NAME, name, number, bytes, least, tail) CUP_R_##NAME = (number),
    CUP_RECORDS(X)
#undef X
};

/* A region that was added while the process ran is the tail of this record, so that readers of
 * records skip it. header.regions states where it is. */
struct cup_r_room {
    struct cup_record head;
};

/* A text. Records that refer to it by its id come after it. Where a field is the id of a string, 0
 * means "not known". */
struct cup_r_string {
    struct cup_record head;
    uint32_t id;
    uint32_t bytes; /* length of the text */
};

enum cup_file_class {
    CUP_FILE_DATA = 1,   /* regular file */
    CUP_FILE_IMPORT = 2, /* .py, .pyc, .so, package metadata, settings, templates */
    CUP_FILE_SPILL = 3,  /* in a Dask worker's own directory */
    CUP_FILE_PIPE = 4,   /* pipe, FIFO or terminal: only its bytes are counted, no FILE record */
    CUP_FILE_SOCKET = 5, /* the peer of a socket; the path is its address */
    CUP_FILE_OTHER = 6,  /* logs of the job, /proc, /sys, devices, eventfd, ...: not counted */
};
enum {
    CUP_FILE_IS_ROOT = 1u << 0,   /* flag: the path ends in .root */
    CUP_FILE_IS_REMOTE = 1u << 1, /* flag: read through XRootD's client; the path is a URL, device,
                                     inode and size are 0 */
};

/* A regular file that was read or written, or the peer of a socket ("tcp://10.0.0.1:1094",
 * "unix:/run/x", "udp://..."). A peer has device, inode and size 0; in its FILE_USE records, read
 * means received, write means sent, and opens are connections. */
struct cup_r_file {
    struct cup_record head;
    uint32_t id;
    uint32_t path;  /* string */
    uint32_t class; /* enum cup_file_class */
    uint32_t flags;
    uint64_t device;
    uint64_t inode;
    uint64_t size;  /* when first used */
    uint32_t mount; /* string: the file system, if it comes from a server; 0: local, or not known */
    uint32_t reserved;
};

/* A fact about the process as name and value ("python", "command", "distributed", ...). If there
 * are several records with the same name, the last value counts. */
struct cup_r_info {
    struct cup_record head;
    uint32_t name;  /* string */
    uint32_t value; /* string */
};

/* What was opened. */
enum cup_open_kind {
    CUP_OPEN_LOCAL = 1,   /* a data file, mounted file systems included: wall time of the call. The
                             record is written when the file is first read or written */
    CUP_OPEN_XROOTD = 2,  /* a file, by XRootD's client: time until the server's answer */
    CUP_OPEN_CONNECT = 3, /* a TCP connection other than Dask's: from connect() until the program
                             learns that it is established, without name lookup and TLS */
};
enum { CUP_OPENS_WHOLE = 256 }; /* OPEN records of a process; further opens are in OPENS records */

/* Something was opened, or failed to open. A failed local open has a record if a task called and
 * the path looks like that of a data file. */
struct cup_r_open {
    struct cup_record head;
    uint32_t task;  /* 0: no task is known */
    uint32_t file;  /* FILE record of the file or the peer; 0: it has none, see path */
    uint32_t path;  /* string, if there is no FILE record; else 0. Older logs: after very many
                       failed opens only the server or the first directory */
    uint32_t kind;  /* enum cup_open_kind */
    uint32_t error; /* 0: success. Else errno; XRootD: the server's error number (3000 and more) or
                       the client's (below 1000). ECANCELED: given up before the answer */
    uint32_t pad;
    int64_t start_ns;
    uint64_t ns;        /* duration */
    uint32_t server;    /* string: the data server that answered last, "root://host:port"; 0: not
                           known, or the one in the path */
    uint32_t redirects; /* servers that passed the open on to another one */
};

/* Buckets of the durations of opens: 32 to each power of two from 256 ns on, so a bucket is 2 to 3
 * % wide. */
enum { CUP_OPEN_FROM = 8, CUP_OPEN_PARTS = 32, CUP_OPEN_BUCKETS = 36 * CUP_OPEN_PARTS };

/* The bucket of a duration. Shorter durations are in the first bucket, longer ones in the last. */
static inline unsigned cup_open_bucket(uint64_t ns)
{
    if (ns >> CUP_OPEN_FROM == 0)
        return 0;
    unsigned power = 63u - (unsigned)__builtin_clzll(ns);
    unsigned part = (unsigned)(ns >> (power - 5)) % CUP_OPEN_PARTS;
    unsigned bucket = (power - CUP_OPEN_FROM) * CUP_OPEN_PARTS + part;
    return bucket < CUP_OPEN_BUCKETS ? bucket : CUP_OPEN_BUCKETS - 1;
}

/* Values of an OPENS record. */
#define CUP_OPEN_VALUES(X)                                                                         \
    X(COUNT, "count", "opens")                                                                     \
    X(NS, "ns", "their durations")                                                                 \
    X(SHORTEST_NS, "shortest_ns", "the shortest one")                                              \
    X(LONGEST_NS, "longest_ns", "the longest one")                                                 \
    X(REDIRECTS, "redirects", "as in struct cup_r_open, the sum")
enum cup_open_value {
#define X(id, name, text) CUP_O_##id,
    CUP_OPEN_VALUES(X)
#undef X
        CUP_O_COUNT_OF
};

/* Opens at one place by one task that ended alike: sums of what OPEN records would say. The tail
 * has pairs as in COUNTERS: the values, then the buckets of the durations (cup_open_bucket()).
 * Written when the task ends, and every few seconds while it opens; readers add them up. */
struct cup_r_opens {
    struct cup_record head;
    uint32_t task;                /* 0: no task is known */
    uint32_t place;               /* string, what the paths have in common: "root://host:1094",
                                     "tcp://10.0.0.1:443", "/eos/"; 0: not known */
    uint32_t kind, error, server; /* as in struct cup_r_open */
    uint32_t pad;
    int64_t start_ns; /* of the first */
};

/* What was sent to one storage server for one file and one task, and answered alike. Values of a
 * REQUESTS record. */
#define CUP_REQUEST_VALUES(X)                                                                      \
    X(COUNT, "count", SUM, "requests that were answered or failed")                                \
    X(BYTES, "bytes", SUM, "delivered")                                                            \
    X(NS, "ns", SUM, "from each request to the end of its answer")                                 \
    X(WAITED_NS, "waited_ns", SUM,                                                                 \
      "XRootD: time with such a request out: several at the same time count once. HTTP: as `ns`")  \
    X(LONGEST_NS, "longest_ns", LARGEST, "the longest request")                                    \
    X(MOVED, "moved", SUM, "requests that another server answered in the end")                     \
    X(ENCRYPTED, "encrypted", SUM, "requests through TLS: how they were answered is not known")    \
    X(REPEATED, "repeated", SUM,                                                                   \
      "HTTP without TLS: requests that the same task had sent before, and that had failed then")   \
    X(PROCESS_NS, "process_ns", SUM,                                                               \
      "XRootD: time with such a request of the process out at the server; NS of all tasks over "   \
      "it "                                                                                        \
      "is the mean number of requests that were out at a time")                                    \
    X(MOST_OUT, "most_out", LARGEST,                                                               \
      "XRootD: the most requests of the process that were out at the server at a time")
enum cup_request_value {
#define X(id, name, kind, text) CUP_Q_##id,
    CUP_REQUEST_VALUES(X)
#undef X
        CUP_Q_COUNT_OF
};

/* How requests to HTTP servers end without a whole answer: the client closed the connection (after
 * a timeout, for instance); the server did, in order; the connection was reset; the kernel heard no
 * more of the server. Logs without CUP_FEATURE_REPEATS have CUT_OFF for the last three. */
enum {
    CUP_REQUEST_GIVEN_UP = 125 /* ECANCELED */,
    CUP_REQUEST_CUT_OFF = 104 /* ECONNRESET */,
    CUP_REQUEST_RESET = 102 /* ENETRESET */,
    CUP_REQUEST_TIMED_OUT = 110, /* ETIMEDOUT */
};

/* Requests of XRootD's client that read, ask for the size, or close a file, and requests to HTTP
 * servers: their number, their time and how they ended. The tail has pairs as in COUNTERS: the
 * values, then the buckets of the requests' durations (cup_bucket()), and behind those the buckets
 * of the time from each request to the first byte of its answer, where that is known. Written when
 * the task ends, and every few seconds while it runs; readers add them up. */
struct cup_r_requests {
    struct cup_record head;
    uint32_t task;    /* 0: unattributed */
    uint32_t file;    /* FILE record; 0: not known */
    uint32_t server;  /* string: the data server that they were sent to, "root://host:port"; 0: the
                         server in the path of the file */
    uint32_t error;   /* 0: they were answered; else as in OPEN. HTTP: the status from 400 on, or
                         errno */
    int64_t start_ns; /* when the first was sent */
    int64_t stop_ns;  /* when the last had ended */
    uint32_t peer;    /* FILE record of the HTTP server's address; 0: it is one of XRootD */
    uint32_t pad;
};

enum cup_role {
    CUP_ROLE_OTHER = 0,
    CUP_ROLE_CLIENT = 1,
    CUP_ROLE_SCHEDULER = 2,
    CUP_ROLE_NANNY = 3,
    CUP_ROLE_WORKER = 4,
    CUP_ROLE_CHILD = 5,
    CUP_ROLE_READER = 6, /* none of these, but it read files of data: a process of a pool, mostly */
};

/* Name of INFO records: an address, as that of a peer, at which an event loop of Dask's servers has
 * accepted a connection. Dashboards have addresses of their own. */
#define CUP_INFO_LISTENS "dask_listens"

/* Name of an INFO record: the place of a worker of Parsl's HighThroughputExecutor, which has no
 * address, as "block 0, rank 1". Nodes of one block have the same block and ranks. */
#define CUP_INFO_PARSL_WORKER "parsl_worker"

/* A Dask server in this process. A LocalCluster of threads has several in one process. */
struct cup_r_server {
    struct cup_record head;
    uint32_t id;
    uint32_t role;            /* enum cup_role */
    uint32_t address;         /* string */
    uint32_t name;            /* string: str(name) */
    uint32_t threads;         /* 0: not known */
    uint32_t local_directory; /* string */
    uint64_t memory_limit;    /* CUP_UNKNOWN64: none or not known */
    int64_t stop_ns; /* last tick of its event loop, updated in place; 0: not known, or the loop has
                        several servers */
};

enum cup_task_origin {
    CUP_ORIGIN_DASK = 1,   /* a task on a thread of Dask's pool */
    CUP_ORIGIN_COFFEA = 2, /* a chunk of Coffea without Dask; cupping makes up the key */
    CUP_ORIGIN_ASYNC = 3,  /* an async def task on the event loop; its CPU time is not known */
    CUP_ORIGIN_ACTOR = 4,  /* a call of an actor's method; the key is the name that Dask gives it */
};

struct cup_r_task_begin {
    struct cup_record head;
    uint32_t task; /* 1, 2, 3, ... in this process */
    uint32_t tid;
    uint32_t prefix; /* string */
    uint32_t server; /* SERVER record; 0: not known */
    uint32_t span;   /* string: the span's name */
    uint32_t origin; /* enum cup_task_origin */
    int64_t start_ns;
    uint64_t rss;   /* CUP_UNKNOWN64: not known */
    int64_t run_id; /* Dask's run_id of this attempt; of Coffea's own tasks its number, from 0 on;
                       -1: not known */
    uint32_t key_bytes; /* in the tail */
    uint32_t span_id;   /* string: the id of a SPAN record; 0: not known */
};

/* The results of other tasks that are a task's arguments. Comes after TASK_BEGIN; a task without
 * such arguments has no INPUTS record. */
struct cup_r_inputs {
    struct cup_record head;
    uint32_t task;
    uint32_t count;
    uint64_t bytes;     /* sum of Dask's nbytes; CUP_UNKNOWN64: not known */
    uint32_t key_bytes; /* in the tail: the key of one of them */
    uint32_t pad;
};

enum cup_task_status {
    CUP_STATUS_FINISHED = 1,
    CUP_STATUS_ERRED = 2,
    CUP_STATUS_UNKNOWN = 3, /* it ended, but how cannot be read in this version of Dask */
    /* no TASK_END record: unfinished */
};

/* Why bytes of data files and servers are attributed to no task. A new reason comes last. */
#define CUP_UNATTRIBUTED_REASONS(X)                                                                \
    X(THREAD, "threads", "a thread read that may work for several tasks")                          \
    X(SENDER, "sender", "it is not known which task sent the request")                             \
    X(MIXED, "http2", "tasks shared a connection that mixes their answers, as HTTP/2 does")        \
    X(PROTOCOL, "protocol", "tasks shared a connection that carries neither HTTP nor TLS")
enum cup_unattributed_reason {
#define X(id, name, text) CUP_UNATTRIBUTED_##id,
    CUP_UNATTRIBUTED_REASONS(X)
#undef X
        CUP_UNATTRIBUTED_REASON_COUNT
};

/* While this task ran, its process read bytes that are attributed to no task: the task may have
 * read them. Written before TASK_END, unless there are none. */
struct cup_r_unattributed {
    struct cup_record head;
    uint32_t task;
    uint32_t pad;
    uint64_t bytes[CUP_UNATTRIBUTED_REASON_COUNT];
};

/* If there are two of a task, the second one counts. */
struct cup_r_task_end {
    struct cup_record head;
    uint32_t task;
    uint32_t status; /* enum cup_task_status */
    int64_t stop_ns;
    uint64_t cpu_ns; /* thread CPU time from start to stop, from the clock calls of Dask itself;
                        CUP_UNKNOWN64: not known */
    uint64_t rss;    /* CUP_UNKNOWN64: not known */
    uint64_t result_bytes; /* Dask's nbytes; CUP_UNKNOWN64: not known */
    uint32_t error; /* string: repr() of the exception, and its cause; 0: none, or not known */
    uint32_t pad;
};

enum cup_item_kind {
    CUP_ITEM_WORK = 1,     /* Coffea's WorkItem */
    CUP_ITEM_METADATA = 2, /* Coffea's FileMeta: no entry range */
    CUP_ITEM_READ = 3,     /* a partition of uproot.dask: no dataset */
    CUP_ITEM_PATH = 4,     /* an argument that is the path of a file: no dataset, no entry range */
    CUP_ITEM_PATHS = 5,    /* the first of several such arguments */
};

/* Dask gives None this size, and every other object a larger one. */
#define CUP_BYTES_OF_NONE 16

/* With skipbadfiles, Coffea returns None for a file that it cannot open, and for a chunk whose
 * process() failed. */
static inline int cup_was_skipped(uint32_t item_kind, uint32_t status, uint64_t result_bytes,
                                  int process_returned)
{
    int is_coffea = item_kind == CUP_ITEM_WORK || item_kind == CUP_ITEM_METADATA;
    return status == CUP_STATUS_FINISHED && is_coffea && !process_returned &&
           result_bytes == CUP_BYTES_OF_NONE;
}

struct cup_r_item {
    struct cup_record head;
    uint32_t task;
    uint32_t kind;    /* enum cup_item_kind */
    uint32_t dataset; /* string */
    uint32_t file;    /* string, as in the item (path or URL) */
    uint32_t tree;    /* string */
    uint32_t pad;
    int64_t entry_start; /* -1: not known */
    int64_t entry_stop;
};

/* Coffea's two clock calls around process(). */
struct cup_r_chunk {
    struct cup_record head;
    uint32_t task;
    uint32_t pad;
    int64_t tic_ns;
    int64_t toc_ns;  /* 0: process() did not return */
    uint64_t cpu_ns; /* thread CPU time between the two; CUP_UNKNOWN64: not known */
};

/* A set of columns, as Coffea names them: the branch, "-" and what it is used for; Coffea before
 * 2026 names only the branch. The tail has the ids of their strings, in no order. */
struct cup_r_columns {
    struct cup_record head;
    uint32_t id; /* 1, 2, 3, ... in this process */
    uint32_t count;
};

/* Coffea's report of a chunk, read from Coffea's objects when process() has returned. It is there
 * even if the client did not ask Coffea for a report. The time of process() is in CHUNK. A metadata
 * task has such a record, too: `entries` is the number of entries in its file, and the rest is not
 * known. */
struct cup_r_chunk_report {
    struct cup_record head;
    uint32_t task;
    uint32_t columns;         /* COLUMNS record: columns that were read; 0: not known */
    uint64_t requested_bytes; /* requested by uproot from its source; CUP_UNKNOWN64: not known */
    uint64_t entries;         /* CUP_UNKNOWN64: not known */
};

/* What is known of the work items of a Runner's call. */
enum cup_plan {
    CUP_PLAN_NONE,    /* Coffea had made none when the call was last seen; or an older writer */
    CUP_PLAN_READING, /* `chunks` is known, `events` not yet */
    CUP_PLAN_KNOWN,
    CUP_PLAN_UNREADABLE /* not a list of Coffea's work items: the Runner got a generator, or the
                           version of Coffea is not known */
};

/* A call of Coffea's Runner. start_ns and stop_ns are the first and the last time at which its
 * thread was seen inside the call; stop_ns is updated in place. not_before_ns is the last time
 * before, and not_after_ns the first time after, at which the thread was seen outside. So the call
 * began between not_before_ns and start_ns, and ended between stop_ns and not_after_ns.
 *
 * The fields from `plan` on say what the call is to do: the work items that Coffea made, after
 * maxchunks and without the files that its preprocessing skipped. */
struct cup_r_run {
    struct cup_record head;
    uint32_t run; /* 1, 2, 3, ... in this process */
    uint32_t tid; /* 0: not known */
    int64_t start_ns;
    int64_t stop_ns;
    int64_t not_before_ns;   /* 0: not known */
    int64_t not_after_ns;    /* 0: not known; perhaps the call never ended */
    uint8_t plan;            /* enum cup_plan */
    uint8_t skips_bad_files; /* 1: the Runner's skipbadfiles is on */
    uint8_t pad[2];
    uint32_t max_chunks;  /* the Runner's maxchunks, per dataset; 0: no limit, or not known */
    uint64_t chunks;      /* work items */
    uint64_t chunks_read; /* whose events are in `events` */
    uint64_t events;
    /* Of these, chunks that equal an earlier one: a file is listed twice. Dask processes a chunk
     * once, however often it is listed. */
    uint64_t chunks_repeated, events_repeated;
};

/* A block that was closed. The tail has pairs of unsigned LEB128 numbers: the index of a counter
 * and its value. Counters without a pair are 0. Index 127 (one byte 0x7f, without a value) is
 * padding. The pairs end at the end of the record; a pair that is cut off there does not count.
 *
 * The buckets of the histograms follow, one histogram after the other. The pair of index
 * CUP_PAIR_LIST has the first bucket with a count; after it the tail has an unsigned LEB128 number
 * for each such bucket: 8 times the step from the bucket before (of the first one: 0), plus its
 * count, if that is below 8; else plus 0, and the count follows. A count of 0 ends the list. Before
 * version 6, indexes from CUP_PAIR_BUCKETS on were buckets.
 *
 * Behind that, there is for each entry of the block's `files` a pair of index CUP_PAIR_FILE, which
 * has its FILE record, and then pairs of enum cup_file_counter: what else FILE_USE records say.
 * Before version 6, there are FILE_USE records instead. */
struct cup_r_counters {
    struct cup_record head;
    uint32_t task;
    uint32_t tid;
    uint16_t block; /* index in the BLOCKS region */
    uint8_t own;    /* enum cup_block_kind */
    uint8_t pad;
    uint32_t sequence; /* of the block */
};
enum { CUP_PAIR_FILE = 125, CUP_PAIR_LIST = 126, CUP_PAIR_PADDING = 127, CUP_PAIR_BUCKETS = 128 };

/* One entry of a block's `files`, if it closes before the block, because another file needs it. The
 * tail has pairs as in COUNTERS, of enum cup_file_counter. */
struct cup_r_file_use {
    struct cup_record head;
    uint32_t task;
    uint32_t tid;
    uint32_t file;
    uint16_t block;
    uint8_t entry;          /* index in cup_block.files */
    uint8_t own;            /* enum cup_block_kind */
    uint32_t file_sequence; /* of the entry */
    uint32_t pad;
};

/* Something that a user should know: a feature that is off, and why. */
struct cup_r_note {
    struct cup_record head;
    uint32_t text; /* string */
    uint32_t pad;
};

/* A task of another process started this process: what this process reads counts for that task. */
struct cup_r_parent {
    struct cup_record head;
    uint32_t pid; /* process that ran the task, on the same host; 0: not known, see the CHILD record
                     that has the pid of this process */
    uint32_t task; /* number of the task there; 0: the task of the CHILD record that has `pid` */
    int64_t last_read_ns; /* last time that data were read here, updated in place; 0: never */
};

/* Threads that this task started turned out to work for other tasks as well. Everything that such
 * threads did (blocks of kind INHERITS, earlier ones too) is unattributed. So is what the processes
 * that the task started read: they may be a pool that these threads manage. */
struct cup_r_void {
    struct cup_record head;
    uint32_t task;
    uint32_t pad;
};

/* A process on the same host works for a task of this process, although another process forked it
 * (multiprocessing's forkserver). */
struct cup_r_child {
    struct cup_record head;
    uint32_t pid;
    uint32_t task;
    int64_t time_ns; /* when this process learnt the pid */
};

/* ---- samples of Dask's own state ----------------------------------------------------------- */

/* Values of a server: of a scheduler, or of a worker about itself. Unknown values are left out. */
#define CUP_SAMPLE_VALUES(X)                                                                       \
    X(WORKERS, "workers", "workers that the scheduler has")                                        \
    X(THREADS, "threads", "threads of all of them")                                                \
    X(IDLE, "idle", "workers that Dask considers idle")                                            \
    X(TASKS, "tasks", "tasks in the scheduler, in any state")                                      \
    X(QUEUED, "queued", "tasks that wait for a free worker")                                       \
    X(UNRUNNABLE, "unrunnable", "tasks that no worker may run")                                    \
    X(LOOP_INTERVAL_NS, "loop_interval_ns",                                                        \
      "mean time between two ticks of the event loop, by Dask")                                    \
    X(LOOP_LONGEST_NS, "loop_longest_ns",                                                          \
      "longest time between two ticks since the sample before")                                    \
    X(TICK_NS, "tick_ns", "configured time between two ticks: longer times are stalls")            \
    X(TOOK_NS, "took_ns", "time for which the sample before this one blocked the loop")            \
    X(MISSED, "missed", "samples not taken since the one before: the loop was busy")               \
    X(INTERVAL_NS, "interval_ns", "requested time between samples")                                \
    X(AHEAD_NS, "ahead_ns", "this log's clock is ahead of the scheduler's, by Dask's measurement") \
    X(BEHIND_NS, "behind_ns",                                                                      \
      "this log's clock is behind the scheduler's. Either ahead_ns or behind_ns is there, once "   \
      "Dask has measured it")
enum cup_sample_value {
#define X(id, name, text) CUP_SV_##id,
    CUP_SAMPLE_VALUES(X)
#undef X
        CUP_SV_COUNT
};

/* Values of one worker: in the scheduler at the time of the sample, or in the worker itself. */
#define CUP_WORKER_VALUES(X)                                                                       \
    X(THREADS, "threads", "its task threads")                                                      \
    X(MEMORY_LIMIT, "memory_limit", "bytes; left out: none")                                       \
    X(PROCESSING, "processing", "tasks assigned to it, running or not")                            \
    X(EXECUTING, "executing", "running tasks; in a scheduler's sample, as of the last heartbeat")  \
    X(LONG_RUNNING, "long_running", "tasks that have seceded")                                     \
    X(HAS, "has", "results that it holds")                                                         \
    X(NBYTES, "nbytes", "bytes of the results that it holds, by Dask's estimate")                  \
    X(OCCUPANCY_NS, "occupancy_ns", "time to run what is assigned to it, by Dask's estimate")      \
    X(SEEN_NS, "seen_ns", "last time that the scheduler heard of it")                              \
    X(STATUS, "status", "STATUS record")
enum cup_worker_value {
#define X(id, name, text) CUP_WV_##id,
    CUP_WORKER_VALUES(X)
#undef X
        CUP_WV_COUNT
};

/* Values of a worker's last heartbeat. */
#define CUP_HEARTBEAT_VALUES(X)                                                                    \
    X(TIME_NS, "time_ns", "time by the worker's clock; a new heartbeat has a new time")            \
    X(RSS, "rss", "resident memory of its process")                                                \
    X(CPU_NS_PER_S, "cpu_ns_per_s", "CPU time of its process; one core is 1e9")                    \
    X(MANAGED_BYTES, "managed_bytes", "results in its memory, by Dask's estimate")                 \
    X(SPILLED_MEMORY_BYTES, "spilled_memory_bytes", "spilled results, by the size in memory")      \
    X(SPILLED_DISK_BYTES, "spilled_disk_bytes", "spilled results, by the size on disk")            \
    X(INCOMING_BYTES, "incoming_bytes", "bytes of running transfers from other workers")           \
    X(INCOMING_COUNT, "incoming_count", "number of running transfers from other workers")          \
    X(INCOMING_TOTAL, "incoming_total", "transfers from other workers since it started")           \
    X(OUTGOING_BYTES, "outgoing_bytes", "bytes of running transfers to other workers")             \
    X(OUTGOING_COUNT, "outgoing_count", "number of running transfers to other workers")            \
    X(OUTGOING_TOTAL, "outgoing_total", "transfers to other workers since it started")             \
    X(BANDWIDTH_BPS, "bandwidth_bps", "bytes/s between workers, by Dask's estimate")               \
    X(HOST_NET_READ_BPS, "host_net_read_bps", "received by the whole host, bytes/s")               \
    X(HOST_NET_WRITE_BPS, "host_net_write_bps", "sent by the whole host, bytes/s")                 \
    X(HOST_DISK_READ_BPS, "host_disk_read_bps", "read from disks by the whole host, bytes/s")      \
    X(HOST_DISK_WRITE_BPS, "host_disk_write_bps", "written to disks by the whole host, bytes/s")   \
    X(LOOP_INTERVAL_NS, "loop_interval_ns",                                                        \
      "mean time between two ticks of its event loop, by Dask")                                    \
    X(NUM_FDS, "num_fds", "open descriptors of its process")                                       \
    X(TASKS_EXECUTING, "tasks_executing", "its tasks that run")                                    \
    X(TASKS_LONG_RUNNING, "tasks_long_running", "its tasks that run, but have seceded")            \
    X(TASKS_READY, "tasks_ready", "its tasks that wait for a thread")                              \
    X(TASKS_CONSTRAINED, "tasks_constrained", "its tasks that wait for a resource")                \
    X(TASKS_WAITING, "tasks_waiting", "its tasks that wait for their inputs")                      \
    X(TASKS_FETCH, "tasks_fetch", "inputs that it will fetch from other workers")                  \
    X(TASKS_FLIGHT, "tasks_flight", "inputs that it is fetching")                                  \
    X(TASKS_MEMORY, "tasks_memory", "results that it holds in memory, or has spilled")
enum cup_heartbeat_value {
#define X(id, name, text) CUP_HV_##id,
    CUP_HEARTBEAT_VALUES(X)
#undef X
        CUP_HV_COUNT
};

/* A worker of a scheduler, or the worker that samples itself. A worker that leaves and comes back
 * gets a new number. */
struct cup_r_worker {
    struct cup_record head;
    uint32_t worker;  /* 1, 2, 3, ... in this process */
    uint32_t server;  /* SERVER record whose samples it is in */
    uint32_t address; /* string */
    uint32_t name;    /* string: str(name) */
};

/* The name of one of Dask's statuses of workers. */
struct cup_r_status {
    struct cup_record head;
    uint32_t status; /* 1, 2, 3, ... in this process */
    uint32_t name;   /* string */
};

/* How workers changed since the previous sample of their server. The tail has rows until the
 * record's end or a worker 0. A row is, as unsigned LEB128 numbers, the worker; then 4 times the
 * number of bytes that follow, plus enum cup_row_kind; then pairs as in COUNTERS, of enum
 * cup_worker_value and, from CUP_PAIR_HEARTBEAT on, of enum cup_heartbeat_value. Unknown values are
 * CUP_UNKNOWN64. */
struct cup_r_rows {
    struct cup_record head;
    uint32_t sample; /* the sample that the rows belong to; its SAMPLE record comes later */
    uint32_t rows;   /* 1, 2, 3, ... in this process: a missing number means damage */
};
enum cup_row_kind {
    CUP_ROW_CHANGED = 0, /* pairs have differences to the previous values, modulo 2^64: n as 2n, or
                            as -2n-1 if negative. Values without a pair did not change */
    CUP_ROW_WHOLE = 1,   /* pairs have the values. Values without a pair are not known */
    CUP_ROW_GONE = 2,    /* the worker has left the server */
    CUP_ROW_KINDS = 4
};
enum { CUP_PAIR_HEARTBEAT = 64 };
enum { CUP_ROW_VALUES = CUP_PAIR_HEARTBEAT + CUP_HV_COUNT }; /* with a gap between the two lists */

/* A sample of a server. Its ROWS come before it, and count only if it is there. A worker without a
 * row is as in the sample before. A server that is a worker samples itself as its only worker, with
 * its current state as the heartbeat. The tail has pairs as in COUNTERS, of enum cup_sample_value;
 * unknown values have no pair. */
struct cup_r_sample {
    struct cup_record head;
    uint32_t sample; /* 1, 2, 3, ... in this process; dropped samples are counted as well */
    uint32_t server; /* SERVER record */
    int64_t time_ns;
    uint32_t rows; /* number of the last ROWS record before it; 0: none */
    uint32_t pad;
};

/* The name of one of Dask's spans. */
struct cup_r_span {
    struct cup_record head;
    uint32_t id;   /* string */
    uint32_t name; /* string: its parts, separated by "/" */
};

/* One of Dask's fine metrics of a worker (a key of digests_total). */
struct cup_r_digest_key {
    struct cup_record head;
    uint32_t key;      /* 1, 2, 3, ... in this process */
    uint32_t server;   /* SERVER record */
    uint32_t context;  /* string: "execute", "get-data", ...; 0: the key is not a tuple */
    uint32_t span;     /* string: id of the span */
    uint32_t prefix;   /* string; 0: not of a task */
    uint32_t activity; /* string: its parts, separated by "/" */
    uint32_t unit;     /* string: "seconds", "bytes", "count" or a user's unit */
    uint32_t pad;
};

struct cup_digest_value {
    uint32_t key;
    uint32_t pad;
    double value; /* sum since the worker started */
};

/* Fine metrics of a worker that have changed. The last value of a key counts. */
struct cup_r_digest {
    struct cup_record head;
    uint32_t server;
    uint32_t last; /* 1: taken at the end of the process, so the values are complete */
    int64_t time_ns;
};

/* ---- what was read of ROOT files ---------------------------------------------------------- */

/* A branch, as the keys of its baskets name it. */
struct cup_r_branch {
    struct cup_record head;
    uint32_t branch; /* 1, 2, 3, ... in this process */
    uint32_t tree;   /* string: the baskets' title; 0: not known */
    uint32_t name;   /* string */
    uint32_t pad;
};

/* How the library learnt what was read. */
enum cup_baskets_source {
    CUP_BASKETS_REQUESTED =
        1,                  /* uproot requested these baskets, and their keys were found in reads */
    CUP_BASKETS_UNSEEN = 2, /* uproot requested them, but no hook saw their bytes: only number,
                               compressed bytes and places are known */
    CUP_BASKETS_BY_PLACE = 3, /* what was requested is not known: by their place in a read, cupping
                                 decides whether they were requested or came with read-ahead */
    CUP_BASKETS_PAGES = 4,    /* compressed blocks of an RNTuple; they have no names: branch 0 */
    CUP_BASKETS_EMBEDDED = 5, /* uproot requested them and had them already, in the tree's own
                                 record. Each counts once for each task. A basket that was never
                                 written has fNbytes 0 and the size of its buffer as fObjlen */
};

/* Values of one branch in a BASKETS record. Bytes are counted as uproot counts them: compressed is
 * the sum of fNbytes, uncompressed the sum of fKeylen + fObjlen.
 *
 * PLAIN values are stored as they are. DELTA values are stored as the difference to the row before
 * (to 0 in the first row): n as 2n, or as -2n-1 if negative. Values that are stored as 0 are left
 * out.
 *
 * FIRST and LAST are the numbers of baskets in their branch (0, 1, 2, ...; not always their order
 * in the file) if the source is REQUESTED, UNSEEN or EMBEDDED; else their offsets in the file. */
#define CUP_BASKET_VALUES(X)                                                                       \
    X(BASKETS, "baskets", PLAIN, "baskets that were read, repeated reads included")                \
    X(COMPRESSED, "compressed_bytes", PLAIN, "their compressed bytes")                             \
    X(UNCOMPRESSED, "uncompressed_bytes", PLAIN, "their uncompressed bytes")                       \
    X(KEYS, "key_bytes", DELTA, "part of both: their keys, which are never compressed")            \
    X(ENTRIES, "entries", DELTA, "entries in them, by fNevBuf")                                    \
    X(ALGORITHMS, "algorithms", DELTA, "enum cup_algorithm")                                       \
    X(FIRST, "first", DELTA, "the first basket")                                                   \
    X(FIRST_BYTES, "first_bytes", PLAIN,                                                           \
      "compressed bytes of the first basket, if there is more than one")                           \
    X(LAST, "last", PLAIN, "the last basket, less FIRST")                                          \
    X(LAST_BYTES, "last_bytes", PLAIN,                                                             \
      "compressed bytes of the last basket, if there is more than one")                            \
    X(AGAIN, "again", PLAIN, "baskets that the same task had read before")                         \
    X(AGAIN_BYTES, "again_bytes", PLAIN, "compressed bytes of the baskets read again")             \
    X(INCIDENTAL, "incidental", PLAIN,                                                             \
      "baskets that were not requested: read-ahead delivered them")                                \
    X(INCIDENTAL_BYTES, "incidental_bytes", PLAIN, "compressed bytes of the incidental baskets")
enum cup_basket_value {
#define X(id, name, kind, text) CUP_BV_##id,
    CUP_BASKET_VALUES(X)
#undef X
        CUP_BV_COUNT
};

enum cup_algorithm {
    CUP_ALGORITHM_NONE = 1u << 0, /* stored uncompressed */
    CUP_ALGORITHM_ZLIB = 1u << 1,
    CUP_ALGORITHM_LZMA = 1u << 2,
    CUP_ALGORITHM_LZ4 = 1u << 3,
    CUP_ALGORITHM_ZSTD = 1u << 4,
    CUP_ALGORITHM_OLD = 1u << 5,     /* ROOT's own, older than ZLIB */
    CUP_ALGORITHM_UNKNOWN = 1u << 6, /* the block's head was not read, or is none of these */
};

/* The baskets of one file that a task read; several records of a task and file add up. The tail has
 * rows in the order of branches, until the record's end or a first byte of 0. A row is, as unsigned
 * LEB128 numbers: the branch less that of the row before, plus 1 (branch 0 is not known); a set of
 * bits, bit n for enum cup_basket_value n; then the values whose bits are set, in that order. */
struct cup_r_baskets {
    struct cup_record head;
    uint32_t task;             /* 0: no task is known */
    uint32_t file;             /* FILE record; 0: it has none, see path */
    uint32_t path;             /* string, if there is no FILE record; else 0 */
    uint32_t source;           /* enum cup_baskets_source */
    uint32_t rows;             /* in the tail */
    uint32_t incidental;       /* baskets of branches without a row that read-ahead delivered */
    uint64_t incidental_bytes; /* compressed bytes of those */
};

/* What uproot knows about a tree that a task reads. One record for each file and tree. */
struct cup_r_tree {
    struct cup_record head;
    uint32_t file;               /* FILE record; 0: it has none, see path */
    uint32_t path;               /* string, if there is no FILE record; else 0 */
    uint32_t tree;               /* string: its name, without cycle */
    uint32_t branches;           /* number of branches that hold baskets; 0: not known */
    uint64_t entries;            /* this and the next two: CUP_UNKNOWN64 if not known */
    uint64_t compressed_bytes;   /* fZipBytes */
    uint64_t uncompressed_bytes; /* fTotBytes */
    int64_t auto_flush;          /* fAutoFlush: entries of a cluster if positive; 0: not known */
};

/* The head of a ROOT file. One record for each file whose first bytes were read. */
struct cup_r_root_file {
    struct cup_record head;
    uint32_t file;        /* FILE record */
    uint32_t version;     /* fVersion; 1000000 and more: 64-bit offsets */
    uint32_t compression; /* fCompress: 100 x algorithm + level of new branches */
    uint32_t pad;
    uint64_t end; /* fEND */
};

/* A Python function that was on a stack. Its name is in the tail, not in a STRING record, because
 * the table of strings may be full; the line table follows it, both without NUL.
 *
 * An id stands for one content: name, file, first line and line table. So a function that is
 * created again for every task has one id, and a different function at the same address gets a new
 * one. */
struct cup_r_code {
    struct cup_record head;
    uint32_t id;           /* 1, 2, 3, ... in the process */
    uint32_t file;         /* string: co_filename; 0: not stored */
    uint32_t first_line;   /* co_firstlineno */
    uint16_t minor;        /* the line table has the form of Python 3.MINOR */
    uint16_t is_qualified; /* 1: the name is co_qualname; 0: co_name */
    uint32_t name_bytes;   /* UTF-8 */
    uint32_t table_bytes;  /* co_lnotab (3.9) or co_linetable; 0: left out, too long */
};

/* An executable or library with native frames. */
struct cup_r_module {
    struct cup_record head;
    uint32_t id;   /* 1, 2, 3, ... in the process */
    uint32_t path; /* string */
    uint64_t base; /* load address: native frames hold offsets to it */
    uint32_t build_id_bytes;
    uint32_t pad;
};

/* A frame on a stack. Nodes are a tree: a stack is identified by the node of its innermost frame.
 */
struct cup_stack_node {
    uint32_t parent; /* node of the caller's frame; 0: outermost frame */
    uint32_t of;     /* CODE record, or enum cup_node_kind, or CUP_NODE_NATIVE + MODULE record */
    uint32_t at;     /* Python: offset of the instruction in the code, bytes, or CUP_AT_UNKNOWN;
                        native: offset in the module, inside the instruction that calls */
};
enum cup_node_kind {
    CUP_NODE_UNKNOWN = 0,          /* nothing is known about the frame */
    CUP_NODE_CUT = 0x7ffffff0,     /* the outer frames are left out: too many, or no room */
    CUP_NODE_HELPER = 0x7ffffff1,  /* inner frames ran on a helper thread while the parent waited */
    CUP_NODE_NATIVE = 0x80000000u, /* plus the id of the module; plus 0: in no known module */
};
enum { CUP_AT_UNKNOWN = UINT32_MAX };

/* New nodes, as older writers write them: see NODES. A node comes after its parent, and after its
 * CODE or MODULE record. */
struct cup_r_stacks {
    struct cup_record head;
    uint32_t first; /* id of the first node: 1, 2, 3, ... in the process */
    uint32_t count;
};

/* The same, in a third of the bytes. The tail has COUNT rows. A row is, as unsigned LEB128 numbers:
 * the node less its parent (1: the parent is the node of the row before); `of`, rotated left by one
 * bit, so that modules are small numbers, too; `at` plus 1, modulo 2^32 (0: CUP_AT_UNKNOWN). */
struct cup_r_nodes {
    struct cup_record head;
    uint32_t first; /* as in STACKS */
    uint32_t count;
};

/* What happened at a stack. The text says what count, bytes and ns mean. */
#define CUP_STACK_USES(X)                                                                          \
    X(READ, "read", "data files read: calls, bytes, wall time")                                    \
    X(WRITE, "write", "regular files written: calls, bytes, wall time")                            \
    X(RECV, "recv", "sockets that are neither Dask's nor a server's: calls, bytes, wall time")     \
    X(ALLOC, "alloc", "sampled allocations: their number, and the bytes that they stand for")      \
    X(IO_WAIT, "io_wait", "blocked in calls on files for over 1 ms: number, -, blocked time")      \
    X(GIL_WAIT, "gil_wait", "the same, by the interpreter's lock")                                 \
    X(LOCK_WAIT, "lock_wait", "the same, by locks, conditions, the end of other threads")          \
    X(SLEEP, "sleep", "the same, asleep")                                                          \
    X(POLL_WAIT, "poll_wait", "the same, on sockets and pipes")                                    \
    X(CPU, "cpu", "samples on a CPU core: number, -, CPU time that they stand for")                \
    X(OFF_CPU, "off_cpu", "samples that were blocked: number, -, wall time that they stand for")   \
    X(SERVER_RECV, "server_recv", "sockets of servers (server_read_bytes): calls, bytes, wall time")
enum cup_stack_use {
#define X(id, name, text) CUP_U_##id,
    CUP_STACK_USES(X)
#undef X
        CUP_STACK_USE_COUNT
};

/* What a task did at which stacks since its last such record. The tail has rows in the order of
 * nodes (0: the stack is not known), then of uses. FLAGS is a sum of CUP_USE_ROW_COUNT, _BYTES and
 * _NS: which of the three values are stored. A row begins, as unsigned LEB128 numbers, with
 *
 *   at another node than the row before, and in the first row (where the node before is 0):
 *     (node - node before) * 2
 *     use * 8 + FLAGS
 *   at the same node:
 *     ((use - use before) * 8 + FLAGS) * 2 + CUP_USE_ROW_SAME
 *
 * Then come the values that FLAGS names, in the order count, bytes, ns. A count that is not stored
 * is 1, bytes and ns are 0.
 *
 * Before version 8, ROWS has no CUP_USE_ROWS_SHORT, and a row is: node - node before; use; count;
 * bytes; ns. Merges copy such records into logs of the present version, hence the flag.
 *
 * A use is enum cup_stack_use, or CUP_USE_BRANCHES plus the number of a BRANCH record: the stack
 * asked for COUNT baskets of that branch, of BYTES compressed bytes, whether they were then read or
 * not. */
enum { CUP_USE_BRANCHES = 64, CUP_USE_MOST = UINT16_MAX };
enum { CUP_USE_ROW_SAME = 1 };
enum { CUP_USE_ROW_COUNT = 1, CUP_USE_ROW_BYTES = 2, CUP_USE_ROW_NS = 4 };
#define CUP_USE_ROWS_SHORT (UINT32_C(1) << 31)
struct cup_r_stack_use {
    struct cup_record head;
    uint32_t task; /* 0: no task is known */
    uint32_t rows; /* their number, plus CUP_USE_ROWS_SHORT */
};

/* Where a thread was over time while it worked for tasks: a random selection of the samples that
 * STACK_USE sums up as cpu and off_cpu. Successive samples that found the thread in the same state
 * are one row. Times are in units of CUP_CPU_SAMPLES_NS.
 *
 * The tail has ROWS rows. A row is, as unsigned LEB128 numbers: a set of enum cup_cpu_row_bits; the
 * time from the last sample of the row before (in the first row, from start_ns) to this row's
 * first; with CUP_CPU_ROW_TASK, the task; with CUP_CPU_ROW_NODE, the node; with
 * CUP_CPU_ROW_SEVERAL, the number of samples less one and the time from the first to the last. Task
 * and node are differences to the row before (to 0 in the first row): n as 2n, or as -2n-1 if
 * negative. */
enum { CUP_CPU_SAMPLES_NS = 1 << 20 };
enum cup_cpu_row_bits {
    CUP_CPU_ROW_ON = 1u << 0,   /* the thread ran, or waited for a CPU core; else it was blocked */
    CUP_CPU_ROW_TASK = 1u << 1, /* the task is not that of the row before */
    CUP_CPU_ROW_NODE = 1u << 2, /* the node is not that of the row before; 0: not known */
    CUP_CPU_ROW_SEVERAL = 1u << 3 /* more than one sample */
};
struct cup_r_cpu_samples {
    struct cup_record head;
    uint32_t tid; /* of the thread */
    uint32_t rows;
    int64_t start_ns;
    uint32_t period; /* mean time between two samples of a thread, in the same unit */
    uint32_t unused;
};

/* A section that the program named (include/cupping.h): sums over all entries of a task. If the
 * task's own thread began it, it includes what helpers did for the task during that time. The tail
 * has pairs as in COUNTERS, of enum cup_section_value. */
#define CUP_SECTION_VALUES(X)                                                                      \
    X(ENTRIES, "entries", SUM, "number of times that it began")                                    \
    X(UNENDED, "unended", SUM, "part of the entries: ended by the end of their task")              \
    X(WALL_NS, "wall_ns", SUM, "wall time")                                                        \
    X(INNER_NS, "inner_ns", SUM, "part of the wall time: in sections inside it")                   \
    X(LONGEST_NS, "longest_ns", LARGEST, "longest time")                                           \
    X(CPU_NS, "cpu_ns", SUM, "CPU time of the thread")                                             \
    X(PEAK_LIVE_BYTES, "peak_live_bytes", LARGEST,                                                 \
      "highest value of allocated less freed since it began; own thread of a task only")           \
    X(HELPER_CPU_NS, "helper_cpu_ns", SUM,                                                         \
      "this and all that follow: as the counter of that name")                                     \
    X(READ_BYTES, "read_bytes", SUM, "")                                                           \
    X(READ_CALLS, "read_calls", SUM, "")                                                           \
    X(READ_NS, "read_ns", SUM, "")                                                                 \
    X(RECV_BYTES, "recv_bytes", SUM, "")                                                           \
    X(ALLOC_BYTES, "alloc_bytes", SUM, "")                                                         \
    X(ALLOC_CALLS, "alloc_calls", SUM, "")                                                         \
    X(FREED_BYTES, "freed_bytes", SUM, "")                                                         \
    X(IO_WAIT_NS, "io_wait_ns", SUM, "")                                                           \
    X(GIL_WAIT_NS, "gil_wait_ns", SUM, "")                                                         \
    X(LOCK_WAIT_NS, "lock_wait_ns", SUM, "")                                                       \
    X(SLEEP_NS, "sleep_ns", SUM, "")                                                               \
    X(POLL_WAIT_NS, "poll_wait_ns", SUM, "")
enum cup_section_value {
#define X(id, name, kind, text) CUP_V_##id,
    CUP_SECTION_VALUES(X)
#undef X
        CUP_SECTION_VALUE_COUNT
};
struct cup_r_section {
    struct cup_record head;
    uint32_t task;   /* 0: no task is known */
    uint32_t name;   /* string */
    uint32_t parent; /* string: name of the enclosing section; 0: none */
    uint32_t pad;
};

/* Numbers that the program recorded (include/cupping.h): sums over all of a task under one name. */
struct cup_r_value {
    struct cup_record head;
    uint32_t task; /* 0: no task is known */
    uint32_t name; /* string */
    uint64_t count;
    double sum, least, most, last;
};

/* ---- tasks that a merge summed up ---------------------------------------------------------- */

/* `cupping merge --per-prefix` replaces the records of most tasks by their sums. The log then has
 * version CUP_LOG_SUMMED, because a reader that skips SUM records would show too little. Sums are
 * of the tasks whose records are not in the log; what the other tasks did is not in them.
 *
 * X(ID, name, ids): the kinds, and what stands in `ids`. The pairs of a kind are numbered in
 * analysis/profile/sum_fields.c, where a number keeps its meaning. */
#define CUP_SUM_KINDS(X)                                                                           \
    X(PROCESS, "process", "")                                                                      \
    X(KEYS, "keys", "")                                                                            \
    X(PREFIX, "prefix", "string")                                                                  \
    X(TASKS, "tasks", "strings of prefix, span, id of the span, dataset; SERVER; what; number")    \
    X(FILE, "file", "strings of path, prefix")                                                     \
    X(OPENS, "opens", "string of the server, enum cup_open_kind")                                  \
    X(REQUESTS, "requests", "string of the server")                                                \
    X(REQUEST, "request", "strings of server, path; error")                                        \
    X(BRANCH, "branch", "strings of tree, name")                                                   \
    X(ROOT_FILE, "root_file", "string of the path")                                                \
    X(SECTION, "section", "strings of name, parent, prefix")                                       \
    X(VALUE, "value", "strings of name, prefix")
enum cup_sum_kind {
#define X(id, name, ids) CUP_SUM_##id,
    CUP_SUM_KINDS(X)
#undef X
        CUP_SUM_KIND_COUNT
};

/* `ids` of kind TASKS: the tasks have all of this in common. STACK_USE records name them by
 * `number`, which no task of the process has. `what` is the sum of their enum cup_item_kind, their
 * enum cup_task_status << 8, their enum cup_task_origin << 16, and these bits: */
enum {
    CUP_SUM_IS_CHUNK = 1u << 24, /* chunks, whatever else the profile holds */
    CUP_SUM_HAS_ITEM = 1u << 25,
    CUP_SUM_HAS_INPUTS = 1u << 26,
    CUP_SUM_HAS_EVENTS = 1u << 27,  /* their entry ranges are known */
    CUP_SUM_WAS_SKIPPED = 1u << 28, /* Coffea skipped the chunks or files; only of full logs */
};
enum { CUP_SUM_IDS = 7 };
struct cup_r_sum {
    struct cup_record head;
    uint32_t of; /* enum cup_sum_kind */
    uint32_t ids[CUP_SUM_IDS];
};

/* Values of a sum of kind TASKS. SUM, LEAST, LARGEST: how those of two sums are combined. */
#define CUP_TASK_SUMS(X)                                                                           \
    X(TASKS, "tasks", SUM, "")                                                                     \
    X(WALL_NS, "wall_ns", SUM, "")                                                                 \
    X(CPU_NS, "cpu_ns", SUM, "of tasks that have a CPU time")                                      \
    X(WITH_CPU_NS, "with_cpu_ns", SUM, "wall time of these tasks")                                 \
    X(WITHOUT_CPU, "without_cpu", SUM, "the other tasks")                                          \
    X(READ_BYTES, "read_bytes", SUM, "")                                                           \
    X(PARTLY, "partly", SUM, "tasks that may have read over 1 % more")                             \
    X(RESULT_BYTES, "result_bytes", SUM, "")                                                       \
    X(FIRST_NS, "first_ns", LEAST, "when the first began")                                         \
    X(LAST_START_NS, "last_start_ns", LARGEST, "when the last began")                              \
    X(LAST_NS, "last_ns", LARGEST, "when the last ended")                                          \
    X(EVENTS, "events", SUM, "entries of their work items")                                        \
    X(TIMED, "timed", SUM, "chunks with Coffea's clock calls around process()")                    \
    X(PROCESS_NS, "process_ns", SUM, "inside process()")                                           \
    X(PROCESS_CPU_NS, "process_cpu_ns", SUM, "CPU time inside process()")                          \
    X(OPEN_NS, "open_ns", SUM, "before process()")                                                 \
    X(REPORTS, "reports", SUM,                                                                     \
      "chunks that Coffea reported; so are the values up to with_columns")                         \
    X(REPORT_PROCESS_NS, "report_process_ns", SUM, "inside process()")                             \
    X(WITH_BYTES, "with_bytes", SUM, "chunks with requested bytes")                                \
    X(REQUESTED_BYTES, "requested_bytes", SUM, "")                                                 \
    X(REPORT_READ_BYTES, "report_read_bytes", SUM, "read by these chunks")                         \
    X(WITH_ENTRIES, "with_entries", SUM, "chunks or files with reported entries")                  \
    X(ENTRIES, "entries", SUM, "reported entries")                                                 \
    X(WITH_COLUMNS, "with_columns", SUM, "chunks with a set of columns")                           \
    X(ENTRIES_KNOWN, "entries_known", SUM, "chunks whose baskets say which entries they read")     \
    X(ENTRIES_MISSING, "entries_missing", SUM, "of these, chunks that read fewer than they have")  \
    X(WITH_STACKS, "with_stacks", SUM, "tasks with STACK_USE records")                             \
    X(NONCPU_NS, "noncpu_ns", SUM, "of tasks that have a CPU time: see cup_noncpu_ns()")
enum cup_task_sum_value {
#define X(id, name, kind, text) CUP_T_##id,
    CUP_TASK_SUMS(X)
#undef X
        CUP_TASK_SUM_COUNT
};

/* A task's time without its CPU. The clocks differ by microseconds, so that a task may have more
 * CPU time than time: then it is 0. */
static inline uint64_t cup_noncpu_ns(uint64_t wall_ns, uint64_t cpu_ns)
{
    return wall_ns > cpu_ns ? wall_ns - cpu_ns : 0;
}

/* Adds values to those of a sum. */
static inline void cup_task_sum_add(uint64_t *to, const uint64_t *values)
{
    enum { SUM, LEAST, LARGEST };
    static const unsigned char how[CUP_TASK_SUM_COUNT] = {
#define X(id, name, kind, text) kind,
        CUP_TASK_SUMS(X)
#undef X
    };
    int empty = to[CUP_T_TASKS] == 0;
    for (int i = 0; i < CUP_TASK_SUM_COUNT; i++) {
        if (how[i] == SUM)
            to[i] += values[i];
        else if (empty || (how[i] == LEAST) == (values[i] < to[i]))
            to[i] = values[i];
    }
}

/* ---- where files were read, and when ------------------------------------------------------- */

/* An access extent: successive reads of one file for one task, each of which began where the one
 * before ended, or at most CUP_EXTENT_GAP bytes later. If there are more extents than room,
 * neighbours in time are joined; the joined one covers the range of offsets and times of both. */
struct cup_access_extent {
    uint64_t low, high;   /* offsets [low, high) */
    uint64_t start, stop; /* begin of the first read and end of the last one, in TSC ticks */
    uint64_t bytes;       /* delivered: less than high - low if some bytes were skipped, more if
                             some were read again */
    uint32_t calls;       /* 0: the entry is not in use */
    uint32_t jumps;       /* part of `calls`: reads that did not continue the one before */
};
enum { CUP_EXTENT_ROOM = 16, CUP_EXTENT_GAP = 32768 };

/* An access extent in the tail of an ACCESS record. Times are in units of 2^CUP_EXTENT_TIME_BITS
 * ns, rounded down before differences are taken. SIGNED differences are stored as 2n, or as -2n-1
 * if negative. Values that are stored as 0 are left out. "The end before" is that of the extent
 * before; in the first one, offset 0 and the record's start_ns. */
#define CUP_EXTENT_VALUES(X)                                                                       \
    X(OFFSET, "offset", "SIGNED: its lowest offset, less the end before")                          \
    X(EXTENT, "extent", "length, from its lowest offset to its end")                               \
    X(START, "start", "SIGNED: begin of its first read, less the end before")                      \
    X(TIME, "time", "from there to the end of its last read")                                      \
    X(BYTES, "bytes", "SIGNED: delivered bytes, less the length")                                  \
    X(CALLS, "calls", "calls that delivered something, less 1")                                    \
    X(JUMPS, "jumps", "as in struct cup_access_extent")
enum { CUP_EXTENT_TIME_BITS = 10 };
enum cup_extent_value {
#define X(id, name, text) CUP_KV_##id,
    CUP_EXTENT_VALUES(X)
#undef X
        CUP_KV_COUNT
};

/* Where a task read a file, and when; several records of a task and file add up. The tail has
 * access extents in the order of time, until the record's end or a first byte of 0. An extent is
 * one byte, bit n for enum cup_extent_value n, then the values whose bits are set, as unsigned
 * LEB128 numbers. */
struct cup_r_access {
    struct cup_record head;
    uint32_t task;
    uint32_t file; /* FILE record */
    int64_t start_ns;
    uint16_t set;      /* EXTENTS record that it was made from */
    uint8_t own;       /* enum cup_block_kind */
    uint8_t extents;   /* in the tail */
    uint32_t sequence; /* of the EXTENTS record */
};

/* A set of access extents that a thread updates in place, so that those of a killed process are not
 * lost. To close it, the thread writes an ACCESS record with the set's number and sequence; then it
 * raises the sequence and uses the set for another file or task. If the process is killed in
 * between, a reader finds an ACCESS record with the sequence that the set still has, and ignores
 * the set. */
struct cup_r_extents {
    struct cup_record head;
    uint32_t set; /* 1, 2, 3, ... in this process */
    uint32_t sequence;
    uint32_t task;
    uint32_t file; /* FILE record; 0: not in use */
    uint8_t own;   /* enum cup_block_kind */
    uint8_t pad[7];
    uint64_t base_ticks; /* a time is base_ns + (ticks - base_ticks) * multiplier / 2^32 */
    int64_t base_ns;
    uint64_t multiplier;
    struct cup_access_extent extents[CUP_EXTENT_ROOM]; /* in no order */
};

/* The time of a tick count in the set's extents. */
static inline int64_t cup_extents_time_ns(const struct cup_r_extents *set, uint64_t ticks)
{
    uint64_t apart = ticks - set->base_ticks, before = set->base_ticks - ticks;
    uint64_t base = (uint64_t)set->base_ns; /* unsigned: damage may lead beyond 64 bits */
    return (int64_t)((int64_t)apart >= 0
                         ? base + (uint64_t)(((unsigned __int128)apart * set->multiplier) >> 32)
                         : base - (uint64_t)(((unsigned __int128)before * set->multiplier) >> 32));
}

/* Single reads of data files, recorded if CUPPING_READS is 1. A thread appends rows in place, so
 * those of a killed process are not lost; when the thread ends, another one goes on with its
 * record. The tail has rows until the record's end or a first byte of 0. A row is a byte with the
 * bits of enum cup_reads_bit, of which CUP_READS_ROW is always set, then unsigned LEB128 numbers:
 *   - with CUP_READS_TASK: 4 times the task, plus enum cup_block_kind; else as in the row before
 *   - with CUP_READS_FILE: FILE record; else as in the row before
 *   - its offset, less the end of the row before (0 in the first row), and its bytes
 *   - without CUP_READS_PART: when it began, less the begin of the row before (start_ns in the
 *     first row), and how long it took, in units of 2^CUP_READS_TIME_BITS ns.
 * Differences are stored as 2n, or as -2n-1 if negative. With CUP_READS_PART the row is one more
 * part of the vector read of the row before. */
struct cup_r_reads {
    struct cup_record head;
    int64_t start_ns;
};
enum cup_reads_bit {
    CUP_READS_ROW = 1,
    CUP_READS_TASK = 2,
    CUP_READS_FILE = 4,
    CUP_READS_PART = 8,
};
enum { CUP_READS_TIME_BITS = 6 };

#define CUP_SIZE_IS(type, bytes)                                                                   \
    _Static_assert(sizeof(struct type) == (bytes),                                                 \
                   #type " changed: does it need a new version? See the head of this file")
#define X(NAME, name, number, bytes, least, tail) CUP_SIZE_IS(cup_r_##name, bytes);
CUP_RECORDS(X)
#undef X
CUP_SIZE_IS(cup_region, 24);
CUP_SIZE_IS(cup_log_header, 1128);
CUP_SIZE_IS(cup_file_use, 232);
CUP_SIZE_IS(cup_block, 1768);
CUP_SIZE_IS(cup_series, 16400);
CUP_SIZE_IS(cup_record, 8);
CUP_SIZE_IS(cup_digest_value, 16);
CUP_SIZE_IS(cup_stack_node, 12);
CUP_SIZE_IS(cup_access_extent, 48);
