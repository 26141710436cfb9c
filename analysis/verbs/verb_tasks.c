#include <stdlib.h>

#include "analysis/report/task_columns.h"
#include "analysis/report/task_table.h"
#include "analysis/verbs/options.h"
#include "analysis/verbs/verbs.h"
#include "analysis/write/csv_writer.h"
#include "analysis/write/json_writer.h"
#include "analysis/write/output.h"

typedef void (*row_writer)(void *writer, const struct cup_task_row *row);

/* Hands every task to `write`, until the output fails. Returns 0, or -1 without memory. */
static int each_task(const struct cup_profile *profile, const struct cup_output *output,
                     row_writer write, void *writer)
{
    uint32_t *attempts = cup_task_attempts(profile);
    if (!attempts)
        return -1;
    struct cup_key_reader keys;
    cup_key_reader_open(&keys, profile);
    for (size_t i = 0; i < profile->task_count && !cup_output_failed(output); i++) {
        const struct cup_task *task = &profile->tasks[i];
        write(writer,
              &(struct cup_task_row){profile, task, cup_key_read(&keys, task), attempts[i]});
    }
    cup_key_reader_close(&keys);
    free(attempts);
    return 0;
}

/* ---- JSON and CSV ----------------------------------------------------------------------- */

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
    int result = each_task(profile, output, json_row, &json);
    cup_json_end_array(&json);
    cup_json_end_object(&json);
    return result;
}

static void csv_row(void *writer, const struct cup_task_row *row)
{
    for (size_t i = 0; i < cup_task_column_count; i++)
        cup_csv_value(writer, cup_task_columns[i].get(row, cup_task_columns[i].argument));
    cup_csv_end_line(writer);
}

static int write_csv(const struct cup_profile *profile, const struct cup_output *output)
{
    struct cup_csv csv = {.out = output->file};
    for (size_t i = 0; i < cup_task_column_count; i++)
        cup_csv_value(&csv, cup_string(cup_task_columns[i].name));
    cup_csv_end_line(&csv);
    return each_task(profile, output, csv_row, &csv);
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
    struct cup_profile profile;
    const struct cup_load_options load = {.counters = true, .run = CUP_ALL_RUNS};
    if (cup_verb_load(&profile, directory, &load, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_FAILED);
    int result = 0;
    if (json)
        result = write_to(&profile, json, write_json, &error);
    if (csv && result == 0)
        result = write_to(&profile, csv, write_csv, &error);
    if (!json && !csv)
        result = write_to(&profile, "-", cup_print_task_table, &error);
    cup_profile_free(&profile);
    return result == 0 ? CUP_EXIT_DONE : cup_verb_failed(&error, CUP_EXIT_FAILED);
}
