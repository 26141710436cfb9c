/* Tasks, chunks and datasets. */
#include <stdlib.h>
#include <string.h>

#include "analysis/report/page/page.h"
#include "analysis/tasks/task_columns.h"

/* ---- tasks by prefix -------------------------------------------------------------------- */

/* Counters that many runs have none of: a column only where there is something to show. */
static const struct extra {
    const char *heading;
    enum cup_counter counter;
    bool is_time;
} extras[] = {
    {"helpers' CPU", CUP_C_HELPER_CPU_NS, true},
    {"mapped", CUP_C_MAPPED_BYTES, false},
    {"received", CUP_C_RECV_BYTES, false},
};
enum { EXTRA_COUNT = sizeof extras / sizeof *extras };

static void add_extras(const struct cup_page *page, struct cup_table *table,
                       const uint64_t *counters)
{
    for (int i = 0; i < EXTRA_COUNT; i++) {
        uint64_t value = counters[extras[i].counter];
        if (page->totals->counters[extras[i].counter] == 0)
            continue;
        if (extras[i].is_time)
            cup_table_add_seconds(table, value);
        else
            cup_table_add_value(table, cup_count(value), CUP_UNIT_BYTES);
    }
}

static void add_prefix(const struct cup_page *page, struct cup_table *table, uint32_t index)
{
    const struct cup_prefix *prefix = &page->profile->prefixes[index];
    const struct cup_task_sums *sums = &page->totals->prefixes[index];
    bool files = cup_profile_measured(page->profile, CUP_FEATURE_FILES);
    bool heap = cup_profile_measured(page->profile, CUP_FEATURE_HEAP);
    bool timed = cup_sums_have_cpu(sums);
    uint64_t failed = sums->erred + sums->unfinished;
    cup_table_add(table, cup_page_text(page, prefix->name));
    cup_table_add_string(table, cup_prefix_is_processor(page->totals, index) ? "chunks" : "");
    cup_table_add_value(table, cup_count(sums->tasks), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(failed), CUP_UNIT_COUNT);
    cup_table_add_seconds(table, sums->wall_ns);
    cup_table_add_value(table, timed ? cup_seconds((int64_t)sums->cpu_ns) : cup_null(),
                        CUP_UNIT_SECONDS);
    cup_table_add_value(table, cup_ratio((double)sums->cpu_ns, (double)sums->with_cpu_ns),
                        CUP_UNIT_SHARE);
    cup_table_add_value(table, files ? cup_count(sums->read_bytes) : cup_null(), CUP_UNIT_BYTES);
    cup_table_add_value(table, heap ? cup_count(prefix->counters[CUP_C_ALLOC_BYTES]) : cup_null(),
                        CUP_UNIT_BYTES);
    add_extras(page, table, prefix->counters);
}

enum { SHOWN_PREFIXES = 15, SHOWN_DATASETS = 20, SHOWN_TASKS = 5 };

enum { PREFIX_COLUMNS = 9 };

/* Fills in all that are shown; returns how many. */
static unsigned prefix_columns(const struct cup_page *page, struct cup_column *columns)
{
    static const struct cup_column always[PREFIX_COLUMNS] = {
        {"prefix", CUP_FIT_LEFT, 0},  {"", CUP_FIT_LEFT, 2},      {"tasks", CUP_FIT_RIGHT, 0},
        {"failed", CUP_FIT_RIGHT, 4}, {"time", CUP_FIT_RIGHT, 0}, {"CPU", CUP_FIT_RIGHT, 0},
        {"share", CUP_FIT_RIGHT, 3},  {"read", CUP_FIT_RIGHT, 0}, {"allocated", CUP_FIT_RIGHT, 1},
    };
    unsigned count = PREFIX_COLUMNS;
    memcpy(columns, always, sizeof always);
    for (int i = 0; i < EXTRA_COUNT; i++)
        if (page->totals->counters[extras[i].counter])
            columns[count++] = (struct cup_column){extras[i].heading, CUP_FIT_RIGHT, 5};
    return count;
}

static int print_prefixes(const struct cup_page *page)
{
    struct cup_column columns[PREFIX_COLUMNS + EXTRA_COUNT];
    struct cup_table table;
    size_t count;
    uint32_t *order = cup_prefixes_by_time(page->totals, &count);
    if (!order)
        return -1;
    cup_page_heading(page, "Tasks by prefix", "time and CPU are sums over tasks");
    cup_table_start(&table, columns, prefix_columns(page, columns));
    for (size_t i = 0; i < count && i < cup_page_rows(page, SHOWN_PREFIXES); i++)
        add_prefix(page, &table, order[i]);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, cup_page_hidden(page, count, SHOWN_PREFIXES), "prefixes");
    free(order);
    return 0;
}

/* ---- tasks that failed or never ended --------------------------------------------------- */

static void add_bad_task(const struct cup_page *page, struct cup_table *table, struct cup_text key,
                         const struct cup_task *task)
{
    struct cup_text error = cup_profile_text(page->profile, task->error);
    uint64_t wall_ns = cup_task_wall_ns(task);
    cup_table_add_string(table, cup_task_status_name(task));
    cup_table_add_value(table,
                        wall_ns == CUP_UNKNOWN64 ? cup_null() : cup_seconds((int64_t)wall_ns),
                        CUP_UNIT_SECONDS);
    cup_table_add(table, key.bytes ? key : (struct cup_text){"(key not known)", 15});
    cup_table_add(table, error);
}

static int print_bad_tasks(const struct cup_page *page)
{
    static const struct cup_column columns[] = {{"status", CUP_FIT_NONE, 0},
                                                {"time", CUP_FIT_RIGHT, 1},
                                                {"key", CUP_FIT_LEFT, 0},
                                                {"error", CUP_FIT_LEFT, 2}};
    uint64_t bad = page->totals->all.erred + page->totals->all.unfinished, shown = 0;
    struct cup_key_reader keys;
    struct cup_table table;
    if (bad == 0)
        return 0;
    cup_page_heading(page, "Tasks that failed or never ended", "");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    cup_key_reader_open(&keys, page->profile);
    for (size_t i = 0; i < page->profile->task_count && shown < cup_page_rows(page, SHOWN_TASKS);
         i++) {
        const struct cup_task *task = &page->profile->tasks[i];
        if (task->status == CUP_STATUS_FINISHED)
            continue;
        add_bad_task(page, &table, cup_key_read(&keys, task), task);
        shown++;
    }
    cup_key_reader_close(&keys);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, bad - shown, "such tasks (`cupping tasks` lists them)");
    return 0;
}

int cup_print_tasks(const struct cup_page *page)
{
    return print_prefixes(page) == 0 ? print_bad_tasks(page) : -1;
}

/* ---- chunks ----------------------------------------------------------------------------- */

static const struct {
    const char *text;
    enum cup_unit unit;
} statistic_rows[CUP_STAT_COUNT] = {
#define X(id, name, text, unit) {text, unit},
    CUP_CHUNK_STATISTICS(X)
#undef X
};

static void add_statistics(const struct cup_page *page, struct cup_table *table)
{
    struct cup_statistics statistics[CUP_STAT_COUNT];
    cup_chunk_statistics(page->totals, statistics);
    for (int i = 0; i < CUP_STAT_COUNT; i++) {
        const struct cup_statistics *s = &statistics[i];
        const double numbers[] = {s->min, s->mean, s->median, s->max, s->stdev};
        if (s->count == 0)
            continue;
        cup_table_add_string(table, statistic_rows[i].text);
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            cup_table_add_value(table, cup_real(numbers[n]), statistic_rows[i].unit);
    }
}

static void print_open_and_process(const struct cup_page *page)
{
    const struct cup_totals *t = page->totals;
    char open[CUP_HUMAN_READABLE_ROOM], process[CUP_HUMAN_READABLE_ROOM],
        cpu[CUP_HUMAN_READABLE_ROOM], line[300];
    if (t->timed_chunks == 0)
        return;
    cup_human_readable(open, (double)t->open_ns / 1e9, CUP_UNIT_SECONDS);
    cup_human_readable(process, (double)t->process_ns / 1e9, CUP_UNIT_SECONDS);
    cup_human_readable(cpu, (double)t->process_cpu_ns / 1e9, CUP_UNIT_SECONDS);
    snprintf(line, sizeof line,
             "Of the chunks' time, %s went before process() (opening files), %s inside of it, "
             "%s of which on the CPU.",
             open, process, cpu);
    cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
}

static void print_requested(const struct cup_page *page)
{
    char asked[CUP_HUMAN_READABLE_ROOM], columns[CUP_HUMAN_READABLE_ROOM],
        times[CUP_HUMAN_READABLE_ROOM], line[300];
    if (page->totals->coffea.with_bytes == 0)
        return;
    cup_page_human_readable(page, asked, CUP_METRIC_TOTAL_BYTES_READ_COFFEA);
    cup_page_human_readable(page, columns, CUP_METRIC_NUM_COLUMNS);
    cup_page_human_readable(page, times, CUP_METRIC_READ_AMPLIFICATION);
    snprintf(line, sizeof line,
             "By Coffea's own report uproot asked for %s and made %s column%s; %s times that was "
             "read.",
             asked, columns, strcmp(columns, "1") == 0 ? "" : "s", times);
    cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
}

int cup_print_chunks(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"", CUP_FIT_LEFT, 0},        {"min", CUP_FIT_RIGHT, 0}, {"mean", CUP_FIT_RIGHT, 0},
        {"median", CUP_FIT_RIGHT, 0}, {"max", CUP_FIT_RIGHT, 0}, {"st.dev.", CUP_FIT_RIGHT, 1},
    };
    const struct cup_totals *t = page->totals;
    char detail[160];
    struct cup_table table;
    snprintf(detail, sizeof detail,
             "%llu used, %llu failed, %llu done again, %llu unfinished, %llu skipped",
             (unsigned long long)t->used_chunks, (unsigned long long)t->failed_chunks,
             (unsigned long long)t->repeated_chunks, (unsigned long long)t->unfinished_chunks,
             (unsigned long long)t->skipped_chunks);
    cup_page_heading(page, "Chunks", detail);
    if (t->used_chunks) {
        cup_table_start(&table, columns, sizeof columns / sizeof *columns);
        add_statistics(page, &table);
        cup_table_finish(&table, &page->terminal);
    }
    print_open_and_process(page);
    print_requested(page);
    cup_print_fits(page);
    return 0;
}

static void add_dataset(const struct cup_page *page, struct cup_table *table,
                        const struct cup_dataset *dataset)
{
    double events = (double)dataset->events, process_s = (double)dataset->process_ns / 1e9;
    cup_table_add(table, cup_page_text(page, dataset->name));
    cup_table_add_value(table, cup_count(dataset->chunks), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(dataset->failed + dataset->unfinished + dataset->skipped),
                        CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(dataset->events), CUP_UNIT_COUNT);
    cup_table_add_seconds(table, dataset->wall_ns);
    cup_table_add_value(table, cup_ratio(events / 1e3, process_s), CUP_UNIT_KHZ);
    cup_table_add_value(table, cup_ratio(events, (double)dataset->wall_ns / 1e9), CUP_UNIT_HZ);
    cup_table_add_value(table, cup_count(dataset->read_bytes), CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_ratio((double)dataset->read_bytes, events), CUP_UNIT_BYTES);
    cup_table_add_value(table,
                        dataset->coffea.with_bytes ? cup_count(dataset->coffea.bytes) : cup_null(),
                        CUP_UNIT_BYTES);
}

int cup_print_datasets(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"dataset", CUP_FIT_LEFT, 0},    {"chunks", CUP_FIT_RIGHT, 0},
        {"failed", CUP_FIT_RIGHT, 3},    {"events", CUP_FIT_RIGHT, 0},
        {"time", CUP_FIT_RIGHT, 0},      {"process()", CUP_FIT_RIGHT, 1},
        {"ev/s/core", CUP_FIT_RIGHT, 5}, {"read", CUP_FIT_RIGHT, 0},
        {"per event", CUP_FIT_RIGHT, 2}, {"asked for", CUP_FIT_RIGHT, 4},
    };
    size_t count = page->totals->dataset_count;
    struct cup_table table;
    if (count == 0)
        return 0;
    cup_page_heading(page, "Datasets",
                     "time is summed over chunks, events/s are those inside process()");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count && i < cup_page_rows(page, SHOWN_DATASETS); i++)
        add_dataset(page, &table, &page->totals->datasets[i]);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, cup_page_hidden(page, count, SHOWN_DATASETS), "datasets");
    return 0;
}
