/* The stages of a run, one after the other, and what the workers' threads did in each; and the
 * chunks that make its tail. */
#ifndef CUPPING_ANALYSIS_METRICS_TIME_STAGES_H
#define CUPPING_ANALYSIS_METRICS_TIME_STAGES_H

#include "analysis/metrics/time/budget.h"
#include "analysis/profile/profile.h"

struct cup_totals;

/* The tail is the end of the process stage: in both. The others add up to the run. */
#define CUP_STAGES(X)                                                                              \
    X(GRAPH, "graph", "building and sending work")                                                 \
    X(PREPROCESS, "preprocess", "metadata tasks")                                                  \
    X(PROCESS, "process", "first to last chunk")                                                   \
    X(TAIL, "tail", "its last 10 % of chunks")                                                     \
    X(MERGE, "merge", "after the last chunk")
enum cup_stage_id {
#define X(id, name, text) CUP_STAGE_##id,
    CUP_STAGES(X)
#undef X
        CUP_STAGE_COUNT
};

struct cup_stage_text {
    const char *name, *text;
};
extern const struct cup_stage_text cup_stage_texts[CUP_STAGE_COUNT];

struct cup_stage {
    bool known;
    int64_t start_ns, stop_ns; /* graph: may be in two parts, around the metadata tasks */
    uint64_t time_ns;          /* of its parts */
    uint64_t threads_ns;       /* of all threads that were there */
    uint64_t task_ns;          /* of it, in tasks: an unfinished one lasts as long as its process */
    uint64_t idle_ns;          /* the rest, gaps between tasks included */
    uint64_t tasks;            /* that ran in it for some time */
};

/* A stretch of the run, and the stage that it belongs to. */
struct cup_stage_part {
    struct cup_stretch stretch;
    enum cup_stage_id stage;
};

struct cup_stage_parts {
    struct cup_stage_part parts[CUP_STAGE_COUNT + 1];
    size_t count;
};

struct cup_stages {
    struct cup_stage_parts parts;
    struct cup_stage rows[CUP_STAGE_COUNT];
    uint64_t idle_ns; /* in the run, the tail's once */
};

/* From totals with stretches, run and budgets: start, then each task, then finish. */
void cup_stages_start(struct cup_stages *stages, const struct cup_totals *totals);
void cup_stages_add_task(struct cup_stages *stages, const struct cup_process *process,
                         const struct cup_task *task);
void cup_stages_finish(struct cup_stages *stages);

/* Why a chunk ended in the tail: the bits that apply; none: it is like the others. */
#define CUP_TAIL_REASONS(X)                                                                        \
    X(STARTED_LATE, "started late")                                                                \
    X(MANY_EVENTS, "many events")                                                                  \
    X(SLOW_HOST, "slow host")                                                                      \
    X(IO_WAIT, "I/O wait")                                                                         \
    X(OFF_CPU, "waited")                                                                           \
    X(LONG, "long for its events")                                                                 \
    X(FAILED, "failed")
enum cup_tail_reason {
#define X(id, text) CUP_TAIL_##id,
    CUP_TAIL_REASONS(X)
#undef X
        CUP_TAIL_REASON_COUNT
};

struct cup_tail_chunk {
    uint32_t item;
    uint32_t reasons; /* bits 1 << enum cup_tail_reason */
};

struct cup_tail {
    struct cup_tail_chunk *chunks; /* owned; those that ended last first */
    size_t count;
    uint64_t total;  /* more than count, if there are more than CUP_TAIL_MOST */
    int64_t from_ns; /* when 90 % of the chunks had ended; 0: none did */
    double median_s; /* time of a used chunk; NAN: not known */
};
enum { CUP_TAIL_MOST = 100 };

/* Chunks are long, or have many events, from this many times the median on; they wait if that is
 * more than this share of their time. */
#define CUP_TAIL_TIMES 1.5
#define CUP_TAIL_WAIT_SHARE 0.5

/* Several passes over the chunks: ask once, and only if it is shown. What they waited for is known
 * if the profile has the counters of every task. Returns 0, or -1 without memory. */
int cup_tail_make(struct cup_tail *tail, const struct cup_totals *totals);
void cup_tail_free(struct cup_tail *tail);

/* "started late, many events"; "" for none. TO has CUP_TAIL_ROOM. Returns TO. */
enum { CUP_TAIL_ROOM = 128 };
char *cup_tail_why(char to[CUP_TAIL_ROOM], const struct cup_tail_chunk *chunk);

#endif
