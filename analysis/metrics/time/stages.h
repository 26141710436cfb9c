/* The stages of a run, one after the other, and what the workers' threads did in each. */
#ifndef CUPPING_ANALYSIS_METRICS_TIME_STAGES_H
#define CUPPING_ANALYSIS_METRICS_TIME_STAGES_H

#include "analysis/metrics/sums/budget.h"
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

#endif
