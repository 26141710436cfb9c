/* The stages of a run, one after the other, and what the workers' threads did in each. */
#pragma once

#include "analysis/metrics/sums/budget.h"
#include "analysis/profile/profile.h"

struct cup_totals;

/* The tail is a part of the process stage, and its time is in both. The other stages add up to the
 * run. */
#define CUP_STAGES(X)                                                                              \
    X(GRAPH, "graph", "building and sending work")                                                 \
    X(PREPROCESS, "preprocess", "metadata tasks")                                                  \
    X(PROCESS, "process", "first to last chunk")                                                   \
    X(TAIL, "tail", "last 10 % of the chunks")                                                     \
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
    int64_t start_ns, stop_ns; /* for the graph, from the start of the first part to the end of the
                                  second: before and after the metadata tasks */
    uint64_t time_ns;          /* sum over its parts */
    uint64_t threads_ns;       /* threads x time, while their processes were there */
    uint64_t task_ns; /* part of threads_ns in tasks; an unfinished task counts until the last sign
                         of its process */
    uint64_t idle_ns; /* the rest of threads_ns, including gaps between tasks */
    uint64_t tasks;   /* tasks that ran during the stage, even in part */
    /* Summed tasks ran in and outside of it: the last three fields are not known. */
    bool mixed;
};

/* A part of the run, and its stage. */
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
    uint64_t idle_ns; /* sum over the run; the tail is not added to the process stage */
    bool mixed;       /* then this is not known */
    bool overlapping; /* several Runner calls: stages of one are within those of another */
};

/* The profile has several Runner calls, and none was chosen. */
static inline bool cup_stages_overlap(const struct cup_profile *profile)
{
    return profile->run == 0 && profile->run_count > 1;
}

/* Needs totals with stretches, run and budgets. Call start, then add each task, then finish. */
void cup_stages_start(struct cup_stages *stages, const struct cup_totals *totals);
void cup_stages_add_task(struct cup_stages *stages, const struct cup_process *process,
                         const struct cup_task *task);
void cup_stages_add_sum(struct cup_stages *stages, const struct cup_task_sum *sum);
void cup_stages_finish(struct cup_stages *stages);
