#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/shared/curves.h"
#include "plot/shared/plot.h"
#include "plot/time/time_plots.h"

/* Fewer busy threads in a bin than this give no meaningful rate per busy thread. */
#define LEAST_BUSY 0.05

static double events_of(const struct cup_item *item)
{
    uint64_t events = cup_item_events(item);
    return events == CUP_UNKNOWN64 ? 0 : (double)events;
}

/* Spreads the events of used chunks over the time of their tasks, and sums the busy time of all
 * worker threads. */
static void spread_tasks(const struct cup_totals *totals, struct cup_time_bins *events,
                         struct cup_time_bins *busy)
{
    const struct cup_profile *profile = totals->profile;
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        const struct cup_item *item = cup_task_item(profile, task);
        if (cup_task_wall_ns(task) == CUP_UNKNOWN64 || cup_task_place(task) != CUP_PLACE_POOL)
            continue;
        double from = cup_time_bins_second(events, task->start_ns);
        double to = cup_time_bins_second(events, task->stop_ns);
        cup_time_bins_spread(busy, from, to, to - from);
        if (item && totals->outcomes[task->item - 1] == CUP_OUTCOME_USED)
            cup_time_bins_spread(events, from, to, events_of(item));
    }
}

/* Makes the rate for each busy thread out of the number of busy threads. */
static void divide_by_busy(struct cup_time_line *busy, const struct cup_time_line *rate)
{
    for (size_t i = 0; i < rate->count; i++)
        busy->values[i] = busy->values[i] < LEAST_BUSY ? NAN : rate->values[i] / busy->values[i];
}

/* The threads for tasks or, if the logs do not have their number, the most that were busy in a bin.
 */
static double count_threads(const struct cup_totals *totals, const struct cup_time_line *busy)
{
    return totals->budget.threads ? (double)totals->budget.threads : fmax(1, ceil(busy->most));
}

const void *cup_data_event_rate(struct cup_plot_input *input)
{
    struct cup_curves *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct cup_time_line *rate = cup_arena_take(input->arena, 1, sizeof *rate);
    struct cup_time_line *per_busy = cup_arena_take(input->arena, 1, sizeof *per_busy);
    struct cup_time_bins events, busy;
    if (!plot || !rate || !per_busy)
        return NULL;
    cup_time_bins_make(&events, input->totals);
    cup_time_bins_make(&busy, input->totals);
    spread_tasks(input->totals, &events, &busy);
    if (events.whole <= 0)
        return cup_plot_unavailable(input, "no used chunk has a known number of events");
    cup_time_line_make(rate, &events);
    cup_time_line_make(per_busy, &busy);
    double threads = count_threads(input->totals, per_busy);
    divide_by_busy(per_busy, rate);
    *plot = (struct cup_curves){.name = "events per second",
                                .unit = CUP_AXIS_HERTZ,
                                .coloured = true,
                                .right_name = "per busy thread",
                                .right_unit = CUP_AXIS_HERTZ,
                                .right_share = threads,
                                .seconds = events.run_s};
    cup_curves_add(plot, cup_curve_of("all", CUP_PAINT_BLUE, CUP_CURVE_FILLED, rate));
    struct cup_curve each =
        cup_curve_of("per busy thread", CUP_PAINT_RED, CUP_CURVE_DASHES, per_busy);
    each.right = true;
    cup_curves_add(plot, each);
    char counted[64];
    cup_plot_set_caption(
        input,
        "Events of chunks whose result was used, spread over the time of their tasks, in bins of "
        "%.3g s. A thread is busy while it runs any task. The right axis is the left one divided "
        "by %s: the lines meet while all are busy (cupping).",
        events.bin_s, cup_count_text(counted, (uint64_t)threads, "thread"));
    return plot;
}

/* ---- progress ----------------------------------------------------------------------------- */

struct done {
    double time_s, amount;
};

static int by_time(const void *a, const void *b)
{
    const struct done *one = a, *two = b;
    return one->time_s < two->time_s ? -1 : one->time_s > two->time_s;
}

static struct done *gather_done(struct cup_plot_input *input, bool by_events, size_t *count,
                                double *whole, double *first_s)
{
    const struct cup_totals *totals = input->totals;
    const struct cup_profile *profile = totals->profile;
    struct done *done = cup_arena_take(input->arena, totals->used_chunks, sizeof *done);
    for (size_t i = 0; done && i < profile->item_count && *count < totals->used_chunks; i++) {
        const struct cup_item *item = &profile->items[i];
        if (totals->outcomes[i] != CUP_OUTCOME_USED)
            continue;
        const struct cup_task *task = &profile->tasks[item->task];
        double start_s = (double)(task->start_ns - totals->run.start_ns) / 1e9;
        *first_s = *count ? fmin(*first_s, start_s) : start_s;
        done[*count].time_s = (double)(task->stop_ns - totals->run.start_ns) / 1e9;
        done[*count].amount = by_events ? events_of(item) : 1;
        *whole += done[(*count)++].amount;
    }
    if (done)
        qsort(done, *count, sizeof *done, by_time);
    return done;
}

static void add_point(struct cup_progress *plot, double time_s, double percent)
{
    plot->time_s[plot->count] = time_s;
    plot->percent[plot->count++] = percent;
}

static const struct {
    double percent;
    const char *name;
    enum cup_paint paint;
} marks[CUP_PROGRESS_MARKS] = {{50, "50 % after", CUP_PAINT_ORANGE},
                               {90, "90 % after", CUP_PAINT_RED},
                               {99, "99 % after", CUP_PAINT_PINK}};

/* Adds a point for each thousandth of the events, so that many chunks do not make many points. */
static void fill_points(struct cup_progress *plot, const struct done *done, size_t count,
                        double whole)
{
    double sum = 0, step = 100.0 / CUP_PROGRESS_POINTS, next = step;
    add_point(plot, 0, 0);
    for (size_t i = 0; i < count; i++) {
        sum += done[i].amount;
        double percent = 100 * sum / whole;
        for (int mark = 0; mark < CUP_PROGRESS_MARKS; mark++)
            if (isnan(plot->reached_s[mark]) && percent >= marks[mark].percent)
                plot->reached_s[mark] = done[i].time_s;
        if (percent < next && i + 1 < count)
            continue;
        add_point(plot, done[i].time_s, percent);
        next = percent + step;
    }
}

/* As cup_completeness_share(): by chunks if what was planned or done is known in chunks only. */
static bool counts_events(const struct cup_totals *totals)
{
    const struct cup_completeness *c = totals->completeness;
    bool planned = c->planned_events != CUP_UNKNOWN64 || c->planned_chunks == CUP_UNKNOWN64;
    return totals->events > 0 && c->done_events != CUP_UNKNOWN64 && planned;
}

/* What was planned, if it is known and more than what was done; else WHOLE, what was done. */
static double planned(const struct cup_completeness *c, bool by_events, double whole)
{
    uint64_t plan = by_events ? c->planned_events : c->planned_chunks;
    return plan == CUP_UNKNOWN64 ? whole : fmax(whole, (double)plan);
}

/* "aborted at 31 %", as the report says */
static void describe_end(struct cup_progress *plot, const struct cup_completeness *c)
{
    double percent = cup_completeness_percent(c);
    bool is_part =
        c->state == CUP_RUN_ABORTED || c->state == CUP_RUN_FAILED || c->state == CUP_RUN_RUNNING;
    if (is_part && !isnan(percent))
        snprintf(plot->end, sizeof plot->end, "%.12s at %.3g %%", cup_run_state_names[c->state],
                 percent);
}

const void *cup_data_progress(struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    struct cup_progress *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    size_t count = 0;
    double whole = 0, first_s = 0;
    if (!plot)
        return NULL;
    plot->by_events = counts_events(totals);
    const struct done *done = gather_done(input, plot->by_events, &count, &whole, &first_s);
    if (!done)
        return NULL;
    if (whole <= 0)
        return cup_plot_unavailable(input, "no chunk of the run succeeded");
    if (count == 1 && cup_completeness_is_fine(totals->completeness)) {
        char time[CUP_DURATION_TEXT];
        return cup_plot_unavailable(input, "the only chunk was done after %s",
                                    cup_duration_text(time, done->time_s));
    }
    for (int mark = 0; mark < CUP_PROGRESS_MARKS; mark++)
        plot->reached_s[mark] = NAN;
    fill_points(plot, done, count, planned(totals->completeness, plot->by_events, whole));
    plot->seconds = fmax((double)cup_stretch_ns(totals->run) / 1e9, plot->time_s[plot->count - 1]);
    plot->from_s = cup_time_begin(first_s, plot->seconds);
    describe_end(plot, totals->completeness);
    char chunks[64], from[CUP_TIME_BEGIN_TEXT];
    cup_plot_set_caption(input,
                         "%s%s whose result was used, each counted when its task ended (cupping); "
                         "100 %% is what Coffea planned, if that is known. %s%s",
                         plot->by_events ? "Events of " : "",
                         cup_count_text(chunks, count, "chunk"), totals->completeness->sentence,
                         cup_time_begin_text(from, plot->from_s));
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void add_time_key(struct cup_figure *figure, const char *name, double seconds,
                         struct cup_colour colour)
{
    char time[CUP_DURATION_TEXT];
    cup_figure_add_key(figure, CUP_KEY_DASHES, colour, "%.12s %s", name,
                       cup_duration_text(time, seconds));
}

void cup_chart_progress(struct cup_figure *figure, const void *data)
{
    const struct cup_progress *plot = data;
    const struct cup_colour *paints = figure->theme->paints;
    figure->x = cup_run_axis_from(plot->from_s, plot->seconds);
    figure->y =
        cup_axis_exact(plot->by_events ? "events done" : "chunks done", CUP_AXIS_PERCENT, 100);
    for (int i = 0; i < CUP_PROGRESS_MARKS; i++)
        if (!isnan(plot->reached_s[i]))
            add_time_key(figure, marks[i].name, plot->reached_s[i], paints[marks[i].paint]);
    if (*plot->end)
        cup_figure_add_key(figure, CUP_KEY_DASHES, paints[CUP_PAINT_BLUE], "%s", plot->end);
    cup_figure_open(figure);
    for (int i = 0; i < CUP_PROGRESS_MARKS; i++)
        if (!isnan(plot->reached_s[i]))
            cup_mark_upright(figure, plot->reached_s[i], paints[marks[i].paint]);
    if (*plot->end && plot->count)
        cup_mark_upright(figure, plot->time_s[plot->count - 1], paints[CUP_PAINT_BLUE]);
    cup_mark_line(figure, plot->time_s, plot->percent, plot->count,
                  &(struct cup_stroke){.colour = paints[CUP_PAINT_BLUE], .steps = true});
    cup_figure_close(figure);
}
