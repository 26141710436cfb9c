#include "plot/page/page_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/page/page_paints.h"

int cup_shapes_open(struct cup_shapes *shapes, const char *name)
{
    *shapes = (struct cup_shapes){.name = name};
    shapes->out = open_memstream(&shapes->bytes, &shapes->count);
    return shapes->out ? 0 : -1;
}

/* ---- elements ----------------------------------------------------------------------------- */

static void end_element(struct cup_shapes *shapes)
{
    if (*shapes->begun)
        fputs(shapes->ended, shapes->out);
    *shapes->begun = '\0';
}

/* What looks as the shape before it goes on in its element. */
static void go_on_in(struct cup_shapes *shapes, const char *beginning, const char *ending)
{
    if (strcmp(shapes->begun, beginning) == 0)
        return;
    end_element(shapes);
    fputs(beginning, shapes->out);
    snprintf(shapes->begun, sizeof shapes->begun, "%s", beginning);
    shapes->ended = ending;
}

int cup_shapes_finish(struct cup_shapes *shapes)
{
    end_element(shapes);
    bool failed = ferror(shapes->out) != 0;
    failed |= fclose(shapes->out) != 0;
    shapes->out = NULL;
    return failed ? -1 : 0;
}

void cup_shapes_free(struct cup_shapes *shapes)
{
    if (shapes->out)
        fclose(shapes->out);
    free(shapes->bytes);
    *shapes = (struct cup_shapes){0};
}

/* ---- numbers and colours ------------------------------------------------------------------ */

enum { NUMBER = 32 };

/* To a hundredth of a point, without zeros at the end. Returns `to`. */
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

static void put_pair(struct cup_shapes *shapes, char command, double x, double y)
{
    char across[NUMBER], down[NUMBER];
    fprintf(shapes->out, "%c%s %s", command, short_number(across, x), short_number(down, y));
}

/* A class, or a colour of its own, which the page's dark form turns over. */
static void print_look(char *to, size_t room, struct cup_colour colour, const char *more)
{
    char hex[CUP_HEX];
    const char *name = cup_page_colour(colour), *space = *more ? " " : "";
    if (name)
        snprintf(to, room, "class=\"%s%s%s\"", name, space, more);
    else
        snprintf(to, room, "class=\"shade%s%s\" color=\"%s\"", space, more,
                 cup_colour_hex(hex, colour));
}

/* The beginning of what is filled: a path, or a group for dots. */
static void begin_filled(struct cup_shapes *shapes, const char *element, struct cup_colour colour,
                         double opacity, const char *ending)
{
    char look[64], beginning[sizeof shapes->begun], number[NUMBER], faint[48] = "";
    print_look(look, sizeof look, colour, "");
    if (opacity < 1)
        snprintf(faint, sizeof faint, " fill-opacity=\"%s\"", short_number(number, opacity));
    bool path = element[0] == 'p';
    snprintf(beginning, sizeof beginning, "<%s %s%s%s", element, look, faint, path ? " d=\"" : ">");
    if (path && opacity < 1) /* in one path, what is covered twice would be no darker */
        end_element(shapes);
    go_on_in(shapes, beginning, ending);
}

static const char path_end[] = "\"/>\n";

/* ---- shapes ------------------------------------------------------------------------------- */

/* A point that is not known makes a gap. */
static void put_points(struct cup_shapes *shapes, const struct cup_point *points, size_t count)
{
    bool down = false;
    for (size_t i = 0; i < count; i++) {
        bool known = !isnan(points[i].x) && !isnan(points[i].y);
        if (known)
            put_pair(shapes, down ? 'L' : 'M', points[i].x, points[i].y);
        down = known;
    }
}

void cup_shapes_line(struct cup_shapes *shapes, const struct cup_point *points, size_t count,
                     struct cup_colour colour, double width, double dash)
{
    char look[64], beginning[sizeof shapes->begun], number[NUMBER], dashes[NUMBER + 24] = "";
    print_look(look, sizeof look, colour, "l");
    if (dash > 0)
        snprintf(dashes, sizeof dashes, " stroke-dasharray=\"%s\"", short_number(number, dash));
    snprintf(beginning, sizeof beginning, "<path %s stroke-width=\"%s\"%s d=\"", look,
             short_number(number, width), dashes);
    go_on_in(shapes, beginning, path_end);
    put_points(shapes, points, count);
}

void cup_shapes_area(struct cup_shapes *shapes, const struct cup_point *points, size_t count,
                     struct cup_colour colour, double opacity)
{
    begin_filled(shapes, "path", colour, opacity, path_end);
    put_points(shapes, points, count);
    putc('z', shapes->out);
}

void cup_shapes_box(struct cup_shapes *shapes, struct cup_box box, struct cup_colour colour,
                    double opacity)
{
    char width[NUMBER], height[NUMBER];
    if (!(box.width > 0 && box.height > 0))
        return;
    begin_filled(shapes, "path", colour, opacity, path_end);
    put_pair(shapes, 'M', box.left, box.top);
    short_number(width, box.width);
    fprintf(shapes->out, "h%sv%sh-%sz", width, short_number(height, box.height), width);
}

void cup_shapes_dot(struct cup_shapes *shapes, struct cup_point at, double radius,
                    struct cup_colour colour, double opacity)
{
    char x[NUMBER], y[NUMBER], r[NUMBER];
    begin_filled(shapes, "g", colour, opacity, "</g>\n");
    fprintf(shapes->out, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\"/>", short_number(x, at.x),
            short_number(y, at.y), short_number(r, radius));
}

static void put_place(struct cup_shapes *shapes, const char *element, struct cup_box box)
{
    char x[NUMBER], y[NUMBER], width[NUMBER], height[NUMBER];
    fprintf(shapes->out, "<%s x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"", element,
            short_number(x, box.left), short_number(y, box.top), short_number(width, box.width),
            short_number(height, box.height));
}

void cup_shapes_clip(struct cup_shapes *shapes, struct cup_box box)
{
    end_element(shapes);
    shapes->clips++;
    fprintf(shapes->out, "<clipPath id=\"%s-clip%u\">", shapes->name, shapes->clips);
    put_place(shapes, "rect", box);
    fprintf(shapes->out, "/></clipPath>\n<g clip-path=\"url(#%s-clip%u)\">\n", shapes->name,
            shapes->clips);
}

void cup_shapes_release(struct cup_shapes *shapes)
{
    end_element(shapes);
    fputs("</g>\n", shapes->out);
}

/* ---- pictures ----------------------------------------------------------------------------- */

static void put_base64(FILE *out, const unsigned char *bytes, size_t count)
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

void cup_shapes_image(struct cup_shapes *shapes, struct cup_box box, const struct cup_bytes *png)
{
    end_element(shapes);
    put_place(shapes, "image", box);
    fputs(" preserveAspectRatio=\"none\" href=\"data:image/png;base64,", shapes->out);
    put_base64(shapes->out, png->bytes, png->count);
    fputs("\"/>\n", shapes->out);
}
