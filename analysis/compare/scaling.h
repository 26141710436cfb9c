/* How throughput grows with workers and with cores, from two or more runs:
 *     efficiency(n) = throughput(n) / (throughput(n0) * n / n0)
 * n0 is the smallest number; the first run that has it is the reference. */
#ifndef CUPPING_ANALYSIS_COMPARE_SCALING_H
#define CUPPING_ANALYSIS_COMPARE_SCALING_H

#include "analysis/compare/figures.h"

enum { CUP_SCALING_MOST = 26 };

enum cup_scaling_size { CUP_BY_WORKERS, CUP_BY_CORES, CUP_SCALING_SIZES };
enum cup_scaling_rate { CUP_OF_EVENTS, CUP_OF_BYTES, CUP_SCALING_RATES };

/* NAN: not known. */
struct cup_scaling_row {
    double size[CUP_SCALING_SIZES];
    double rate[CUP_SCALING_RATES]; /* events per second and Gbit/s, over wall time */
    double efficiency[CUP_SCALING_RATES][CUP_SCALING_SIZES];
};

struct cup_scaling {
    struct cup_scaling_row rows[CUP_SCALING_MOST];
    size_t count;
    const char *sizes_are[CUP_SCALING_SIZES], *bytes_are; /* what the columns contain */
    int least[CUP_SCALING_SIZES];                         /* the reference runs; -1: none */
    const char *missing; /* why there is no efficiency; NULL: there is one */
};

struct cup_scaling cup_scaling_make(const struct cup_figures *inputs, size_t count);

/* The efficiency of a run: by cores rather than workers, of events rather than bytes, as far as
 * known; otherwise NAN. */
double cup_scaling_efficiency(const struct cup_scaling *scaling, size_t input);

#endif
