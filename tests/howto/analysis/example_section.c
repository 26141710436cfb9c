/* A whole section of the report, for docs/contributing/add-a-section.md: the prefixes of the tasks.
 * In the report it would be a file in analysis/report/sections/, and a line in
 * analysis/report/report.c. */
#include <criterion/criterion.h>

#include "analysis/report/page/section.h"
#include "tests/analysis/support.h"

#define FIELDS(X)                                                                                  \
    X("prefix", TEXT, cup_row_text(rows, prefix->name), .heading = "prefix")                       \
    X("tasks", COUNT, cup_count(prefix->tasks), .heading = "tasks")

static void fill_row(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_prefix *prefix = item;
    CUP_FILL(values, FIELDS);
}

static int list_rows(struct cup_report_rows *rows)
{
    return cup_add_rows(rows, rows->profile->prefixes, rows->profile->prefix_count,
                        sizeof *rows->profile->prefixes);
}

static const struct cup_report_table table = {CUP_TABLE_FIELDS(FIELDS, fill_row), list_rows};

const struct cup_report_section cup_example_section = {
    .name = "example", .shown = CUP_SHOWN_ON_REQUEST, .heading = "Prefixes", .table = &table};

Test(howto, writes_a_section)
{
    struct cup_profile profile;
    struct cup_totals totals;
    char *text;
    size_t bytes;
    const struct cup_output output = {.file = open_memstream(&text, &bytes)};
    load_golden(&profile);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    cr_expect_eq(cup_write_rows(&totals, &output, cup_example_section.table), 0);
    fclose(output.file);
    cr_expect_not_null(strstr(text, "prefix,tasks\r\n"), "%s", text);
    cr_expect_not_null(strstr(text, "Dimuon,4\r\n"), "%s", text);
    free(text);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
}
