/* Made-up data for every plot, so that drawing is tried with what no run at hand has. */
#ifndef CUPPING_TESTS_PLOT_FAKES_H
#define CUPPING_TESTS_PLOT_FAKES_H

#include "plot/plots.h"

enum fake_kind {
    FAKE_USUAL,
    FAKE_ONE,   /* a single sample of everything */
    FAKE_EMPTY, /* nothing at all: no plot's make() would hand it out, and yet */
    FAKE_ODD,   /* NAN, infinity, zeros, long names of bytes that are no text */
    FAKE_DAY,   /* as usual, over a day */
    FAKE_LARGE, /* 100,000 chunks; names that are long, rows that are many */
    FAKE_KINDS,
    FAKE_FIVE = FAKE_KINDS, /* plots of several runs only: usual are two, many are 20 */
};
extern const char *const fake_kinds[FAKE_KINDS + 1];

/* Data for a plot's draw(), in the arena. Aborts for a plot that it does not know. */
const void *fake_data(const char *plot, enum fake_kind kind, struct cup_arena *arena);

#endif
