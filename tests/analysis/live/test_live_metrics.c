/* Figures of a job that runs, for Prometheus. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/export/export.h"
#include "analysis/live/live_metrics.h"
#include "tests/analysis/fixture.h"
#include "tests/analysis/stack_logs.h"

TestSuite(live_metrics, .init = start_golden_fixture, .fini = end_fixture);

/* What the live view writes after so many looks, allocated. */
static char *write_looks(int looks)
{
    struct cup_live live;
    struct cup_error error;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert_eq(cup_live_open(&live, scratch, &error), 0, "%s", error.text);
    for (int i = 0; i < looks; i++)
        cr_assert_eq(cup_live_look(&live, at_second(60 + 2 * i), &error), 0, "%s", error.text);
    cr_assert_eq(cup_live_metrics(&live, out), 0);
    fclose(out);
    cup_live_free(&live);
    return text;
}

/* Each family begins with its HELP and TYPE, and its series stand together. */
static void expect_format(const char *text)
{
    char family[128] = "", name[128];
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        if (sscanf(at, "# HELP %127s", name) == 1) {
            cr_expect_str_neq(name, family);
            snprintf(family, sizeof family, "%s", name);
            at = strchr(at, '\n') + 1;
            cr_expect(sscanf(at, "# TYPE %127s", name) == 1 && strcmp(name, family) == 0, "%.80s",
                      at);
            continue;
        }
        cr_expect(strncmp(at, family, strlen(family)) == 0 && at[strlen(family)] == '{', "%.80s",
                  at);
    }
}

/* Lines of both have the same value and the same HELP and TYPE. */
Test(live_metrics, have_the_values_of_the_export)
{
    static const char *const families[] = {"chunks_total", "failed_chunk_attempts_total",
                                           "events_total", "read_bytes_total"};
    save_fixture("a.cup");
    load_fixture(&(struct cup_load_options){.counters = true});
    char *live = write_looks(1), *exported = NULL;
    size_t bytes;
    struct cup_output output = {.file = open_memstream(&exported, &bytes)};
    cr_assert_eq(cup_export_prometheus(&totals, &output), 0);
    fclose(output.file);
    expect_format(live);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        char help[100];
        snprintf(help, sizeof help, "# HELP cupping_%s ", families[i]);
        const char *one = strstr(live, help), *other = strstr(exported, help);
        cr_assert(one && other, "%s", help);
        size_t length = (size_t)(strstr(one + 1, "\n# HELP") - one);
        cr_expect_eq(strncmp(one, other, length), 0, "%.*s, but %.*s", (int)length, one,
                     (int)length, other);
    }
    free(live);
    free(exported);
}

Test(live_metrics, what_is_not_known_has_no_series)
{
    save_fixture("a.cup");
    char *live = write_looks(1);
    cr_expect_null(strstr(live, "planned_events"), "%s", live);
    cr_expect_null(strstr(live, "remaining_seconds"), "%s", live);
    cr_expect_null(strstr(live, "NaN"), "%s", live);
    cr_expect(strstr(live, "cupping_live_tasks{run="), "%s", live);
    free(live);
}

/* ---- workers that run ---------------------------------------------------------------------- */

/* The process of the log is this one. */
static void save_as_running(struct log_builder *log, const char *name)
{
    builder_header(log)->pid = (uint32_t)getpid();
    builder_header(log)->log_stop_ns = 0;
    builder_header(log)->log_start_ns = INT64_C(4000000000000000000); /* the process is older */
    gethostname(builder_header(log)->host, 63);
    builder_finish(log);
    save_log(log, scratch, name);
    builder_free(log);
}

/* A worker of one thread, without stacks, whose task goes on. */
static void build_worker(struct log_builder *log)
{
    const struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .threads = 1};
    const struct cup_r_task_begin begin = {
        .task = 1, .tid = 7, .server = 1, .origin = CUP_ORIGIN_DASK, .start_ns = at_second(50)};
    builder_start(log);
    BUILDER_ADD(log, CUP_R_SERVER, server);
    builder_begin(log, &begin, "key");
}

Test(live_metrics, a_measured_share_of_zero_has_a_series)
{
    struct log_builder log;
    build_worker(&log);
    builder_header(&log)->features |= CUP_FEATURE_WAITS;
    builder_header(&log)->features &= ~(uint64_t)CUP_FEATURE_GIL;
    save_as_running(&log, "a.cup");
    char *text = write_looks(2);
    cr_expect(strstr(text, ",part=\"io_wait\"} 0\n"), "%s", text);
    cr_expect(strstr(text, ",part=\"idle\"} 0\n"), "%s", text);
    cr_expect_null(strstr(text, ",part=\"gil_wait\"}"), "%s", text);
    free(text);
}

/* Of a cluster that adapts: many workers are gone. */
Test(live_metrics, workers_that_are_gone_take_no_room)
{
    struct log_builder log;
    builder_start(&log);
    for (uint32_t i = 1; i <= CUP_LIVE_WORKERS_MOST; i++) {
        const struct cup_r_server gone = {.id = i, .role = CUP_ROLE_WORKER, .address = i};
        char address[32];
        snprintf(address, sizeof address, "tcp://10.0.0.1:%u", i);
        builder_string(&log, i, address);
        BUILDER_ADD(&log, CUP_R_SERVER, gone);
    }
    builder_finish(&log);
    save_log(&log, scratch, "a.cup");
    builder_free(&log);
    build_worker(&log);
    save_as_running(&log, "b.cup");
    char *text = write_looks(2);
    cr_expect(strstr(text, "\ncupping_live_worker_running_tasks{run="), "%s", text);
    free(text);
}

Test(live_metrics, cpu_time_has_no_series_without_samples)
{
    struct log_builder log;
    build_worker(&log);
    save_as_running(&log, "a.cup");
    char *text = write_looks(2);
    cr_expect(strstr(text, "cupping_live_threads{run="), "%s", text);
    cr_expect_null(strstr(text, "part=\"task_cpu\""), "%s", text);
    cr_expect_null(strstr(text, "part=\"other_task\""), "%s", text);
    free(text);
    build_stack_log(&log);
    save_as_running(&log, "b.cup");
    text = write_looks(2);
    cr_expect(strstr(text, "part=\"task_cpu\""), "%s", text);
    free(text);
}
