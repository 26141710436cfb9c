#include "analysis/report/fail_on.h"

#include <stdio.h>
#include <string.h>

#include "analysis/base/conditions.h"
#include "analysis/base/units.h"
#include "analysis/metrics/losses/completeness.h"
#include "analysis/metrics/losses/loss_text.h"

static uint64_t count_losses(const struct cup_totals *t)
{
    return cup_losses_chunks(&t->losses->sums);
}

static uint64_t is_incomplete(const struct cup_totals *t)
{
    return !cup_completeness_is_fine(t->completeness);
}

static uint64_t is_unknown(const struct cup_totals *t)
{
    return t->completeness->state == CUP_RUN_UNKNOWN;
}

static uint64_t count_failed(const struct cup_totals *t)
{
    return t->all.erred;
}

static uint64_t count_unfinished(const struct cup_totals *t)
{
    return t->all.unfinished;
}

static uint64_t count_running(const struct cup_totals *t)
{
    return t->all.running;
}

static uint64_t count_damaged(const struct cup_totals *t)
{
    return t->profile->logs_damaged + t->profile->logs_unreadable;
}

/* docs/man/cupping.1 and docs/reading-a-report.md explain them. */
static const struct condition {
    const char *name;
    uint64_t (*count)(const struct cup_totals *totals);
    const char *noun, *text; /* what follows the number; NULL: the losses in words */
} conditions[] = {
    {"losses", count_losses, NULL, " missing in the result"},
    {"incomplete", is_incomplete, "run", " is not complete"},
    {"unknown", is_unknown, "run", " may be incomplete: what it was to do is not known"},
    {"failed", count_failed, "task", " failed"},
    {"unfinished", count_unfinished, "task", " never ended"},
    {"running", count_running, "running task", ""},
    {"damaged", count_damaged, "log", " damaged or not readable"},
};
enum { COUNT = sizeof conditions / sizeof *conditions };

const char *cup_fail_on_name(size_t n)
{
    return n < COUNT ? conditions[n].name : NULL;
}

int cup_fail_on_read(unsigned *bits, const char *list, const char *verb, struct cup_error *error)
{
    return cup_conditions_read(bits, list, cup_fail_on_name, verb, error);
}

bool cup_fail_on_holds(unsigned bits, const struct cup_totals *totals, struct cup_error *error)
{
    char text[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t count = bits & (1u << i) ? conditions[i].count(totals) : 0;
        if (count && used < sizeof text)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s%s (%s)", used ? ", " : "",
                                 conditions[i].noun ? CUP_SHOW_COUNTED(count, conditions[i].noun)
                                                    : CUP_SHOW_LOSSES(&totals->losses->sums),
                                 conditions[i].text, conditions[i].name);
    }
    if (used)
        cup_error_set(error, totals->profile->path, CUP_NO_OFFSET, "--fail-on: %s", text);
    return used > 0;
}
