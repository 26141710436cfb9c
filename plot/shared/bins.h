/* Histograms. */
#pragma once

#include "plot/figure/arena.h"
#include "plot/figure/figure.h"

enum cup_bins_kind {
    CUP_BINS_EVEN,  /* equal width; edges in round steps of 1, 2 or 5 */
    CUP_BINS_WHOLE, /* EVEN, for whole numbers: bins of width 1 have the number in their middle */
    CUP_BINS_RATIO, /* EVEN, and at least 0.01 wide */
    CUP_BINS_LOG,   /* equal width on a log axis; values must be above 0 */
};

struct cup_bins {
    enum cup_bins_kind kind;
    double *edges;  /* count + 1 of them */
    double *counts; /* number of values in each bin */
    size_t count;
    double most;             /* the largest count */
    size_t left_out;         /* number of values that are NAN, infinite, or not above 0 for LOG */
    struct cup_range values; /* smallest and largest value in a bin */
};

/* A histogram of one bar is said in words. Prints the values if they are all in one bar: "17", "2.2
 * MB to 2.3 MB". Returns `to`; NULL: there are several bars. */
enum { CUP_BAR_TEXT = 104 };
char *cup_bins_one_bar(char to[CUP_BAR_TEXT], const struct cup_bins *bins, enum cup_axis_unit unit);

/* "the only chunk", "all 48 chunks". Returns `to`. */
char *cup_all_text(char to[CUP_BAR_TEXT], size_t count, const char *thing);

/* Prints a range: "17", "2.2 MB to 2.3 MB". Returns `to`. */
char *cup_range_text(char to[CUP_BAR_TEXT], struct cup_range range, enum cup_axis_unit unit);

/* Makes bins for these values, in the arena; usually no more than `most`, never more than twice
 * that. Returns 0, or -1 without memory. */
int cup_bins_make(struct cup_bins *bins, struct cup_arena *arena, enum cup_bins_kind kind,
                  const double *values, size_t count, size_t most);

/* Makes `count` empty bins of the kind EVEN from `low` to `high`. Returns 0, or -1 without memory.
 */
int cup_bins_between(struct cup_bins *bins, struct cup_arena *arena, double low, double high,
                     size_t count);

/* The index of a value's bin; values outside are in the first or the last bin. bins->count: the
 * value is left out. */
size_t cup_bin_of(const struct cup_bins *bins, double value);

/* Counts values in bins that may have been made for other values. `counts` has bins->count
 * elements. */
void cup_bins_count(const struct cup_bins *bins, const double *values, size_t count,
                    double *counts);

/* Draws stacked columns: `groups` counts of these bins, in the theme's paints. The figure must be
 * open. */
void cup_bins_draw(struct cup_figure *figure, const struct cup_bins *bins, double *const *counts,
                   size_t groups);
