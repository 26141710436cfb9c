/* Fits of a straight line through points: least squares, and a robust fit that outliers hardly
 * change. */
#pragma once

#include <stddef.h>

struct cup_fit_point {
    double x, y;
};

/* y = at_mean + slope * (x - mean_x). Errors are standard errors. In this form those of at_mean and
 * slope are not correlated. */
struct cup_line {
    double mean_x, at_mean, slope;
    double at_mean_error, slope_error;
    double spread; /* standard deviation of the points from the line */
};

/* `plain` is the least-squares line. `robust` is Huber's: points more than 1.345 spreads away count
 * by their distance instead of its square, and the spread is computed from the median distance.
 * Example: the first chunk of a worker, which also imports and compiles, moves the plain line and
 * hardly the robust one. */
struct cup_line_fit {
    size_t count;
    double least_x, most_x, mean_y;
    struct cup_line plain, robust;
    double r2;       /* of the plain line: the share of the variance of y that x explains */
    size_t outliers; /* points further than 5 spreads from the robust line */
    /* Why there is no line, not owned; NULL: there is. If all x are about the same, both lines are
     * the median of y and the spread about it, their slope is NAN, and this is set, too. */
    const char *missing;
};

/* No line is fitted through fewer points than this, or if x ranges (largest less smallest) over a
 * smaller share of its mean than that. */
enum { CUP_FIT_LEAST = 8 };
#define CUP_FIT_LEAST_RANGE 0.05

/* Fits both lines. `distances` is scratch space for `count` numbers. Points must be finite. */
struct cup_line_fit cup_line_fit_make(const struct cup_fit_point *points, size_t count,
                                      double *distances);

static inline double cup_line_at(const struct cup_line *line, double x)
{
    return line->at_mean + line->slope * (x - line->mean_x);
}

/* Standard error of the line at x. A single point differs from the line by its spread in addition.
 */
double cup_line_error_at(const struct cup_line *line, double x);
