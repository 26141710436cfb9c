/* What to look at first: sentences that state the figures they rest on and the threshold that
 * made them worth saying. docs/reading-a-report.md lists them all. */
#ifndef CUPPING_ADVICE_H
#define CUPPING_ADVICE_H

#include "analysis/totals.h"

struct cup_advice {
    double weight; /* how much there is to win or to lose: a share of the threads' time, or of 1 */
    char text[360];
};

enum { CUP_ADVICE_MOST = 16 };

/* Fills in what applies, the weightiest first; returns how many. Never none while there are tasks:
 * a run without complaints gets a sentence that says so. */
size_t cup_advice_make(const struct cup_totals *totals, struct cup_advice advice[CUP_ADVICE_MOST]);

#endif
