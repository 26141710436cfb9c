#include "tests/e2e/profile.h"

#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    if (!json)
        cr_assert_fail("%s, line %d: %s", path, error.line, error.text);
    return json;
}

/* Standard output and error go to one file: a warning is not JSON, and seen. Tests that share a run
 * may ask at the same time: each has a file of its own. */
static json_t *ask(const char *directory, const char *verb, const char *const *more)
{
    char log[2200];
    char *profile = cup_path(directory, "profile");
    snprintf(log, sizeof log, "%s/%s-%ld.json", directory, verb, (long)getpid());
    const char *argv[16] = {CUP_BUILD "/cupping", verb, profile, "--json", "-"};
    for (int i = 5; more && *more && i < 15; i++)
        argv[i] = *more++;
    cup_run(verb, log, argv, cup_clean_environment, 60);
    free(profile);
    return load(log);
}

json_t *cup_tasks(const char *directory)
{
    json_t *whole = ask(directory, "tasks", NULL);
    json_t *rows = json_incref(json_object_get(whole, "tasks"));
    cr_assert(json_is_array(rows), "no tasks in %s", directory);
    json_decref(whole);
    return rows;
}

json_t *cup_report(const char *directory)
{
    return ask(directory, "report", NULL);
}

json_t *cup_report_with(const char *directory, const char *const *options)
{
    return ask(directory, "report", options);
}

json_t *cup_json(const char *directory, const char *name)
{
    char *path = cup_path(directory, name);
    json_t *json = load(path);
    free(path);
    return json;
}

json_t *cup_row(json_t *rows, const char *key, int attempt)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row) if (cup_is(row, "key", key) &&
                                         cup_count(row, "attempt") == attempt) return row;
    return NULL;
}

static json_t *value_of(json_t *row, const char *column)
{
    json_t *value = json_object_get(row, column);
    if (!value)
        cr_assert_fail("there is no column %s", column);
    return value;
}

json_int_t cup_count(json_t *row, const char *column)
{
    json_t *value = value_of(row, column);
    cr_assert(json_is_integer(value), "%s is no integer in %s", column, cup_word(row, "key"));
    return json_integer_value(value);
}

double cup_number(json_t *row, const char *column)
{
    json_t *value = value_of(row, column);
    cr_assert(json_is_number(value), "%s is no number in %s", column, cup_word(row, "key"));
    return json_number_value(value);
}

const char *cup_word(json_t *row, const char *column)
{
    const char *word = json_string_value(value_of(row, column));
    return word ? word : "";
}

bool cup_is(json_t *row, const char *column, const char *word)
{
    return strcmp(cup_word(row, column), word) == 0;
}

json_int_t cup_sum(json_t *rows, const char *column)
{
    size_t i;
    json_t *row;
    json_int_t sum = 0;
    json_array_foreach(rows, i, row) sum += cup_count(row, column);
    return sum;
}

json_int_t cup_count_rows(json_t *rows, const char *prefix, const char *status)
{
    size_t i;
    json_t *row;
    json_int_t count = 0;
    json_array_foreach(rows, i, row) count +=
        cup_is(row, "prefix", prefix) && cup_is(row, "status", status);
    return count;
}
