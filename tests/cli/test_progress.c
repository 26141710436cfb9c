/* The line that says how many logs have been loaded. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"

static const int64_t second = 1000000000;
static struct cup_progress progress;
static FILE *terminal;
static char *printed;
static size_t bytes;

static void set_up(void)
{
    terminal = open_memstream(&printed, &bytes);
    cup_progress_start(&progress, terminal, 5 * second);
}

static void tear_down(void)
{
    fclose(terminal);
    free(printed);
}

TestSuite(progress, .init = set_up, .fini = tear_down);

static void expect_printed(const char *expected)
{
    fflush(terminal);
    cr_assert_str_eq(printed, expected);
}

Test(progress, is_not_shown_in_the_first_second)
{
    cup_progress_step(&progress, 6 * second - 1, 1, 9);
    cup_progress_end(&progress);
    expect_printed("");
}

Test(progress, is_shown_after_a_second_and_removed_at_the_end)
{
    cup_progress_step(&progress, 6 * second, 7, 12);
    expect_printed("\rcupping: 7 of 12 logs loaded");
    cup_progress_end(&progress);
    expect_printed("\rcupping: 7 of 12 logs loaded\r                            \r");
}

Test(progress, is_replaced_at_most_five_times_a_second)
{
    cup_progress_step(&progress, 6 * second, 7, 12);
    cup_progress_step(&progress, 6 * second + second / 10, 8, 12);
    cup_progress_step(&progress, 6 * second + second / 5, 9, 12);
    expect_printed("\rcupping: 7 of 12 logs loaded\rcupping: 9 of 12 logs loaded");
}

Test(progress, is_not_shown_after_the_last_log)
{
    cup_progress_step(&progress, 8 * second, 12, 12);
    expect_printed("");
}

Test(progress, prints_nothing_without_a_terminal)
{
    cup_progress_start(&progress, NULL, 0);
    cup_progress_step(&progress, 8 * second, 7, 12);
    cup_progress_end(&progress);
    expect_printed("");
}
