#include "plot/plots.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/units.h"
#include "plot/charts.h"
#include "plot/figure/figure.h"
#include "plot/shared/runs.h"

#define X(id, name, title, answers) {name, title, answers, cup_data_##id, cup_chart_##id},
const struct cup_plot cup_plots[] = {CUP_CHARTS(X)};
const struct cup_plot cup_run_plots[] = {CUP_RUN_CHARTS(X)};
#undef X
const size_t cup_plot_count = sizeof cup_plots / sizeof *cup_plots;
const size_t cup_run_plot_count = sizeof cup_run_plots / sizeof *cup_run_plots;

const struct cup_plot_missing cup_plots_missing[] = {
    {NULL, NULL, NULL}, /* the end, for there may be none */
};
const size_t cup_plots_missing_count = sizeof cup_plots_missing / sizeof *cup_plots_missing - 1;

const char *const cup_format_names[] = {
    [CUP_FORMAT_PNG] = "png", [CUP_FORMAT_SVG] = "svg", [CUP_FORMAT_PDF] = "pdf"};

const struct cup_plot_missing *cup_find_missing_plot(const char *name)
{
    for (size_t i = 0; i < cup_plots_missing_count; i++)
        if (strcmp(cup_plots_missing[i].name, name) == 0)
            return &cup_plots_missing[i];
    return NULL;
}

static const struct cup_plot *find(const struct cup_plot *plots, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(plots[i].name, name) == 0)
            return &plots[i];
    return NULL;
}

const struct cup_plot *cup_find_plot(const char *name)
{
    return find(cup_plots, cup_plot_count, name);
}

const struct cup_plot *cup_find_run_plot(const char *name)
{
    return find(cup_run_plots, cup_run_plot_count, name);
}

const void *cup_plot_none(struct cup_plot_input *input, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(input->reason, sizeof input->reason, format, arguments);
    va_end(arguments);
    return NULL;
}

void cup_plot_say(struct cup_plot_input *input, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(input->caption, sizeof input->caption, format, arguments);
    va_end(arguments);
}

char *cup_plot_counted(char to[64], uint64_t count, const char *what)
{
    char number[CUP_HUMAN_READABLE_ROOM];
    snprintf(to, 64, "%.30s %.24s%s",
             cup_print_human_readable(number, cup_count(count), CUP_UNIT_COUNT), what,
             count == 1 ? "" : "s");
    return to;
}

int cup_plot_make(const struct cup_plot *plot, struct cup_plot_input *input, const void **data,
                  struct cup_error *error)
{
    input->reason[0] = input->caption[0] = '\0';
    *data = plot->make(input);
    if (*data)
        return 0;
    return input->reason[0] ? 1 : cup_error_memory(error, plot->name);
}

/* ---- drawing ------------------------------------------------------------------------------ */

/* And not that of a link to it. */
void cup_plot_run_name(char *to, size_t room, const struct cup_profile *profile)
{
    char *real = realpath(profile->path, NULL);
    const char *path = real ? real : profile->path, *slash = strrchr(path, '/');
    snprintf(to, room, "%s", slash && slash[1] ? slash + 1 : path);
    free(real);
}

/* Which run, when, and what was counted. */
static void print_caption(char *to, size_t room, const struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    char name[128], start[CUP_HUMAN_READABLE_ROOM] = "", which[48] = "";
    if (input->runs) {
        snprintf(to, room, "%s. %s", input->runs->heading, input->caption);
        return;
    }
    cup_plot_run_name(name, sizeof name, totals->profile);
    if (totals->run.start_ns)
        cup_print_human_readable(start, cup_time(totals->run.start_ns), CUP_UNIT_NONE);
    if (totals->profile->run_count > 1 && totals->profile->run)
        snprintf(which, sizeof which, ", run %u of %zu", totals->profile->run,
                 totals->profile->run_count);
    snprintf(to, room, "%s%s%s%s%s. %s", name, which, *start ? ", " : "", start,
             *start ? " UTC" : "", input->caption);
}

static int draw(const struct cup_plot *plot, const void *data, const struct cup_sheet *sheet,
                bool dark, struct cup_legend *legend, struct cup_canvas *canvas,
                const struct cup_bytes **bytes, struct cup_error *error)
{
    struct cup_theme look = cup_theme_make(sheet->width, sheet->height, dark);
    struct cup_figure figure = {
        .canvas = canvas, .look = &look, .title = plot->title, .caption = legend->caption};
    if (cup_canvas_open(canvas, sheet, error) != 0)
        return -1;
    plot->draw(&figure, data);
    int result = cup_canvas_finish(canvas, bytes, error);
    if (result != 0)
        cup_canvas_close(canvas);
    legend->count = figure.key_count < CUP_KEYS ? figure.key_count : CUP_KEYS;
    memcpy(legend->keys, figure.keys, sizeof legend->keys);
    return result;
}

static struct cup_sheet make_sheet(const struct cup_plot *plot, const struct cup_plot_input *input,
                                   const struct cup_plot_style *style)
{
    return (struct cup_sheet){.format = style->format,
                              .width = style->width,
                              .height = style->height,
                              .pixels = style->pixels,
                              .name = plot->name,
                              .title = plot->title,
                              .date_ns =
                                  input->runs ? input->runs->date_ns : input->totals->run.start_ns};
}

int cup_plot_draw(const struct cup_plot *plot, const struct cup_plot_input *input, const void *data,
                  const struct cup_plot_style *style, struct cup_canvas *canvas,
                  const struct cup_bytes **bytes, struct cup_error *error)
{
    struct cup_legend legend;
    const struct cup_sheet sheet = make_sheet(plot, input, style);
    print_caption(legend.caption, sizeof legend.caption, input);
    return draw(plot, data, &sheet, style->dark, &legend, canvas, bytes, error);
}

int cup_plot_draw_for_page(const struct cup_plot *plot, const struct cup_plot_input *input,
                           const void *data, const struct cup_plot_style *style,
                           struct cup_legend *legend, struct cup_canvas *canvas,
                           const struct cup_bytes **bytes, struct cup_error *error)
{
    struct cup_sheet sheet = make_sheet(plot, input, style);
    sheet.for_page = true;
    print_caption(legend->caption, sizeof legend->caption, input);
    return draw(plot, data, &sheet, false, legend, canvas, bytes, error);
}
