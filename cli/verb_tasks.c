#include <string.h>

#include "analysis/tasks/task_rows.h"
#include "analysis/tasks/task_table.h"
#include "analysis/write/json_writer.h"
#include "analysis/write/output.h"
#include "cli/options.h"
#include "cli/verbs.h"

static void json_row(void *writer, const struct cup_task_row *row)
{
    struct cup_json *json = writer;
    cup_json_row(json, NULL);
    for (size_t i = 0; i < cup_task_column_count; i++) {
        const struct cup_task_column *column = &cup_task_columns[i];
        cup_json_value(json, column->name, column->get(row, column->argument));
    }
    cup_json_end_object(json);
}

static int write_json(const struct cup_profile *profile, const struct cup_output *output)
{
    struct cup_json json;
    cup_json_start(&json, output->file);
    cup_json_object(&json, NULL);
    cup_json_array(&json, "tasks");
    int result = cup_each_task(profile, output, json_row, &json);
    cup_json_end_array(&json);
    cup_json_end_object(&json);
    return result;
}

/* ---- the verb --------------------------------------------------------------------------- */

typedef int (*format)(const struct cup_profile *profile, const struct cup_output *output);

static int write_to(const struct cup_profile *profile, const char *path, format write,
                    struct cup_error *error)
{
    struct cup_output output;
    if (cup_output_open(&output, path, error) != 0)
        return -1;
    if (write(profile, &output) != 0) {
        cup_output_abandon(&output);
        return cup_error_memory(error, path);
    }
    return cup_output_close(&output, error);
}

int cup_verb_tasks(int argc, char **argv)
{
    const char *csv = NULL, *json = NULL, *directory = NULL;
    const struct cup_option options[] = {{"--csv", &csv}, {"--json", &json}};
    struct cup_error error;
    if (cup_options_read(argc, argv, options, 2, &directory, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_USAGE);
    if (csv && json && strcmp(csv, json) == 0) {
        cup_error_set(&error, "tasks", CUP_NO_OFFSET,
                      "--csv and --json both write %s; name two files", csv);
        return cup_verb_failed(&error, CUP_EXIT_USAGE);
    }
    struct cup_profile profile;
    const struct cup_load_options load = {.counters = true, .run = CUP_ALL_RUNS};
    if (cup_verb_load(&profile, directory, &load, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_FAILED);
    int result = 0;
    if (json)
        result = write_to(&profile, json, write_json, &error);
    if (csv && result == 0)
        result = write_to(&profile, csv, cup_task_rows_csv, &error);
    if (!json && !csv)
        result = write_to(&profile, "-", cup_print_task_table, &error);
    cup_profile_free(&profile);
    return result == 0 ? CUP_EXIT_DONE : cup_verb_failed(&error, CUP_EXIT_FAILED);
}
