#include "plot/page/page_svg.h"

#include <math.h>

#include "analysis/write/html.h"
#include "plot/figure/svg.h"

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
