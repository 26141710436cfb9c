/* How long opens took, by server. */
#ifndef CUPPING_PLOT_IO_OPEN_LATENCY_H
#define CUPPING_PLOT_IO_OPEN_LATENCY_H

#include "plot/figure/theme.h"
#include "plot/shared/plot.h"

/* Up to so many servers are curves; more are rows. */
enum { CUP_OPEN_CURVES = 6, CUP_OPEN_ROWS = 30, CUP_OPEN_KINDS = 3 };

/* Times in seconds. */
struct cup_open_row {
    struct cup_text name;
    size_t kind;                            /* 0 to CUP_OPEN_KINDS - 1 */
    double low, lower, middle, upper, high; /* shares: 1 %, 25 %, half, 75 %, 99 % */
    double longest;
    char brief[64];         /* for a legend */
    char text[96];          /* what the numbers are */
    double *times, *shares; /* of a curve: of all, in percent, took at most */
    size_t points;
};

struct cup_open_latency {
    struct cup_open_row rows[CUP_OPEN_ROWS];
    struct cup_text names[CUP_OPEN_ROWS]; /* of those rows */
    size_t count;
    double shortest, longest; /* of all that are shown */
};

/* Of local files, through XRootD's client, connections. */
extern const struct cup_open_key {
    const char *name;
    enum cup_paint paint;
} cup_open_keys[CUP_OPEN_KINDS];

#endif
