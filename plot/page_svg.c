#include "plot/page_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/write/html.h"

/* ---- colours ------------------------------------------------------------------------------ */

static const char *const names[] = {
    "paper", "ink", "soft", "grid", "blue",   "orange",
    "green", "red", "sky",  "pink", "yellow", "grey",
};
enum { OWN = 4, NAMES = sizeof names / sizeof *names };
_Static_assert(NAMES == OWN + CUP_PAINT_COUNT, "one for each colour of a look");

static struct cup_colour colour_of(const struct cup_look *look, unsigned n)
{
    const struct cup_colour own[OWN] = {look->paper, look->ink, look->soft, look->grid};
    return n < OWN ? own[n] : look->paints[n - OWN];
}

static unsigned byte_of(double part)
{
    return (unsigned)(part * 255 + 0.5);
}

static bool same_part(double a, double b)
{
    return fabs(a - b) < 0.5 / 255;
}

void cup_page_paints(FILE *out, bool dark)
{
    struct cup_look look = cup_look_make(8, 5, dark);
    for (unsigned i = 0; i < NAMES; i++) {
        struct cup_colour colour = colour_of(&look, i);
        fprintf(out, "--%s:#%02x%02x%02x;", names[i], byte_of(colour.red), byte_of(colour.green),
                byte_of(colour.blue));
    }
}

/* From the n-th on; NULL if it is none of them. */
static const char *name_of(struct cup_colour colour, unsigned n)
{
    struct cup_look look = cup_look_make(8, 5, false);
    for (unsigned i = n; i < NAMES; i++) {
        struct cup_colour known = colour_of(&look, i);
        if (same_part(known.red, colour.red) && same_part(known.green, colour.green) &&
            same_part(known.blue, colour.blue))
            return names[i];
    }
    return NULL;
}

const char *cup_page_paint(struct cup_colour colour)
{
    return name_of(colour, OWN);
}

/* ---- shapes ------------------------------------------------------------------------------- */

/* "rgb(10%,20%,30%)", with or without spaces: where it ends; NULL if it is none. */
static const char *read_colour(const char *at, struct cup_colour *colour)
{
    double *parts[] = {&colour->red, &colour->green, &colour->blue};
    for (int i = 0; i < 3; i++) {
        char *end;
        *parts[i] = strtod(at, &end) / 100;
        if (end == at || *end != '%' || end[1] != (i < 2 ? ',' : ')'))
            return NULL;
        at = end + 2;
    }
    return at;
}

/* A shade between two colours of the look has no variable: the page's dark form turns it over. It
 * stands in a style, or is an attribute of its own. */
static const char *turned_over(char next)
{
    return next == ';' ? ";filter:var(--flip)" : next == '"' ? "\" filter=\"var(--flip)" : "";
}

/* Writes the text, which ends with a NUL, up to `end`. */
static void write_shapes(FILE *out, const char *at, const char *end)
{
    static const char opening[] = "rgb(";
    while (at < end) {
        struct cup_colour colour;
        const char *next = strstr(at, opening);
        if (!next || next >= end) {
            fwrite(at, 1, (size_t)(end - at), out);
            return;
        }
        fwrite(at, 1, (size_t)(next - at), out);
        at = read_colour(next + strlen(opening), &colour);
        const char *name = at ? name_of(colour, 0) : NULL;
        if (!at)
            at = next + strlen(opening);
        if (name)
            fprintf(out, "var(--%s)", name);
        else
            fwrite(next, 1, (size_t)(at - next), out);
        if (!name)
            fputs(turned_over(*at), out);
    }
}

/* ---- texts and places ----------------------------------------------------------------------- */

static void write_fill(FILE *out, struct cup_colour colour)
{
    const char *name = name_of(colour, 0);
    if (name)
        fprintf(out, " fill=\"var(--%s)\"", name);
    else
        fprintf(out, " fill=\"#%02x%02x%02x\"", byte_of(colour.red), byte_of(colour.green),
                byte_of(colour.blue));
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
    write_fill(out, lettering->colour);
    putc('>', out);
    cup_html_string(out, written->text);
    fputs("</text>\n", out);
}

static void write_told(FILE *out, const struct cup_told *told)
{
    const struct cup_box *box = &told->box;
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", box->left, box->top,
            fmax(box->width, 0.5), fmax(box->height, 0.5));
    write_fill(out, told->colour);
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
                  const struct cup_bytes *svg, const char *caption)
{
    const char *text = (const char *)svg->bytes, *head = strstr(text, "<svg");
    const char *start = head ? strchr(head, '>') : NULL, *end = NULL;
    for (const char *at = start; at && (at = strstr(at, "</svg>")); at++)
        end = at;
    write_head(out, plot, canvas, caption);
    if (end)
        write_shapes(out, start + 1, end);
    fputs("<g class=\"texts\" aria-hidden=\"true\">\n", out);
    for (size_t i = 0; i < canvas->written_count; i++)
        write_text(out, &canvas->written[i]);
    fputs("</g>\n<g class=\"tips\" aria-hidden=\"true\">\n", out);
    for (size_t i = 0; i < canvas->told_count; i++)
        write_told(out, &canvas->told[i]);
    fputs("</g>\n</svg>\n", out);
}
