/* Computes the chunk size and the memory that suit, from the fits: see chunk_fits.h. */
#ifndef CUPPING_ANALYSIS_METRICS_CHUNKS_CHUNK_SIZE_H
#define CUPPING_ANALYSIS_METRICS_CHUNKS_CHUNK_SIZE_H

#include "analysis/metrics/chunks/chunk_fits.h"

/* Why a fit of the time is too uncertain to advise a size; NULL: it is good enough. Not owned. */
const char *cup_time_doubt(const struct cup_line_fit *fit);

/* Fills in fits->size and fits->memory. Returns 0, or -1 without memory. */
int cup_chunk_size_make(struct cup_chunk_fits *fits, const struct cup_totals *totals);

#endif
