/* What a comparison says in one sentence. */
#include <stdio.h>
#include <string.h>

#include "analysis/compare/compare.h"
#include "analysis/compare/inputs.h"

static const struct cup_compared *find_metric(const struct cup_comparison *comparison,
                                              enum cup_metric_id metric)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (!*comparison->rows[i].row &&
            strcmp(comparison->rows[i].name, cup_metric(metric)->name) == 0 &&
            strcmp(comparison->rows[i].section, cup_metric_section(metric)->name) == 0)
            return &comparison->rows[i];
    return NULL;
}

static void add_text(char to[CUP_VERDICT_TEXT], const char *text)
{
    strncat(to, text, CUP_VERDICT_TEXT - strlen(to) - 1);
}

/* Whether the change is more than noise. */
static void add_noise(char to[CUP_VERDICT_TEXT], const struct cup_change *change)
{
    if (isnan(change->noise))
        add_text(to, "; whether that is more than noise is not known, because a run has too few "
                     "chunks or their times are n/a");
    else
        add_text(to, CUP_FORMAT(change->verdict != CUP_VERDICT_NONE
                                    ? ", more than the runs' own noise of %.0f %%"
                                    : ", which is not more than the runs' own noise of %.0f %%",
                                100 * change->noise));
}

/* "(6.2 s against 7.1 s)" */
static void add_values(char to[CUP_VERDICT_TEXT], const struct cup_comparison *comparison,
                       const struct cup_compared *row, size_t input)
{
    size_t length = strlen(to);
    snprintf(to + length, CUP_VERDICT_TEXT - length, " (%s against %s)",
             CUP_SHOW_VALUE(cup_compared_value(row, input), row->unit),
             CUP_SHOW_VALUE(cup_compared_value(row, comparison->baseline), row->unit));
}

/* The use of the threads' time that changed the most in the direction of the wall time. Only
 * between runs with the same threads: others divide their time differently. */
static void add_largest_part(char to[CUP_VERDICT_TEXT], const struct cup_comparison *comparison,
                             size_t input, bool less)
{
    static const struct {
        enum cup_metric_id metric;
        const char *text;
    } parts[] = {
        {CUP_METRIC_task_cpu_s, "CPU in tasks"},
        {CUP_METRIC_BUDGET_IO, "waiting for files"},
        {CUP_METRIC_BUDGET_GIL, "waiting for the GIL"},
        {CUP_METRIC_BUDGET_LOCK, "waiting for other locks"},
        {CUP_METRIC_BUDGET_RUN_DELAY, "waiting for a CPU core"},
        {CUP_METRIC_idle_s, "idle threads"},
    };
    const char *text = NULL;
    struct cup_value most = cup_null();
    double size = 0;
    for (size_t i = 0; i < comparison->difference_count; i++)
        if (strcmp(comparison->differences[i].what, "workers") == 0 ||
            strcmp(comparison->differences[i].what, "threads of a worker") == 0)
            return;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct cup_compared *row = find_metric(comparison, parts[i].metric);
        struct cup_value by = row ? cup_change_of(comparison, row, input).by : cup_null();
        double change = cup_number(by) * (less ? -1 : 1);
        if (change > size) {
            size = change;
            most = by;
            text = parts[i].text;
        }
    }
    size_t length = strlen(to);
    if (text)
        snprintf(to + length, CUP_VERDICT_TEXT - length,
                 "; of the threads' time, %s changed the most (%s%s)", text, less ? "" : "+",
                 CUP_SHOW_VALUE(most, CUP_UNIT_SECONDS));
}

char *cup_compare_verdict(char to[CUP_VERDICT_TEXT], const struct cup_comparison *comparison,
                          size_t input)
{
    bool wall = comparison->same_work;
    const char *of = cup_input_name(input), *from = cup_input_name(comparison->baseline);
    const char *what = wall ? "wall time" : "events per second";
    const struct cup_compared *row =
        find_metric(comparison, wall ? CUP_METRIC_wall_time : CUP_METRIC_event_rate_wall_khz);
    struct cup_change change = {.by = cup_null(), .relative = cup_null()};
    if (row)
        change = cup_change_of(comparison, row, input);
    double relative = cup_number(change.relative), percent = 100 * fabs(relative);
    if (isnan(relative)) {
        snprintf(to, CUP_VERDICT_TEXT,
                 "Whether %s is faster than %s is not known: %s of one of them is n/a.", of, from,
                 what);
        return to;
    }
    if (change.verdict == CUP_VERDICT_NONE)
        snprintf(to, CUP_VERDICT_TEXT, "%s against %s: %s %+.1f %%", of, from, what,
                 100 * relative);
    else
        snprintf(to, CUP_VERDICT_TEXT, "%s %s %.0f %% %s %s", of, wall ? "is" : "has", percent,
                 wall           ? relative < 0 ? "faster than" : "slower than"
                 : relative < 0 ? "fewer events per second than"
                                : "more events per second than",
                 from);
    add_values(to, comparison, row, input);
    add_noise(to, &change);
    if (change.verdict != CUP_VERDICT_NONE && wall)
        add_largest_part(to, comparison, input, relative < 0);
    add_text(to, ".");
    return to;
}
