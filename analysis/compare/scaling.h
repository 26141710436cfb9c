/* How throughput grows with workers and with cores, from two or more runs:
 *     efficiency(n) = throughput(n) / (throughput(n0) * n / n0)
 * n0 is the smallest number; the first run that has it is the reference. */
#ifndef CUPPING_ANALYSIS_COMPARE_SCALING_H
#define CUPPING_ANALYSIS_COMPARE_SCALING_H

#include "analysis/compare/figures.h"

enum { CUP_SCALING_MOST = 26 };

/* NAN: not known. */
struct cup_scaling_row {
    double workers, cores;
    double events_per_s, gbps;             /* over wall time */
    double by_workers, by_cores;           /* efficiency, of events per second */
    double gbps_by_workers, gbps_by_cores; /* efficiency, of bytes per second */
};

struct cup_scaling {
    struct cup_scaling_row rows[CUP_SCALING_MOST];
    size_t count;
    const char *workers_are, *cores_are, *bytes_are; /* what the columns contain */
    int least_workers, least_cores;                  /* the reference runs; -1: none */
    const char *missing; /* why there is no efficiency; NULL: there is one */
};

struct cup_scaling cup_scaling_make(const struct cup_figures *inputs, size_t count);

/* The efficiency of a run: by cores rather than workers, of events rather than bytes, as far as
 * known; otherwise NAN. */
double cup_scaling_efficiency(const struct cup_scaling *scaling, size_t input);

#endif
