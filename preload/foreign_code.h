/* Numbers of code objects that stand on another thread's stack, which may be gone while they are
 * looked at. */
#ifndef CUPPING_FOREIGN_CODE_H
#define CUPPING_FOREIGN_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum { CUP_FOREIGN_CODES = 128 };

/* IDS of COUNT of them, at most CUP_FOREIGN_CODES; 0 for what is no function (a frame that a call
 * of a class leaves in 3.13). Returns how many, counted from the last, are certain: they were met
 * before by this very content, so that what stands there now was there since. The others are
 * met hereby, if they are code objects at all. One caller at a time. */
uint32_t cup_foreign_codes(const uint64_t *codes, uint32_t *ids, uint32_t count);

#endif
