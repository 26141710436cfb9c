#ifndef CUPPING_PLOT_TASKS_PEAK_MEMORY_H
#define CUPPING_PLOT_TASKS_PEAK_MEMORY_H

#include "plot/shared/chunks.h"
#include "plot/shared/density.h"

struct cup_peak_memory {
    struct cup_chunk_points chunks;
    double *bytes; /* of each chunk; NAN: not known */
    double most_events, most_bytes;
    double top_events, top_bytes; /* where the axes end, above the limit */
    struct cup_density density;
    bool fitted;
    double mean_events, bytes_at_mean, slope; /* robust line */
    char far_above[64]; /* legend text for a limit too high to be drawn; empty: none */
    double limit;       /* of a chunk's heap, bytes; 0: not known, or too high to be drawn */
};

#endif
