/* How numbers are spread, in a few hundred bytes, however many they are: their quantiles. */
#ifndef CUPPING_ANALYSIS_COMPARE_SPREAD_H
#define CUPPING_ANALYSIS_COMPARE_SPREAD_H

#include <stddef.h>

enum { CUP_SPREAD_POINTS = 201 };

struct cup_spread {
    size_t count;                 /* of the numbers; 0: none are known */
    double at[CUP_SPREAD_POINTS]; /* the share i / (CUP_SPREAD_POINTS - 1) is at most this */
};

/* Changes the order of `numbers`, which must all be known. */
struct cup_spread cup_spread_of(double *numbers, size_t count);

/* The number that a share of 0 to 1 of all are at most; NAN for none. */
double cup_spread_at(const struct cup_spread *spread, double share);

/* Numbers that come one by one. */
struct cup_numbers {
    double *numbers; /* owned */
    size_t count, room;
    int short_of_memory; /* some are missing */
};

/* What is NAN or infinite is left out. */
void cup_numbers_add(struct cup_numbers *numbers, double number);

/* Their spread; gives them back. */
struct cup_spread cup_numbers_spread(struct cup_numbers *numbers);

#endif
