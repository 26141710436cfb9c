/* The columns that a chunk accessed, as Coffea's report lists them. Most chunks access the same
 * columns, so the log gets each set of columns once (COLUMNS record). */
#ifndef CUPPING_PRELOAD_COFFEA_COFFEA_COLUMNS_H
#define CUPPING_PRELOAD_COFFEA_COFFEA_COLUMNS_H

#include "preload/python/python.h"

/* The id of the set of columns in Coffea's access log: a list of accesses (branch and buffer key),
 * before Coffea 2026 a list of names. 0: ACCESSES is NULL or no such list, or the log is full.
 * Needs the GIL. */
uint32_t cup_columns_of(cup_object *accesses);

/* A row of the lifecycle table. */
void cup_columns_child_begins(void);

#endif
