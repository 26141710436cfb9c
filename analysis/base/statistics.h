/* Mean, deviation and quantiles of a set of numbers. */
#pragma once

#include <stddef.h>

/* The quantile of SHARE (0.5: the median), on the straight line between the two numbers next to it.
 * NAN if there are no numbers. Changes the order of NUMBERS. */
double cup_quantile(double *numbers, size_t count, double share);

/* The same of numbers in ascending order, which it does not change. */
double cup_quantile_sorted(const double *numbers, size_t count, double share);

struct cup_statistics {
    size_t count;
    double min, mean, median, max;
    double stdev; /* of the population (divided by count): 0 for a single number */
};

/* All fields are NAN if there are no numbers. Changes the order of NUMBERS. */
struct cup_statistics cup_statistics_of(double *numbers, size_t count);

/* The number at index RANK in ascending order (0: the smallest); RANK is less than COUNT. Changes
 * the order of NUMBERS. */
double cup_select(double *numbers, size_t count, size_t rank);
