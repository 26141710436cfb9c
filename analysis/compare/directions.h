/* Which way of a figure is the better one, where that is known. */
#ifndef CUPPING_ANALYSIS_COMPARE_DIRECTIONS_H
#define CUPPING_ANALYSIS_COMPARE_DIRECTIONS_H

#include <stdbool.h>

enum cup_better { CUP_BETTER_UNKNOWN, CUP_BETTER_LOWER, CUP_BETTER_HIGHER };

struct cup_direction {
    const char *name; /* of a figure, in whichever section */
    enum cup_better better;
    bool same_work; /* only between runs that did the same work: sums grow with it */
};

/* NULL when not known. */
const struct cup_direction *cup_direction_of(const char *name);

#endif
