/* Stages of the run with what they left idle, the chunks of its tail, and the merges. */
#include "analysis/metrics/time/tail.h"
#include "analysis/report/page/page.h"

/* ---- stages ----------------------------------------------------------------------------- */

static struct cup_value if_known(const struct cup_stage *stage, uint64_t ns)
{
    return stage->known ? cup_seconds((int64_t)ns) : cup_null();
}

static void add_stage(struct cup_table *table, int id, const struct cup_stage *stage)
{
    double idle_ns = (double)stage->idle_ns;
    cup_table_add_string(table, cup_stage_texts[id].name);
    cup_table_add_string(table, cup_stage_texts[id].text);
    cup_table_add_value(table, if_known(stage, stage->time_ns), CUP_UNIT_SECONDS);
    cup_table_add_value(table, stage->known ? cup_count(stage->tasks) : cup_null(), CUP_UNIT_COUNT);
    cup_table_add_value(table, if_known(stage, stage->task_ns), CUP_UNIT_SECONDS);
    cup_table_add_value(table, if_known(stage, stage->idle_ns), CUP_UNIT_SECONDS);
    cup_table_add_value(table, stage->known ? cup_real(idle_ns / 3600e9) : cup_null(),
                        CUP_UNIT_RATIO);
    cup_table_add_value(table,
                        stage->known ? cup_ratio(idle_ns, (double)stage->threads_ns) : cup_null(),
                        CUP_UNIT_SHARE);
}

static void print_stages(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"stage", CUP_FIT_LEFT, 0},       {"", CUP_FIT_LEFT, 2},
        {"time", CUP_FIT_RIGHT, 0},       {"tasks", CUP_FIT_RIGHT, 3},
        {"in tasks", CUP_FIT_RIGHT, 1},   {"idle", CUP_FIT_RIGHT, 0},
        {"core-hours", CUP_FIT_RIGHT, 4}, {"of it", CUP_FIT_RIGHT, 0},
    };
    struct cup_table table;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < CUP_STAGE_COUNT; i++)
        add_stage(&table, i, &page->totals->stages->rows[i]);
    cup_table_finish(&table, &page->terminal);
}

enum { SHOWN_TAIL = 15 };

static struct cup_value rounded_start(const struct cup_page *page, const struct cup_task *task)
{
    return cup_seconds(task->start_ns - page->totals->run.start_ns);
}

static void add_tail_chunk(const struct cup_page *page, struct cup_table *table,
                           const struct cup_tail_chunk *chunk, struct cup_key_reader *keys)
{
    const struct cup_item *item = &page->profile->items[chunk->item];
    const struct cup_task *task = &page->profile->tasks[item->task];
    const struct cup_server *server = cup_task_server(page->profile, task);
    char why[CUP_TAIL_ROOM];
    cup_table_add_value(table, rounded_start(page, task), CUP_UNIT_SECONDS);
    cup_table_add_seconds(table, cup_task_wall_ns(task));
    cup_table_add_value(table, cup_known_worker_count(cup_item_events(item)), CUP_UNIT_COUNT);
    cup_table_add_string(table, cup_tail_why(why, chunk));
    cup_table_add(table, cup_page_text(page, item->dataset));
    cup_table_add_string(table, page->profile->processes[task->process].header.host);
    cup_table_add(table, cup_page_text(page, server ? server->address : 0));
    cup_table_add(table, cup_page_text(page, item->file));
    cup_table_add(table, cup_key_read(keys, task));
}

static void print_tail(const struct cup_page *page, const struct cup_tail *tail)
{
    static const struct cup_column columns[] = {
        {"began at", CUP_FIT_RIGHT, 0}, {"time", CUP_FIT_RIGHT, 0},   {"events", CUP_FIT_RIGHT, 1},
        {"why", CUP_FIT_LEFT, 0},       {"dataset", CUP_FIT_LEFT, 2}, {"host", CUP_FIT_LEFT, 3},
        {"worker", CUP_FIT_LEFT, 5},    {"file", CUP_FIT_LEFT, 4},    {"key", CUP_FIT_LEFT, 6},
    };
    struct cup_table table;
    struct cup_key_reader keys;
    char detail[160], median[CUP_HUMAN_READABLE_ROOM];
    if (tail->count == 0)
        return;
    cup_human_readable(median, tail->median_s, CUP_UNIT_SECONDS);
    snprintf(detail, sizeof detail,
             "chunks after 90 %% had ended, the last first; half of all "
             "chunks took up to %s",
             median);
    cup_page_heading(page, "Tail", detail);
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    cup_key_reader_open(&keys, page->profile);
    for (size_t i = 0; i < tail->count && i < SHOWN_TAIL; i++)
        add_tail_chunk(page, &table, &tail->chunks[i], &keys);
    cup_key_reader_close(&keys);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, tail->total > SHOWN_TAIL ? tail->total - SHOWN_TAIL : 0, "chunks");
}

/* The tail's chunks take passes of their own: on request. */
int cup_print_stages(const struct cup_page *page)
{
    struct cup_tail tail;
    if (page->totals->all.tasks == 0)
        return 0;
    cup_page_heading(page, "Stages", "idle: time of threads without a task");
    print_stages(page);
    if (!page->alone)
        return 0;
    if (cup_tail_make(&tail, page->totals) != 0)
        return -1;
    print_tail(page, &tail);
    cup_tail_free(&tail);
    return 0;
}

/* ---- merges ----------------------------------------------------------------------------- */

static struct cup_value if_any(uint64_t count, uint64_t value)
{
    return count ? cup_count(value) : cup_null();
}

static void add_level(const struct cup_page *page, struct cup_table *table,
                      const struct cup_merge_level *level)
{
    bool timed = level->tasks > level->without_cpu;
    bool inputs = page->profile->input_count > 0;
    cup_table_add_value(table, level->level ? cup_count(level->level) : cup_null(), CUP_UNIT_COUNT);
    cup_table_add_string(table, level->metadata ? "metadata" : "chunks");
    cup_table_add_value(table, cup_count(level->tasks), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(level->failed), CUP_UNIT_COUNT);
    cup_table_add_value(table, inputs ? cup_count(level->inputs) : cup_null(), CUP_UNIT_COUNT);
    cup_table_add_value(table, if_any(level->input_bytes_known, level->input_bytes),
                        CUP_UNIT_BYTES);
    cup_table_add_value(table, if_any(level->result_bytes_known, level->result_bytes),
                        CUP_UNIT_BYTES);
    cup_table_add_seconds(table, level->wall_ns);
    cup_table_add_value(table, timed ? cup_seconds((int64_t)level->cpu_ns) : cup_null(),
                        CUP_UNIT_SECONDS);
    cup_table_add_seconds(table, level->longest_ns);
    cup_table_add_value(table, if_any(level->rss_bytes, level->rss_bytes), CUP_UNIT_BYTES);
}

int cup_print_merge(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"level", CUP_FIT_RIGHT, 0},     {"of", CUP_FIT_LEFT, 0},
        {"tasks", CUP_FIT_RIGHT, 0},     {"failed", CUP_FIT_RIGHT, 5},
        {"inputs", CUP_FIT_RIGHT, 0},    {"made of", CUP_FIT_RIGHT, 3},
        {"results", CUP_FIT_RIGHT, 0},   {"time", CUP_FIT_RIGHT, 0},
        {"CPU", CUP_FIT_RIGHT, 1},       {"longest", CUP_FIT_RIGHT, 2},
        {"RSS up to", CUP_FIT_RIGHT, 4},
    };
    const struct cup_merge *merge = page->totals->merge;
    struct cup_table table;
    if (merge->count == 0)
        return 0;
    cup_page_heading(page, "Merging",
                     merge->levels[merge->count - 1].level
                         ? "tasks made of chunks' results (level 1), of those (level 2), ..."
                         : "levels are not known: an older library recorded this");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < merge->count; i++)
        add_level(page, &table, &merge->levels[i]);
    cup_table_finish(&table, &page->terminal);
    return 0;
}
