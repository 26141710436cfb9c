/* What a comparison says in one sentence. */
#include <stdarg.h>
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

__attribute__((format(printf, 2, 3))) static void add_text(char to[CUP_VERDICT_TEXT],
                                                           const char *format, ...)
{
    size_t length = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to + length, CUP_VERDICT_TEXT - length, format, arguments);
    va_end(arguments);
}

/* ---- what changed ----------------------------------------------------------------------- */

/* A use of the threads' time, and the words for less of it and for itself. */
static const struct part {
    enum cup_metric_id metric;
    const char *text;
} parts[] = {
    {CUP_METRIC_task_cpu_s, "CPU in tasks"},
    {CUP_METRIC_BUDGET_IO, "waiting for files"},
    {CUP_METRIC_BUDGET_GIL, "waiting for the GIL"},
    {CUP_METRIC_BUDGET_LOCK, "waiting for other locks"},
    {CUP_METRIC_BUDGET_RUN_DELAY, "waiting for a CPU core"},
    {CUP_METRIC_BUDGET_SLEEP, "sleeping"},
    {CUP_METRIC_BUDGET_POLL, "waiting for sockets and pipes"},
    {CUP_METRIC_dask_between_tasks_s, "time between tasks"},
    {CUP_METRIC_idle_s, "idle threads"},
};

/* True also if one of the two sides does not know it. */
static bool may_differ(const struct cup_comparison *comparison, size_t input, const char *what)
{
    const struct cup_setting *setting = cup_setting_find(comparison, what);
    return !setting || setting->differs || !setting->texts[input] ||
           !setting->texts[comparison->baseline];
}

/* The part that changed the most in the direction of the wall time, of several runs a side by more
 * than their spread; NULL: none. *by is its change. */
static const struct part *find_largest_part(const struct cup_comparison *comparison, size_t input,
                                            bool less, struct cup_value *by)
{
    const struct part *largest = NULL;
    double size = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct cup_compared *row = find_metric(comparison, parts[i].metric);
        if (!row)
            continue;
        struct cup_change change = cup_change_of(comparison, row, input);
        double seconds = cup_number(change.by) * (less ? -1 : 1);
        if (!(seconds > size) || (cup_has_several_runs(comparison, input) &&
                                  !(seconds > cup_change_noise(comparison, row, input))))
            continue;
        size = seconds;
        *by = change.by;
        largest = &parts[i];
    }
    return largest;
}

/* Only between runs with the same threads: others divide their time differently. */
static void add_largest_part(char to[CUP_VERDICT_TEXT], const struct cup_comparison *comparison,
                             size_t input, bool less)
{
    struct cup_value by;
    if (may_differ(comparison, input, "workers") ||
        may_differ(comparison, input, "threads of a worker"))
        return;
    const struct part *part = find_largest_part(comparison, input, less, &by);
    if (part)
        add_text(to, ": %s %s (%s%s of the threads' time)", less ? "less" : "more", part->text,
                 less ? "" : "+", CUP_SHOW_VALUE(by, CUP_UNIT_SECONDS));
}

/* ---- the sentence ----------------------------------------------------------------------- */

/* "2.5 %", "31 %" */
#define SHOW_PERCENT(share) CUP_FORMAT((share) < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * (share))

/* What the sentence is about. */
struct subject {
    const struct cup_comparison *comparison;
    const struct cup_compared *row;
    struct cup_change change;
    size_t input;
    bool wall;             /* the wall time; else events per second */
    const char *of, *from; /* names of the input and of the baseline */
};

/* "(6.20 s against 7.10 s)" */
static void add_values(char to[CUP_VERDICT_TEXT], const struct subject *subject)
{
    const struct cup_compared *row = subject->row;
    add_text(to, " (%s against %s)",
             CUP_SHOW_VALUE(cup_compared_value(row, subject->input), row->unit),
             CUP_SHOW_VALUE(cup_compared_value(row, subject->comparison->baseline), row->unit));
}

/* "B is 12 % faster than A (6.20 s against 7.10 s)"; from twice the time on, a factor is easier to
 * read than a percentage. */
static void add_difference(char to[CUP_VERDICT_TEXT], const struct subject *subject)
{
    double relative = cup_number(subject->change.relative);
    if (relative >= 1)
        add_text(to, "%s %s %.1f times %s %s", subject->of, subject->wall ? "takes" : "has",
                 relative + 1, subject->wall ? "as long as" : "as many events per second as",
                 subject->from);
    else
        add_text(to, "%s %s %s %s %s", subject->of, subject->wall ? "is" : "has",
                 SHOW_PERCENT(fabs(relative)),
                 subject->wall  ? (relative < 0 ? "faster than" : "slower than")
                 : relative < 0 ? "fewer events per second than"
                                : "more events per second than",
                 subject->from);
    add_values(to, subject);
}

static void add_no_difference(char to[CUP_VERDICT_TEXT], const struct subject *subject,
                              const char *noise)
{
    add_text(to, "No difference between %s and %s beyond noise: %s %+.1f %%", subject->of,
             subject->from, subject->wall ? "wall time" : "events per second",
             100 * cup_number(subject->change.relative));
    add_values(to, subject);
    add_text(to, ", and %s is %s", noise, SHOW_PERCENT(subject->change.noise));
}

/* The inputs whose figure is n/a. */
static const char *name_unknown(const struct subject *subject)
{
    size_t baseline = subject->comparison->baseline;
    bool of =
        !subject->row || cup_compared_value(subject->row, subject->input).kind == CUP_VALUE_NULL;
    bool from = !subject->row || cup_compared_value(subject->row, baseline).kind == CUP_VALUE_NULL;
    return of == from ? "both" : of ? subject->of : subject->from;
}

static void judge_several(char to[CUP_VERDICT_TEXT], const struct subject *subject)
{
    if (subject->change.verdict == CUP_VERDICT_NONE) {
        add_no_difference(to, subject, "the runs' own spread");
        return;
    }
    add_difference(to, subject);
    add_text(to, ", more than the runs' own spread of %s", SHOW_PERCENT(subject->change.noise));
    if (subject->wall)
        add_largest_part(to, subject->comparison, subject->input,
                         cup_number(subject->change.relative) < 0);
}

/* The chunks of one run show noise, but not all: see cup_figure_noise(). */
static void describe_single(char to[CUP_VERDICT_TEXT], const struct subject *subject)
{
    const struct cup_figures *inputs = subject->comparison->inputs;
    bool both = inputs[subject->input].run_count == 0 &&
                inputs[subject->comparison->baseline].run_count == 0;
    double relative = cup_number(subject->change.relative);
    if (fabs(relative) < CUP_LEAST_CHANGE || fabs(relative) <= subject->change.noise) {
        if (subject->change.noise > 0)
            add_no_difference(to, subject, "the noise of the chunks");
        else
            add_text(to, "No difference between %s and %s", subject->of, subject->from);
        return;
    }
    add_difference(to, subject);
    if (subject->wall)
        add_largest_part(to, subject->comparison, subject->input, relative < 0);
    add_text(to, ". Whether runs of the same job differ as much is not known: %s",
             both                                    ? "there is one run a side"
             : inputs[subject->input].run_count == 0 ? CUP_FORMAT("%s is one run", subject->of)
                                                     : CUP_FORMAT("%s is one run", subject->from));
}

/* A smaller change of the largest memory of a worker is not worth a sentence. */
static const double LEAST_MEMORY_CHANGE = 0.2;

/* The larger of what samples and what tasks saw, as in the report; NAN: not known. *ROW is where it
 * stands. */
static double find_memory(const struct cup_comparison *comparison, size_t input,
                          const struct cup_compared **row)
{
    static const enum cup_metric_id metrics[] = {CUP_METRIC_peak_task_rss_bytes,
                                                 CUP_METRIC_peak_memory_bytes};
    double most = NAN;
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const struct cup_compared *seen = find_metric(comparison, metrics[i]);
        double bytes = seen ? cup_number(cup_compared_value(seen, input)) : NAN;
        if (isnan(bytes) || bytes <= most)
            continue;
        most = bytes;
        *row = seen;
    }
    return most;
}

/* How fast a run was does not say that its workers need another limit of memory. */
static void add_memory(char to[CUP_VERDICT_TEXT], const struct cup_comparison *comparison,
                       size_t input)
{
    const struct cup_compared *row = NULL;
    double before = find_memory(comparison, comparison->baseline, &row);
    double now = find_memory(comparison, input, &row), relative = now / before - 1;
    if (!(fabs(relative) >= LEAST_MEMORY_CHANGE) ||
        (cup_has_several_runs(comparison, input) &&
         !(fabs(relative) > cup_change_of(comparison, row, input).noise)))
        return;
    add_text(to, " Memory of a worker, at most: %s against %s (%+.0f %%).", CUP_SHOW_BYTES(now),
             CUP_SHOW_BYTES(before), 100 * relative);
}

/* It is not known whether the run is complete, and it had a plan, or another run went on with it.
 */
static bool is_doubtful(const struct cup_figures *figures)
{
    bool overlaps = figures->completeness && strstr(figures->completeness, "another run went on");
    return figures->state == CUP_RUN_UNKNOWN &&
           (overlaps || !isnan(cup_figures_number(figures, CUP_METRIC_planned_chunks)));
}

/* An incomplete run takes less time. */
static void add_incomplete(char to[CUP_VERDICT_TEXT], const struct subject *subject)
{
    const size_t both[] = {subject->comparison->baseline, subject->input};
    for (int i = 0; i < 2; i++) {
        const struct cup_figures *figures = &subject->comparison->inputs[both[i]];
        if (is_doubtful(figures) ||
            (figures->state != CUP_RUN_COMPLETE && figures->state != CUP_RUN_UNKNOWN))
            add_text(to, " %s: %s", cup_input_name(both[i]),
                     figures->completeness ? figures->completeness : "not complete.");
    }
}

static const struct cup_compared *find_speed(const struct cup_comparison *comparison)
{
    return find_metric(comparison, comparison->same_work ? CUP_METRIC_wall_time
                                                         : CUP_METRIC_event_rate_wall_khz);
}

struct cup_change cup_compare_speed(const struct cup_comparison *comparison, size_t input)
{
    const struct cup_compared *row = find_speed(comparison);
    return row ? cup_change_of(comparison, row, input)
               : (struct cup_change){.by = cup_null(), .relative = cup_null(), .noise = NAN};
}

char *cup_compare_verdict(char to[CUP_VERDICT_TEXT], const struct cup_comparison *comparison,
                          size_t input)
{
    bool wall = comparison->same_work;
    struct subject subject = {.comparison = comparison,
                              .row = find_speed(comparison),
                              .change = cup_compare_speed(comparison, input),
                              .input = input,
                              .wall = wall,
                              .of = cup_input_name(input),
                              .from = cup_input_name(comparison->baseline)};
    to[0] = '\0';
    if (!subject.row || isnan(cup_number(subject.change.relative)))
        add_text(to, "It is not known whether %s is faster than %s: %s of %s is n/a", subject.of,
                 subject.from, wall ? "the wall time" : "the number of events per second",
                 name_unknown(&subject));
    else if (cup_has_several_runs(comparison, input))
        judge_several(to, &subject);
    else
        describe_single(to, &subject);
    add_text(to, ".");
    add_memory(to, comparison, input);
    add_incomplete(to, &subject);
    return to;
}
