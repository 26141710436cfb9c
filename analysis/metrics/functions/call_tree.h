/* All stacks of a run as one tree. Stacks of all processes are merged by the names, files and lines
 * of their functions. Each stack of the tree has weights: what the tasks did there.
 *
 * Making the tree reads all logs once more, so it is made only if it is asked for.
 * CUP_CALL_NODES_MOST and CUP_CALL_ROWS_MOST limit its memory. */
#pragma once

#include "analysis/base/pair_map.h"
#include "analysis/base/units.h"
#include "analysis/metrics/functions/code_place.h"
#include "analysis/metrics/functions/installed_files.h"
#include "analysis/profile/profile.h"
#include "analysis/symbols/native_modules.h"

/* The weights that are added up for each stack: name in the JSON, unit, meaning. */
#define CUP_WEIGHTS(X)                                                                             \
    X(CPU, "cpu_s", CUP_UNIT_SECONDS, "CPU time")                                                  \
    X(OFF_CPU, "off_cpu_s", CUP_UNIT_SECONDS, "time off the CPU, sampled")                         \
    X(WAIT, "wait_s", CUP_UNIT_SECONDS, "waits of over 1 ms, of the five kinds that follow")       \
    X(IO_WAIT, "io_wait_s", CUP_UNIT_SECONDS, "waits for files")                                   \
    X(GIL_WAIT, "gil_wait_s", CUP_UNIT_SECONDS, "waits for the interpreter's lock")                \
    X(LOCK_WAIT, "lock_wait_s", CUP_UNIT_SECONDS, "waits for other threads")                       \
    X(SLEEP, "sleep_s", CUP_UNIT_SECONDS, "asleep")                                                \
    X(POLL_WAIT, "poll_wait_s", CUP_UNIT_SECONDS, "waits for sockets and pipes")                   \
    X(READ, "read_bytes", CUP_UNIT_BYTES, "bytes read from data files and servers")                \
    X(READ_CALLS, "read_calls", CUP_UNIT_COUNT, "calls that read data files")                      \
    X(READ_TIME, "read_s", CUP_UNIT_SECONDS, "time inside these calls")                            \
    X(WRITE, "write_bytes", CUP_UNIT_BYTES, "bytes written to files")                              \
    X(RECV, "recv_bytes", CUP_UNIT_BYTES, "bytes received from sockets other than Dask's")         \
    X(ALLOC, "alloc_bytes", CUP_UNIT_BYTES, "bytes allocated, sampled")                            \
    X(SAMPLES, "cpu_samples", CUP_UNIT_COUNT, "samples from which the CPU time is computed")
enum cup_weight {
#define X(id, name, unit, text) CUP_W_##id,
    CUP_WEIGHTS(X)
#undef X
        CUP_WEIGHT_COUNT
};

extern const char *const cup_weight_names[CUP_WEIGHT_COUNT];
extern const char *const cup_weight_texts[CUP_WEIGHT_COUNT];
extern const enum cup_unit cup_weight_units[CUP_WEIGHT_COUNT];

/* One amount for each weight: nanoseconds, bytes or a count. */
struct cup_weights {
    uint64_t of[CUP_WEIGHT_COUNT];
};

static inline void cup_weights_add(struct cup_weights *sums, const struct cup_weights *more)
{
    for (int i = 0; i < CUP_WEIGHT_COUNT; i++)
        sums->of[i] += more->of[i];
}

/* The amount (nanoseconds for times) as a value in the weight's unit (seconds for times). */
struct cup_value cup_weight_value(enum cup_weight weight, uint64_t amount);

/* Why the run has no stacks, as a sentence without a full stop; NULL if it has some. */
const char *cup_stacks_missing(const struct cup_profile *profile);

/* True if at least one process recorded what the weight is computed from: stacks, and CPU samples
 * for the weights that are sampled by CPU time. */
bool cup_weight_measured(const struct cup_profile *profile, enum cup_weight weight);

enum cup_frame_kind {
    CUP_FRAME_PYTHON,
    CUP_FRAME_NATIVE,
    CUP_FRAME_HELPER,  /* the frames below ran on a helper thread while the caller waited for it */
    CUP_FRAME_CUT,     /* the log leaves out some frames here */
    CUP_FRAME_UNKNOWN, /* an unknown frame, or an unknown stack */
};

/* How a native function of the interpreter itself is shown; CUP_INNER_NOT: it is not the
 * interpreter's. */
enum cup_inner {
    CUP_INNER_NOT,
    CUP_INNER_NAMED,  /* under its own name, such as list_sort */
    CUP_INNER_FOLDED, /* as "(interpreter)", one frame for all folded functions */
};

/* A function, merged over all processes that ran it. Names and paths are ids in the tree's strings.
 */
struct cup_function {
    uint32_t name; /* with its class, "Processor.process", where Python knows it: 3.11 and newer */
    uint32_t file; /* as cup_code_place() shows it; 0: none */
    uint32_t path; /* the whole path in the first log that has the function; 0: none */
    uint32_t first_line; /* where its definition begins; 0: not known */
    uint32_t package;
    uint8_t kind;       /* enum cup_frame_kind */
    uint8_t phase;      /* enum cup_phase that it marks: see cup_phase_of() */
    uint8_t inner;      /* enum cup_inner */
    bool user;          /* the analysis code itself, not a package */
    bool calls_process; /* Coffea's function that calls process() */
    bool named;         /* native: false if it is shown as "libz.so.1+0x1230" */
};

/* A function at one of its lines. */
struct cup_call_frame {
    uint32_t function;
    uint32_t line; /* 0: not known */
};

/* A node of the tree: a frame, called by the frames on the way to the root. A parent stands before
 * its children in the array. */
struct cup_call_node {
    uint32_t parent;
    uint32_t frame;
    uint16_t depth; /* number of frames up to this one; the root has 0 */
    uint8_t phase;  /* enum cup_phase of the stack that ends here */
};

/* The weights of one stack, which ends at that node, for the tasks of one prefix. */
struct cup_call_row {
    uint32_t node;
    uint32_t prefix; /* index in profile->prefixes, or CUP_NO_PREFIX: no task is known */
    struct cup_weights weights;
};

/* Baskets of one branch that uproot requested on behalf of one source line. */
struct cup_line_branch {
    uint32_t frame;  /* the innermost frame of the user's code on the stack; without one, the
                        innermost frame */
    uint32_t branch; /* index in profile->branches */
    uint64_t baskets, compressed_bytes;
};

/* A slice: the tasks of one dataset or of one Dask worker, whose weights are added up separately,
 * in addition to the prefixes. Functions that take a prefix also take CUP_SLICE_GROUP + i, for
 * slice i. */
enum cup_slice_kind { CUP_SLICE_DATASET, CUP_SLICE_WORKER, CUP_SLICE_KINDS };
struct cup_call_slice {
    uint32_t kind; /* enum cup_slice_kind */
    uint32_t of; /* dataset: its name, a string of the profile; worker: index in profile->servers */
};
enum { CUP_SLICES_EACH = 8, CUP_SLICES_MOST = CUP_SLICES_EACH * CUP_SLICE_KINDS };
#define CUP_SLICE_GROUP (UINT32_C(1) << 30)

struct cup_call_slices {
    struct cup_call_slice slices[CUP_SLICES_MOST];
    size_t count;
    size_t candidates[CUP_SLICE_KINDS]; /* how many datasets and workers ran tasks, more than
                                           CUP_SLICES_EACH if some have no slice */
    struct cup_call_row *rows;          /* owned; `prefix` is the index of the slice */
    size_t row_count, row_room;
    struct cup_pair_map row_at;
};

/* Upper limits. The weights of a node beyond them go to its caller, those of a row to the root.
 * Real runs have some ten thousand nodes and rows. */
enum { CUP_CALL_NODES_MOST = 1 << 20, CUP_CALL_ROWS_MOST = 1 << 20, CUP_CALL_DEPTH_MOST = 512 };

struct cup_call_tree;

/* Consecutive CPU samples that found a thread at one stack, from a CPU_SAMPLES record. */
struct cup_call_samples {
    uint32_t process;          /* index */
    uint32_t tid;              /* of the thread */
    uint32_t node;             /* in the tree */
    uint64_t count;            /* at least one */
    int64_t start_ns, stop_ns; /* of the first and of the last sample, on the clock of the log */
    bool on_core;              /* the thread ran or waited for a CPU core; false: it was blocked */
};
typedef void (*cup_samples_taker)(void *context, const struct cup_call_tree *tree,
                                  const struct cup_call_samples *samples);

/* What a tree is made of: the tasks of that prefix, dataset and worker (NULL: of all). If one of
 * these is given, unattributed stacks are left out. */
struct cup_call_ask {
    const char *prefix, *dataset;
    const char *worker; /* address or name of a Dask worker, or the process: HOST:PID */
    const struct cup_call_slices *slices; /* the slices to add up; NULL: none */
    cup_samples_taker samples; /* called for the samples of these tasks, log after log; NULL:
                                  samples are not read */
    void *context;
};

struct cup_call_tree {
    const struct cup_profile *profile;
    struct cup_call_ask ask; /* what was asked for; slices and samples are NULL */
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
    struct cup_line_branch *branches; /* owned; ordered by line, the most bytes first */
    size_t branch_count, branch_room;
    struct cup_modules modules; /* libraries and executables of the native frames */
    uint64_t processes;         /* processes that recorded stacks */
    uint64_t without;           /* processes that ran tasks without recording stacks */
    uint64_t tasks;             /* tasks that have weights at some stack */
    uint64_t left_out;  /* how often a node or a row was dropped because of the upper limits */
    uint64_t orphans;   /* references to what no record defines: nodes, codes, files, tasks */
    uint64_t damaged;   /* records with stacks of which only a part could be read */
    uint64_t lost_logs; /* logs that could not be opened a second time */
    bool filtered;      /* `ask` names a prefix, a dataset or a worker */
    bool has_native, has_helpers;
    struct cup_installed installed;
    struct cup_pair_map sites, function_at, frame_at, node_at, row_at,
        branch_at; /* only for the files that build the tree */
};

/* Makes the tree while the profile is loaded, from records that the loader has in its hands anyway:
 *
 *     maker = cup_call_tree_start(&tree, &profile, &ask);
 *     options.taker = cup_call_tree_taker(maker);
 *     cup_profile_load(&profile, directory, &options, &error);
 *     if (cup_call_tree_finish(maker) != 0)
 *         no memory
 *
 * cup_call_tree_start() returns NULL without memory. The profile, of which slices need to know all
 * tasks, and ASK must outlive the maker. The caller frees the tree in all cases. */
struct cup_call_maker;
struct cup_call_maker *cup_call_tree_start(struct cup_call_tree *tree,
                                           const struct cup_profile *profile,
                                           const struct cup_call_ask *ask);
const struct cup_record_taker *cup_call_tree_taker(const struct cup_call_maker *maker);
int cup_call_tree_finish(struct cup_call_maker *maker);

/* Makes the tree of a profile that is loaded, by reading all its logs that hold stacks again.
 * Returns 0, or -1 without memory; the caller frees the tree in both cases. The profile must
 * outlive it. */
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

/* The innermost node from NODE towards the root that is not native; 0: all are. */
uint32_t cup_call_python(const struct cup_call_tree *tree, uint32_t node);

/* Bytes for a function as text: see cup_function_text() in folded.h. */
enum { CUP_FRAME_ROOM = 512 };

/* For each node the sum of one weight over the stacks that end at it or pass through it, of the
 * tasks of PREFIX (or CUP_ALL_PREFIXES, or CUP_SLICE_GROUP + i). [0], the root, has the sum of all.
 * Allocated, the caller frees; NULL without memory. */
#define CUP_ALL_PREFIXES (UINT32_MAX - 1)
uint64_t *cup_call_totals(const struct cup_call_tree *tree, enum cup_weight weight,
                          uint32_t prefix);

/* ---- to build the tree: each returns an index, or CUP_NOTHING without memory --------------- */

#define CUP_NOTHING UINT32_MAX

/* The first frame of every tree is "(not known)". */
enum { CUP_UNKNOWN_FRAME = 0 };

uint32_t cup_call_add_function(struct cup_call_tree *tree, struct cup_text name,
                               struct cup_text path, uint32_t first_line, enum cup_frame_kind kind);
uint32_t cup_call_add_frame(struct cup_call_tree *tree, uint32_t function, uint32_t line);
uint32_t cup_call_add_node(struct cup_call_tree *tree, uint32_t parent, uint32_t frame);

/* Native frames get the name of their function; most functions of the interpreter become one frame,
 * "(interpreter)". State while a tree is made; it lasts over all logs. */
struct cup_native_frames {
    struct cup_call_tree *tree;
    struct cup_pair_map frames; /* by module and offset: index in tree->frames + 1 */
};

/* Adds a module that PROCESS recorded, if the tree does not have it yet. Returns its index in
 * tree->modules, or CUP_NOTHING without memory. */
uint32_t cup_native_module(struct cup_native_frames *natives, struct cup_text path,
                           struct cup_text build_id, const struct cup_log_header *process);

/* The frame for an offset in a module (index in tree->modules). Returns its index in tree->frames,
 * or CUP_NOTHING without memory. */
uint32_t cup_native_frame(struct cup_native_frames *natives, uint32_t module, uint32_t offset);

/* The frame "(native frames left out)". Python frames are missing only at the outer end of a stack,
 * native ones also in the middle of it. Returns its index, or CUP_NOTHING without memory. */
uint32_t cup_native_gap(struct cup_call_tree *tree);

/* As cup_call_add_node(), for a native frame, with three differences. A folded frame of the
 * interpreter gets no node if its caller is a frame of the interpreter, too. A named function of
 * the interpreter whose caller is folded is put next to that folded frame, not below it. And a
 * frame without a known Python caller is put below "(not known)", where it would be counted if
 * native frames were not recorded. */
uint32_t cup_native_add_node(struct cup_call_tree *tree, uint32_t parent, uint32_t frame);

/* Returns the index in tree->rows of the row of that node and prefix, or CUP_NOTHING without
 * memory. A new row has no weights yet. Once the table is full, new rows are counted at the root.
 */
uint32_t cup_call_row(struct cup_call_tree *tree, uint32_t node, uint32_t prefix);

/* Adds weights to the rows of the slices that TASK belongs to. Returns 0, or -1 without memory. */
int cup_call_add_sliced(struct cup_call_tree *tree, uint32_t node, const struct cup_task *task,
                        const struct cup_weights *weights);

/* Adds baskets of a branch (index in profile->branches) that uproot requested at a node, to the
 * line that is responsible. Returns 0, or -1 without memory. */
int cup_call_add_branch(struct cup_call_tree *tree, uint32_t node, uint32_t branch,
                        uint64_t baskets, uint64_t compressed_bytes);

/* Sorts tree->branches by line, the most bytes first. */
void cup_call_sort_branches(struct cup_call_tree *tree);
