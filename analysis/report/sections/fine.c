/* Dask's own activities: a few lines, and those that the program named. */
#include <string.h>

#include "analysis/report/page/page.h"

/* The section is this short: the rest is in --json. */
enum { SHOWN_ACTIVITIES = 6, SHOWN_NAMED = 20 };

static const struct shown {
    enum cup_fine_activity activity, other; /* equal: only one */
    enum cup_unit unit;
    const char *label;
} shown[] = {
    {CUP_FINE_THREAD_CPU, CUP_FINE_THREAD_CPU, CUP_UNIT_SECONDS, "tasks' CPU time"},
    {CUP_FINE_THREAD_NONCPU, CUP_FINE_THREAD_NONCPU, CUP_UNIT_SECONDS, "tasks' non-CPU time"},
    {CUP_FINE_DISK_WRITE, CUP_FINE_DISK_WRITE, CUP_UNIT_BYTES, "spilled to disk"},
    {CUP_FINE_DISK_READ, CUP_FINE_DISK_READ, CUP_UNIT_BYTES, "spilled data read back"},
    {CUP_FINE_NETWORK, CUP_FINE_NETWORK, CUP_UNIT_SECONDS, "waits for transfers"},
    {CUP_FINE_SERIALIZE, CUP_FINE_DESERIALIZE, CUP_UNIT_SECONDS, "(de)serialising"},
    {CUP_FINE_COMPRESS, CUP_FINE_DECOMPRESS, CUP_UNIT_SECONDS,
     "(de)compressing transfers and spills"},
    {CUP_FINE_MEMORY_READ, CUP_FINE_MEMORY_READ, CUP_UNIT_BYTES, "task inputs from memory"},
    {CUP_FINE_EXECUTOR, CUP_FINE_OTHER, CUP_UNIT_SECONDS, "event loop around tasks, and other"},
};
enum { SHOWN_COUNT = sizeof shown / sizeof *shown };

static struct cup_value value_of(const struct cup_page *page, enum cup_fine_activity activity)
{
    const struct cup_fine *fine = page->totals->fine;
    return cup_fine_of(fine, page->profile, &fine->all, activity);
}

static struct cup_value sum_of(const struct cup_page *page, const struct shown *row)
{
    struct cup_value value = value_of(page, row->activity);
    return row->other == row->activity
               ? value
               : cup_real(cup_number(value) + cup_number(value_of(page, row->other)));
}

/* By our own clocks; null for what they do not know. */
static struct cup_value ours(const struct cup_page *page, const struct shown *row)
{
    const struct cup_task_sums *all = &page->totals->all;
    if (!cup_sums_have_cpu(all) || row->unit != CUP_UNIT_SECONDS)
        return cup_null();
    if (row->activity == CUP_FINE_THREAD_CPU)
        return cup_seconds((int64_t)all->cpu_ns);
    return row->activity == CUP_FINE_THREAD_NONCPU
               ? cup_seconds((int64_t)(all->with_cpu_ns - all->cpu_ns))
               : cup_null();
}

static void add_row(const struct cup_page *page, struct cup_table *table, const struct shown *row)
{
    struct cup_value dask = sum_of(page, row), own = ours(page, row);
    cup_table_add_string(table, row->label);
    cup_table_add_value(table, dask, row->unit);
    if (own.kind == CUP_VALUE_NULL) {
        cup_table_add_string(table, "");
        cup_table_add_string(table, "");
        return;
    }
    cup_table_add_value(table, own, row->unit);
    cup_table_add_value(table, cup_ratio(cup_number(own), cup_number(dask)), CUP_UNIT_RATIO);
}

/* Workers that were killed, and those that were never asked. */
static void print_incomplete(const struct cup_page *page)
{
    const struct cup_fine *fine = page->totals->fine;
    char behind[CUP_HUMAN_READABLE_ROOM], line[300];
    if (fine->incomplete_workers + fine->silent_workers == 0)
        return;
    cup_human_readable(behind, (double)fine->behind_ns / 1e9, CUP_UNIT_SECONDS);
    size_t length = 0;
    if (fine->incomplete_workers)
        length = (size_t)snprintf(
            line, sizeof line,
            "What %llu worker%s did after the last look at Dask's figures (up to %s) is missing. ",
            (unsigned long long)fine->incomplete_workers, cup_plural(fine->incomplete_workers),
            behind);
    if (fine->silent_workers)
        snprintf(line + length, sizeof line - length, "%llu worker%s not looked at.",
                 (unsigned long long)fine->silent_workers,
                 fine->silent_workers == 1 ? " was" : "s were");
    cup_print_wrapped(&page->terminal, CUP_WARN, 2, line);
}

/* In whatever unit it was told. */
static void add_amount(struct cup_table *table, struct cup_value value, struct cup_text unit)
{
    char text[80];
    if (unit.length == 7 && memcmp(unit.bytes, "seconds", 7) == 0) {
        cup_table_add_value(table, value, CUP_UNIT_SECONDS);
    } else if (unit.length == 5 && memcmp(unit.bytes, "bytes", 5) == 0) {
        cup_table_add_value(table, value, CUP_UNIT_BYTES);
    } else {
        snprintf(text, sizeof text, "%.6g %.*s", cup_number(value),
                 unit.length < 30 ? (int)unit.length : 30, unit.length ? unit.bytes : "");
        cup_table_add_string(table, text);
    }
}

/* "selection (Dimuon)" */
static void add_named(const struct cup_page *page, struct cup_table *table,
                      const struct cup_fine_row *row)
{
    struct cup_text activity = cup_page_text(page, row->activity),
                    prefix = cup_page_text(page, row->prefix);
    char label[200];
    snprintf(label, sizeof label, "%.*s (%.*s)", activity.length < 90 ? (int)activity.length : 90,
             activity.bytes, prefix.length < 90 ? (int)prefix.length : 90, prefix.bytes);
    cup_table_add_string(table, label);
    add_amount(table, cup_fine_row_value(page->profile, row), cup_page_text(page, row->unit));
    cup_table_add_string(table, "");
    cup_table_add_string(table, "");
}

/* What the program named itself, by Dask's context_meter; returns how many there was no room for.
 */
static unsigned add_all_named(const struct cup_page *page, struct cup_table *table)
{
    const struct cup_fine *fine = page->totals->fine;
    unsigned room = page->alone || page->terminal.html ? SHOWN_NAMED : 0, more = 0;
    for (size_t i = 0; i < fine->row_count; i++) {
        if (!fine->rows[i].user)
            continue;
        if (room) {
            add_named(page, table, &fine->rows[i]);
            room--;
        } else {
            more++;
        }
    }
    return more;
}

static void print_table(const struct cup_page *page)
{
    static const struct cup_column columns[] = {{"", CUP_FIT_LEFT, 0},
                                                {"Dask", CUP_FIT_RIGHT, 0},
                                                {"own clocks", CUP_FIT_RIGHT, 0},
                                                {"ratio", CUP_FIT_RIGHT, 1}};
    struct cup_table table;
    unsigned rows = 0, more = 0;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < SHOWN_COUNT; i++) {
        if (!(cup_number(sum_of(page, &shown[i])) > 0))
            continue;
        if (rows < SHOWN_ACTIVITIES)
            add_row(page, &table, &shown[i]);
        more += rows++ >= SHOWN_ACTIVITIES;
    }
    more += add_all_named(page, &table);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, more,
                  page->alone ? "activities in --json, fine" : "activities; --only fine, --json");
}

static void print_named(const struct cup_page *page)
{
    const struct cup_fine *fine = page->totals->fine;
    for (size_t i = 0; i < fine->row_count; i++)
        if (fine->rows[i].user) {
            cup_print_wrapped(&page->terminal, CUP_DIM, 2,
                              "Dask takes seconds that the program named itself out of the tasks' "
                              "CPU and non-CPU time; own clocks have them.");
            return;
        }
}

int cup_print_fine(const struct cup_page *page)
{
    const struct cup_fine *fine = page->totals->fine;
    char detail[120];
    if (fine->worker_count == 0)
        return 0;
    snprintf(detail, sizeof detail, "fine metrics of %zu worker%s since %s began",
             fine->worker_count, cup_plural(fine->worker_count),
             fine->worker_count == 1 ? "it" : "they");
    cup_page_heading(page, "Dask's own activities",
                     fine->mixed ? "cannot be split: other tasks share a span with these"
                     : page->profile->selective ? "fine metrics of the spans of these tasks alone"
                                                : detail);
    print_table(page);
    print_named(page);
    print_incomplete(page);
    return 0;
}
