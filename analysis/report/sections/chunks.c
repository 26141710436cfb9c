/* Chunks: statistics, a row for each chunk, and how time and memory grow with events. */
#include <stdlib.h>

#include "analysis/report/page/section.h"
#include "analysis/report/page/warnings.h"
#include "analysis/report/sections/row_parts.h"

/* ---- each of them ------------------------------------------------------------------------- */

static struct cup_value difference(uint64_t later, uint64_t earlier)
{
    return cup_value_if(later != CUP_UNKNOWN64 && earlier != CUP_UNKNOWN64,
                        cup_signed((int64_t)(later - earlier)));
}

static const char *outcome_name(uint8_t outcome)
{
    static const char *const names[] = {
        [CUP_OUTCOME_NONE] = "none",
        [CUP_OUTCOME_USED] = "used",
        [CUP_OUTCOME_REPEATED] = "repeated",
        [CUP_OUTCOME_FAILED] = "failed",
        [CUP_OUTCOME_UNFINISHED] = "unfinished",
        [CUP_OUTCOME_RUNNING] = "running",
        [CUP_OUTCOME_SKIPPED] = "skipped",
        [CUP_OUTCOME_UNKNOWN] = "unknown",
    };
    return names[outcome];
}

/* Whether the chunk read all entries of its range; NULL: not known. */
static const char *entries_name(const struct cup_item *item)
{
    static const char *const names[] = {
        [CUP_ENTRIES_READ] = "all", [CUP_ENTRIES_MISSING] = "fewer", [CUP_ENTRIES_UNKNOWN] = NULL};
    return names[item->entries_read];
}

static struct cup_value columns_of(const struct cup_profile *profile, const struct cup_item *item)
{
    uint32_t columns = cup_source_of(profile, item)->columns;
    return columns ? cup_count(profile->column_sets[columns - 1].count) : cup_null();
}

/* Columns of `cupping tasks`; `requested_bytes` and those after it are from Coffea's report of the
 * chunk. */
#define FIELDS(X)                                                                                  \
    X("chunk", COUNT, cup_count(rows->text.shown + 1))                                             \
    CUP_TASK_FIELD(X, "key", TEXT, .heading = "key", .place = 10, .rank = 5, .none = "n/a")        \
    CUP_TASK_FIELD(X, "dataset", TEXT, .heading = "dataset", .place = 1, .none = "n/a")            \
    CUP_TASK_FIELD(X, "file", TEXT, .heading = "file", .place = 2, .none = "n/a")                  \
    CUP_TASK_FIELD(X, "tree", TEXT)                                                                \
    CUP_TASK_FIELD(X, "entry_start", COUNT, .heading = "from", .place = 3, .rank = 3)              \
    CUP_TASK_FIELD(X, "entry_stop", COUNT)                                                         \
    CUP_TASK_FIELD(X, "events", COUNT, .heading = "events", .place = 4)                            \
    CUP_TASK_FIELD(X, "worker", TEXT, .heading = "worker", .place = 9, .rank = 4, .none = "n/a")   \
    CUP_TASK_FIELD(X, "host", TEXT)                                                                \
    CUP_TASK_FIELD(X, "pid", ID)                                                                   \
    CUP_TASK_FIELD(X, "thread", ID)                                                                \
    CUP_TASK_FIELD(X, "status", TEXT, .heading = "status", .place = 8, .rank = 2)                  \
    CUP_TASK_FIELD(X, "attempt", COUNT)                                                            \
    CUP_TASK_FIELD(X, "start", SECONDS)                                                            \
    CUP_TASK_FIELD(X, "wall_s", SECONDS, .heading = "time", .place = 5)                            \
    CUP_TASK_FIELD(X, "cpu_s", SECONDS, .heading = "CPU", .place = 6, .rank = 1)                   \
    CUP_TASK_FIELD(X, "noncpu_s", SECONDS)                                                         \
    CUP_TASK_FIELD(X, "read_bytes", BYTES, .heading = "read", .place = 7, .rank = 1)               \
    CUP_TASK_FIELD(X, "rss_start_bytes", BYTES)                                                    \
    CUP_TASK_FIELD(X, "rss_stop_bytes", BYTES)                                                     \
    CUP_TASK_FIELD(X, "alloc_bytes", BYTES)                                                        \
    CUP_TASK_FIELD(X, "freed_bytes", BYTES)                                                        \
    CUP_TASK_FIELD(X, "peak_live_bytes", BYTES)                                                    \
    CUP_TASK_FIELD(X, "result_bytes", BYTES)                                                       \
    X("open_s", SECONDS, cup_value_if(began, cup_seconds(item->tic_ns - task->start_ns)))          \
    X("process_s", SECONDS, cup_value_if(returned, cup_seconds(item->toc_ns - item->tic_ns)))      \
    X("process_cpu_s", SECONDS, cup_ns_if(item->cpu_ns != CUP_UNKNOWN64, item->cpu_ns))            \
    X("requested_bytes", BYTES, cup_count_or_null(item->requested_bytes))                          \
    X("entries_coffea", COUNT, cup_count_or_null(cup_item_reported_entries(item)))                 \
    X("columns_read", COUNT, columns_of(profile, item))                                            \
    X("rss_delta_bytes", BYTES,                                                                    \
      difference(cup_rss_bytes(task->rss_stop), cup_rss_bytes(task->rss_start)))                   \
    X("memory_delta_bytes", BYTES, cup_whole_signed(rows->totals->rss_growth[task->item - 1]))     \
    CUP_TASK_FIELD(X, "unattributed_bytes", BYTES)                                                 \
    CUP_TASK_BASKET_FIELDS(X, baskets, measured)                                                   \
    X("branches_read", COUNT, cup_count_if(measured, baskets->branches))                           \
    X("entries_read", TEXT, cup_string(entries_name(item)))                                        \
    X("outcome", TEXT, cup_string(outcome_name(rows->totals->outcomes[task->item - 1])))

static void fill(struct cup_report_rows *rows, const void *of, struct cup_value *values)
{
    static const struct cup_task_baskets nothing;
    const struct cup_item *item = of;
    const struct cup_profile *profile = rows->profile;
    const struct cup_task *task = &profile->tasks[item->task];
    const struct cup_task_row row = cup_row_task(rows, task);
    bool began = item->tic_ns >= task->start_ns; /* false if the clock was set back */
    bool returned = item->tic_ns && item->toc_ns >= item->tic_ns;
    bool measured = profile->baskets &&
                    cup_process_has(profile, cup_task_process(profile, task), CUP_FEATURE_BASKETS);
    const struct cup_task_baskets *baskets =
        measured ? &profile->baskets[task - profile->tasks] : &nothing;
    CUP_FILL(values, FIELDS);
}

static int list_chunks(struct cup_report_rows *rows)
{
    for (size_t i = 0; i < rows->profile->item_count; i++)
        if (rows->totals->outcomes[i] != CUP_OUTCOME_NONE)
            cup_add_row(rows, &rows->profile->items[i]);
    return 0;
}

const struct cup_report_table cup_chunks_table = {CUP_TABLE_FIELDS(FIELDS, fill), list_chunks,
                                                  .of_tasks = true};

/* ---- one by one, in the page of HTML -------------------------------------------------------- */

/* Items with the longest task first. A task that never ended takes CUP_UNKNOWN64: it comes first.
 */
static int longest_first(const void *left, const void *right, void *context)
{
    const struct cup_item *const *a = left, *const *b = right;
    const struct cup_task *tasks = context;
    uint64_t x = cup_task_wall_ns(&tasks[(*a)->task]), y = cup_task_wall_ns(&tasks[(*b)->task]);
    return x != y ? (x > y ? -1 : 1) : (*a > *b) - (*a < *b);
}

static int list_slowest(struct cup_report_rows *rows)
{
    const struct cup_profile *profile = rows->profile;
    const struct cup_item **chunks = calloc(profile->item_count + 1, sizeof *chunks);
    size_t count = 0;
    if (!chunks)
        return -1;
    for (size_t i = 0; i < profile->item_count; i++)
        if (rows->totals->outcomes[i] != CUP_OUTCOME_NONE)
            chunks[count++] = &profile->items[i];
    qsort_r(chunks, count, sizeof *chunks, longest_first, profile->tasks);
    for (size_t i = 0; i < count; i++)
        cup_add_row(rows, chunks[i]);
    free(chunks);
    return 0;
}

static const struct cup_report_table slowest = {
    CUP_TABLE_FIELDS(FIELDS, fill), list_slowest, .on_screen = 20,
    .more = "chunk; `cupping tasks --csv FILE` has them all"};

/* No name: `--only chunks` prints cup_chunks_section. */
const struct cup_report_section cup_slowest_section = {
    .name = "",
    .shown = CUP_SHOWN_IN_PAGE,
    .heading = "Chunks one by one",
    .note = "those that took the longest first",
    .table = &slowest,
};

/* ---- statistics --------------------------------------------------------------------------- */

static const struct {
    const char *name, *text;
    enum cup_unit unit;
} statistic_rows[CUP_STAT_COUNT] = {
#define X(id, name, text, unit) {name, text, unit},
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
    if (t->timed_chunks)
        cup_page_line(
            page, CUP_PLAIN,
            "The chunks spent %s before process() (opening files) and %s inside it, %s of "
            "that on the CPU.",
            CUP_SHOW_NS(t->open_ns), CUP_SHOW_NS(t->process_ns), CUP_SHOW_NS(t->process_cpu_ns));
}

/* Where tasks share a process: the rows on memory growth say what they are. */
static void print_shared_growth(const struct cup_page *page)
{
    const struct cup_totals *t = page->totals;
    bool shared = false;
    for (size_t i = 0; i < t->profile->process_count; i++)
        shared |= t->profile->processes[i].task_threads > 1;
    if (shared && t->used_chunks)
        cup_page_line(page, CUP_PLAIN,
                      "Memory growth of a process is shared equally among the tasks that ran in it "
                      "at the time.");
}

static void print_requested(const struct cup_page *page)
{
    cup_warn_of_partly(page);
    const char *columns = CUP_SHOW_METRIC(page, CUP_METRIC_num_columns);
    if (cup_coffea_bytes(&page->totals->coffea) != CUP_UNKNOWN64)
        cup_page_line(page, CUP_PLAIN,
                      "Coffea's own report says that uproot requested %s and built %s column%s. "
                      "Tasks read %s times as much.",
                      CUP_SHOW_METRIC(page, CUP_METRIC_total_bytes_read_coffea), columns,
                      strcmp(columns, "1") == 0 ? "" : "s",
                      CUP_SHOW_METRIC(page, CUP_METRIC_read_amplification));
}

static int print_chunks(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"", CUP_FIT_LEFT, 0},        {"min", CUP_FIT_RIGHT, 0}, {"mean", CUP_FIT_RIGHT, 0},
        {"median", CUP_FIT_RIGHT, 0}, {"max", CUP_FIT_RIGHT, 0}, {"st.dev.", CUP_FIT_RIGHT, 1},
    };
    const struct cup_totals *t = page->totals;
    struct cup_table table;
    cup_page_heading(
        page, "Chunks",
        CUP_FORMAT(
            "%s%llu used, %llu failed, %llu repeated, %llu unfinished, %llu skipped%s",
            t->running_chunks ? CUP_FORMAT("%llu running, ", (unsigned long long)t->running_chunks)
                              : "",
            (unsigned long long)t->used_chunks, (unsigned long long)t->failed_chunks,
            (unsigned long long)t->repeated_chunks, (unsigned long long)t->unfinished_chunks,
            (unsigned long long)t->skipped_chunks,
            t->unknown_chunks
                ? CUP_FORMAT(", %llu of unknown outcome", (unsigned long long)t->unknown_chunks)
                : ""));
    if (t->used_chunks) {
        cup_table_start(&table, columns, sizeof columns / sizeof *columns);
        add_statistics(page, &table);
        cup_table_finish(&table, &page->terminal);
    }
    print_shared_growth(page);
    print_open_and_process(page);
    print_requested(page);
    cup_print_fits(page);
    return 0;
}

static void put_statistics(struct report *report, const char *name,
                           const struct cup_statistics *statistics)
{
    cup_json_row(&report->json, name);
    put(report, "count", cup_count(statistics->count));
    put(report, "min", cup_real(statistics->min));
    put(report, "mean", cup_real(statistics->mean));
    put(report, "median", cup_real(statistics->median));
    put(report, "max", cup_real(statistics->max));
    put(report, "stdev", cup_real(statistics->stdev));
    cup_json_end_object(&report->json);
}

static void put_chunk_sums(struct report *report)
{
    const struct cup_totals *totals = report->totals;
    struct cup_statistics statistics[CUP_STAT_COUNT];
    bool timed = totals->timed_chunks > 0;
    put(report, "count", cup_count(totals->used_chunks));
    put(report, "failed", cup_count(totals->failed_chunks));
    put(report, "repeated", cup_count(totals->repeated_chunks));
    put(report, "unfinished", cup_count(totals->unfinished_chunks));
    put(report, "running", cup_count(totals->running_chunks));
    put(report, "skipped", cup_count(totals->skipped_chunks));
    put(report, "unknown", cup_count(totals->unknown_chunks));
    put(report, "open_s", cup_ns_if(timed, totals->open_ns));
    put(report, "process_s", cup_ns_if(timed, totals->process_ns));
    put(report, "process_cpu_s", cup_ns_if(timed, totals->process_cpu_ns));
    cup_json_object(&report->json, "statistics");
    cup_chunk_statistics(totals, statistics);
    for (int i = 0; i < CUP_STAT_COUNT; i++)
        put_statistics(report, statistic_rows[i].name, &statistics[i]);
    cup_json_end_object(&report->json);
    cup_put_fits(report);
}

/* Why a chunk took long is in its waits. */
const struct cup_report_section cup_chunks_section = {
    .name = "chunks",
    .needs = CUP_NEEDS_COUNTERS,
    .table = &cup_chunks_table,
    .print = print_chunks,
    .put_keys = put_chunk_sums,
};
