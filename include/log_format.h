/* The log of one process: the one definition that the writer (preload/) and the
 * reader (analysis/) share. Prose and a worked example: docs/contributing/log-format.md.
 *
 * A file is: one struct cup_log_header; fixed regions that the process updates in
 * place while it lives (header.regions tells where); then records, appended, from
 * header.records_offset to header.records_end. It is written through a MAP_SHARED
 * mapping from the first byte on, so whatever a killed process had stored is there.
 *
 * Versions. Adding a record type, a region, a counter at the end of a list, a health
 * counter at the end, or a field at the end of a record's fixed part: no bump (readers
 * skip types they do not know, and read min(record, known) bytes of a fixed part, the
 * rest being zero). Any change of meaning, order or size of what exists: bump
 * CUP_LOG_VERSION, and CUP_LOG_MIN_READER when an old reader would be wrong.
 *
 * Units: *_ns nanoseconds; times are CLOCK_REALTIME nanoseconds since the epoch; sizes
 * are bytes. All integers in the writer's byte order, which header.byte_order tells.
 */
#ifndef CUPPING_LOG_FORMAT_H
#define CUPPING_LOG_FORMAT_H

#include <stdint.h>

#define CUP_LOG_MAGIC "CUPPING\n" /* 8 bytes, no NUL */
#define CUP_LOG_BYTE_ORDER 0x01020304u
#define CUP_LOG_VERSION 3     /* 3: rows of samples tell what changed */
#define CUP_LOG_MIN_READER 2  /* 2: smaller COUNTERS and FILE_USE records */
#define CUP_LOG_OLDEST 2      /* that this reader still understands: of 2, all but samples */
#define CUP_LOG_SUFFIX ".cup" /* HOST-PID-STARTNS.cup in the profile directory */

#define CUP_UNKNOWN64 UINT64_MAX /* "not known" in any uint64_t field that says it may be */

/* ---- counters: one list, from which enum, names and documentation come ------------------- */

/* How a thread's bytes found their task, strongest first. */
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

/* What one thread did for one task (task 0: for no task). SUM adds up over blocks, MAX is a
 * high-water mark of its block (over several threads: the sum of them is an upper bound), LARGEST
 * the largest of its block (over several: the largest of them).
 *
 * Waits are wall time less CPU time less run delay of calls that block; no nanosecond is in two of
 * them. The five from IO_WAIT_NS to POLL_WAIT_NS stand in the order of enum cup_wait_class. */
#define CUP_COUNTERS(X)                                                                            \
    X(READ_OWN_BYTES, "read_own_bytes", SUM, "data files: read by the task's own thread")          \
    X(READ_CONTEXT_BYTES, "read_context_bytes", SUM, "data files: by way of the context")          \
    X(READ_DESCRIPTOR_BYTES, "read_descriptor_bytes", SUM, "data files: by way of the descriptor") \
    X(READ_HANDOFF_BYTES, "read_handoff_bytes", SUM, "data files: by way of a hand-off")           \
    X(READ_INHERITED_BYTES, "read_inherited_bytes", SUM, "data files: inherited thread")           \
    X(READ_SOLE_BYTES, "read_sole_bytes", SUM, "data files: sole task of the process")             \
    X(READ_NONE_BYTES, "read_none_bytes", SUM, "data files: no task known (task 0 only)")          \
    X(READ_CALLS, "read_calls", SUM, "calls that read data files")                                 \
    X(READ_NS, "read_ns", SUM, "wall time inside those calls")                                     \
    X(WRITE_BYTES, "write_bytes", SUM, "written to regular files")                                 \
    X(WRITE_CALLS, "write_calls", SUM, "calls that wrote regular files")                           \
    X(WRITE_NS, "write_ns", SUM, "wall time inside those calls")                                   \
    X(OPEN_CALLS, "open_calls", SUM, "files opened, imports apart")                                \
    X(IMPORT_BYTES, "import_bytes", SUM, "read from .py, .pyc, .so and package metadata")          \
    X(IMPORT_CALLS, "import_calls", SUM, "calls that read those")                                  \
    X(PIPE_BYTES, "pipe_bytes", SUM, "read from pipes and terminals")                              \
    X(SPILL_READ_BYTES, "spill_read_bytes", SUM, "Dask's spilled data read back")                  \
    X(SPILL_WRITE_BYTES, "spill_write_bytes", SUM, "Dask's spilled data written")                  \
    X(ALLOC_BYTES, "alloc_bytes", SUM, "allocated, in usable size")                                \
    X(ALLOC_CALLS, "alloc_calls", SUM, "allocations")                                              \
    X(FREED_BYTES, "freed_bytes", SUM, "freed by this thread, whoever allocated it")               \
    X(FREE_CALLS, "free_calls", SUM, "frees of non-NULL pointers")                                 \
    X(PEAK_LIVE_BYTES, "peak_live_bytes", MAX, "highest value of allocated less freed")            \
    X(HELPER_CPU_NS, "helper_cpu_ns", SUM, "CPU time that this thread used as a helper")           \
    X(MAPPED_BYTES, "mapped_bytes", SUM, "pages of mapped files made present: an upper bound")     \
    X(RECV_BYTES, "recv_bytes", SUM, "delivered by sockets, Dask's own apart")                     \
    X(RECV_CALLS, "recv_calls", SUM, "calls that delivered those")                                 \
    X(SEND_BYTES, "send_bytes", SUM, "accepted by sockets, Dask's own apart")                      \
    X(SEND_CALLS, "send_calls", SUM, "calls that took those")                                      \
    X(NET_NS, "net_ns", SUM, "wall time inside those calls")                                       \
    X(TRANSFER_RECV_BYTES, "transfer_recv_bytes", SUM, "sockets of Dask itself (task 0 only)")     \
    X(TRANSFER_SEND_BYTES, "transfer_send_bytes", SUM, "likewise, sent (task 0 only)")             \
    X(DASK_READ_BYTES, "dask_read_bytes", SUM,                                                     \
      "data files read by Dask's own threads: deserialising, its event loop (task 0 only)")        \
    X(SOCKET_READ_BYTES, "socket_read_bytes", SUM,                                                 \
      "of what sockets delivered: by read() and readv(), which the kernel counts as reads")        \
    X(OTHER_READ_BYTES, "other_read_bytes", SUM, "read from /proc, /sys, devices, memory files")   \
    X(STDIO_READ_BYTES, "stdio_read_bytes", SUM,                                                   \
      "of all files' bytes: handed out by stdio, whose own refills the kernel counts instead")     \
    X(COPIED_BYTES, "copied_bytes", SUM,                                                           \
      "of read_bytes: moved inside the kernel (sendfile, copy_file_range, splice)")                \
    X(IO_WAIT_NS, "io_wait_ns", SUM, "blocked in calls on files")                                  \
    X(GIL_WAIT_NS, "gil_wait_ns", SUM, "blocked for the interpreter's lock")                       \
    X(LOCK_WAIT_NS, "lock_wait_ns", SUM, "blocked for locks, conditions, other threads' ends")     \
    X(SLEEP_NS, "sleep_ns", SUM, "slept")                                                          \
    X(POLL_WAIT_NS, "poll_wait_ns", SUM, "blocked on sockets and pipes")                           \
    X(RUN_DELAY_NS, "run_delay_ns", SUM,                                                           \
      "ready, but without a core; helper threads: only where a wait ended so")                     \
    X(HELD_UP_NS, "held_up_ns", SUM,                                                               \
      "of the task's own waits: in a lock, while a helper of it waited so")                        \
    X(GUESSED_WAIT_NS, "guessed_wait_ns", SUM,                                                     \
      "of the waits: calls that blocked unexpectedly, whose CPU time was taken from their size")   \
    X(GIL_WAITS, "gil_waits", SUM, "times that the interpreter's lock was waited for")             \
    X(MAJOR_FAULTS, "major_faults", SUM, "pages that the task's own thread waited for a disk for") \
    X(MINOR_FAULTS, "minor_faults", SUM, "pages made present for it without")                      \
    X(SYSTEM_CPU_NS, "system_cpu_ns", SUM, "of its CPU time: in the kernel, as the kernel says")   \
    X(READ_LONGEST_NS, "read_longest_ns", LARGEST, "longest call that read a data file")           \
    X(GIL_LONGEST_NS, "gil_longest_ns", LARGEST, "longest wait for the interpreter's lock")        \
    X(REMOTE_READ_BYTES, "remote_read_bytes", SUM,                                                 \
      "of read_bytes: handed out by XRootD's client, past all descriptors")                        \
    X(WIRE_RECV_BYTES, "wire_recv_bytes", SUM,                                                     \
      "sockets of XRootD's client, which hands the same bytes out as reads (task 0 only)")         \
    X(OPEN_NS, "file_open_ns", SUM,                                                                \
      "wall time of opening data files: of the calls, or until XRootD's answer; failed ones, too") \
    X(FAILED_OPENS, "failed_opens", SUM, "opens of data files that failed")                        \
    X(PEAK_BEFORE_BYTES, "peak_before_bytes", MAX,                                                 \
      "peak_live_bytes before the section under way, which has a peak of its own")
enum cup_counter {
#define X(id, name, kind, text) CUP_C_##id,
    CUP_COUNTERS(X)
#undef X
        CUP_COUNTER_COUNT
};
enum { CUP_COUNTER_ROOM = 64 }; /* counters a block has room for, whatever the version uses */

/* Why a thread is blocked. */
enum cup_wait_class {
    CUP_WAIT_IO,
    CUP_WAIT_GIL,
    CUP_WAIT_LOCK,
    CUP_WAIT_SLEEP,
    CUP_WAIT_POLL,
    CUP_WAIT_COUNT
};

/* Durations, as counts in log-spaced buckets: two to each power of two. Those of reads are wall
 * time, those of GIL waits blocked time (less run delay). */
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

/* Bucket of a duration. The first also holds all that is shorter, the last all that is longer. */
static inline unsigned cup_bucket(uint64_t ns)
{
    if (ns >> CUP_BUCKETS_FROM == 0)
        return 0;
    unsigned power = 63u - (unsigned)__builtin_clzll(ns);
    unsigned bucket = 2 * (power - CUP_BUCKETS_FROM) + (unsigned)(ns >> (power - 1) & 1);
    return bucket < CUP_BUCKETS ? bucket : CUP_BUCKETS - 1;
}

/* The shortest duration of a bucket in nanoseconds; of bucket CUP_BUCKETS: where the last ends. */
static inline uint64_t cup_bucket_from_ns(unsigned bucket)
{
    return bucket ? (UINT64_C(2) + bucket % 2) << (bucket / 2 + CUP_BUCKETS_FROM - 1) : 0;
}

/* What one thread did to one file for one task. */
#define CUP_FILE_COUNTERS(X)                                                                       \
    X(READ_BYTES, "read_bytes", "delivered by reads")                                              \
    X(READ_CALLS, "read_calls", "reads")                                                           \
    X(READ_NS, "read_ns", "wall time inside reads")                                                \
    X(SEQUENTIAL_CALLS, "sequential_calls", "reads that began where the last one ended")           \
    X(WRITE_BYTES, "write_bytes", "accepted by writes")                                            \
    X(WRITE_CALLS, "write_calls", "writes")                                                        \
    X(WRITE_NS, "write_ns", "wall time inside writes")                                             \
    X(OPENS, "opens", "opens whose descriptor was then read or written")                           \
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
    X(MAPPED_BYTES, "mapped_bytes", "pages of it made present through mappings: an upper bound")
enum cup_file_counter {
#define X(id, name, text) CUP_F_##id,
    CUP_FILE_COUNTERS(X)
#undef X
        CUP_FILE_COUNTER_COUNT
};
enum { CUP_FILE_COUNTER_ROOM = 28 };

/* Rows of the time series. */
#define CUP_SERIES(X)                                                                              \
    X(READ_BYTES, "read_bytes", "data files read")                                                 \
    X(WRITE_BYTES, "write_bytes", "regular files written")                                         \
    X(READ_NS, "read_ns", "wall time inside reads of data files, all threads")                     \
    X(TASK_NS, "task_ns", "task time (added to the bin in which the task ended)")                  \
    X(TASK_CPU_NS, "task_cpu_ns", "task CPU time (likewise)")                                      \
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

/* What the library says of itself; all process-wide, only ever growing. */
#define CUP_HEALTH(X)                                                                              \
    X(TASKS_BEGUN, "tasks_begun", "task begins seen")                                              \
    X(TASKS_ENDED, "tasks_ended", "task ends seen")                                                \
    X(RECORDS_DROPPED, "records_dropped", "records lost: log full, disk full or limit reached")    \
    X(BLOCKS_DROPPED, "blocks_dropped", "events lost: no counter block was free")                  \
    X(STRINGS_DROPPED, "strings_dropped", "strings not stored: table full (id 0 stands there)")    \
    X(FILES_DROPPED, "files_dropped", "files not told apart: table full")                          \
    X(ANCHOR_CALLS, "anchor_calls", "clock calls that were looked at closely")                     \
    X(ANCHOR_NS, "anchor_ns", "time spent on those: the cost of task begins and ends")             \
    X(ANCHOR_ERRORS, "anchor_errors", "anchors whose frames did not hold what they should")        \
    X(FORKS, "forks", "children forked (their reads are not in this log)")                         \
    X(KERNEL_READ_START, "kernel_read_start", "rchar of /proc/self/io when the log was opened")    \
    X(KERNEL_READ_STOP, "kernel_read_stop", "the same when the process ended (0: not asked)")      \
    X(OWN_READ_BYTES, "own_read_bytes", "read by the library itself since the log was opened")     \
    X(REAPED_READ_BYTES, "reaped_read_bytes", "rchar of children when they were waited for")       \
    X(MAPPING_NS, "mapping_ns", "time spent asking the kernel for the pages of mapped files")      \
    X(MAPPINGS_DROPPED, "mappings_dropped",                                                        \
      "mapped files not followed: table full, or no pagemap")                                      \
    X(LOCKS_DROPPED, "locks_dropped", "locks whose maker is not known: table full")                \
    X(THREADS_VOIDED, "threads_voided",                                                            \
      "threads started by a task that may work for others too, and are not taken for its helpers") \
    X(DELAYS_UNKNOWN, "delays_unknown",                                                            \
      "threads whose run delay was not read: too many, or too few descriptors")                    \
    X(RUNS, "runs", "Runner calls of Coffea seen: as many RUN records")                            \
    X(SAMPLES_TAKEN, "samples_taken", "samples of Dask's servers, also those that were dropped")   \
    X(SAMPLES_MISSED, "samples_missed", "samples that were due while the event loop stalled")      \
    X(SAMPLES_DROPPED, "samples_dropped", "samples lost: the log was full")                        \
    X(SAMPLE_NS, "sample_ns", "for which taking samples held event loops up")                      \
    X(BASKETS_SEEN, "baskets_seen", "keys of baskets that passed through reads")                   \
    X(BASKETS_DROPPED, "baskets_dropped", "baskets lost: tables or log full")                      \
    X(REMOTE_DROPPED, "remote_dropped",                                                            \
      "reads through XRootD's client that were not counted: too many at a time, or not "           \
      "understood")                                                                                \
    X(OPENS_DROPPED, "opens_dropped", "opens without an OPEN record: there were too many")         \
    X(SECTIONS_DROPPED, "sections_dropped",                                                        \
      "sections and values of the program's own lost: tables or log full")                         \
    X(STACKS_TAKEN, "stacks_taken", "Python stacks read at events of a task")                      \
    X(STACKS_DROPPED, "stacks_dropped", "stacks or uses of them lost: tables or log full")         \
    X(CODES_REPLACED, "codes_replaced", "functions met where another one's code lay before")       \
    X(CPU_SAMPLES, "cpu_samples", "samples of threads in a task, those on a core and others")      \
    X(CPU_SAMPLES_TORN, "cpu_samples_torn",                                                        \
      "of those: the stack changed while it was read; the time is kept, without the stack")        \
    X(CPU_SAMPLES_MISSED, "cpu_samples_missed",                                                    \
      "samples that were due while the sampler was late")                                          \
    X(CPU_SAMPLES_DROPPED, "cpu_samples_dropped",                                                  \
      "samples of CPU_SAMPLES records lost: the log was full")                                     \
    X(NATIVE_MISSED, "native_missed",                                                              \
      "stacks without their native frames: a library is unloaded, or too little room")             \
    X(NATIVE_APART, "native_apart",                                                                \
      "new stacks whose Python and native frames were not matched: Python's come first")           \
    X(CPU_SAMPLER_NS, "cpu_sampler_ns", "CPU time of the sampler itself")
enum cup_health {
#define X(id, name, text) CUP_H_##id,
    CUP_HEALTH(X)
#undef X
        CUP_HEALTH_COUNT
};
enum { CUP_HEALTH_ROOM = 64 };

/* ---- header ------------------------------------------------------------------------------ */

/* What was measured, one bit each in this order: where a bit is clear, the metrics that need it are
 * null ("n/a"). X(id, name, what the bit says, what the report says where it is clear). */
#define CUP_FEATURES(X)                                                                            \
    X(FILES, "files", "the hooks of files are in place", "reads and writes are not measured")      \
    X(HEAP, "heap", "the hooks of malloc() and its family are in place",                           \
      "allocations are not measured")                                                              \
    X(BRIDGE, "bridge", "CPython's data structures were verified: Dask tasks are seen",            \
      "Dask tasks are not seen")                                                                   \
    X(CONTEXT, "context", "attribution method context was verified",                               \
      "reads on helper threads may find no task")                                                  \
    X(CHUNKS, "chunks", "the layout of frames was verified: Coffea's clock calls are seen",        \
      "time inside process() is not known")                                                        \
    X(RSS, "rss", "/proc/self/statm can be read", "memory of the process is not known")            \
    X(HANDOFF, "handoff", "Python's locks are seen: attribution methods handoff and inherited",    \
      "work that is handed over finds no task; helpers' CPU time is not known")                    \
    X(MAPPED, "mapped", "/proc/self/pagemap can be read", "pages of mapped files are not counted") \
    X(WAITS, "waits", "calls that block are timed", "waits are not told apart")                    \
    X(GIL, "gil", "waits for the interpreter's lock are recognised",                               \
      "waits for the interpreter's lock are among those for locks")                                \
    X(RUN_DELAY, "run_delay", "/proc/self/task/TID/schedstat can be read",                         \
      "time without a core is inside the waits")                                                   \
    X(SAMPLES, "samples", "Dask's servers are sampled, if the process has any",                    \
      "Dask's view of its workers (memory, cores, tasks over time) is not known")                  \
    X(DIGESTS, "digests", "Dask's fine metrics are read, if the process has any",                  \
      "Dask's fine metrics are not known")                                                         \
    X(BASKETS, "baskets", "baskets of ROOT files are searched for in what is read",                \
      "what was read of which branch is not known")                                                \
    X(REQUESTED, "asked", "uproot's list of requested baskets was verified and is read",           \
      "which baskets uproot asked for is not known: they are told by their place")                 \
    X(OPENS, "opens", "opens are timed: OPEN records",                                             \
      "how long it took to open files is not known")                                               \
    X(ACCESS, "access", "offsets and times of reads are recorded: ACCESS records",                 \
      "where in the files was read is not known")                                                  \
    X(STACKS, "stacks", "Python stacks: the interpreter's layout was verified",                    \
      "which functions did what is not known")                                                     \
    X(NATIVE, "native", "native frames are read as well",                                          \
      "of native code it is only known which Python function called it")                           \
    X(CPU, "cpu", "threads that run tasks are sampled", "which functions used the CPU is not known")
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
    CUP_REGION_BLOCKS = 1, /* struct cup_block, count entries; more such regions may follow, as the
                              process comes to need them: their indices go on */
    CUP_REGION_SERIES = 2, /* struct cup_series, one entry */
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
    uint16_t min_reader;  /* oldest version of reader that understands this file */
    uint32_t header_size; /* sizeof(struct cup_log_header) of the writer */
    uint32_t region_count;
    uint64_t records_offset;
    uint64_t records_end; /* first byte after the last reserved record; only grows */
    uint32_t pid;
    uint32_t ppid;
    int64_t process_start_ns; /* when the library was loaded */
    int64_t log_start_ns;     /* when this log was opened; origin of the series */
    int64_t log_stop_ns;      /* 0: the process did not end in good order (kill, crash) */
    uint64_t features;        /* enum cup_feature */
    uint32_t parent_task;     /* process forked by a task: that task in the parent; else 0 */
    uint32_t hook_count;      /* hooks found and in place */
    char host[64];            /* NUL-terminated, shortened if longer */
    char library_version[32];
    char library_build[48]; /* compiler and options, for dump */
    struct cup_region regions[CUP_REGION_ROOM];
    uint64_t health[CUP_HEALTH_ROOM];
};

/* ---- regions ----------------------------------------------------------------------------- */

struct cup_file_use {
    uint32_t file;   /* id of a FILE record; 0: empty */
    uint32_t access; /* the writer's own: its strokes, see access.h */
    uint64_t counters[CUP_FILE_COUNTER_ROOM];
};
enum { CUP_BLOCK_FILES = 3 };

/* What the thread is to the task. */
enum cup_block_kind {
    CUP_BLOCK_HELPS = 0,
    CUP_BLOCK_RUNS = 1,
    CUP_BLOCK_INHERITS = 2, /* the task started it; a VOID record makes all of these nobody's */
};

/* Counters of one thread for one task, updated in place by that thread alone. A block that is
 * closed is written out as a COUNTERS record (and FILE_USE records) that carry its index and
 * sequence number; only then the sequence number is raised and the block freed. A reader that
 * meets records with the sequence number that the block still has ignores the block. Blocks of
 * helpers of one task are added up first, when their threads are done with it. */
struct cup_block {
    uint32_t used;                           /* 0: free; CUP_BLOCK_MOVED: a reader passes it by */
    uint32_t task;                           /* task's number in this process; 0: no task */
    uint32_t tid;                            /* thread that owns the block; 0: several wrote it */
    uint32_t sequence;                       /* see above; starts at 1 */
    uint32_t own;                            /* enum cup_block_kind */
    uint32_t file_sequence[CUP_BLOCK_FILES]; /* likewise for each file entry, written out earlier
                                                when room is needed; starts at 1 */
    uint64_t counters[CUP_COUNTER_ROOM];
    struct cup_file_use files[CUP_BLOCK_FILES];
    uint32_t histograms[CUP_HISTOGRAM_COUNT][CUP_BUCKETS];
};

enum { CUP_BLOCK_MOVED = 4 }; /* what it holds is being added to another one */

struct cup_series {
    uint64_t bin_ns;   /* width of a bin: 100 ms, doubled whenever the bins are full */
    uint32_t rows;     /* rows in use by the writer */
    uint32_t doubling; /* 1 while bins are merged: a process killed then left them unusable */
    uint64_t values[CUP_SERIES_ROOM][CUP_SERIES_BINS];
};

/* ---- records ----------------------------------------------------------------------------- */

/* Records are 8-byte aligned. The length is stored when the room is reserved, the type, with
 * release order, when the record is whole: type 0 is a record that its writer never finished
 * (skip it by its length); length 0 is the end. */
struct cup_record {
    uint32_t length; /* whole record with this header, multiple of 8 */
    uint16_t type;   /* enum cup_record_type */
    uint16_t fixed;  /* bytes of the fixed part, this header included; a tail may follow */
};

/* The types of records. X(NAME, name, number, bytes, least, tail):
 *   NAME    what `cupping dump` prints; CUP_R_NAME in code
 *   name    the fixed part is struct cup_r_name; cup_load_name() adds it to a profile and
 *           cup_dump_name() prints it
 *   number  stands in cup_record.type; 17 was used by version 2 and is not used again
 *   bytes   size of the fixed part
 *   least   size that the oldest version still read (CUP_LOG_OLDEST) wrote: a shorter record is
 *           damage. 0: the reader does not use such records to find its way after damage
 *   tail    what follows the fixed part; empty: nothing
 * The enum, the checks of sizes, the reader's bounds, the loader's and the dump's tables come from
 * this list. */
#define CUP_RECORDS(X)                                                                             \
    X(STRING, string, 1, 16, 16, "the text, no NUL")                                               \
    X(FILE, file, 2, 48, 48, "")                                                                   \
    X(INFO, info, 3, 16, 16, "")                                                                   \
    X(SERVER, server, 4, 40, 40, "")                                                               \
    X(TASK_BEGIN, task_begin, 5, 64, 64, "str(key), no NUL")                                       \
    X(TASK_END, task_end, 6, 56, 56, "")                                                           \
    X(ITEM, item, 7, 48, 48, "")                                                                   \
    X(CHUNK, chunk, 8, 40, 40, "")                                                                 \
    X(COUNTERS, counters, 9, 24, 24, "pairs: counters, then buckets of histograms")                \
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
    X(RUN, run, 23, 48, 48, "")                                                                    \
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
    X(OPEN, open, 39, 48, 48, "")                                                                  \
    X(EXTENTS, extents, 40, 824, 824, "")                                                          \
    X(CPU_SAMPLES, cpu_samples, 41, 32, 32, "rows: one or more samples that found the thread alike")
enum cup_record_type {
#define X(NAME, name, number, bytes, least, tail) CUP_R_##NAME = (number),
    CUP_RECORDS(X)
#undef X
};

/* Keeps the room of a region that was added while the process ran: the header says where it is. */
struct cup_r_room {
    struct cup_record head;
};

/* Interned text. Strings come before the first record that names them. id 0 is "not known". */
struct cup_r_string {
    struct cup_record head;
    uint32_t id;
    uint32_t bytes; /* length of the tail's text, no NUL */
};

enum cup_file_class {
    CUP_FILE_DATA = 1,   /* regular file */
    CUP_FILE_IMPORT = 2, /* .py, .pyc, .so, package metadata */
    CUP_FILE_SPILL = 3,  /* below a Dask worker's own directory */
    CUP_FILE_PIPE = 4,   /* pipe, FIFO or terminal: bytes only, never in a FILE record */
    CUP_FILE_SOCKET = 5, /* in a FILE record: a peer, whose path is its address */
    CUP_FILE_OTHER = 6,  /* /proc, /sys, devices, eventfd, ...: not counted */
};
enum {
    CUP_FILE_IS_ROOT = 1u << 0,   /* flag: the path ends in .root */
    CUP_FILE_IS_REMOTE = 1u << 1, /* flag: read through XRootD's client, the path is a URL; device,
                                     inode and size are not known, and 0 */
};

/* A regular file that was read or written; or the peer of a socket ("tcp://10.0.0.1:1094",
 * "unix:/run/x", "udp://...": device, inode and size are 0), whose FILE_USE counters are those of
 * its connections: read is received, write is sent, opens is connections. */
struct cup_r_file {
    struct cup_record head;
    uint32_t id;
    uint32_t path;  /* string */
    uint32_t class; /* enum cup_file_class */
    uint32_t flags;
    uint64_t device;
    uint64_t inode;
    uint64_t size; /* when first used */
};

/* A fact about the process as name and value ("python", "command", "distributed", ...). The
 * last one of a name counts. */
struct cup_r_info {
    struct cup_record head;
    uint32_t name;  /* string */
    uint32_t value; /* string */
};

/* What was opened. */
enum cup_open_kind {
    CUP_OPEN_LOCAL = 1,   /* a data file, also on a mounted file system: the call's wall time. Of
                             those   that were then read or written; written down at that time */
    CUP_OPEN_XROOTD = 2,  /* a file, through XRootD's client: until its answer */
    CUP_OPEN_CONNECT = 3, /* a TCP connection, not Dask's own: from connect() until the program was
                             told that it stands, without names looked up before, or TLS after */
};
enum { CUP_OPENS_MOST = 1 << 18 }; /* OPEN records of a process; more are counted as dropped */

/* Something was opened, or could not be. Local opens that failed are there if a task called and the
 * path would be a data file's. */
struct cup_r_open {
    struct cup_record head;
    uint32_t task;  /* 0: no task is known */
    uint32_t file;  /* FILE record: the file's, or the peer's; 0: none, see path */
    uint32_t path;  /* string: where there is no FILE record; of very many that failed, only the
                       server, or the first directory; else 0 */
    uint32_t kind;  /* enum cup_open_kind */
    uint32_t error; /* 0: it was opened. Else errno; of XRootD the server's own number (from 3000
                       on), or the client's (below 1000). ECANCELED: given up before an answer */
    uint32_t pad;
    int64_t start_ns;
    uint64_t ns; /* how long it took */
};

enum cup_role {
    CUP_ROLE_OTHER = 0,
    CUP_ROLE_CLIENT = 1,
    CUP_ROLE_SCHEDULER = 2,
    CUP_ROLE_NANNY = 3,
    CUP_ROLE_WORKER = 4,
    CUP_ROLE_CHILD = 5,
};

/* A Dask server in this process (several in a LocalCluster of threads). */
struct cup_r_server {
    struct cup_record head;
    uint32_t id;
    uint32_t role;            /* enum cup_role */
    uint32_t address;         /* string */
    uint32_t name;            /* string: str(name) */
    uint32_t threads;         /* 0: not known */
    uint32_t local_directory; /* string */
    uint64_t memory_limit;    /* CUP_UNKNOWN64: none or not known */
};

enum cup_task_origin {
    CUP_ORIGIN_DASK = 1,   /* opened by Dask's thread clock */
    CUP_ORIGIN_COFFEA = 2, /* opened by Coffea's own clock, no Dask; the key is made by us */
    CUP_ORIGIN_ASYNC = 3,  /* an async def task, on the event loop: no CPU time is known */
    CUP_ORIGIN_ACTOR = 4,  /* a call of an actor's method; the key is Dask's name of it */
};

struct cup_r_task_begin {
    struct cup_record head;
    uint32_t task; /* 1, 2, 3, ... in this process */
    uint32_t tid;
    uint32_t prefix; /* string */
    uint32_t server; /* SERVER record; 0: not known */
    uint32_t span;   /* string: its name; see SPAN */
    uint32_t origin; /* enum cup_task_origin */
    int64_t start_ns;
    uint64_t rss;       /* CUP_UNKNOWN64: not known */
    int64_t run_id;     /* Dask's run_id of this attempt; -1: not known */
    uint32_t key_bytes; /* tail: str(key), no NUL */
    uint32_t span_id;   /* string, that of a SPAN record; 0: not known */
};

/* The results that a task is made from, after its begin; a task without any has none. */
struct cup_r_inputs {
    struct cup_record head;
    uint32_t task;
    uint32_t count;
    uint64_t bytes;     /* Dask's nbytes of all of them; CUP_UNKNOWN64: not known */
    uint32_t key_bytes; /* tail: str(key) of one of them, no NUL */
    uint32_t pad;
};

enum cup_task_status {
    CUP_STATUS_FINISHED = 1,
    CUP_STATUS_ERRED = 2,
    /* no TASK_END record: unfinished */
};

struct cup_r_task_end {
    struct cup_record head;
    uint32_t task;
    uint32_t status; /* enum cup_task_status */
    int64_t stop_ns;
    uint64_t cpu_ns; /* thread CPU clock, stop less start: the values that Dask itself was given;
                        CUP_UNKNOWN64: not known */
    uint64_t rss;    /* CUP_UNKNOWN64: not known */
    uint64_t result_bytes; /* Dask's nbytes; CUP_UNKNOWN64: not known */
    uint32_t error;        /* string: type and message, erred tasks; 0: not known */
    uint32_t pad;
};

enum cup_item_kind {
    CUP_ITEM_WORK = 1,     /* coffea WorkItem */
    CUP_ITEM_METADATA = 2, /* coffea FileMeta: no entry range */
    CUP_ITEM_READ = 3,     /* a partition of uproot.dask's: no dataset */
    CUP_ITEM_PATH = 4,     /* an argument that names a file: no dataset, no entry range */
};

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

/* Coffea's two clock calls around process(). toc_ns is 0 when process() did not return. */
struct cup_r_chunk {
    struct cup_record head;
    uint32_t task;
    uint32_t pad;
    int64_t tic_ns;
    int64_t toc_ns;
    uint64_t cpu_ns; /* thread CPU between tic and toc; CUP_UNKNOWN64: not known */
};

/* A set of columns, as Coffea names them (branch, "-", what it is used for; before 2026 the branch
 * alone). Tail: their strings' ids, each 32 bits, in no order. */
struct cup_r_columns {
    struct cup_record head;
    uint32_t id; /* 1, 2, 3, ... in this process */
    uint32_t count;
};

/* What Coffea reports of a chunk, read from the same objects right after process() returned: there
 * whether the client asked for a report or not. Its process time is in CHUNK. */
struct cup_r_chunk_report {
    struct cup_record head;
    uint32_t task;
    uint32_t columns;         /* COLUMNS record: those that were made; 0: not known */
    uint64_t requested_bytes; /* that uproot asked its source for; CUP_UNKNOWN64: not known */
    uint64_t entries;         /* CUP_UNKNOWN64: not known */
};

/* A call of Coffea's Runner: the first and the last time that its thread was seen inside of it, the
 * second kept up to date. Both lie within the call; it began after not_before_ns and ended before
 * not_after_ns, when the thread was seen outside. */
struct cup_r_run {
    struct cup_record head;
    uint32_t run; /* 1, 2, 3, ... in this process */
    uint32_t tid; /* 0: not known */
    int64_t start_ns;
    int64_t stop_ns;
    int64_t not_before_ns; /* 0: not known */
    int64_t not_after_ns;  /* 0: not known; it may never have ended */
};

/* A block that was closed. Tail: pairs of unsigned LEB128 numbers (counter index, value), until
 * the record's end or an index whose value is cut; counters not named are 0; index
 * 127 (a lone byte 0x7f) is padding; indexes from CUP_PAIR_BUCKETS on are buckets of histograms,
 * one after the other. */
struct cup_r_counters {
    struct cup_record head;
    uint32_t task;
    uint32_t tid;
    uint16_t block; /* index in the BLOCKS region */
    uint8_t own;    /* enum cup_block_kind */
    uint8_t pad;
    uint32_t sequence; /* of that block */
};
enum { CUP_PAIR_PADDING = 127, CUP_PAIR_BUCKETS = 128 };

/* One file entry of a block, closed with it or earlier. Tail as above, file counters. */
struct cup_r_file_use {
    struct cup_record head;
    uint32_t task;
    uint32_t tid;
    uint32_t file;
    uint16_t block;
    uint8_t entry;          /* index in cup_block.files */
    uint8_t own;            /* enum cup_block_kind */
    uint32_t file_sequence; /* of that entry */
    uint32_t pad;
};

/* Something a user should know: a feature that is off and why. */
struct cup_r_note {
    struct cup_record head;
    uint32_t text; /* string */
    uint32_t pad;
};

/* This process descends from a task of another one: what it reads is read for that task. */
struct cup_r_parent {
    struct cup_record head;
    uint32_t pid;  /* process that ran the task, on the same host; 0: not known (see CHILD) */
    uint32_t task; /* the task's number there; 0: that of the CHILD record that names pid */
    int64_t last_read_ns; /* when data were last read here, kept up to date; 0: never */
};

/* Threads that a task started turned out to serve other tasks too: what such threads did (blocks of
 * kind INHERITS) is nobody's, from the beginning; and so is what its children read, for they may be
 * a pool that the threads look after. */
struct cup_r_void {
    struct cup_record head;
    uint32_t task;
    uint32_t pad;
};

/* A process, on the same host, that works for a task of this one although another process forked
 * it (multiprocessing's forkserver). */
struct cup_r_child {
    struct cup_record head;
    uint32_t pid;
    uint32_t task;
    int64_t time_ns; /* when its number was learnt */
};

/* ---- what Dask itself knows, taken at intervals ------------------------------------------- */

/* Of a whole server: a scheduler, or a worker of itself. Values that are not known are left out. */
#define CUP_SAMPLE_VALUES(X)                                                                       \
    X(WORKERS, "workers", "workers that the scheduler has")                                        \
    X(THREADS, "threads", "threads of all of them")                                                \
    X(IDLE, "idle", "workers without enough to do")                                                \
    X(TASKS, "tasks", "tasks that the scheduler knows, in any state")                              \
    X(QUEUED, "queued", "tasks that wait for a worker to have room")                               \
    X(UNRUNNABLE, "unrunnable", "tasks for which no worker will do")                               \
    X(LOOP_INTERVAL_NS, "loop_interval_ns", "between two ticks of the event loop, as Dask says")   \
    X(LOOP_LONGEST_NS, "loop_longest_ns", "the longest such time since the sample before")         \
    X(TICK_NS, "tick_ns", "the time that the loop's tick is set to: longer ones are stalls")       \
    X(TOOK_NS, "took_ns", "for which taking the sample before this one held the loop up")          \
    X(MISSED, "missed", "samples that were due since the one before and not taken: a stall")       \
    X(INTERVAL_NS, "interval_ns", "that was asked for between samples")                            \
    X(AHEAD_NS, "ahead_ns", "times of this log are ahead of the scheduler's, as Dask measures it") \
    X(BEHIND_NS, "behind_ns", "likewise: behind. One of both is there once Dask knows it")
enum cup_sample_value {
#define X(id, name, text) CUP_SV_##id,
    CUP_SAMPLE_VALUES(X)
#undef X
        CUP_SV_COUNT
};

/* Of one worker, as the scheduler sees it at the time of the sample (or as it sees itself). */
#define CUP_WORKER_VALUES(X)                                                                       \
    X(THREADS, "threads", "its task threads")                                                      \
    X(MEMORY_LIMIT, "memory_limit", "bytes; left out: none")                                       \
    X(PROCESSING, "processing", "tasks assigned to it, queued ones too")                           \
    X(EXECUTING, "executing", "tasks that run; in a scheduler's sample: as last heard")            \
    X(LONG_RUNNING, "long_running", "tasks that have seceded")                                     \
    X(HAS, "has", "results that it holds")                                                         \
    X(NBYTES, "nbytes", "bytes of those, by Dask's estimate")                                      \
    X(OCCUPANCY_NS, "occupancy_ns", "what is assigned to it would take, by Dask's estimate")       \
    X(SEEN_NS, "seen_ns", "when the scheduler last heard of it")                                   \
    X(STATUS, "status", "STATUS record")
enum cup_worker_value {
#define X(id, name, text) CUP_WV_##id,
    CUP_WORKER_VALUES(X)
#undef X
        CUP_WV_COUNT
};

/* What a worker told of itself in its last heartbeat. */
#define CUP_HEARTBEAT_VALUES(X)                                                                    \
    X(TIME_NS, "time_ns", "when, by the worker's clock: a heartbeat is new if this differs")       \
    X(RSS, "rss", "resident memory of its process")                                                \
    X(CPU_NS_PER_S, "cpu_ns_per_s", "CPU time of its process; one core is 1e9")                    \
    X(MANAGED_BYTES, "managed_bytes", "results in its memory, by Dask's estimate")                 \
    X(SPILLED_MEMORY_BYTES, "spilled_memory_bytes", "spilled results, by the size in memory")      \
    X(SPILLED_DISK_BYTES, "spilled_disk_bytes", "likewise, by the size on disk")                   \
    X(INCOMING_BYTES, "incoming_bytes", "of transfers from other workers under way")               \
    X(INCOMING_COUNT, "incoming_count", "those transfers")                                         \
    X(INCOMING_TOTAL, "incoming_total", "such transfers since the worker began")                   \
    X(OUTGOING_BYTES, "outgoing_bytes", "of transfers to other workers under way")                 \
    X(OUTGOING_COUNT, "outgoing_count", "those transfers")                                         \
    X(OUTGOING_TOTAL, "outgoing_total", "such transfers since the worker began")                   \
    X(BANDWIDTH_BPS, "bandwidth_bps", "bytes/s between workers, by Dask's estimate")               \
    X(HOST_NET_READ_BPS, "host_net_read_bps", "received by the whole host, bytes/s")               \
    X(HOST_NET_WRITE_BPS, "host_net_write_bps", "sent by the whole host, bytes/s")                 \
    X(HOST_DISK_READ_BPS, "host_disk_read_bps", "read from disks by the whole host, bytes/s")      \
    X(HOST_DISK_WRITE_BPS, "host_disk_write_bps", "written to disks by the whole host, bytes/s")   \
    X(LOOP_INTERVAL_NS, "loop_interval_ns", "between two ticks of its event loop")                 \
    X(NUM_FDS, "num_fds", "open descriptors of its process")                                       \
    X(TASKS_EXECUTING, "tasks_executing", "its tasks by state: run")                               \
    X(TASKS_LONG_RUNNING, "tasks_long_running", "run, but have seceded")                           \
    X(TASKS_READY, "tasks_ready", "wait for a thread")                                             \
    X(TASKS_CONSTRAINED, "tasks_constrained", "wait for a resource")                               \
    X(TASKS_WAITING, "tasks_waiting", "wait for their inputs")                                     \
    X(TASKS_FETCH, "tasks_fetch", "inputs to be fetched")                                          \
    X(TASKS_FLIGHT, "tasks_flight", "inputs on their way")                                         \
    X(TASKS_MEMORY, "tasks_memory", "results in memory, or spilled")
enum cup_heartbeat_value {
#define X(id, name, text) CUP_HV_##id,
    CUP_HEARTBEAT_VALUES(X)
#undef X
        CUP_HV_COUNT
};

/* A worker that a server has, or is. One that leaves and comes back is another one. */
struct cup_r_worker {
    struct cup_record head;
    uint32_t worker;  /* 1, 2, 3, ... in this process */
    uint32_t server;  /* SERVER record, whose samples it is in */
    uint32_t address; /* string */
    uint32_t name;    /* string: str(name) */
};

/* A status that Dask gives to workers. */
struct cup_r_status {
    struct cup_record head;
    uint32_t status; /* 1, 2, 3, ... in this process */
    uint32_t name;   /* string */
};

/* What has changed of workers since the sample of their server before. Tail: rows, until the
 * record's end or a worker 0. A row is the worker, and the bytes that follow times 4 plus its kind,
 * both unsigned LEB128 numbers; then pairs as in COUNTERS, of enum cup_worker_value and, from
 * CUP_PAIR_HEARTBEAT on, of enum cup_heartbeat_value. A value that is not known is CUP_UNKNOWN64.
 */
struct cup_r_rows {
    struct cup_record head;
    uint32_t sample; /* its SAMPLE record comes later */
    uint32_t rows;   /* 1, 2, 3, ... in this process: one that is missing is damage */
};
enum cup_row_kind {
    CUP_ROW_CHANGED = 0, /* new less old value modulo 2^64, as 2n, or -2n-1 where it is negative;
                            a value without a pair is as before */
    CUP_ROW_WHOLE = 1,   /* the values; one without a pair is not known */
    CUP_ROW_GONE = 2,    /* the server has it no more */
    CUP_ROW_KINDS = 4
};
enum { CUP_PAIR_HEARTBEAT = 64 };
enum { CUP_ROW_VALUES = CUP_PAIR_HEARTBEAT + CUP_HV_COUNT }; /* those between the two stay unused */

/* A sample of a server, after the ROWS that belong to it: they count only with it. A worker without
 * a row is as in the sample before. If the server is a worker, there is one, itself, whose
 * heartbeat is what it knows of itself then. Tail: pairs as in COUNTERS, of enum cup_sample_value;
 * a value of 0 is there, one that is not known is not. */
struct cup_r_sample {
    struct cup_record head;
    uint32_t sample; /* 1, 2, 3, ... in this process; dropped ones have numbers too */
    uint32_t server; /* SERVER record */
    int64_t time_ns;
    uint32_t rows; /* the last ROWS record of this process then; 0: none */
    uint32_t pad;
};

/* The name of one of Dask's spans. */
struct cup_r_span {
    struct cup_record head;
    uint32_t id;   /* string */
    uint32_t name; /* string: its parts with / between them */
};

/* One of Dask's fine metrics of a worker (a key of digests_total). */
struct cup_r_digest_key {
    struct cup_record head;
    uint32_t key;      /* 1, 2, 3, ... in this process */
    uint32_t server;   /* SERVER record */
    uint32_t context;  /* string: "execute", "get-data", ...; 0: a key that is no tuple */
    uint32_t span;     /* string: its id */
    uint32_t prefix;   /* string; 0: not of a task */
    uint32_t activity; /* string: several parts with / between them */
    uint32_t unit;     /* string: "seconds", "bytes", "count" or the user's own */
    uint32_t pad;
};

struct cup_digest_value {
    uint32_t key;
    uint32_t pad;
    double value; /* the sum since the worker began */
};

/* The fine metrics of a worker that have changed. Tail: struct cup_digest_value, as many as there
 * are. The last value of a key counts. */
struct cup_r_digest {
    struct cup_record head;
    uint32_t server;
    uint32_t last; /* 1: taken when the process ended: nothing is missing */
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

/* How it is known what was read. */
enum cup_baskets_source {
    CUP_BASKETS_REQUESTED = 1, /* uproot asked for these baskets, and their keys were seen */
    CUP_BASKETS_UNSEEN = 2,    /* uproot asked for them, but their bytes passed by no hook: only
                                  baskets, compressed bytes and places are known */
    CUP_BASKETS_BY_PLACE = 3,  /* another reader: by where a basket lies in what was requested */
    CUP_BASKETS_PAGES = 4,     /* compressed blocks of an RNTuple, which have no names: branch 0 */
    CUP_BASKETS_EMBEDDED =
        5, /* uproot asked for them, and had them: they are part of the tree's
              own record. Each once for each task; of a basket that was never
              written, fNbytes is 0 and fObjlen the buffer's room: so it is here */
};

/* Of one branch in a BASKETS record. Bytes are counted as uproot counts them: compressed is the sum
 * of fNbytes, uncompressed the sum of fKeylen + fObjlen. PLAIN are stored as they are; those marked
 * DELTA as the difference to the same value of the row before (0 before the first), as 2n, or -2n-1
 * where it is negative. A value that is 0 (DELTA: did not change) is left out. First and last are
 * numbers of baskets in their branch (0, 1, 2, ...), which need not lie in that order, where uproot
 * told them (ASKED, UNSEEN, EMBEDDED); else where those baskets begin in the file. */
#define CUP_BASKET_VALUES(X)                                                                       \
    X(BASKETS, "baskets", PLAIN, "that were read, those read again too")                           \
    X(COMPRESSED, "compressed_bytes", PLAIN, "of those")                                           \
    X(UNCOMPRESSED, "uncompressed_bytes", PLAIN, "likewise")                                       \
    X(KEYS, "key_bytes", DELTA, "of both: their keys, which are never compressed")                 \
    X(ENTRIES, "entries", DELTA, "in those, by fNevBuf")                                           \
    X(ALGORITHMS, "algorithms", DELTA, "enum cup_algorithm")                                       \
    X(FIRST, "first", DELTA, "the first of them: see below")                                       \
    X(FIRST_BYTES, "first_bytes", PLAIN, "its compressed bytes, if there is another one")          \
    X(LAST, "last", PLAIN, "the last of them, less first")                                         \
    X(LAST_BYTES, "last_bytes", PLAIN, "its compressed bytes, likewise")                           \
    X(AGAIN, "again", PLAIN, "of the baskets: the same task had read them before")                 \
    X(AGAIN_BYTES, "again_bytes", PLAIN, "compressed bytes of those")                              \
    X(INCIDENTAL, "incidental", PLAIN, "not asked for: read-ahead delivered them")                 \
    X(INCIDENTAL_BYTES, "incidental_bytes", PLAIN, "compressed bytes of those")
enum cup_basket_value {
#define X(id, name, kind, text) CUP_BV_##id,
    CUP_BASKET_VALUES(X)
#undef X
        CUP_BV_COUNT
};

enum cup_algorithm {
    CUP_ALGORITHM_NONE = 1u << 0, /* stored as it is */
    CUP_ALGORITHM_ZLIB = 1u << 1,
    CUP_ALGORITHM_LZMA = 1u << 2,
    CUP_ALGORITHM_LZ4 = 1u << 3,
    CUP_ALGORITHM_ZSTD = 1u << 4,
    CUP_ALGORITHM_OLD = 1u << 5,     /* ROOT's own, before ZLIB */
    CUP_ALGORITHM_UNKNOWN = 1u << 6, /* the block's head was not seen, or is none of these */
};

/* The baskets of one file that a task read, or that several records together tell: they add up.
 * Tail: rows, until the record's end or a first byte of 0. A row is the branch less that of the row
 * before, plus 1 (rows are in the order of branches; branch 0 is not known), then a number whose
 * bits tell which values follow (bit n: enum cup_basket_value n), then those values in that order;
 * all are unsigned LEB128 numbers. */
struct cup_r_baskets {
    struct cup_record head;
    uint32_t task;             /* 0: no task is known */
    uint32_t file;             /* FILE record; 0: none, see path */
    uint32_t path;             /* string: of a file that has no FILE record; else 0 */
    uint32_t source;           /* enum cup_baskets_source */
    uint32_t rows;             /* 1, 2, 3, ... of them */
    uint32_t incidental;       /* baskets of branches that are in no row: passed by */
    uint64_t incidental_bytes; /* compressed bytes of those */
};

/* What uproot knows of a tree that a task reads; once for each file and tree. */
struct cup_r_tree {
    struct cup_record head;
    uint32_t file;               /* FILE record; 0: none, see path */
    uint32_t path;               /* string; else 0 */
    uint32_t tree;               /* string: its name, without cycle */
    uint32_t branches;           /* those that hold baskets; 0: not known */
    uint64_t entries;            /* CUP_UNKNOWN64: not known, as all that follow */
    uint64_t compressed_bytes;   /* fZipBytes */
    uint64_t uncompressed_bytes; /* fTotBytes */
    int64_t auto_flush;          /* fAutoFlush: entries of a cluster if positive; 0: not known */
};

/* The head of a file that begins as ROOT files do; once for each file that was so read. */
struct cup_r_root_file {
    struct cup_record head;
    uint32_t file;        /* FILE record */
    uint32_t version;     /* fVersion; 1000000 and more: 64-bit positions */
    uint32_t compression; /* fCompress: 100 x algorithm + level, as new branches get it */
    uint32_t pad;
    uint64_t end; /* fEND */
};

/* A Python function that stood on a stack. Strings may be used up: its name is in the tail,
 * followed by its line table, both without NUL. An id stands for one content: name, file,
 * first line and line table. A function that is made anew for every task has one id, and another
 * one that comes to lie at its address has its own. */
struct cup_r_code {
    struct cup_record head;
    uint32_t id;           /* 1, 2, 3, ... in the process */
    uint32_t file;         /* string: co_filename; 0: not stored */
    uint32_t first_line;   /* co_firstlineno */
    uint16_t minor;        /* of Python 3.x, whose form the line table has */
    uint16_t is_qualified; /* 1: the name is co_qualname; 0: co_name */
    uint32_t name_bytes;   /* UTF-8 */
    uint32_t table_bytes;  /* co_lnotab (3.9) or co_linetable; 0: too long, lines are not known */
};

/* An executable or library in which native frames lie. Tail: the build id. */
struct cup_r_module {
    struct cup_record head;
    uint32_t id;   /* 1, 2, 3, ... in the process */
    uint32_t path; /* string */
    uint64_t base; /* address that offset 0 of its nodes had */
    uint32_t build_id_bytes;
    uint32_t pad;
};

/* A frame on a stack. Nodes are a tree: every stack is known by the node of its innermost frame.
 * Outermost frames have parent 0. */
struct cup_stack_node {
    uint32_t parent; /* node of the frame that called it; 0: none */
    uint32_t of;     /* CODE record, or enum cup_node_kind, or CUP_NODE_NATIVE + MODULE record */
    uint32_t at;     /* Python: offset of the instruction in the code, in bytes, or CUP_AT_UNKNOWN;
                        native: offset in the module, inside of the instruction that calls */
};
enum cup_node_kind {
    CUP_NODE_UNKNOWN = 0,          /* a frame of which nothing is known */
    CUP_NODE_CUT = 0x7ffffff0,     /* frames further out are left out: too deep, or no room */
    CUP_NODE_HELPER = 0x7ffffff1,  /* what follows ran on a helper thread while the parent waited */
    CUP_NODE_NATIVE = 0x80000000u, /* + id of the module; 0: in no module that is known */
};
enum { CUP_AT_UNKNOWN = UINT32_MAX };

/* New nodes. Tail: COUNT of struct cup_stack_node. A parent comes before its children, its code and
 * module before itself. */
struct cup_r_stacks {
    struct cup_record head;
    uint32_t first; /* id of the first node: 1, 2, 3, ... in the process */
    uint32_t count;
};

/* What happened at stacks. Amounts are bytes. */
#define CUP_STACK_USES(X)                                                                          \
    X(READ, "read", "data files read: calls, bytes, wall time")                                    \
    X(WRITE, "write", "regular files written: calls, bytes, wall time")                            \
    X(RECV, "recv", "sockets, Dask's own apart: calls, bytes, wall time")                          \
    X(ALLOC, "alloc",                                                                              \
      "allocations, of which one in many is looked at: those, and the bytes they stand for")       \
    X(IO_WAIT, "io_wait", "blocked in calls on files for over 1 ms: times, -, blocked time")       \
    X(GIL_WAIT, "gil_wait", "likewise for the interpreter's lock")                                 \
    X(LOCK_WAIT, "lock_wait", "likewise for locks, conditions, other threads' ends")               \
    X(SLEEP, "sleep", "likewise asleep")                                                           \
    X(POLL_WAIT, "poll_wait", "likewise on sockets and pipes")                                     \
    X(CPU, "cpu", "samples on a core: samples, -, CPU time that they stand for")                   \
    X(OFF_CPU, "off_cpu", "samples that were not: samples, -, wall time that they stand for")
enum cup_stack_use {
#define X(id, name, text) CUP_U_##id,
    CUP_STACK_USES(X)
#undef X
        CUP_STACK_USE_COUNT
};

/* What a task did at which stacks, since the last such record of it. Tail: ROWS rows of unsigned
 * LEB128 numbers: node (0: the stack is not known) less that of the row before (rows are in the
 * order of nodes, then of uses), use, count, bytes, ns. A use from CUP_USE_BRANCHES on is that much
 * more than the number of a BRANCH record: of that branch baskets were asked for at the node, so
 * many, of so many compressed bytes; not all of them need have been read. */
enum { CUP_USE_BRANCHES = 64, CUP_USE_MOST = UINT16_MAX };
struct cup_r_stack_use {
    struct cup_record head;
    uint32_t task; /* 0: no task is known */
    uint32_t rows;
};

/* Where a thread was in tasks, over time: of the samples that STACK_USE sums up (cpu, off_cpu),
 * some that were chosen at random. Those that found it alike one after the other are one row. Times
 * are in units of CUP_CPU_SAMPLES_NS. Tail: ROWS rows of unsigned LEB128 numbers, of which only
 * those stand there whose bit of enum cup_cpu_row_bits is set: bits; time from the last sample of
 * the row before (of the first row: from start_ns) to this one's first; task; node; samples less
 * one, and time from the first of them to the last. Task and node are differences of either sign
 * (zigzag) to those of the row before, of the first row to 0. */
enum { CUP_CPU_SAMPLES_NS = 1 << 20 };
enum cup_cpu_row_bits {
    CUP_CPU_ROW_ON = 1u << 0,     /* it was on a core, or waited for one; else it was blocked */
    CUP_CPU_ROW_TASK = 1u << 1,   /* another task than that of the row before */
    CUP_CPU_ROW_NODE = 1u << 2,   /* another node; 0: the stack is not known */
    CUP_CPU_ROW_SEVERAL = 1u << 3 /* more than one sample */
};
struct cup_r_cpu_samples {
    struct cup_record head;
    uint32_t tid; /* of the thread */
    uint32_t rows;
    int64_t start_ns;
    uint32_t period; /* mean time between two samples of a thread, in units as above */
    uint32_t unused;
};

/* A section that the program named itself (include/cupping.h), all times that a task was in it.
 * What threads that worked for the task did meanwhile is in it if the task's own thread began it.
 * Tail: pairs as in COUNTERS, of enum cup_section_value. */
#define CUP_SECTION_VALUES(X)                                                                      \
    X(ENTRIES, "entries", SUM, "times that it began")                                              \
    X(UNENDED, "unended", SUM, "of those: that ended with their task")                             \
    X(WALL_NS, "wall_ns", SUM, "wall time")                                                        \
    X(INNER_NS, "inner_ns", SUM, "of that: in sections within it")                                 \
    X(LONGEST_NS, "longest_ns", LARGEST, "longest time")                                           \
    X(CPU_NS, "cpu_ns", SUM, "CPU time of the thread")                                             \
    X(PEAK_LIVE_BYTES, "peak_live_bytes", LARGEST,                                                 \
      "most that was allocated less freed since it began; own thread of a task only")              \
    X(HELPER_CPU_NS, "helper_cpu_ns", SUM, "as the counter of that name, and so all that follow")  \
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
    uint32_t parent; /* string: section around it; 0: none */
    uint32_t pad;
};

/* Numbers that the program gave itself (include/cupping.h), all of a task under one name. */
struct cup_r_value {
    struct cup_record head;
    uint32_t task; /* 0: no task is known */
    uint32_t name; /* string */
    uint64_t count;
    double sum, least, most, last;
};
/* ---- where files were read, and when ------------------------------------------------------- */

/* Reads of one file for one task, each of which began where the one before had ended, or a little
 * (CUP_EXTENT_GAP) after that: a stroke in the plane of time and offset. Where there is no room for
 * more of them, neighbours in time are joined: then it is all that lies between its corners. */
struct cup_access_extent {
    uint64_t low, high;   /* offsets: of the first byte, and behind the last one */
    uint64_t start, stop; /* when the first read began, and the last one ended, in ticks */
    uint64_t bytes;       /* delivered: less than high - low where some were passed over, more where
                             some were read again */
    uint32_t calls;       /* 0: there is no such stroke */
    uint32_t jumps;       /* of those: reads that began elsewhere than told above */
};
enum { CUP_EXTENT_ROOM = 16, CUP_EXTENT_GAP = 32768 };

/* The same in the tail of a record. Those marked DELTA are told as the difference to where, or
 * when, the stroke before ended (in the first one: to 0, and to the record's start_ns), bytes as
 * that to the extent, as 2n, or -2n-1 where it is negative; calls less 1. Times are in units of
 * 2^10 ns, in which all are rounded down before differences are taken. A value that is 0 is left
 * out. */
#define CUP_EXTENT_VALUES(X)                                                                       \
    X(OFFSET, "offset", "DELTA: of its lowest byte, less the end of the one before")               \
    X(EXTENT, "extent", "to behind its highest byte")                                              \
    X(START, "start", "DELTA: when its first read began, less when the one before ended")          \
    X(TIME, "time", "from then to when its last read ended")                                       \
    X(BYTES, "bytes", "delivered, less the extent")                                                \
    X(CALLS, "calls", "that delivered something, less 1")                                          \
    X(JUMPS, "jumps", "of those: began elsewhere than where, or little after, the last one ended")
enum { CUP_EXTENT_TIME_BITS = 10 };
enum cup_extent_value {
#define X(id, name, text) CUP_KV_##id,
    CUP_EXTENT_VALUES(X)
#undef X
        CUP_KV_COUNT
};

/* Where a task (0: none) read a file, and when. Several records of a task and file add up. Tail:
 * strokes in the order of time, until the record's end or a first byte of 0: a byte whose bits tell
 * which values follow (bit n: enum cup_extent_value n), each an unsigned LEB128 number. */
struct cup_r_access {
    struct cup_record head;
    uint32_t task;
    uint32_t file; /* FILE record */
    int64_t start_ns;
    uint16_t set;      /* STROKES record that it was made from */
    uint8_t own;       /* enum cup_block_kind */
    uint8_t extents;   /* in the tail */
    uint32_t sequence; /* of that record */
};

/* Strokes that are not told yet, updated in place by a thread while it lives, so that those of a
 * process that is killed are there. It is written out as an ACCESS record that carries its number
 * and sequence; only then its sequence is raised and it is used for another file or task. A reader
 * that meets an ACCESS record with the sequence that the set still has ignores the set. */
struct cup_r_extents {
    struct cup_record head;
    uint32_t set; /* 1, 2, 3, ... in this process */
    uint32_t sequence;
    uint32_t task;
    uint32_t file; /* FILE record; 0: not in use */
    uint8_t own;   /* enum cup_block_kind */
    uint8_t pad[7];
    uint64_t base_ticks; /* time is base_ns + (ticks - base_ticks) * multiplier / 2^32 */
    int64_t base_ns;
    uint64_t multiplier;
    struct cup_access_extent extents[CUP_EXTENT_ROOM]; /* in no order */
};

static inline int64_t cup_extents_time_ns(const struct cup_r_extents *set, uint64_t ticks)
{
    uint64_t apart = ticks - set->base_ticks, before = set->base_ticks - ticks;
    return (int64_t)apart >= 0
               ? set->base_ns + (int64_t)(((unsigned __int128)apart * set->multiplier) >> 32)
               : set->base_ns - (int64_t)(((unsigned __int128)before * set->multiplier) >> 32);
}

#define CUP_SIZE_IS(type, bytes)                                                                   \
    _Static_assert(sizeof(struct type) == (bytes), #type " changed: see 'Versions' above")
#define X(NAME, name, number, bytes, least, tail) CUP_SIZE_IS(cup_r_##name, bytes);
CUP_RECORDS(X)
#undef X
CUP_SIZE_IS(cup_region, 24);
CUP_SIZE_IS(cup_log_header, 1128);
CUP_SIZE_IS(cup_file_use, 232);
CUP_SIZE_IS(cup_block, 1752);
CUP_SIZE_IS(cup_series, 16400);
CUP_SIZE_IS(cup_record, 8);
CUP_SIZE_IS(cup_digest_value, 16);
CUP_SIZE_IS(cup_stack_node, 12);
CUP_SIZE_IS(cup_access_extent, 48);

#endif
