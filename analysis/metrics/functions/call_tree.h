/* All stacks of a run as one tree. Stacks of all processes are merged by the names, files and lines
 * of their functions; each node has what tasks did there.
 *
 * The tree is made only on request, in a pass over the logs of its own. Memory is bounded: see
 * CUP_CALL_NODES_MOST. */
#ifndef CUPPING_ANALYSIS_METRICS_FUNCTIONS_CALL_TREE_H
#define CUPPING_ANALYSIS_METRICS_FUNCTIONS_CALL_TREE_H

#include "analysis/base/pair_map.h"
#include "analysis/base/units.h"
#include "analysis/metrics/functions/phases.h"
#include "analysis/profile/profile.h"
#include "analysis/symbols/native_modules.h"

/* What is added up at stacks: name in the JSON, unit, meaning. */
#define CUP_WEIGHTS(X)                                                                             \
    X(CPU, "cpu_s", CUP_UNIT_SECONDS, "CPU time")                                                  \
    X(OFF_CPU, "off_cpu_s", CUP_UNIT_SECONDS, "time off the CPU, sampled")                         \
    X(WAIT, "wait_s", CUP_UNIT_SECONDS, "waits of over 1 ms, of the five kinds that follow")       \
    X(IO_WAIT, "io_wait_s", CUP_UNIT_SECONDS, "waits for files")                                   \
    X(GIL_WAIT, "gil_wait_s", CUP_UNIT_SECONDS, "waits for the interpreter's lock")                \
    X(LOCK_WAIT, "lock_wait_s", CUP_UNIT_SECONDS, "waits for other threads")                       \
    X(SLEEP, "sleep_s", CUP_UNIT_SECONDS, "asleep")                                                \
    X(POLL_WAIT, "poll_wait_s", CUP_UNIT_SECONDS, "waits for sockets and pipes")                   \
    X(READ, "read_bytes", CUP_UNIT_BYTES, "bytes read from data files")                            \
    X(READ_CALLS, "read_calls", CUP_UNIT_COUNT, "calls that read them")                            \
    X(READ_TIME, "read_s", CUP_UNIT_SECONDS, "time inside of those")                               \
    X(WRITE, "write_bytes", CUP_UNIT_BYTES, "bytes written to files")                              \
    X(RECV, "recv_bytes", CUP_UNIT_BYTES, "bytes received from sockets other than Dask's")         \
    X(ALLOC, "alloc_bytes", CUP_UNIT_BYTES, "bytes allocated, sampled")                            \
    X(SAMPLES, "cpu_samples", CUP_UNIT_COUNT, "samples that the CPU time is from")
enum cup_weight {
#define X(id, name, unit, text) CUP_W_##id,
    CUP_WEIGHTS(X)
#undef X
        CUP_WEIGHT_COUNT
};

extern const char *const cup_weight_names[CUP_WEIGHT_COUNT];
extern const char *const cup_weight_texts[CUP_WEIGHT_COUNT];
extern const enum cup_unit cup_weight_units[CUP_WEIGHT_COUNT];

/* Nanoseconds, bytes, counts. */
struct cup_weights {
    uint64_t of[CUP_WEIGHT_COUNT];
};

static inline void cup_weights_add(struct cup_weights *sums, const struct cup_weights *more)
{
    for (int i = 0; i < CUP_WEIGHT_COUNT; i++)
        sums->of[i] += more->of[i];
}

/* An amount as a value in its unit. */
struct cup_value cup_weight_value(enum cup_weight weight, uint64_t amount);

/* NULL, or why the run has no stacks; a sentence without a full stop. */
const char *cup_stacks_missing(const struct cup_profile *profile);

/* True if what the weight needs was on in some process. */
bool cup_weight_measured(const struct cup_profile *profile, enum cup_weight weight);

enum cup_frame_kind {
    CUP_FRAME_PYTHON,
    CUP_FRAME_NATIVE,
    CUP_FRAME_HELPER,  /* what follows ran on a helper thread, while the caller waited for it */
    CUP_FRAME_CUT,     /* frames are left out here */
    CUP_FRAME_UNKNOWN, /* an unknown frame, or an unknown stack */
};

/* How a native function of the interpreter itself is shown. */
enum cup_inner {
    CUP_INNER_NOT,
    CUP_INNER_NAMED,  /* by its own name */
    CUP_INNER_FOLDED, /* together with all others, as one frame */
};

/* A function, in whichever processes. Strings of the tree. */
struct cup_function {
    uint32_t name;       /* qualified where Python knows that, 3.11 and newer */
    uint32_t file;       /* as cup_code_place() shows it; 0: none */
    uint32_t path;       /* as first seen; 0: none */
    uint32_t first_line; /* of its definition; 0: not known */
    uint32_t package;
    uint8_t kind;  /* enum cup_frame_kind */
    uint8_t phase; /* enum cup_phase that it marks */
    uint8_t inner; /* enum cup_inner */
    bool user;
    bool calls_process;
    bool named; /* native: false if it is shown as "libz.so.1+0x1230" */
};

/* A function at one of its lines. */
struct cup_call_frame {
    uint32_t function;
    uint32_t line; /* 0: not known */
};

/* A frame on a stack. A parent comes before its children. */
struct cup_call_node {
    uint32_t parent;
    uint32_t frame;
    uint16_t depth; /* of the root: 0 */
    uint8_t phase;  /* enum cup_phase */
};

/* What the tasks of one prefix did with that node innermost. */
struct cup_call_row {
    uint32_t node;
    uint32_t prefix; /* index in profile->prefixes, or CUP_NO_PREFIX: no task is known */
    struct cup_weights weights;
};

/* Baskets that were asked for at a line, of one branch. */
struct cup_line_branch {
    uint32_t frame;  /* innermost of the user's on the stack; where there is none, the innermost */
    uint32_t branch; /* index in profile->branches */
    uint64_t baskets, compressed_bytes;
};

/* Tasks with sums of their own, in addition to the prefixes: those of a dataset, or of a Dask
 * worker. Functions that take a prefix take CUP_SLICE_GROUP + i for slice i. */
enum cup_slice_kind { CUP_SLICE_DATASET, CUP_SLICE_WORKER, CUP_SLICE_KINDS };
struct cup_call_slice {
    uint32_t kind; /* enum cup_slice_kind */
    uint32_t of;   /* name of the dataset, a string of the profile; index in profile->servers */
};
enum { CUP_SLICES_EACH = 8, CUP_SLICES_MOST = CUP_SLICES_EACH * CUP_SLICE_KINDS };
#define CUP_SLICE_GROUP (UINT32_C(1) << 30)

struct cup_call_slices {
    struct cup_call_slice slices[CUP_SLICES_MOST];
    size_t count;
    size_t there[CUP_SLICE_KINDS]; /* datasets and workers that ran tasks, also those left out */
    struct cup_call_row *rows;     /* owned; their prefix is the number of the slice */
    size_t row_count, row_room;
    struct cup_pair_map row_at;
};

/* Upper limits. A node beyond them is counted at its caller, a row at the root. Real runs have some
 * ten thousand. */
enum { CUP_CALL_NODES_MOST = 1 << 20, CUP_CALL_ROWS_MOST = 1 << 20, CUP_CALL_DEPTH_MOST = 512 };

struct cup_call_tree;

/* Where samples found a thread, from CPU_SAMPLES records. */
struct cup_call_samples {
    uint32_t process;          /* index */
    uint32_t tid;              /* of the thread */
    uint32_t node;             /* in the tree */
    uint64_t count;            /* at least one */
    int64_t start_ns, stop_ns; /* of the first and of the last one; times are the log's own */
    bool on_core;              /* it ran, or waited for a core; else it was blocked */
};
typedef void (*cup_samples_taker)(void *context, const struct cup_call_tree *tree,
                                  const struct cup_call_samples *samples);

/* Which tasks; NULL: all. If one is given, unattributed stacks are left out. */
struct cup_call_ask {
    const char *prefix, *dataset;
    const char *worker; /* address or name of a Dask worker, or the process: HOST:PID */
    const struct cup_call_slices *slices; /* which to sum up; NULL: none */
    cup_samples_taker samples; /* gets the samples of these tasks, log by log; NULL: none */
    void *context;
};

struct cup_call_tree {
    const struct cup_profile *profile;
    struct cup_call_ask ask; /* without the slices */
    struct cup_intern strings;
    struct cup_function *functions; /* owned */
    size_t function_count, function_room;
    struct cup_call_frame *frames; /* owned */
    size_t frame_count, frame_room;
    struct cup_call_node *nodes; /* owned; [0] is the root, which is no frame */
    size_t node_count, node_room;
    struct cup_call_row *rows; /* owned */
    size_t row_count, row_room;
    struct cup_call_slices slices;
    struct cup_line_branch *branches; /* owned; by which lines */
    size_t branch_count, branch_room;
    struct cup_modules modules; /* in which native frames lie */
    uint64_t processes;         /* whose logs hold stacks */
    uint64_t without;           /* that ran tasks with stacks off */
    uint64_t tasks;             /* that did something at stacks */
    uint64_t left_out;          /* nodes and rows for which there was no room */
    uint64_t orphans;   /* nodes, codes, modules, files or tasks that no record introduced */
    uint64_t damaged;   /* STACK_USE, STACKS, CPU_SAMPLES records that could be read in part only */
    uint64_t lost_logs; /* that could not be read again */
    bool filtered;      /* not all tasks were asked for */
    bool has_native, has_helpers;
    struct cup_pair_map sites, function_at, frame_at, node_at, row_at,
        branch_at; /* the maker's own */
};

/* Reads all logs that hold stacks. Returns 0, or -1 without memory. The profile must outlive it. */
int cup_call_tree_make(struct cup_call_tree *tree, const struct cup_profile *profile,
                       const struct cup_call_ask *ask);
void cup_call_tree_free(struct cup_call_tree *tree);

static inline struct cup_text cup_call_text(const struct cup_call_tree *tree, uint32_t string)
{
    return cup_intern_text(&tree->strings, string);
}

static inline const struct cup_function *cup_call_function(const struct cup_call_tree *tree,
                                                           uint32_t node)
{
    return &tree->functions[tree->frames[tree->nodes[node].frame].function];
}

/* The innermost frame up to a node that is not native; 0: there is none. */
uint32_t cup_call_python(const struct cup_call_tree *tree, uint32_t node);

enum { CUP_FRAME_ROOM = 512 }; /* of a function as text: see folded.h */

/* For each node the sum of one weight over it and all above it, of the tasks of PREFIX (or
 * CUP_ALL_PREFIXES, or the group of a slice); [0] is that of all. Allocated, the caller frees; NULL
 * without memory. */
#define CUP_ALL_PREFIXES (UINT32_MAX - 1)
uint64_t *cup_call_totals(const struct cup_call_tree *tree, enum cup_weight weight,
                          uint32_t prefix);

/* ---- for the maker: each returns an index, or CUP_NOTHING without memory ------------------- */

#define CUP_NOTHING UINT32_MAX

/* The first frame of all is "(not known)". */
enum { CUP_UNKNOWN_FRAME = 0 };

uint32_t cup_call_add_function(struct cup_call_tree *tree, struct cup_text name,
                               struct cup_text path, uint32_t first_line, enum cup_frame_kind kind);
uint32_t cup_call_add_frame(struct cup_call_tree *tree, uint32_t function, uint32_t line);
uint32_t cup_call_add_node(struct cup_call_tree *tree, uint32_t parent, uint32_t frame);

/* Adds weights to a row. Returns 0, or -1 without memory. */
int cup_call_add(struct cup_call_tree *tree, uint32_t node, uint32_t prefix,
                 const struct cup_weights *weights);

/* The same for the slices to which TASK belongs. */
int cup_call_add_sliced(struct cup_call_tree *tree, uint32_t node, const struct cup_task *task,
                        const struct cup_weights *weights);

/* The same for baskets of a branch (index) that were asked for at a node. */
int cup_call_add_branch(struct cup_call_tree *tree, uint32_t node, uint32_t branch,
                        uint64_t baskets, uint64_t compressed_bytes);

/* Puts the branches in the order of their lines, those with the most bytes first. */
void cup_call_sort_branches(struct cup_call_tree *tree);

#endif
