/* Made-up data for every plot, to test the drawing with data that no recorded run has. */
#pragma once

#include "plot/plots.h"

enum fake_kind {
    FAKE_USUAL,
    FAKE_ONE,   /* a single sample of everything */
    FAKE_EMPTY, /* nothing at all; no make() returns it, but drawing must survive it */
    FAKE_ODD,   /* NAN, infinity, zeros, long names with invalid UTF-8 */
    FAKE_DAY,   /* FAKE_USUAL over a whole day */
    FAKE_LARGE, /* 100,000 chunks, long names, many rows */
    FAKE_KINDS,
    FAKE_FIVE =
        FAKE_KINDS, /* only for plots of several runs: five; FAKE_USUAL has two, FAKE_LARGE 20 */
};
extern const char *const fake_kinds[FAKE_KINDS + 1];

/* Makes data for a plot's draw(), in the arena. Aborts if the plot has no made-up data. */
const void *fake_data(const char *plot, enum fake_kind kind, struct cup_arena *arena);
