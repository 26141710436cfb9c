#include "analysis/advice/advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice_rules.h"
#include "analysis/metrics/functions/user_lines.h"

const struct cup_rule cup_rules[] = {
#define X(name, about_time, plot, table, needs)                                                    \
    {#name, about_time, plot, table, needs, cup_rule_##name},
    CUP_RULES(X)
#undef X
};
const size_t cup_rule_count = sizeof cup_rules / sizeof *cup_rules;
enum {
    RULE_COUNT = sizeof cup_rules / sizeof *cup_rules,
    COMPLAINTS = RULE_COUNT - 2 /* cpu_bound and nothing_stands_out are for runs without any */
};
_Static_assert((int)RULE_COUNT <= (int)CUP_ADVICE_MOST, "room for all");

bool cup_advise(struct cup_advice *advice, double weight, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    advice->weight = weight;
    vsnprintf(advice->text, sizeof advice->text, format, arguments);
    va_end(arguments);
    return true;
}

bool cup_advise_more(struct cup_advice *advice, const char *format, ...)
{
    size_t length = strlen(advice->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(advice->text + length, sizeof advice->text - length, format, arguments);
    va_end(arguments);
    return true;
}

void cup_advise_line(const struct cup_totals *t, struct cup_advice *advice, enum cup_weight wait,
                     uint64_t ns)
{
    char place[CUP_LINE_ROOM];
    uint64_t amount;
    /* Without Dask the innermost line of the user's code can be the call of the Runner itself. */
    if (!t->calls || t->calls->filtered || cup_profile_is_without_dask(t->profile))
        return;
    uint32_t frame = cup_heaviest_user_frame(t->calls, wait, &amount);
    if (frame != CUP_NOTHING && amount > ns / 2)
        cup_advise_more(advice, " Most of that, %s, was at %.100s.", CUP_SHOW_NS(amount),
                        cup_frame_place(t->calls, frame, place));
}

char *cup_copy_text(char *to, struct cup_text text, size_t most)
{
    int length = (int)(text.length < most ? text.length : most);
    return cup_format(to, "%.*s", length, text.bytes ? text.bytes : "");
}

/* ---- nothing to complain of ------------------------------------------------------------- */

bool cup_rule_cpu_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = (double)t->all.cpu_ns / (double)t->all.wall_ns;
    return share >= 0.7 &&
           cup_advise(advice, 0,
                      "CPU-bound: %.0f %% of the time inside tasks was CPU time (threshold 70 %%). "
                      "\nUse more cores or faster code; faster storage does not help.",
                      share * 100);
}

/* ---- all of them ------------------------------------------------------------------------ */

/* A run in which no basket was found by its place has no figure that rests on places. */
static uint64_t find_features_off(const struct cup_rule *rule, const struct cup_totals *totals)
{
    const struct cup_basket_sums *all = &totals->branches->all;
    bool none_requested = all->compressed == 0 && all->incidental_bytes > 0;
    bool by_place = (double)all->by_place_compressed > 0.01 * (double)all->compressed ||
                    (none_requested && !(totals->profile->features & CUP_FEATURE_REQUESTED));
    uint64_t off = rule->needs & ~totals->profile->features & ~(uint64_t)CUP_FEATURE_REQUESTED;
    return off | (by_place ? rule->needs & CUP_FEATURE_REQUESTED : 0);
}

const char *cup_rule_not_judged(const struct cup_rule *rule, const struct cup_totals *totals,
                                char to[CUP_NOT_JUDGED])
{
    static const char *const names[CUP_FEATURE_COUNT] = {
#define X(id, name, text, missing) name,
        CUP_FEATURES(X)
#undef X
    };
    uint64_t off = find_features_off(rule, totals);
    size_t used = 0;
    for (unsigned i = 0; i < CUP_FEATURE_COUNT; i++)
        if (off >> i & 1)
            used += (size_t)snprintf(to + used, CUP_NOT_JUDGED - used, "%s%s",
                                     used ? ", " : "needs ", names[i]);
    return off ? to : NULL;
}

bool cup_rule_nothing_stands_out(const struct cup_totals *t, struct cup_advice *advice)
{
    size_t off = 0;
    for (size_t i = 0; i < cup_rule_count; i++)
        off += find_features_off(&cup_rules[i], t) != 0;
    if (t->all.tasks == 0)
        return false;
    cup_advise(advice, 0, "Nothing stands out: no rule reached its threshold.");
    return off == 0 ||
           cup_advise_more(advice,
                           " %s could not judge, because what %s was not recorded; "
                           "`cupping report --only sources` lists them.",
                           CUP_SHOW_COUNTED(off, "rule"), off == 1 ? "it needs" : "they need");
}

static int heavier_first(const void *left, const void *right)
{
    const struct cup_advice *a = left, *b = right;
    return a->weight > b->weight ? -1 : a->weight < b->weight;
}

static bool try_rule(const struct cup_totals *totals, const struct cup_rule *rule,
                     struct cup_advice *advice)
{
    *advice =
        (struct cup_advice){.rule = rule, .saves_s = NAN, .saves_bytes = NAN, .estimate_s = NAN};
    if (find_features_off(rule, totals) || !rule->applies(totals, advice))
        return false;
    char *action = strchr(advice->text, '\n');
    if (action) {
        advice->action = (size_t)(action - advice->text);
        memmove(action, action + 1, strlen(action));
    }
    return true;
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
