/* The warnings about releases of Dask and Coffea that are too old, or were not tried. */
#include <criterion/criterion.h>

#include <string.h>

#include "analysis/report/page/warnings.h"
#include "tests/analysis/fixture.h"

enum { NAME = 1, VERSION };

TestSuite(releases, .init = start_fixture, .fini = end_fixture);

static bool is_warned(const char *package, const char *version, const char *what)
{
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    const struct cup_r_info fact = {.name = NAME, .value = VERSION};
    bool found = false;
    builder_string(&builder, NAME, package);
    builder_string(&builder, VERSION, version);
    BUILDER_ADD(&builder, CUP_R_INFO, fact);
    save_fixture("a.cup");
    load_fixture(&(struct cup_load_options){.counters = true});
    size_t count = cup_warnings_make(&totals, warnings);
    for (size_t i = 0; i < count; i++)
        found |= strstr(warnings[i].text, what) && strstr(warnings[i].text, version);
    return found;
}

Test(releases, older_than_the_oldest_is_refused)
{
    cr_expect(is_warned("distributed", "2021.12.0",
                        "is too old (supported are 2022.1 to 2026.8): its tasks"));
}

Test(releases, coffea_older_than_0_7_22_is_refused)
{
    cr_expect(
        is_warned("coffea", "0.7.21", "is too old (supported are 0.7.22 to 2026.9): its chunks"));
}

Test(releases, newer_than_the_newest_is_named)
{
    cr_expect(is_warned("coffea", "2027.1.0", "was not tried"));
}

Test(releases, known_ones_are_not)
{
    cr_expect_not(is_warned("distributed", "2024.2.1", ""));
}

Test(releases, the_oldest_is_known)
{
    cr_expect_not(is_warned("coffea", "0.7.22", ""));
}

Test(releases, the_newest_is_known)
{
    cr_expect_not(is_warned("distributed", "2026.8.3", ""));
}

Test(releases, a_version_that_is_no_number_is_not_judged)
{
    cr_expect_not(is_warned("distributed", "unknown", ""));
}
