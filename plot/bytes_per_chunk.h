#ifndef CUPPING_BYTES_PER_CHUNK_H
#define CUPPING_BYTES_PER_CHUNK_H

#include "plot/grouped.h"

struct cup_bytes_per_chunk {
    struct cup_grouped compressed; /* of baskets */
    double *delivered;             /* chunks in the same bins, by the bytes that files delivered */
    double most;                   /* of all counts */
};

#endif
