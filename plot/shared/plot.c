#include "plot/shared/plot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/units.h"
#include "analysis/profile/summed_text.h"
#include "plot/shared/runs.h"

const struct cup_plot *cup_plot_find(const struct cup_plot_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].name, name) == 0)
            return &table->rows[i];
    return NULL;
}

/* The caption of a plot of single tasks says that there are more. */
static void mark_kept(struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    size_t length = strlen(input->caption);
    snprintf(input->caption + length, sizeof input->caption - length,
             "; only %zu of %" PRIu64 " tasks: the others are summed up", profile->task_count,
             input->totals->all.tasks);
}

int cup_plot_make(const struct cup_plot *plot, struct cup_plot_input *input, const void **data,
                  struct cup_error *error)
{
    input->reason[0] = input->caption[0] = '\0';
    input->name = plot->name;
    bool summed = input->totals && input->totals->profile->tasks_summed;
    *data = summed && plot->of == CUP_PLOT_OF_ALL_TASKS ? cup_plot_unavailable(input, CUP_SUMMED)
                                                        : plot->make(input);
    if (*data && summed && plot->of == CUP_PLOT_OF_SINGLE_TASKS)
        mark_kept(input);
    if (*data)
        return 0;
    return input->reason[0] ? 1 : cup_error_memory(error, plot->name);
}

const void *cup_plot_unavailable(struct cup_plot_input *input, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(input->reason, sizeof input->reason, format, arguments);
    va_end(arguments);
    return NULL;
}

void cup_plot_set_caption(struct cup_plot_input *input, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(input->caption, sizeof input->caption, format, arguments);
    va_end(arguments);
}

const char *cup_plot_left_out_connections(const struct cup_plot_input *input)
{
    return cup_profile_is_without_dask(input->totals->profile)
               ? ""
               : "; Dask's own connections are left out";
}

char *cup_count_text(char to[64], uint64_t count, const char *what)
{
    snprintf(to, 64, "%.30s %.24s%s", CUP_SHOW_VALUE(cup_count(count), CUP_UNIT_COUNT), what,
             count == 1 ? "" : "s");
    return to;
}

char *cup_part_text(char to[128], uint64_t part, uint64_t whole, const char *what)
{
    char count[64];
    int length = snprintf(to, 128, "%s", cup_count_text(count, part, what));
    if (part < whole)
        snprintf(to + length, 128 - (size_t)length, " (of %.30s)",
                 CUP_SHOW_VALUE(cup_count(whole), CUP_UNIT_COUNT));
    return to;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* Resolves symbolic links: a run is named by its own directory, not by a link to it. */
void cup_plot_run_name(char *to, size_t room, const struct cup_profile *profile)
{
    char *real = realpath(profile->path, NULL);
    const char *path = real ? real : profile->path, *slash = strrchr(path, '/');
    snprintf(to, room, "%s", slash && slash[1] ? slash + 1 : path);
    free(real);
}

/* Prints the run's name and date: "demo, 2026-11-22 23:15:37 UTC. " */
static void print_run(char *to, size_t room, const struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    char name[128], start[CUP_HUMAN_READABLE_ROOM] = "", which[48] = "";
    if (input->runs) {
        snprintf(to, room, "%s. ", input->runs->heading);
        return;
    }
    cup_plot_run_name(name, sizeof name, totals->profile);
    if (totals->run.start_ns)
        cup_print_human_readable(start, cup_time(totals->run.start_ns), CUP_UNIT_NONE);
    if (totals->profile->run_count > 1 && totals->profile->run)
        snprintf(which, sizeof which, ", run %u of %zu", totals->profile->run,
                 totals->profile->run_count);
    snprintf(to, room, "%s%s%s%s%s. ", name, which, *start ? ", " : "", start,
             *start ? " UTC" : "");
}

static void print_caption(struct cup_drawing *drawing, const struct cup_plot_input *input)
{
    print_run(drawing->caption, sizeof drawing->caption, input);
    size_t length = strlen(drawing->caption);
    drawing->own_caption = drawing->caption + length;
    snprintf(drawing->caption + length, sizeof drawing->caption - length, "%s", input->caption);
}

int cup_plot_draw(const struct cup_plot *plot, const struct cup_plot_input *input, const void *data,
                  const struct cup_sheet *style, struct cup_drawing *drawing,
                  struct cup_error *error)
{
    struct cup_canvas *canvas = &drawing->canvas;
    struct cup_sheet sheet = *style;
    sheet.name = plot->name;
    sheet.title = plot->title;
    sheet.date_ns = input->runs ? input->runs->date_ns : input->totals->run.start_ns;
    struct cup_theme theme = cup_theme_make(style->width, style->height, style->dark);
    if (style->for_page) /* small texts must be readable on a narrow window */
        theme.caption = 0.9 * theme.text;
    struct cup_figure figure = {
        .canvas = canvas, .theme = &theme, .title = plot->title, .caption = drawing->caption};
    print_caption(drawing, input);
    if (cup_canvas_open(canvas, &sheet, error) != 0)
        return -1;
    plot->draw(&figure, data);
    if (figure.caption == figure.longer_caption)
        snprintf(drawing->caption, sizeof drawing->caption, "%s", figure.longer_caption);
    int result = cup_canvas_finish(canvas, &drawing->bytes, error);
    if (result != 0)
        cup_canvas_close(canvas);
    drawing->key_count = figure.key_count < CUP_KEYS ? figure.key_count : CUP_KEYS;
    memcpy(drawing->keys, figure.keys, sizeof drawing->keys);
    return result;
}
