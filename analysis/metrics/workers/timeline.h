/* One quantity over time, known at some moments, within a window. Between two moments it is
 * interpolated along a straight line, at the borders of the window too. */
#ifndef CUPPING_ANALYSIS_METRICS_WORKERS_TIMELINE_H
#define CUPPING_ANALYSIS_METRICS_WORKERS_TIMELINE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Values outside of the window do not count. Both ends are inside. */
struct cup_window {
    int64_t from_ns, to_ns;
};

struct cup_timeline {
    double sum, min, max; /* of the values that count; without any: see cut_min */
    uint64_t count;
    double area, span_ns;    /* under the line, and how long that is, within the window */
    double cut_min, cut_max; /* of the line within the window */
    double last;             /* value at last_ns */
    int64_t last_ns;
    bool open; /* the next value goes on from the last one */
};

/* The part of a step of the line that lies across a border of the window. */
void cup_timeline_cut(struct cup_timeline *line, const struct cup_window *window, int64_t time_ns,
                      double value);

/* What its line was so far ends here, and what comes next is not joined to it. */
static inline void cup_timeline_break(struct cup_timeline *line)
{
    line->open = false;
}

/* The values that count: for mean, least and largest. */
static inline void cup_timeline_count(struct cup_timeline *line, double value)
{
    if (line->count == 0 || value < line->min)
        line->min = value;
    if (line->count == 0 || value > line->max)
        line->max = value;
    line->sum += value;
    line->count++;
}

/* Adds the next value, in the order of time; NAN (not known) is ignored. COUNTS is false for a
 * repeated value: it is a point of the line only, unless it is the first value within the window.
 */
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

/* Over time: the trapezoids under the line by their length; of a single moment its value. All of
 * these are NAN where nothing was known within the window. */
double cup_timeline_average(const struct cup_timeline *line);

/* Of the values; where none lay within the window, of the line through it. */
double cup_timeline_mean(const struct cup_timeline *line);
double cup_timeline_min(const struct cup_timeline *line);
double cup_timeline_max(const struct cup_timeline *line);

/* True if anything is known within the window. */
static inline bool cup_timeline_known(const struct cup_timeline *line)
{
    return line->count > 0 || line->span_ns > 0;
}

/* Adds the values of another one, not its line. */
void cup_timeline_join(struct cup_timeline *sum, const struct cup_timeline *line);

#endif
