#include <math.h>
#include <stdio.h>

#include "plot/compare/compared.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"

/* Verdicts are also words and letters: not everybody can tell the colours apart. */
static const struct {
    enum cup_paint paint;
    const char *name;
    char letter;
} verdicts[] = {
    [CUP_VERDICT_NONE] = {CUP_PAINT_GREY, "neither", '\0'},
    [CUP_VERDICT_BETTER] = {CUP_PAINT_BLUE, "better", 'b'},
    [CUP_VERDICT_WORSE] = {CUP_PAINT_RED, "worse", 'w'},
};
enum { VERDICTS = sizeof verdicts / sizeof *verdicts };

static struct cup_colour colour_of(const struct cup_figure *figure, enum cup_verdict verdict)
{
    return figure->theme->paints[verdicts[verdict].paint];
}

/* With `letters`, the legend explains the letters that stand for the verdicts in the table. */
static void draw_verdict_keys(struct cup_figure *figure, const struct cup_compared_shown *plot,
                              size_t rows, bool letters)
{
    static const enum cup_verdict order[] = {CUP_VERDICT_BETTER, CUP_VERDICT_WORSE,
                                             CUP_VERDICT_NONE};
    for (int k = 0; k < VERDICTS; k++) {
        bool there = false;
        for (size_t row = 0; row < rows; row++)
            for (size_t i = 0; i < plot->run_count; i++)
                there |= i != plot->baseline && !isnan(plot->cells[row][i].ratio) &&
                         plot->cells[row][i].verdict == order[k];
        const char letter[] = {letters ? verdicts[order[k]].letter : '\0', '\0'};
        if (there)
            cup_figure_add_key(figure, CUP_KEY_BOX, colour_of(figure, order[k]), "%s%s%s", letter,
                               *letter ? ": " : "", verdicts[order[k]].name);
    }
}

/* ---- two runs: a bar for each figure ------------------------------------------------------ */

/* Limits of the axis: changes of a few percent must not fill the picture, and one by a factor of a
 * thousand must not make all others invisible. */
static const double least_reach = 2, most_reach = 100;

/* Room for the texts behind the bars, as a share of the room for the bars. */
#define ROOM_FOR_TEXTS 1.1

static struct cup_axis ratio_axis(const struct cup_compared_shown *plot, size_t run, size_t rows)
{
    double low = 1 / least_reach, high = least_reach;
    for (size_t row = 0; row < rows; row++) {
        double ratio = plot->cells[row][run].ratio;
        if (!isfinite(ratio) || ratio <= 0)
            continue;
        double least = plot->cells[row][run].least, most = plot->cells[row][run].most;
        low = fmin(low, 0.95 * (least > 0 ? least : ratio));
        high = fmax(high, 1.05 * (isfinite(most) ? most : ratio));
    }
    low = fmax(low, 1 / most_reach);
    high = fmin(high, most_reach);
    return (struct cup_axis){.unit = CUP_AXIS_NUMBER,
                             .log = true,
                             .exact = true,
                             .low = low,
                             .high = high * pow(high / low, ROOM_FOR_TEXTS)};
}

static bool has_noise(const struct cup_compared_shown *plot, size_t run, size_t rows)
{
    bool has = false;
    for (size_t row = 0; row < rows; row++)
        has |= plot->cells[row][run].most > plot->cells[row][run].least;
    return has;
}

/* Draws a line over the end of the bar: the range of noise. */
static void draw_noise(struct cup_figure *figure, const struct cup_compared_cell *cell, size_t row)
{
    const struct cup_scale *scale = &figure->x.scale;
    double middle = cup_row_top(figure, row) + cup_row_height(figure) / 2;
    if (!(cell->most > cell->least))
        return;
    const struct cup_point points[] = {{cup_x(figure, fmax(cell->least, scale->low)), middle},
                                       {cup_x(figure, fmin(cell->most, scale->high)), middle}};
    cup_canvas_line(figure->canvas, points, 2, figure->theme->ink, figure->theme->line * 0.8, 0);
}

static void write_pair(struct cup_figure *figure, const struct cup_compared_shown *plot, size_t run,
                       size_t row)
{
    const struct cup_compared_cell *cell = &plot->cells[row][run];
    double end = fmax(fmax(1, cell->ratio), cell->most);
    bool judged = cell->verdict != CUP_VERDICT_NONE;
    char whole[4 * CUP_COMPARED_TEXT], brief[CUP_COMPARED_TEXT + 16];
    snprintf(brief, sizeof brief, "%s%s%s", cell->change, judged && *cell->change ? ", " : "",
             judged ? verdicts[cell->verdict].name : "");
    snprintf(whole, sizeof whole, "%s to %s%s%s", plot->cells[row][plot->baseline].value,
             cell->value, *brief ? ", " : "", brief);
    cup_mark_bar_text(figure, row, 1, end, cup_bar_text_fits(figure, end, whole) ? whole : brief);
}

static void draw_pair_row(struct cup_figure *figure, const struct cup_compared_shown *plot,
                          size_t run, size_t row)
{
    const struct cup_compared_cell *cell = &plot->cells[row][run];
    double ratio = fmax(cell->ratio, 1e-9);
    if (!isnan(cell->ratio))
        cup_mark_bar(figure, row, 0, 1, fmin(1, ratio), fmax(1, ratio),
                     colour_of(figure, cell->verdict));
    draw_noise(figure, cell, row);
    write_pair(figure, plot, run, row);
}

/* The legend has room for two names with this many characters together. */
enum { MOST_NAMED = 30 };

static void draw_pair(struct cup_figure *figure, const struct cup_compared_shown *plot, size_t rows)
{
    size_t run = plot->baseline == 0 ? 1 : 0;
    char name[80];
    snprintf(name, sizeof name, "%.*s, relative to %.*s", (int)plot->letters[run].length,
             plot->letters[run].bytes, (int)plot->letters[plot->baseline].length,
             plot->letters[plot->baseline].bytes);
    bool fits = plot->runs[run].length + plot->runs[plot->baseline].length <= MOST_NAMED;
    const struct cup_text *names =
        fits ? plot->runs : plot->letters; /* the caption names both runs */
    cup_figure_add_key(figure, CUP_KEY_NONE, figure->theme->ink, "%.*s, against %.*s",
                       (int)names[run].length, names[run].bytes, (int)names[plot->baseline].length,
                       names[plot->baseline].bytes);
    draw_verdict_keys(figure, plot, rows, false);
    if (has_noise(plot, run, rows))
        cup_figure_add_key(figure, CUP_KEY_LINE, figure->theme->ink,
                           plot->sides ? "spread" : "noise");
    figure->x = ratio_axis(plot, run, rows);
    figure->x.name = name;
    cup_figure_open(figure);
    for (size_t row = 0; row < rows; row++)
        draw_pair_row(figure, plot, run, row);
    cup_mark_upright(figure, 1, figure->theme->ink);
    cup_figure_close(figure);
}

/* ---- more: a table, shaded ---------------------------------------------------------------- */

static struct cup_box cell_box(const struct cup_figure *figure, size_t row, size_t column)
{
    double left = cup_x(figure, (double)column), right = cup_x(figure, (double)column + 1);
    double gap = fmin(figure->theme->hair, (right - left) * 0.1);
    return (struct cup_box){left + gap, cup_row_top(figure, row) + gap, right - left - 2 * gap,
                            cup_row_height(figure) - 2 * gap};
}

/* Forms of a cell's text, from long to short: "8.4 s, -54.9 % b", "-54.9 % b", "b". */
enum form { WHOLE, CHANGE, VERDICT };

static const char *cell_text(char to[3 * CUP_COMPARED_TEXT], const struct cup_compared_shown *plot,
                             size_t row, size_t run, enum form form)
{
    const struct cup_compared_cell *cell = &plot->cells[row][run];
    const char letter[] = {verdicts[cell->verdict].letter, '\0'};
    bool value = form == WHOLE || (form == CHANGE && !*cell->change);
    snprintf(to, 3 * CUP_COMPARED_TEXT, "%s%s%s%s%s", value ? cell->value : "",
             value && *cell->change ? ", " : "", form == VERDICT ? "" : cell->change,
             *letter && form != VERDICT ? " " : "", letter);
    return to;
}

static struct cup_lettering cell_lettering(const struct cup_figure *figure)
{
    return (struct cup_lettering){.size =
                                      fmin(figure->theme->caption, cup_row_height(figure) * 0.75),
                                  .across = CUP_HOLD_MIDDLE,
                                  .down = CUP_HOLD_MIDDLE,
                                  .colour = figure->theme->ink};
}

static bool fits_cell(const struct cup_figure *figure, const struct cup_compared_shown *plot,
                      size_t row, size_t run, enum form form)
{
    char text[3 * CUP_COMPARED_TEXT];
    const struct cup_lettering lettering = cell_lettering(figure);
    cell_text(text, plot, row, run, form);
    return lettering.size >= figure->theme->caption * 0.7 &&
           cup_canvas_text_width(figure->canvas, text, &lettering) <=
               cell_box(figure, row, run).width * 0.97;
}

/* All cells have the same form: the longest that fits into each. The baseline always shows values.
 */
static enum form choose_form(const struct cup_figure *figure, const struct cup_compared_shown *plot,
                             size_t rows)
{
    enum form form = WHOLE;
    for (size_t row = 0; row < rows; row++)
        for (size_t run = 0; run < plot->run_count; run++)
            while (run != plot->baseline && form < VERDICT &&
                   !fits_cell(figure, plot, row, run, form))
                form++;
    return form;
}

static void write_cell(struct cup_figure *figure, const struct cup_compared_shown *plot, size_t row,
                       size_t run, enum form form)
{
    char text[3 * CUP_COMPARED_TEXT];
    const struct cup_box box = cell_box(figure, row, run);
    const struct cup_lettering lettering = cell_lettering(figure);
    const struct cup_point middle = {box.left + box.width / 2, box.top + box.height / 2};
    form = run == plot->baseline ? WHOLE : form;
    if (*cell_text(text, plot, row, run, form) && fits_cell(figure, plot, row, run, form))
        cup_canvas_text(figure->canvas, middle, text, &lettering);
}

static void add_cell_hover(struct cup_figure *figure, const struct cup_compared_shown *plot,
                           size_t row, size_t run, struct cup_box box)
{
    const struct cup_compared_cell *cell = &plot->cells[row][run];
    char text[sizeof(struct cup_hover){0}.text];
    bool judged = cell->verdict != CUP_VERDICT_NONE;
    snprintf(text, sizeof text, "%.*s, %.*s: %.40s%s%.30s%s%s",
             (int)fmin((double)plot->names[row].length, 40), plot->names[row].bytes,
             (int)plot->letters[run].length, plot->letters[run].bytes, cell->value,
             *cell->change ? ", " : "", cell->change, judged ? ", " : "",
             judged ? verdicts[cell->verdict].name : "");
    cup_canvas_add_hover(figure->canvas, box, colour_of(figure, cell->verdict), text);
}

static void draw_cell(struct cup_figure *figure, const struct cup_compared_shown *plot, size_t row,
                      size_t run, enum form form)
{
    const struct cup_compared_cell *cell = &plot->cells[row][run];
    const struct cup_box box = cell_box(figure, row, run);
    double shade = isnan(cell->ratio) ? 0 : 0.06 + 0.54 * fmax(0, fmin(1, cell->strength));
    if (run != plot->baseline)
        cup_canvas_box(figure->canvas, box, colour_of(figure, cell->verdict), shade);
    write_cell(figure, plot, row, run, form);
    add_cell_hover(figure, plot, row, run, box);
}

static void draw_table(struct cup_figure *figure, const struct cup_compared_shown *plot,
                       size_t rows)
{
    draw_verdict_keys(figure, plot, rows, true);
    for (size_t i = 0; i < plot->run_count && plot->run_count <= CUP_COMPARED_NAMED; i++)
        cup_figure_add_key(figure, CUP_KEY_NONE, figure->theme->ink, "%.*s",
                           (int)plot->runs[i].length, plot->runs[i].bytes);
    figure->x = (struct cup_axis){.names = plot->letters, .name_count = plot->run_count};
    cup_figure_open(figure);
    const enum form form = choose_form(figure, plot, rows);
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < plot->run_count; i++)
            draw_cell(figure, plot, row, i, form);
    cup_figure_close(figure);
}

/* How many rows fit if the text of each is to be readable. */
static size_t count_readable_rows(const struct cup_figure *figure, size_t count)
{
    double text = figure->theme->text, room = (figure->canvas->height - 15 * text) / (text * 0.9);
    return room < 1 ? 1 : (double)count < room ? count : (size_t)room;
}

void cup_chart_compare(struct cup_figure *figure, const void *data)
{
    const struct cup_compared_shown *plot = data;
    size_t rows = count_readable_rows(figure, plot->count);
    cup_figure_set_rows(figure, "figures", plot->names, rows, plot->count);
    if (plot->run_count == 2)
        draw_pair(figure, plot, rows);
    else
        draw_table(figure, plot, rows);
}
