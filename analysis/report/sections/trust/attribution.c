/* How the bytes read were attributed to tasks, and whether the kernel counted the same number. */
#include <string.h>

#include "analysis/report/page/section.h"
#include "analysis/report/sections/row_parts.h"

/* ---- in the text ------------------------------------------------------------------------------
 */

/* "data files 1.2 GB, imports 3 MB" into `to`. */
static void list_classes(const struct cup_kernel_check *check, char *to, size_t room)
{
    static const char *const texts[] = {
#define X(id, name, text) text,
        CUP_KERNEL_CLASSES(X)
#undef X
    };
    size_t length = 0;
    *to = '\0';
    for (int i = 0; i < CUP_KERNEL_COUNT && length < room; i++) {
        char bytes[CUP_HUMAN_READABLE_ROOM];
        if (check->classes[i] == 0)
            continue;
        cup_human_readable(bytes, (double)check->classes[i], CUP_UNIT_BYTES);
        length += (size_t)snprintf(to + length, room - length, "%s%s %s", length ? ", " : "",
                                   texts[i], bytes);
    }
}

/* Prints the kernel's count of what these processes read next to cupping's. */
static void print_checked(const struct cup_page *page)
{
    const struct cup_kernel_check *check = page->totals->kernel;
    char kernel[CUP_HUMAN_READABLE_ROOM], seen[CUP_HUMAN_READABLE_ROOM], classes[600], line[900];
    cup_human_readable(kernel, (double)check->kernel_bytes, CUP_UNIT_BYTES);
    cup_human_readable(seen, (double)check->seen_bytes, CUP_UNIT_BYTES);
    list_classes(check, classes, sizeof classes);
    snprintf(line, sizeof line,
             "The kernel counted %s read in %llu process%s; the library saw %s%s%s.", kernel,
             (unsigned long long)check->processes, check->processes == 1 ? "" : "es", seen,
             *classes ? ": " : "", classes);
    cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
}

static void print_explained(const struct cup_page *page)
{
    const struct cup_kernel_check *check = page->totals->kernel;
    char explained[CUP_HUMAN_READABLE_ROOM], stdio[CUP_HUMAN_READABLE_ROOM],
        copied[CUP_HUMAN_READABLE_ROOM], line[400];
    if (check->explained_bytes == 0)
        return;
    cup_human_readable(explained, (double)check->explained_bytes, CUP_UNIT_BYTES);
    cup_human_readable(stdio, (double)check->stdio_bytes, CUP_UNIT_BYTES);
    cup_human_readable(copied, (double)check->copied_bytes, CUP_UNIT_BYTES);
    snprintf(
        line, sizeof line,
        "The two count differently, which explains a difference of up to %s: stdio reads whole "
        "blocks (%s came from its buffers), and the kernel does not count splice() (%s).",
        explained, stdio, copied);
    cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
}

static void print_unchecked(const struct cup_page *page)
{
    const struct cup_kernel_check *check = page->totals->kernel;
    char line[300];
    if (check->killed + check->unreadable == 0)
        return;
    snprintf(line, sizeof line,
             "Not checked against the kernel's count: %llu process%s that did not end normally, "
             "%llu whose /proc/self/io could not be read.",
             (unsigned long long)check->killed, check->killed == 1 ? "" : "es",
             (unsigned long long)check->unreadable);
    cup_print_wrapped(&page->terminal, CUP_DIM, 2, line);
}

static void print_kernel_check(const struct cup_page *page)
{
    char warning[400];
    if (page->totals->kernel->processes > 0)
        print_checked(page);
    print_explained(page);
    cup_kernel_warning(page->totals->kernel, page->profile, warning, sizeof warning);
    if (*warning)
        cup_print_wrapped(&page->terminal, CUP_WARN, 2, warning);
    print_unchecked(page);
}

static int print_attribution(const struct cup_page *page)
{
    static const struct cup_column columns[] = {{"method", CUP_FIT_LEFT, 0},
                                                {"bytes", CUP_FIT_RIGHT, 0},
                                                {"share", CUP_FIT_RIGHT, 0},
                                                {"", CUP_FIT_LEFT, 1}};
    static const char *const texts[] = {
#define X(id, name, text) text,
        CUP_METHODS(X)
#undef X
    };
    double total = (double)cup_all_method_bytes(page->totals);
    struct cup_table table;
    cup_page_heading(page, "Attribution",
                     "how the bytes of data files were attributed to tasks, in worker processes");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (int method = 0; method < CUP_METHOD_COUNT; method++) {
        if (!page->alone && cup_method_bytes(page->totals, method) == 0)
            continue;
        cup_table_add_string(&table, cup_method_names[method]);
        bool known =
            cup_profile_measured(page->profile, cup_counter_needs(CUP_C_READ_OWN_BYTES + method));
        cup_table_add_value(&table,
                            known ? cup_count(cup_method_bytes(page->totals, method)) : cup_null(),
                            CUP_UNIT_BYTES);
        cup_table_add_value(&table,
                            cup_ratio((double)cup_method_bytes(page->totals, method), total),
                            CUP_UNIT_SHARE);
        cup_table_add_string(&table, texts[method]);
    }
    cup_table_finish(&table, &page->terminal);
    if (page->alone)
        cup_page_metrics(page, &cup_attribution_metrics);
    print_kernel_check(page);
    return 0;
}

/* ---- in the JSON ------------------------------------------------------------------------------
 */

/* Bytes of data files, by method. Mapped and received bytes are attributed by the same methods, but
 * the log does not count them by method. */
static void put_methods(struct report *report)
{
    double total = (double)cup_all_method_bytes(report->totals);
    cup_json_row(&report->json, "by_way");
    for (int method = 0; method < CUP_METHOD_COUNT; method++)
        put(report, cup_method_names[method],
            cup_profile_measured(report->profile, cup_counter_needs(CUP_C_READ_OWN_BYTES + method))
                ? cup_count(cup_method_bytes(report->totals, method))
                : cup_null());
    cup_json_end_object(&report->json);
    cup_json_row(&report->json, "by_way_share");
    for (int method = 0; method < CUP_METHOD_COUNT; method++)
        put(report, cup_method_names[method],
            cup_ratio((double)cup_method_bytes(report->totals, method), total));
    cup_json_end_object(&report->json);
}

/* What processes read and wrote, by class: counters, in the order of the JSON. */
static const int class_counters[] = {
    CUP_C_MAPPED_BYTES,      CUP_C_RECV_BYTES,          CUP_C_SEND_BYTES,
    CUP_C_IMPORT_BYTES,      CUP_C_PIPE_BYTES,          CUP_C_SPILL_READ_BYTES,
    CUP_C_SPILL_WRITE_BYTES, CUP_C_TRANSFER_RECV_BYTES, CUP_C_TRANSFER_SEND_BYTES,
    CUP_C_DASK_READ_BYTES,
};

static const char *class_key(unsigned index, char room[CUP_KEY_ROOM])
{
    int counter = class_counters[index];
    bool is_transfer = counter == CUP_C_TRANSFER_RECV_BYTES || counter == CUP_C_TRANSFER_SEND_BYTES;
    snprintf(room, CUP_KEY_ROOM, "%s%s", is_transfer ? "dask_" : "", cup_counter_names[counter]);
    return room;
}

static void fill_classes(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_process *process = item;
    size_t index = (size_t)(process - rows->profile->processes);
    for (size_t i = 0; i < sizeof class_counters / sizeof *class_counters; i++) {
        int c = class_counters[i];
        values[i] =
            counter_value(cup_counter_names[c], process->with_task[c] + process->without_task[c],
                          cup_process_has(rows->profile, index, cup_counter_needs(c)));
    }
}

#define WORKER_FIELDS(X)                                                                           \
    CUP_WHO_FIELDS(X, index)                                                                       \
    X("read_bytes", BYTES, cup_value_if(files, cup_count(with_task)))                              \
    X("read_none_bytes", BYTES,                                                                    \
      cup_value_if(                                                                                \
          files, cup_count(process->ancestry ? 0 : process->without_task[CUP_C_READ_NONE_BYTES])))

/* A row for a worker process. If several Dask workers run in it, the counters are their sum. */
static void fill_worker(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_process *process = item;
    uint32_t index = (uint32_t)(process - rows->profile->processes);
    bool files = cup_process_has(rows->profile, index, CUP_FEATURE_FILES);
    uint64_t with_task = 0;
    for (int method = CUP_C_READ_OWN_BYTES; method <= CUP_C_READ_SOLE_BYTES; method++)
        with_task += process->with_task[method];
    CUP_FILL(values, WORKER_FIELDS);
}

static int list_workers(struct cup_report_rows *rows)
{
    for (uint32_t i = 0; i < rows->profile->process_count; i++)
        if (cup_process_is_worker(&rows->profile->processes[i]))
            cup_add_row(rows, &rows->profile->processes[i]);
    return 0;
}

static const struct cup_row_part worker_parts[] = {
    CUP_ROW_PART(WORKER_FIELDS, fill_worker),
    {.count = sizeof class_counters / sizeof *class_counters,
     .key = class_key,
     .fill = fill_classes},
};
static const struct cup_report_table workers = {CUP_TABLE_PARTS(worker_parts), list_workers};

static void put_kernel_classes(struct report *report)
{
    static const char *const names[] = {
#define X(id, name, text) name,
        CUP_KERNEL_CLASSES(X)
#undef X
    };
    cup_json_row(&report->json, "classes");
    for (int i = 0; i < CUP_KERNEL_COUNT; i++)
        put(report, names[i], cup_count(report->totals->kernel->classes[i]));
    cup_json_end_object(&report->json);
}

/* Most figures are null if no process was checked. */
static void put_kernel_check(struct report *report)
{
    const struct cup_kernel_check *check = report->totals->kernel;
    int64_t difference = (int64_t)(check->kernel_bytes - check->seen_bytes);
    bool checked = check->processes > 0;
    const struct {
        const char *name;
        struct cup_value value;
    } figures[] = {
        {"kernel_bytes", cup_count(check->kernel_bytes)},
        {"seen_bytes", cup_count(check->seen_bytes)},
        {"difference_bytes", cup_signed(difference)},
        {"difference_pct", cup_ratio(100 * (double)difference, (double)check->kernel_bytes)},
        {"stdio_read_bytes", cup_count(check->stdio_bytes)},
        {"copied_bytes", cup_count(check->copied_bytes)},
        {"explained_bytes", cup_count(check->explained_bytes)},
        {"unexplained_bytes", cup_count(check->unexplained_bytes)},
        {"unexplained_pct",
         cup_ratio(100 * (double)check->unexplained_bytes, (double)check->kernel_bytes)},
    };
    char warning[400];
    cup_kernel_warning(check, report->profile, warning, sizeof warning);
    cup_json_object(&report->json, "kernel_check");
    put(report, "processes", cup_count(check->processes));
    put(report, "processes_without", cup_count(check->killed + check->unreadable));
    put(report, "processes_killed", cup_count(check->killed));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        put(report, figures[i].name, checked ? figures[i].value : cup_null());
    put_kernel_classes(report);
    put(report, "warning", *warning ? cup_string(warning) : cup_null());
    cup_json_end_object(&report->json);
}

static int put_attribution(struct report *report)
{
    cup_json_object(&report->json, "attribution");
    put_metrics(report, &cup_attribution_metrics);
    put_methods(report);
    int result = cup_put_rows(report, "by_worker", &workers, NULL);
    put_kernel_check(report);
    cup_json_end_object(&report->json);
    return result;
}

const struct cup_report_section cup_attribution_section = {
    .name = "attribution", .print = print_attribution, .put = put_attribution};
