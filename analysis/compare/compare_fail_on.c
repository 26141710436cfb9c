#include "analysis/compare/compare_fail_on.h"

#include <stdio.h>
#include <string.h>

#include "analysis/base/error.h"
#include "analysis/compare/inputs.h"

typedef bool holds(const struct cup_comparison *comparison, size_t input);

static bool is_slower(const struct cup_comparison *comparison, size_t input)
{
    return cup_compare_speed(comparison, input).verdict == CUP_VERDICT_WORSE;
}

static bool is_not_judged(const struct cup_comparison *comparison, size_t input)
{
    struct cup_change change = cup_compare_speed(comparison, input);
    return input != comparison->baseline &&
           (isnan(change.noise) || change.relative.kind == CUP_VALUE_NULL);
}

static bool has_losses(const struct cup_comparison *comparison, size_t input)
{
    return comparison->inputs[input].losses > 0;
}

static bool is_incomplete(const struct cup_comparison *comparison, size_t input)
{
    enum cup_run_state state = comparison->inputs[input].state;
    return state != CUP_RUN_COMPLETE && state != CUP_RUN_UNKNOWN;
}

static bool is_unknown(const struct cup_comparison *comparison, size_t input)
{
    return comparison->inputs[input].state == CUP_RUN_UNKNOWN;
}

/* docs/man/cupping.1 and docs/reading-a-report.md explain them. */
static const struct condition {
    const char *name;
    holds *holds;
    const char *text; /* what follows the names of the inputs */
    bool needs_runs;
} conditions[] = {
    {"slower", is_slower, "slower than the baseline", true},
    {"unjudged", is_not_judged, "not known whether slower than the baseline", true},
    {"losses", has_losses, "chunks or files are missing in the result", false},
    {"incomplete", is_incomplete, "not complete", false},
    {"unknown", is_unknown, "not known whether complete", false},
};
enum { COUNT = sizeof conditions / sizeof *conditions };

const char *cup_compare_fail_on_name(size_t n)
{
    return n < COUNT ? conditions[n].name : NULL;
}

bool cup_compare_fail_on_needs_runs(unsigned bits)
{
    bool needs = false;
    for (size_t i = 0; i < COUNT; i++)
        needs |= (bits & 1u << i) && conditions[i].needs_runs;
    return needs;
}

int cup_compare_fail_on_check(unsigned bits, const struct cup_comparison *comparison,
                              struct cup_error *error)
{
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; (bits & 1u << i) && k < comparison->input_count; k++)
            if (conditions[i].holds == has_losses && comparison->inputs[k].losses == CUP_UNKNOWN64)
                return cup_error_set(error, "compare", CUP_NO_OFFSET,
                                     "--fail-on losses: %s does not say how many chunks and files "
                                     "are missing in its result",
                                     cup_input_name(k));
    return 0;
}

/* "B, C: slower than the baseline (slower)"; "" if it holds for no input. */
static void describe(char to[256], const struct cup_comparison *comparison,
                     const struct condition *condition)
{
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < comparison->input_count; i++)
        if (condition->holds(comparison, i))
            used += (size_t)snprintf(to + used, 256 - used, "%s%s", used ? ", " : "",
                                     cup_input_name(i));
    if (used)
        snprintf(to + used, 256 - used, ": %s (%s)", condition->text, condition->name);
}

bool cup_compare_fail_on_holds(unsigned bits, const struct cup_comparison *comparison,
                               struct cup_error *error)
{
    char text[COUNT * 260] = "", one[256];
    for (size_t i = 0; i < COUNT; i++) {
        if (!(bits & 1u << i))
            continue;
        describe(one, comparison, &conditions[i]);
        if (*one && *text)
            strcat(text, "; ");
        strcat(text, one);
    }
    if (*text)
        cup_error_set(error, "compare", CUP_NO_OFFSET, "--fail-on: %s", text);
    return *text != '\0';
}
