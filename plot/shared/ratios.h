/* Compression of branches or files, those first whose compression saved the most bytes. */
#pragma once

#include "plot/shared/bins.h"
#include "plot/shared/plot.h"

enum { CUP_ROWS_MOST = 30 };

struct cup_ratio {
    double ratio;        /* uncompressed / compressed */
    double saved;        /* uncompressed - compressed; 0: compression made nothing smaller */
    double bytes;        /* compressed */
    uint32_t algorithms; /* enum cup_algorithm */
};

struct cup_ratios {
    struct cup_ratio rows[CUP_ROWS_MOST];
    struct cup_text names[CUP_ROWS_MOST]; /* of the rows, for the axis */
    size_t count;
    const char *what; /* "branches", "files" */
    double all;       /* ratio of all rows together, shown or not */
    struct cup_bins
        bins; /* histogram of the ratios, if there are more files than rows; else count 0 */
};

/* Removes the leading directories that all paths have in common. */
void cup_paths_shorten(struct cup_text *paths, size_t count);
