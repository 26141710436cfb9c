/* Draws plots of made-up data for the tests. */
#pragma once

#include "plot/plots.h"
#include "plot/shared/plot.h"
#include "tests/plot/fakes.h"

/* Draws these data of the plot. The test fails if drawing fails. Close drawn->canvas afterwards. */
void draw_data(struct cup_drawing *drawn, const struct cup_plot *plot, const void *data,
               const struct cup_sheet *style);

/* True if a text of the drawing is this one; has PART in it. */
bool has_text(const struct cup_drawing *drawn, const char *text);
bool has_part(const struct cup_drawing *drawn, const char *part);

/* Draws made-up data. The test fails if drawing fails. Close drawn->canvas afterwards. */
void draw_fake(struct cup_drawing *drawn, const struct cup_plot *plot, enum fake_kind kind,
               const struct cup_sheet *style);
