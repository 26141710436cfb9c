/* What a set of numbers looks like. */
#ifndef CUPPING_ANALYSIS_BASE_STATISTICS_H
#define CUPPING_ANALYSIS_BASE_STATISTICS_H

#include <stddef.h>

struct cup_statistics {
    size_t count;
    double min, mean, median, max;
    double stdev; /* of the whole set: divided by count, so that one number has 0 */
};

/* All NAN for no numbers. Changes the order of `numbers`. */
struct cup_statistics cup_statistics_of(double *numbers, size_t count);

/* The number that `rank` others come before in order (0: the smallest); rank < count. Changes the
 * order of `numbers`. */
double cup_select(double *numbers, size_t count, size_t rank);

#endif
