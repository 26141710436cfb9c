/* The report's rows, and the tasks, as tables for spreadsheets and data frames. */
#include "analysis/export/export.h"

#include <stdlib.h>

#include "analysis/export/export_directory.h"
#include "analysis/export/samples_table.h"
#include "analysis/export/specimen.h"
#include "analysis/report/page/json_page.h"
#include "analysis/tasks/task_rows.h"

typedef int (*section_writer)(struct report *report);

/* ---- sections of the report --------------------------------------------------------------- */

static int put_section(const struct cup_totals *totals, const struct cup_output *output,
                       struct cup_row_table *table, section_writer write)
{
    uint32_t *attempts = cup_task_attempts(totals->profile);
    if (!attempts)
        return -1;
    struct report report = {.totals = totals,
                            .profile = totals->profile,
                            .output = output,
                            .attempts = attempts,
                            .json = {.out = output->file, .table = table}};
    cup_json_object(&report.json, NULL);
    int result = write(&report);
    cup_json_end_object(&report.json);
    free(attempts);
    return result == 0 && !table->failed ? 0 : -1;
}

static int put_names(const struct cup_output *output, struct cup_row_table *table,
                     section_writer write)
{
    struct cup_specimen specimen;
    if (cup_specimen_make(&specimen) != 0)
        return -1;
    table->only_names = true;
    int result = put_section(&specimen.totals, output, table, write);
    cup_specimen_free(&specimen);
    return result;
}

static int write_section(const struct cup_totals *totals, const struct cup_output *output,
                         section_writer write)
{
    struct cup_row_table table;
    cup_row_table_start(&table, output->file);
    int result = put_section(totals, output, &table, write);
    return result == 0 && !table.named ? put_names(output, &table, write) : result;
}

/* ---- files -------------------------------------------------------------------------------- */

static int put_chunks(struct report *report)
{
    cup_report_put_chunks(report);
    return 0;
}

static int put_workers(struct report *report)
{
    cup_report_put_workers(report);
    return 0;
}

static int write_tasks(const struct cup_totals *totals, const struct cup_output *output)
{
    return cup_task_rows_csv(totals->profile, output);
}

static int write_chunks(const struct cup_totals *totals, const struct cup_output *output)
{
    return write_section(totals, output, put_chunks);
}

static int write_files(const struct cup_totals *totals, const struct cup_output *output)
{
    return write_section(totals, output, cup_report_put_files);
}

static int write_branches(const struct cup_totals *totals, const struct cup_output *output)
{
    return write_section(totals, output, cup_report_put_branches);
}

static int write_sections(const struct cup_totals *totals, const struct cup_output *output)
{
    return write_section(totals, output, cup_report_put_sections_by_task);
}

static int write_values(const struct cup_totals *totals, const struct cup_output *output)
{
    return write_section(totals, output, cup_report_put_values_by_task);
}

static int write_opens(const struct cup_totals *totals, const struct cup_output *output)
{
    return write_section(totals, output, cup_report_put_opens);
}

static int write_workers(const struct cup_totals *totals, const struct cup_output *output)
{
    return write_section(totals, output, put_workers);
}

static int write_functions(const struct cup_totals *totals, const struct cup_output *output)
{
    return write_section(totals, output, cup_report_put_functions);
}

static int write_natives(const struct cup_totals *totals, const struct cup_output *output)
{
    return write_section(totals, output, cup_report_put_natives);
}

int cup_export_csv(const struct cup_totals *totals, const char *directory, struct cup_error *error)
{
    static const struct cup_export_file files[] = {
        {"tasks.csv", write_tasks},       {"chunks.csv", write_chunks},
        {"files.csv", write_files},       {"branches.csv", write_branches},
        {"workers.csv", write_workers},   {"opens.csv", write_opens},
        {"samples.csv", cup_samples_csv}, {"functions.csv", write_functions},
        {"native.csv", write_natives},    {"sections.csv", write_sections},
        {"values.csv", write_values},
    };
    return cup_export_files(totals, directory, files, sizeof files / sizeof *files, error);
}
