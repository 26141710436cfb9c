/* Dask's fine metrics: the main activities, and those that the program named with context_meter. */
#include <string.h>

#include "analysis/report/page/section.h"
#include "analysis/report/sections/row_parts.h"

/* Rows in the text; the JSON has all. */
enum { SHOWN_ACTIVITIES = 6, SHOWN_NAMED = 20 };

static const struct shown {
    enum cup_fine_activity activity, other; /* the row is the sum of both, unless they are equal */
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

/* The same activity as cupping measured it; null if cupping does not. */
static struct cup_value ours(const struct cup_page *page, const struct shown *row)
{
    const struct cup_task_sums *all = &page->totals->all;
    if (!cup_sums_have_cpu(all) || row->unit != CUP_UNIT_SECONDS)
        return cup_null();
    if (row->activity == CUP_FINE_THREAD_CPU)
        return cup_ns(all->cpu_ns);
    return row->activity == CUP_FINE_THREAD_NONCPU ? cup_ns(all->noncpu_ns) : cup_null();
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

/* Warns of workers whose last figures, or all figures, are missing: killed, or never read. */
static void print_incomplete(const struct cup_page *page)
{
    const struct cup_fine *fine = page->totals->fine;
    char line[300] = "";
    if (fine->incomplete_workers)
        cup_append(
            line, sizeof line,
            "Not included: what %llu worker%s did after Dask's figures were last read (up to %s). ",
            (unsigned long long)fine->incomplete_workers, cup_plural(fine->incomplete_workers),
            CUP_SHOW_NS(fine->behind_ns));
    if (fine->silent_workers)
        cup_append(line, sizeof line, "The figures of %llu worker%s were never read.",
                   (unsigned long long)fine->silent_workers, cup_plural(fine->silent_workers));
    if (*line)
        cup_page_line(page, CUP_WARN, "%s", line);
}

/* In the unit that the program gave. */
static void add_amount(struct cup_table *table, struct cup_value value, struct cup_text unit)
{
    if (unit.length == 7 && memcmp(unit.bytes, "seconds", 7) == 0)
        cup_table_add_value(table, value, CUP_UNIT_SECONDS);
    else if (unit.length == 5 && memcmp(unit.bytes, "bytes", 5) == 0)
        cup_table_add_value(table, value, CUP_UNIT_BYTES);
    else
        cup_table_add_sorted(table,
                             CUP_FORMAT("%.6g %.*s", cup_number(value),
                                        unit.length < 30 ? (int)unit.length : 30,
                                        unit.length ? unit.bytes : ""),
                             cup_number(value));
}

/* Adds a row with the label "selection (Dimuon)". */
static void add_named(const struct cup_page *page, struct cup_table *table,
                      const struct cup_fine_row *row)
{
    struct cup_text activity = cup_page_text(page, row->activity),
                    prefix = cup_page_text(page, row->prefix);
    cup_table_add_string(table,
                         CUP_FORMAT("%.*s (%.*s)", activity.length < 90 ? (int)activity.length : 90,
                                    activity.bytes, prefix.length < 90 ? (int)prefix.length : 90,
                                    prefix.bytes));
    add_amount(table, cup_fine_row_value(page->profile, row), cup_page_text(page, row->unit));
    cup_table_add_string(table, "");
    cup_table_add_string(table, "");
}

/* Adds activities that the program named with Dask's context_meter. Returns how many did not fit.
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
                                                {"cupping", CUP_FIT_RIGHT, 0},
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
    cup_page_more(page, more, 0,
                  page->alone ? "activity in --json" : "activity; --only fine, --json");
}

static void print_named(const struct cup_page *page)
{
    const struct cup_fine *fine = page->totals->fine;
    size_t i = 0;
    while (i < fine->row_count && !fine->rows[i].user)
        i++;
    if (i < fine->row_count)
        cup_page_line(
            page, CUP_DIM,
            "Dask subtracts the activities that the program named from the tasks' CPU and "
            "non-CPU time; cupping includes them.");
}

static int print_fine(const struct cup_page *page)
{
    const struct cup_fine *fine = page->totals->fine;
    if (fine->worker_count == 0)
        return 0;
    cup_page_heading(page, "Dask's own activities",
                     fine->mixed ? "cannot be split: other tasks share a span with these"
                     : page->profile->selective
                         ? "fine metrics of the spans of these tasks only"
                         : CUP_FORMAT("fine metrics of %zu worker%s since %s started",
                                      fine->worker_count, cup_plural(fine->worker_count),
                                      fine->worker_count == 1 ? "it" : "they"));
    print_table(page);
    print_named(page);
    print_incomplete(page);
    return 0;
}

/* ---- in the JSON: groups of tasks --------------------------------------------------------- */

/* The figures of a group of tasks: those of a prefix, of a worker's process, or of a span. */
struct group {
    uint64_t tasks;
    struct cup_value wall_s, cpu_s, noncpu_s; /* as cupping measured them */
    const struct cup_fine_sums *dask;
};

static struct group group_of_sums(const struct cup_task_sums *sums,
                                  const struct cup_fine_sums *dask)
{
    bool timed = cup_sums_have_cpu(sums);
    return (struct group){.tasks = sums->tasks,
                          .wall_s = cup_ns(sums->wall_ns),
                          .cpu_s = cup_ns_if(timed, sums->cpu_ns),
                          .noncpu_s = cup_ns_if(timed, sums->noncpu_ns),
                          .dask = dask};
}

#define GROUP_FIELDS(X)                                                                            \
    X("tasks", COUNT, cup_count(group->tasks))                                                     \
    X("wall_s", SECONDS, group->wall_s)                                                            \
    X("cpu_s", SECONDS, group->cpu_s)                                                              \
    X("noncpu_s", SECONDS, group->noncpu_s)

static struct cup_value dask_value(const struct cup_report_rows *rows, const struct group *group,
                                   enum cup_fine_activity activity)
{
    return cup_fine_of(rows->totals->fine, rows->profile, group->dask, activity);
}

/* cupping's figure over Dask's. */
#define RATIO_FIELDS(X)                                                                            \
    X("thread_cpu_ratio", RATIO,                                                                   \
      cup_ratio(cup_number(group->cpu_s), dask_number(rows, group, CUP_FINE_THREAD_CPU)))          \
    X("thread_noncpu_ratio", RATIO,                                                                \
      cup_ratio(cup_number(group->noncpu_s), dask_number(rows, group, CUP_FINE_THREAD_NONCPU)))

/* Everything that Dask measured of the group, the ratios, and the waits. */
static double dask_number(const struct cup_report_rows *rows, const struct group *group,
                          enum cup_fine_activity activity)
{
    return cup_number(dask_value(rows, group, activity));
}

/* Everything that Dask measured of the group, and the ratios. Returns the place of the next value.
 */
static struct cup_value *fill_dask(struct cup_report_rows *rows, const struct group *group,
                                   struct cup_value *values)
{
    for (int i = 0; i < CUP_FINE_COUNT; i++)
        *values++ = dask_value(rows, group, (enum cup_fine_activity)i);
    CUP_FILL(values, RATIO_FIELDS);
    return values;
}

#define DASK_PARTS                                                                                 \
    CUP_NAMED_PART("", cup_fine_names, CUP_FINE_COUNT), CUP_ROW_PART(RATIO_FIELDS, NULL)
#define WAITS_PART                                                                                 \
    {                                                                                              \
        .count = CUP_WAIT_FIELDS, .key = cup_wait_key                                              \
    }

/* ---- by prefix ---------------------------------------------------------------------------- */

#define PREFIX_FIELDS(X)                                                                           \
    X("prefix", TEXT, cup_row_text(rows, fine->name))                                              \
    X("processor", BOOL, cup_bool(seen &&cup_prefix_is_processor(rows->totals, index)))            \
    GROUP_FIELDS(X)

static void fill_prefix(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    static const struct cup_task_sums none = {0};
    const struct cup_fine_prefix *fine = item;
    uint32_t index = (uint32_t)(fine - rows->totals->fine->prefixes);
    bool seen = index < rows->profile->prefix_count;
    const struct group of = group_of_sums(seen ? &rows->totals->prefixes[index] : &none,
                                          &fine->dask),
                       *group = &of;
    CUP_FILL(values, PREFIX_FIELDS);
    fill_dask(rows, group, values);
}

/* Prefixes that appear only in Dask's metrics have no keys for waits. */
static void fill_waits(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_prefix *prefix = item;
    cup_fill_waits(rows->profile, &prefix->waits, &prefix->helper_waits, values);
}

/* Prefixes that appear only in Dask's metrics have no keys for waits. */
static void put_prefix_waits(struct report *report, const void *item)
{
    static const struct cup_row_part waits = {
        .count = CUP_WAIT_FIELDS, .key = cup_wait_key, .fill = fill_waits};
    const struct cup_fine_prefix *fine = item;
    size_t index = (size_t)(fine - report->totals->fine->prefixes);
    if (index < report->profile->prefix_count)
        cup_put_part(report, &waits, &report->profile->prefixes[index]);
}

static int list_prefixes(struct cup_report_rows *rows)
{
    const struct cup_fine *fine = rows->totals->fine;
    for (uint32_t i = 0; i < fine->prefix_count; i++) {
        bool seen = i < rows->profile->prefix_count && rows->totals->prefixes[i].tasks;
        if (seen || fine->prefixes[i].dask.digests)
            cup_add_row(rows, &fine->prefixes[i]);
    }
    return 0;
}

static const struct cup_report_table prefixes = {
    CUP_TABLE_PARTS(CUP_ROW_PART(PREFIX_FIELDS, fill_prefix), DASK_PARTS,
                    {.put = put_prefix_waits}),
    list_prefixes, .name = "by_prefix"};

/* ---- by worker ---------------------------------------------------------------------------- */

/* The sum of all Dask workers in the process. */
static struct cup_fine_worker sum_of_process(const struct cup_report_rows *rows, uint32_t process)
{
    const struct cup_fine *fine = rows->totals->fine;
    struct cup_fine_worker sum = {.complete = true};
    for (size_t i = 0; i < fine->worker_count; i++) {
        const struct cup_fine_worker *worker = &fine->workers[i];
        if (rows->profile->servers[worker->server].process != process)
            continue;
        sum.dask.digests += worker->dask.digests;
        for (int k = 0; k < CUP_FINE_COUNT; k++) {
            sum.dask.all[k] += worker->dask.all[k];
            sum.dask.tasks[k] += worker->dask.tasks[k];
        }
        sum.complete &= worker->complete;
        if (!worker->complete && worker->behind_ns > sum.behind_ns)
            sum.behind_ns = worker->behind_ns;
    }
    return sum;
}

#define WORKER_FIELDS(X)                                                                           \
    CUP_WHO_FIELDS(X, index)                                                                       \
    GROUP_FIELDS(X)                                                                                \
    X("complete", BOOL, cup_value_if(worker.dask.digests, cup_bool(worker.complete)))              \
    X("behind_s", SECONDS, cup_value_if(worker.dask.digests, cup_seconds(worker.behind_ns)))

static void fill_worker(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_process *process = item;
    uint32_t index = (uint32_t)(process - rows->profile->processes);
    const struct cup_fine_worker worker = sum_of_process(rows, index);
    struct cup_wait_sums waits = process->waits[CUP_PLACE_POOL];
    cup_wait_sums_add(&waits, &process->waits[CUP_PLACE_ELSEWHERE]);
    bool timed = waits.tasks + waits.unmeasured_tasks > 0;
    uint64_t cpu_ns = waits.cpu_ns + waits.unmeasured_cpu_ns;
    uint64_t wall_ns =
        cup_wait_sums_wall_ns(&waits) + waits.unmeasured_cpu_ns + waits.unmeasured_noncpu_ns;
    const struct group of = {process->tasks + process->summed.tasks, cup_ns_if(timed, wall_ns),
                             cup_ns_if(timed, cpu_ns),
                             cup_ns_if(timed, cup_noncpu_ns(wall_ns, cpu_ns)), &worker.dask},
                       *group = &of;
    CUP_FILL(values, WORKER_FIELDS);
    values = fill_dask(rows, group, values);
    cup_fill_waits(rows->profile, &waits, &process->helper_waits, values);
}

static int list_workers(struct cup_report_rows *rows)
{
    for (uint32_t i = 0; i < rows->profile->process_count; i++)
        if (cup_process_is_worker(&rows->profile->processes[i]))
            cup_add_row(rows, &rows->profile->processes[i]);
    return 0;
}

static const struct cup_report_table workers = {
    CUP_TABLE_PARTS(CUP_ROW_PART(WORKER_FIELDS, fill_worker), DASK_PARTS, WAITS_PART), list_workers,
    .name = "by_worker"};

/* ---- by span ------------------------------------------------------------------------------ */

#define SPAN_FIELDS(X)                                                                             \
    X("span", TEXT, cup_row_text(rows, span->name))                                                \
    X("span_id", TEXT, cup_row_text(rows, span->id))                                               \
    GROUP_FIELDS(X)                                                                                \
    X("erred", COUNT, cup_count(span->tasks.erred))                                                \
    X("unfinished", COUNT, cup_count(span->tasks.unfinished))                                      \
    X("running", COUNT, cup_count(span->tasks.running))                                            \
    X("read_bytes", BYTES, cup_count(span->tasks.read_bytes))

static void fill_span(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_fine_span *span = item;
    const struct group of = group_of_sums(&span->tasks, &span->dask), *group = &of;
    CUP_FILL(values, SPAN_FIELDS);
    values = fill_dask(rows, group, values);
    cup_fill_waits(rows->profile, &span->waits, &span->helpers, values);
    for (size_t i = 0; i < CUP_WAIT_FIELDS && rows->profile->tasks_summed; i++)
        values[i] = cup_null(); /* those of summed tasks are not known by span */
}

CUP_LIST_ARRAY(list_spans, rows->totals->fine->spans, rows->totals->fine->span_count)

static const struct cup_report_table spans = {
    CUP_TABLE_PARTS(CUP_ROW_PART(SPAN_FIELDS, fill_span), DASK_PARTS, WAITS_PART), list_spans,
    .name = "by_span"};

/* ---- activities, one by one ------------------------------------------------------------------ */

#define ACTIVITY_FIELDS(X)                                                                         \
    X("context", TEXT, cup_row_text(rows, row->context))                                           \
    X("span", TEXT, cup_row_text(rows, row->span_name))                                            \
    X("span_id", TEXT, cup_row_text(rows, row->span))                                              \
    X("prefix", TEXT, cup_row_text(rows, row->prefix))                                             \
    X("activity", TEXT, cup_row_text(rows, row->activity))                                         \
    X("unit", TEXT, cup_row_text(rows, row->unit))                                                 \
    X("value", NUMBER, cup_fine_row_value(rows->profile, row))                                     \
    X("workers", COUNT, cup_count(row->workers))                                                   \
    X("user", BOOL, cup_bool(row->user))

CUP_FILL_ITEM(fill_activity, struct cup_fine_row, row, ACTIVITY_FIELDS)

CUP_LIST_ARRAY(list_activities, rows->totals->fine->rows, rows->totals->fine->row_count)

/* Lists only the activities that the program named. */
static int list_user_activities(struct cup_report_rows *rows)
{
    for (size_t i = 0; i < rows->totals->fine->row_count; i++)
        if (rows->totals->fine->rows[i].user)
            cup_add_row(rows, &rows->totals->fine->rows[i]);
    return 0;
}

static const struct cup_report_table activities = {CUP_TABLE_FIELDS(ACTIVITY_FIELDS, fill_activity),
                                                   list_activities};
static const struct cup_report_table user_activities = {
    CUP_TABLE_FIELDS(ACTIVITY_FIELDS, fill_activity), list_user_activities,
    .name = "user_activities"};

const struct cup_report_section cup_fine_section = {
    .name = "fine",
    .metrics = &cup_fine_metrics,
    .table = &activities,
    .print = print_fine,
    .tables = {&user_activities, &prefixes, &workers, &spans, &activities},
};
