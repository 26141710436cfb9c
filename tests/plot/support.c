#include "tests/plot/support.h"

#include <criterion/criterion.h>

void draw_fake(struct drawn *drawn, const struct cup_plot *plot, enum fake_kind kind,
               const struct cup_plot_style *style)
{
    static char path[] = "no-such-directory/run-of-a-test";
    struct cup_profile profile = {.path = path};
    struct cup_totals totals = {
        .profile = &profile, .run = {INT64_C(1750000000000000000), INT64_C(1750000060000000000)}};
    struct cup_arena arena = {0};
    struct cup_error error;
    struct cup_plot_input input = {
        .totals = &totals,
        .caption = "Made-up data of this many chunks, which say nothing of any run (P). It is a "
                   "long caption, so that it takes some lines."};
    const void *data = fake_data(plot->name, kind, &arena);
    cr_assert_eq(cup_plot_draw(plot, &input, data, style, &drawn->canvas, &drawn->bytes, &error), 0,
                 "%s, %s: %s", plot->name, fake_kinds[kind], error.text);
    cup_arena_clear(&arena);
}
