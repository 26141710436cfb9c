#ifndef CUPPING_PLOT_TASKS_CHUNK_RUNTIME_H
#define CUPPING_PLOT_TASKS_CHUNK_RUNTIME_H

#include "analysis/base/statistics.h"
#include "plot/shared/bins.h"

struct cup_chunk_runtime {
    struct cup_bins times;
    double median_s, p90_s, p99_s;
};

#endif
