#include "plot/figure/canvas.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/base/array.h"
#include "analysis/base/utf8.h"
#include "plot/figure/png.h"
#include "plot/figure/svg.h"

#define POINTS 72.0 /* in an inch */

/* Heights as shares of the letters' size: from the baseline to the top of letters, to the bottom of
 * "g", and to the middle of "x". */
#define RISE 0.76
#define TAIL 0.22
#define MIDDLE 0.36

const char *const cup_format_names[] = {
    [CUP_FORMAT_PNG] = "png", [CUP_FORMAT_SVG] = "svg", [CUP_FORMAT_PDF] = "pdf"};

/* ---- opening and finishing ---------------------------------------------------------------- */

static cairo_status_t append_bytes(void *closure, const unsigned char *bytes, unsigned count)
{
    return fwrite(bytes, 1, count, closure) == count ? CAIRO_STATUS_SUCCESS
                                                     : CAIRO_STATUS_WRITE_ERROR;
}

static void describe_pdf(cairo_surface_t *surface, const struct cup_sheet *sheet)
{
    time_t seconds = (time_t)(sheet->date_ns / 1000000000);
    struct tm day;
    char date[40];
    if (!gmtime_r(&seconds, &day) || strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &day) == 0)
        snprintf(date, sizeof date, "1970-01-01T00:00:00Z");
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_MOD_DATE, date);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "cupping");
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, sheet->title);
}

static bool is_svg(const struct cup_sheet *sheet)
{
    return sheet->for_page || sheet->format == CUP_FORMAT_SVG;
}

/* Rounds down: a pixel that the figure covers only in part would be blended with black. */
static int whole_pixels(double inches, double pixels)
{
    return inches * pixels < 1 ? 1 : (int)(inches * pixels + 1e-6);
}

static cairo_surface_t *make_surface(struct cup_canvas *canvas)
{
    const struct cup_sheet *sheet = &canvas->sheet;
    if (is_svg(sheet)) /* only measures texts: svg.c writes the shapes */
        return cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    if (sheet->format == CUP_FORMAT_PNG)
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                          whole_pixels(sheet->width, sheet->pixels),
                                          whole_pixels(sheet->height, sheet->pixels));
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(append_bytes, canvas->stream,
                                                                   canvas->width, canvas->height);
    describe_pdf(surface, sheet);
    return surface;
}

/* Without hinting, letters have the same places in all formats and sizes. */
static void set_up_text(struct cup_canvas *canvas)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(canvas->cairo, options);
    cairo_font_options_destroy(options);
}

static void choose_font(struct cup_canvas *canvas, const struct cup_lettering *lettering)
{
    cairo_select_font_face(canvas->cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           lettering->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas->cairo, lettering->size);
}

/* True if the machine has no font: cairo then uses its built-in letters, which are ASCII. */
static bool lacks_fonts(struct cup_canvas *canvas)
{
    choose_font(canvas, &(struct cup_lettering){.size = 10});
    cairo_font_type_t type = cairo_scaled_font_get_type(cairo_get_scaled_font(canvas->cairo));
    return type == CAIRO_FONT_TYPE_USER || type == CAIRO_FONT_TYPE_TOY;
}

static cairo_status_t begin_svg(struct cup_canvas *canvas)
{
    canvas->svg = malloc(sizeof *canvas->svg);
    if (!canvas->svg)
        return CAIRO_STATUS_NO_MEMORY;
    cup_svg_begin(canvas->svg, canvas);
    return CAIRO_STATUS_SUCCESS;
}

int cup_canvas_open(struct cup_canvas *canvas, const struct cup_sheet *sheet,
                    struct cup_error *error)
{
    *canvas = (struct cup_canvas){
        .sheet = *sheet, .width = sheet->width * POINTS, .height = sheet->height * POINTS};
    canvas->stream = open_memstream(&canvas->out.bytes, &canvas->out.count);
    if (!canvas->stream)
        return cup_error_memory(error, sheet->name);
    canvas->surface = make_surface(canvas);
    canvas->cairo = cairo_create(canvas->surface);
    cairo_status_t status = cairo_status(canvas->cairo);
    if (status == CAIRO_STATUS_SUCCESS && is_svg(sheet))
        status = begin_svg(canvas);
    if (status != CAIRO_STATUS_SUCCESS) {
        cup_canvas_close(canvas);
        return cup_error_set(error, sheet->name, CUP_NO_OFFSET, "cannot draw: %s",
                             cairo_status_to_string(status));
    }
    if (sheet->format == CUP_FORMAT_PNG && !sheet->for_page)
        cairo_scale(canvas->cairo, sheet->pixels / POINTS, sheet->pixels / POINTS);
    set_up_text(canvas);
    canvas->ascii_only = lacks_fonts(canvas);
    cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    return 0;
}

static cairo_status_t write_png(struct cup_canvas *canvas)
{
    cairo_surface_t *image = canvas->surface;
    cairo_surface_flush(image);
    int written = cup_png_write(
        canvas->stream,
        &(struct cup_pixels){.data = cairo_image_surface_get_data(image),
                             .width = (size_t)cairo_image_surface_get_width(image),
                             .height = (size_t)cairo_image_surface_get_height(image),
                             .stride = (size_t)cairo_image_surface_get_stride(image),
                             .per_metre = (uint32_t)(canvas->sheet.pixels / 0.0254 + 0.5)});
    return written == 0 ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
}

static cairo_status_t finish_surface(struct cup_canvas *canvas)
{
    cairo_status_t status = cairo_status(canvas->cairo);
    if (status == CAIRO_STATUS_SUCCESS && canvas->sheet.format == CUP_FORMAT_PNG)
        status = write_png(canvas);
    cairo_surface_finish(canvas->surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(canvas->surface);
    return status;
}

/* Returns 0; -1 if what was written does not fit into memory. */
static int close_stream(FILE **stream)
{
    bool failed = ferror(*stream) != 0;
    failed |= fclose(*stream) != 0;
    *stream = NULL;
    return failed ? -1 : 0;
}

int cup_canvas_finish(struct cup_canvas *canvas, const struct cup_bytes **bytes,
                      struct cup_error *error)
{
    cairo_status_t status = CAIRO_STATUS_SUCCESS;
    if (canvas->svg)
        cup_svg_finish(canvas->svg, canvas);
    else
        status = finish_surface(canvas);
    if (close_stream(&canvas->stream) != 0 || canvas->out_of_memory)
        status = CAIRO_STATUS_NO_MEMORY;
    *bytes = &canvas->out;
    if (status == CAIRO_STATUS_SUCCESS)
        return 0;
    return cup_error_set(error, canvas->sheet.name, CUP_NO_OFFSET, "cannot draw: %s",
                         cairo_status_to_string(status));
}

void cup_canvas_close(struct cup_canvas *canvas)
{
    cairo_destroy(canvas->cairo);
    cairo_surface_destroy(canvas->surface); /* may still write to the stream */
    if (canvas->stream)
        fclose(canvas->stream);
    free(canvas->svg);
    free(canvas->written);
    free(canvas->hovers);
    free(canvas->out.bytes);
    *canvas = (struct cup_canvas){0};
}

/* ---- shapes ------------------------------------------------------------------------------- */

static void set_colour(struct cup_canvas *canvas, struct cup_colour colour, double opacity)
{
    cairo_set_source_rgba(canvas->cairo, colour.red, colour.green, colour.blue, opacity);
}

static void trace_points(struct cup_canvas *canvas, const struct cup_point *points, size_t count)
{
    bool down = false;
    for (size_t i = 0; i < count; i++) {
        bool known = !isnan(points[i].x) && !isnan(points[i].y);
        if (known && down)
            cairo_line_to(canvas->cairo, points[i].x, points[i].y);
        else if (known)
            cairo_move_to(canvas->cairo, points[i].x, points[i].y);
        down = known;
    }
}

void cup_canvas_line(struct cup_canvas *canvas, const struct cup_point *points, size_t count,
                     struct cup_colour colour, double width, double dash)
{
    if (canvas->svg) {
        cup_svg_line(canvas->svg, points, count, colour, width, dash);
        return;
    }
    set_colour(canvas, colour, 1);
    cairo_set_line_width(canvas->cairo, width);
    cairo_set_dash(canvas->cairo, &dash, dash > 0, 0);
    trace_points(canvas, points, count);
    cairo_stroke(canvas->cairo);
}

void cup_canvas_area(struct cup_canvas *canvas, const struct cup_point *points, size_t count,
                     struct cup_colour colour, double opacity)
{
    if (canvas->svg) {
        cup_svg_area(canvas->svg, points, count, colour, opacity);
        return;
    }
    set_colour(canvas, colour, opacity);
    trace_points(canvas, points, count);
    cairo_fill(canvas->cairo);
}

void cup_canvas_box(struct cup_canvas *canvas, struct cup_box box, struct cup_colour colour,
                    double opacity)
{
    if (canvas->svg) {
        cup_svg_box(canvas->svg, box, colour, opacity);
        return;
    }
    set_colour(canvas, colour, opacity);
    cairo_rectangle(canvas->cairo, box.left, box.top, box.width, box.height);
    cairo_fill(canvas->cairo);
}

void cup_canvas_dot(struct cup_canvas *canvas, struct cup_point at, double radius,
                    struct cup_colour colour, double opacity)
{
    if (isnan(at.x) || isnan(at.y))
        return;
    if (canvas->svg) {
        cup_svg_dot(canvas->svg, at, radius, colour, opacity);
        return;
    }
    set_colour(canvas, colour, opacity);
    cairo_arc(canvas->cairo, at.x, at.y, radius, 0, 2 * M_PI);
    cairo_fill(canvas->cairo);
}

static uint32_t pixel_of(const struct cup_cell *cell)
{
    uint32_t opacity = (uint32_t)(fmin(fmax(cell->opacity, 0), 1) * 255 + 0.5);
    uint32_t red = (uint32_t)(cell->colour.red * opacity + 0.5);
    uint32_t green = (uint32_t)(cell->colour.green * opacity + 0.5);
    uint32_t blue = (uint32_t)(cell->colour.blue * opacity + 0.5);
    return opacity << 24 | red << 16 | green << 8 | blue;
}

static void paint_image(struct cup_canvas *canvas, struct cup_box box, cairo_surface_t *image,
                        double columns, double rows)
{
    cairo_save(canvas->cairo);
    cairo_translate(canvas->cairo, box.left, box.top);
    cairo_scale(canvas->cairo, box.width / columns, box.height / rows);
    cairo_set_source_surface(canvas->cairo, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(canvas->cairo), CAIRO_FILTER_NEAREST);
    cairo_rectangle(canvas->cairo, 0, 0, columns, rows);
    cairo_fill(canvas->cairo);
    cairo_restore(canvas->cairo);
}

static void write_image(struct cup_canvas *canvas, struct cup_box box, cairo_surface_t *image)
{
    struct cup_bytes png = {0};
    FILE *stream = open_memstream(&png.bytes, &png.count);
    bool failed = !stream || cairo_surface_write_to_png_stream(image, append_bytes, stream) !=
                                 CAIRO_STATUS_SUCCESS;
    if (stream)
        failed |= close_stream(&stream) != 0;
    if (failed)
        canvas->out_of_memory = true;
    else
        cup_svg_image(canvas->svg, box, &png);
    free(png.bytes);
}

/* The cells become one image: as single boxes a large density would make a huge file. */
void cup_canvas_cells(struct cup_canvas *canvas, struct cup_box box, const struct cup_cell *cells,
                      size_t columns, size_t rows)
{
    if (columns == 0 || rows == 0 || columns > 16384 || rows > 16384)
        return;
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)columns, (int)rows);
    unsigned char *bytes = cairo_image_surface_get_data(image);
    if (!bytes) {
        canvas->out_of_memory = true;
        cairo_surface_destroy(image);
        return;
    }
    size_t stride = (size_t)cairo_image_surface_get_stride(image);
    for (size_t i = 0; i < columns * rows; i++) {
        uint32_t pixel = pixel_of(&cells[i]);
        memcpy(bytes + i / columns * stride + i % columns * sizeof pixel, &pixel, sizeof pixel);
    }
    cairo_surface_mark_dirty(image);
    if (canvas->svg)
        write_image(canvas, box, image);
    else
        paint_image(canvas, box, image, (double)columns, (double)rows);
    cairo_surface_destroy(image);
}

void cup_canvas_clip(struct cup_canvas *canvas, struct cup_box box)
{
    if (canvas->svg) {
        cup_svg_clip(canvas->svg, box);
        return;
    }
    cairo_save(canvas->cairo);
    cairo_rectangle(canvas->cairo, box.left, box.top, box.width, box.height);
    cairo_clip(canvas->cairo);
}

void cup_canvas_release(struct cup_canvas *canvas)
{
    if (canvas->svg)
        cup_svg_release(canvas->svg);
    else
        cairo_restore(canvas->cairo);
}

/* ---- text --------------------------------------------------------------------------------- */

/* ASCII in place of a character that cairo's built-in letters lack. */
static const char *ascii_for(uint32_t code)
{
    switch (code) {
    case 0xB1: /* plus or minus */
        return "+-";
    case 0xB5: /* micro */
        return "u";
    case 0xB7: /* middle dot */
        return "-";
    case 0xD7: /* times */
        return "x";
    case 0x2013:
    case 0x2212:
        return "-";
    case 0x2026:
        return "...";
    default:
        return "?";
    }
}

/* Copies a text as valid UTF-8 without control characters. */
static void clean_text(const struct cup_canvas *canvas, char *to, size_t room, const char *text,
                       size_t length)
{
    size_t used = 0;
    for (const char *at = text, *end = text + length; at < end;) {
        uint32_t code;
        size_t bytes = cup_utf8_next(at, end, &code);
        bool odd = !cup_utf8_is_harmless(code);
        const char *from = odd ? "?" : canvas->ascii_only && code > 0x7F ? ascii_for(code) : at;
        size_t count = from == at ? bytes : strlen(from);
        at += bytes;
        if (used + count + 1 > room)
            break;
        memcpy(to + used, from, count);
        used += count;
    }
    to[used] = '\0';
}

static double measure_text(struct cup_canvas *canvas, const char *text,
                           const struct cup_lettering *lettering)
{
    cairo_text_extents_t extents;
    choose_font(canvas, lettering);
    cairo_text_extents(canvas->cairo, text, &extents);
    return extents.x_advance;
}

enum { LONGEST = 512 };

double cup_canvas_text_width(struct cup_canvas *canvas, const char *text,
                             const struct cup_lettering *lettering)
{
    char shown[LONGEST];
    clean_text(canvas, shown, sizeof shown, text, strlen(text));
    return measure_text(canvas, shown, lettering);
}

static void note_text(struct cup_canvas *canvas, struct cup_box box, struct cup_point start,
                      double length, const char *text, const struct cup_lettering *lettering)
{
    if (cup_array_grow(&canvas->written, &canvas->written_room, canvas->written_count,
                       sizeof *canvas->written) != 0) {
        canvas->out_of_memory = true;
        return;
    }
    struct cup_written *written = &canvas->written[canvas->written_count++];
    *written =
        (struct cup_written){.box = box, .start = start, .length = length, .lettering = *lettering};
    snprintf(written->text, sizeof written->text, "%s", text);
}

static double start_of(double at, double length, enum cup_hold hold)
{
    return hold == CUP_HOLD_START ? at : hold == CUP_HOLD_MIDDLE ? at - length / 2 : at - length;
}

/* How far the baseline lies below the point where the text is written. */
static double baseline_drop(const struct cup_lettering *lettering)
{
    double parts[] = {RISE, MIDDLE, -TAIL};
    return lettering->size * parts[lettering->down];
}

void cup_canvas_text(struct cup_canvas *canvas, struct cup_point at, const char *text,
                     const struct cup_lettering *lettering)
{
    char shown[LONGEST];
    clean_text(canvas, shown, sizeof shown, text, strlen(text));
    double width = measure_text(canvas, shown, lettering), size = lettering->size;
    set_colour(canvas, lettering->colour, 1);
    cairo_save(canvas->cairo);
    if (lettering->upright) {
        double x = at.x + baseline_drop(lettering), y = start_of(-at.y, width, lettering->across);
        note_text(canvas,
                  (struct cup_box){x - RISE * size, -y - width, (RISE + TAIL) * size, width},
                  (struct cup_point){x, -y}, width, shown, lettering);
        cairo_rotate(canvas->cairo, -M_PI / 2);
        cairo_move_to(canvas->cairo, y, x);
    } else {
        double x = start_of(at.x, width, lettering->across), y = at.y + baseline_drop(lettering);
        note_text(canvas, (struct cup_box){x, y - RISE * size, width, (RISE + TAIL) * size},
                  (struct cup_point){x, y}, width, shown, lettering);
        cairo_move_to(canvas->cairo, x, y);
    }
    if (!canvas->svg)
        cairo_show_text(canvas->cairo, shown);
    cairo_new_path(canvas->cairo);
    cairo_restore(canvas->cairo);
}

/* ---- shortening --------------------------------------------------------------------------- */

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Keeps the beginning and the end of a text, together `keep` bytes or a few less, so that no
 * character is cut. */
static void cut_out(char to[CUP_FITTED], const char *text, size_t length, size_t keep)
{
    size_t head = keep / 2, tail = length - (keep - head);
    while (head > 0 && is_continuation(text[head]))
        head--;
    while (tail < length && is_continuation(text[tail]))
        tail++;
    snprintf(to, CUP_FITTED, "%.*s\u2026%s", (int)head, text, text + tail);
}

char *cup_canvas_fit(struct cup_canvas *canvas, char to[CUP_FITTED], const char *text,
                     size_t length, double width, const struct cup_lettering *lettering)
{
    enum { ROOM = CUP_FITTED - 8 };
    char whole[4 * CUP_FITTED] = "";
    clean_text(canvas, whole, sizeof whole, text, length);
    size_t bytes = strlen(whole), fits = 0, too_many = bytes < ROOM ? bytes : ROOM;
    if (bytes < ROOM && cup_canvas_text_width(canvas, whole, lettering) <= width)
        return memcpy(to, whole, bytes + 1);
    while (fits + 1 < too_many) {
        size_t middle = (fits + too_many) / 2;
        cut_out(to, whole, bytes, middle);
        if (cup_canvas_text_width(canvas, to, lettering) <= width)
            fits = middle;
        else
            too_many = middle;
    }
    cut_out(to, whole, bytes, fits);
    return to;
}
