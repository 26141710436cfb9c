/* The page of several runs. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/verbs/verbs.h"
#include "tests/analysis/support.h"
#include "tests/plot/page_support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH], path[2 * SUPPORT_PATH];

static void set_up(void)
{
    make_golden(scratch, outside);
    snprintf(path, sizeof path, "%s/page.html", outside);
}

static void tear_down(void)
{
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(page_runs, .init = set_up, .fini = tear_down);

#define RUN(...) run_verb(outside, cup_verb_plot, (const char *const[]){"plot", __VA_ARGS__, NULL})

Test(page_runs, plots_and_tables)
{
    static const char *const order[] = {
        "<!DOCTYPE html>",
        "Content-Security-Policy",
        "<h1>Runs compared",
        "id=\"plot-compare\"",
        "id=\"plot-compare-budget\"",
        "id=\"plot-compare-runtime\"",
        "id=\"tables\"",
        "<h3>Runs ",
        "the baseline",
        "<h3>Workflow ",
        "<h3>Tasks by prefix ",
        "<h3>Scaling ",
        "Plots left out",
        "Throughput against size: all runs that tell",
        "</html>",
    };
    cr_assert_eq(RUN(scratch, scratch, "--html", path), CUP_EXIT_DONE);
    char *page = read_text(path);
    expect_order(page, order, sizeof order / sizeof *order);
    expect_closed(page);
    cr_expect_eq(count_in(page, "<script"), 1);
    expect_links(page);
    free(page);
}

/* The words of the command line are no markup. */
Test(page_runs, names_are_no_markup)
{
    char odd[2 * SUPPORT_PATH];
    snprintf(odd, sizeof odd, "%s/<script>x&", outside);
    cr_assert_eq(rename(scratch, odd), 0);
    cr_expect_eq(RUN(odd, odd, odd, "--html", path), CUP_EXIT_DONE);
    char *page = read_text(path);
    cr_expect_eq(count_in(page, "<script"), 1);
    cr_expect_gt(count_in(page, "&lt;script&gt;x&amp;"), 2);
    free(page);
    remove_scratch(odd);
}

Test(page_runs, takes_nothing_of_pictures)
{
    cr_expect_eq(RUN(scratch, scratch, "--html", path, "compare"), CUP_EXIT_USAGE);
    cr_expect_eq(RUN(scratch, scratch, "--html", "/no/such/place/x"), CUP_EXIT_FAILED);
}
