#include <criterion/criterion.h>

#include "preload/sys/clock.h"

#include <stdlib.h>

/* How far the ticks, as CLOCK_REALTIME, are from that clock. A pause between the readings does not
 * count. */
static int64_t apart_ns(void)
{
    int64_t before = cup_clock_realtime_ns(), ns = cup_ticks_realtime_ns(cup_ticks());
    int64_t after = cup_clock_realtime_ns();
    return ns < before ? before - ns : ns > after ? ns - after : 0;
}

/* The administrator, or NTP, sets the clock while the process runs. */
Test(clock, ticks_follow_a_clock_that_is_set)
{
    static const int64_t hour_ns = INT64_C(3600000000000), steps[] = {hour_ns, -hour_ns};
    cup_clock_calibrate(false);
    for (int i = 0; i < 2; i++) {
        cup_ticks_scale.base_ns += steps[i];
        cr_assert_gt(apart_ns(), hour_ns / 2);
        for (int tries = 0; tries < 100 && apart_ns() > hour_ns / 2; tries++)
            cup_clock_follow(cup_clock_realtime_ns());
        cr_expect_lt(apart_ns(), hour_ns / 1000);
    }
}

Test(clock, a_pause_ends_when_the_clock_is_set_back)
{
    cr_expect(!cup_clock_pause_is_over(1000, 950, 50));
    cr_expect(cup_clock_pause_is_over(1000, 1000, 50));
    cr_expect(cup_clock_pause_is_over(1000, 949, 50));
}

Test(clock, sources_that_replace_the_time_stamp_counter)
{
    cr_expect(cup_clock_replaces_tsc("hpet\n"));
    cr_expect(cup_clock_replaces_tsc("acpi_pm\n"));
    cr_expect(!cup_clock_replaces_tsc("tsc\n"));
    cr_expect(!cup_clock_replaces_tsc("kvm-clock\n"), "it reads that counter, too");
    cr_expect(!cup_clock_replaces_tsc("hyperv_clocksource_tsc_page\n"));
    cr_expect(!cup_clock_replaces_tsc(""), "not known");
}
