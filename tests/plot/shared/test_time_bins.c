/* Time bins: spreading an amount keeps its sum. */
#include <criterion/criterion.h>

#include "plot/shared/time_bins.h"

static struct cup_time_bins of_run(double seconds)
{
    struct cup_totals totals = {.run = {1000000000, 1000000000 + (int64_t)(seconds * 1e9)}};
    struct cup_time_bins bins;
    cup_time_bins_make(&bins, &totals);
    return bins;
}

static double whole(const struct cup_time_bins *bins)
{
    double sum = 0;
    for (size_t i = 0; i < bins->count; i++)
        sum += bins->amounts[i];
    return sum;
}

Test(time_bins, cover_the_run)
{
    struct cup_time_bins bins = of_run(10);
    cr_expect_eq(bins.count, 100);
    cr_expect_float_eq(bins.bin_s, 0.1, 1e-9);
    bins = of_run(3600);
    cr_expect_eq(bins.count, CUP_TIME_BINS);
    cr_expect_float_eq(bins.bin_s, 15, 1e-9);
    cr_expect_eq(of_run(0).count, 0);
}

Test(time_bins, amounts_are_spread_over_their_time)
{
    struct cup_time_bins bins = of_run(10);
    cup_time_bins_spread(&bins, 1.05, 1.25, 8);
    cr_expect_float_eq(bins.amounts[10], 2, 1e-9);
    cr_expect_float_eq(bins.amounts[11], 4, 1e-9);
    cr_expect_float_eq(bins.amounts[12], 2, 1e-9);
    cup_time_bins_spread(&bins, -1, 1, 10); /* half of it before the run */
    cr_expect_float_eq(whole(&bins), 13, 1e-9);
    cr_expect_float_eq(bins.whole, 13, 1e-9);
    cup_time_bins_spread(&bins, 3, 3,
                         5); /* without duration, without an amount, or outside: nothing is added */
    cup_time_bins_spread(&bins, 4, 5, 0);
    cup_time_bins_spread(&bins, 11, 12, 5);
    cr_expect_float_eq(whole(&bins), 13, 1e-9);
}

Test(time_bins, a_line_holds_the_same_amount)
{
    struct cup_time_bins bins = of_run(10.02); /* the last bin lasts 20 ms */
    struct cup_time_line line;
    cup_time_bins_spread(&bins, 0, 10.02, 100.2);
    cup_time_line_make(&line, &bins);
    double sum = 0;
    for (size_t i = 0; i + 1 < line.count; i++) {
        cr_expect_float_eq(line.values[i], 10, 1e-6);
        sum += line.values[i] * (line.time_s[i + 1] - line.time_s[i]);
    }
    cr_expect_float_eq(sum, 100.2, 1e-6);
    cr_expect_eq(line.count, 101);
    cr_expect_float_eq(line.time_s[line.count - 1], 10.02, 1e-9);
    bins = of_run(0);
    cup_time_line_make(&line, &bins);
    cr_expect_eq(line.count, 0);
}

Test(time_bins, are_joined_until_they_are_wide_enough)
{
    struct cup_time_bins bins = of_run(10.25);
    cup_time_bins_spread(&bins, 0, 10.25, 102.5);
    cup_time_bins_widen(&bins, 0.1);
    cr_expect_eq(bins.count, 103);
    cup_time_bins_widen(&bins, 0.35);
    cr_assert_eq(bins.count, 26);
    cr_expect_float_eq(bins.bin_s, 0.4, 1e-9);
    cr_expect_float_eq(bins.amounts[0], 4, 1e-6);
    cr_expect_float_eq(bins.amounts[25], 2.5, 1e-6);
    cr_expect_float_eq(whole(&bins), 102.5, 1e-6);
    cup_time_bins_widen(&bins, 1e9);
    cr_assert_eq(bins.count, 1);
    cr_expect_float_eq(bins.amounts[0], 102.5, 1e-6);
    bins = of_run(0);
    cup_time_bins_widen(&bins, 1);
    cr_expect_eq(bins.count, 0);
}
