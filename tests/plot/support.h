/* Draws plots of made-up data for the tests. */
#pragma once

#include "plot/plots.h"
#include "plot/shared/plot.h"
#include "tests/plot/fakes.h"

/* Draws made-up data. The test fails if drawing fails. Close drawn->canvas afterwards. */
void draw_fake(struct cup_drawing *drawn, const struct cup_plot *plot, enum fake_kind kind,
               const struct cup_sheet *style);
