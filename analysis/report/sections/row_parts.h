/* Fields that the tables of several sections have. Each macro is part of a list of fields, and
 * names the variables that its values are made from. */
#pragma once

#include "analysis/metrics/dask/sections.h"
#include "analysis/report/page/rows.h"
#include "analysis/tasks/task_columns.h"

/* Number, times, reads and results of tasks. `sums`: const struct cup_task_sums *; `files`: whether
 * reads were recorded. */
#define CUP_TASK_SUM_FIELDS(X, sums, files)                                                        \
    X("tasks", COUNT, cup_count((sums)->tasks))                                                    \
    X("finished", COUNT, cup_count((sums)->finished))                                              \
    X("erred", COUNT, cup_count((sums)->erred))                                                    \
    X("unfinished", COUNT, cup_count((sums)->unfinished))                                          \
    X("running", COUNT, cup_count((sums)->running))                                                \
    X("wall_s", SECONDS, cup_ns((sums)->wall_ns))                                                  \
    X("cpu_s", SECONDS, cup_ns_if(cup_sums_have_cpu(sums), (sums)->cpu_ns))                        \
    X("noncpu_s", SECONDS, cup_ns_if(cup_sums_have_cpu(sums), (sums)->noncpu_ns))                  \
    X("without_cpu", COUNT, cup_count((sums)->without_cpu))                                        \
    X("read_bytes", BYTES, cup_count_if(files, (sums)->read_bytes))                                \
    X("partly_attributed", COUNT, cup_count_if(!(sums)->partly_unknown, (sums)->partly))           \
    X("child_read_bytes", BYTES, cup_count_if(files, (sums)->child_read_bytes))                    \
    X("result_bytes", BYTES, cup_count((sums)->result_bytes))

/* What tasks read from ROOT files. `baskets`: const struct cup_task_baskets *; `measured`: whether
 * baskets were recorded. Fields from the keys of baskets are null if no hook saw a key. */
#define CUP_TASK_BASKET_FIELDS(X, baskets, measured)                                               \
    X("bytes_read_compressed", BYTES, cup_count_if(measured, (baskets)->compressed))               \
    X("bytes_read_uncompressed", BYTES,                                                            \
      cup_count_if((measured) && cup_baskets_have_keys(baskets), (baskets)->uncompressed))         \
    X("compression_ratio", RATIO,                                                                  \
      cup_value_if((measured) && cup_baskets_have_keys(baskets),                                   \
                   cup_ratio((double)(baskets)->uncompressed,                                      \
                             (double)((baskets)->compressed - (baskets)->unseen_compressed))))     \
    X("baskets_read", COUNT, cup_count_if(measured, (baskets)->baskets))                           \
    X("incidental_baskets", COUNT, cup_count_if(measured, (baskets)->incidental))                  \
    X("incidental_bytes", BYTES, cup_count_if(measured, (baskets)->incidental_bytes))              \
    X("reread_same_task_bytes", BYTES, cup_count_if(measured, (baskets)->again_bytes))

/* True if hooks saw keys of these baskets, or there are no baskets. */
static inline bool cup_baskets_have_keys(const struct cup_task_baskets *baskets)
{
    return baskets->compressed == 0 || baskets->compressed > baskets->unseen_compressed;
}

/* "zlib, zstd"; null for none. */
struct cup_value cup_row_algorithms(struct cup_report_rows *rows, uint32_t algorithms);

/* Worker, host and pid of a process (index `process` in the profile). */
#define CUP_WHO_FIELDS(X, process)                                                                 \
    X("worker", TEXT, cup_worker_address(rows->profile, process))                                  \
    X("host", TEXT, cup_string(rows->profile->processes[process].header.host))                     \
    X("pid", ID, cup_count(rows->profile->processes[process].header.pid))

/* Address of the Dask worker in that process, or block and rank of Parsl's; null if it has none or
 * several. */
struct cup_value cup_worker_address(const struct cup_profile *profile, uint32_t process);

/* A column of `cupping tasks`, of const struct cup_task_row row. */
#define CUP_TASK_FIELD(X, name, kind, ...) X(name, kind, cup_task_value(&row, name), __VA_ARGS__)

/* Waits of tasks by kind, waits of unknown kind, and waits of their helpers by kind. */
enum { CUP_WAIT_FIELDS = 2 * CUP_WAITED_COUNT + 1 };
const char *cup_wait_key(unsigned index, char room[CUP_KEY_ROOM]);
void cup_fill_waits(const struct cup_profile *profile, const struct cup_wait_sums *sums,
                    const struct cup_measured_waits *helpers, struct cup_value *values);

/* Writes into a row of tasks_by_prefix how long tasks, reads and waits for the GIL took. */
void cup_put_histograms(struct report *report, const void *prefix);

/* Part of the section on chunks: how time and memory of a chunk grow with its events. */
void cup_print_fits(const struct cup_page *page);
void cup_put_fits(struct report *report);

extern const struct cup_report_table cup_processes_table;

/* Part of the section on named sections: the time of each in each task. Returns 0, or -1 without
 * memory. */
int cup_print_section_tasks(const struct cup_page *page, const struct cup_sections *sections);

/* The threads' time as a stacked bar, and its legend. */
void cup_print_bar(const struct cup_page *page);

/* Writes keys into the JSON object that is open, named as in Coffea's own report. */
void cup_report_put_coffea_sums(struct report *report, const struct cup_coffea_sums *sums);

/* How many prefixes have a row of their own; see cup_prefixes_alone(). All, if --only names the
 * section. */
size_t cup_report_prefixes_alone(const struct cup_page *page, const uint32_t *order, size_t count);
