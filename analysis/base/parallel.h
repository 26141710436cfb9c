/* Several threads for work that is worth it. */
#ifndef CUPPING_ANALYSIS_BASE_PARALLEL_H
#define CUPPING_ANALYSIS_BASE_PARALLEL_H

#include <stddef.h>

/* Calls work(context) on as many threads as there are processors, this one among them, but on no
 * more than `most`; returns when all have returned. Where no thread can be had, this one works
 * alone. `work` must take its share by itself. */
void cup_parallel(size_t most, void (*work)(void *context), void *context);

#endif
