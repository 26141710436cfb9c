#include "tests/analysis/fixture.h"

#include <criterion/criterion.h>

char scratch[SUPPORT_PATH];
char outside[SUPPORT_PATH];
struct log_builder builder;
struct cup_profile profile;
struct cup_totals totals;

void start_fixture(void)
{
    make_scratch(scratch);
    make_scratch(outside);
    builder_start(&builder);
}

void start_golden_fixture(void)
{
    make_scratch(scratch);
    make_scratch(outside);
    build_golden_log(&builder);
}

void end_fixture(void)
{
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    builder_free(&builder);
    remove_scratch(scratch);
    remove_scratch(outside);
}

void save_fixture(const char *name)
{
    builder_finish(&builder);
    save_log(&builder, scratch, name);
}

void load_fixture_profile(const struct cup_load_options *options)
{
    struct cup_error error;
    cr_assert_eq(cup_profile_load(&profile, scratch, options, &error), 0, "%s", error.text);
}

void load_fixture(const struct cup_load_options *options)
{
    load_fixture_profile(options);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
}
