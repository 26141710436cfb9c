/* The table of functions whose cost changed. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/compare_write.h"
#include "analysis/compare/figures.h"

enum { INPUTS = 7 };

/* A run with one function, which takes so many seconds for each event. */
static struct cup_figures make_run(double seconds)
{
    struct cup_figures run = {.path = "run", .kind = CUP_INPUT_PROFILE, .state = CUP_RUN_COMPLETE};
    cup_figures_add(&run, (struct cup_run_figure){.section = "functions",
                                                  .row = "select",
                                                  .name = "self_cpu_per_event_s",
                                                  .value = cup_real(seconds),
                                                  .source = "made up"});
    return run;
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
