/* How long opens and connections took, by server. */
#ifndef CUPPING_PLOT_IO_OPEN_LATENCY_H
#define CUPPING_PLOT_IO_OPEN_LATENCY_H

#include "plot/figure/theme.h"
#include "plot/shared/plot.h"

/* Up to CUP_OPEN_CURVES servers are drawn as curves, more as rows. */
enum { CUP_OPEN_CURVES = 6, CUP_OPEN_ROWS = 30, CUP_OPEN_KINDS = 3 };

/* Times in seconds. */
struct cup_open_row {
    struct cup_text name;
    size_t kind;                            /* 0 to CUP_OPEN_KINDS - 1 */
    double low, lower, middle, upper, high; /* quantiles: 1 %, 25 %, 50 %, 75 %, 99 % */
    double longest;
    char brief[64];         /* for the legend */
    char text[96];          /* behind the row: the numbers */
    double *times, *shares; /* of a curve: `shares` percent of the opens took at most `times` */
    size_t points;
};

struct cup_open_latency {
    struct cup_open_row rows[CUP_OPEN_ROWS];
    struct cup_text names[CUP_OPEN_ROWS]; /* of those rows */
    size_t count;
    double shortest, longest; /* of all that are shown */
};

/* Names and paints of the kinds: local files, the XRootD client, connections. */
extern const struct cup_open_key {
    const char *name;
    enum cup_paint paint;
} cup_open_keys[CUP_OPEN_KINDS];

#endif
