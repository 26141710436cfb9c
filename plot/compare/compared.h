/* The key figures of several runs, compared with those of the baseline. */
#ifndef CUPPING_PLOT_COMPARE_COMPARED_H
#define CUPPING_PLOT_COMPARE_COMPARED_H

#include "analysis/compare/compare.h"
#include "plot/shared/plot.h"

enum { CUP_COMPARED_ROWS = 16, CUP_COMPARED_TEXT = 48 };

/* More runs than this are shown by letters only: their names would leave no room. */
enum { CUP_COMPARED_NAMED = 8 };

struct cup_compared_cell {
    double ratio;       /* to the baseline; NAN: not known */
    double least, most; /* the ratio minus and plus the noise between chunks; NAN: not known */
    char value[CUP_COMPARED_TEXT];  /* with its unit; "n/a" */
    char change[CUP_COMPARED_TEXT]; /* "-12.3 %", "+3.1 pt", "="; may be empty */
    enum cup_verdict verdict;
    double strength; /* of the shade: 0: no change; 1: doubled, halved, 25 points, or more */
};

struct cup_compared_shown {
    struct cup_text names[CUP_COMPARED_ROWS]; /* of the figures */
    struct cup_compared_cell cells[CUP_COMPARED_ROWS][CUP_COMPARE_MOST];
    size_t count;
    struct cup_text runs[CUP_COMPARE_MOST];    /* "B: monday" */
    struct cup_text letters[CUP_COMPARE_MOST]; /* "B" */
    size_t run_count, baseline;
};

#endif
