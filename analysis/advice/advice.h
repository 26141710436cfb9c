/* What to look at first: sentences that state the figures they rest on and the threshold that
 * made them worth saying. docs/advice.md lists them all. */
#ifndef CUPPING_ANALYSIS_ADVICE_ADVICE_H
#define CUPPING_ANALYSIS_ADVICE_ADVICE_H

#include "analysis/metrics/totals.h"

struct cup_advice {
    const char *rule; /* its name in docs/advice.md */
    bool about_time;  /* says what a part of the time budget means */
    double weight; /* how much there is to win or to lose: a share of the threads' time, or of 1 */
    char text[720];
};

enum { CUP_ADVICE_MOST = 64 };

/* Fills in what applies, the weightiest first; returns how many. Never none while there are tasks:
 * a run without complaints gets a sentence that says so. */
size_t cup_advice_make(const struct cup_totals *totals, struct cup_advice advice[CUP_ADVICE_MOST]);

/* A rule says whether it applies and then fills in weight and text. */
struct cup_rule {
    const char *name;
    bool about_time;
    bool (*applies)(const struct cup_totals *totals, struct cup_advice *advice);
};
extern const struct cup_rule cup_rules[];
extern const size_t cup_rule_count;

#endif
