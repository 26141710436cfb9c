/* The quantiles of many numbers, in a few hundred bytes. */
#ifndef CUPPING_ANALYSIS_COMPARE_SPREAD_H
#define CUPPING_ANALYSIS_COMPARE_SPREAD_H

#include <stddef.h>

enum { CUP_SPREAD_POINTS = 201 };

struct cup_spread {
    size_t count;                 /* how many numbers; 0: none */
    double at[CUP_SPREAD_POINTS]; /* [i]: the quantile i / (CUP_SPREAD_POINTS - 1) */
};

/* Changes the order of `numbers`, which must all be known. */
struct cup_spread cup_spread_of(double *numbers, size_t count);

/* The quantile for a share of 0 to 1; NAN if there are no numbers. */
double cup_spread_at(const struct cup_spread *spread, double share);

/* Collects numbers one by one. */
struct cup_numbers {
    double *numbers; /* owned */
    size_t count, room;
    int short_of_memory; /* out of memory: some numbers are missing */
};

/* Adds a number; ignores NAN and infinity. */
void cup_numbers_add(struct cup_numbers *numbers, double number);

/* Returns their spread, and frees the numbers. */
struct cup_spread cup_numbers_spread(struct cup_numbers *numbers);

#endif
