#ifndef CUPPING_PLOT_IO_SHARES_H
#define CUPPING_PLOT_IO_SHARES_H

#include "plot/shared/bins.h"
#include "plot/shared/ratios.h"

/* How much of a file's trees was read. */
struct cup_share {
    double bytes, branches; /* percent; NAN: not known */
};

struct cup_shares {
    struct cup_share rows[CUP_ROWS_MOST];
    struct cup_text names[CUP_ROWS_MOST];
    size_t count;
    struct cup_bins bytes; /* of all files, if there are more than rows; else count 0 */
    double *branches;      /* files in the same bins, by the share of branches */
    double most;           /* of both */
};

#endif
