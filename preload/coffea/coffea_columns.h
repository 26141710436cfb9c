/* The columns that chunks read, as Coffea lists them: sets that are written to the log once,
 * however many chunks read the same. */
#ifndef CUPPING_PRELOAD_COFFEA_COFFEA_COLUMNS_H
#define CUPPING_PRELOAD_COFFEA_COFFEA_COLUMNS_H

#include "preload/python/python.h"

/* Id of the set in an access log, a list of accesses (branch and buffer key), or, before Coffea
 * 2026, of names; 0: not known. NULL is fine. GIL. */
uint32_t cup_columns_of(cup_object *accesses);

/* A new log, which knows none of them. */
void cup_columns_reset(void);

#endif
