/* Stages of the run with what they left idle, and the chunks of its tail. */
#include "analysis/metrics/time/tail.h"
#include "analysis/profile/run_life.h"
#include "analysis/report/page/section.h"
#include "analysis/report/sections/row_parts.h"

/* ---- stages ----------------------------------------------------------------------------- */

#define STAGE_FIELDS(X)                                                                            \
    X("stage", TEXT, cup_string(cup_stage_texts[id].name), .heading = "stage", .place = 1)         \
    X(NULL, TEXT, cup_string(cup_stage_texts[id].text), .heading = "", .place = 2, .rank = 2)      \
    X("start", TIME, cup_value_if(stage->known, cup_time(stage->start_ns)))                        \
    X("stop", TIME, cup_value_if(stage->known, cup_time(stage->stop_ns)))                          \
    X("time_s", SECONDS, cup_ns_if(stage->known, stage->time_ns), .heading = "time", .place = 3)   \
    X("threads_s", SECONDS, cup_ns_if(stage->known, stage->threads_ns))                            \
    X("task_s", SECONDS, cup_ns_if(known, stage->task_ns), .heading = "in tasks", .place = 5,      \
      .rank = 1)                                                                                   \
    X("idle_s", SECONDS, cup_ns_if(known, stage->idle_ns), .heading = "idle", .place = 6)          \
    X("idle_core_hours", RATIO, cup_value_if(known, cup_real(idle_ns / 3600e9)),                   \
      .heading = "core-hours", .place = 7, .rank = 4)                                              \
    X("idle_share", SHARE, cup_value_if(known, cup_ratio(idle_ns, (double)stage->threads_ns)),     \
      .heading = "idle share", .place = 8)                                                         \
    X("tasks", COUNT, cup_count_if(known, stage->tasks), .heading = "tasks", .place = 4, .rank = 3)

static void fill_stage(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_stage *stage = item;
    size_t id = (size_t)(stage - rows->totals->stages->rows);
    double idle_ns = (double)stage->idle_ns;
    bool known = stage->known && !stage->mixed;
    CUP_FILL(values, STAGE_FIELDS);
}

/* The text leaves out a tail that is not known: it is a part of `process`. */
static int list_stages(struct cup_report_rows *rows)
{
    const struct cup_stage *stages = rows->totals->stages->rows;
    for (size_t i = 0; i < CUP_STAGE_COUNT; i++)
        if (!rows->text.page || i != CUP_STAGE_TAIL || stages[i].known)
            cup_add_row(rows, &stages[i]);
    return 0;
}

static const struct cup_report_table stages = {CUP_TABLE_FIELDS(STAGE_FIELDS, fill_stage),
                                               list_stages};

/* ---- the tail ----------------------------------------------------------------------------- */

/* The text has another order of columns, and gives the start in seconds since the run's start. */
#define TAIL_FIELDS(X)                                                                             \
    X(NULL, SECONDS, cup_seconds(task->start_ns - rows->totals->run.start_ns),                     \
      .heading = "began at", .place = 1)                                                           \
    CUP_TASK_FIELD(X, "key", TEXT, .heading = "key", .place = 9, .rank = 6)                        \
    CUP_TASK_FIELD(X, "dataset", TEXT, .heading = "dataset", .place = 5, .rank = 2)                \
    CUP_TASK_FIELD(X, "file", TEXT, .heading = "file", .place = 8, .rank = 4)                      \
    CUP_TASK_FIELD(X, "entry_start", COUNT)                                                        \
    CUP_TASK_FIELD(X, "entry_stop", COUNT)                                                         \
    CUP_TASK_FIELD(X, "events", COUNT, .heading = "events", .place = 3, .rank = 1)                 \
    CUP_TASK_FIELD(X, "worker", TEXT, .heading = "worker", .place = 7, .rank = 5)                  \
    CUP_TASK_FIELD(X, "host", TEXT, .heading = "host", .place = 6, .rank = 3)                      \
    CUP_TASK_FIELD(X, "status", TEXT)                                                              \
    CUP_TASK_FIELD(X, "wall_s", SECONDS, .heading = "time", .place = 2)                            \
    CUP_TASK_FIELD(X, "cpu_s", SECONDS)                                                            \
    CUP_TASK_FIELD(X, "io_wait_s", SECONDS)                                                        \
    CUP_TASK_FIELD(X, "attempt", COUNT)                                                            \
    X("start", TIME, cup_time(task->start_ns))                                                     \
    X("stop", TIME, cup_time(task->stop_ns))                                                       \
    X("why", TEXT, cup_row_string(rows, cup_tail_why(why, chunk)), .heading = "why", .place = 4)

static void fill_tail(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_tail_chunk *chunk = item;
    const struct cup_profile *profile = rows->profile;
    const struct cup_task *task = &profile->tasks[profile->items[chunk->item].task];
    const struct cup_task_row row = cup_row_task(rows, task);
    char why[CUP_TAIL_ROOM];
    CUP_FILL(values, TAIL_FIELDS);
}

static int list_tail(struct cup_report_rows *rows)
{
    const struct cup_tail *tail = rows->of;
    return cup_add_rows(rows, tail->chunks, tail->count, sizeof *tail->chunks);
}

enum { SHOWN_TAIL = 15 };

static const struct cup_report_table tail_table = {
    CUP_TABLE_FIELDS(TAIL_FIELDS, fill_tail), list_tail, .on_screen = SHOWN_TAIL, .name = "tail"};

static int print_tail(const struct cup_page *page, const struct cup_tail *tail)
{
    const struct cup_totals *totals = page->totals;
    if (totals->tail_ns < 0 && totals->chunks.stop_ns && !page->profile->chunks_summed)
        cup_page_line(page, CUP_DIM, "The tail is n/a: %s.",
                      cup_chosen_run_goes_on(page->profile)
                          ? "the run goes on"
                          : CUP_FORMAT("fewer than %d chunks ended", CUP_TAIL_LEAST));
    int result = cup_print_rows(page, &tail_table, tail, "Tail",
                                CUP_FORMAT("chunks that ran after 90 %% had ended, the last first; "
                                           "half of all took up to %s",
                                           CUP_SHOW(tail->median_s, CUP_UNIT_SECONDS)));
    cup_page_more(page, tail->total, SHOWN_TAIL, "chunk");
    return result;
}

/* ---- the section -------------------------------------------------------------------------- */

/* The chunks of the tail are printed only with --only, because finding them takes more passes over
 * all chunks. */
static int print_stages(const struct cup_page *page)
{
    struct cup_tail tail;
    if (page->totals->all.tasks == 0)
        return 0;
    int result = cup_print_rows(page, &stages, NULL, "Stages",
                                page->totals->stages->overlapping
                                    ? "n/a of several calls of the Runner: ask for one with --run N"
                                    : "idle: time of threads without a task");
    if (!page->alone || result != 0)
        return result;
    if (cup_tail_make(&tail, page->totals) != 0)
        return -1;
    result = print_tail(page, &tail);
    cup_tail_free(&tail);
    return result;
}

static int put_stages(struct report *report)
{
    struct cup_tail tail;
    if (cup_tail_make(&tail, report->totals) != 0)
        return -1;
    cup_json_object(&report->json, "stages");
    put(report, "idle_core_hours",
        cup_value_if(!report->totals->stages->mixed,
                     cup_real((double)report->totals->stages->idle_ns / 3600e9)));
    int result = cup_put_rows(report, &stages, NULL);
    put(report, "tail_chunks", cup_count_if(!report->profile->chunks_summed, tail.total));
    put(report, "tail_from", tail.from_ns ? cup_time(tail.from_ns) : cup_null());
    put(report, "median_chunk_s", cup_real(tail.median_s));
    if (result == 0)
        result = cup_put_rows(report, &tail_table, &tail);
    cup_json_end_object(&report->json);
    cup_tail_free(&tail);
    return result;
}

/* Why a chunk ended late is in its waits. */
const struct cup_report_section cup_stages_section = {.name = "stages",
                                                      .table = &stages,
                                                      .needs = CUP_NEEDS_COUNTERS,
                                                      .print = print_stages,
                                                      .put = put_stages};
