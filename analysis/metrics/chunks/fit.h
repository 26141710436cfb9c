/* Straight lines through points: plain least squares, and one that outliers do not bend. */
#ifndef CUPPING_ANALYSIS_METRICS_CHUNKS_FIT_H
#define CUPPING_ANALYSIS_METRICS_CHUNKS_FIT_H

#include <stddef.h>

struct cup_fit_point {
    double x, y;
};

/* y = at_mean + slope * (x - mean_x). Errors are standard errors; those of at_mean and slope are
 * not correlated, which is why the line is held so. */
struct cup_line {
    double mean_x, at_mean, slope;
    double at_mean_error, slope_error;
    double spread; /* of the points about it: one standard deviation */
};

/* `plain` is the line of least squares. `robust` is Huber's: points further from it than 1.345
 * spreads count by their distance instead of its square; its spread is made from the median
 * distance. The first chunk of a worker, which imports and compiles, bends the one and hardly the
 * other. */
struct cup_line_fit {
    size_t count;
    double least_x, most_x, mean_y;
    struct cup_line plain, robust;
    double r2;       /* of the plain one: the share of y's variance that x explains */
    size_t outliers; /* further than 5 spreads from the robust line */
    const char
        *missing; /* why there are no lines; NULL: there are. Where x hardly differs, both
                     are the median and the spread about it, with a slope of NAN. Not owned */
};

enum { CUP_FIT_LEAST = 8 };      /* points */
#define CUP_FIT_LEAST_RANGE 0.05 /* of x, largest less smallest, against the mean */

/* `distances` has room for `count` numbers and is written over. Points are finite. */
struct cup_line_fit cup_line_fit_make(const struct cup_fit_point *points, size_t count,
                                      double *distances);

static inline double cup_line_at(const struct cup_line *line, double x)
{
    return line->at_mean + line->slope * (x - line->mean_x);
}

/* Standard error of the line at x; not that of a single point, which has its spread as well. */
double cup_line_error_at(const struct cup_line *line, double x);

#endif
