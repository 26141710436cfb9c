/* Which prefixes of tasks have a row in the tables of tasks, waits and durations. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"
#include "tests/analysis/fixture.h"

TestSuite(prefixes, .init = start_fixture, .fini = end_fixture);

enum { PREFIXES = 20 };

/* A task of each prefix, P01 to P20: 11 s to 30 s long. */
static void save_tasks(void)
{
    const struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .threads = 1};
    builder_header(&builder)->features |= CUP_FEATURE_WAITS;
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
    for (uint32_t i = 1; i <= PREFIXES; i++) {
        const struct cup_r_task_begin begin = {.task = i,
                                               .tid = 1,
                                               .prefix = i,
                                               .server = 1,
                                               .origin = CUP_ORIGIN_DASK,
                                               .start_ns = at_second(100 * i),
                                               .run_id = -1};
        const struct cup_r_task_end end = {.task = i,
                                           .status = CUP_STATUS_FINISHED,
                                           .stop_ns = at_second(101 * i + 10),
                                           .result_bytes = 64};
        char name[8];
        snprintf(name, sizeof name, "P%02u", i);
        builder_string(&builder, i, name);
        builder_begin(&builder, &begin, name);
        BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    }
    save_fixture("a.cup");
}

/* How often NAME is in the report of these words. */
static int count_rows(const char *name, const char *option, const char *section)
{
    int count = 0;
    cr_assert_eq(run_verb(outside, cup_verb_report,
                          (const char *const[]){"report", scratch, option, section, NULL}),
                 0);
    char *text = read_text_in(outside, "out");
    for (const char *at = text; (at = strstr(at, name)); at++)
        count++;
    free(text);
    return count;
}

Test(prefixes, have_a_row_each_if_their_section_is_named)
{
    save_tasks();
    cr_expect_eq(count_rows("P01", "--full", NULL), 0);
    cr_expect_eq(count_rows("... and 5 more prefixes\n", "--full", NULL), 1);
    cr_expect_eq(count_rows("... and 10 more prefixes in --json\n", "--full", NULL), 2);
    cr_expect_eq(count_rows("P01", "--only", "tasks"), 1);
    cr_expect_eq(count_rows("P01", "--only", "waits"), 2, "waits and durations");
    cr_expect_eq(count_rows("more prefix", "--only", "waits"), 0);
}
