/* `cupping top` goes on while logs cannot be read. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/verbs.h"
#include "tests/analysis/fixture.h"
#include "tests/analysis/open_hook.h"

static char first_log[2 * SUPPORT_PATH], second_log[2 * SUPPORT_PATH], hidden_log[2 * SUPPORT_PATH];

/* As the library names them: others are opened when the directory is listed. */
#define FIRST "host-1-1700000000000000000.cup"
#define SECOND "host-2-1700000000000000000.cup"

static void start(void)
{
    start_fixture();
    snprintf(first_log, sizeof first_log, "%s/" FIRST, scratch);
    snprintf(second_log, sizeof second_log, "%s/" SECOND, scratch);
    snprintf(hidden_log, sizeof hidden_log, "%s/" SECOND, outside);
}

TestSuite(verb_top, .init = start, .fini = end_fixture);

/* The process lived for 80 s after it had begun its last task, which never ended. */
Test(verb_top, the_duration_of_a_run_that_has_ended_is_that_of_the_report)
{
    build_golden_log(&builder);
    builder_header(&builder)->log_stop_ns = at_second(92);
    builder_finish(&builder);
    save_log(&builder, scratch, FIRST);
    cr_expect_eq(
        run_verb(outside, cup_verb_top, (const char *const[]){"top", scratch, "--once", NULL}),
        CUP_EXIT_DONE);
    char *out = read_text_in(outside, "out");
    cr_expect(strstr(out, ": the job has ended, 82.0 s\n"), "%s", out);
    free(out);
}

static void end_view(void)
{
    raise(SIGTERM);
}

static void spoil_logs(void)
{
    cr_assert_eq(truncate(first_log, 1), 0);
    cr_assert_eq(truncate(second_log, 1), 0);
    before_open(first_log, 1, end_view);
}

static void show_second_log(void)
{
    cr_assert_eq(rename(hidden_log, second_log), 0);
    before_open(first_log, 2, spoil_logs);
}

/* The log of a process that runs: this one. */
static void save_running(const char *directory, const char *name)
{
    builder_header(&builder)->pid = (uint32_t)getpid();
    builder_header(&builder)->log_stop_ns = 0;
    builder_header(&builder)->log_start_ns = INT64_C(4000000000000000000);
    gethostname(builder_header(&builder)->host, 63);
    builder_finish(&builder);
    save_log(&builder, directory, name);
}

/* The second look sees a second call of a Runner, and reads all logs again for it: then they cannot
 * be read, nor at the third look. */
Test(verb_top, goes_on_if_a_new_call_was_seen_before_the_logs_were_away)
{
    const struct cup_r_run calls[] = {{.run = 1, .start_ns = at_second(8), .stop_ns = at_second(9)},
                                      {.run = 2, .start_ns = at_second(10)}};
    build_golden_log(&builder);
    save_running(scratch, FIRST);
    builder_free(&builder);
    builder_start(&builder);
    BUILDER_ADD(&builder, CUP_R_RUN, calls[0]);
    BUILDER_ADD(&builder, CUP_R_RUN, calls[1]);
    builder_header(&builder)->health[CUP_H_RUNS] = 2;
    save_running(outside, SECOND);
    before_open(first_log, 1, show_second_log);
    int status =
        run_verb(outside, cup_verb_top,
                 (const char *const[]){"top", scratch, "--http", "0", "--interval", "0.1", NULL});
    char *err = read_text_in(outside, "err");
    cr_expect_eq(status, 128 + SIGTERM, "%d: %s", status, err);
    cr_expect(strstr(err, "none of its 2 logs can be read"), "%s", err);
    free(err);
}
