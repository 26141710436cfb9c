/* What to look at first: sentences that say what was found, how large it is against a threshold,
 * and what to do. docs/advice.md lists the rules. */
#pragma once

#include "analysis/metrics/totals.h"

struct cup_advice;

struct cup_rule {
    const char *name;         /* in docs/advice.md and in the JSON */
    bool about_time;          /* it says what a part of the time budget means */
    const char *plot, *table; /* with the evidence: name and heading; NULL: none */
    uint64_t needs;           /* set of enum cup_feature */
    /* Returns whether the rule applies; then it has filled in weight and text. */
    bool (*applies)(const struct cup_totals *totals, struct cup_advice *advice);
};
extern const struct cup_rule cup_rules[];
extern const size_t cup_rule_count;

struct cup_advice {
    const struct cup_rule *rule;
    double weight; /* what could be saved, as a share of the threads' time; failures have more */
    double saves_s, saves_bytes; /* what could be saved at most; NAN: not known */
    double estimate_s; /* a rough estimate of the time of saves_bytes; NAN: there is none */
    char text[800];
    size_t action; /* where `text` says what to do; 0: nowhere in particular */
};

/* Why the rule does not judge this run: "needs asked", the features that it needs and that were
 * off; NULL: it judges. */
enum { CUP_NOT_JUDGED = 120 };
const char *cup_rule_not_judged(const struct cup_rule *rule, const struct cup_totals *totals,
                                char to[CUP_NOT_JUDGED]);

enum { CUP_ADVICE_MOST = 64 };

/* Fills in what applies, the largest weight first; returns how many. There is at least one sentence
 * if there are tasks: the last rule says that nothing stands out. */
size_t cup_advice_make(const struct cup_totals *totals, struct cup_advice advice[CUP_ADVICE_MOST]);
