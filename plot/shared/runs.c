#include "plot/shared/runs.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/units.h"
#include "analysis/compare/inputs.h"

/* ---- names -------------------------------------------------------------------------------- */

/* Copies the last `parts` of a path, after resolving links. */
static void copy_name(char to[CUP_FITTED], const char *path, int parts)
{
    char *real = realpath(path, NULL);
    const char *whole = real ? real : path, *from = whole + strlen(whole);
    for (; from > whole && parts > 0; from--)
        parts -= from[-1] == '/' && from[0];
    snprintf(to, CUP_FITTED, "%s", from == whole && parts > 0 ? from : from + 1);
    free(real);
}

/* A side is called after its first run. */
static const char *path_of(const struct cup_comparison *comparison, size_t input)
{
    const struct cup_figures *figures = &comparison->inputs[input];
    return figures->run_count ? figures->runs[0].path : figures->path;
}

static bool is_ambiguous(const struct cup_comparison *comparison, size_t input, int parts)
{
    char name[CUP_FITTED], other[CUP_FITTED];
    copy_name(name, path_of(comparison, input), parts);
    for (size_t i = 0; i < comparison->input_count; i++) {
        copy_name(other, path_of(comparison, i), parts);
        if (i != input && strcmp(other, name) == 0)
            return true;
    }
    return false;
}

/* The smallest number of path parts that makes all names different. */
static int count_parts(const struct cup_comparison *comparison)
{
    enum { MOST = 4 };
    for (int parts = 1; parts < MOST; parts++) {
        size_t ambiguous = 0;
        for (size_t i = 0; i < comparison->input_count; i++)
            ambiguous += is_ambiguous(comparison, i, parts);
        if (ambiguous == 0)
            return parts;
    }
    return 1; /* a directory is given twice: only letters differ */
}

static bool name_run(struct cup_plot_runs *runs, struct cup_arena *arena, size_t input, int parts)
{
    enum { ROOM = CUP_FITTED + 40 };
    char name[CUP_FITTED], *text = cup_arena_take(arena, 1, ROOM);
    size_t count = runs->comparison->inputs[input].run_count;
    copy_name(name, path_of(runs->comparison, input), parts);
    if (!text)
        return false;
    snprintf(text, ROOM, "%c: %s%s", cup_input_letter(input), name,
             count ? CUP_FORMAT(" and %zu more", count - 1) : "");
    runs->names[input] = (struct cup_text){text, strlen(text)};
    return true;
}

/* ---- captions ----------------------------------------------------------------------------- */

static int64_t find_start(const struct cup_figures *figures)
{
    const struct cup_run_figure *figure = cup_figures_find(figures, CUP_METRIC_t_start);
    return figure && figure->value.kind == CUP_VALUE_TIME ? figure->value.integer : 0;
}

/* Up to so many runs are named in captions. */
enum { NAMED = 3 };

static void print_names(struct cup_plot_runs *runs)
{
    size_t length = 0;
    for (size_t i = 0; i < runs->comparison->input_count; i++) {
        char start[CUP_HUMAN_READABLE_ROOM] = "";
        int64_t start_ns = find_start(&runs->comparison->inputs[i]);
        if (start_ns)
            cup_print_human_readable(start, cup_time(start_ns), CUP_UNIT_NONE);
        length += (size_t)snprintf(runs->heading + length, sizeof runs->heading - length,
                                   "%s%.40s%s%s%s", i ? "; " : "", runs->names[i].bytes,
                                   *start ? ", " : "", start, *start ? " UTC" : "");
    }
}

static void print_period(struct cup_plot_runs *runs, int64_t last_ns)
{
    const struct cup_comparison *comparison = runs->comparison;
    char when[2 * CUP_HUMAN_READABLE_ROOM + 16] = "";
    if (runs->date_ns)
        snprintf(when, sizeof when, ", %s to %s UTC",
                 CUP_SHOW_VALUE(cup_time(runs->date_ns), CUP_UNIT_NONE),
                 CUP_SHOW_VALUE(cup_time(last_ns), CUP_UNIT_NONE));
    snprintf(runs->heading, sizeof runs->heading, "%zu %s%s; the baseline is %.60s",
             comparison->input_count,
             comparison->inputs[comparison->baseline].run_count ? "sides" : "runs", when,
             runs->names[comparison->baseline].bytes);
}

static void print_heading(struct cup_plot_runs *runs)
{
    int64_t last_ns = 0;
    for (size_t i = 0; i < runs->comparison->input_count; i++) {
        int64_t start_ns = find_start(&runs->comparison->inputs[i]);
        if (start_ns && (!runs->date_ns || start_ns < runs->date_ns))
            runs->date_ns = start_ns;
        last_ns = start_ns > last_ns ? start_ns : last_ns;
    }
    if (runs->comparison->input_count <= NAMED)
        print_names(runs);
    else
        print_period(runs, last_ns);
}

const struct cup_plot_runs *cup_plot_runs_make(struct cup_arena *arena,
                                               const struct cup_comparison *comparison,
                                               const struct cup_target *target)
{
    struct cup_plot_runs *runs = cup_arena_take(arena, 1, sizeof *runs);
    if (!runs)
        return NULL;
    runs->comparison = comparison;
    runs->target = target;
    int parts = count_parts(comparison);
    for (size_t i = 0; i < comparison->input_count; i++)
        if (!name_run(runs, arena, i, parts))
            return NULL;
    print_heading(runs);
    return runs;
}

void cup_caption_add_missing(struct cup_plot_input *input, const bool missing[CUP_COMPARE_MOST])
{
    size_t length = strlen(input->caption);
    bool first = true;
    for (size_t i = 0; i < input->runs->comparison->input_count; i++) {
        if (!missing[i] || length + 8 > sizeof input->caption)
            continue;
        length += (size_t)snprintf(input->caption + length, sizeof input->caption - length, "%s%c",
                                   first ? " n/a: " : ", ", cup_input_letter(i));
        first = false;
    }
    if (!first)
        snprintf(input->caption + length, sizeof input->caption - length, ".");
}
