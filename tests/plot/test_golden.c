/* Compares each plot of made-up data with a stored picture. A few pixels may differ, because
 * letters differ a little between versions of font libraries.
 *
 *     PLOT_GOLDEN=write build/tests/unit-analysis --filter '@(golden)/?*'
 * stores the pictures as drawn now. Look at each of them before you commit it. */
#include <criterion/criterion.h>

#include <cairo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/plot/support.h"

/* A pixel differs if one of its colours differs by more than TOLERANCE (of 255). SHARE of the
 * pixels may differ. */
enum { TOLERANCE = 64 };
#define SHARE 0.02

static const struct cup_sheet small = {
    .format = CUP_FORMAT_PNG, .width = 5, .height = 3.125, .pixels = 72};

struct reader {
    const struct cup_bytes *bytes;
    size_t at;
};

static cairo_status_t read_bytes(void *closure, unsigned char *to, unsigned count)
{
    struct reader *reader = closure;
    if (reader->bytes->count - reader->at < count)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(to, reader->bytes->bytes + reader->at, count);
    reader->at += count;
    return CAIRO_STATUS_SUCCESS;
}

static double differing_share(cairo_surface_t *one, cairo_surface_t *other)
{
    int width = cairo_image_surface_get_width(one), height = cairo_image_surface_get_height(one);
    size_t stride = (size_t)cairo_image_surface_get_stride(one), differ = 0;
    const unsigned char *a = cairo_image_surface_get_data(one);
    const unsigned char *b = cairo_image_surface_get_data(other);
    if (width != cairo_image_surface_get_width(other) ||
        height != cairo_image_surface_get_height(other))
        return 1;
    for (size_t y = 0; y < (size_t)height; y++)
        for (size_t x = 0; x < (size_t)width; x++) {
            int most = 0;
            for (size_t colour = 0; colour < 3; colour++) {
                size_t at = y * stride + 4 * x + colour;
                int off = abs(a[at] - b[at]);
                most = off > most ? off : most;
            }
            differ += most > TOLERANCE;
        }
    return (double)differ / ((double)width * height);
}

static void store(const char *path, const struct cup_bytes *bytes)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes->bytes, 1, bytes->count, file) == bytes->count, "%s", path);
    fclose(file);
}

static void compare(const char *path, const struct cup_bytes *bytes)
{
    struct reader reader = {bytes, 0};
    cairo_surface_t *stored = cairo_image_surface_create_from_png(path);
    cairo_surface_t *drawn = cairo_image_surface_create_from_png_stream(read_bytes, &reader);
    cr_assert_eq(cairo_surface_status(stored), CAIRO_STATUS_SUCCESS, "%s", path);
    cr_assert_eq(cairo_surface_status(drawn), CAIRO_STATUS_SUCCESS);
    double share = differing_share(stored, drawn);
    cr_expect(share <= SHARE, "%s: %.1f %% of the pixels differ", path, 100 * share);
    cairo_surface_destroy(stored);
    cairo_surface_destroy(drawn);
}

static void check(const struct cup_plot *plots, size_t count, enum fake_kind kind,
                  const char *suffix)
{
    const char *wanted = getenv("PLOT_GOLDEN");
    for (size_t i = 0; i < count; i++) {
        struct cup_drawing drawn;
        char path[512];
        snprintf(path, sizeof path, CUP_TOP "/tests/plot/golden/%s%s.png", plots[i].name, suffix);
        draw_fake(&drawn, &plots[i], kind, &small);
        if (wanted && strcmp(wanted, "write") == 0)
            store(path, drawn.bytes);
        else
            compare(path, drawn.bytes);
        cup_canvas_close(&drawn.canvas);
    }
}

Test(golden, usual)
{
    check(cup_plots.rows, cup_plots.count, FAKE_USUAL, "");
}

Test(golden, large)
{
    check(cup_plots.rows, cup_plots.count, FAKE_LARGE, "-large");
}

Test(golden, runs)
{
    check(cup_run_plots.rows, cup_run_plots.count, FAKE_USUAL, "");
    check(cup_run_plots.rows, cup_run_plots.count, FAKE_FIVE, "-five");
    check(cup_run_plots.rows, cup_run_plots.count, FAKE_LARGE, "-large");
}

/* Different plots differ by more than the allowed share. */
Test(golden, the_comparison_tells_plots_apart)
{
    struct cup_drawing one, other;
    struct reader readers[2];
    draw_fake(&one, &cup_plots.rows[0], FAKE_USUAL, &small);
    draw_fake(&other, &cup_plots.rows[1], FAKE_USUAL, &small);
    readers[0] = (struct reader){one.bytes, 0};
    readers[1] = (struct reader){other.bytes, 0};
    cairo_surface_t *a = cairo_image_surface_create_from_png_stream(read_bytes, &readers[0]);
    cairo_surface_t *b = cairo_image_surface_create_from_png_stream(read_bytes, &readers[1]);
    cr_expect_gt(differing_share(a, b), 2 * SHARE);
    cairo_surface_destroy(a);
    cairo_surface_destroy(b);
    cup_canvas_close(&one.canvas);
    cup_canvas_close(&other.canvas);
}
