/* The part of a page that shows stacks: data for flame.js, which draws them. */
#ifndef CUPPING_PAGE_FLAME_H
#define CUPPING_PAGE_FLAME_H

#include <stdio.h>

#include "analysis/metrics/totals.h"

/* True if there are stacks to show. */
bool cup_page_has_flame(const struct cup_totals *totals);

/* Writes the inside of the part. Returns 0, or -1 without memory. */
int cup_page_flame(FILE *out, const struct cup_totals *totals);

#endif
