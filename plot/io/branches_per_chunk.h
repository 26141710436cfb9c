#ifndef CUPPING_PLOT_IO_BRANCHES_PER_CHUNK_H
#define CUPPING_PLOT_IO_BRANCHES_PER_CHUNK_H

#include "plot/shared/grouped.h"

struct cup_branches_per_chunk {
    struct cup_grouped branches;
    double mean;
};

#endif
