/* Histograms: every value with a bin is counted once. */
#include <criterion/criterion.h>

#include <math.h>

#include "plot/shared/bins.h"

static struct cup_arena arena;

static void tear_down(void)
{
    cup_arena_clear(&arena);
}

TestSuite(bins, .fini = tear_down);

static double sum(const struct cup_bins *bins)
{
    double counted = 0;
    for (size_t i = 0; i < bins->count; i++)
        counted += bins->counts[i];
    return counted;
}

Test(bins, hold_every_value)
{
    const double values[] = {1, 2, 2.5, 7, 10, 10, NAN, INFINITY, -3, 0};
    static const double known[] = {[CUP_BINS_EVEN] = 8, 8, 8, [CUP_BINS_LOG] = 6};
    for (int kind = CUP_BINS_EVEN; kind <= CUP_BINS_LOG; kind++) {
        struct cup_bins bins;
        cr_assert_eq(cup_bins_make(&bins, &arena, (enum cup_bins_kind)kind, values, 10, 40), 0);
        cr_expect_float_eq(sum(&bins), known[kind], 1e-9, "kind %d: %g", kind, sum(&bins));
        cr_expect_eq(bins.left_out, 10 - (size_t)known[kind]);
        for (size_t i = 0; i < 10; i++) {
            size_t bin = cup_bin_of(&bins, values[i]);
            if (bin < bins.count)
                cr_expect(values[i] >= bins.edges[bin] * (1 - 1e-9) - 1e-9 &&
                          values[i] <= bins.edges[bin + 1] * (1 + 1e-9));
        }
    }
}

Test(bins, one_bar_is_said_in_words)
{
    const double equal[] = {17, 17, 17}, near[] = {2310000, 2320000}, apart[] = {1, 2, 3, 4};
    struct cup_bins bins;
    char text[CUP_BAR_TEXT];
    cr_assert_eq(cup_bins_make(&bins, &arena, CUP_BINS_WHOLE, equal, 3, 40), 0);
    cr_expect_str_eq(cup_bins_one_bar(text, &bins, CUP_AXIS_COUNT), "17");
    cr_assert_eq(cup_bins_make(&bins, &arena, CUP_BINS_WHOLE, apart, 4, 40), 0);
    cr_expect_null(cup_bins_one_bar(text, &bins, CUP_AXIS_COUNT));
    cr_expect_str_eq(cup_range_text(text, (struct cup_range){near[0], near[1]}, CUP_AXIS_BYTES),
                     "2.31 MB to 2.32 MB");
    cr_expect_str_eq(cup_all_text(text, 1, "chunk"), "the only chunk");
    cr_expect_str_eq(cup_all_text(text, 4000, "chunk"), "all 4,000 chunks");
}

Test(bins, whole_numbers_are_in_the_middle)
{
    const double values[] = {3, 4, 4, 6};
    struct cup_bins bins;
    cr_assert_eq(cup_bins_make(&bins, &arena, CUP_BINS_WHOLE, values, 4, 40), 0);
    cr_assert_eq(bins.count, 4);
    cr_expect_float_eq(bins.edges[0], 2.5, 1e-9);
    cr_expect_float_eq(bins.counts[0], 1, 0);
    cr_expect_float_eq(bins.counts[1], 2, 0);
    cr_expect_float_eq(bins.counts[3], 1, 0);
    cr_expect_float_eq(bins.most, 2, 0);
}

Test(bins, ratios_that_differ_by_nothing_share_one)
{
    const double values[] = {2.5000001, 2.5000002, 2.5000003};
    struct cup_bins bins;
    cr_assert_eq(cup_bins_make(&bins, &arena, CUP_BINS_RATIO, values, 3, 40), 0);
    cr_expect_eq(bins.count, 1);
    cr_expect_float_eq(bins.most, 3, 0);
}

Test(bins, none_one_and_many)
{
    struct cup_bins bins;
    double *values = cup_arena_take(&arena, 100000, sizeof *values);
    cr_assert_not_null(values);
    for (size_t i = 0; i < 100000; i++)
        values[i] = (double)(i * i);
    for (int kind = CUP_BINS_EVEN; kind <= CUP_BINS_LOG; kind++) {
        cr_assert_eq(cup_bins_make(&bins, &arena, (enum cup_bins_kind)kind, NULL, 0, 40), 0);
        cr_expect(bins.count > 0 && bins.most == 0);
        cr_assert_eq(cup_bins_make(&bins, &arena, (enum cup_bins_kind)kind, values + 3, 1, 40), 0);
        cr_expect_float_eq(sum(&bins), 1, 0);
        cr_assert_eq(cup_bins_make(&bins, &arena, (enum cup_bins_kind)kind, values, 100000, 40), 0);
        cr_expect_float_eq(sum(&bins), kind == CUP_BINS_LOG ? 99999 : 100000, 0);
        cr_expect_leq(bins.count, 80);
    }
}
