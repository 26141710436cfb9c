#include <string.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/time/server_rate.h"

/* The outline of stacked steps: each value at both ends of its bin. */
struct steps {
    double x[2 * CUP_TIME_BINS], low[2 * CUP_TIME_BINS], high[2 * CUP_TIME_BINS];
    size_t count;
};

/* Puts a line of steps on top of the ones before. */
static void add_steps(struct steps *steps, const struct cup_time_line *line)
{
    steps->count = 0;
    for (size_t i = 0; i + 1 < line->count; i++)
        for (size_t end = 0; end < 2; end++) {
            size_t at = steps->count++;
            steps->x[at] = line->time_s[i + end];
            steps->low[at] = steps->high[at];
            steps->high[at] += line->values[i];
        }
}

static struct cup_colour colour_of(const struct cup_figure *figure,
                                   const struct cup_server_rate *plot, size_t server)
{
    return plot->others && server + 1 == plot->count
               ? figure->theme->paints[CUP_PAINT_GREY]
               : cup_theme_paint(figure->theme, (unsigned)server);
}

void cup_chart_server_rate(struct cup_figure *figure, const void *data)
{
    const struct cup_server_rate *plot = data;
    struct steps steps = {.count = 0};
    double high = plot->most * 1.05;
    figure->x = cup_run_axis(plot->seconds);
    figure->y = (struct cup_axis){
        .name = "bytes received", .unit = CUP_AXIS_BYTE_RATE, .exact = true, .high = high};
    figure->right = (struct cup_axis){
        .name = "in bits", .unit = CUP_AXIS_BIT_RATE, .exact = true, .high = 8 * high};
    for (size_t i = 0; i < plot->count; i++)
        cup_figure_add_key(figure, plot->names[i], strlen(plot->names[i]), CUP_KEY_BOX,
                           colour_of(figure, plot, i));
    if (plot->count > 1)
        cup_figure_add_key(figure, "all", 3, CUP_KEY_LINE, figure->theme->ink);
    cup_figure_open(figure);
    for (size_t i = 0; i < plot->count; i++) {
        add_steps(&steps, plot->rates[i]);
        cup_mark_stack(figure, steps.x, steps.low, steps.high, steps.count,
                       colour_of(figure, plot, i));
    }
    if (plot->count > 1)
        cup_mark_line(figure, plot->sum->time_s, plot->sum->values, plot->sum->count,
                      &(struct cup_stroke){.colour = figure->theme->ink, .steps = true});
    cup_figure_close(figure);
}
