/* The output of cupping for a profile, as JSON. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Rows of `cupping tasks DIRECTORY/profile --json -`; fails the test if that prints anything but
 * one JSON text. json_decref() them. */
json_t *cup_tasks(const char *directory);

/* `cupping report DIRECTORY/profile --json -`. */
json_t *cup_report(const char *directory);

/* The same, with up to 10 more arguments; NULL-terminated. */
json_t *cup_report_with(const char *directory, const char *const *options);

/* A JSON file in DIRECTORY. */
json_t *cup_json(const char *directory, const char *name);

/* Row of a key's ATTEMPT (1, 2, ...); NULL if there is none. Borrowed. */
json_t *cup_row(json_t *rows, const char *key, int attempt);

/* A column's value; the test fails if it is missing or of another type. */
json_int_t cup_count(json_t *row, const char *column);
double cup_number(json_t *row, const char *column);
const char *cup_word(json_t *row, const char *column);
bool cup_is(json_t *row, const char *column, const char *word);

/* How many rows of tasks have this prefix and this status. */
json_int_t cup_count_rows(json_t *rows, const char *prefix, const char *status);

/* Sums over all rows. */
json_int_t cup_sum(json_t *rows, const char *column);
