/* Converts values to places on the paper. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cup_scale {
    bool log;
    double low, high; /* values at the ends; low < high; on a log scale both are above 0 */
    double from, to;  /* places of the ends, in points; from > to on an axis that goes up */
};

/* Makes a scale from any values. Without a range (NAN, low > high, or 0 alone) it goes from 0 to 1;
 * any other single value gets some room around it. */
struct cup_scale cup_scale_make(double low, double high, bool log);

/* The place of a value in points. Values outside of the ends have places outside, within the limits
 * of cairo. NAN for NAN and, on a log scale, for values not above 0. */
double cup_scale_place(const struct cup_scale *scale, double value);

/* The smallest of 1, 2, 5 times a power of ten that is at least `least`; 1 if `least` is not above
 * 0. */
double cup_round_step(double least);

/* The range of the finite values that were added. */
struct cup_range {
    double low, high; /* NAN: no value yet */
};

struct cup_range cup_range_none(void);
void cup_range_add(struct cup_range *range, double value);

/* The ticks of an axis and their texts: steps of 1, 2 or 5, prefixes of units, and times as clocks
 * show them. */

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
    char text[64]; /* empty: a small tick between two others */
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

/* The same for sentences and hover texts: times are durations. */
char *cup_value_text(char to[CUP_DURATION_TEXT], double value, enum cup_axis_unit unit);
