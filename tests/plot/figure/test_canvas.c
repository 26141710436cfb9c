/* Canvas: the same calls give the same bytes in every format; any bytes can be written as text. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "tests/plot/support.h"

static const enum cup_format formats[] = {CUP_FORMAT_PNG, CUP_FORMAT_SVG, CUP_FORMAT_PDF};
static const char *const beginnings[] = {"\x89PNG", "<?xml", "%PDF"};

static struct cup_sheet style_of(enum cup_format format, double width)
{
    return (struct cup_sheet){
        .format = format, .width = width, .height = width * 0.625, .pixels = 96};
}

static void expect_the_same_bytes(enum fake_kind kind, size_t format)
{
    for (size_t i = 0; i < cup_plots.count; i++) {
        struct cup_drawing first, again;
        struct cup_sheet style = style_of(formats[format], 6);
        draw_fake(&first, &cup_plots.rows[i], kind, &style);
        draw_fake(&again, &cup_plots.rows[i], kind, &style);
        cr_expect(first.bytes->count > 1000);
        cr_expect_eq(memcmp(first.bytes->bytes, beginnings[format], 4), 0);
        cr_expect(first.bytes->count == again.bytes->count &&
                      memcmp(first.bytes->bytes, again.bytes->bytes, first.bytes->count) == 0,
                  "%s.%s", cup_plots.rows[i].name, cup_format_names[formats[format]]);
        cup_canvas_close(&first.canvas);
        cup_canvas_close(&again.canvas);
    }
}

Test(canvas, the_same_plot_has_the_same_bytes)
{
    for (size_t format = 0; format < 3; format++)
        expect_the_same_bytes(FAKE_USUAL, format);
    expect_the_same_bytes(FAKE_LARGE, CUP_FORMAT_SVG); /* with densities, which are images */
}

/* Colours are the only difference: every text stays where it was. */
Test(canvas, dark_differs_in_colours_only)
{
    struct cup_sheet style = style_of(CUP_FORMAT_PNG, 8);
    for (size_t i = 0; i < cup_plots.count; i++) {
        struct cup_drawing light, dark;
        style.dark = false;
        draw_fake(&light, &cup_plots.rows[i], FAKE_USUAL, &style);
        style.dark = true;
        draw_fake(&dark, &cup_plots.rows[i], FAKE_USUAL, &style);
        cr_assert_eq(light.canvas.written_count, dark.canvas.written_count);
        for (size_t n = 0; n < light.canvas.written_count; n++)
            cr_expect_eq(memcmp(&light.canvas.written[n].box, &dark.canvas.written[n].box,
                                sizeof(struct cup_box)),
                         0);
        cr_expect(light.bytes->count != dark.bytes->count ||
                  memcmp(light.bytes->bytes, dark.bytes->bytes, light.bytes->count) != 0);
        cup_canvas_close(&light.canvas);
        cup_canvas_close(&dark.canvas);
    }
}

/* Programs that show SVG need not know the classes of the page. */
Test(canvas, an_svg_file_has_its_colours_and_texts)
{
    struct cup_drawing drawing;
    struct cup_sheet style = style_of(CUP_FORMAT_SVG, 6);
    draw_fake(&drawing, &cup_plots.rows[0], FAKE_USUAL, &style);
    const char *svg = (const char *)drawing.bytes->bytes;
    cr_expect_null(strstr(svg, "class="));
    cr_expect_not_null(strstr(svg, "fill=\"#ffffff\"")); /* paper */
    cr_expect_not_null(strstr(svg, ">Workers and data rate</text>"));
    cr_expect_str_eq(svg + drawing.bytes->count - 7, "</svg>\n");
    cup_canvas_close(&drawing.canvas);
}

static void open_canvas(struct cup_canvas *canvas)
{
    const struct cup_sheet sheet = {
        .format = CUP_FORMAT_PNG, .width = 4, .height = 3, .pixels = 72, .name = "x", .title = "x"};
    struct cup_error error;
    cr_assert_eq(cup_canvas_open(canvas, &sheet, &error), 0);
}

Test(canvas, long_texts_are_shortened_in_their_middle)
{
    struct cup_canvas canvas;
    struct cup_lettering lettering = {.size = 10};
    char shown[CUP_FITTED];
    const char *path = "/eos/cms/store/mc/RunIISummer20UL18/NANOAODSIM/00000123.root";
    open_canvas(&canvas);
    for (double width = 200; width > 30; width -= 10) {
        cup_canvas_fit(&canvas, shown, path, strlen(path), width, &lettering);
        cr_expect_leq(cup_canvas_text_width(&canvas, shown, &lettering), width);
        cr_expect_not_null(strstr(shown, canvas.ascii_only ? "..." : "\u2026"));
        cr_expect_eq(shown[0], '/');
        cr_expect_eq(shown[strlen(shown) - 1], 't');
    }
    cup_canvas_fit(&canvas, shown, "short", 5, 200, &lettering);
    cr_expect_str_eq(shown, "short");
    cup_canvas_close(&canvas);
}

/* This is so for texts longer than the canvas' buffer, too. */
Test(canvas, very_long_texts_keep_both_ends)
{
    struct cup_canvas canvas;
    char shown[CUP_FITTED], text[700];
    memset(text, 'x', sizeof text);
    text[0] = 'a';
    text[sizeof text - 1] = 'z';
    open_canvas(&canvas);
    for (double width = 100; width < 1e5; width *= 10) {
        cup_canvas_fit(&canvas, shown, text, sizeof text, width,
                       &(struct cup_lettering){.size = 9});
        cr_expect_eq(shown[0], 'a');
        cr_expect_eq(shown[strlen(shown) - 1], 'z');
    }
    cup_canvas_close(&canvas);
}

/* After a text with invalid UTF-8, cairo would refuse all drawing. */
Test(canvas, any_bytes_can_be_written)
{
    struct cup_canvas canvas;
    const struct cup_bytes *bytes;
    struct cup_error error;
    char all[256], shown[CUP_FITTED];
    for (int i = 0; i < 255; i++)
        all[i] = (char)(i + 1);
    all[255] = '\0';
    open_canvas(&canvas);
    cup_canvas_text(&canvas, (struct cup_point){10, 10}, all, &(struct cup_lettering){.size = 9});
    for (double width = 0; width < 300; width += 7) {
        cup_canvas_fit(&canvas, shown, all, 255, width, &(struct cup_lettering){.size = 9});
        cup_canvas_text(&canvas, (struct cup_point){10, 30}, shown,
                        &(struct cup_lettering){.size = 9, .upright = true});
    }
    cr_expect_eq(cup_canvas_finish(&canvas, &bytes, &error), 0, "%s", error.text);
    cup_canvas_close(&canvas);
}
