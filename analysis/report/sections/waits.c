/* Where tasks' time went, by prefix, and how long tasks, reads and waits for the GIL took. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/page/section.h"
#include "analysis/report/sections/row_parts.h"

enum { SHOWN_PREFIXES = 10, SHOWN_WORKERS = 10 };

/* How many prefixes have a row: all, if --only names this section. */
static size_t most_prefixes(const struct cup_page *page)
{
    return page->alone ? SIZE_MAX : SHOWN_PREFIXES;
}

/* ---- waits ------------------------------------------------------------------------------ */

/* Adds a percentage without "%": the heading has the unit. */
static void add_percent(struct cup_table *table, uint64_t part_ns, uint64_t all_ns, bool known)
{
    double percent = known && all_ns > 0 ? 100 * (double)part_ns / (double)all_ns : (double)NAN;
    cup_table_add_number(table, isnan(percent) ? "n/a" : CUP_FORMAT("%.1f", percent), percent,
                         CUP_UNIT_PERCENT);
}

/* Indexes of the columns, in the order on the screen; from PARTS on, one for each part of the time.
 */
enum { NAME, TIME, CPU, PARTS };
static const enum cup_waited shown_parts[] = {
    CUP_WAITED_IO,    CUP_WAITED_GIL,       CUP_WAITED_LOCK,  CUP_WAITED_POLL,
    CUP_WAITED_SLEEP, CUP_WAITED_RUN_DELAY, CUP_WAITED_FAULT, CUP_WAITED_OTHER,
};
enum { SHOWN_PARTS = sizeof shown_parts / sizeof *shown_parts, COLUMNS = PARTS + SHOWN_PARTS };
_Static_assert((int)SHOWN_PARTS == (int)CUP_WAITED_COUNT, "the columns of a row add up to 100");

static void add_waits(const struct cup_page *page, struct cup_table *table, struct cup_text name,
                      const struct cup_wait_sums *sums)
{
    uint64_t wall_ns = cup_wait_sums_wall_ns(sums);
    cup_table_add(table, name);
    cup_table_add_value(table, cup_ns(wall_ns), CUP_UNIT_SECONDS);
    add_percent(table, sums->cpu_ns, wall_ns, true);
    for (int i = 0; i < SHOWN_PARTS; i++)
        add_percent(table, sums->ns[shown_parts[i]], wall_ns,
                    cup_profile_measured(page->profile, cup_wait_parts[shown_parts[i]].needs));
}

/* How important a column is: the sum of its waits, -1 for parts that were not measured. The column
 * with the time is as important as a part with 1 % of it. */
static double worth_of(const struct cup_page *page, int column)
{
    const struct cup_wait_sums *sums = &page->totals->waits;
    if (column == TIME)
        return (double)cup_wait_sums_wall_ns(sums) / 100;
    enum cup_waited part = shown_parts[column - PARTS];
    return cup_profile_measured(page->profile, cup_wait_parts[part].needs) ? (double)sums->ns[part]
                                                                           : -1;
}

/* The number of columns that are more important; 0 for the most important, which is always shown.
 */
static unsigned rank_of(const struct cup_page *page, int column)
{
    unsigned rank = 0;
    double worth = worth_of(page, column);
    for (int i = TIME; i < COLUMNS; i++) {
        double other = i == CPU ? -2 : worth_of(page, i);
        rank += other > worth || (other >= worth && i < column);
    }
    return rank;
}

/* On a narrow screen the least important columns are hidden first. */
static void make_columns(const struct cup_page *page, struct cup_column columns[COLUMNS])
{
    columns[NAME] = (struct cup_column){"prefix", CUP_FIT_LEFT, 0};
    columns[TIME] = (struct cup_column){"time", CUP_FIT_RIGHT, rank_of(page, TIME)};
    columns[CPU] = (struct cup_column){"CPU", CUP_FIT_RIGHT, 0};
    for (int i = PARTS; i < COLUMNS; i++)
        columns[i] = (struct cup_column){cup_wait_parts[shown_parts[i - PARTS]].label,
                                         CUP_FIT_RIGHT, rank_of(page, i)};
}

static void add_worker(const struct cup_page *page, struct cup_table *table,
                       const struct cup_process *process)
{
    const char *name = CUP_FORMAT("%s, process %u", process->header.host, process->header.pid);
    struct cup_wait_sums sums = process->waits[CUP_PLACE_POOL];
    cup_wait_sums_add(&sums, &process->waits[CUP_PLACE_ELSEWHERE]);
    if (sums.tasks)
        add_waits(page, table, (struct cup_text){name, strlen(name)}, &sums);
}

/* A row for each worker, if there are several, to show whether they differ. */
static void print_workers(const struct cup_page *page, const struct cup_column *columns)
{
    struct cup_column own[COLUMNS];
    struct cup_table table;
    size_t workers = 0;
    memcpy(own, columns, sizeof own);
    own[NAME].heading = "worker";
    cup_table_start(&table, own, COLUMNS);
    table.names_hidden = true;
    for (size_t i = 0; i < page->profile->process_count; i++) {
        if (page->profile->processes[i].tasks == 0)
            continue;
        if (workers++ < SHOWN_WORKERS)
            add_worker(page, &table, &page->profile->processes[i]);
    }
    if (workers > 1)
        cup_table_finish(&table, &page->terminal);
    else
        cup_table_drop(&table);
    cup_page_more(page, workers, SHOWN_WORKERS, "worker in --json");
}

static void print_waits(const struct cup_page *page, const uint32_t *order, size_t count)
{
    struct cup_column columns[COLUMNS];
    struct cup_table table;
    size_t prefixes = 0, alone = cup_report_prefixes_alone(page, order, count), others = 0;
    struct cup_wait_sums rest = {0};
    make_columns(page, columns);
    cup_page_heading(page, "Waits",
                     "percent of the tasks' time; the waits of helper threads are in --json");
    cup_table_start(&table, columns, COLUMNS);
    table.names_hidden = true;
    for (size_t i = 0; i < count; i++) {
        const struct cup_prefix *prefix = &page->profile->prefixes[order[i]];
        if (i >= alone && prefix->waits.tasks) {
            cup_wait_sums_add(&rest, &prefix->waits);
            others++;
        } else if (prefix->waits.tasks && prefixes++ < most_prefixes(page)) {
            add_waits(page, &table, cup_page_text(page, prefix->name), &prefix->waits);
        }
    }
    const char *name = CUP_FORMAT("%s below 1 %%", CUP_SHOW_COUNTED(others, "other"));
    if (others)
        add_waits(page, &table, (struct cup_text){name, strlen(name)}, &rest);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, prefixes, most_prefixes(page), "prefix in --json");
    print_workers(page, columns);
}

/* ---- durations -------------------------------------------------------------------------- */

/* How long tasks of a prefix, their reads or their waits for the GIL took. */
struct duration {
    const struct cup_prefix *prefix;
    int kind;
    struct cup_durations of;
};

/* p50, p90 or p99: of tasks exact; of reads and GIL waits from the histograms of the logs. */
static struct cup_value quantile(const struct cup_report_rows *rows,
                                 const struct duration *duration, unsigned which)
{
    static const double shares[CUP_TASK_QUANTILES] = {0.5, 0.9, 0.99};
    size_t prefix = (size_t)(duration->prefix - rows->profile->prefixes);
    return cup_real(duration->kind == CUP_DURATION_TASK
                        ? rows->totals->task_quantiles[prefix][which]
                        : cup_durations_quantile_ns(&duration->of, shares[which]) / 1e9);
}

#define DURATION_FIELDS(X)                                                                         \
    X(NULL, TEXT, cup_row_text(rows, duration->prefix->name), .heading = "prefix")                 \
    X(NULL, TEXT, cup_string(cup_duration_kinds[duration->kind].text), .heading = "")              \
    X("count", COUNT, cup_count(total), .heading = "number", .rank = 2)                            \
    X("p50_s", SECONDS, quantile(rows, duration, 0), .heading = "p50")                             \
    X("p90_s", SECONDS, quantile(rows, duration, 1), .heading = "p90", .rank = 1)                  \
    X("p99_s", SECONDS, quantile(rows, duration, 2), .heading = "p99")                             \
    X("max_s", SECONDS, cup_ns_if(total, longest_ns), .heading = "max")

static void fill_duration(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct duration *duration = item;
    uint64_t total = cup_durations_total(&duration->of);
    uint64_t longest_ns = cup_durations_longest_ns(&duration->of);
    CUP_FILL(values, DURATION_FIELDS);
}

static void add_durations(struct cup_report_rows *rows, const struct cup_prefix *prefix)
{
    for (int kind = CUP_DURATION_COUNT; kind-- > 0;) {
        const struct duration duration = {prefix, kind, cup_prefix_durations(prefix, kind)};
        if (cup_durations_total(&duration.of))
            cup_add_row(rows, &duration);
    }
}

static int list_durations(struct cup_report_rows *rows)
{
    size_t count;
    const struct cup_page *page = rows->text.page;
    uint32_t *order = cup_prefixes_by_time(rows->totals, &count);
    size_t alone = order ? cup_report_prefixes_alone(page, order, count) : 0;
    for (size_t i = 0; order && i < count; i++)
        if (i < most_prefixes(page) && i < alone)
            add_durations(rows, &rows->profile->prefixes[order[i]]);
        else
            rows->text.hidden++;
    free(order);
    return order ? 0 : -1;
}

static const struct cup_report_table durations_table = {
    CUP_TABLE_FIELDS(DURATION_FIELDS, fill_duration), list_durations, .more = "prefix in --json"};

static int print_waits_and_durations(const struct cup_page *page)
{
    size_t count;
    uint32_t *order = cup_prefixes_by_time(page->totals, &count);
    if (!order)
        return -1;
    if (page->totals->waits.tasks)
        print_waits(page, order, count);
    free(order);
    if (count == 0)
        return 0;
    cup_page_heading(page, "Durations",
                     "p50: the median; exact for tasks, accurate to about 20 % for the others");
    return cup_print_rows(page, &durations_table, NULL, NULL, NULL);
}

/* ---- in rows of the JSON ------------------------------------------------------------------ */

static void put_buckets(struct report *report, const struct cup_durations *durations)
{
    cup_json_array(&report->json, "buckets");
    for (unsigned i = 0; i < CUP_BUCKETS; i++) {
        if (durations->buckets[i] == 0)
            continue;
        cup_json_array(&report->json, NULL);
        put_ns(report, NULL, cup_bucket_from_ns(i));
        put_ns(report, NULL, cup_bucket_to_ns(durations, i));
        put(report, NULL, cup_count(durations->buckets[i]));
        cup_json_end_array(&report->json);
    }
    cup_json_end_array(&report->json);
}

void cup_put_histograms(struct report *report, const void *item)
{

    cup_json_object(&report->json, "histograms");
    for (int i = 0; i < CUP_DURATION_COUNT; i++) {
        const struct duration duration = {item, i, cup_prefix_durations(item, i)};
        const char *name = cup_duration_kinds[i].name;
        if (!cup_profile_measured(report->profile, cup_duration_kinds[i].needs)) {
            put(report, name, cup_null());
            continue;
        }
        cup_json_object(&report->json, name);
        cup_put_part(report, durations_table.parts, &duration);
        put_buckets(report, &duration.of);
        cup_json_end_object(&report->json);
    }
    cup_json_end_object(&report->json);
}

/* In the JSON they are in the rows of tasks_by_prefix. */
const struct cup_report_section cup_waits_section = {.name = "waits",
                                                     .print = print_waits_and_durations};
