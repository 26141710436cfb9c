/* Which chunk size and which memory would suit, by the fits: see chunk_fits.h. */
#ifndef CUPPING_CHUNK_SIZE_H
#define CUPPING_CHUNK_SIZE_H

#include "analysis/metrics/chunk_fits.h"

/* Fills in fits->size and fits->memory. Returns 0, or -1 without memory. */
int cup_chunk_size_make(struct cup_chunk_fits *fits, const struct cup_totals *totals);

#endif
