/* Reasons below a table, each printed once: "n/a [2]" in a cell, "[2] why" below. */
#ifndef CUPPING_ANALYSIS_WRITE_FOOTNOTES_H
#define CUPPING_ANALYSIS_WRITE_FOOTNOTES_H

#include <stddef.h>

#include "analysis/write/table.h"

enum { CUP_FOOTNOTES_MOST = 12 };

struct cup_footnotes {
    const char *texts[CUP_FOOTNOTES_MOST]; /* not owned */
    size_t count;
};

/* Adds a cell "n/a [N]" for a value that is not known, and its reason. If there are too many
 * reasons, they share the last number. */
void cup_table_add_missing(struct cup_table *table, struct cup_footnotes *footnotes,
                           const char *reason);

void cup_footnotes_print(const struct cup_footnotes *footnotes,
                         const struct cup_terminal *terminal);

#endif
