/* Runner calls: which tasks belong to which, and what is told of the client. */
#include <criterion/criterion.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/profile/roles.h"
#include "analysis/profile/runs.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH];
static struct log_builder client;
static struct cup_profile profile;
static struct cup_totals totals;

/* The golden run's worker; its tasks start at 10, 10, 18, 19, 21 and 22 s. */
static void set_up(void)
{
    struct log_builder worker;
    make_scratch(scratch);
    make_scratch(outside);
    build_golden_log(&worker);
    save_log(&worker, scratch, "a.cup");
    builder_free(&worker);
    builder_start(&client);
    builder_header(&client)->pid = 77;
}

static void tear_down(void)
{
    builder_free(&client);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(runs, .init = set_up, .fini = tear_down);

static void add_run(uint32_t number, double start, double stop)
{
    struct cup_r_run run = {
        .run = number, .start_ns = at_second(start), .stop_ns = at_second(stop)};
    BUILDER_ADD(&client, CUP_R_RUN, run);
    builder_header(&client)->health[CUP_H_RUNS]++;
}

static void save_client(void)
{
    builder_finish(&client);
    save_log(&client, scratch, "b.cup");
}

static void load(unsigned run)
{
    struct cup_error error;
    const struct cup_load_options options = {.counters = true, .run = run};
    save_client();
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
}

static void expect(const char *name, double expected)
{
    double value = cup_number(named_metric(&totals, "workflow", name));
    cr_expect_float_eq(value, expected, 1e-6, "%s is %.17g, not %.17g", name, value, expected);
}

Test(runs, the_only_one_tells_when_it_began_and_ended)
{
    add_run(1, 8, 25);
    load(0);
    cr_expect_eq(profile.run, 1);
    expect("t_start", 1700000008);
    expect("t_stop", 1700000025);
    expect("wall_time", 17);
    expect("graph_s", 2);
    expect("merge_s", 4);
    expect("num_chunks", 3);
    cr_expect_eq(totals.all.tasks, 6);
}

Test(runs, without_one_the_tasks_tell)
{
    load(0);
    cr_expect_eq(profile.run, 0);
    expect("t_start", 1700000010);
    expect("wall_time", 12);
    cr_expect_eq(named_metric(&totals, "workflow", "graph_s").kind, CUP_VALUE_NULL);
}

/* A clock call or two in the middle of it say less than the tasks. */
Test(runs, few_clock_calls_cut_nothing_off)
{
    add_run(1, 12, 13);
    load(0);
    expect("wall_time", 12);
    expect("num_chunks", 3);
    expect("graph_s", 0);
}

/* The second begins at 18.5 s, the first ended at 18.1 s: the border lies at 18.3 s. */
static void add_two(void)
{
    add_run(2, 18.5, 30);
    add_run(1, 9, 18.1);
}

Test(runs, of_several_the_last_one_is_taken)
{
    add_two();
    load(0);
    cr_expect_eq(profile.run_count, 2);
    cr_expect_eq(profile.run, 2);
    cr_expect_eq(totals.all.tasks, 3);
    cr_expect_eq(profile.tasks_skipped, 3);
    expect("num_chunks", 1);
    expect("t_start", 1700000018.5);
    expect("t_stop", 1700000030);
    expect("total_bytes_read", 100 + 7); /* of tasks 4 to 6 */
}

/* The golden worker read bytes for no task; in which run is not known. */
static void expect_unattributed(unsigned run, bool known)
{
    static const char *const names[] = {"share_attributed", "bytes_total", "read_none_bytes"};
    for (int i = 0; i < 3; i++) {
        struct cup_value value = named_metric(&totals, "attribution", names[i]);
        cr_expect_eq(value.kind != CUP_VALUE_NULL, known, "%s of run %u", names[i], run);
    }
    cr_expect(known ||
              strstr(cup_metric_missing(cup_metric_find("attribution", "bytes_total"), &totals),
                     "all runs"));
}

/* Blocks without a task are of a process. */
Test(runs, unattributed_bytes_are_of_all_of_them)
{
    add_two();
    load(1);
    expect_unattributed(1, false);
}

Test(runs, unattributed_bytes_of_the_only_one_are_known)
{
    add_run(1, 8, 25);
    load(0);
    expect_unattributed(1, true);
}

Test(runs, each_task_belongs_to_one)
{
    add_two();
    load(1);
    cr_expect_eq(totals.all.tasks, 3);
    expect("num_chunks", 2);
    expect("num_failed_chunks", 1);
    expect("wall_time", 19 - 9); /* its last task ended after the last clock call */
}

Test(runs, all_of_them)
{
    add_two();
    load(CUP_ALL_RUNS);
    cr_expect_eq(profile.run, 0);
    cr_expect_eq(totals.all.tasks, 6);
    expect("wall_time", 12);
}

static int64_t begin_of_second(double not_before)
{
    int64_t from, to;
    struct cup_r_run second = {.run = 2,
                               .start_ns = at_second(18.5),
                               .stop_ns = at_second(30),
                               .not_before_ns = at_second(not_before)};
    add_run(1, 9, 18.1);
    BUILDER_ADD(&client, CUP_R_RUN, second);
    load(2);
    cup_runs_window(&profile, &from, &to);
    return from;
}

Test(runs, begin_in_the_middle)
{
    cr_expect_eq(begin_of_second(18.4), at_second(18.3));
}

/* The client was seen outside of any call at 18.2 s, and not again. */
Test(runs, begin_when_the_client_was_last_seen_outside)
{
    cr_expect_eq(begin_of_second(18.2), at_second(18.2));
}

Test(runs, windows_meet)
{
    int64_t from, to, next;
    add_run(1, 1, 2);
    add_run(2, 4, 6);
    add_run(3, 5, 7); /* two clients at a time */
    load(1);
    cup_runs_window(&profile, &from, &to);
    cr_expect_eq(from, INT64_MIN);
    cr_expect_eq(to, at_second(3));
    profile.run = 2;
    cup_runs_window(&profile, &from, &next);
    cr_expect_eq(from, to);
    cr_expect_eq(next, at_second(6)); /* tasks of the third are in it, too */
    cr_expect_eq(cup_runs_overlapping(&profile), 3);
    profile.run = 3;
    cup_runs_window(&profile, &from, &to);
    cr_expect_eq(from, at_second(5));
    cr_expect_eq(to, INT64_MAX);
    cr_expect_eq(cup_runs_overlapping(&profile), 2);
}

Test(runs, who_makes_them_is_the_client)
{
    char roles[CUP_ROLES_ROOM];
    add_run(1, 8, 25);
    builder_string(&client, 1, "command");
    builder_string(&client, 2, "python old.py");
    builder_string(&client, 3, "python job.py");
    struct cup_r_info first = {.name = 1, .value = 2}, second = {.name = 1, .value = 3};
    BUILDER_ADD(&client, CUP_R_INFO, first);
    BUILDER_ADD(&client, CUP_R_INFO, second);
    load(0);
    cr_expect_eq(cup_process_role(&profile.processes[0]), CUP_ROLE_WORKER);
    cr_expect_eq(cup_process_role(&profile.processes[1]), CUP_ROLE_CLIENT);
    cr_expect_str_eq(cup_process_roles(&profile.processes[1], roles), "client");
    profile.processes[0].roles |= 1u << CUP_ROLE_CLIENT | 1u << CUP_ROLE_SCHEDULER;
    cr_expect_str_eq(cup_process_roles(&profile.processes[0], roles), "worker, scheduler, client");
    struct cup_text command = cup_process_fact(&profile, 1, "command");
    cr_expect_eq(command.length, strlen("python job.py"));
    cr_expect_eq(memcmp(command.bytes, "python job.py", command.length), 0);
    cr_expect_eq(cup_process_fact(&profile, 1, "python").length, 0);
    cr_expect_eq(cup_process_fact(&profile, 0, "python").length, strlen("3.11.7"));
}

/* ---- the verb --------------------------------------------------------------------------- */

#define RUN(verb, ...)                                                                             \
    run_verb(outside, cup_verb_##verb, (const char *const[]){#verb, __VA_ARGS__, NULL})

static char *written(const char *name)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/%s", outside, name);
    return read_text(path);
}

static json_t *written_json(void)
{
    char *text = written("out");
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(root);
    free(text);
    return root;
}

Test(runs, are_rows_of_the_report)
{
    add_two();
    save_client();
    cr_assert_eq(RUN(report, scratch, "--json", "-", "--run", "1"), 0);
    json_t *report = written_json(), *rows = json_object_get(report, "runs");
    cr_expect_eq(json_integer_value(json_object_get(report, "run")), 1);
    cr_assert_eq(json_array_size(rows), 2);
    json_t *first = json_array_get(rows, 0), *second = json_array_get(rows, 1);
    cr_expect_float_eq(json_number_value(json_object_get(first, "wall_time")), 9.1, 1e-6);
    cr_expect_eq(json_integer_value(json_object_get(first, "chunks")), 2);
    cr_expect_eq(json_integer_value(json_object_get(first, "pid")), 77);
    cr_expect(json_is_null(json_object_get(second, "chunks")));
    json_decref(report);
}

Test(runs, processes_are_rows_of_health)
{
    add_two();
    save_client();
    cr_assert_eq(RUN(report, scratch, "--json", "-"), 0);
    json_t *report = written_json();
    json_t *rows = json_object_get(json_object_get(report, "health"), "processes");
    cr_assert_eq(json_array_size(rows), 2);
    json_t *worker = json_array_get(rows, 0), *other = json_array_get(rows, 1);
    cr_expect_str_eq(json_string_value(json_object_get(worker, "role")), "worker");
    cr_expect_str_eq(json_string_value(json_object_get(worker, "python")), "3.11.7");
    cr_expect(json_is_null(json_object_get(worker, "coffea")));
    cr_expect_str_eq(json_string_value(json_array_get(json_object_get(worker, "servers"), 0)),
                     "tcp://10.0.0.1:40000");
    cr_expect_str_eq(json_string_value(json_object_get(other, "role")), "client");
    json_decref(report);
}

Test(runs, two_at_a_time_cannot_be_told_apart)
{
    add_run(1, 8, 23);
    add_run(2, 9, 25);
    save_client();
    cr_assert_eq(RUN(report, scratch), 0);
    char *text = written("out");
    cr_expect(strstr(text, "another run went on at the same time"), "%s", text);
    cr_expect(strstr(text, "Run 1 went on at the same time: the figures are of both"), "%s", text);
    free(text);
}

Test(runs, the_header_names_the_clients_script)
{
    static const char *const commands[][2] = {
        {"python old.py", "Run 2 of 2 (old.py, process 77 on "},
        {"/usr/bin/python3 -u /home/me/a b/run.py x.py", "(run.py, "},
        {"jupyter lab", "(process 77 on "}};
    struct cup_r_info command = {.name = 1, .value = 2};
    add_two();
    builder_string(&client, 1, "command");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        builder_string(&client, (uint32_t)i + 2, commands[i][0]);
        command.value = (uint32_t)i + 2;
        BUILDER_ADD(&client, CUP_R_INFO, command);
        save_client();
        cr_assert_eq(RUN(report, scratch), 0);
        char *text = written("out");
        cr_expect(strstr(text, commands[i][1]), "%s: %s", commands[i][0], text);
        cr_expect(strstr(text, "The other: `--run 1`"), "%s", text);
        free(text);
    }
}

Test(runs, text_says_which_one)
{
    add_two();
    save_client();
    cr_assert_eq(RUN(report, scratch), 0);
    char *text = written("out");
    cr_expect(strstr(text, "Run 2 of 2 (process 77 on "));
    free(text);
    cr_assert_eq(RUN(report, scratch, "--only", "runs"), 0);
    text = written("out");
    cr_expect(strstr(text, "reported"));
    free(text);
    cr_assert_eq(RUN(report, scratch, "--only", "processes"), 0);
    text = written("out");
    cr_expect(strstr(text, "2 processes left a log"));
    free(text);
}

Test(runs, one_that_is_not_there_is_wrong_usage)
{
    add_two();
    save_client();
    cr_expect_eq(RUN(report, scratch, "--run", "3"), 2);
    char *text = written("err");
    cr_expect(strstr(text, "--run 3: it holds 2 runs"));
    free(text);
    cr_expect_eq(RUN(report, scratch, "--run", "0"), 2);
    cr_expect_eq(RUN(report, scratch, "--run", "2x"), 2);
    cr_expect_eq(RUN(report, scratch, "--run", "all"), 0);
}

Test(runs, the_dump_shows_them)
{
    char path[2 * SUPPORT_PATH];
    add_two();
    save_client();
    snprintf(path, sizeof path, "%s/b.cup", scratch);
    cr_assert_eq(RUN(dump, path), 0);
    char *text = written("out");
    cr_expect(strstr(text, "RUN run=2 start=2023-11-14T22:13:38"));
    free(text);
}
