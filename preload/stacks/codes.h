/* Functions seen on stacks, and their CODE records. Functions with the same content (name, file,
 * first line, line table) have the same id: one that Dask unpickles anew for every task is still
 * one function. The caller holds the lock of stacks.c. */
#ifndef CUPPING_PRELOAD_STACKS_CODES_H
#define CUPPING_PRELOAD_STACKS_CODES_H

#include "preload/stacks/stacks.h"

/* cup_code_find() and cup_code_add() of stacks.h take the lock and call these two. They return the
 * function's id; 0: it is not known (find), or there is no room (add). */
uint32_t cup_codes_find(uint64_t address, uint64_t fingerprint);
uint32_t cup_codes_add(const struct cup_code_facts *facts);

/* A new log, or a forked child: no CODE record is written yet. */
void cup_codes_reset(void);

#endif
