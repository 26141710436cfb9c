#include "plot/figure/svg.h"

#include <math.h>
#include <string.h>

#include "analysis/write/html.h"
#include "plot/figure/theme.h"

/* ---- numbers and colours ------------------------------------------------------------------ */

enum { NUMBER = 32 };

/* Prints a number of points with up to two digits after the point, without zeros at the end.
 * Returns `to`. */
static const char *short_number(char to[NUMBER], double number)
{
    double near = fmin(fmax(number, -1e6), 1e6);
    size_t length = (size_t)snprintf(to, NUMBER, "%.2f", near);
    while (to[length - 1] == '0')
        to[--length] = '\0';
    if (to[length - 1] == '.')
        to[--length] = '\0';
    return strcmp(to, "-0") == 0 ? "0" : to;
}

static void write_pair(struct cup_svg *svg, char command, double x, double y)
{
    char across[NUMBER], down[NUMBER];
    fprintf(svg->out, "%c%s %s", command, short_number(across, x), short_number(down, y));
}

/* Prints the attributes of a filled shape's colour or, if LINE, of a line's. */
static void print_paint(bool for_page, char *to, size_t room, struct cup_colour colour, bool line)
{
    char hex[CUP_HEX];
    const char *name = cup_colour_name(colour), *class = line ? " l" : "";
    cup_colour_hex(hex, colour);
    if (!for_page)
        snprintf(to, room, line ? "fill=\"none\" stroke=\"%s\"" : "fill=\"%s\"", hex);
    else if (name)
        snprintf(to, room, "class=\"%s%s\"", name, class);
    else
        snprintf(to, room, "class=\"shade%s\" color=\"%s\"", class, hex);
}

void cup_svg_write_class(FILE *out, struct cup_colour colour)
{
    char paint[64];
    print_paint(true, paint, sizeof paint, colour, false);
    fprintf(out, " %s", paint);
}

static const char path_end[] = "\"/>\n";

/* ---- elements ----------------------------------------------------------------------------- */

static void end_element(struct cup_svg *svg)
{
    if (*svg->begun)
        fputs(svg->ended, svg->out);
    *svg->begun = '\0';
}

/* Begins an element, unless the open one begins in the same way: then the shape goes into that. */
static void continue_element(struct cup_svg *svg, const char *beginning, const char *ending)
{
    if (strcmp(svg->begun, beginning) == 0)
        return;
    end_element(svg);
    fputs(beginning, svg->out);
    snprintf(svg->begun, sizeof svg->begun, "%s", beginning);
    svg->ended = ending;
}

/* Begins filled shapes of one paint: a path, or a group if each shape is an element of its own. */
static void begin_filled(struct cup_svg *svg, bool is_path, struct cup_colour colour,
                         double opacity)
{
    char paint[64], beginning[sizeof svg->begun], number[NUMBER], faint[48] = "";
    print_paint(svg->for_page, paint, sizeof paint, colour, false);
    if (opacity < 1)
        snprintf(faint, sizeof faint, " fill-opacity=\"%s\"", short_number(number, opacity));
    snprintf(beginning, sizeof beginning, "<%s %s%s%s", is_path ? "path" : "g", paint, faint,
             is_path ? " d=\"" : ">");
    continue_element(svg, beginning, is_path ? path_end : "</g>\n");
}

/* ---- shapes ------------------------------------------------------------------------------- */

/* Faint shapes are elements of their own: those of one path would not get darker where they
 * overlap.
 */
static void begin_outline(struct cup_svg *svg, struct cup_colour colour, double opacity)
{
    begin_filled(svg, opacity >= 1, colour, opacity);
    if (opacity < 1)
        fputs("<path d=\"", svg->out);
}

static void end_outline(struct cup_svg *svg, double opacity)
{
    fputs(opacity < 1 ? "z\"/>" : "z", svg->out);
}

/* A point with a NAN makes a gap. */
static void write_points(struct cup_svg *svg, const struct cup_point *points, size_t count)
{
    bool down = false;
    for (size_t i = 0; i < count; i++) {
        bool known = !isnan(points[i].x) && !isnan(points[i].y);
        if (known)
            write_pair(svg, down ? 'L' : 'M', points[i].x, points[i].y);
        down = known;
    }
}

void cup_svg_line(struct cup_svg *svg, const struct cup_point *points, size_t count,
                  struct cup_colour colour, double width, double dash)
{
    char paint[64], beginning[sizeof svg->begun], number[NUMBER], dashes[NUMBER + 24] = "";
    print_paint(svg->for_page, paint, sizeof paint, colour, true);
    if (dash > 0)
        snprintf(dashes, sizeof dashes, " stroke-dasharray=\"%s\"", short_number(number, dash));
    snprintf(beginning, sizeof beginning, "<path %s stroke-width=\"%s\"%s d=\"", paint,
             short_number(number, width), dashes);
    continue_element(svg, beginning, path_end);
    write_points(svg, points, count);
}

void cup_svg_area(struct cup_svg *svg, const struct cup_point *points, size_t count,
                  struct cup_colour colour, double opacity)
{
    begin_outline(svg, colour, opacity);
    write_points(svg, points, count);
    end_outline(svg, opacity);
}

void cup_svg_box(struct cup_svg *svg, struct cup_box box, struct cup_colour colour, double opacity)
{
    char width[NUMBER], height[NUMBER];
    if (!(box.width > 0 && box.height > 0))
        return;
    begin_outline(svg, colour, opacity);
    write_pair(svg, 'M', box.left, box.top);
    short_number(width, box.width);
    fprintf(svg->out, "h%sv%sh-%s", width, short_number(height, box.height), width);
    end_outline(svg, opacity);
}

void cup_svg_dot(struct cup_svg *svg, struct cup_point at, double radius, struct cup_colour colour,
                 double opacity)
{
    char x[NUMBER], y[NUMBER], r[NUMBER];
    begin_filled(svg, false, colour, opacity);
    fprintf(svg->out, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\"/>", short_number(x, at.x),
            short_number(y, at.y), short_number(r, radius));
}

static void write_box(struct cup_svg *svg, const char *element, struct cup_box box)
{
    char x[NUMBER], y[NUMBER], width[NUMBER], height[NUMBER];
    fprintf(svg->out, "<%s x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"", element,
            short_number(x, box.left), short_number(y, box.top), short_number(width, box.width),
            short_number(height, box.height));
}

void cup_svg_clip(struct cup_svg *svg, struct cup_box box)
{
    end_element(svg);
    svg->clips++;
    fprintf(svg->out, "<clipPath id=\"%s-clip%u\">", svg->name, svg->clips);
    write_box(svg, "rect", box);
    fprintf(svg->out, "/></clipPath>\n<g clip-path=\"url(#%s-clip%u)\">\n", svg->name, svg->clips);
}

void cup_svg_release(struct cup_svg *svg)
{
    end_element(svg);
    fputs("</g>\n", svg->out);
}

/* ---- pictures ----------------------------------------------------------------------------- */

static void write_base64(FILE *out, const unsigned char *bytes, size_t count)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        unsigned three = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? (unsigned)bytes[i + 2] : 0);
        putc(letters[three >> 18], out);
        putc(letters[three >> 12 & 63], out);
        putc(left > 1 ? letters[three >> 6 & 63] : '=', out);
        putc(left > 2 ? letters[three & 63] : '=', out);
    }
}

void cup_svg_image(struct cup_svg *svg, struct cup_box box, const struct cup_bytes *png)
{
    end_element(svg);
    write_box(svg, "image", box);
    fputs(" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
          "xlink:href=\"data:image/png;base64,",
          svg->out);
    write_base64(svg->out, (const unsigned char *)png->bytes, png->count);
    fputs("\"/>\n", svg->out);
}

/* ---- texts -------------------------------------------------------------------------------- */

static void write_text(FILE *out, const struct cup_written *written, bool for_page)
{
    const struct cup_lettering *lettering = &written->lettering;
    char hex[CUP_HEX];
    if (!*written->text)
        return;
    if (lettering->upright)
        fprintf(out, "<text transform=\"translate(%.2f %.2f) rotate(-90)\"", written->start.x,
                written->start.y);
    else
        fprintf(out, "<text x=\"%.2f\" y=\"%.2f\"", written->start.x, written->start.y);
    fprintf(out, " font-size=\"%.2f\" textLength=\"%.2f\" lengthAdjust=\"spacingAndGlyphs\"%s",
            lettering->size, written->length, lettering->bold ? " font-weight=\"bold\"" : "");
    if (for_page)
        cup_svg_write_class(out, lettering->colour);
    else
        fprintf(out, " fill=\"%s\"", cup_colour_hex(hex, lettering->colour));
    putc('>', out);
    cup_html_string(out, written->text);
    fputs("</text>\n", out);
}

void cup_svg_write_texts(FILE *out, const struct cup_canvas *canvas)
{
    for (size_t i = 0; i < canvas->written_count; i++)
        write_text(out, &canvas->written[i], canvas->sheet.for_page);
}

/* ---- the whole picture -------------------------------------------------------------------- */

void cup_svg_begin(struct cup_svg *svg, const struct cup_canvas *canvas)
{
    *svg = (struct cup_svg){
        .out = canvas->stream, .name = canvas->sheet.name, .for_page = canvas->sheet.for_page};
    if (!svg->for_page)
        fprintf(svg->out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%gpt\" height=\"%gpt\" "
                "viewBox=\"0 0 %g %g\" stroke-linejoin=\"round\" "
                "font-family=\"DejaVu Sans, Verdana, sans-serif\" xml:space=\"preserve\">\n",
                canvas->width, canvas->height, canvas->width, canvas->height);
}

void cup_svg_finish(struct cup_svg *svg, const struct cup_canvas *canvas)
{
    end_element(svg);
    if (!svg->for_page) {
        cup_svg_write_texts(svg->out, canvas);
        fputs("</svg>\n", svg->out);
    }
}
