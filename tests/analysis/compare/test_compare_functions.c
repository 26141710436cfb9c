/* The table of functions whose cost changed. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/compare_write.h"
#include "analysis/compare/figures.h"

enum { INPUTS = 7 };

/* A run with one function, which takes so many seconds for each event, or for each task. */
static struct cup_figures make_run_of(const char *name, double seconds)
{
    struct cup_figures run = {.path = "run", .kind = CUP_INPUT_PROFILE, .state = CUP_RUN_COMPLETE};
    cup_figures_add(&run, (struct cup_run_figure){.section = "functions",
                                                  .row = "select",
                                                  .name = name,
                                                  .value = cup_real(seconds),
                                                  .source = "made up"});
    return run;
}

static struct cup_figures make_run(double seconds)
{
    return make_run_of("self_cpu_per_event_s", seconds);
}

/* Seven runs with 1 s to 7 s; the sixth is the baseline. */
Test(compare_functions, the_baseline_of_many_inputs_is_shown)
{
    struct cup_figures runs[INPUTS];
    struct cup_comparison comparison;
    struct cup_terminal terminal = {.width = 200};
    char *written = NULL;
    size_t bytes;
    for (int i = 0; i < INPUTS; i++)
        runs[i] = make_run(i + 1);
    cr_assert_eq(cup_comparison_make(&comparison, runs, INPUTS, 5), 0);
    terminal.out = open_memstream(&written, &bytes);
    cup_compare_functions(&terminal, &comparison);
    fclose(terminal.out);
    cr_expect(strstr(written, "  D   change                F\n"), "%s", written);
    cr_expect(strstr(written, "select    1.00 s  -5.00 s  -83.3 %"), "%s", written);
    cr_expect(strstr(written, "-2.00 s  -33.3 %  6.00 s\n"), "%s", written);
    cr_expect(strstr(written, "\nInputs left out: 2; --json has them\n"), "%s", written);
    free(written);
    cup_comparison_free(&comparison);
    for (int i = 0; i < INPUTS; i++)
        cup_figures_free(&runs[i]);
}

/* Compares two runs. Returns what is written, to be freed. Frees the runs. */
static char *compare_two(struct cup_figures runs[2])
{
    struct cup_comparison comparison;
    struct cup_terminal terminal = {.width = 200};
    char *written = NULL;
    size_t bytes;
    cr_assert_eq(cup_comparison_make(&comparison, runs, 2, 0), 0);
    terminal.out = open_memstream(&written, &bytes);
    cup_compare_functions(&terminal, &comparison);
    fclose(terminal.out);
    cup_comparison_free(&comparison);
    for (int i = 0; i < 2; i++)
        cup_figures_free(&runs[i]);
    return written;
}

/* The events of the second run are not known. */
Test(compare_functions, amounts_for_each_event_and_for_each_task_are_not_compared)
{
    char *written =
        compare_two((struct cup_figures[]){make_run(1), make_run_of("self_cpu_per_task_s", 100)});
    cr_expect_str_eq(written,
                     "\nThe amounts of functions are for each task in B, and for each event "
                     "in A: they are not compared.\n");
    free(written);
}

/* A side of two runs, of which one knows its events: the middle of its amounts is not known. */
Test(compare_functions, amounts_that_are_not_known_are_not_zero)
{
    struct cup_figures runs[] = {make_run(1), make_run(2)};
    runs[0].rows[0].value = cup_null();
    char *written = compare_two(runs);
    cr_expect_str_eq(written,
                     "\nThe amounts of functions in A are not known: they are for each event in "
                     "some of its runs, and for each task in others.\n");
    free(written);
}
