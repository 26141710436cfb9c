/* Computes the memory that a worker needs from the fits of peak heap: see chunk_fits.h. */
#ifndef CUPPING_ANALYSIS_METRICS_CHUNKS_MEMORY_NEED_H
#define CUPPING_ANALYSIS_METRICS_CHUNKS_MEMORY_NEED_H

#include "analysis/metrics/chunks/chunk_fits.h"

/* Fills in fits->memory for the present chunk size. Returns 0, or -1 without memory. */
int cup_memory_need_make(struct cup_chunk_fits *fits, const struct cup_totals *totals);

/* The number of events of a chunk at which the worker's limit is just large enough; INFINITY if no
 * limit is reached, or not known. */
double cup_memory_holds(const struct cup_memory_need *need);

/* Fills in the need with chunks of EVENTS (new_*), unless it is too uncertain. */
void cup_memory_need_at(struct cup_memory_need *need, double events);

#endif
