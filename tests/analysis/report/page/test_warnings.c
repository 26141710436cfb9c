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
    note("exact times of Coffea's calls without Dask are not recorded: locks are not seen");
    cr_expect_str_eq(lacks(), "Python 3.14.1: stacks, attribution by contexts are off (unknown "
                              "layout); hand-off, helper CPU and calls of actors, exact times of "
                              "Coffea's calls without Dask are off (locks are not seen).");
}

static void add_task(uint32_t task, double start_s, double stop_s)
{
    struct cup_r_task_begin begin = {
        .task = task, .tid = 7, .start_ns = at_second(start_s), .rss = CUP_UNKNOWN64};
    struct cup_r_task_end end = {.task = task,
                                 .status = CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(stop_s),
                                 .cpu_ns = 1000,
                                 .rss = CUP_UNKNOWN64,
                                 .result_bytes = CUP_UNKNOWN64};
    builder_begin(&builder, &begin, "key");
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static bool is_among(const struct cup_warning *warnings, size_t count, const char *part)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(warnings[i].text, part))
            return true;
    return false;
}

/* Tasks that are in no figure, and tasks that are in the wall time although they are not Coffea's.
 */
Test(warnings, the_first_page_names_tasks_that_are_missing_and_those_outside_of_the_call)
{
    static struct cup_warning warnings[CUP_WARNINGS_MOST];
    const struct cup_r_run run = {.run = 1, .start_ns = at_second(20), .stop_ns = at_second(22)};
    struct cup_totals totals;
    note(
        "tasks that a worker runs in an executor other than a ThreadPoolExecutor are not recorded: "
        "ProcessPoolExecutor");
    add_task(1, 1, 2);
    add_task(2, 20.5, 21);
    BUILDER_ADD(&builder, CUP_R_RUN, run);
    builder_header(&builder)->health[CUP_H_RUNS]++;
    cr_expect_null(lacks());
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    size_t count = cup_warnings_make(&totals, warnings);
    cr_expect(
        is_among(warnings, count, "ThreadPoolExecutor are not recorded: ProcessPoolExecutor."));
    cr_expect(is_among(warnings, count, "the call took 2.00 s, the whole run 21.0 s"), "%s",
              count ? warnings[count - 1].text : "");
    cup_totals_free(&totals);
}
