/* --fail-on: what a script wants to fail on. */
#pragma once

#include "analysis/base/error.h"
#include "analysis/metrics/totals.h"

/* Name of the Nth condition; NULL after the last one. */
const char *cup_fail_on_name(size_t n);

/* Reads a list such as "losses,failed" into bits of *conditions. Returns 0, or -1 and *error. */
int cup_fail_on_read(unsigned *conditions, const char *list, const char *verb,
                     struct cup_error *error);

/* True if one of the conditions holds. Then *error says which, and how often. */
bool cup_fail_on_holds(unsigned conditions, const struct cup_totals *totals,
                       struct cup_error *error);
