#include "analysis/compare/compare.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/array.h"

const struct cup_compare_section cup_compare_sections[] = {
    {"workflow", "Workflow", false, false},
    {"workers", "Workers", false, false},
    {"efficiency", "Efficiency", false, false},
    {"time_budget", "Time budget", false, false},
    {"fine", "Fine metrics", false, false},
    {"branches", "Branches", false, false},
    {"chunks", "Chunks, on average", false, false},
    {"tasks_by_prefix", "Tasks by prefix", false, true},
    {"datasets", "Datasets", true, true},
    {"attribution", "Attribution", true, false},
    {"health", "Health", true, false},
    {"functions", "functions", true, false},
    {"inputs", NULL, true, false},
    {"scaling", "Scaling", true, false},
    {NULL, NULL, false, false},
};

/* ---- rows ------------------------------------------------------------------------------- */

/* `keys` numbers each "section, name, row" from 1 on; rows[id - 1] is its row. */
static int add_figure(struct cup_comparison *comparison, struct cup_intern *keys, size_t input,
                      const struct cup_run_figure *figure)
{
    char key[600];
    snprintf(key, sizeof key, "%s%c%s%c%s", figure->section, 1, figure->name, 1, figure->row);
    uint32_t id = cup_intern_add(keys, key, strlen(key));
    if (id == 0)
        return -1;
    if (id > comparison->count) {
        if (cup_array_grow(&comparison->rows, &comparison->room, comparison->count,
                           sizeof *comparison->rows) != 0)
            return -1;
        comparison->rows[comparison->count++] =
            (struct cup_compared){.section = figure->section,
                                  .row = figure->row,
                                  .name = figure->name,
                                  .direction = figure->direction};
    }
    struct cup_compared *row = &comparison->rows[id - 1];
    if (!row->label)
        row->label = figure->label;
    if (row->unit == CUP_UNIT_NONE)
        row->unit = figure->unit;
    if (!row->figures[input])
        row->figures[input] = figure;
    return 0;
}

/* Sorts by section: figures that only a later input has would otherwise stand at the end. */
static int sort_rows(struct cup_comparison *comparison)
{
    struct cup_compared *sorted = calloc(comparison->count + 1, sizeof *sorted);
    const struct cup_compare_section *section = cup_compare_sections;
    size_t count = 0;
    if (!sorted)
        return -1;
    for (; section->name; section++)
        for (size_t i = 0; i < comparison->count; i++)
            if (strcmp(comparison->rows[i].section, section->name) == 0)
                sorted[count++] = comparison->rows[i];
    free(comparison->rows);
    comparison->rows = sorted;
    comparison->count = count;
    return 0;
}

static int add_rows(struct cup_comparison *comparison)
{
    struct cup_intern keys = {0};
    int result = 0;
    for (size_t i = 0; i < comparison->input_count; i++)
        for (size_t k = 0; k < comparison->inputs[i].count && result == 0; k++)
            result = add_figure(comparison, &keys, i, &comparison->inputs[i].rows[k]);
    cup_intern_clear(&keys);
    return result == 0 && comparison->count ? sort_rows(comparison) : result;
}

struct cup_value cup_compared_value(const struct cup_compared *row, size_t input)
{
    return row->figures[input] ? row->figures[input]->value : cup_null();
}

const char *cup_compared_source(const struct cup_compared *row, size_t input)
{
    if (row->figures[input])
        return row->figures[input]->source;
    return strcmp(row->section, "tasks_by_prefix") == 0 ? "this run has no task with this prefix"
           : strcmp(row->section, "datasets") == 0      ? "this run has no such dataset"
           : strcmp(row->section, "functions") == 0     ? "this run has no stack with this function"
                                                        : "this input has no such figure";
}

/* ---- changes ---------------------------------------------------------------------------- */

static bool is_amount(struct cup_value value)
{
    return value.kind == CUP_VALUE_COUNT || value.kind == CUP_VALUE_SIGNED ||
           value.kind == CUP_VALUE_SECONDS || value.kind == CUP_VALUE_REAL;
}

const char *const cup_verdict_names[] = {
    [CUP_VERDICT_NONE] = NULL, [CUP_VERDICT_BETTER] = "better", [CUP_VERDICT_WORSE] = "worse"};

static enum cup_verdict judge(const struct cup_comparison *comparison,
                              const struct cup_direction *direction, double by, double from,
                              double noise, bool known)
{
    if (direction->better == CUP_BETTER_UNKNOWN || by == 0 || !known ||
        fabs(by) < CUP_LEAST_CHANGE * fabs(from) || !(fabs(by) > noise) ||
        (direction->same_work && !comparison->same_work))
        return CUP_VERDICT_NONE;
    return (by > 0) == (direction->better == CUP_BETTER_HIGHER) ? CUP_VERDICT_BETTER
                                                                : CUP_VERDICT_WORSE;
}

struct cup_change cup_change_of(const struct cup_comparison *comparison,
                                const struct cup_compared *row, size_t input)
{
    struct cup_value from = cup_compared_value(row, comparison->baseline);
    struct cup_value to = cup_compared_value(row, input);
    if (input == comparison->baseline || !is_amount(from) || !is_amount(to))
        return (struct cup_change){.by = cup_null(), .relative = cup_null(), .noise = NAN};
    double by = cup_number(to) - cup_number(from);
    double noise = cup_change_noise(comparison, row, input);
    bool known = noise == 0 || cup_has_several_runs(comparison, input);
    return (struct cup_change){
        .by = cup_real(by),
        .relative = cup_ratio(by, fabs(cup_number(from))),
        .noise = cup_number(cup_ratio(noise, fabs(cup_number(from)))),
        .verdict = judge(comparison, &row->direction, by, cup_number(from), noise, known),
    };
}

char *cup_change_text(char to[CUP_CHANGE_TEXT], const struct cup_change *change)
{
    enum { FACTOR = 10 }; /* from here on a factor is easier to read than a percentage */
    double relative = cup_number(change->relative);
    to[0] = '\0';
    if (isnan(relative))
        snprintf(to, CUP_CHANGE_TEXT, "%s", cup_number(change->by) == 0 ? "=" : "");
    else if (relative == 0)
        snprintf(to, CUP_CHANGE_TEXT, "=");
    else if (fabs(relative) < CUP_LEAST_CHANGE)
        snprintf(to, CUP_CHANGE_TEXT, "<0.1 %%");
    else if (relative >= FACTOR - 1)
        snprintf(to, CUP_CHANGE_TEXT, relative >= 999 ? "x %.3g" : "x %.1f", relative + 1);
    else
        snprintf(to, CUP_CHANGE_TEXT, "%+.1f %%", relative * 100);
    return to;
}

/* ---- all of it -------------------------------------------------------------------------- */

static bool has_events(const struct cup_figures *input, double events)
{
    for (size_t i = 0; i < input->run_count; i++)
        if (!has_events(&input->runs[i], events))
            return false;
    return cup_figures_number(input, CUP_METRIC_total_events) == events;
}

static bool do_same_work(const struct cup_figures *inputs, size_t count)
{
    double events = cup_figures_number(&inputs[0], CUP_METRIC_total_events);
    for (size_t i = 0; i < count; i++)
        if (!has_events(&inputs[i], events))
            return false;
    return events > 0;
}

static void set_scaling(struct cup_comparison *comparison)
{
    static const char formula[] = "throughput(n) / (throughput(n0) * n / n0), events per second "
                                  "by cores where both are known";
    comparison->scaling =
        cup_scaling_make(comparison->inputs, comparison->input_count, comparison->baseline);
    for (size_t i = 0; i < comparison->input_count; i++) {
        struct cup_value value = cup_real(cup_scaling_efficiency(&comparison->scaling, i));
        const char *why = comparison->scaling.missing ? comparison->scaling.missing
                                                      : "its throughput or its size is not known";
        struct cup_run_figure *figure =
            cup_figures_set(&comparison->inputs[i], CUP_METRIC_scaling_efficiency, value,
                            value.kind == CUP_VALUE_NULL ? why : formula);
        if (figure) {
            figure->label = "scaling efficiency";
            figure->unit = CUP_UNIT_SHARE;
            figure->deviation = NAN; /* it is of the sides, not of their runs */
        }
    }
}

int cup_comparison_make(struct cup_comparison *comparison, struct cup_figures *inputs, size_t count,
                        size_t baseline)
{
    *comparison =
        (struct cup_comparison){.inputs = inputs, .input_count = count, .baseline = baseline};
    comparison->same_work = do_same_work(inputs, count);
    set_scaling(comparison);
    if (add_rows(comparison) == 0 && cup_settings_make(comparison) == 0)
        return 0;
    cup_comparison_free(comparison);
    return -1;
}

void cup_comparison_free(struct cup_comparison *comparison)
{
    free(comparison->rows);
    free(comparison->settings);
    cup_intern_clear(&comparison->texts);
    *comparison = (struct cup_comparison){0};
}
