/* Functions that stood on stacks, and their CODE records. One id for each content (name, file,
 * first line, line table): a function that is unpickled for every task is one function. All with
 * the lock of stacks.c. */
#ifndef CUPPING_PRELOAD_STACKS_CODES_H
#define CUPPING_PRELOAD_STACKS_CODES_H

#include "preload/stacks/stacks.h"

/* As cup_code_find() and cup_code_add(): 0 is "not known" and "no room". */
uint32_t cup_codes_find(uint64_t address, uint64_t fingerprint);
uint32_t cup_codes_add(const struct cup_code_facts *facts);

void cup_codes_reset(void);

#endif
