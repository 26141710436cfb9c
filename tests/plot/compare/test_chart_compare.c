/* The picture of two runs: bars of ratios, with texts. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "plot/compare/compared.h"
#include "tests/plot/support.h"

static const struct cup_sheet sheet = {
    .format = CUP_FORMAT_SVG, .width = 8, .height = 5, .pixels = 72};

/* The second of two figures changed by a factor beyond the end of the axis. */
Test(chart_compare, the_largest_change_has_its_text)
{
    static struct cup_compared_shown plot = {.names = {{"wall time", 9}, {"bytes read", 10}},
                                             .count = 2,
                                             .runs = {{"A: monday", 9}, {"B: tuesday", 10}},
                                             .letters = {{"A", 1}, {"B", 1}},
                                             .run_count = 2};
    struct cup_drawing drawn;
    for (int row = 0; row < 2; row++) {
        struct cup_compared_cell *cells = plot.cells[row];
        cells[0] = (struct cup_compared_cell){.ratio = 1, .least = NAN, .most = NAN, .value = "1"};
        cells[1] = (struct cup_compared_cell){.ratio = row ? 1e9 : 2,
                                              .least = NAN,
                                              .most = NAN,
                                              .value = "2",
                                              .verdict = CUP_VERDICT_WORSE};
        snprintf(cells[1].change, sizeof cells[1].change, row ? "x 1000" : "+100.0 %%");
    }
    draw_data(&drawn, cup_plot_find(&cup_run_plots, "compare"), &plot, &sheet);
    cr_expect(has_part(&drawn, "+100.0 %"));
    cr_expect(has_part(&drawn, "x 1000, worse"));
    cup_canvas_close(&drawn.canvas);
}
