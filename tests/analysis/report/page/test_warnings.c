/* The line of the first page about an interpreter that does not allow all features. */
#include <criterion/criterion.h>

#include "analysis/report/page/warnings.h"
#include "tests/analysis/support.h"

enum { PYTHON = 1, VERSION };

static char scratch[SUPPORT_PATH], line[CUP_LINE_ROOM];
static struct log_builder builder;
static struct cup_profile profile;

static void set_up(void)
{
    const struct cup_r_info python = {.name = PYTHON, .value = VERSION};
    make_scratch(scratch);
    builder_start(&builder);
    builder_string(&builder, PYTHON, "python");
    builder_string(&builder, VERSION, "3.14.1");
    BUILDER_ADD(&builder, CUP_R_INFO, python);
}

static void tear_down(void)
{
    builder_free(&builder);
    cup_profile_free(&profile);
    remove_scratch(scratch);
}

TestSuite(warnings, .init = set_up, .fini = tear_down);

static void note(const char *text)
{
    static uint32_t id = VERSION;
    builder_string(&builder, ++id, text);
    BUILDER_ADD(&builder, CUP_R_NOTE, ((struct cup_r_note){.text = id}));
}

static const char *lacks(void)
{
    struct cup_error error;
    const struct cup_load_options options = {0};
    builder_finish(&builder);
    save_log(&builder, scratch, "1.cup");
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    return cup_interpreter_lacks(&profile, line);
}

Test(warnings, nothing_is_said_of_an_interpreter_that_allows_all)
{
    note("CUPPING_CPU_HZ is not used: not a number from 0 to 1000");
    cr_expect_null(lacks());
}

Test(warnings, the_first_page_names_what_the_interpreter_does_not_allow)
{
    note("Python functions are not recorded: unknown layout");
    note("attribution methods 'handoff' and 'inherited' are off: locks are not seen");
    note("attribution method 'context' is off: unknown layout");
    cr_expect_str_eq(lacks(), "Python 3.14.1: stacks, attribution by contexts are off (unknown "
                              "layout); hand-off, helper CPU and calls of actors are off (locks "
                              "are not seen).");
}
