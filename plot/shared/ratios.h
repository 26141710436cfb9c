/* What shrank how much: branches, or files, the largest first. */
#ifndef CUPPING_PLOT_SHARED_RATIOS_H
#define CUPPING_PLOT_SHARED_RATIOS_H

#include "plot/shared/bins.h"
#include "plot/shared/plot.h"

enum { CUP_ROWS_MOST = 30 };

struct cup_ratio {
    struct cup_text name;
    double ratio;        /* uncompressed / compressed */
    double bytes;        /* compressed */
    uint32_t algorithms; /* enum cup_algorithm */
};

struct cup_ratios {
    struct cup_ratio rows[CUP_ROWS_MOST];
    struct cup_text names[CUP_ROWS_MOST]; /* of the rows */
    size_t count;
    const char *what;     /* "branches", "files" */
    double all;           /* ratio of everything together */
    struct cup_bins bins; /* of all ratios, where there are more than rows and `what` is a file;
                             count 0: none */
};

/* Without directories that all of the paths have in common: of `count` texts. */
void cup_paths_shorten(struct cup_text *paths, size_t count);

/* Uncompressed over compressed, of those baskets whose keys were seen; NAN: none were. */
struct cup_basket_sums;
double cup_ratio_of(const struct cup_basket_sums *sums);

#endif
