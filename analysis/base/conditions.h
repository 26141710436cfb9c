/* The list of conditions that --fail-on names. */
#pragma once

#include <stddef.h>

#include "analysis/base/error.h"

/* Reads a list such as "losses,failed" into *bits: bit N for the N-th of the names, of which
 * NAME_OF returns NULL after the last one. Returns 0, or -1 and *error. */
int cup_conditions_read(unsigned *bits, const char *list, const char *(*name_of)(size_t n),
                        const char *verb, struct cup_error *error);
