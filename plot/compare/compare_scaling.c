#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/compare/inputs.h"
#include "plot/compare/compared.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/plot.h"
#include "plot/shared/runs.h"

/* Which columns of the comparison are shown. */
struct choice {
    enum cup_scaling_size size;
    enum cup_scaling_rate rate;
};

static double size_of(const struct cup_scaling_row *row, struct choice choice)
{
    return row->size[choice.size];
}

static double rate_of(const struct cup_scaling_row *row, struct choice choice)
{
    return row->rate[choice.rate] * (choice.rate == CUP_OF_BYTES ? 1e9 : 1);
}

static bool is_shown(const struct cup_scaling_row *row, struct choice choice)
{
    return size_of(row, choice) > 0 && isfinite(size_of(row, choice)) &&
           isfinite(rate_of(row, choice));
}

static size_t count_shown(const struct cup_scaling *scaling, struct choice choice)
{
    size_t count = 0;
    for (size_t i = 0; i < scaling->count; i++)
        count += is_shown(&scaling->rows[i], choice);
    return count;
}

/* Chooses the columns that most runs have; if equal, those of the target, and cores rather than
 * workers. */
static struct choice choose_columns(const struct cup_scaling *scaling, enum cup_scaling_rate rate)
{
    const struct choice order[] = {{CUP_BY_CORES, rate},
                                   {CUP_BY_WORKERS, rate},
                                   {CUP_BY_CORES, !rate},
                                   {CUP_BY_WORKERS, !rate}};
    struct choice best = order[0];
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        bool differs = scaling->reference[order[i].size] >= 0;
        if (differs && count_shown(scaling, order[i]) > count_shown(scaling, best))
            best = order[i];
    }
    return best;
}

/* Inserts a run in the order of size. */
static void add_run(struct cup_compared_scaling *plot, const struct cup_scaling_row *row,
                    struct choice choice, size_t input)
{
    size_t at = plot->count++;
    double size = size_of(row, choice), efficiency = row->efficiency[choice.rate][choice.size];
    for (; at > 0 && plot->size[at - 1] > size; at--) {
        plot->size[at] = plot->size[at - 1];
        plot->rate[at] = plot->rate[at - 1];
        memcpy(plot->texts[at], plot->texts[at - 1], sizeof plot->texts[at]);
    }
    plot->size[at] = size;
    plot->rate[at] = rate_of(row, choice);
    plot->most_size = fmax(plot->most_size, size);
    plot->most_rate = fmax(plot->most_rate, plot->rate[at]);
    if (isnan(efficiency))
        snprintf(plot->texts[at], sizeof plot->texts[at], "%c", cup_input_letter(input));
    else
        snprintf(plot->texts[at], sizeof plot->texts[at], "%c  %.0f %%", cup_input_letter(input),
                 100 * efficiency);
}

/* A target in events cannot be drawn in a plot of bytes, and the other way round. */
static void set_target(struct cup_compared_scaling *plot, const struct cup_target *target)
{
    if (!target || !(target->rate > 0) || target->events != plot->by_events)
        return;
    plot->target = target->events ? target->rate : target->rate * 8;
    snprintf(plot->target_name, sizeof plot->target_name, "target %.40s", target->text);
}

/* A line through two runs of one size would be vertical, and show no growth. */
static bool are_sizes_unique(const struct cup_compared_scaling *plot)
{
    for (size_t i = 1; i < plot->count; i++)
        if (plot->size[i] == plot->size[i - 1])
            return false;
    return true;
}

const void *cup_data_compare_scaling(struct cup_plot_input *input)
{
    const struct cup_scaling *scaling = &input->runs->comparison->scaling;
    struct cup_compared_scaling *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    bool missing[CUP_COMPARE_MOST] = {false};
    if (!plot)
        return NULL;
    if (scaling->missing)
        return cup_plot_unavailable(input, "%s", scaling->missing);
    bool aims = input->runs->target && input->runs->target->rate > 0;
    struct choice choice = choose_columns(
        scaling, !aims || input->runs->target->events ? CUP_OF_EVENTS : CUP_OF_BYTES);
    if (count_shown(scaling, choice) < 2)
        return cup_plot_unavailable(input, "fewer than two runs have a known size and throughput");
    int reference = scaling->reference[choice.size];
    const struct cup_scaling_row *from = &scaling->rows[reference < 0 ? 0 : reference];
    bool cores = choice.size == CUP_BY_CORES, events = choice.rate == CUP_OF_EVENTS;
    plot->by_events = events;
    plot->size_name = cores ? "threads of the workers" : "workers";
    plot->rate_name = events ? "events a second" : "data rate";
    plot->ideal = rate_of(from, choice) / size_of(from, choice);
    for (size_t i = 0; i < scaling->count; i++) {
        missing[i] = !is_shown(&scaling->rows[i], choice);
        if (!missing[i])
            add_run(plot, &scaling->rows[i], choice, i);
    }
    plot->joined = input->runs->comparison->same_work && are_sizes_unique(plot);
    set_target(plot, input->runs->target);
    cup_plot_set_caption(
        input,
        "%s%s divided by wall time; %s. Percent: of the rate of the baseline, scaled to "
        "the size.%s",
        events ? "Events" : "Bytes, ", events ? "" : scaling->bytes_are,
        scaling->sizes_are[choice.size],
        aims && !(plot->target > 0) ? " The target is not in the unit of this axis." : "");
    cup_caption_add_missing(input, missing);
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* If the sizes differ by this factor or more, linear axes would put all small runs into a corner.
 */
static const double many_times = 12;

static bool is_log(const struct cup_compared_scaling *plot)
{
    return plot->count && plot->size[0] > 0 && plot->most_size / plot->size[0] >= many_times;
}

static double least_of(const double *values, size_t count)
{
    double least = NAN;
    for (size_t i = 0; i < count; i++)
        least = values[i] > 0 ? fmin(least, values[i]) : least;
    return least;
}

static void set_axes(struct cup_figure *figure, const struct cup_compared_scaling *plot)
{
    bool log = is_log(plot);
    double high = fmax(plot->most_rate, plot->target) * 1.1;
    figure->x = (struct cup_axis){.name = plot->size_name,
                                  .unit = CUP_AXIS_COUNT,
                                  .log = log,
                                  .low = log ? plot->size[0] / 1.5 : 0,
                                  .high = plot->most_size * (log ? 1.5 : 1.12)};
    figure->y = (struct cup_axis){.name = plot->rate_name,
                                  .unit = plot->by_events ? CUP_AXIS_HERTZ : CUP_AXIS_BIT_RATE,
                                  .log = log,
                                  .low = log ? least_of(plot->rate, plot->count) / 1.5 : 0,
                                  .high = high};
}

/* Proportional growth is a straight line on linear and on log axes. */
static void draw_ideal(struct cup_figure *figure, const struct cup_compared_scaling *plot,
                       const struct cup_stroke *stroke)
{
    double low = figure->x.scale.low, high = figure->x.scale.high;
    const double sizes[] = {low, high}, rates[] = {low * plot->ideal, high * plot->ideal};
    cup_mark_line(figure, sizes, rates, 2, stroke);
}

/* Labels a run beside its dot: below the line if it rises from there, above if it falls. */
static void write_run(struct cup_figure *figure, const struct cup_compared_scaling *plot, size_t i)
{
    const struct cup_scale *scale = &figure->y.scale;
    bool falls = plot->joined && i + 1 < plot->count && plot->rate[i + 1] < plot->rate[i];
    double share =
        (falls ? 1 : -1) * figure->theme->caption / fmax(fabs(scale->to - scale->from), 1);
    double at = scale->log ? plot->rate[i] * pow(scale->high / scale->low, share)
                           : plot->rate[i] + share * (scale->high - scale->low);
    cup_mark_text(figure, plot->size[i], at, plot->texts[i]);
}

void cup_chart_compare_scaling(struct cup_figure *figure, const void *data)
{
    const struct cup_compared_scaling *plot = data;
    const struct cup_colour *paints = figure->theme->paints;
    const struct cup_stroke runs = {.colour = paints[CUP_PAINT_BLUE], .thin = true};
    const struct cup_stroke ideal = {.colour = paints[CUP_PAINT_GREY], .dashed = true};
    set_axes(figure, plot);
    cup_figure_add_key(figure, CUP_KEY_DOT, runs.colour, "runs");
    cup_figure_add_key(figure, CUP_KEY_DASHES, ideal.colour, "as the baseline, scaled");
    if (plot->target > 0)
        cup_figure_add_key(figure, CUP_KEY_DASHES, paints[CUP_PAINT_RED], "%s", plot->target_name);
    cup_figure_open(figure);
    draw_ideal(figure, plot, &ideal);
    if (plot->target > 0)
        cup_mark_level(figure, plot->target, paints[CUP_PAINT_RED]);
    if (plot->joined)
        cup_mark_line(figure, plot->size, plot->rate, plot->count, &runs);
    for (size_t i = 0; i < plot->count; i++)
        cup_mark_dot(figure, plot->size[i], plot->rate[i], runs.colour, 1);
    for (size_t i = 0; i < plot->count; i++)
        write_run(figure, plot, i);
    cup_figure_close(figure);
}
