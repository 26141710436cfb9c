/* Heat maps of workers. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "plot/shared/per_worker.h"
#include "tests/plot/support.h"

/* Two bins: no worker used its CPU in the first, and none was sampled in the second. */
Test(per_worker, zero_differs_from_no_sample)
{
    double values[] = {0, NAN};
    struct cup_per_worker plot = {.name = "CPU",
                                  .workers = {{"w1", 2}},
                                  .worker_count = 1,
                                  .heat = true,
                                  .values = values,
                                  .row_count = 1,
                                  .bin_count = 2,
                                  .time_s = {0.5, 1.5},
                                  .highest = 0,
                                  .seconds = 2,
                                  .bin_s = 1};
    const struct cup_sheet sheet = {
        .format = CUP_FORMAT_SVG, .width = 8, .height = 5, .pixels = 72, .for_page = true};
    struct cup_drawing drawn;
    draw_data(&drawn, cup_plot_find(&cup_plots, "cpu-per-worker"), &plot, &sheet);
    cr_assert_eq(drawn.canvas.hover_count, 1);
    cr_expect_str_eq(drawn.canvas.hovers[0].text, "w1: 0 %, 0 s to 1.00 s");
    cup_canvas_close(&drawn.canvas);
}
