#include "plot/page/page_parts.h"

#include <math.h>
#include <string.h>

#include "analysis/write/html.h"
#include "plot/figure/svg.h"
#include "plot/figure/theme.h"

/* The plots at the front, in this order. The first one is as wide as the page, as is the first plot
 * of several runs. */
static const char *const front[] = {"worker-count", "time-budget", "task-stream", "runtime-events",
                                    "event-rate"};
enum { FRONT = sizeof front / sizeof *front };

static bool is_front(const struct cup_plot *plot)
{
    for (int i = 0; i < FRONT; i++)
        if (strcmp(front[i], plot->name) == 0)
            return true;
    return false;
}

/* ---- legends ------------------------------------------------------------------------------ */

static bool is_repeated(const struct cup_drawing *drawing, size_t key)
{
    const char *name = cup_paint_name(drawing->keys[key].colour);
    for (size_t i = 0; i < key; i++) {
        const char *other = cup_paint_name(drawing->keys[i].colour);
        if (other && strcmp(name, other) == 0)
            return true;
    }
    return false;
}

/* True if a paint is used by more than its box in the legend. A density, for example, has only
 * shades. */
static bool is_used(const struct cup_bytes *shapes, const char *paint)
{
    char class[32];
    int length = snprintf(class, sizeof class, "class=\"%s", paint), found = 0;
    const char *at = (const char *)shapes->bytes;
    while (found < 2 && (at = strstr(at, class))) {
        at += length;
        found += *at == '"' || *at == ' ';
    }
    return found == 2;
}

/* Writes a switch for each colour of the legend. They are hidden until the script of the page shows
 * them. */
static void write_keys(FILE *out, const struct cup_drawing *drawing)
{
    fputs("<ul class=\"keys\" aria-label=\"Shown in the plot\" hidden>\n", out);
    for (size_t i = 0; i < drawing->key_count; i++) {
        const struct cup_key *key = &drawing->keys[i];
        const char *paint = cup_paint_name(key->colour);
        if (key->mark == CUP_KEY_NONE || !paint || is_repeated(drawing, i) ||
            !is_used(drawing->bytes, paint))
            continue;
        fprintf(out,
                "<li><button type=\"button\" aria-pressed=\"true\" data-paint=\"%s\">"
                "<i style=\"background:var(--%s)\"></i>",
                paint, paint);
        cup_html_string(out, key->text);
        fputs("</button></li>\n", out);
    }
    fputs("</ul>\n", out);
}

/* ---- pictures ------------------------------------------------------------------------------ */

/* Without the page's script, browsers show the title. */
static void write_hover(FILE *out, const struct cup_hover *hover)
{
    const struct cup_box *box = &hover->box;
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", box->left, box->top,
            fmax(box->width, 0.5), fmax(box->height, 0.5));
    cup_svg_write_class(out, hover->colour);
    fputs("><title>", out);
    cup_html_string(out, hover->text);
    fputs("</title></rect>\n", out);
}

static void write_head(FILE *out, const struct cup_plot *plot, const struct cup_canvas *canvas,
                       const char *caption)
{
    fprintf(out,
            "<svg viewBox=\"0 0 %g %g\" role=\"img\" "
            "aria-labelledby=\"%s-title\" aria-describedby=\"%s-desc\">\n"
            "<title id=\"%s-title\">",
            canvas->width, canvas->height, plot->name, plot->name, plot->name);
    cup_html_string(out, plot->title);
    fprintf(out, "</title>\n<desc id=\"%s-desc\">", plot->name);
    cup_html_string(out, caption);
    fputs("</desc>\n", out);
}

void cup_page_svg(FILE *out, const struct cup_plot *plot, const struct cup_canvas *canvas,
                  const struct cup_bytes *shapes, const char *caption)
{
    write_head(out, plot, canvas, caption);
    fputs("<g class=\"shapes\" aria-hidden=\"true\">\n", out);
    fwrite(shapes->bytes, 1, shapes->count, out);
    fputs("</g>\n<g class=\"texts\" aria-hidden=\"true\">\n", out);
    cup_svg_write_texts(out, canvas);
    fputs("</g>\n<g class=\"tips\" aria-hidden=\"true\">\n", out);
    for (size_t i = 0; i < canvas->hover_count; i++)
        write_hover(out, &canvas->hovers[i]);
    fputs("</g>\n</svg>\n", out);
}

/* ---- figures ------------------------------------------------------------------------------ */

/* The picture contains its title; the hidden heading is for screen readers. */
static void begin_figure(const struct cup_page_plots *plots, const struct cup_plot *plot,
                         bool first)
{
    FILE *out = plots->out;
    fprintf(out,
            "<figure class=\"plot%s\" id=\"plot-%s\" aria-labelledby=\"plot-%s-name\">\n"
            "<figcaption><h3 class=\"unseen\" id=\"plot-%s-name\">%s</h3>",
            first ? " first" : "", plot->name, plot->name, plot->name, plot->title);
    fprintf(out, "<a class=\"here\" href=\"#plot-%s\" aria-label=\"Link to this plot\">#</a> ",
            plot->name);
    cup_html_string(out, plot->answers);
    fprintf(out,
            "</figcaption>\n"
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%s\">\n",
            plot->title);
    fprintf(plots->contents, "<li><a href=\"#plot-%s\">%s</a></li>\n", plot->name, plot->title);
}

/* The sheets are smaller than those of files, so that letters are larger on the page. */
static int write_figure(const struct cup_page_plots *plots, const struct cup_plot *plot,
                        const struct cup_plot_input *input, const void *data)
{
    bool first = strcmp(plot->name, front[0]) == 0 || (plots->runs && plot == plots->table->rows);
    const struct cup_sheet style = {
        .width = first ? 11 : 6.5, .height = first ? 3.9 : 4.2, .for_page = true};
    struct cup_drawing drawing;
    if (cup_plot_draw(plot, input, data, &style, &drawing, plots->error) != 0)
        return -1;
    begin_figure(plots, plot, first);
    cup_page_svg(plots->out, plot, &drawing.canvas, drawing.bytes, drawing.caption);
    fputs("</div>\n", plots->out);
    write_keys(plots->out, &drawing);
    fputs("</figure>\n", plots->out);
    cup_canvas_close(&drawing.canvas);
    return 0;
}

static void list_left_out(const struct cup_page_plots *plots, const struct cup_plot *plot,
                          const char *reason)
{
    fputs("<li>", plots->left_out);
    cup_html_string(plots->left_out, plot->title);
    fputs(": ", plots->left_out);
    cup_html_string(plots->left_out, reason);
    fputs("</li>\n", plots->left_out);
}

static int write_plot(const struct cup_page_plots *plots, const struct cup_plot *plot)
{
    struct cup_arena arena = {0};
    struct cup_plot_input input = {.totals = plots->totals, .runs = plots->runs, .arena = &arena};
    const void *data;
    int result = cup_plot_make(plot, &input, &data, plots->error);
    if (result == 0) {
        result = write_figure(plots, plot, &input, data);
    } else if (result > 0) {
        list_left_out(plots, plot, input.reason);
        result = 0;
    }
    cup_arena_clear(&arena);
    return result;
}

int cup_page_plots(const struct cup_page_plots *plots, bool at_front)
{
    int result = 0;
    for (int i = 0; at_front && i < FRONT && result == 0; i++)
        result = write_plot(plots, cup_plot_find(plots->table, front[i]));
    for (size_t i = 0; !at_front && i < plots->table->count && result == 0; i++)
        if (!is_front(&plots->table->rows[i]))
            result = write_plot(plots, &plots->table->rows[i]);
    return result;
}
