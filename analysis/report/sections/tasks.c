/* Tasks: by their prefix, by the worker that ran them, and those that failed or never ended. */
#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/report/page/section.h"
#include "analysis/report/page/warnings.h"
#include "analysis/report/sections/row_parts.h"

/* ---- by prefix ---------------------------------------------------------------------------- */

#define PREFIX_FIELDS(X)                                                                           \
    X("prefix", TEXT, name, .heading = "prefix")                                                   \
    X("processor", BOOL, cup_bool(runs_chunks))                                                    \
    X(NULL, TEXT, cup_string(runs_chunks ? "chunks" : ""), .heading = "", .rank = 2)               \
    CUP_TASK_SUM_FIELDS(X, sums, files)                                                            \
    X(NULL, COUNT, cup_count(sums->tasks), .heading = "tasks")                                     \
    X(NULL, COUNT, cup_count(sums->erred + sums->unfinished), .heading = "failed", .rank = 4)      \
    X(NULL, SECONDS, cup_ns(sums->wall_ns), .heading = "time")                                     \
    X(NULL, SECONDS, cup_ns_if(cup_sums_have_cpu(sums), sums->cpu_ns), .heading = "CPU")           \
    X(NULL, SHARE, cup_ratio((double)sums->cpu_ns, (double)sums->with_cpu_ns), .heading = "share", \
      .rank = 3)                                                                                   \
    X(NULL, BYTES, cup_count_if(files, sums->read_bytes), .heading = "read")                       \
    X(NULL, BYTES, cup_count_if(heap, c[CUP_C_ALLOC_BYTES]), .heading = "allocated", .rank = 1)    \
    X(NULL, SECONDS, cup_ns(c[CUP_C_HELPER_CPU_NS]), .heading = "helpers' CPU", .rank = 5,         \
      .counter = CUP_C_HELPER_CPU_NS)                                                              \
    X(NULL, BYTES, cup_count(c[CUP_C_MAPPED_BYTES]), .heading = "mapped", .rank = 5,               \
      .counter = CUP_C_MAPPED_BYTES)                                                               \
    X(NULL, BYTES, cup_count(c[CUP_C_RECV_BYTES]), .heading = "received", .rank = 5,               \
      .counter = CUP_C_RECV_BYTES)

/* The prefixes with little time, as one row of the text. */
struct others {
    struct cup_prefix prefix;
    struct cup_task_sums sums;
    size_t count;
};

static void fill_prefix(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_prefix *prefix = item;
    const struct others *others = rows->of;
    bool many = others && prefix == &others->prefix;
    uint32_t index = many ? 0 : (uint32_t)(prefix - rows->profile->prefixes);
    const struct cup_task_sums *sums = many ? &others->sums : &rows->totals->prefixes[index];
    bool runs_chunks = !many && cup_prefix_is_processor(rows->totals, index);
    const struct cup_value name =
        many ? cup_row_string(rows,
                              CUP_FORMAT("%s below 1 %%", CUP_SHOW_COUNTED(others->count, "other")))
             : cup_row_text(rows, prefix->name);
    bool files = cup_profile_measured(rows->profile, CUP_FEATURE_FILES);
    bool heap = cup_profile_measured(rows->profile, CUP_FEATURE_HEAP);
    const uint64_t *c = prefix->counters;
    CUP_FILL(values, PREFIX_FIELDS);
    for (int i = 0; i < CUP_COUNTER_COUNT; i++)
        *values++ = counter_value(cup_counter_names[i], c[i],
                                  cup_profile_measured(rows->profile, cup_counter_needs(i)));
    cup_fill_waits(rows->profile, &prefix->waits, &prefix->helper_waits, values);
}

/* Waits are reported apart, for tasks and for their helpers. Peaks of different tasks do not add up
 * to a figure: the prefix has their sum only. */
static const char *task_counter_key(unsigned index, char room[CUP_KEY_ROOM])
{
    bool is_peak = index == CUP_C_PEAK_LIVE_BYTES || index == CUP_C_PEAK_BEFORE_BYTES;
    return is_peak || cup_counter_is_wait((int)index)
               ? NULL
               : counter_key(cup_counter_names[index], room, CUP_KEY_ROOM);
}

static void add_other(struct others *others, const struct cup_prefix *prefix,
                      const struct cup_task_sums *sums)
{
    cup_add_numbers(&others->sums, sums, sizeof *sums);
    cup_add_all(others->prefix.counters, prefix->counters, CUP_COUNTER_COUNT);
    cup_wait_sums_add(&others->prefix.waits, &prefix->waits);
}

static int list_for_text(struct cup_report_rows *rows)
{
    size_t count;
    uint32_t *order = cup_prefixes_by_time(rows->totals, &count);
    size_t alone = order ? cup_report_prefixes_alone(rows->text.page, order, count) : 0;
    struct others others = {.count = count - alone};
    for (size_t i = 0; order && i < count; i++)
        if (i < alone)
            cup_add_row(rows, &rows->profile->prefixes[order[i]]);
        else
            add_other(&others, &rows->profile->prefixes[order[i]],
                      &rows->totals->prefixes[order[i]]);
    rows->of = &others;
    if (order && alone < count)
        cup_add_row(rows, &others.prefix);
    rows->of = NULL;
    free(order);
    return order ? 0 : -1;
}

static int list_prefixes(struct cup_report_rows *rows)
{
    const struct cup_profile *profile = rows->profile;
    if (rows->text.page)
        return list_for_text(rows);
    for (uint32_t i = 0; i < profile->prefix_count; i++)
        if (rows->totals->prefixes[i].tasks || profile->prefixes[i].counters[0])
            cup_add_row(rows, &profile->prefixes[i]);
    return 0;
}

static const struct cup_report_table prefixes = {
    CUP_TABLE_PARTS(CUP_ROW_PART(PREFIX_FIELDS, fill_prefix),
                    {.count = CUP_COUNTER_COUNT, .key = task_counter_key},
                    {.count = CUP_WAIT_FIELDS, .key = cup_wait_key},
                    {.put = cup_put_histograms, .nested = "histograms"}),
    list_prefixes, .on_screen = 15, .more = "prefix"};

/* ---- by worker ---------------------------------------------------------------------------- */

#define WORKER_FIELDS(X)                                                                           \
    X("worker", TEXT, server ? cup_row_text(rows, server->address) : cup_null())                   \
    X("name", TEXT, server ? cup_row_text(rows, server->name) : cup_null())                        \
    X("host", TEXT, cup_string(header ? header->host : NULL))                                      \
    X("pid", ID, header ? cup_count(header->pid) : cup_null())                                     \
    X("threads", COUNT, server && server->threads ? cup_count(server->threads) : cup_null())       \
    CUP_TASK_SUM_FIELDS(X, sums, files)

/* The element after those of all Dask workers is for tasks without a known worker. */
static void fill_worker(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_task_sums *sums = item;
    const struct cup_profile *profile = rows->profile;
    size_t index = (size_t)(sums - rows->totals->servers);
    const struct cup_server *server =
        index < profile->server_count ? &profile->servers[index] : NULL;
    const struct cup_log_header *header =
        server ? &profile->processes[server->process].header : NULL;
    bool files = server ? cup_process_has(profile, server->process, CUP_FEATURE_FILES)
                        : cup_profile_measured(profile, CUP_FEATURE_FILES);
    CUP_FILL(values, WORKER_FIELDS);
}

static int list_workers(struct cup_report_rows *rows)
{
    for (size_t i = 0; i <= rows->profile->server_count; i++) {
        bool is_worker =
            i < rows->profile->server_count && cup_server_is_worker(&rows->profile->servers[i]);
        if (is_worker || rows->totals->servers[i].tasks)
            cup_add_row(rows, &rows->totals->servers[i]);
    }
    return 0;
}

static const struct cup_report_table workers = {CUP_TABLE_FIELDS(WORKER_FIELDS, fill_worker),
                                                list_workers};

/* ---- tasks that failed or never ended, in the text ------------------------------------------ */

#define BAD_FIELDS(X)                                                                              \
    X("status", TEXT, cup_string(cup_task_status_name(rows->profile, task)), .heading = "status")  \
    X("time", SECONDS, cup_ns_if(wall_ns != CUP_UNKNOWN64, wall_ns), .heading = "time", .rank = 1) \
    X("key", TEXT, cup_text(cup_row_task(rows, task).key), .heading = "key",                       \
      .none = "(key not known)")                                                                   \
    X("error", TEXT, cup_row_text(rows, cup_rare_of(rows->profile, task)->error),                  \
      .heading = "error", .rank = 2, .none = "")

static void fill_bad(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_task *task = item;
    uint64_t wall_ns = cup_task_wall_ns(task);
    CUP_FILL(values, BAD_FIELDS);
}

static int list_bad(struct cup_report_rows *rows)
{
    for (size_t i = 0; i < rows->profile->task_count; i++)
        if (cup_task_is_bad(rows->profile, &rows->profile->tasks[i]))
            cup_add_row(rows, &rows->profile->tasks[i]);
    return 0;
}

static const struct cup_report_table bad_tasks = {CUP_TABLE_FIELDS(BAD_FIELDS, fill_bad), list_bad,
                                                  .on_screen = 5,
                                                  .more = "task (`cupping tasks` lists them)"};

/* ---- the section -------------------------------------------------------------------------- */

static int print_tasks(const struct cup_page *page)
{
    struct cup_report_table table = prefixes;
    table.on_screen = page->alone ? 0 : table.on_screen;
    cup_page_heading(page, "Tasks by prefix", "time and CPU are sums over tasks");
    int result = cup_print_rows(page, &table, NULL, NULL, NULL);
    cup_warn_of_partly(page);
    return result == 0
               ? cup_print_rows(page, &bad_tasks, NULL, "Tasks that failed or never ended", "")
               : result;
}

static int put_tasks(struct report *report)
{
    int result = cup_put_row_object(report, "tasks_by_prefix", &prefixes);
    return result == 0 ? cup_put_row_object(report, "tasks_by_worker", &workers) : result;
}

const struct cup_report_section cup_tasks_section = {
    .name = "tasks", .table = &prefixes, .print = print_tasks, .put = put_tasks};
