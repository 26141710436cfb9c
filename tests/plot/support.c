#include "tests/plot/support.h"

#include <criterion/criterion.h>
#include <string.h>

#include "plot/shared/runs.h"

void draw_data(struct cup_drawing *drawn, const struct cup_plot *plot, const void *data,
               const struct cup_sheet *style)
{
    static char path[] = "no-such-directory/run-of-a-test";
    struct cup_profile profile = {.path = path};
    struct cup_totals totals = {
        .profile = &profile, .run = {INT64_C(1750000000000000000), INT64_C(1750000060000000000)}};
    static const struct cup_plot_runs runs = {
        .heading = "A: monday, 2026-11-22 08:40:19 UTC; B: tuesday, 2026-11-23 08:41:12 UTC",
        .date_ns = INT64_C(1750000000000000000)};
    struct cup_error error;
    struct cup_plot_input input = {
        .totals = &totals,
        .runs = cup_plot_find(&cup_run_plots, plot->name) ? &runs : NULL,
        .caption = "Made-up data of this many chunks, which say nothing of any run (P). It is a "
                   "long caption, so that it takes some lines."};
    cr_assert_eq(cup_plot_draw(plot, &input, data, style, drawn, &error), 0, "%s: %s", plot->name,
                 error.text);
}

void draw_fake(struct cup_drawing *drawn, const struct cup_plot *plot, enum fake_kind kind,
               const struct cup_sheet *style)
{
    struct cup_arena arena = {0};
    draw_data(drawn, plot, fake_data(plot->name, kind, &arena), style);
    cup_arena_clear(&arena);
}

bool has_text(const struct cup_drawing *drawn, const char *text)
{
    for (size_t i = 0; i < drawn->canvas.written_count; i++)
        if (strcmp(drawn->canvas.written[i].text, text) == 0)
            return true;
    return false;
}

bool has_part(const struct cup_drawing *drawn, const char *part)
{
    for (size_t i = 0; i < drawn->canvas.written_count; i++)
        if (strstr(drawn->canvas.written[i].text, part))
            return true;
    return false;
}
