/* From values to places on the paper. */
#ifndef CUPPING_PLOT_FIGURE_SCALE_H
#define CUPPING_PLOT_FIGURE_SCALE_H

#include <stdbool.h>
#include <stddef.h>

struct cup_scale {
    bool log;
    double low, high; /* values at the ends; low < high, on a log scale both above 0 */
    double from, to;  /* where those are, in points; from > to where the scale goes up the paper */
};

/* Values that need not be fit for a scale: without any (NAN, or low > high) it is that of 0 to 1,
 * and a single one gets some room around it. */
struct cup_scale cup_scale_make(double low, double high, bool log);

/* Where a value is; outside of the ends it goes on, but never further than what can be drawn. NAN
 * for what has no place: NAN, and on a log scale what is not above 0. */
double cup_scale_place(const struct cup_scale *scale, double value);

/* The next 1, 2 or 5 of a decade, from `least` on; 1 for what is not above 0. */
double cup_round_step(double least);

/* Values that are known, finite and, for a log scale, above 0: the range of an axis is made of
 * them. */
struct cup_range {
    double low, high; /* NAN: none yet */
};

struct cup_range cup_range_none(void);
void cup_range_add(struct cup_range *range, double value);
void cup_range_add_all(struct cup_range *range, const double *values, size_t count);

#endif
