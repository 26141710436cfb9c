/* `cupping export --to csv` and `--to columns`: tasks and tables of the report, for spreadsheets
 * and data frames. */
#include "analysis/export/export.h"

#include <string.h>

#include "analysis/profile/samples/worker_rows.h"
#include "analysis/report/report.h"
#include "analysis/tasks/task_rows.h"
#include "analysis/write/cell_writer.h"

/* ---- values of samples --------------------------------------------------------------------- */

static const char *const sample_names[] = {CUP_SAMPLE_VALUES(CUP_NAME_OF)};
static const char *const worker_names[] = {CUP_WORKER_VALUES(CUP_NAME_OF)};
static const char *const heartbeat_names[] = {CUP_HEARTBEAT_VALUES(CUP_NAME_OF)};

/* Length of the name before "_ns", which is exported as "_s"; 0 for other names. */
static size_t time_stem(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, "_ns") == 0 ? length - 3 : 0;
}

static void put_names(struct cup_cells *cells, const char *prefix, const char *const *names,
                      int count)
{
    for (int i = 0; i < count; i++) {
        char name[96];
        size_t stem = time_stem(names[i]);
        snprintf(name, sizeof name, "%s%.*s%s", prefix, (int)(stem ? stem : strlen(names[i])),
                 names[i], stem ? "_s" : "");
        cup_put_cell(cells, cup_string(name));
    }
}

/* `values` NULL: the cells stay empty. */
static void put_values(struct cup_cells *cells, const char *const *names, const uint64_t *values,
                       int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t value = values ? values[i] : CUP_UNKNOWN64;
        bool is_time = time_stem(names[i]) && value != CUP_UNKNOWN64;
        bool is_moment = strcmp(names[i], "seen_ns") == 0 || strcmp(names[i], "time_ns") == 0;
        cup_put_cell(cells, !is_time    ? cup_count_or_null(value)
                            : is_moment ? cup_epoch((int64_t)value)
                                        : cup_seconds((int64_t)value));
    }
}

/* ---- rows --------------------------------------------------------------------------------- */

static void put_heading(struct cup_cells *cells)
{
    static const char *const names[] = {"time", "by", "worker", "name", "status"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cup_put_cell(cells, cup_string(names[i]));
    put_names(cells, "", worker_names, CUP_WV_STATUS);
    put_names(cells, "heartbeat_", heartbeat_names, CUP_HV_COUNT);
    put_names(cells, "cluster_", sample_names, CUP_SV_COUNT);
    cup_end_row(cells);
}

static void put_row(struct cup_cells *cells, const struct cup_worker_rows *rows,
                    const struct cup_worker_row *row)
{
    const struct cup_profile *profile = rows->profile;
    bool by_scheduler = rows->role == CUP_ROLE_SCHEDULER;
    cup_put_cell(cells, cup_epoch(rows->sample.time_ns));
    cup_put_cell(cells, cup_string(by_scheduler ? "scheduler" : "worker"));
    cup_put_cell(cells, cup_text(cup_profile_text(profile, row->address)));
    cup_put_cell(cells, cup_text(cup_profile_text(profile, row->name)));
    cup_put_cell(cells, cup_text(cup_profile_text(profile, row->status)));
    put_values(cells, worker_names, row->values, CUP_WV_STATUS);
    put_values(cells, heartbeat_names, row->heartbeat, CUP_HV_COUNT);
    put_values(cells, sample_names, by_scheduler ? rows->sample.values : NULL, CUP_SV_COUNT);
    cup_end_row(cells);
}

static bool is_in_run(const struct cup_totals *totals, int64_t time_ns)
{
    struct cup_stretch run = totals->run;
    return cup_stretch_ns(run) < 0 || (time_ns >= run.start_ns && time_ns <= run.stop_ns);
}

static int put_rows(struct cup_cells *cells, const struct cup_totals *totals, enum cup_role role)
{
    struct cup_worker_rows rows;
    cup_worker_rows_start(&rows, totals->profile, role);
    while (cup_worker_rows_next(&rows))
        for (size_t i = 0; i < rows.count; i++)
            if (is_in_run(totals, rows.sample.time_ns))
                put_row(cells, &rows, rows.rows[i]);
    return cup_worker_rows_finish(&rows);
}

/* Dask's own state: one row for each worker and sample. The names are those of the log's values,
 * with `_s` where the log has `_ns`; what a worker reported itself begins with `heartbeat_`, times
 * of day are seconds since the epoch. `by` says who took the sample: "scheduler", or "worker" of
 * itself. Only samples of the run. */
static int write_samples(const struct cup_totals *totals, const struct cup_output *output)
{
    struct cup_cells cells = cup_cells_start(output);
    put_heading(&cells);
    if (put_rows(&cells, totals, CUP_ROLE_SCHEDULER) != 0)
        return -1;
    return put_rows(&cells, totals, CUP_ROLE_WORKER);
}

/* ---- all tables --------------------------------------------------------------------------- */

static int write_tasks(const struct cup_totals *totals, const struct cup_output *output)
{
    return cup_write_task_rows(totals->profile, &(struct cup_task_view){0}, output);
}

#define TABLES(X)                                                                                  \
    X("tasks", write_tasks, NULL, 0)                                                               \
    X("chunks", NULL, &cup_chunks_table, CUP_FROM_SUMS)                                            \
    X("files", NULL, &cup_files_table, CUP_FROM_TOTALS | CUP_FROM_ROWS | CUP_FROM_FILES)           \
    X("branches", NULL, &cup_branches_table, CUP_FROM_TOTALS | CUP_FROM_ROWS | CUP_FROM_FILES)     \
    X("workers", NULL, &cup_workers_table, CUP_FROM_TOTALS)                                        \
    X("opens", NULL, &cup_opens_table, CUP_FROM_TOTALS)                                            \
    X("samples", write_samples, NULL, CUP_FROM_SUMS)                                               \
    X("functions", NULL, &cup_functions_table, CUP_FROM_TOTALS | CUP_FROM_CALLS)                   \
    X("native", NULL, &cup_natives_table, CUP_FROM_TOTALS | CUP_FROM_CALLS)                        \
    X("sections", NULL, &cup_section_rows_table, CUP_FROM_TOTALS)                                  \
    X("values", NULL, &cup_value_rows_table, CUP_FROM_TOTALS)

#define CSV(name, writer, table, needs) {name ".csv", writer, table, false, needs},
#define COLUMNS(name, writer, table, needs) {name ".columns", writer, table, true, needs},
#define NAME(name, writer, table, needs) name,
const struct cup_export_file cup_csv_files[] = {TABLES(CSV){0}};
const struct cup_export_file cup_column_files[] = {TABLES(COLUMNS){0}};
static const char *const names[] = {TABLES(NAME) NULL};

const char *cup_table_name(size_t n)
{
    return names[n];
}
