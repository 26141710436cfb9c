#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/units.h"
#include "plot/compare/compared.h"
#include "plot/shared/plot.h"
#include "plot/shared/runs.h"

/* The key figures, in the order of the rows. `instead` replaces a figure if more runs know it. */
static const struct key {
    enum cup_metric_id metric; /* the figure; not used if `mean` is set */
    const char *label;
    enum cup_metric_id instead; /* another figure for the row; none if it has no label */
    const char *instead_label;
    /* Name of a row in the section "chunks"; NULL: the figure is `metric`. */
    const char *mean;
} keys[] = {
    {.metric = CUP_METRIC_wall_time, .label = "wall time"},
    {.metric = CUP_METRIC_event_rate_wall_khz, .label = "events a second"},
    {.metric = CUP_METRIC_event_rate_core_hz, .label = "events a second and core"},
    {.metric = CUP_METRIC_delivered_rate_gbps,
     .label = "data rate, delivered",
     .instead = CUP_METRIC_requested_rate_gbps,
     .instead_label = "data rate, requested"},
    {.metric = CUP_METRIC_total_bytes_read,
     .label = "bytes read",
     .instead = CUP_METRIC_total_bytes_read_coffea,
     .instead_label = "bytes requested"},
    {.metric = CUP_METRIC_read_amplification, .label = "read amplification"},
    {.metric = CUP_METRIC_thread_cpu_efficiency,
     .label = "CPU share of the threads",
     .instead = CUP_METRIC_core_efficiency,
     .instead_label = "slots busy in process()"},
    {.metric = CUP_METRIC_total_thread_cpu_time,
     .label = "CPU time of tasks",
     .instead = CUP_METRIC_total_cpu_time,
     .instead_label = "inside process(), summed"},
    {.metric = CUP_METRIC_io_wait_pct, .label = "I/O wait of tasks"},
    {.label = "time per event, mean of chunks", .mean = "time_per_event_s_mean"},
    {.metric = CUP_METRIC_tail_s, .label = "tail after 90 % of chunks"},
    {.metric = CUP_METRIC_peak_memory_bytes, .label = "memory of a worker, most"},
    {.metric = CUP_METRIC_spilled_bytes, .label = "spilled"},
    {.metric = CUP_METRIC_wasted_wall_s, .label = "wasted task time"},
    {.metric = CUP_METRIC_num_failed_chunks, .label = "failed attempts"},
};
enum { KEYS = sizeof keys / sizeof *keys };
_Static_assert((int)KEYS <= (int)CUP_COMPARED_ROWS, "the picture has a row for each key figure");

static const struct cup_compared *find_row(const struct cup_comparison *comparison,
                                           const char *section, const char *name)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct cup_compared *row = &comparison->rows[i];
        if (!*row->row && strcmp(row->name, name) == 0 && strcmp(row->section, section) == 0)
            return row;
    }
    return NULL;
}

static const struct cup_compared *find_metric(const struct cup_comparison *comparison,
                                              enum cup_metric_id metric)
{
    return find_row(comparison, cup_metric_section(metric)->name, cup_metric(metric)->name);
}

static const struct cup_compared *find_key(const struct cup_comparison *comparison,
                                           const struct key *key)
{
    return key->mean ? find_row(comparison, "chunks", key->mean)
                     : find_metric(comparison, key->metric);
}

/* Counts the runs that know a figure. 0 if there is nothing to compare: the baseline and another
 * run must know it, and not all values may be 0. */
static size_t count_known(const struct cup_comparison *comparison, const struct cup_compared *row)
{
    size_t count = 0;
    bool any = false;
    if (!row || isnan(cup_number(cup_compared_value(row, comparison->baseline))))
        return 0;
    for (size_t i = 0; i < comparison->input_count; i++) {
        double value = cup_number(cup_compared_value(row, i));
        count += !isnan(value);
        any |= value != 0 && !isnan(value);
    }
    return count > 1 && any ? count : 0;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Shares change by points. A change too small for the digits shown counts as none. */
static void set_share_change(struct cup_compared_cell *cell, double points)
{
    const double least = 0.05;
    cell->strength = fmin(1, fabs(points) / 25);
    if (fabs(points) >= least) {
        snprintf(cell->change, sizeof cell->change, "%+.1f pt", points);
        return;
    }
    snprintf(cell->change, sizeof cell->change, "%s", isnan(points) ? "" : "=");
    cell->ratio = isnan(points) ? NAN : 1;
    cell->least = cell->most = NAN;
    cell->strength = 0;
    cell->verdict = CUP_VERDICT_NONE;
}

static void fill_cell(struct cup_compared_cell *cell, const struct cup_comparison *comparison,
                      const struct cup_compared *row, size_t input)
{
    const struct cup_change change = cup_change_of(comparison, row, input);
    cup_print_human_readable(cell->value, cup_compared_value(row, input), row->unit);
    cell->ratio = 1 + cup_number(change.relative);
    cell->verdict = change.verdict;
    cell->least = cell->most = NAN;
    if (input == comparison->baseline)
        return;
    cell->least = change.noise > 0 ? fmax(0, cell->ratio - change.noise) : NAN;
    cell->most = change.noise > 0 ? cell->ratio + change.noise : NAN;
    cell->strength = cell->ratio > 0 ? fmin(1, fabs(log2(cell->ratio))) : cell->ratio == 0;
    if (row->unit == CUP_UNIT_SHARE || row->unit == CUP_UNIT_PERCENT)
        set_share_change(cell, cup_number(change.by) * (row->unit == CUP_UNIT_SHARE ? 100 : 1));
    else
        cup_change_text(cell->change, &change);
}

static void add_row(struct cup_compared_shown *plot, const struct cup_comparison *comparison,
                    const struct key *key)
{
    const struct cup_compared *row = find_key(comparison, key);
    const struct cup_compared *instead =
        key->instead_label ? find_metric(comparison, key->instead) : NULL;
    const char *label = key->label;
    if (count_known(comparison, instead) > count_known(comparison, row)) {
        row = instead;
        label = key->instead_label;
    }
    if (!row || count_known(comparison, row) == 0)
        return;
    plot->names[plot->count] = (struct cup_text){label, strlen(label)};
    for (size_t i = 0; i < comparison->input_count; i++) {
        struct cup_compared_cell *cell = &plot->cells[plot->count][i];
        fill_cell(cell, comparison, row, i);
    }
    plot->count++;
}

const void *cup_data_compare(struct cup_plot_input *input)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char other_work[] =
        ", and not for sums and times, because the runs did different work";
    static const char noise[] =
        " Noise: two standard errors of the means over the chunks of both runs, which is the "
        "least. "
        "One run a side does not show how far runs of the same job differ: only counts are judged.";
    static const char single[] = " One run a side does not show how far runs of the same job "
                                 "differ: only counts are judged.";
    static const char spread[] =
        " Medians of the runs. Spread: Welch's t-test at 95 %. A change within it is not judged.";
    const struct cup_comparison *comparison = input->runs->comparison;
    struct cup_compared_shown *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    if (!plot)
        return NULL;
    plot->sides = true;
    plot->run_count = comparison->input_count;
    for (size_t i = 0; i < plot->run_count; i++)
        plot->sides &= cup_has_several_runs(comparison, i);
    plot->baseline = comparison->baseline;
    for (size_t i = 0; i < plot->run_count; i++) {
        plot->runs[i] = input->runs->names[i];
        plot->letters[i] = (struct cup_text){letters + i, 1};
    }
    for (size_t i = 0; i < KEYS; i++)
        add_row(plot, comparison, &keys[i]);
    if (plot->count == 0)
        return cup_plot_unavailable(input,
                                    "no key figure is known for the baseline and another run");
    cup_plot_set_caption(input,
                         "Of %d key figures, those known for at least two runs and not 0 in all of "
                         "them. Better or worse: only for figures where more or less is clearly "
                         "better%s.%s",
                         (int)KEYS, comparison->same_work ? "" : other_work,
                         plot->sides            ? spread
                         : plot->run_count == 2 ? noise
                                                : single);
    if (plot->run_count > CUP_COMPARED_NAMED)
        strncat(input->caption, " Letters: the runs in the order of the command line.",
                sizeof input->caption - strlen(input->caption) - 1);
    return plot;
}
