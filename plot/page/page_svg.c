#include "plot/page/page_svg.h"

#include <math.h>

#include "analysis/write/html.h"
#include "plot/page/page_paints.h"

static void write_look(FILE *out, struct cup_colour colour)
{
    char hex[CUP_HEX];
    const char *name = cup_page_colour(colour);
    if (name)
        fprintf(out, " class=\"%s\"", name);
    else
        fprintf(out, " class=\"shade\" color=\"%s\"", cup_colour_hex(hex, colour));
}

/* As long as it was measured, whatever the font: what did not overlap then does not now. */
static void write_text(FILE *out, const struct cup_written *written)
{
    const struct cup_lettering *lettering = &written->lettering;
    if (!*written->text)
        return;
    if (lettering->upright)
        fprintf(out, "<text transform=\"translate(%.2f %.2f) rotate(-90)\"", written->start.x,
                written->start.y);
    else
        fprintf(out, "<text x=\"%.2f\" y=\"%.2f\"", written->start.x, written->start.y);
    fprintf(out, " font-size=\"%.2f\" textLength=\"%.2f\" lengthAdjust=\"spacingAndGlyphs\"%s",
            lettering->size, written->length, lettering->bold ? " font-weight=\"bold\"" : "");
    write_look(out, lettering->colour);
    putc('>', out);
    cup_html_string(out, written->text);
    fputs("</text>\n", out);
}

/* Browsers show its title, if no script does. */
static void write_told(FILE *out, const struct cup_last_written *told)
{
    const struct cup_box *box = &told->box;
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", box->left, box->top,
            fmax(box->width, 0.5), fmax(box->height, 0.5));
    write_look(out, told->colour);
    fputs("><title>", out);
    cup_html_string(out, told->text);
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
    for (size_t i = 0; i < canvas->written_count; i++)
        write_text(out, &canvas->written[i]);
    fputs("</g>\n<g class=\"tips\" aria-hidden=\"true\">\n", out);
    for (size_t i = 0; i < canvas->told_count; i++)
        write_told(out, &canvas->told[i]);
    fputs("</g>\n</svg>\n", out);
}
