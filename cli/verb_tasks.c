#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/closest.h"
#include "analysis/tasks/task_rows.h"
#include "analysis/write/json_writer.h"
#include "analysis/write/output.h"
#include "cli/verbs.h"

struct request {
    const char *directory, *csv, *json, *sort, *top;
    struct cup_task_view view;
};

static const struct cup_option rows[] = {
    CUP_OPTION("--csv", "FILE", csv, "write all columns as CSV"),
    CUP_OPTION("--json", "FILE", json, "write all columns as JSON; without FILE to standard output",
               .otherwise = "-"),
    CUP_OPTION("--sort", "COLUMN", sort,
               "sort by this column of --csv or heading of the table: numbers with the greatest "
               "first, texts and times with the least first"),
    CUP_OPTION("--top", "N", top,
               "only the first N tasks; without --sort, those that took longest"),
};
const struct cup_options cup_tasks_options = CUP_OPTIONS(rows);

static int read_top(const char *text, size_t *top, struct cup_error *error)
{
    char *end = NULL;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value < 1 || value > UINT32_MAX)
        return cup_error_set(error, "tasks", CUP_NO_OFFSET, "--top %s: name a number from 1 on",
                             text);
    *top = value;
    return 0;
}

static int refuse_column(const char *name, struct cup_error *error)
{
    struct cup_closest closest = {.word = name};
    for (size_t i = 0; i < cup_task_column_count; i++)
        cup_closest_try(&closest, cup_task_columns[i].name);
    return cup_error_set(error, "tasks", CUP_NO_OFFSET,
                         "--sort %s: no such column%s; the first line of `cupping tasks --csv -` "
                         "has all",
                         name, cup_closest_text(&closest));
}

static int read_view(struct request *request, struct cup_error *error)
{
    if (request->top && read_top(request->top, &request->view.top, error) != 0)
        return -1;
    const char *sort = request->sort ? request->sort : request->top ? "wall_s" : NULL;
    request->view.sort = sort ? cup_task_sort_column(sort) : NULL;
    return sort && !request->view.sort ? refuse_column(sort, error) : 0;
}

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    struct cup_operands operands = {.words = &request->directory, .room = 1};
    if (cup_options_read(argc, argv, &cup_tasks_options, request, &operands, error) != 0)
        return -1;
    if (request->csv && request->json && strcmp(request->csv, request->json) == 0)
        return cup_error_set(error, "tasks", CUP_NO_OFFSET,
                             "--csv and --json both write %s; name two files", request->csv);
    return read_view(request, error);
}

/* ---- writing ------------------------------------------------------------------------------ */

static void write_json_row(void *writer, const struct cup_task_row *row)
{
    struct cup_json *json = writer;
    cup_json_row(json, NULL);
    for (size_t i = 0; i < cup_task_column_count; i++) {
        const struct cup_task_column *column = &cup_task_columns[i];
        cup_json_value(json, column->name, column->get(row, column->argument));
    }
    cup_json_end_object(json);
}

static int write_json(const struct cup_profile *profile, const struct cup_task_view *view,
                      const struct cup_output *output)
{
    struct cup_json json;
    cup_json_start(&json, output->file);
    cup_json_object(&json, NULL);
    cup_json_array(&json, "tasks");
    int result = cup_each_task(profile, view, output, write_json_row, &json);
    cup_json_end_array(&json);
    cup_json_end_object(&json);
    return result;
}

typedef int (*format)(const struct cup_profile *profile, const struct cup_task_view *view,
                      const struct cup_output *output);

static int write_to(const struct cup_profile *profile, const struct cup_task_view *view,
                    const char *path, format write, struct cup_error *error)
{
    struct cup_output output;
    if (cup_output_open(&output, path, error) != 0)
        return -1;
    if (write(profile, view, &output) != 0) {
        cup_output_abandon(&output);
        return cup_error_memory(error, path);
    }
    return cup_output_close(&output, error);
}

static int write_all(const struct request *request, const struct cup_profile *profile,
                     struct cup_error *error)
{
    int result = 0;
    if (request->json)
        result = write_to(profile, &request->view, request->json, write_json, error);
    if (request->csv && result == 0)
        result = write_to(profile, &request->view, request->csv, cup_write_task_rows, error);
    if (!request->json && !request->csv)
        result = write_to(profile, &request->view, "-", cup_print_task_table, error);
    return result;
}

int cup_verb_tasks(int argc, char **argv)
{
    struct request request = {0};
    struct cup_profile profile;
    struct cup_error error;
    const struct cup_load_options load = {.counters = true, .run = CUP_ALL_RUNS};
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_USAGE);
    int status = cup_verb_load(&profile, request.directory, &load, &error);
    if (status != CUP_EXIT_DONE)
        return cup_verb_end(&error, status);
    cup_verb_warn_of_summed(&profile);
    status = write_all(&request, &profile, &error) == 0 ? CUP_EXIT_DONE : CUP_EXIT_FAILED;
    cup_profile_free(&profile);
    return cup_verb_end(&error, status);
}
