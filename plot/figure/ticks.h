/* The ticks of an axis and their texts: steps of 1, 2 or 5, prefixes of units, and times as clocks
 * show them. */
#ifndef CUPPING_PLOT_FIGURE_TICKS_H
#define CUPPING_PLOT_FIGURE_TICKS_H

#include "plot/figure/scale.h"

enum cup_axis_unit {
    CUP_AXIS_NUMBER,    /* plain numbers: ratios */
    CUP_AXIS_COUNT,     /* whole numbers: 500, 20k, 1.5M */
    CUP_AXIS_BYTES,     /* powers of 1000: kB, MB */
    CUP_AXIS_BINARY,    /* powers of 1024: KiB, MiB; steps that are round in them */
    CUP_AXIS_BYTE_RATE, /* B/s, powers of 1000 */
    CUP_AXIS_BIT_RATE,  /* bit/s */
    CUP_AXIS_HERTZ,     /* events per second */
    CUP_AXIS_SECONDS,   /* a duration: us, ms, s */
    CUP_AXIS_ELAPSED,   /* seconds since the run began: s, min:s, h:min */
    CUP_AXIS_CLOCK,     /* seconds since the epoch: time of day, UTC */
    CUP_AXIS_PERCENT,   /* 0 to 100 */
};

struct cup_tick {
    double value;
    char text[24]; /* empty: a small tick between two others */
};

enum { CUP_TICKS_MOST = 128 };

struct cup_ticks {
    struct cup_tick ticks[CUP_TICKS_MOST];
    size_t count;
    char unit[16]; /* common to all ticks, for the axis' name; empty: each text has its unit, or
                      there is none */
};

/* Makes ticks within the ends of the scale: about `most` with a text, and at least two if possible.
 */
void cup_ticks_make(struct cup_ticks *ticks, const struct cup_scale *scale, enum cup_axis_unit unit,
                    unsigned most);

/* Moves the ends of the scale outwards to the next ticks, so that the axis begins and ends with a
 * number. */
void cup_ticks_round(struct cup_scale *scale, enum cup_axis_unit unit, unsigned most);

/* Prints a duration: "364 ms", "3 min 05 s". Returns `to`. */
enum { CUP_DURATION_TEXT = 48 };
char *cup_duration_text(char to[CUP_DURATION_TEXT], double seconds);

/* Prints a value with its unit: "1.5 GB", "20 ms". Returns `to`. */
char *cup_tick_text(char to[24], double value, enum cup_axis_unit unit);

#endif
