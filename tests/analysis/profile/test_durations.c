/* Buckets of durations, and percentiles from them. */
#include <criterion/criterion.h>

#include <math.h>

#include "analysis/profile/durations.h"

static uint64_t buckets[CUP_BUCKETS];

static struct cup_durations with_longest(uint64_t longest_ns)
{
    return (struct cup_durations){buckets, longest_ns};
}

/* As the library counts: `count` calls of `ns` each. */
static void count(uint64_t ns, uint64_t number)
{
    buckets[cup_bucket(ns)] += number;
}

Test(durations, none_at_all)
{
    const struct cup_durations none = with_longest(0);
    cr_assert_eq(cup_durations_total(&none), 0);
    cr_assert_eq(cup_durations_longest_ns(&none), 0);
    cr_assert(isnan(cup_durations_quantile_ns(&none, 0.5)));
}

Test(durations, every_bucket_begins_where_the_one_before_ends)
{
    for (unsigned i = 0; i < CUP_BUCKETS; i++) {
        cr_assert_eq(cup_bucket(cup_bucket_from_ns(i)), i);
        cr_assert_lt(cup_bucket_from_ns(i), cup_bucket_from_ns(i + 1));
        if (i + 1 < CUP_BUCKETS)
            cr_assert_eq(cup_bucket(cup_bucket_from_ns(i + 1) - 1), i);
    }
}

Test(durations, quantiles_lie_in_the_bucket_of_their_rank)
{
    count(1000, 50);
    count(1000000, 40);
    count(900000000, 10);
    const struct cup_durations some = with_longest(900000000);
    cr_assert_eq(cup_durations_total(&some), 100);
    cr_assert_eq(cup_bucket((uint64_t)cup_durations_quantile_ns(&some, 0.25)), cup_bucket(1000));
    cr_assert_eq(cup_bucket((uint64_t)cup_durations_quantile_ns(&some, 0.7)), cup_bucket(1000000));
    cr_assert_eq(cup_bucket((uint64_t)cup_durations_quantile_ns(&some, 0.99)),
                 cup_bucket(900000000));
    cr_assert_eq(cup_durations_longest_ns(&some), 900000000);
}

Test(durations, quantiles_are_interpolated)
{
    count(1 << 20, 4); /* all in the bucket from 2^20 to 1.5 * 2^20 */
    const struct cup_durations some = with_longest(0);
    const double width = (1 << 20) * 0.5;
    cr_assert_float_eq(cup_durations_quantile_ns(&some, 0.5), (1 << 20) + width / 2, 1e-6);
    cr_assert_float_eq(cup_durations_quantile_ns(&some, 1), (1 << 20) + width, 1e-6);
    cr_assert_eq(cup_durations_longest_ns(&some), (1 << 20) + (uint64_t)width);
}

Test(durations, no_quantile_is_beyond_the_longest)
{
    count(1100000, 1000);
    const struct cup_durations some = with_longest(1100000);
    for (double share = 0.01; share <= 1; share += 0.01)
        cr_assert_leq(cup_durations_quantile_ns(&some, share), 1100000);
    cr_assert_eq(cup_bucket_to_ns(&some, cup_bucket(1100000)), 1100000);
}

Test(durations, a_single_one_is_every_quantile)
{
    count(1010000000, 1);
    const struct cup_durations one = with_longest(1010000000), unknown = with_longest(0);
    for (double share = 0.5; share <= 1; share += 0.1) {
        cr_assert_float_eq(cup_durations_quantile_ns(&one, share), 1010000000, 1e-6);
        cr_assert_float_eq(cup_durations_quantile_ns(&unknown, share),
                           (double)cup_durations_longest_ns(&unknown), 1e-6);
    }
}

Test(durations, the_last_bucket_ends_with_the_longest)
{
    const uint64_t hours = UINT64_C(20) * 3600 * 1000000000;
    count(hours, 1);
    const struct cup_durations some = with_longest(hours);
    cr_assert_eq(cup_bucket(hours), CUP_BUCKETS - 1);
    cr_assert_float_eq(cup_durations_quantile_ns(&some, 1), (double)hours, 1);
}
