/* `cupping compare --fail-on`: what a script wants to fail on. */
#pragma once

#include "analysis/compare/compare.h"

/* Name of the Nth condition; NULL after the last one. */
const char *cup_compare_fail_on_name(size_t n);

/* True if one of these conditions needs two or more runs on each side. */
bool cup_compare_fail_on_needs_runs(unsigned conditions);

/* Returns 0, or -1 and *error if one of the conditions cannot be judged for an input that has no
 * figure for it. */
int cup_compare_fail_on_check(unsigned conditions, const struct cup_comparison *comparison,
                              struct cup_error *error);

/* True if one of the conditions holds. Then *error says which, and of which inputs. */
bool cup_compare_fail_on_holds(unsigned conditions, const struct cup_comparison *comparison,
                               struct cup_error *error);
