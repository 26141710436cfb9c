/* Ticks and scales: round steps, prefixes, times as on clocks, and unusual ranges. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/figure/ticks.h"

/* Joins all texts with blanks. */
static const char *texts(double low, double high, bool log, enum cup_axis_unit unit, unsigned most)
{
    static char line[4096];
    static struct cup_ticks ticks;
    struct cup_scale scale = cup_scale_make(low, high, log);
    cup_ticks_make(&ticks, &scale, unit, most);
    line[0] = '\0';
    for (size_t i = 0; i < ticks.count; i++)
        if (ticks.ticks[i].text[0])
            snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", line[0] ? " " : "",
                     ticks.ticks[i].text);
    if (ticks.unit[0])
        snprintf(line + strlen(line), sizeof line - strlen(line), " [%s]", ticks.unit);
    return line;
}

#define EXPECT(expected, ...) cr_expect_str_eq(texts(__VA_ARGS__), expected)

Test(ticks, steps_are_1_2_5)
{
    EXPECT("0 2 4 6 8 10", 0, 10, false, CUP_AXIS_NUMBER, 6);
    EXPECT("0 5 10", 0, 10, false, CUP_AXIS_NUMBER, 2);
    EXPECT("0.00 0.05 0.10 0.15", 0, 0.17, false, CUP_AXIS_NUMBER, 4);
    EXPECT("-20 -10 0 10", -20, 12, false, CUP_AXIS_NUMBER, 5);
}

Test(ticks, counts_have_no_parts)
{
    EXPECT("0 1 2", 0, 2, false, CUP_AXIS_COUNT, 10);
    EXPECT("0 500 1k 1.5k 2k", 0, 2000, false, CUP_AXIS_COUNT, 5);
    EXPECT("0 20M 40M", 0, 5e7, false, CUP_AXIS_COUNT, 3);
    EXPECT("123.45k 123.451k 123.452k", 123450, 123452, false, CUP_AXIS_COUNT, 5);
    EXPECT("9.99999M 10M 10.00001M", 9999990, 10000010, false, CUP_AXIS_COUNT, 2);
}

Test(ticks, prefixes_go_to_the_unit)
{
    EXPECT("0.0 0.5 1.0 1.5 [GB]", 0, 1.6e9, false, CUP_AXIS_BYTES, 4);
    EXPECT("0 20 40 [MB/s]", 0, 5e7, false, CUP_AXIS_BYTE_RATE, 3);
    EXPECT("0 100 200 [Gbit/s]", 0, 2e11, false, CUP_AXIS_BIT_RATE, 3);
    EXPECT("0 1 2 [GiB]", 0, 2.5 * 1073741824, false, CUP_AXIS_BINARY, 3);
    EXPECT("0 20 40 [ms]", 0, 0.05, false, CUP_AXIS_SECONDS, 3);
    EXPECT("0 50 100 [%]", 0, 100, false, CUP_AXIS_PERCENT, 2);
    EXPECT("0 20 40 [kHz]", 0, 5e4, false, CUP_AXIS_HERTZ, 3);
}

Test(ticks, elapsed_time_is_as_clocks_have_it)
{
    EXPECT("0 15 30 45 60 [s]", 0, 60, false, CUP_AXIS_ELAPSED, 4);
    EXPECT("0.0 0.2 0.4 [s]", 0, 0.4, false, CUP_AXIS_ELAPSED, 3);
    EXPECT("0:00 0:30 1:00 1:30 2:00 2:30 3:00 [min:s]", 0, 190, false, CUP_AXIS_ELAPSED, 8);
    EXPECT("0 10 20 30 [min]", 0, 1800, false, CUP_AXIS_ELAPSED, 3);
    EXPECT("0:00 0:30 1:00 1:30 2:00 2:30 [h:min]", 0, 9100, false, CUP_AXIS_ELAPSED, 6);
    EXPECT("0 2 4 6 [h]", 0, 23000, false, CUP_AXIS_ELAPSED, 4);
}

Test(ticks, the_clock_is_that_of_utc)
{
    const double noon = 1750075200; /* 2025-06-16 12:00 */
    EXPECT("12:00 12:10 12:20 12:30 [UTC]", noon, noon + 1800, false, CUP_AXIS_CLOCK, 3);
    EXPECT("12:00:10 12:00:20 [UTC]", noon + 3, noon + 24, false, CUP_AXIS_CLOCK, 3);
    EXPECT("12:00 18:00 00:00 06:00 12:00 [UTC]", noon, noon + 86400, false, CUP_AXIS_CLOCK, 4);
}

Test(ticks, decades_have_prefixes_of_their_own)
{
    EXPECT("1 ms 10 ms 100 ms 1 s", 1e-3, 1, true, CUP_AXIS_SECONDS, 8);
    EXPECT("1 2 5 10 20 50 100 200 500 1k", 1, 1e3, true, CUP_AXIS_COUNT, 10);
    EXPECT("1 2 5 10 20 50 100", 1, 100, true, CUP_AXIS_COUNT, 8);
    EXPECT("1 B 1 kB 1 MB 1 GB", 1, 1e9, true, CUP_AXIS_BYTES, 4);
    EXPECT("200 ms 300 ms 400 ms 500 ms 600 ms 800 ms 1 s", 0.2, 1, true, CUP_AXIS_SECONDS, 10);
    EXPECT("200 ms 500 ms 1 s", 0.2, 1, true, CUP_AXIS_SECONDS, 5);
}

Test(ticks, ends_move_out_to_round_numbers)
{
    struct cup_scale scale = cup_scale_make(3, 97, false);
    cup_ticks_round(&scale, CUP_AXIS_NUMBER, 5);
    cr_expect_float_eq(scale.low, 0, 1e-9);
    cr_expect_float_eq(scale.high, 100, 1e-9);
    scale = cup_scale_make(0.3, 70, true);
    cup_ticks_round(&scale, CUP_AXIS_NUMBER, 5);
    cr_expect_float_eq(scale.low, 0.2, 1e-9);
    cr_expect_float_eq(scale.high, 100, 1e-9);
}

/* For any range there are ticks, not too many, and all of them are on the axis. */
Test(ticks, odd_ends)
{
    static const double values[] = {0,     1,    -1,   NAN,    INFINITY,     -INFINITY,
                                    1e300, -5e7, 1e-9, 1e-300, 4294967296.5, 1750075200};
    const size_t count = sizeof values / sizeof *values;
    for (size_t i = 0; i < count * count; i++)
        for (int unit = CUP_AXIS_NUMBER; unit <= CUP_AXIS_PERCENT; unit++)
            for (int log = 0; log < 2; log++)
                for (unsigned most = 1; most < 12; most += 5) {
                    static struct cup_ticks ticks;
                    struct cup_scale scale =
                        cup_scale_make(values[i % count], values[i / count], log);
                    cr_assert_lt(scale.low, scale.high);
                    cup_ticks_round(&scale, (enum cup_axis_unit)unit, most);
                    cup_ticks_make(&ticks, &scale, (enum cup_axis_unit)unit, most);
                    cr_assert_leq(ticks.count, CUP_TICKS_MOST);
                    for (size_t t = 0; t < ticks.count; t++) {
                        double place = cup_scale_place(&scale, ticks.ticks[t].value);
                        cr_assert(place > -0.01 && place < 1.01, "%g to %g: %g", scale.low,
                                  scale.high, ticks.ticks[t].value);
                    }
                }
}

Test(scale, places)
{
    struct cup_scale scale = cup_scale_make(10, 20, false);
    scale.from = 100;
    scale.to = 0;
    cr_expect_float_eq(cup_scale_place(&scale, 10), 100, 1e-9);
    cr_expect_float_eq(cup_scale_place(&scale, 20), 0, 1e-9);
    cr_expect_float_eq(cup_scale_place(&scale, 15), 50, 1e-9);
    cr_expect(isnan(cup_scale_place(&scale, NAN)));
    cr_expect(isfinite(cup_scale_place(&scale, 1e300)));
    scale = cup_scale_make(1, 100, true);
    cr_expect_float_eq(cup_scale_place(&scale, 10), 0.5, 1e-9);
    cr_expect(isnan(cup_scale_place(&scale, 0)));
    cr_expect(isnan(cup_scale_place(&scale, -3)));
}

Test(scale, nothing_and_a_single_value_have_a_range)
{
    struct cup_range range = cup_range_none();
    const double values[] = {NAN, INFINITY, 5, -INFINITY};
    struct cup_scale scale = cup_scale_make(range.low, range.high, false);
    cr_expect(scale.low == 0 && scale.high == 1);
    scale = cup_scale_make(0, 0, false);
    cr_expect(scale.low == 0 && scale.high == 1, "there is no CPU time below 0");
    for (size_t i = 0; i < 4; i++)
        cup_range_add(&range, values[i]);
    cr_expect(range.low == 5 && range.high == 5);
    scale = cup_scale_make(5, 5, false);
    cr_expect(scale.low < 5 && scale.high > 5);
    scale = cup_scale_make(5, 5, true);
    cr_expect(scale.low < 5 && scale.low > 0 && scale.high > 5);
}

static const char *value(double number, enum cup_axis_unit unit)
{
    static char text[24];
    return cup_tick_text(text, number, unit);
}

Test(ticks, no_text_has_an_exponent)
{
    EXPECT("1 s 10 s 100 s 1000 s", 1, 1000, true, CUP_AXIS_SECONDS, 5);
    EXPECT("1 10 100 1000 10000", 1, 10000, true, CUP_AXIS_NUMBER, 6);
    cr_expect_str_eq(value(999700, CUP_AXIS_BYTES), "1000 kB");
    cr_expect_str_eq(value(999400, CUP_AXIS_BYTES), "999 kB");
    cr_expect_str_eq(value(1200, CUP_AXIS_SECONDS), "1200 s");
    cr_expect_str_eq(value(-1200, CUP_AXIS_SECONDS), "-1200 s");
}

Test(ticks, times_in_sentences_are_durations)
{
    char text[CUP_DURATION_TEXT];
    cr_expect_str_eq(cup_value_text(text, 1200, CUP_AXIS_SECONDS), "20 min 00 s");
    cr_expect_str_eq(cup_value_text(text, 1200, CUP_AXIS_ELAPSED), "20 min 00 s");
    cr_expect_str_eq(cup_value_text(text, 1200, CUP_AXIS_BYTES), "1.2 kB");
}
