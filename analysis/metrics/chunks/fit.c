#include "analysis/metrics/chunks/fit.h"

#include <math.h>

#include "analysis/base/statistics.h"

/* Constants of Huber's estimate. With a bend at 1.345 spreads it has 95 % of the precision of least
 * squares if the points are normally distributed. The median distance of normal points is 0.6745
 * standard deviations. */
static const double bend = 1.345, normal_median = 0.6745, far = 5;
enum { ROUNDS = 50 };

struct points {
    const struct cup_fit_point *all;
    size_t count;
    double *distances;
};

/* Sum of the weights; means of x and y; weighted sums of squares about these means. */
struct moments {
    double weight, x, y, xx, xy;
};

/* Huber's weight of a point at this distance. */
static double weight_of(double distance, double spread)
{
    double reach = bend * spread;
    return distance <= reach ? 1 : reach / distance;
}

static double distance_to_line(const struct cup_line *line, const struct cup_fit_point *point)
{
    return fabs(point->y - cup_line_at(line, point->x));
}

/* Moments of the points, with Huber's weights for LINE; NULL: all weigh the same. */
static struct moments moments_of(const struct points *points, const struct cup_line *line)
{
    struct moments m = {0};
    for (size_t i = 0; i < points->count; i++) {
        const struct cup_fit_point *point = &points->all[i];
        double weight = line ? weight_of(distance_to_line(line, point), line->spread) : 1;
        double dx = point->x - m.x, dy = point->y - m.y;
        m.weight += weight;
        if (weight == 0)
            continue;
        m.x += dx * weight / m.weight;
        m.y += dy * weight / m.weight;
        m.xx += weight * dx * (point->x - m.x);
        m.xy += weight * dx * (point->y - m.y);
    }
    return m;
}

double cup_line_error_at(const struct cup_line *line, double x)
{
    return hypot(line->at_mean_error, line->slope_error * (x - line->mean_x));
}

/* ---- least squares ---------------------------------------------------------------------- */

static double square_sum(const struct points *points, const struct cup_line *line)
{
    double sum = 0;
    for (size_t i = 0; i < points->count; i++)
        sum += pow(distance_to_line(line, &points->all[i]), 2);
    return sum;
}

static void set_errors(struct cup_line *line, const struct moments *m, double deviation)
{
    line->at_mean_error = deviation / sqrt(m->weight);
    line->slope_error = deviation / sqrt(m->xx);
}

static double variance_of_y(const struct points *points, double mean)
{
    const struct cup_line flat = {.at_mean = mean};
    return square_sum(points, &flat);
}

static void fit_plain(struct cup_line_fit *fit, const struct points *points,
                      const struct moments *m)
{
    struct cup_line *line = &fit->plain;
    *line = (struct cup_line){.mean_x = m->x, .at_mean = m->y, .slope = m->xy / m->xx};
    double left = square_sum(points, line), all = variance_of_y(points, m->y);
    line->spread = sqrt(left / (double)(points->count - 2));
    set_errors(line, m, line->spread);
    fit->r2 = all > 0 ? 1 - left / all : NAN;
}

/* ---- Huber's ---------------------------------------------------------------------------- */

static double median_spread(const struct points *points, const struct cup_line *line)
{
    for (size_t i = 0; i < points->count; i++)
        points->distances[i] = distance_to_line(line, &points->all[i]);
    return cup_select(points->distances, points->count, points->count / 2) / normal_median;
}

/* One step of the iteration: fits the line again, with the weights of the current one. Returns how
 * far it moved, in spreads; 0 if the weights leave too little range of x. */
static double improve_line(const struct points *points, const struct moments *plain,
                           struct cup_line *line)
{
    line->spread = median_spread(points, line);
    struct moments m = moments_of(points, line);
    if (!(line->spread > 0) || !(m.xx > 1e-9 * plain->xx))
        return 0;
    double at_mean = m.y + m.xy / m.xx * (line->mean_x - m.x), slope = m.xy / m.xx;
    double moved =
        fabs(at_mean - line->at_mean) + fabs(slope - line->slope) * sqrt(plain->xx / plain->weight);
    line->at_mean = at_mean;
    line->slope = slope;
    return moved / line->spread;
}

/* The standard deviation to compute errors from (Huber 1973): root mean square of the distances,
 * cut at the bend, over the share of points within the bend. */
static double huber_deviation(const struct points *points, const struct cup_line *line)
{
    double squares = 0, inside = 0, reach = bend * line->spread;
    for (size_t i = 0; i < points->count; i++) {
        double d = distance_to_line(line, &points->all[i]);
        inside += d <= reach;
        squares += pow(fmin(d, reach), 2);
    }
    return inside > 0 ? sqrt(squares / (double)(points->count - 2)) * (double)points->count / inside
                      : NAN;
}

static size_t count_outliers(const struct points *points, const struct cup_line *line)
{
    size_t outliers = 0;
    for (size_t i = 0; i < points->count; i++)
        outliers += distance_to_line(line, &points->all[i]) > far * line->spread;
    return outliers;
}

static void fit_robust(struct cup_line_fit *fit, const struct points *points,
                       const struct moments *m)
{
    fit->robust = fit->plain;
    for (int i = 0; i < ROUNDS && improve_line(points, m, &fit->robust) > 1e-6; i++)
        ;
    fit->robust.spread = median_spread(points, &fit->robust);
    set_errors(&fit->robust, m, huber_deviation(points, &fit->robust));
    fit->outliers = fit->robust.spread > 0 ? count_outliers(points, &fit->robust) : 0;
}

/* All x are about the same: the median of y, and the spread about it. */
static void fit_level(struct cup_line_fit *fit, const struct points *points, double mean_x)
{
    struct cup_line line = {.mean_x = mean_x, .slope = 0};
    for (size_t i = 0; i < points->count; i++)
        points->distances[i] = points->all[i].y;
    line.at_mean = cup_quantile(points->distances, points->count, 0.5);
    line.spread = median_spread(points, &line);
    line.at_mean_error = line.spread * sqrt(acos(-1) / 2 / (double)points->count);
    line.slope = line.slope_error = NAN;
    fit->plain = fit->robust = line;
}

static void find_range(struct cup_line_fit *fit, const struct cup_fit_point *points)
{
    fit->least_x = fit->most_x = points[0].x;
    for (size_t i = 1; i < fit->count; i++) {
        fit->least_x = fmin(fit->least_x, points[i].x);
        fit->most_x = fmax(fit->most_x, points[i].x);
    }
}

struct cup_line_fit cup_line_fit_make(const struct cup_fit_point *points, size_t count,
                                      double *distances)
{
    struct cup_line_fit fit = {.count = count};
    const struct points all = {points, count, distances};
    if (count < CUP_FIT_LEAST) {
        fit.missing = "fewer than 8 chunks with known events";
        return fit;
    }
    const struct moments m = moments_of(&all, NULL);
    find_range(&fit, points);
    fit.mean_y = m.y;
    if (!(fit.most_x - fit.least_x > CUP_FIT_LEAST_RANGE * fabs(m.x))) {
        fit.missing = "all chunks have about the same number of events (within 5 %)";
        fit_level(&fit, &all, m.x);
        return fit;
    }
    fit_plain(&fit, &all, &m);
    fit_robust(&fit, &all, &m);
    return fit;
}
