/* The battery: four tasks run at a time and get their bytes in every way that there is; each
 * must have its own bytes, exactly. One job of eight rounds, with one test for each group of
 * ways (battery_tasks.py lists them); `make soak` runs a thousand rounds. */
#include "include/gaps.h"
#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/witness.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(battery, .timeout = 600);

/* ---- the jobs -------------------------------------------------------------------------------- */

/* Workers of a nanny are daemons, which multiprocessing forbids children; and BLAS shall have
 * threads. Dask's own profiler freezes some Pythons: battery.py. */
static const char *const environment[] = {
    "DASK_DISTRIBUTED__WORKER__DAEMON=False", "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED=False",
    "DASK_DISTRIBUTED__NANNY__PRE_SPAWN_ENVIRON__OMP_NUM_THREADS=3",
    "DASK_DISTRIBUTED__NANNY__PRE_SPAWN_ENVIRON__OPENBLAS_NUM_THREADS=3", NULL};

static void run_rounds(const char *directory, const char *python, const char *rounds)
{
    struct cup_cluster cluster;
    char *out = cup_path(directory, "out.json"), *data = cup_path(directory, "data");
    const char *const arguments[] = {out, data, rounds, NULL};
    const struct cup_cluster_options options = {
        .directory = directory, .python = python, .threads = 4, .environment = environment};
    cup_cluster_start(&cluster, &options);
    cup_cluster_script(&cluster, "battery_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out);
    free(data);
}

static void run_battery(const char *directory)
{
    run_rounds(directory, NULL, "8");
}

static const char *const little_memory[] = {"DASK_DISTRIBUTED__WORKER__MEMORY__TARGET=0.04",
                                            "DASK_DISTRIBUTED__WORKER__MEMORY__SPILL=False",
                                            "DASK_DISTRIBUTED__WORKER__MEMORY__PAUSE=False",
                                            "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE=False",
                                            NULL};

static void run_dask(const char *directory)
{
    struct cup_cluster cluster;
    char *out = cup_path(directory, "out.json"), *data = cup_path(directory, "data");
    const char *const arguments[] = {out, data, NULL};
    const struct cup_cluster_options options = {.directory = directory,
                                                .threads = 4,
                                                .workers = 2,
                                                .memory = "500MB",
                                                .environment = little_memory};
    cup_cluster_start(&cluster, &options);
    cup_cluster_script(&cluster, "battery_dask_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out);
    free(data);
}

struct parts {
    char *directory;
    json_t *rows, *out, *by_key; /* by_key: {key: [row]} */
};

/* The roads expect what they read from files as read_bytes, and what servers sent as recv_bytes. */
static struct parts load(char *directory)
{
    struct parts parts = {directory, cup_tasks(directory), cup_json(directory, "out.json"),
                          json_object()};
    size_t i;
    json_t *row;
    json_array_foreach(parts.rows, i, row)
    {
        const char *key = cup_word(row, "key");
        json_int_t files = cup_count(row, "read_bytes") - cup_count(row, "server_read_bytes");
        json_object_set_new(row, "read_bytes", json_integer(files));
        if (!json_object_get(parts.by_key, key))
            json_object_set_new(parts.by_key, key, json_array());
        json_array_append(json_object_get(parts.by_key, key), row);
    }
    return parts;
}

static void drop(struct parts *parts)
{
    json_decref(parts->by_key);
    json_decref(parts->rows);
    json_decref(parts->out);
    free(parts->directory);
}

/* ---- row by row --------------------------------------------------------------------------------
 */

/* ROWS as one: integers added, the rest as the first has it. A new reference. */
static json_t *added(json_t *rows)
{
    size_t i;
    json_t *sum = json_deep_copy(json_array_get(rows, 0)), *row, *value;
    const char *column;
    for (i = 1; i < json_array_size(rows); i++) {
        row = json_array_get(rows, i);
        json_object_foreach(row, column, value) if (json_is_integer(value)) json_object_set_new(
            sum, column, json_integer(json_integer_value(value) + cup_count(sum, column)));
    }
    return sum;
}

/* An actor's calls have one key: so many rows of it are held together against one expected. */
static void check_sum(json_t *rows, json_t *expected)
{
    json_int_t count = cup_count(expected, "sum");
    const char *key = cup_word(expected, "key");
    cr_expect(json_array_size(rows) == (size_t)count, "%s has %zu rows, not %lld", key,
              json_array_size(rows), (long long)count);
    if (json_array_size(rows) == 0)
        return;
    json_t *sum = json_pack("[o]", added(rows)), *one = json_copy(expected);
    json_object_del(one, "sum");
    json_object_set(json_array_get(sum, 0), "attempt", json_object_get(one, "attempt"));
    json_t *list = json_pack("[o]", one);
    cup_check_expected(sum, list);
    json_decref(list);
    json_decref(sum);
}

static void check_one(struct parts *parts, json_t *expected)
{
    json_t *rows = json_object_get(parts->by_key, cup_word(expected, "key"));
    json_t *found = rows ? json_incref(rows) : json_array();
    if (json_object_get(expected, "sum"))
        check_sum(found, expected);
    else {
        json_t *list = json_pack("[O]", expected);
        cup_check_expected(found, list);
        json_decref(list);
    }
    json_decref(found);
}

static bool wanted(json_t *expected, const char *group)
{
    bool mixed = json_is_true(json_object_get(expected, "mixed"));
    return !group ||
           (strcmp(group, "mixed") == 0 ? mixed : !mixed && cup_is(expected, "group", group));
}

/* All rows of a group; of all groups if it is NULL. At least so many must be expected. */
static void check_rows(struct parts *parts, const char *group, int at_least)
{
    size_t i;
    json_t *expected;
    int checked = 0;
    json_array_foreach(json_object_get(parts->out, "expected"), i,
                       expected) if (wanted(expected, group))
    {
        check_one(parts, json_object_get(expected, "row"));
        checked++;
    }
    cr_expect(checked >= at_least, "only %d tasks were expected in group %s", checked,
              group ? group : "any");
}

static void check_group(const char *group, int at_least)
{
    struct parts parts = load(cup_job("battery", run_battery));
    check_rows(&parts, group, at_least);
    drop(&parts);
}

/* Runs PLAIN with the library: it must succeed, and write nothing to standard error. */
static struct child run_recorded(const struct child *plain, const char *logs)
{
    struct child recorded = child_recorded(plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0 && recorded.err_bytes == 0, "%s", recorded.err);
    return recorded;
}

/* clang-format off */
Test(battery, own_thread) { check_group("own", 200); }
Test(battery, files_and_libraries_on_the_own_thread) { check_group("files", 200); }
Test(battery, moved_inside_the_kernel) { check_group("kernel", 96); }
Test(battery, mapped_files) { check_group("mapped", 160); }
Test(battery, helpers_of_asyncio_and_fsspec) { check_group("asyncio", 128); }
Test(battery, threads_that_tasks_start) { check_group("threads", 128); }
Test(battery, pools_of_concurrent_futures) { check_group("executor", 352); }
Test(battery, pools_made_by_hand_are_right_or_silent) { check_group("by_hand", 192); }
/* A callback of a job runs on the job's thread, for whoever added it: not for who submitted the job.
 */
Test(battery, callbacks_of_others)
{
    char *logs = test_directory(), *scratch = test_directory();
    struct child plain = {.argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/callbacks.py", scratch}};
    struct child recorded = run_recorded(&plain, logs);
    json_t *tasks = tasks_of(logs);
    cr_expect(task_number(tasks, "first", "read_bytes") == 1000);
    cr_expect(task_number(tasks, "second", "read_bytes") == 0);
    json_decref(tasks);
    child_free(&recorded);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

/* A job or a thread that works for another task, too, is not that of the task that started it. */
static void check_shared_work(const char *python)
{
    char *logs = test_directory(), *scratch = test_directory();
    struct child plain = {.argv = {python, CUP_TOP "/tests/workloads/shared_work.py", scratch}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0 && recorded.err_bytes == 0, "%s: %s", python, recorded.err);
    json_t *tasks = tasks_of(logs);
    FILE *expected = fopen(text("%s/expected", scratch), "r");
    char key[64];
    int least, most, lines = 0;
    for (; fscanf(expected, "%63s %d %d", key, &least, &most) == 3; lines++) {
        long long read = task_number(tasks, key, "read_bytes");
        cr_expect(read >= least && read <= most, "%s: %s read %lld bytes, not %d to %d", python, key,
                  read, least, most);
    }
    cr_expect(lines >= 24, "%d lines", lines);
    fclose(expected);
    json_decref(tasks);
    child_free(&recorded);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(battery, work_that_helpers_take_from_other_tasks)
{
    for_each_python(check_shared_work);
}

/* Where an actor's method ended is seen by the lock that Dask asks for, also if another thread has
 * it. */
Test(battery, actor_returns_while_the_lock_of_its_worker_is_taken)
{
    char *logs = test_directory(), *scratch = test_directory();
    const char *file = text("%s/data", scratch);
    cr_assert(truncate(fclose(fopen(file, "w")) == 0 ? file : "", 5000) == 0);
    struct child plain = {.argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/busy_locks.py", file}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    json_t *tasks = tasks_of(logs), *task;
    int calls = 0;
    size_t at;
    json_array_foreach(json_object_get(tasks, "tasks"), at, task)
    {
        if (json_integer_value(json_object_get(task, "read_bytes")) != 1000)
            continue;
        const char *status = json_string_value(json_object_get(task, "status"));
        cr_expect(strcmp(status, "finished") == 0, "a call is %s", status);
        calls++;
    }
    cr_expect(calls == 3, "%d calls", calls);
    cr_expect(task_number(tasks, "plain", "read_bytes") == 10);
    json_decref(tasks);
    child_free(&recorded);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

/* A process may have more servers than the library follows at once, if not at the same time. */
Test(battery, servers_that_come_and_go)
{
    enum { SERVERS = 100 };
    char *logs = test_directory();
    struct child plain = {
        .argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/many_servers.py", text("%d", SERVERS), "11"}};
    struct child recorded = run_recorded(&plain, logs);
    json_t *tasks = tasks_of(logs);
    for (int i = 0; i < SERVERS; i++) {
        json_t *task = task_of(tasks, text("task-%d", i));
        const char *worker = json_string_value(json_object_get(task, "worker"));
        cr_expect(worker && strcmp(worker, text("stub://worker-%d", i)) == 0,
                  "the worker of task %d is %s", i, worker);
    }
    json_decref(tasks);
    child_free(&recorded);
    test_directory_remove(logs);
}

static char *first_page(const char *logs)
{
    return output_of(
        &(struct child){.argv = {CUP_BUILD "/cupping", "report", logs}, .settings = {"COLUMNS=400"}});
}

/* While a server may be silent for minutes, none of them counts as closed. */
Test(battery, more_servers_than_are_followed)
{
    enum { SERVERS = 66, FOLLOWED = 64 };
    char *logs = test_directory();
    struct child plain = {
        .argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/many_servers.py", text("%d", SERVERS), "0"},
        .settings = {"CUPPING_INTERVAL=100"}};
    struct child recorded = run_recorded(&plain, logs);
    json_t *tasks = tasks_of(logs);
    for (int i = 0; i < SERVERS; i++) {
        json_t *task = task_of(tasks, text("task-%d", i));
        cr_expect(task && json_is_string(json_object_get(task, "worker")) == (i < FOLLOWED),
                  "task %d", i);
    }
    char *page = first_page(logs);
    cr_expect(strstr(page, CUP_GAP_SERVERS) != NULL, "%s", page);
    free(page);
    json_decref(tasks);
    child_free(&recorded);
    test_directory_remove(logs);
}

static void check_reschedule(const char *python)
{
    char *logs = test_directory();
    struct child plain = {.argv = {python, "-c",
                                   "import distributed, run_task\n"
                                   "def again():\n"
                                   "    raise distributed.Reschedule\n"
                                   "try:\n"
                                   "    run_task.run('again', again)\n"
                                   "except run_task.Failed:\n"
                                   "    print('rescheduled')\n"},
                          .settings = {"PYTHONPATH=" CUP_TOP "/tests/workloads"}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_expect_str_eq(recorded.out, "rescheduled\n", "%s: %s", python, recorded.err);
    json_t *tasks = tasks_of(logs);
    const char *status = json_string_value(json_object_get(task_of(tasks, "again"), "status"));
    cr_expect(status && strcmp(status, "erred") == 0, "%s: %s", python, status);
    json_decref(tasks);
    child_free(&recorded);
    test_directory_remove(logs);
}

Test(battery, a_task_that_is_scheduled_again_failed)
{
    for_each_python(check_reschedule);
}

/* What a program can see of the library on CPython 3.14, as docs/limits.md says. */
Test(battery, the_tool_of_sys_monitoring_is_named_cupping)
{
    char *logs = test_directory();
    cup_need_python(CUP_PYTHON_3_14);
    struct child plain = {.argv = {CUP_PYTHON_3_14, "-c",
                                   "import run_task, sys\n"
                                   "run_task.run('task', lambda: None)\n"
                                   "print(*filter(None, map(sys.monitoring.get_tool, range(6))))"},
                          .settings = {"PYTHONPATH=" CUP_TOP "/tests/workloads"}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&plain);
    child_run(&recorded);
    cr_expect_str_eq(plain.out, "\n", "%s", plain.err);
    cr_expect_str_eq(recorded.out, "cupping\n", "%s", recorded.err);
    child_free(&plain);
    child_free(&recorded);
    test_directory_remove(logs);
}

/* Tasks in processes of an executor are not found: the report says so. */
Test(battery, executor_whose_tasks_are_not_recorded)
{
    char *logs = test_directory();
    struct child plain = {
        .argv = {CUP_PYTHON, "-c",
                 "import run_task\n"
                 "from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor\n"
                 "run_task.stub.executors = {'default': ThreadPoolExecutor(1),\n"
                 "                           'more': ProcessPoolExecutor(1)}\n"
                 "run_task.run('here', lambda: None)\n"},
        .settings = {"PYTHONPATH=" CUP_TOP "/tests/workloads"}};
    struct child recorded = run_recorded(&plain, logs);
    json_t *report = report_of(logs), *note;
    json_t *notes = json_object_get(json_object_get(report, "health"), "notes");
    size_t at, found = 0;
    json_array_foreach(notes, at, note)
    {
        char *text = json_dumps(note, JSON_ENCODE_ANY);
        found += strstr(text, "not recorded: ProcessPoolExecutor") != NULL;
        free(text);
    }
    cr_expect(found == 1, "%zu notes", found);
    json_decref(report);
    child_free(&recorded);
    test_directory_remove(logs);
}

/* Since CPython 3.14 the first thread of a task makes the library watch locks. Threads that other
 * tasks start at that moment must keep their tasks, too. */
static void check_first_threads(const char *python)
{
    enum { TASKS = 8, BYTES = 1000 };
    char *logs = test_directory(), *scratch = test_directory();
    struct child plain = {.argv = {python, CUP_TOP "/tests/workloads/first_threads.py",
                                   text("%s/data", scratch)}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0 && recorded.err_bytes == 0, "%s: %s", python, recorded.err);
    json_t *tasks = tasks_of(logs);
    for (int i = 0; i < TASKS; i++) {
        long long read = task_number(tasks, text("task-%d", i), "read_bytes");
        cr_expect(read == BYTES + i, "%s: task %d read %lld bytes", python, i, read);
    }
    json_decref(tasks);
    child_free(&recorded);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(battery, threads_that_tasks_start_at_the_same_time)
{
    for_each_python(check_first_threads);
}

Test(battery, threads_of_libraries) { check_group("libraries", 64); }
Test(battery, helpers_cpu_time_and_memory) { check_group("cpu", 9); }
Test(battery, other_processes) { check_group("processes", 128); }
Test(battery, sockets) { check_group("sockets", 288); }
Test(battery, async_tasks) { check_group("async", 128); }
Test(battery, other_kinds_of_task) { check_group("kinds", 160); }
Test(battery, four_roads_at_once) { check_group("mixed", 192); }
/* clang-format on */

/* ---- nothing invented, nothing lost ------------------------------------------------------------
 */

/* What all tasks should have; BOUND says which, where there are bounds. Roads that may find none
 * have only what they may have at most. */
static json_int_t sum_expected(json_t *out, const char *column, const char *bound)
{
    size_t i;
    json_t *expected;
    json_int_t sum = 0;
    json_array_foreach(json_object_get(out, "expected"), i, expected)
    {
        json_t *row = json_object_get(expected, "row"), *exact = json_object_get(row, column);
        sum += json_integer_value(exact ? exact
                                        : json_object_get(json_object_get(row, bound), column));
    }
    return sum;
}

static void check_balance(struct parts *parts, json_int_t of_dask)
{
    json_t *report = cup_report(parts->directory), *all = json_object_get(report, "attribution");
    json_int_t none = cup_count(all, "read_none_bytes") + cup_count(all, "dask_read_bytes");
    json_int_t expected = sum_expected(parts->out, "read_bytes", "at_most") + of_dask;
    json_int_t children = cup_sum(parts->rows, "child_read_bytes");
    none -= cup_count(all, "server_read_bytes") - cup_sum(parts->rows, "server_read_bytes");
    cr_expect(cup_sum(parts->rows, "read_bytes") + none == expected,
              "%lld bytes read by tasks and %lld by none, not %lld together",
              (long long)cup_sum(parts->rows, "read_bytes"), (long long)none, (long long)expected);
    cr_expect(cup_count(all, "dask_read_bytes") <= of_dask);
    cr_expect(children >= sum_expected(parts->out, "child_read_bytes", "at_least") &&
                  children <= sum_expected(parts->out, "child_read_bytes", "at_most"),
              "%lld bytes read by children", (long long)children);
    json_decref(report);
}

Test(battery, nothing_is_invented_and_nothing_lost)
{
    struct parts parts = load(cup_job("battery", run_battery));
    check_balance(&parts, 0);
    drop(&parts);
}

/* ---- Dask's own work ---------------------------------------------------------------------------
 */

Test(battery, spills_transfers_and_deserialising_are_dasks)
{
    struct parts parts = load(cup_job("battery-dask", run_dask));
    json_t *report = cup_report(parts.directory), *all = json_object_get(report, "attribution");
    check_rows(&parts, "dask", 300);
    check_balance(&parts, cup_count(parts.out, "setstate_bytes"));
    cr_expect(cup_count(parts.out, "setstate_bytes") > 1000000, "nothing was deserialised");
    cr_expect(cup_count(parts.out, "stolen") > 0, "no task was stolen");
    cr_expect(cup_count(all, "spill_read_bytes") > 20000000, "only %lld bytes came back from disk",
              (long long)cup_count(all, "spill_read_bytes"));
    cr_expect(cup_count(all, "dask_transfer_recv_bytes") >=
              cup_count(parts.out, "transferred_bytes"));
    json_decref(report);
    drop(&parts);
}

/* ---- other Pythons
 * -------------------------------------------------------------------------------
 */

static void check_python(const char *python, const char *version, const char *scratch)
{
    if (access(python, X_OK))
        cr_skip_test("no Python %s with Dask here (%s)", version, python);
    char *directory = cup_scratch(scratch);
    run_rounds(directory, python, "2");
    struct parts parts = load(directory);
    cr_expect(strncmp(cup_word(parts.out, "python"), version, strlen(version)) == 0);
    check_rows(&parts, NULL, 500);
    check_balance(&parts, 0);
    drop(&parts);
}

Test(battery, oldest_python)
{
    cup_only_in_soak();
    check_python(CUP_PYTHON_3_9, "3.9.", "battery-3.9");
}

Test(battery, python_3_14)
{
    cup_only_in_soak();
    check_python(CUP_PYTHON_3_14, "3.14.", "battery-3.14");
}

Test(battery, newest_python)
{
    check_python(CUP_PYTHON_3_13, "3.13.", "battery-3.13");
}
