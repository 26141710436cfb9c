/* How the times of chunks are spread, from every kind of input. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/compare/inputs.h"
#include "analysis/compare/json_file.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH], path[2 * SUPPORT_PATH];

static void set_up(void)
{
    make_golden(scratch, outside);
    snprintf(path, sizeof path, "%s/made", outside);
}

static void tear_down(void)
{
    remove_scratch(path);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(spread, .init = set_up, .fini = tear_down);

Test(spread, quantiles)
{
    double numbers[] = {5, 1, 4, 2, 3}, one[] = {7};
    struct cup_spread spread = cup_spread_of(numbers, 5), single = cup_spread_of(one, 1);
    cr_expect_eq(spread.count, 5);
    cr_expect_eq(cup_spread_at(&spread, 0), 1);
    cr_expect_eq(cup_spread_at(&spread, 0.5), 3);
    cr_expect_eq(cup_spread_at(&spread, 0.75), 4);
    cr_expect_eq(cup_spread_at(&spread, 1), 5);
    cr_expect_eq(cup_spread_at(&single, 0.3), 7);
    spread = cup_spread_of(NULL, 0);
    cr_expect(isnan(cup_spread_at(&spread, 0.5)));
}

Test(spread, what_is_no_number_is_left_out)
{
    struct cup_numbers numbers = {0};
    cup_numbers_add(&numbers, NAN);
    cup_numbers_add(&numbers, INFINITY);
    cup_numbers_add(&numbers, 2);
    struct cup_spread spread = cup_numbers_spread(&numbers);
    cr_expect_eq(spread.count, 1);
    cr_expect_null(numbers.numbers);
}

/* ---- of the golden run: chunks of 4, 8 and 2 s -------------------------------------------- */

static struct cup_figures open_input(const char *word, bool with_chunks)
{
    struct cup_figures figures = {.ask = {.chunks = with_chunks}};
    struct cup_error error;
    bool usage;
    cr_assert_eq(cup_input_open(&figures, word, NULL, &usage, &error), 0, "%s", error.text);
    return figures;
}

static void expect_golden(const char *word)
{
    struct cup_figures figures = open_input(word, true);
    const struct cup_spread *tasks = &figures.chunks[CUP_CHUNK_TASK];
    cr_expect_eq(tasks->count, 3, "%s: %zu", word, tasks->count);
    cr_expect_float_eq(cup_spread_at(tasks, 0), 2, 1e-9);
    cr_expect_float_eq(cup_spread_at(tasks, 0.5), 4, 1e-9);
    cr_expect_float_eq(cup_spread_at(tasks, 1), 8, 1e-9);
    cup_figures_free(&figures);
}

Test(spread, of_a_profile_and_of_its_report)
{
    expect_golden(scratch);
    cr_assert_eq(run_verb(outside, cup_verb_report,
                          (const char *const[]){"report", scratch, "--json", path, NULL}),
                 CUP_EXIT_DONE);
    expect_golden(path);
    struct cup_figures figures = open_input(path, false);
    cr_expect_eq(figures.chunks[CUP_CHUNK_TASK].count, 0, "nobody asked");
    cup_figures_free(&figures);
}

/* It has the time inside process(); a chunk of which that is not known says so. */
Test(spread, of_a_measurement)
{
    cr_assert_eq(
        run_verb(outside, cup_verb_export,
                 (const char *const[]){"export", scratch, "--to", "roastcoffea", "-o", path, NULL}),
        CUP_EXIT_DONE);
    struct cup_figures own = open_input(scratch, true), theirs = open_input(path, true);
    const struct cup_spread *process = &theirs.chunks[CUP_CHUNK_PROCESS];
    cr_expect_gt(process->count, 0);
    cr_expect_eq(process->count, own.chunks[CUP_CHUNK_PROCESS].count);
    for (int i = 0; i < CUP_SPREAD_POINTS; i++)
        cr_expect_float_eq(process->at[i], own.chunks[CUP_CHUNK_PROCESS].at[i], 1e-6);
    cup_figures_free(&own);
    cup_figures_free(&theirs);
}

/* ---- rows of JSON ------------------------------------------------------------------------- */

static void add_up(void *closure, const json_t *row)
{
    cr_expect_null(json_object_get(row, "s"));
    *(double *)closure += json_number_value(json_object_get(row, "n"));
}

static json_t *read_rows(const char *text, double *sum)
{
    static const struct cup_json_unwanted unwanted[] = {{"a", "rows"}, {NULL, "others"}};
    static const char *const members[] = {"n", NULL};
    const struct cup_json_rows rows = {members, add_up, sum};
    struct cup_error error;
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
    *sum = 0;
    return cup_json_file_read(path, unwanted, 2, &rows, &error);
}

Test(spread, rows_one_by_one)
{
    double sum;
    json_t *root = read_rows("{\"a\": {\"rows\": [ {\"n\": 1, \"s\": \"],}\"} , {\"n\": 2.5}\n]},"
                             " \"rows\": [{\"n\": 100}], \"others\": [{\"n\": 1000}]}",
                             &sum);
    cr_assert_not_null(root);
    cr_expect_float_eq(sum, 3.5, 1e-12);
    cr_expect(json_is_null(json_object_get(json_object_get(root, "a"), "rows")));
    cr_expect_eq(json_array_size(json_object_get(root, "rows")), 1, "of another section");
    json_decref(root);
}

/* Whatever stands there: no row is made up, and what is no JSON is complained of. */
Test(spread, rows_that_are_none)
{
    double sum;
    static const char *const odd[] = {"[]", "null", "5", "{\"n\": 7}", "[[{\"n\": 7}], 3, \"n\"]"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char text[100];
        snprintf(text, sizeof text, "{\"a\": {\"rows\": %s}}", odd[i]);
        json_t *root = read_rows(text, &sum);
        cr_expect_not_null(root, "%s", odd[i]);
        cr_expect_eq(sum, 0, "%s", odd[i]);
        json_decref(root);
    }
    cr_expect_null(read_rows("{\"a\": {\"rows\": [{\"n\": 1}, {\"n\"", &sum));
    cr_expect_null(read_rows("{\"a\": {\"rows\": [{\"n\": 1}, nonsense, {\"n\": 1}], 5}", &sum));
}
