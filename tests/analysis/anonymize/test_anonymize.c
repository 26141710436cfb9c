/* Anonymous copies of logs. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "analysis/anonymize/anonymize.h"
#include "tests/analysis/fixture.h"
#include "tests/analysis/open_hook.h"

TestSuite(anonymize, .init = start_golden_fixture, .fini = end_fixture);

static char path[2 * SUPPORT_PATH];

static void begin_more_tasks(void)
{
    FILE *file = fopen(path, "r+");
    for (uint32_t task = 10; task < 12; task++) {
        const struct cup_r_task_begin begin = {
            .task = task, .tid = 100, .prefix = 1, .start_ns = at_second(25)};
        builder_begin(&builder, &begin, task == 10 ? "late-1" : "late-2");
    }
    builder_finish(&builder);
    cr_assert(file && fwrite(builder.bytes, 1, builder.size, file) == builder.size);
    cr_assert_eq(fclose(file), 0);
}

/* The log is opened twice to see what it is, and once to collect its names. */
Test(anonymize, tasks_that_begin_while_the_names_are_collected_are_left_out)
{
    struct cup_error error;
    struct cup_anonymous_result result;
    const char *const inputs[] = {scratch};
    const struct cup_anonymous_copy copy = {inputs, 1, outside};
    builder_header(&builder)->log_stop_ns = 0;
    save_fixture("node1-4242-1.cup");
    snprintf(path, sizeof path, "%s/node1-4242-1.cup", scratch);
    load_fixture_profile(&(struct cup_load_options){0});
    size_t tasks = profile.task_count;
    cup_profile_free(&profile);
    before_open(path, 4, begin_more_tasks);
    cr_assert_eq(cup_anonymize(&copy, &result, &error), 0, "%s", error.text);
    cr_assert_eq(cup_profile_load(&profile, outside, &(struct cup_load_options){0}, &error), 0);
    cr_expect_eq(profile.task_count, tasks, "%zu, %zu", profile.task_count, tasks);
}
