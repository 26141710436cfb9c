/* Throughput of several runs against their size. */
#ifndef CUPPING_PLOT_COMPARE_COMPARED_SCALING_H
#define CUPPING_PLOT_COMPARE_COMPARED_SCALING_H

#include "analysis/compare/compare.h"
#include "plot/shared/plot.h"

struct cup_compared_scaling {
    const char *size_name, *rate_name; /* of the axes */
    bool by_events;                    /* else bits each second */
    bool joined; /* by a line: the runs differ in their size, not in their work */
    double size[CUP_COMPARE_MOST], rate[CUP_COMPARE_MOST]; /* by size */
    char texts[CUP_COMPARE_MOST][32]; /* "B 92 %": whose it is, and its efficiency */
    size_t count;
    double ideal; /* rate per size of the smallest */
    double most_size, most_rate;
    double target; /* 0: none */
    char target_name[64];
};

#endif
