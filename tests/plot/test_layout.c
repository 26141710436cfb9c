/* No text is cut and none covers another, at any size and with any data. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/plot/support.h"

static bool is_cut(const struct cup_canvas *canvas, const struct cup_box *box)
{
    return !(box->left >= 0 && box->top >= 0 && box->left + box->width <= canvas->width &&
             box->top + box->height <= canvas->height);
}

/* True if boxes overlap by more than 0.2 points: letters rarely fill their boxes. */
static bool overlap(const struct cup_box *a, const struct cup_box *b)
{
    double across = fmin(a->left + a->width, b->left + b->width) - fmax(a->left, b->left);
    double down = fmin(a->top + a->height, b->top + b->height) - fmax(a->top, b->top);
    return across > 0.2 && down > 0.2;
}

static void check_texts(const struct cup_canvas *canvas, const char *what)
{
    for (size_t i = 0; i < canvas->written_count; i++) {
        const struct cup_written *one = &canvas->written[i];
        cr_expect_not(is_cut(canvas, &one->box), "%s: '%s' is cut", what, one->text);
        for (size_t j = i + 1; j < canvas->written_count; j++)
            cr_expect_not(overlap(&one->box, &canvas->written[j].box), "%s: '%s' covers '%s'", what,
                          one->text, canvas->written[j].text);
    }
}

static void check_plot(const struct cup_plot *plot, int kinds, double width, double height)
{
    const struct cup_sheet style = {
        .format = CUP_FORMAT_SVG, .width = width, .height = height, .pixels = 72};
    for (int kind = 0; kind < kinds; kind++) {
        struct cup_drawing drawn;
        char what[128];
        snprintf(what, sizeof what, "%s, %s, %g by %g inches", plot->name, fake_kinds[kind], width,
                 height);
        draw_fake(&drawn, plot, (enum fake_kind)kind, &style);
        cr_expect_gt(drawn.canvas.written_count, 3, "%s: title, axes and caption", what);
        check_texts(&drawn.canvas, what);
        cup_canvas_close(&drawn.canvas);
    }
}

static void check_size(double width, double height)
{
    for (size_t i = 0; i < cup_plots.count; i++)
        check_plot(&cup_plots.rows[i], FAKE_KINDS, width, height);
    for (size_t i = 0; i < cup_run_plots.count; i++)
        check_plot(&cup_run_plots.rows[i], FAKE_FIVE + 1, width, height);
}

/* The large data have all parts of the threads' time: each has a paint of its own, the unfinished
 * tasks are black. */
Test(layout, no_two_parts_of_the_time_share_a_colour)
{
    struct cup_sheet sheet = {.format = CUP_FORMAT_SVG, .width = 8, .height = 5, .pixels = 96};
    struct cup_theme theme = cup_theme_make(8, 5, false);
    struct cup_drawing drawn;
    draw_fake(&drawn, cup_plot_find(&cup_plots, "time-budget"), FAKE_LARGE, &sheet);
    for (int i = 0; i < CUP_PAINT_COUNT; i++) {
        char hex[CUP_HEX];
        cup_colour_hex(hex, theme.paints[i]);
        cr_expect_not_null(memmem(drawn.bytes->bytes, drawn.bytes->count, hex, strlen(hex)), "%s",
                           hex);
    }
    cup_canvas_close(&drawn.canvas);
}

Test(layout, three_inches)
{
    check_size(3, 1.875);
}

Test(layout, eight_inches)
{
    check_size(8, 5);
}

Test(layout, twelve_inches)
{
    check_size(12, 7.5);
}

Test(layout, other_shapes)
{
    check_size(4, 4);
    check_size(3, 6);
    check_size(12, 3);
}

/* On a machine without fonts, cairo uses its built-in letters. */
Test(layout, without_fonts)
{
    char path[] = "/tmp/cupping-fonts-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    cr_assert(file);
    fputs("<?xml version=\"1.0\"?>\n<fontconfig></fontconfig>\n", file);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(setenv("FONTCONFIG_FILE", path, 1), 0);
    struct cup_drawing drawn;
    draw_fake(&drawn, &cup_plots.rows[0], FAKE_USUAL,
              &(struct cup_sheet){.width = 8, .height = 5, .pixels = 72});
    cr_expect(drawn.canvas.ascii_only, "there are fonts all the same");
    cup_canvas_close(&drawn.canvas);
    check_size(8, 5);
    check_size(3, 1.875);
    unlink(path);
}

/* The checks find real faults. */
Test(layout, the_check_sees_what_is_wrong)
{
    struct cup_canvas canvas = {.width = 100, .height = 100};
    cr_expect(is_cut(&canvas, &(struct cup_box){-1, 0, 10, 10}));
    cr_expect(is_cut(&canvas, &(struct cup_box){95, 0, 10, 10}));
    cr_expect(is_cut(&canvas, &(struct cup_box){0, 95, 10, 10}));
    cr_expect(is_cut(&canvas, &(struct cup_box){NAN, 0, 10, 10}));
    cr_expect(overlap(&(struct cup_box){0, 0, 10, 10}, &(struct cup_box){9, 9, 10, 10}));
    cr_expect_not(overlap(&(struct cup_box){0, 0, 10, 10}, &(struct cup_box){10, 0, 10, 10}));
}
