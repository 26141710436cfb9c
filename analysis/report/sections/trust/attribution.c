/* How the bytes read were attributed to tasks, and whether the kernel counted the same number. */
#include <string.h>

#include "analysis/metrics/formulas.h"
#include "analysis/report/page/section.h"
#include "analysis/report/sections/row_parts.h"

/* ---- methods -------------------------------------------------------------------------------- */

static const char *const method_texts[] = {CUP_METHODS(CUP_TEXT_OF)};

static struct cup_value bytes_of(const struct cup_totals *totals, int method)
{
    uint64_t needs = cup_counter_needs(CUP_C_READ_OWN_BYTES + method);
    bool known = method != CUP_METHOD_NONE || cup_is_of_run(totals);
    return cup_count_if(known && cup_profile_measured(totals->profile, needs),
                        cup_method_bytes(totals, method));
}

static struct cup_value share_of(const struct cup_totals *totals, int method)
{
    struct cup_value bytes = bytes_of(totals, method);
    if (bytes.kind == CUP_VALUE_NULL || !cup_is_of_run(totals))
        return cup_null();
    return cup_ratio((double)cup_method_bytes(totals, method),
                     (double)cup_all_method_bytes(totals));
}

/* ---- in the text ---------------------------------------------------------------------------- */

/* "data files 1.2 GB, imports 3 MB" into `to`. */
static void list_classes(const struct cup_kernel_check *check, char *to, size_t room)
{
    static const char *const texts[] = {CUP_KERNEL_CLASSES(CUP_TEXT_OF)};
    for (int i = 0; i < CUP_KERNEL_COUNT; i++)
        if (check->classes[i])
            cup_append(to, room, "%s%s %s", *to ? ", " : ": ", texts[i],
                       CUP_SHOW((double)check->classes[i], CUP_UNIT_BYTES));
}

/* Prints the kernel's count of what these processes read next to cupping's. */
static void print_checked(const struct cup_page *page)
{
    const struct cup_kernel_check *check = page->totals->kernel;
    char classes[600] = "";
    list_classes(check, classes, sizeof classes);
    cup_page_line(page, CUP_PLAIN, "The kernel counted %s read in %s; the library saw %s%s.",
                  CUP_SHOW((double)check->kernel_bytes, CUP_UNIT_BYTES),
                  CUP_SHOW_COUNTED(check->processes, "process"),
                  CUP_SHOW((double)check->seen_bytes, CUP_UNIT_BYTES), classes);
}

static void print_explained(const struct cup_page *page)
{
    const struct cup_kernel_check *check = page->totals->kernel;
    if (check->explained_bytes)
        cup_page_line(
            page, CUP_PLAIN,
            "The two count differently, which explains a difference of up to %s: stdio reads whole "
            "blocks (%s came from its buffers), and the kernel does not count splice() (%s).",
            CUP_SHOW((double)check->explained_bytes, CUP_UNIT_BYTES),
            CUP_SHOW((double)check->stdio_bytes, CUP_UNIT_BYTES),
            CUP_SHOW((double)check->copied_bytes, CUP_UNIT_BYTES));
}

static void print_unchecked(const struct cup_page *page)
{
    const struct cup_kernel_check *check = page->totals->kernel;
    if (check->killed + check->unreadable)
        cup_page_line(page, CUP_DIM,
                      "Not checked against the kernel's count: %s that did not end "
                      "normally, %llu whose /proc/self/io could not be read.",
                      CUP_SHOW_COUNTED(check->killed, "process"),
                      (unsigned long long)check->unreadable);
}

static void print_kernel_check(const struct cup_page *page)
{
    char warning[400];
    if (page->totals->kernel->processes > 0)
        print_checked(page);
    print_explained(page);
    cup_kernel_warning(page->totals->kernel, page->profile, warning, sizeof warning);
    if (*warning)
        cup_page_line(page, CUP_WARN, "%s", warning);
    print_unchecked(page);
}

#define METHOD_FIELDS(X)                                                                           \
    X(NULL, TEXT, cup_string(cup_method_names[*method]), .heading = "method")                      \
    X(NULL, BYTES, bytes_of(rows->totals, *method), .heading = "bytes")                            \
    X(NULL, SHARE, share_of(rows->totals, *method), .heading = "share")                            \
    X(NULL, TEXT, cup_string(method_texts[*method]), .heading = "", .rank = 1)

CUP_FILL_ITEM(fill_method, int, method, METHOD_FIELDS)

static int list_methods(struct cup_report_rows *rows)
{
    for (int method = 0; method < CUP_METHOD_COUNT; method++)
        if (rows->text.page->alone || cup_method_bytes(rows->totals, method) != 0)
            cup_add_row(rows, &method);
    return 0;
}

static const struct cup_report_table methods = {CUP_TABLE_FIELDS(METHOD_FIELDS, fill_method),
                                                list_methods};

static int print_attribution(const struct cup_page *page)
{
    cup_page_heading(
        page, "Attribution",
        "how the bytes of data files and servers were attributed to tasks, in worker processes");
    int result = cup_print_rows(page, &methods, NULL, NULL, NULL);
    if (!cup_is_of_run(page->totals))
        cup_page_line(page, CUP_DIM, "Unattributed bytes are n/a: %s.", CUP_OF_ALL_RUNS);
    if (page->alone)
        cup_page_metrics(page, &cup_attribution_metrics);
    print_kernel_check(page);
    return result;
}

/* ---- in the JSON ------------------------------------------------------------------------------
 */

/* Bytes of data files and servers, by method. Mapped bytes, and those of other sockets, are
 * attributed by the same methods, but the log does not count them by method. */
static void put_methods(struct report *report)
{
    cup_json_row(&report->json, "by_way");
    for (int method = 0; method < CUP_METHOD_COUNT; method++)
        put(report, cup_method_names[method], bytes_of(report->totals, method));
    cup_json_end_object(&report->json);
    cup_json_row(&report->json, "by_way_share");
    for (int method = 0; method < CUP_METHOD_COUNT; method++)
        put(report, cup_method_names[method], share_of(report->totals, method));
    cup_json_end_object(&report->json);
}

/* What processes read and wrote, by class: counters, in the order of the JSON. */
static const int class_counters[] = {
    CUP_C_MAPPED_BYTES,      CUP_C_RECV_BYTES,          CUP_C_SEND_BYTES,
    CUP_C_IMPORT_BYTES,      CUP_C_PIPE_BYTES,          CUP_C_SPILL_READ_BYTES,
    CUP_C_SPILL_WRITE_BYTES, CUP_C_TRANSFER_RECV_BYTES, CUP_C_TRANSFER_SEND_BYTES,
    CUP_C_DASK_READ_BYTES,
};
enum { CLASS_COUNTERS = sizeof class_counters / sizeof *class_counters };

static const char *class_key(unsigned index, char room[CUP_KEY_ROOM])
{
    int counter = class_counters[index];
    bool is_transfer = counter == CUP_C_TRANSFER_RECV_BYTES || counter == CUP_C_TRANSFER_SEND_BYTES;
    snprintf(room, CUP_KEY_ROOM, "%s%s", is_transfer ? "dask_" : "", cup_counter_names[counter]);
    return room;
}

#define WORKER_FIELDS(X)                                                                           \
    CUP_WHO_FIELDS(X, index)                                                                       \
    X("read_bytes", BYTES, cup_count_if(files, process->read_bytes))                               \
    X("read_none_bytes", BYTES,                                                                    \
      cup_count_if(all_files,                                                                      \
                   process->ancestry ? 0 : process->without_task[CUP_C_READ_NONE_BYTES]))

/* A row for a worker process. If several Dask workers run in it, the counters are their sum. */
static void fill_worker(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_process *process = item;
    uint32_t index = (uint32_t)(process - rows->profile->processes);
    bool files = cup_process_has(rows->profile, index, CUP_FEATURE_FILES);
    bool whole = !rows->profile->selective; /* some are counts of the whole process */
    bool all_files = whole && files;
    CUP_FILL(values, WORKER_FIELDS);
    for (size_t i = 0; i < CLASS_COUNTERS; i++) {
        int c = class_counters[i];
        *values++ =
            counter_value(cup_counter_names[c], process->with_task[c] + process->without_task[c],
                          whole && cup_process_has(rows->profile, index, cup_counter_needs(c)));
    }
}

static int list_workers(struct cup_report_rows *rows)
{
    for (uint32_t i = 0; i < rows->profile->process_count; i++)
        if (cup_process_is_worker(&rows->profile->processes[i]))
            cup_add_row(rows, &rows->profile->processes[i]);
    return 0;
}

static const struct cup_report_table workers = {
    CUP_TABLE_PARTS(CUP_ROW_PART(WORKER_FIELDS, fill_worker),
                    {.count = CLASS_COUNTERS, .key = class_key}),
    list_workers, .name = "by_worker"};

static void put_kernel_classes(struct report *report)
{
    static const char *const names[] = {CUP_KERNEL_CLASSES(CUP_NAME_OF)};
    cup_json_row(&report->json, "classes");
    for (int i = 0; i < CUP_KERNEL_COUNT; i++)
        put(report, names[i], cup_count(report->totals->kernel->classes[i]));
    cup_json_end_object(&report->json);
}

/* Most figures are null if no process was checked. */
static int put_kernel_check(struct report *report)
{
    const struct cup_kernel_check *check = report->totals->kernel;
    int64_t difference = (int64_t)(check->kernel_bytes - check->seen_bytes);
    bool checked = check->processes > 0;
    double kernel_bytes = (double)check->kernel_bytes;
    char warning[400];
    cup_kernel_warning(check, report->profile, warning, sizeof warning);
    cup_json_object(&report->json, "kernel_check");
    put(report, "processes", cup_count(check->processes));
    put(report, "processes_without", cup_count(check->killed + check->unreadable));
    put(report, "processes_killed", cup_count(check->killed));
    put(report, "kernel_bytes", cup_count_if(checked, check->kernel_bytes));
    put(report, "seen_bytes", cup_count_if(checked, check->seen_bytes));
    put(report, "difference_bytes", cup_value_if(checked, cup_signed(difference)));
    put(report, "difference_pct",
        cup_value_if(checked, cup_ratio(100 * (double)difference, kernel_bytes)));
    put(report, "stdio_read_bytes", cup_count_if(checked, check->stdio_bytes));
    put(report, "copied_bytes", cup_count_if(checked, check->copied_bytes));
    put(report, "explained_bytes", cup_count_if(checked, check->explained_bytes));
    put(report, "unexplained_bytes", cup_count_if(checked, check->unexplained_bytes));
    put(report, "unexplained_pct",
        cup_value_if(checked, cup_ratio(100 * (double)check->unexplained_bytes, kernel_bytes)));
    put_kernel_classes(report);
    put(report, "warning", cup_string(*warning ? warning : NULL));
    cup_json_end_object(&report->json);
    return 0;
}

const struct cup_report_section cup_attribution_section = {
    .name = "attribution",
    .metrics = &cup_attribution_metrics,
    .table = &workers,
    .print = print_attribution,
    .put_keys = put_methods,
    .put_last = put_kernel_check,
};
