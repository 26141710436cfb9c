/* Draws plots of made-up data for the tests. */
#ifndef CUPPING_TESTS_PLOT_SUPPORT_H
#define CUPPING_TESTS_PLOT_SUPPORT_H

#include "tests/plot/fakes.h"

struct drawn {
    struct cup_canvas canvas;
    const struct cup_bytes *bytes;
};

/* Fails the test if it cannot be drawn. Close drawn->canvas afterwards. */
void draw_fake(struct drawn *drawn, const struct cup_plot *plot, enum fake_kind kind,
               const struct cup_plot_style *style);

#endif
