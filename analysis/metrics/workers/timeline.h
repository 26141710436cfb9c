/* One quantity over time, with known values at some moments, seen through a window of time. Between
 * two moments, and at the borders of the window, it is interpolated along a straight line. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* The part of the time that counts; both ends belong to it. */
struct cup_window {
    int64_t from_ns, to_ns;
};

struct cup_timeline {
    double sum, min, max; /* of the values within the window; if there are none, see cut_min */
    uint64_t count;
    double area, span_ns;    /* area below the line within the window; length of the line there */
    double cut_min, cut_max; /* smallest and largest value of the parts of the line that cross a
                                border of the window */
    double last;             /* value at last_ns */
    int64_t last_ns;
    bool open; /* the next value is joined to the last one by a line */
};

/* Adds the line from the last value to this one if it crosses a border of the window: only the part
 * inside counts. */
void cup_timeline_cut(struct cup_timeline *line, const struct cup_window *window, int64_t time_ns,
                      double value);

/* Ends the line: the next value is not joined to the last one. */
static inline void cup_timeline_break(struct cup_timeline *line)
{
    line->open = false;
}

/* Counts a value for mean, smallest and largest. */
static inline void cup_timeline_count(struct cup_timeline *line, double value)
{
    if (line->count == 0 || value < line->min)
        line->min = value;
    if (line->count == 0 || value > line->max)
        line->max = value;
    line->sum += value;
    line->count++;
}

/* Adds a value; times must ascend. NAN (not known) is ignored. COUNTS is false for a value that
 * only repeats the last one: it extends the line, but is counted only if it is the first value
 * within the window. */
static inline void cup_timeline_add(struct cup_timeline *line, const struct cup_window *window,
                                    int64_t time_ns, double value, bool counts)
{
    if (isnan(value))
        return;
    if (line->open && time_ns > line->last_ns) {
        if (line->last_ns < window->from_ns || time_ns > window->to_ns) {
            cup_timeline_cut(line, window, time_ns, value);
        } else {
            double ns = (double)(time_ns - line->last_ns);
            line->area += (line->last + value) / 2 * ns;
            line->span_ns += ns;
        }
    }
    line->last = value;
    line->last_ns = time_ns;
    line->open = true;
    if ((counts || line->count == 0) && time_ns >= window->from_ns && time_ns <= window->to_ns)
        cup_timeline_count(line, value);
}

/* Average over time: the area below the line over its length; for a single moment, its value. This
 * and the following functions return NAN if nothing is known within the window. */
double cup_timeline_average(const struct cup_timeline *line);

/* Mean, smallest and largest of the values within the window; if there are none, of the line
 * through it. */
double cup_timeline_mean(const struct cup_timeline *line);
double cup_timeline_min(const struct cup_timeline *line);
double cup_timeline_max(const struct cup_timeline *line);

/* True if anything is known within the window. */
static inline bool cup_timeline_known(const struct cup_timeline *line)
{
    return line->count > 0 || line->span_ns > 0;
}

/* Adds the values of another timeline (sum, count, smallest, largest), but not its line. */
void cup_timeline_join(struct cup_timeline *sum, const struct cup_timeline *line);
