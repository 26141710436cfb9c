/* `cupping export --to csv`: tasks and tables of the report, for spreadsheets and data frames. */
#include "analysis/export/export.h"

#include "analysis/export/export_directory.h"
#include "analysis/export/samples_table.h"
#include "analysis/report/report_sections.h"
#include "analysis/tasks/task_rows.h"

static int write_tasks(const struct cup_totals *totals, const struct cup_output *output)
{
    return cup_task_rows_csv(totals->profile, output);
}

int cup_export_csv(const struct cup_totals *totals, const char *directory, struct cup_error *error)
{
    static const struct cup_export_file files[] = {
        {"tasks.csv", write_tasks, NULL},
        {"chunks.csv", NULL, &cup_chunks_table},
        {"files.csv", NULL, &cup_files_table},
        {"branches.csv", NULL, &cup_branches_table},
        {"workers.csv", NULL, &cup_workers_table},
        {"opens.csv", NULL, &cup_opens_table},
        {"samples.csv", cup_samples_csv, NULL},
        {"functions.csv", NULL, &cup_functions_table},
        {"native.csv", NULL, &cup_natives_table},
        {"sections.csv", NULL, &cup_section_rows_table},
        {"values.csv", NULL, &cup_value_rows_table},
    };
    return cup_export_files(totals, directory, files, sizeof files / sizeof *files, error);
}
