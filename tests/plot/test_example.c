/* The example of docs/contributing/add-a-plot.md can be made and drawn like every plot. */
#include <criterion/criterion.h>

#include "tests/analysis/support.h"
#include "tests/plot/example_plot.h"

Test(example, draws)
{
    static const struct cup_plot plot = {"result-size",         "Size of the results",
                                         "how large they are",  cup_data_result_size,
                                         cup_chart_result_size, CUP_PLOT_OF_ALL_TASKS};
    static const struct cup_sheet style = {
        .format = CUP_FORMAT_PNG, .width = 4, .height = 2.5, .pixels = 72};
    struct cup_profile profile;
    struct cup_totals totals;
    struct cup_arena arena = {0};
    struct cup_plot_input input = {.totals = &totals, .arena = &arena};
    struct cup_drawing drawing;
    struct cup_error error;
    const void *data;
    load_golden(&profile);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    cr_assert_eq(cup_plot_make(&plot, &input, &data, &error), 0, "%s", input.reason);
    cr_assert_eq(cup_plot_draw(&plot, &input, data, &style, &drawing, &error), 0);
    cr_expect_gt(drawing.bytes->count, 1000);
    cup_canvas_close(&drawing.canvas);
    cup_arena_clear(&arena);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
}
