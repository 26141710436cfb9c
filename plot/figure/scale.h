/* Converts values to places on the paper. */
#ifndef CUPPING_PLOT_FIGURE_SCALE_H
#define CUPPING_PLOT_FIGURE_SCALE_H

#include <stdbool.h>
#include <stddef.h>

struct cup_scale {
    bool log;
    double low, high; /* values at the ends; low < high; on a log scale both are above 0 */
    double from, to;  /* places of the ends, in points; from > to on an axis that goes up */
};

/* Makes a scale from any values. Without a range (NAN, or low > high) it goes from 0 to 1; a single
 * value gets some room around it. */
struct cup_scale cup_scale_make(double low, double high, bool log);

/* The place of a value in points. Values outside of the ends have places outside, within the limits
 * of cairo. NAN for NAN and, on a log scale, for values not above 0. */
double cup_scale_place(const struct cup_scale *scale, double value);

/* The smallest of 1, 2, 5 times a power of ten that is at least `least`; 1 if `least` is not above
 * 0. */
double cup_round_step(double least);

/* The range of the finite values that were added. */
struct cup_range {
    double low, high; /* NAN: no value yet */
};

struct cup_range cup_range_none(void);
void cup_range_add(struct cup_range *range, double value);
void cup_range_add_all(struct cup_range *range, const double *values, size_t count);

#endif
