/* Lines through points: against figures of numpy and scipy, and where the truth is known. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "analysis/metrics/chunks/fit.h"

enum { MANY = 2000 };

static double distances[MANY];

static const double ten[] = {1.3, 1.9, 3.2, 3.8, 5.4, 5.7, 7.3, 7.9, 9.4, 9.8};

static void make_ten(struct cup_fit_point *points)
{
    for (int i = 0; i < 10; i++)
        points[i] = (struct cup_fit_point){1000 * (i + 1), ten[i]};
}

/* numpy.linalg.lstsq, and the covariance from its residuals. */
Test(fits, least_squares_as_numpy)
{
    struct cup_fit_point points[10];
    make_ten(points);
    const struct cup_line_fit fit = cup_line_fit_make(points, 10, distances);
    cr_assert_null(fit.missing);
    cr_expect_eq(fit.count, 10);
    cr_expect_float_eq(cup_line_at(&fit.plain, 0), 0.12666667, 1e-8);
    cr_expect_float_eq(fit.plain.slope, 0.0009897, 1e-7);
    cr_expect_float_eq(cup_line_error_at(&fit.plain, 0), 0.198025608, 1e-8);
    cr_expect_float_eq(fit.plain.slope_error, 3.19147165e-05, 1e-11);
    cr_expect_float_eq(fit.plain.spread, 0.28987980790, 1e-10);
    cr_expect_float_eq(fit.r2, 0.9917497033, 1e-9);
    cr_expect_eq(fit.outliers, 0);
    cr_expect(fit.least_x == 1000 && fit.most_x == 10000);
}

/* scipy.optimize on Huber's loss, with the spread made from the median distance in turn. */
Test(fits, huber_as_scipy)
{
    struct cup_fit_point points[10];
    make_ten(points);
    points[0].y = 30;
    points[6].y = 50;
    const struct cup_line_fit fit = cup_line_fit_make(points, 10, distances);
    cr_expect_float_eq(fit.robust.at_mean, 5.84233695, 1e-5);
    cr_expect_float_eq(fit.robust.slope, 0.00092348754, 1e-8);
    cr_expect_float_eq(fit.robust.spread, 0.895597815, 1e-5);
    cr_expect_float_eq(fit.robust.at_mean_error, 0.297215368, 1e-5);
    cr_expect_float_eq(fit.robust.slope_error, 0.000103477109, 1e-8);
    cr_expect_eq(fit.outliers, 2);
}

Test(fits, exact_points_have_no_error)
{
    struct cup_fit_point points[9];
    for (int i = 0; i < 9; i++)
        points[i] = (struct cup_fit_point){i, 2 + 3.0 * i};
    const struct cup_line_fit fit = cup_line_fit_make(points, 9, distances);
    cr_expect_float_eq(cup_line_at(&fit.robust, 0), 2, 1e-12);
    cr_expect_float_eq(fit.robust.slope, 3, 1e-12);
    cr_expect_float_eq(fit.plain.slope_error, 0, 1e-12);
    cr_expect_float_eq(fit.r2, 1, 1e-12);
    cr_expect_eq(fit.outliers, 0);
}

Test(fits, constant_points_explain_nothing)
{
    struct cup_fit_point points[9];
    for (int i = 0; i < 9; i++)
        points[i] = (struct cup_fit_point){i, 7};
    const struct cup_line_fit fit = cup_line_fit_make(points, 9, distances);
    cr_expect_float_eq(fit.robust.slope, 0, 1e-12);
    cr_expect_float_eq(cup_line_at(&fit.robust, 100), 7, 1e-9);
    cr_expect(isnan(fit.r2));
}

Test(fits, too_few_points_and_too_little_range)
{
    struct cup_fit_point points[8];
    for (int i = 0; i < 8; i++)
        points[i] = (struct cup_fit_point){1000 + i, 5 + i % 3};
    struct cup_line_fit fit = cup_line_fit_make(points, 7, distances);
    cr_expect_not_null(strstr(fit.missing, "fewer than 8"));
    fit = cup_line_fit_make(points, 8, distances);
    cr_expect_not_null(strstr(fit.missing, "about the same number"));
    cr_expect_eq(fit.robust.at_mean, 6);
    cr_expect(isnan(fit.robust.slope));
    points[7].x = 1100;
    fit = cup_line_fit_make(points, 8, distances);
    cr_expect_null(fit.missing);
    fit = cup_line_fit_make(NULL, 0, NULL);
    cr_expect_not_null(fit.missing);
}

static uint32_t state = 12345;

static double uniform(void)
{
    state = state * 1664525u + 1013904223u;
    return ((double)(state >> 8) + 0.5) / (1 << 24);
}

static double normal(void)
{
    double sum = -6; /* of twelve: one standard deviation is 1 */
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum;
}

/* 5 + 0.001 x, a spread of 2, and every twentieth point 60 too high. */
static void make_noisy(struct cup_fit_point *points, int count, bool outliers)
{
    for (int i = 0; i < count; i++) {
        double x = 10000 + 90000 * uniform();
        points[i] = (struct cup_fit_point){x, 5 + 0.001 * x + 2 * normal()};
        if (outliers && i % 20 == 0)
            points[i].y += 60;
    }
}

Test(fits, outliers_bend_the_plain_line_and_not_the_robust)
{
    struct cup_fit_point points[MANY];
    make_noisy(points, MANY, true);
    const struct cup_line_fit fit = cup_line_fit_make(points, MANY, distances);
    cr_expect_float_eq(fit.robust.slope, 0.001, 5e-6);
    cr_expect_float_eq(cup_line_at(&fit.robust, 0), 5, 0.6);
    cr_expect_float_eq(fit.robust.spread, 2, 0.2, "%g", fit.robust.spread);
    cr_expect_gt(cup_line_at(&fit.plain, 50000), 57.5);
    cr_expect_eq(fit.outliers, MANY / 20);
}

/* Errors are what slopes are off by: over 300 sets of 60 points, pulls have a width of 1. */
Test(fits, errors_are_what_they_say)
{
    struct cup_fit_point points[60];
    double plain = 0, robust = 0, at_zero = 0;
    for (int set = 0; set < 300; set++) {
        make_noisy(points, 60, false);
        const struct cup_line_fit fit = cup_line_fit_make(points, 60, distances);
        plain += pow((fit.plain.slope - 0.001) / fit.plain.slope_error, 2);
        robust += pow((fit.robust.slope - 0.001) / fit.robust.slope_error, 2);
        at_zero += pow((cup_line_at(&fit.robust, 0) - 5) / cup_line_error_at(&fit.robust, 0), 2);
    }
    cr_expect_float_eq(sqrt(plain / 300), 1, 0.12);
    cr_expect_float_eq(sqrt(robust / 300), 1, 0.12);
    cr_expect_float_eq(sqrt(at_zero / 300), 1, 0.12);
}
