/* The screen of a job that runs: it fits, and nothing in a log controls the terminal. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/live/live_screen.h"
#include "tests/analysis/fixture.h"
#include "tests/analysis/stack_logs.h"

static struct cup_live live;

static void end(void)
{
    cup_live_free(&live);
    end_fixture();
}

TestSuite(live_screen, .init = start_fixture, .fini = end);

#define LONG "a-very-long-name-with-\033]0;title\007-and-\033[2J-in-it-"

/* A worker with a name and an address, and so much memory of a limit of 1,000,000 bytes. */
static void save_worker(unsigned number, const char *name, uint64_t rss)
{
    struct log_builder log;
    char file[32], address[64];
    snprintf(file, sizeof file, "w%u.cup", number);
    snprintf(address, sizeof address, "tcp://10.0.0.%u:4000", number);
    builder_start(&log);
    builder_header(&log)->pid = (uint32_t)getpid();
    builder_header(&log)->log_stop_ns = 0;
    gethostname(builder_header(&log)->host, 63);
    builder_header(&log)->log_start_ns = INT64_C(4000000000000000000); /* the process is older */
    builder_string(&log, 1, address);
    builder_string(&log, 2, name);
    builder_string(&log, 3, "prefix\033[31m");
    builder_string(&log, 4,
                   "OSError('root://user:secret@host//f.root?authz=token is\nnot there\033[2J')");
    struct cup_r_server server = {.id = 1,
                                  .role = CUP_ROLE_WORKER,
                                  .address = 1,
                                  .name = 2,
                                  .threads = 2,
                                  .memory_limit = 1000000};
    BUILDER_ADD(&log, CUP_R_SERVER, server);
    builder_worker(&log, 1, 1, 1, 2);
    uint64_t values[CUP_WV_COUNT], heartbeat[CUP_HV_COUNT];
    builder_unknown(values, CUP_WV_COUNT);
    builder_unknown(heartbeat, CUP_HV_COUNT);
    heartbeat[CUP_HV_RSS] = rss;
    heartbeat[CUP_HV_TIME_NS] = 1;
    builder_row(&log, 1, 1, values, heartbeat);
    builder_sample(&log, 1, 1, at_second(5), values);
    struct cup_r_task_begin begin = {.task = 1,
                                     .tid = 7,
                                     .prefix = 3,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(1)};
    struct cup_r_task_end stop = {
        .task = 1, .status = CUP_STATUS_ERRED, .stop_ns = at_second(2), .error = 4};
    builder_begin(&log, &begin, "key");
    BUILDER_ADD(&log, CUP_R_TASK_END, stop);
    begin.task = 2;
    builder_begin(&log, &begin, "other");
    builder_finish(&log);
    save_log(&log, scratch, file);
    builder_free(&log);
}

/* The screen, allocated. */
static char *draw(const struct cup_live_view *view, unsigned width)
{
    char *text = NULL;
    size_t bytes;
    struct cup_terminal terminal = {.out = open_memstream(&text, &bytes), .width = width};
    cr_assert_eq(cup_live_screen(&live, view, &terminal), 0);
    fclose(terminal.out);
    return text;
}

static void look(double second)
{
    struct cup_error error;
    if (!live.directory)
        cr_assert_eq(cup_live_open(&live, scratch, &error), 0, "%s", error.text);
    cr_assert_eq(cup_live_look(&live, at_second(second), &error), 0, "%s", error.text);
}

static void expect_fits(const char *text, unsigned width, unsigned height)
{
    unsigned lines = 0;
    for (const char *at = text; *at; lines++) {
        const char *stop = strchr(at, '\n');
        cr_assert_not_null(stop);
        struct cup_text line = {at, (size_t)(stop - at)};
        cr_expect_leq(cup_text_columns(line), width, "%.*s", (int)line.length, line.bytes);
        at = stop + 1;
    }
    cr_expect_leq(lines, height, "%s", text);
    for (const char *at = text; *at; at++)
        cr_expect(*at == '\n' || (unsigned char)*at >= ' ', "control character in: %s", text);
}

Test(live_screen, fits_and_is_harmless)
{
    for (unsigned i = 1; i <= 40; i++) {
        char name[200];
        snprintf(name, sizeof name, LONG LONG LONG "%u", i);
        save_worker(i, name, 10000 * i);
    }
    look(10);
    look(12);
    for (unsigned height = 1; height < 60; height++)
        for (unsigned width = 40; width <= 200; width += 20) {
            struct cup_live_view view = {.height = height, .keys = height % 2};
            char *text = draw(&view, width);
            expect_fits(text, width, height);
            cr_expect_null(strstr(text, "secret"));
            cr_expect_null(strstr(text, "token"));
            free(text);
        }
}

Test(live_screen, shows_running_tasks_failures_and_memory)
{
    save_worker(1, "alpha", 300000);
    look(10);
    look(12);
    char *text = draw(&(struct cup_live_view){.height = 24}, 80);
    cr_expect(strstr(text, "1 running (prefix?[31m 1), 0 done, 1 failed"), "%s", text);
    cr_expect(strstr(text, "root://host//f.root"), "%s", text);
    cr_expect(strstr(text, "30 %"), "%s", text);
    cr_expect(strstr(text, "1/2"), "%s", text);
    free(text);
    text = draw(&(struct cup_live_view){.height = 24, .failed = "it is away"}, 80);
    cr_expect(strstr(text, "not read again: it is away"), "%s", text);
    cr_expect(strstr(text, "1/2"), "%s", text);
    free(text);
}

/* Such as 0 of 0 events. */
Test(live_screen, has_no_figures_before_the_first_look)
{
    save_worker(1, "alpha", 300000);
    struct cup_error error;
    cr_assert_eq(cup_live_open(&live, scratch, &error), 0, "%s", error.text);
    char *text = draw(&(struct cup_live_view){.height = 24, .failed = "it is away"}, 80);
    cr_expect(strstr(text, ": n/a\nnot read again: it is away\n"), "%s", text);
    cr_expect_eq(lines_of(text), 2, "%s", text);
    free(text);
}

Test(live_screen, sorts_workers)
{
    save_worker(1, "alpha", 300000);
    save_worker(2, "beta", 900000);
    save_worker(3, "gamma", 600000);
    look(10);
    look(12);
    char *text = draw(&(struct cup_live_view){.height = 24, .sort = CUP_LIVE_BY_MEMORY}, 80);
    cr_expect(strstr(text, "beta") < strstr(text, "gamma"), "%s", text);
    cr_expect(strstr(text, "gamma") < strstr(text, "alpha"), "%s", text);
    free(text);
    text = draw(&(struct cup_live_view){.height = 24, .sort = CUP_LIVE_BY_NAME}, 80);
    cr_expect(strstr(text, "alpha") < strstr(text, "beta"), "%s", text);
    cr_expect(strstr(text, "beta") < strstr(text, "gamma"), "%s", text);
    free(text);
}

Test(live_screen, sorts_names_of_workers_by_their_numbers)
{
    save_worker(1, "w10", 300000);
    save_worker(2, "w9", 900000);
    look(10);
    look(12);
    char *text = draw(&(struct cup_live_view){.height = 24, .sort = CUP_LIVE_BY_NAME}, 80);
    const char *nine = strstr(text, "  w9 "), *ten = strstr(text, "  w10 ");
    cr_expect(nine && ten && nine < ten, "%s", text);
    free(text);
}

/* The log of a running worker, with stacks. */
static void build_running_log(struct log_builder *log)
{
    struct cup_r_task_begin begin = {
        .task = 9, .tid = 100, .server = 1, .origin = CUP_ORIGIN_DASK, .start_ns = at_second(5)};
    build_stack_log(log);
    builder_header(log)->pid = (uint32_t)getpid();
    builder_header(log)->log_stop_ns = 0;
    gethostname(builder_header(log)->host, 63);
    builder_header(log)->log_start_ns = INT64_C(4000000000000000000); /* the process is older */
    builder_begin(log, &begin, "key");
    builder_finish(log);
}

Test(live_screen, shows_lines_of_the_run_while_there_are_no_new_stacks)
{
    struct log_builder log;
    build_running_log(&log);
    save_log(&log, scratch, "one.cup");
    builder_free(&log);
    look(10);
    look(20);
    char *text = draw(&(struct cup_live_view){.height = 40}, 100);
    cr_expect(strstr(text, "hot lines of your own code, whole run"), "%s", text);
    cr_expect(strstr(text, "mine.py:31 in "), "%s", text);
    free(text);
}

Test(live_screen, without_samples_the_cpu_time_of_lines_is_not_known)
{
    struct log_builder log;
    build_running_log(&log);
    builder_header(&log)->features &= ~(uint64_t)CUP_FEATURE_CPU;
    save_log(&log, scratch, "one.cup");
    builder_free(&log);
    look(10);
    look(20);
    char *text = draw(&(struct cup_live_view){.height = 40}, 100);
    cr_expect(strstr(text, "       n/a     "), "%s", text);
    free(text);
}

/* Workers of save_worker() have no samples. */
Test(live_screen, without_samples_cpu_is_not_told_from_waits)
{
    save_worker(1, "alpha", 300000);
    look(10);
    look(12);
    char *text = draw(&(struct cup_live_view){.height = 24}, 80);
    cr_expect(strstr(text, "CPU or waits (no CPU samples)"), "%s", text);
    cr_expect_null(strstr(text, "other or open waits"), "%s", text);
    free(text);
}

static void expect_hidden(const char *text, const char *shown)
{
    char to[200];
    cup_live_hide_secrets((struct cup_text){text, strlen(text)}, to, sizeof to);
    cr_expect_str_eq(to, shown);
}

Test(live_screen, hides_secrets)
{
    expect_hidden("no URL: a@b?c", "no URL: a@b?c");
    expect_hidden("at root://u:p@h:1//f?authz=x, then", "at root://h:1//f then");
    expect_hidden("('https://h/f?sig=x', 'root://[::1]:9//a')",
                  "('https://h/f', 'root://[::1]:9//a')");
    expect_hidden("s3://key:secret@[::1]/b", "s3://[::1]/b");
    expect_hidden("https://h", "https://h");
    expect_hidden("://", "://");
}
