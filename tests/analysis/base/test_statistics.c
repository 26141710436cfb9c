#include <criterion/criterion.h>

#include <math.h>

#include "analysis/base/statistics.h"

Test(statistics, of_nothing)
{
    struct cup_statistics s = cup_statistics_of(NULL, 0);
    cr_assert_eq(s.count, 0);
    cr_assert(isnan(s.min) && isnan(s.mean) && isnan(s.median) && isnan(s.max) && isnan(s.stdev));
}

Test(statistics, of_one)
{
    double one[] = {3};
    struct cup_statistics s = cup_statistics_of(one, 1);
    cr_assert(s.min == 3 && s.mean == 3 && s.median == 3 && s.max == 3 && s.stdev == 0);
}

Test(statistics, of_an_even_number)
{
    double four[] = {4, 1, 3, 2};
    struct cup_statistics s = cup_statistics_of(four, 4);
    cr_assert_eq(s.median, 2.5);
    cr_assert_eq(s.mean, 2.5);
    cr_assert_float_eq(s.stdev, sqrt(1.25), 1e-12);
}

Test(statistics, quantiles_lie_between_numbers)
{
    double four[] = {4, 1, 3, 2};
    const double sorted[] = {1, 2, 3, 4};
    for (int i = 0; i <= 10; i++) {
        cr_expect_float_eq(cup_quantile(four, 4, i / 10.0), 1 + 3 * i / 10.0, 1e-12);
        cr_expect_float_eq(cup_quantile_sorted(sorted, 4, i / 10.0), 1 + 3 * i / 10.0, 1e-12);
    }
    cr_expect(isnan(cup_quantile(four, 0, 0.5)) && isnan(cup_quantile_sorted(sorted, 0, 0.5)));
}

/* Every rank of orders with many equals: what a selection trips over. */
Test(statistics, select_every_rank)
{
    for (unsigned modulus = 1; modulus < 40; modulus++) {
        for (size_t rank = 0; rank < 100; rank++) {
            double numbers[100];
            size_t below = 0, equal = 0;
            for (unsigned i = 0; i < 100; i++)
                numbers[i] = (double)(i * 7919u % modulus);
            double selected = cup_select(numbers, 100, rank);
            for (unsigned i = 0; i < 100; i++) {
                below += numbers[i] < selected;
                equal += numbers[i] == selected;
            }
            cr_assert(below <= rank && rank < below + equal);
        }
    }
}
