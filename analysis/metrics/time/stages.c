#include "analysis/metrics/time/stages.h"

#include "analysis/metrics/sums/sums.h"
#include "analysis/profile/run_life.h"

const struct cup_stage_text cup_stage_texts[CUP_STAGE_COUNT] = {
#define X(id, name, text) {name, text},
    CUP_STAGES(X)
#undef X
};

/* ---- where the stages lie --------------------------------------------------------------- */

static void add_part(struct cup_stage_parts *parts, enum cup_stage_id stage, int64_t start_ns,
                     int64_t stop_ns)
{
    if (start_ns && stop_ns >= start_ns)
        parts->parts[parts->count++] = (struct cup_stage_part){{start_ns, stop_ns}, stage};
}

/* The same stages as the metrics graph_s, preprocess_s and so on. If the Runner call is not known,
 * there is no graph stage. */
static struct cup_stage_parts find_parts(const struct cup_totals *t)
{
    struct cup_stage_parts parts = {.count = 0};
    bool chunks = t->chunks.stop_ns > 0;
    bool between = t->metadata.stop_ns && t->chunks.start_ns > t->metadata.stop_ns;
    if (cup_run_call(t) && !t->call_left_out) {
        add_part(&parts, CUP_STAGE_GRAPH, t->run.start_ns, t->tasks.start_ns);
        if (between)
            add_part(&parts, CUP_STAGE_GRAPH, t->metadata.stop_ns, t->chunks.start_ns);
    }
    if (t->metadata.stop_ns)
        add_part(&parts, CUP_STAGE_PREPROCESS, t->metadata.start_ns, t->metadata.stop_ns);
    if (!chunks)
        return parts;
    add_part(&parts, CUP_STAGE_PROCESS, t->chunks.start_ns, t->chunks.stop_ns);
    if (t->tail_ns >= 0)
        add_part(&parts, CUP_STAGE_TAIL, t->chunks.stop_ns - t->tail_ns, t->chunks.stop_ns);
    if (!cup_chosen_run_goes_on(t->profile)) /* which chunk is the last is not known */
        add_part(&parts, CUP_STAGE_MERGE, t->chunks.stop_ns, cup_merge_end_ns(t));
    return parts;
}

static void lay_out(struct cup_stages *stages, const struct cup_stage_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        struct cup_stage *stage = &stages->rows[parts->parts[i].stage];
        struct cup_stretch stretch = parts->parts[i].stretch;
        if (!stage->known)
            stage->start_ns = stretch.start_ns;
        stage->known = true;
        stage->stop_ns = stretch.stop_ns;
        stage->time_ns += (uint64_t)(stretch.stop_ns - stretch.start_ns);
    }
}

/* ---- what the threads did --------------------------------------------------------------- */

static uint64_t common_ns(struct cup_stretch a, struct cup_stretch b)
{
    int64_t start_ns = a.start_ns > b.start_ns ? a.start_ns : b.start_ns;
    int64_t stop_ns = a.stop_ns < b.stop_ns ? a.stop_ns : b.stop_ns;
    return stop_ns > start_ns ? (uint64_t)(stop_ns - start_ns) : 0;
}

static void add_task(struct cup_stages *stages, struct cup_stretch stretch)
{
    const struct cup_stage_parts *parts = &stages->parts;
    for (size_t i = 0; i < parts->count; i++) {
        uint64_t ns = common_ns(parts->parts[i].stretch, stretch);
        stages->rows[parts->parts[i].stage].task_ns += ns;
        stages->rows[parts->parts[i].stage].tasks += ns > 0;
    }
}

void cup_stages_add_task(struct cup_stages *stages, const struct cup_process *process,
                         const struct cup_task *task)
{
    if (cup_task_place(task) != CUP_PLACE_POOL)
        return;
    int64_t stop_ns = task->status ? task->stop_ns : cup_process_last_sign_ns(process);
    add_task(stages, (struct cup_stretch){task->start_ns, stop_ns});
}

void cup_stages_add_sum(struct cup_stages *stages, const struct cup_task_sum *sum)
{
    const struct cup_stage_parts *parts = &stages->parts;
    const struct cup_stretch stretch = {(int64_t)sum->values[CUP_T_FIRST_NS],
                                        (int64_t)sum->values[CUP_T_LAST_NS]};
    if (cup_task_sum_place(sum) != CUP_PLACE_POOL)
        return;
    for (size_t i = 0; i < parts->count; i++) {
        const struct cup_stretch part = parts->parts[i].stretch;
        struct cup_stage *stage = &stages->rows[parts->parts[i].stage];
        bool is_inside = stretch.start_ns >= part.start_ns && stretch.stop_ns <= part.stop_ns;
        stage->task_ns += is_inside ? sum->values[CUP_T_WALL_NS] : 0;
        stage->tasks += is_inside ? sum->values[CUP_T_TASKS] : 0;
        stage->mixed |= !is_inside && common_ns(part, stretch) > 0;
    }
}

static void add_threads(struct cup_stages *stages, struct cup_stretch there, uint64_t threads)
{
    const struct cup_stage_parts *parts = &stages->parts;
    for (size_t i = 0; i < parts->count; i++)
        stages->rows[parts->parts[i].stage].threads_ns +=
            threads * common_ns(parts->parts[i].stretch, there);
}

void cup_stages_start(struct cup_stages *stages, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    *stages = (struct cup_stages){.overlapping = cup_stages_overlap(profile)};
    stages->mixed = stages->overlapping;
    if (stages->overlapping)
        return;
    stages->parts = find_parts(totals);
    lay_out(stages, &stages->parts);
    for (size_t i = 0; i < profile->process_count; i++)
        add_threads(stages, cup_process_presence(&profile->processes[i], totals->run),
                    totals->budgets[i].threads);
}

void cup_stages_finish(struct cup_stages *stages)
{
    for (int i = 0; i < CUP_STAGE_COUNT; i++) {
        struct cup_stage *stage = &stages->rows[i];
        stage->idle_ns =
            stage->threads_ns > stage->task_ns ? stage->threads_ns - stage->task_ns : 0;
        stages->idle_ns += i == CUP_STAGE_TAIL ? 0 : stage->idle_ns;
        stages->mixed |= stage->mixed;
    }
}
