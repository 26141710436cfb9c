/* Throughput of several runs by their size. */
#ifndef CUPPING_PLOT_COMPARE_COMPARED_SCALING_H
#define CUPPING_PLOT_COMPARE_COMPARED_SCALING_H

#include "analysis/compare/compare.h"
#include "plot/shared/plot.h"

struct cup_compared_scaling {
    const char *size_name, *rate_name; /* of the axes */
    bool by_events;                    /* else bits per second */
    bool joined;                       /* joined by a line, because the runs did the same work */
    double size[CUP_COMPARE_MOST], rate[CUP_COMPARE_MOST]; /* sorted by size */
    char texts[CUP_COMPARE_MOST][32]; /* "B  92 %": letter of the run, and its efficiency */
    size_t count;
    double ideal; /* rate divided by size, of the smallest run */
    double most_size, most_rate;
    double target; /* 0: none */
    char target_name[64];
};

#endif
