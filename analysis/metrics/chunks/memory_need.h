/* Which memory a worker needs, by the fits of peak heap: see chunk_fits.h. */
#ifndef CUPPING_ANALYSIS_METRICS_CHUNKS_MEMORY_NEED_H
#define CUPPING_ANALYSIS_METRICS_CHUNKS_MEMORY_NEED_H

#include "analysis/metrics/chunks/chunk_fits.h"

/* Fills in fits->memory for the present size. Returns 0, or -1 without memory. */
int cup_memory_need_make(struct cup_chunk_fits *fits, const struct cup_totals *totals);

/* The events of a chunk at which a worker is full; INFINITY where nothing says so. */
double cup_memory_holds(const struct cup_memory_need *need);

/* Fills in what chunks of EVENTS would need, unless that is too uncertain. */
void cup_memory_need_at(struct cup_memory_need *need, double events);

#endif
