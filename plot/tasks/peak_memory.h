#ifndef CUPPING_PLOT_TASKS_PEAK_MEMORY_H
#define CUPPING_PLOT_TASKS_PEAK_MEMORY_H

#include "plot/shared/chunks.h"
#include "plot/shared/density.h"

struct cup_peak_memory {
    struct cup_chunk_points chunks;
    double *bytes; /* of each chunk; NAN: not known */
    double most_events, most_bytes;
    double top_events, top_bytes; /* where the axes end; the limit is below */
    struct cup_density density;
    bool fitted;
    double mean_events, bytes_at_mean, slope; /* robust line */
    char far_above[64]; /* what the legend says of a limit that is not drawn; empty: nothing */
    double limit; /* of a chunk's heap; 0: not known, or so far away that nothing else would be
                     seen */
};

#endif
