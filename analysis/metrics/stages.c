#include "analysis/metrics/stages.h"

#include "analysis/metrics/totals.h"

const struct cup_stage_text cup_stage_texts[CUP_STAGE_COUNT] = {
#define X(id, name, text) {name, text},
    CUP_STAGES(X)
#undef X
};

/* A stretch of the run, and the stage that it belongs to. */
struct part {
    struct cup_stretch stretch;
    enum cup_stage_id stage;
};
enum { MOST_PARTS = CUP_STAGE_COUNT + 1 };

struct parts {
    struct part parts[MOST_PARTS];
    size_t count;
};

/* ---- where the stages lie --------------------------------------------------------------- */

static void add_part(struct parts *parts, enum cup_stage_id stage, int64_t start_ns,
                     int64_t stop_ns)
{
    if (start_ns && stop_ns >= start_ns)
        parts->parts[parts->count++] = (struct part){{start_ns, stop_ns}, stage};
}

/* As the workflow's figures of the same names: without the client's call nobody knows when the
 * graph was begun. */
static struct parts find_parts(const struct cup_totals *t)
{
    struct parts parts = {.count = 0};
    bool chunks = t->chunks.stop_ns > 0;
    bool between = t->metadata.stop_ns && t->chunks.start_ns > t->metadata.stop_ns;
    if (cup_run_call(t)) {
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
    add_part(&parts, CUP_STAGE_MERGE, t->chunks.stop_ns, t->run.stop_ns);
    return parts;
}

static void lay_out(struct cup_stages *stages, const struct parts *parts)
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

static void add_task(struct cup_stages *stages, const struct parts *parts,
                     struct cup_stretch stretch)
{
    for (size_t i = 0; i < parts->count; i++) {
        uint64_t ns = common_ns(parts->parts[i].stretch, stretch);
        stages->rows[parts->parts[i].stage].task_ns += ns;
        stages->rows[parts->parts[i].stage].tasks += ns > 0;
    }
}

static void add_tasks(struct cup_stages *stages, const struct parts *parts,
                      const struct cup_profile *profile, const struct cup_process *process)
{
    int64_t end_ns = cup_process_last_sign_ns(process);
    for (size_t i = 0; i < process->tasks; i++) {
        const struct cup_task *task = &profile->tasks[process->first_task + i];
        if (cup_task_place(task) == CUP_PLACE_POOL)
            add_task(stages, parts,
                     (struct cup_stretch){task->start_ns, task->status ? task->stop_ns : end_ns});
    }
}

static void add_threads(struct cup_stages *stages, const struct parts *parts,
                        struct cup_stretch there, uint64_t threads)
{
    for (size_t i = 0; i < parts->count; i++)
        stages->rows[parts->parts[i].stage].threads_ns +=
            threads * common_ns(parts->parts[i].stretch, there);
}

void cup_stages_make(struct cup_stages *stages, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    const struct parts parts = find_parts(totals);
    *stages = (struct cup_stages){0};
    lay_out(stages, &parts);
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct cup_process *process = &profile->processes[i];
        add_threads(stages, &parts, cup_process_presence(process, totals->run),
                    totals->budgets[i].threads);
        add_tasks(stages, &parts, profile, process);
    }
    for (int i = 0; i < CUP_STAGE_COUNT; i++) {
        struct cup_stage *stage = &stages->rows[i];
        stage->idle_ns =
            stage->threads_ns > stage->task_ns ? stage->threads_ns - stage->task_ns : 0;
        stages->idle_ns += i == CUP_STAGE_TAIL ? 0 : stage->idle_ns;
    }
}
