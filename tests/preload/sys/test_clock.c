#include <criterion/criterion.h>

#include "preload/sys/clock.h"

Test(clock, sources_that_replace_the_time_stamp_counter)
{
    cr_expect(cup_clock_replaces_tsc("hpet\n"));
    cr_expect(cup_clock_replaces_tsc("acpi_pm\n"));
    cr_expect(!cup_clock_replaces_tsc("tsc\n"));
    cr_expect(!cup_clock_replaces_tsc("kvm-clock\n"), "it reads that counter, too");
    cr_expect(!cup_clock_replaces_tsc("hyperv_clocksource_tsc_page\n"));
    cr_expect(!cup_clock_replaces_tsc(""), "not known");
}
