#ifndef CUPPING_PLOT_IO_BYTES_PER_CHUNK_H
#define CUPPING_PLOT_IO_BYTES_PER_CHUNK_H

#include "plot/shared/grouped.h"

struct cup_bytes_per_chunk {
    struct cup_grouped compressed; /* of baskets */
    double *delivered;             /* chunks in the same bins, by the bytes delivered to them */
    double most;                   /* of all counts */
};

#endif
