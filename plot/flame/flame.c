#include "plot/flame/flame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/functions/call_slices.h"
#include "plot/figure/figure.h"
#include "plot/shared/plot.h"

const struct cup_flame_weight cup_flame_weights[CUP_FLAME_WEIGHTS] = {
    [CUP_FLAME_CPU] = {CUP_W_CPU, "cpu", "CPU time", "CPU time", "CPU time (sampled)",
                       "no sample found a task on the CPU"},
    [CUP_FLAME_WAIT] = {CUP_W_WAIT, "wait", "waits", "time waited",
                        "waits of over 1 ms (files, locks, GIL, sockets, sleep)",
                        "no task waited for over 1 ms"},
    [CUP_FLAME_READ] = {CUP_W_READ, "read", "bytes read", "bytes read",
                        "bytes read from data files",
                        "no task read a data file in a known function"},
    [CUP_FLAME_ALLOC] = {CUP_W_ALLOC, "alloc", "bytes allocated", "bytes allocated",
                         "bytes allocated (sampled once per 524 kB)",
                         "no allocation of a task was sampled"},
};

const struct cup_flame_weight *cup_flame_weight_named(const char *plot)
{
    const char *end = strrchr(plot, '-') + 1;
    int which = 0;
    while (which + 1 < CUP_FLAME_WEIGHTS && strcmp(cup_flame_weights[which].name, end) != 0)
        which++;
    return &cup_flame_weights[which];
}

static const void *make_plot(struct cup_plot_input *input, const struct cup_flame_weight *weight,
                             const struct cup_folded *folded)
{
    struct cup_flame_left_out left_out;
    char said[CUP_FLAME_LEFT_OUT_TEXT], asked[CUP_ASK_TEXT];
    double scale = cup_weight_units[weight->weight] == CUP_UNIT_SECONDS ? 1e9 : 1;
    const struct cup_flame *plot =
        cup_flame_make(input->arena, input->totals->calls, folded, weight, scale, &left_out);
    cup_plot_set_caption(
        input, "Width: %s (cupping). Callers are above; your own functions are split by line.%s%s",
        weight->how, cup_call_ask_text(asked, &input->totals->calls->ask),
        cup_flame_left_out_text(said, &left_out));
    return plot;
}

const void *cup_data_flame(struct cup_plot_input *input)
{
    const struct cup_flame_weight *weight = cup_flame_weight_named(input->name);
    const char *missing = cup_stacks_missing(input->totals->profile);
    struct cup_folded folded;
    if (missing || !input->totals->calls)
        return cup_plot_unavailable(input, "%s", missing ? missing : "no stacks were loaded");
    if (!cup_weight_measured(input->totals->profile, weight->weight))
        return cup_plot_unavailable(input, "no process was sampled (CUPPING_CPU_HZ=0)");
    if (cup_fold(&folded, input->totals->calls, weight->weight, CUP_ALL_PREFIXES,
                 CUP_FOLD_USER_LINES) != 0)
        return NULL;
    const void *plot = folded.nodes[0].total ? make_plot(input, weight, &folded)
                                             : cup_plot_unavailable(input, "%s", weight->none);
    cup_folded_free(&folded);
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* Limits of a row's height, as multiples of the letters' size. */
#define LOWEST 0.9
#define HIGHEST 1.7

static const enum cup_paint paints[CUP_FLAME_KINDS] = {
    [CUP_FLAME_USER] = CUP_PAINT_RED,     [CUP_FLAME_COFFEA] = CUP_PAINT_GREEN,
    [CUP_FLAME_READING] = CUP_PAINT_BLUE, [CUP_FLAME_ARRAYS] = CUP_PAINT_SKY,
    [CUP_FLAME_DASK] = CUP_PAINT_GREY,    [CUP_FLAME_STDLIB] = CUP_PAINT_YELLOW,
    [CUP_FLAME_OTHER] = CUP_PAINT_PINK,
};

enum { HOVER = 600 };

/* Boxes are pale, so that names on them can be read. */
#define OPACITY 0.45
static const double shades[CUP_FLAME_SHADE_COUNT + 1] = {0.3, 0.22, 0.45, 0.7};

/* ---- comparing runs: colours of change
 * ------------------------------------------------------------------------ */

enum { LESS, ALIKE, MORE, SIGNS };
static const enum cup_paint sign_paints[SIGNS] = {CUP_PAINT_BLUE, CUP_PAINT_GREY, CUP_PAINT_RED};

static int sign_of(const struct cup_flame_box *box)
{
    return box->shade < 0 ? LESS : box->shade > 0 ? MORE : ALIKE;
}

/* An entry for each shade that is drawn. The first of a colour says what the colour means, the
 * others from which share of the baseline on they are. */
static void add_shade_keys(struct cup_figure *figure, int sign, const bool *seen)
{
    static const char *const names[SIGNS] = {"less", "no visible change", "more"};
    static const double shares[] = CUP_FLAME_SHADES;
    bool first = true;
    for (int shade = 0; shade <= CUP_FLAME_SHADE_COUNT; shade++) {
        if (!seen[shade])
            continue;
        const struct cup_colour colour = figure->theme->paints[sign_paints[sign]];
        if (first)
            cup_figure_add_key(figure, CUP_KEY_BOX, colour, "%s", names[sign]);
        else
            cup_figure_add_key(figure, CUP_KEY_BOX, colour, "by %g %%", 100 * shares[shade - 1]);
        cup_figure_fade_key(figure, shades[shade]);
        first = false;
    }
}

static void add_sign_keys(struct cup_figure *figure, const struct cup_flame *plot)
{
    bool seen[SIGNS][CUP_FLAME_SHADE_COUNT + 1] = {{false}};
    for (size_t i = 0; i < plot->count; i++) {
        int shade = abs(plot->boxes[i].shade);
        seen[sign_of(&plot->boxes[i])]
            [shade < CUP_FLAME_SHADE_COUNT ? shade : CUP_FLAME_SHADE_COUNT] = true;
    }
    for (int sign = 0; sign < SIGNS; sign++)
        add_shade_keys(figure, sign, seen[sign]);
}

/* ---- one run: colours of packages
 * --------------------------------------------------------------------- */

static void add_kind_keys(struct cup_figure *figure, const struct cup_flame *plot)
{
    bool seen[CUP_FLAME_KINDS] = {false};
    for (size_t i = 0; i < plot->count; i++)
        if (!plot->boxes[i].is_all && plot->boxes[i].kind < CUP_FLAME_KINDS)
            seen[plot->boxes[i].kind] = true;
    for (int i = 0; i < CUP_FLAME_KINDS; i++) {
        if (!seen[i])
            continue;
        cup_figure_add_key(figure, CUP_KEY_BOX, figure->theme->paints[paints[i]], "%s",
                           cup_flame_kind_names[i]);
        cup_figure_fade_key(figure, OPACITY);
    }
}

static void add_keys(struct cup_figure *figure, const struct cup_flame *plot)
{
    if (plot->compared)
        add_sign_keys(figure, plot);
    else
        add_kind_keys(figure, plot);
}

static struct cup_colour colour_of(const struct cup_figure *figure, const struct cup_flame *plot,
                                   const struct cup_flame_box *box)
{
    const struct cup_theme *theme = figure->theme;
    return plot->compared ? theme->paints[sign_paints[sign_of(box)]]
           : box->is_all  ? theme->grid
                          : theme->paints[paints[box->kind]];
}

static double opacity_of(const struct cup_flame *plot, const struct cup_flame_box *box)
{
    int shade = abs(box->shade);
    return plot->compared ? shades[shade < CUP_FLAME_SHADE_COUNT ? shade : CUP_FLAME_SHADE_COUNT]
           : box->is_all  ? 1
                          : OPACITY;
}

/* ---- rows and texts ----------------------------------------------------------------------- */

/* How many rows fit; the axis and texts around the area take about nine letters' heights. */
static size_t rows_that_fit(const struct cup_figure *figure, size_t rows)
{
    double text = figure->theme->text, room = (figure->canvas->height - 9 * text) / (text * LOWEST);
    return room < 1 ? 1 : (double)rows < room ? rows : (size_t)room;
}

/* The share of the width that continues below the last row shown. */
static double hidden_share(const struct cup_flame *plot, size_t rows)
{
    double hidden = 0;
    for (size_t i = 0; i < plot->count; i++)
        if (plot->boxes[i].row == rows)
            hidden += plot->boxes[i].to - plot->boxes[i].from;
    return plot->all > 0 ? hidden / plot->all : 0;
}

static void caption_rows(struct cup_figure *figure, const struct cup_flame *plot, size_t rows)
{
    double percent = 100 * hidden_share(plot, rows);
    if (plot->rows <= rows)
        return;
    snprintf(figure->longer_caption, CUP_CAPTION,
             "%s Shown: %zu of %zu rows; %s%.0f %% of the width is below.", figure->caption, rows,
             plot->rows, percent < 1 ? "less than " : "", fmax(percent, 1));
    figure->caption = figure->longer_caption;
}

static char *hover_text(char to[HOVER], const struct cup_flame *plot,
                        const struct cup_flame_box *box)
{
    char amount[24], self[24], change[24], changed[48] = "";
    cup_tick_text(amount, box->to - box->from, plot->unit);
    cup_tick_text(self, box->self, plot->unit);
    cup_tick_text(change, fabs(box->change), plot->unit);
    if (plot->compared)
        snprintf(changed, sizeof changed, "%s%s against the baseline; ",
                 box->change < 0 ? "-" : "+", change);
    snprintf(to, HOVER, "%.90s: %s, %.1f %%; %sself %s", box->whole, amount,
             100 * (box->to - box->from) / plot->all, changed, self);
    return to;
}

/* The name that says the most of those that fit. */
static const char *choose_name(struct cup_figure *figure, const struct cup_flame_box *box,
                               double room, const struct cup_lettering *lettering)
{
    const char *const names[] = {box->qualified, box->packaged};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && cup_canvas_text_width(figure->canvas, names[i], lettering) <= room)
            return names[i];
    return box->name;
}

static void write_name(struct cup_figure *figure, const struct cup_flame_box *box,
                       struct cup_box at)
{
    const struct cup_theme *theme = figure->theme;
    char text[CUP_FITTED];
    struct cup_lettering lettering = {.size = fmin(theme->text * 0.85, at.height * 0.72),
                                      .down = CUP_HOLD_MIDDLE,
                                      .colour = theme->ink};
    double room = at.width - theme->text * 0.4;
    if (room < lettering.size * 3)
        return;
    const char *name = choose_name(figure, box, room, &lettering);
    cup_canvas_fit(figure->canvas, text, name, strlen(name), room, &lettering);
    if (cup_canvas_text_width(figure->canvas, text, &lettering) <= room)
        cup_canvas_text(figure->canvas,
                        (struct cup_point){at.left + theme->text * 0.2, at.top + at.height / 2},
                        text, &lettering);
}

static bool is_sound(const struct cup_flame_box *box)
{
    return isfinite(box->from) && isfinite(box->to) && box->to > box->from && box->from >= 0;
}

static void draw_box(struct cup_figure *figure, const struct cup_flame *plot,
                     const struct cup_flame_box *box, double height)
{
    char hover[HOVER];
    double left = cup_x(figure, box->from), right = cup_x(figure, box->to);
    double hair = fmin(figure->theme->hair, (right - left) / 4);
    struct cup_box at = {left, figure->area.top + box->row * height, right - left - hair,
                         height - figure->theme->hair};
    struct cup_colour colour = colour_of(figure, plot, box);
    cup_canvas_box(figure->canvas, at, colour, opacity_of(plot, box));
    write_name(figure, box, at);
    if (at.width >= figure->theme->text) /* smaller boxes: see the page's own flame graph */
        cup_canvas_add_hover(figure->canvas, at, colour, hover_text(hover, plot, box));
}

void cup_chart_flame(struct cup_figure *figure, const void *data)
{
    const struct cup_flame *plot = data;
    size_t rows = rows_that_fit(figure, plot->rows);
    figure->x = cup_axis_exact(plot->what, plot->unit, plot->all);
    add_keys(figure, plot);
    caption_rows(figure, plot, rows);
    cup_figure_open(figure);
    double height =
        fmin(figure->area.height / (double)(rows ? rows : 1), figure->theme->text * HIGHEST);
    for (size_t i = 0; i < plot->count; i++)
        if (plot->boxes[i].row < rows && plot->boxes[i].kind < CUP_FLAME_KINDS &&
            is_sound(&plot->boxes[i]))
            draw_box(figure, plot, &plot->boxes[i], height);
    cup_figure_close(figure);
}
