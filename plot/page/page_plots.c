#include "plot/page/page_parts.h"

#include <math.h>
#include <string.h>

#include "analysis/write/html.h"
#include "plot/figure/svg.h"
#include "plot/figure/theme.h"

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

/* Shows the part above the caption: see page_parts.h. */
static void write_head(FILE *out, const struct cup_plot *plot, const struct cup_canvas *canvas)
{
    fprintf(out,
            "<svg viewBox=\"0 0 %g %g\" data-height=\"%g\" role=\"img\" "
            "aria-labelledby=\"%s-title\" aria-describedby=\"%s-caption\">\n"
            "<title id=\"%s-title\">",
            canvas->width, canvas->height, canvas->whole_height, plot->name, plot->name,
            plot->name);
    cup_html_string(out, plot->title);
    fputs("</title>\n", out);
}

void cup_page_svg(FILE *out, const struct cup_plot *plot, const struct cup_canvas *canvas,
                  const struct cup_bytes *shapes)
{
    write_head(out, plot, canvas);
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
static void begin_figure(FILE *out, const struct cup_plot *plot)
{
    fprintf(out,
            "<figure class=\"plot\" id=\"plot-%s\" aria-labelledby=\"plot-%s-name\">\n"
            "<figcaption><h3 class=\"unseen\" id=\"plot-%s-name\">%s</h3>",
            plot->name, plot->name, plot->name, plot->title);
    fprintf(out, "<a class=\"here\" href=\"#plot-%s\" aria-label=\"Link to this plot\">#</a> ",
            plot->name);
    cup_html_string(out, plot->answers);
    fprintf(out,
            "</figcaption>\n"
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%s\">\n",
            plot->title);
}

static void end_figure(FILE *out, const struct cup_plot *plot, const struct cup_drawing *drawing)
{
    fprintf(out, "</div>\n<p class=\"caption\" id=\"%s-caption\">", plot->name);
    cup_html_string(out, drawing->own_caption);
    fputs("</p>\n", out);
    write_keys(out, drawing);
    fputs("</figure>\n", out);
}

/* The sheets are smaller than those of files, so that letters are larger on the page. */
static int write_figure(FILE *out, const struct cup_page_plots *plots, const struct cup_plot *plot,
                        const struct cup_plot_input *input, const void *data)
{
    static const struct cup_sheet style = {.width = 5.2, .height = 3.2, .for_page = true};
    struct cup_drawing drawing;
    if (cup_plot_draw(plot, input, data, &style, &drawing, plots->error) != 0)
        return -1;
    begin_figure(out, plot);
    cup_page_svg(out, plot, &drawing.canvas, drawing.bytes);
    end_figure(out, plot, &drawing);
    fprintf(plots->contents, "<li><a href=\"#plot-%s\">%s</a></li>\n", plot->name, plot->title);
    cup_canvas_close(&drawing.canvas);
    return 0;
}

/* As write_figure(), but into memory. */
static int make_figure(const struct cup_page_plots *plots, const struct cup_plot *plot,
                       const struct cup_plot_input *input, const void *data, char **figure)
{
    size_t bytes;
    FILE *out = open_memstream(figure, &bytes);
    if (!out)
        return cup_error_memory(plots->error, "page");
    int result = write_figure(out, plots, plot, input, data);
    if ((ferror(out) | fclose(out)) != 0 && result == 0)
        result = cup_error_memory(plots->error, "page");
    return result;
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

int cup_page_plot(const struct cup_page_plots *plots, const struct cup_plot *plot, char **figure)
{
    struct cup_arena arena = {0};
    struct cup_plot_input input = {.totals = plots->totals, .runs = plots->runs, .arena = &arena};
    const void *data;
    *figure = NULL;
    int result = cup_plot_make(plot, &input, &data, plots->error);
    if (result == 0) {
        result = make_figure(plots, plot, &input, data, figure);
    } else if (result > 0) {
        list_left_out(plots, plot, input.reason);
        result = 0;
    }
    cup_arena_clear(&arena);
    return result;
}
