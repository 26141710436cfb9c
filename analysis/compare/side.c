/* Several runs of one job as one input: each figure is the median of the runs. */
#include "analysis/compare/side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/statistics.h"
#include "analysis/compare/compare.h"
#include "analysis/compare/inputs.h"
#include "analysis/compare/run_stacks.h"

/* ---- figures ---------------------------------------------------------------------------- */

static bool is_amount(enum cup_value_kind kind)
{
    return kind == CUP_VALUE_COUNT || kind == CUP_VALUE_SIGNED || kind == CUP_VALUE_SECONDS ||
           kind == CUP_VALUE_REAL;
}

/* A number as a value of this kind, if it can be one without a loss. */
static struct cup_value number_of_kind(enum cup_value_kind kind, double number)
{
    bool whole = number == floor(number);
    return kind == CUP_VALUE_SECONDS           ? cup_seconds((int64_t)llround(number * 1e9))
           : whole && kind == CUP_VALUE_COUNT  ? cup_count((uint64_t)number)
           : whole && kind == CUP_VALUE_SIGNED ? cup_signed((int64_t)number)
                                               : cup_real(number);
}

/* A run has none of a function if no stack of it has the function. If no other function has such a
 * figure in this run either, the run did not measure it. */
static bool is_zero(const struct cup_figures *run, const struct cup_compared *row)
{
    if (strcmp(row->section, "functions") != 0)
        return false;
    for (size_t i = 0; i < run->count; i++)
        if (strcmp(run->rows[i].section, row->section) == 0 &&
            strcmp(run->rows[i].name, row->name) == 0)
            return true;
    return false;
}

static void set_median(struct cup_run_figure *figure, enum cup_value_kind kind, double *numbers,
                       size_t count)
{
    struct cup_statistics statistics = cup_statistics_of(numbers, count);
    figure->value = number_of_kind(kind, statistics.median);
    figure->deviation = statistics.stdev * sqrt((double)count / (double)(count - 1));
}

/* Times of day: the first. Texts: only if they are the same in all runs. */
static struct cup_value common_value(struct cup_figures *side, const struct cup_compared *row,
                                     size_t count)
{
    struct cup_value value = cup_compared_value(row, 0);
    for (size_t i = 1; i < count; i++) {
        struct cup_value other = cup_compared_value(row, i);
        if (other.kind != value.kind)
            return cup_null();
        if (value.kind == CUP_VALUE_TIME && other.integer < value.integer)
            value = other;
        if ((value.kind == CUP_VALUE_TEXT && cup_text_compare(value.text, other.text) != 0) ||
            (value.kind == CUP_VALUE_BOOL && value.count != other.count))
            return cup_null();
    }
    return value.kind == CUP_VALUE_TEXT
               ? cup_string(cup_figures_keep(side, value.text.bytes, value.text.length))
               : value;
}

static const char *missing_source(struct cup_figures *side, const struct cup_compared *row,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cup_compared_value(row, i).kind == CUP_VALUE_NULL)
            return cup_figures_keep_string(side, CUP_FORMAT("run %zu of %zu: %.200s", i + 1, count,
                                                            cup_compared_source(row, i)));
    return "not the same in all runs";
}

/* Not known if one of the runs does not know it: a median of some of them would look like that of
 * all. */
static void add_figure(struct cup_figures *side, const struct cup_compared *row, size_t count)
{
    double numbers[CUP_COMPARE_MOST];
    enum cup_value_kind kind = CUP_VALUE_NULL;
    size_t known = 0;
    struct cup_run_figure figure = {.section = row->section,
                                    .row = row->row,
                                    .name = row->name,
                                    .label = row->label,
                                    .unit = row->unit,
                                    .direction = row->direction};
    for (size_t i = 0; i < count; i++) {
        struct cup_value value = cup_compared_value(row, i);
        bool missing = !row->figures[i] && is_zero(&side->runs[i], row);
        if (!missing && !is_amount(value.kind))
            continue;
        kind = missing ? kind : value.kind;
        numbers[known++] = missing ? 0 : cup_number(value);
    }
    if (known == count)
        set_median(&figure, kind, numbers, count);
    else
        figure.value = common_value(side, row, count);
    if (figure.value.kind == CUP_VALUE_NULL)
        figure.source = missing_source(side, row, count);
    else
        figure.source = cup_figures_keep_string(
            side, CUP_FORMAT("%s of %zu runs; each: %.300s",
                             known == count                        ? "median"
                             : figure.value.kind == CUP_VALUE_TIME ? "the first"
                                                                   : "the same",
                             count, cup_compared_source(row, 0)));
    cup_figures_add(side, figure);
}

/* ---- what is no figure ------------------------------------------------------------------ */

/* The worst of the runs: a side is complete if each run is. */
static void set_completeness(struct cup_figures *side)
{
    side->state = CUP_RUN_COMPLETE;
    for (size_t i = 0; i < side->run_count; i++) {
        const struct cup_figures *run = &side->runs[i];
        if (run->state != CUP_RUN_COMPLETE &&
            (side->state == CUP_RUN_COMPLETE || side->state == CUP_RUN_UNKNOWN)) {
            side->state = run->state;
            side->completeness = run->completeness;
        }
        side->losses = side->losses == CUP_UNKNOWN64 || run->losses == CUP_UNKNOWN64
                           ? CUP_UNKNOWN64
                           : side->losses + run->losses;
    }
}

/* None if one of the runs has none, as in add_figure(). */
static void set_chunks(struct cup_figures *side)
{
    const struct cup_spread *spreads[CUP_COMPARE_MOST];
    for (int time = 0; time < CUP_CHUNK_TIMES; time++) {
        bool known = true;
        for (size_t i = 0; i < side->run_count; i++) {
            spreads[i] = &side->runs[i].chunks[time];
            known &= spreads[i]->count > 0;
        }
        if (!known)
            continue;
        side->chunks[time] = cup_spread_merge(spreads, side->run_count);
        side->short_of_memory |= side->chunks[time].count == 0;
    }
}

/* The words of the runs, with a comma between them. */
static void set_path(struct cup_figures *side)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < side->run_count; i++)
        fprintf(out, "%s%s", i ? ", " : "", side->runs[i].path);
    if (out && fclose(out) == 0)
        side->path = cup_figures_keep_string(side, text);
    else
        side->short_of_memory = true;
    free(text);
}

int cup_side_make(struct cup_figures *side, struct cup_figures *runs, size_t count)
{
    struct cup_comparison comparison;
    *side = (struct cup_figures){
        .path = "",
        .kind = CUP_INPUT_SIDE,
        .ask = runs[0].ask,
        .runs = runs,
        .run_count = count,
        .workers = runs[0].workers,
        .ramp = {
            .best = -1, .bend = -1, .widest = -1, .missing = "it is shown of single runs only"}};
    if (cup_comparison_make(&comparison, runs, count, 0) != 0)
        return -1;
    for (size_t i = 0; i < comparison.count; i++)
        add_figure(side, &comparison.rows[i], count);
    cup_comparison_free(&comparison);
    for (size_t i = 1; i < count; i++)
        side->workers = runs[i].workers == side->workers ? side->workers : 0;
    set_completeness(side);
    set_chunks(side);
    set_path(side);
    cup_run_stacks_keep_sum(side, runs, count);
    return side->short_of_memory ? -1 : 0;
}
