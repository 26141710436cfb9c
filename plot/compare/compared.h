/* Data of the plots of several runs. */
#pragma once

#include "analysis/compare/compare.h"
#include "plot/shared/plot.h"

/* The key figures of several runs, compared with those of the baseline. */

enum { CUP_COMPARED_ROWS = 16, CUP_COMPARED_TEXT = 48 };

/* More runs than this are shown by letters only: their names would leave no room. */
enum { CUP_COMPARED_NAMED = 8 };

struct cup_compared_cell {
    double ratio;                   /* to the baseline; NAN: not known */
    double least, most;             /* the ratio minus and plus the noise; NAN: not known */
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
    bool sides; /* each is several runs: the noise is their spread */
};

/* The distributions of chunk times in several runs. */

struct cup_compared_runtime {
    const char *name;                                   /* of the axis of times */
    const struct cup_spread *spreads[CUP_COMPARE_MOST]; /* each of at least one chunk */
    struct cup_text names[CUP_COMPARE_MOST];
    size_t count;
    double low_s, high_s;
};

/* Throughput of several runs by their size. */

struct cup_compared_scaling {
    const char *size_name, *rate_name; /* of the axes */
    bool by_events;                    /* else bits per second */
    bool joined;                       /* joined by a line: the same work, at different sizes */
    double size[CUP_COMPARE_MOST], rate[CUP_COMPARE_MOST]; /* sorted by size */
    char texts[CUP_COMPARE_MOST][32]; /* "B  92 %": letter of the run, and its efficiency */
    size_t count;
    double ideal; /* rate divided by size, of the baseline */
    double most_size, most_rate;
    double target; /* 0: none */
    char target_name[64];
};
