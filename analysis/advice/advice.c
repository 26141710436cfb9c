#include "analysis/advice/advice.h"

#include <stdlib.h>

#include "analysis/advice/advice_rules.h"

/* The last two are for runs that nothing else is to be said of. */
const struct cup_rule cup_rules[] = {
#define X(name, about_time) {#name, about_time, cup_rule_##name},
    CUP_RULES(X)
#undef X
};
const size_t cup_rule_count = sizeof cup_rules / sizeof *cup_rules;
enum { RULE_COUNT = sizeof cup_rules / sizeof *cup_rules, COMPLAINTS = RULE_COUNT - 2 };
_Static_assert((int)RULE_COUNT <= (int)CUP_ADVICE_MOST, "room for all");

/* ---- nothing to complain of ------------------------------------------------------------- */

bool cup_rule_cpu_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = (double)t->all.cpu_ns / (double)t->all.wall_ns;
    if (!(share >= 0.7))
        return false;
    snprintf(advice->text, sizeof advice->text,
             "CPU-bound: %.0f %% of the time inside tasks was CPU time (threshold 70 %%). More "
             "cores or faster code make it faster, faster storage does not.",
             share * 100);
    return true;
}

bool cup_rule_nothing_stands_out(const struct cup_totals *t, struct cup_advice *advice)
{
    snprintf(advice->text, sizeof advice->text,
             "Nothing stands out: no threshold of the report's rules was reached.");
    return t->all.tasks > 0;
}

/* ---- all of them ------------------------------------------------------------------------ */

static int heavier_first(const void *left, const void *right)
{
    const struct cup_advice *a = left, *b = right;
    return a->weight > b->weight ? -1 : a->weight < b->weight;
}

static bool try_rule(const struct cup_totals *totals, const struct cup_rule *rule,
                     struct cup_advice *advice)
{
    *advice = (struct cup_advice){.rule = rule->name, .about_time = rule->about_time};
    return rule->applies(totals, advice);
}

size_t cup_advice_make(const struct cup_totals *totals, struct cup_advice advice[CUP_ADVICE_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < COMPLAINTS; i++)
        count += try_rule(totals, &cup_rules[i], &advice[count]);
    for (size_t i = COMPLAINTS; i < RULE_COUNT && count == 0; i++)
        count += try_rule(totals, &cup_rules[i], &advice[count]);
    qsort(advice, count, sizeof *advice, heavier_first);
    return count;
}
