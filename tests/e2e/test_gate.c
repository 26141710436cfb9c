/* The gate that every hook must pass: CPython's own tests, unusual interpreters, forks and every
 * way to end a process give the same results with the library as without, and an empty stderr.
 * All features are on, and everything runs inside an open task. */
#include "tests/e2e/child.h"
#include "tests/e2e/process.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKLOAD(name) CUP_TOP "/tests/workloads/" name

/* A file of 200,000 bytes that workloads read. */
static const char *input_file(const char *directory)
{
    const char *path = text("%s/input", directory);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 12500; i++)
        fprintf(file, "line %010d\n", i);
    fclose(file);
    return path;
}

/* Both at once: they wait more than they compute. */
static void run_both(struct child *plain, struct child *recorded)
{
    child_start(plain);
    child_start(recorded);
    child_wait(plain);
    child_wait(recorded);
}

/* Runs CHILD without and with the library; the same must come out. Leaves the logs in LOGS. */
static void expect_unnoticed(struct child child, const char *logs)
{
    struct child recorded = child_recorded(&child, logs);
    run_both(&child, &recorded);
    child_expect_same(&child, &recorded);
    child_free(&child);
    child_free(&recorded);
}

/* ---- CPython's own tests ----------------------------------------------------------------------
 */

static const char *const cpython_modules[] = {"test_io",    "test_threading", "test_subprocess",
                                              "test_fork1", "test_mmap",      "test_gc"};

static bool has_test_suite(const char *python)
{
    struct child child = {.argv = {python, "-c", "import test.test_gc"}};
    child_run(&child);
    bool has = child.status == 0;
    child_free(&child);
    return has;
}

/* Some of these tests race with their own clocks: a difference must show twice. */
static void expect_same_results(const struct child *pattern, const char *logs)
{
    enum { TRIES = 2 };
    for (int try = 1;; try++) {
        struct child plain = *pattern, recorded = child_recorded(pattern, logs);
        run_both(&plain, &recorded);
        bool same = plain.status == recorded.status && strcmp(plain.out, recorded.out) == 0;
        if (same || try == TRIES) {
            child_expect_same(&plain, &recorded);
            cr_expect(strncmp(plain.out, "ok ", 3) == 0 || strstr(plain.out, "\nok "),
                      "no test passed: the comparison says nothing\n%s", plain.out);
            return;
        }
        child_free(&plain);
        child_free(&recorded);
    }
}

static void cpython_in_a_task(const char *module)
{
    if (!has_test_suite(CUP_PYTHON))
        cr_skip_test("CPython's test suite is not installed");
    char *logs = test_directory();
    struct child child = {
        .argv = {CUP_PYTHON, WORKLOAD("run_task.py"), WORKLOAD("cpython_tests.py"), module}};
    expect_same_results(&child, logs);
    json_t *tasks = tasks_of(logs);
    cr_expect(task_of(tasks, "run_task") != NULL, "the tests did not run inside a task");
    cr_expect(task_number(tasks, "run_task", "alloc_calls") > 1000, "hooks were not at work");
    json_decref(tasks);
    test_directory_remove(logs);
}

Test(gate, test_io_in_a_task)
{
    cup_only_in_soak();
    cpython_in_a_task("test_io");
}

Test(gate, test_threading_in_a_task)
{
    cpython_in_a_task("test_threading");
}

Test(gate, test_subprocess_in_a_task)
{
    cup_only_in_soak();
    cpython_in_a_task("test_subprocess");
}

Test(gate, test_fork1_in_a_task)
{
    cpython_in_a_task("test_fork1");
}

Test(gate, test_mmap_in_a_task)
{
    cpython_in_a_task("test_mmap");
}

Test(gate, test_gc_in_a_task)
{
    cup_only_in_soak();
    cpython_in_a_task("test_gc");
}

/* Without Dask hooks do nothing but forward: the short modules here, all of them in `make soak`
 * (CUP_GATE_ALL). The system's Python where it has its tests: another build than the venv's. */
Test(gate, cpython_without_dask)
{
    const char *python = has_test_suite("/usr/bin/python3") ? "/usr/bin/python3" : CUP_PYTHON;
    if (!has_test_suite(python))
        cr_skip_test("CPython's test suite is not installed");
    char *logs = test_directory();
    size_t first = getenv("CUP_GATE_ALL") ? 0 : 3;
    for (size_t i = first; i < sizeof cpython_modules / sizeof *cpython_modules; i++) {
        struct child child = {.argv = {python, WORKLOAD("cpython_tests.py"), cpython_modules[i]}};
        expect_same_results(&child, logs);
    }
    test_directory_remove(logs);
}

/* ---- interpreters ------------------------------------------------------------------------------
 */

static void check_subinterpreter(const char *python)
{
    char *logs = test_directory(), *scratch = test_directory();
    const char *file = input_file(scratch);
    expect_unnoticed((struct child){.argv = {python, WORKLOAD("subinterpreter.py"), file}}, logs);
    json_t *tasks = tasks_of(logs);
    cr_expect(tasks_count(tasks) == 4, "%s: %zu tasks", python, tasks_count(tasks));
    cr_expect(task_number(tasks, "before", "read_bytes") == 100);
    cr_expect(task_number(tasks, "subinterpreter", "read_bytes") >= 1000);
    cr_expect(task_number(tasks, "threaded", "read_own_bytes") == 1000);
    cr_expect(task_number(tasks, "after", "read_bytes") == 10);
    json_decref(tasks);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(gate, subinterpreter)
{
    for_each_python(check_subinterpreter);
}

/* ---- what Coffea reports ----------------------------------------------------------------------
 */

/* -1: null. */
static long long chunk_number(json_t *chunk, const char *name)
{
    json_t *value = json_object_get(chunk, name);
    return json_is_integer(value) ? (long long)json_integer_value(value) : -1;
}

static void check_reports_of(const char *python, const char *many, long long columns_of_many)
{
    const struct {
        const char *dataset;
        long long bytes, columns;
    } expected[] = {
        {"first", 100, 2},      {"other_order", 200, 2}, {"names", 300, 2},
        {"getters", 400, 0},    {"parquet", -1, 1},      {"numbers", 500, -1},
        {"short_key", 600, -1}, {"raises", -1, -1},      {"raises_within", 700, -1},
        {"none", -1, -1},       {"surrogates", 800, -1}, {"many", 900, columns_of_many},
    };
    enum { CHUNKS = sizeof expected / sizeof *expected };
    char *logs = test_directory();
    expect_unnoticed((struct child){.argv = {python, WORKLOAD("chunk_reports.py"), many}}, logs);
    json_t *report = report_of(logs);
    json_t *rows = json_object_get(json_object_get(report, "chunks"), "rows");
    json_t *coffea = json_object_get(report, "coffea");
    cr_assert(json_array_size(rows) == CHUNKS, "%zu chunks", json_array_size(rows));
    for (int i = 0; i < CHUNKS; i++) {
        json_t *row = json_array_get(rows, (size_t)i);
        const char *dataset = json_string_value(json_object_get(row, "dataset"));
        cr_expect(strcmp(dataset, expected[i].dataset) == 0, "%s", dataset);
        cr_expect(chunk_number(row, "requested_bytes") == expected[i].bytes, "%s: %s: %lld bytes",
                  python, dataset, chunk_number(row, "requested_bytes"));
        cr_expect(chunk_number(row, "columns_read") == expected[i].columns, "%s: %s: %lld columns",
                  python, dataset, chunk_number(row, "columns_read"));
        cr_expect(chunk_number(row, "entries_coffea") == 100);
    }
    cr_expect(chunk_number(coffea, "bytesread") == 4500);
    cr_expect(chunk_number(coffea, "entries") == CHUNKS * 100);
    json_t *first = json_array_get(json_object_get(coffea, "columns"), 0);
    cr_expect(strcmp(json_string_value(first), "Jet_eta-offsets,data") == 0, "%s",
              json_string_value(first));
    json_decref(report);
    test_directory_remove(logs);
}

static void check_reports(const char *python)
{
    check_reports_of(python, "1500", 1500);
}

Test(gate, what_coffea_reports)
{
    for_each_python(check_reports);
}

/* More than are distinguished: those of the chunk are not known, and all else is. */
Test(gate, what_coffea_reports_of_too_many_columns)
{
    check_reports_of(CUP_PYTHON, "5000", -1);
}

/* ---- the first look at the interpreter ---------------------------------------------------------
 */

/* Returns the dump of the log. READ: bytes of the task; -1: there is none. */
static char *look_first(const char *python, const char *how, long long read)
{
    if (access(python, X_OK))
        cr_skip_test("no %s", python);
    char *logs = test_directory(), *scratch = test_directory();
    const char *file = input_file(scratch);
    expect_unnoticed((struct child){.argv = {python, WORKLOAD("first_look.py"), file, how}}, logs);
    json_t *tasks = tasks_of(logs);
    char *dump = dump_of(logs);
    cr_expect_eq(tasks_count(tasks), read >= 0);
    cr_expect_eq(task_number(tasks, "late:/data/x.root:Events:0-100", "read_bytes"), read);
    json_decref(tasks);
    test_directory_remove(scratch);
    test_directory_remove(logs);
    return dump;
}

static void check_first_look(const char *python, const char *how)
{
    char *dump = look_first(python, how, 1000);
    cr_expect_null(strstr(dump, " are off: "), "%s", dump);
    cr_expect_null(strstr(dump, "Python functions are not recorded: "), "%s", dump);
    free(dump);
}

Test(gate, first_look_while_a_frame_is_being_set_up)
{
    check_first_look(CUP_PYTHON, "finalizer");
}

Test(gate, first_look_while_a_frame_is_being_set_up_in_a_parent_and_its_child)
{
    check_first_look(CUP_PYTHON, "forked");
}

Test(gate, first_look_while_a_profiler_is_told_of_a_call)
{
    check_first_look(CUP_PYTHON_3_9, "profiled");
}

/* sys.monitoring notices functions that are defined later, too. */
Test(gate, first_look_before_the_standard_library_is_imported)
{
    check_first_look(CUP_PYTHON_3_14, "imports");
}

/* Functions of other packages are not noticed, though they have the same names. */
Test(gate, first_look_before_other_packages_have_copies_of_the_standard_library)
{
    check_first_look(CUP_PYTHON_3_14, "copies");
}

/* sys.monitoring is given back, and all is named that would need it. */
Test(gate, first_look_at_an_odd_standard_library)
{
    char *dump = look_first(CUP_PYTHON_3_14, "odd", 1000);
    cr_expect(strstr(dump, "'handoff' and 'inherited' are off: functions") != NULL, "%s", dump);
    cr_expect(strstr(dump, "baskets that uproot requests are not recorded: functions") != NULL);
    cr_expect(strstr(dump, "times of Coffea's calls without Dask are not recorded: f") != NULL);
    free(dump);
}

/* All is named that locks would show. */
Test(gate, first_look_where_locks_are_no_semaphores)
{
    char *logs = test_directory(), *scratch = test_directory();
    const char *file = input_file(scratch);
    struct child unseen = {.argv = {CUP_PYTHON, WORKLOAD("first_look.py"), file, "profiled"},
                           .settings = {"LD_PRELOAD=" CUP_BUILD
                                        "/tests/trace/libunseen.so " CUP_BUILD "/libcupping.so"}};
    struct child recorded = child_recorded(&unseen, logs);
    child_run(&recorded);
    cr_expect(recorded.status == 0 && recorded.err_bytes == 0, "%s", recorded.err);
    child_free(&recorded);
    char *dump = dump_of(logs);
    cr_expect(strstr(dump, "'handoff' and 'inherited' are off: locks of this P") != NULL, "%s",
              dump);
    cr_expect(strstr(dump, "baskets that uproot requests are not recorded: locks of") != NULL);
    cr_expect(strstr(dump, "times of Coffea's calls without Dask are not recorded: locks") != NULL);
    free(dump);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(gate, first_look_where_memory_cannot_be_read)
{
    char *dump = look_first(CUP_PYTHON, "sandbox", -1);
    cr_expect(strstr(dump, "a sandbox forbids process_vm_readv() and reading /proc/self/mem") !=
                  NULL,
              "%s", dump);
    free(dump);
}

/* ---- runs ---------------------------------------------------------------------------------------
 */

/* `cupping report --only runs`: a line for each, under two of headings and an empty one. */
static int runs_of(const char *logs)
{
    struct child child = {.argv = {CUP_BUILD "/cupping", "report", logs, "--only", "runs"}};
    int lines = 0;
    child_run(&child);
    for (const char *at = child.out; (at = strchr(at, '\n')); at++)
        lines++;
    child_free(&child);
    return lines - 3;
}

static void check_runner_calls(const char *python)
{
    char *logs = test_directory();
    expect_unnoticed((struct child){.argv = {python, WORKLOAD("runner_calls.py")}}, logs);
    cr_expect(runs_of(logs) == 6, "%s: %d runs", python, runs_of(logs));
    test_directory_remove(logs);
}

Test(gate, runner_calls_are_counted)
{
    for_each_python(check_runner_calls);
}

/* A program with libpython inside that starts, ends and starts the interpreter again. */
Test(gate, interpreter_started_twice)
{
    struct child where = {
        .argv = {CUP_PYTHON, "-c",
                 "import os, site, sys, sysconfig as s;"
                 "print(os.path.join(s.get_config_var('LIBDIR'), s.get_config_var('INSTSONAME')),"
                 "site.getsitepackages()[0], sys.base_prefix, end='')"}};
    child_run(&where);
    char *library = strtok(where.out, " "), *packages = strtok(NULL, " "), *home = strtok(NULL, "");
    if (!library || !home || access(library, R_OK) || strstr(library, ".a"))
        cr_skip_test("this Python has no shared library");
    char *logs = test_directory(), *scratch = test_directory();
    struct child child = {.argv = {CUP_BUILD "/tests/trace/t-embed", library,
                                   CUP_TOP "/tests/workloads", packages, input_file(scratch)},
                          .settings = {text("PYTHONHOME=%s", home)}};
    expect_unnoticed(child, logs);
    json_t *tasks = tasks_of(logs);
    cr_expect(task_number(tasks, "first life", "read_bytes") == 1000, "%lld",
              task_number(tasks, "first life", "read_bytes"));
    json_decref(tasks);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

/* ---- processes ----------------------------------------------------------------------------------
 */

static void check_fork(const char *python)
{
    char *logs = test_directory(), *scratch = test_directory();
    const char *file = input_file(scratch);
    expect_unnoticed((struct child){.argv = {python, WORKLOAD("fork_in_task.py"), file}}, logs);
    json_t *tasks = tasks_of(logs);
    cr_expect(task_number(tasks, "parent", "read_bytes") == 1100, "parent: %lld",
              task_number(tasks, "parent", "read_bytes"));
    cr_expect(task_number(tasks, "in child", "read_bytes") == 400);
    cr_expect(task_number(tasks, "in grandchild", "read_bytes") == 50);
    cr_expect(tasks_count(tasks) == 3);
    json_decref(tasks);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(gate, fork_in_a_task)
{
    for_each_python(check_fork);
}

static int tasks_with_status(json_t *document, const char *status)
{
    size_t at;
    json_t *task;
    int count = 0;
    json_array_foreach(json_object_get(document, "tasks"), at, task)
    {
        count += strcmp(json_string_value(json_object_get(task, "status")), status) == 0;
    }
    return count;
}

static void check_fork_in_call(const char *python)
{
    char *logs = test_directory(), *scratch = test_directory();
    const char *file = input_file(scratch);
    expect_unnoticed((struct child){.argv = {python, WORKLOAD("fork_in_call.py"), file}}, logs);
    json_t *tasks = tasks_of(logs);
    cr_expect(task_number(tasks, "reads:/data/x.root:Events:0-100", "child_read_bytes") == 3000);
    cr_expect(task_number(tasks, "of child:/data/x.root:Events:0-100", "read_bytes") == 10);
    cr_expect_eq(tasks_with_status(tasks, "finished"), 3 + 3, "%s", python);
    cr_expect_eq(tasks_with_status(tasks, "erred"), 3, "%s", python);
    cr_expect(tasks_count(tasks) == 3 + 6, "%s: %zu tasks", python, tasks_count(tasks));
    json_decref(tasks);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

/* Without Dask: the call of Coffea's on a child's stack is the parent's. */
Test(gate, fork_in_a_call_of_coffea)
{
    for_each_python(check_fork_in_call);
}

static void check_fork_while_loading(const char *python)
{
    char *logs = test_directory(), *scratch = test_directory();
    const char *file = input_file(scratch);
    expect_unnoticed((struct child){.argv = {python, WORKLOAD("fork_while_loading.py"), file},
                                    .settings = {"PYTHONWARNINGS=ignore"}}, /* of such forks */
                     logs);
    json_t *tasks = tasks_of(logs);
    cr_expect(task_number(tasks, "forks", "child_read_bytes") == 5000);
    cr_expect(task_number(tasks, "in child", "read_bytes") == 400);
    json_decref(tasks);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(gate, fork_while_another_thread_has_the_lock_of_the_loader)
{
    for_each_python(check_fork_while_loading);
}

/* Two installations: the one that comes first records, and the other one only forwards. */
Test(gate, two_copies_of_the_library)
{
    char *logs = test_directory(), *scratch = test_directory();
    const char *file = input_file(scratch);
    struct child copy = {
        .argv = {"/bin/cp", CUP_BUILD "/libcupping.so", text("%s/libcupping.so", scratch)}};
    child_run(&copy);
    struct child pattern = {.argv = {CUP_PYTHON, WORKLOAD("fork_in_task.py"), file},
                            .settings = {text("LD_PRELOAD=" CUP_BUILD "/libcupping.so "
                                              "%s/libcupping.so",
                                              scratch)}};
    struct child recorded = child_recorded(&pattern, logs);
    child_run(&recorded);
    cr_expect(recorded.status == 0 && recorded.err_bytes == 0, "%s", recorded.err);
    json_t *tasks = tasks_of(logs);
    cr_expect(task_number(tasks, "parent", "read_bytes") == 1100);
    cr_expect(task_number(tasks, "in child", "read_bytes") == 400);
    cr_expect(tasks_count(tasks) == 3, "%zu tasks", tasks_count(tasks));
    json_decref(tasks);
    child_free(&copy);
    child_free(&recorded);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

static void check_fork_key(const char *python)
{
    char *logs = test_directory(), *scratch = test_directory();
    const char *file = input_file(scratch);
    struct child pattern = {
        .argv = {python, WORKLOAD("fork_key.py"), file},
        .settings = {"LD_PRELOAD=" CUP_BUILD "/libcupping.so " CUP_BUILD "/tests/trace/libkey.so"}};
    struct child recorded = child_recorded(&pattern, logs);
    child_run(&recorded);
    cr_expect(recorded.status == 0 && recorded.err_bytes == 0, "%s: status %d: %s", python,
              recorded.status, recorded.err);
    child_free(&recorded);
    json_t *tasks = tasks_of(logs);
    cr_expect(task_number(tasks, "parent", "read_bytes") == 1000);
    cr_expect(task_number(tasks, "child", "read_bytes") == 200, "%s", python);
    cr_expect(task_number(tasks, "child again", "read_bytes") == 30, "%s", python);
    json_decref(tasks);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(gate, fork_after_which_others_take_the_key_of_the_interpreter)
{
    for_each_python(check_fork_key);
}

static void check_multiprocessing(const char *python)
{
    char *logs = test_directory(), *scratch = test_directory();
    const char *file = input_file(scratch);
    expect_unnoticed((struct child){.argv = {python, WORKLOAD("multiprocess.py"), file}}, logs);
    json_t *tasks = tasks_of(logs);
    cr_expect(tasks_count(tasks) == 3 + 3 * 5, "%zu tasks", tasks_count(tasks));
    for (int first = 100; first <= 300; first += 100) {
        static const char *const parents[] = {"fork", "spawn", "forkserver"};
        cr_expect(task_number(tasks, parents[first / 100 - 1], "read_own_bytes") >= first);
        for (int i = 0; i < 5; i++) {
            int bytes = first + (i < 4 ? i : 9);
            cr_expect(task_number(tasks, text("child %d", bytes), "read_bytes") == bytes,
                      "%s: child %d", python, bytes);
        }
    }
    json_decref(tasks);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(gate, multiprocessing_in_a_task)
{
    check_multiprocessing(CUP_PYTHON);
}

/* Every way to end, in the middle of a task: same status, same output, and what the task had read
 * is in the report, the task being unfinished unless it came back to Dask. */
static void check_ended(json_t *tasks, const char *way)
{
    const char *status = json_string_value(json_object_get(task_of(tasks, way), "status"));
    /* sys.exit() passes through Dask's runner, whose clock is read on the way out. */
    bool erred = strcmp(way, "raise") == 0 || strcmp(way, "sys.exit") == 0;
    const char *expected = strcmp(way, "return") == 0 ? "finished" : erred ? "erred" : "unfinished";
    cr_expect(status && strcmp(status, expected) == 0, "%s: task is %s", way, status);
    long long bytes = task_number(tasks, way, "read_bytes");
    bool threads = strstr(way, "threads") != NULL; /* whose reads are the sole task's */
    cr_expect(threads ? bytes >= 1000 : bytes == 1000, "%s: %lld bytes", way, bytes);
}

static void check_ends(const char *const *ways, size_t count)
{
    char *logs = test_directory(), *scratch = test_directory();
    struct child child = {.argv = {CUP_PYTHON, WORKLOAD("ends.py"), input_file(scratch)}};
    memcpy(child.argv + 3, ways, count * sizeof *ways);
    expect_unnoticed(child, logs);
    json_t *tasks = tasks_of(logs);
    cr_expect(tasks_count(tasks) == count);
    for (size_t i = 0; i < count; i++)
        check_ended(tasks, ways[i]);
    json_decref(tasks);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(gate, ends_in_a_task)
{
    static const char *const ways[] = {"exec with threads",
                                       "exit with threads",
                                       "return",
                                       "raise",
                                       "sys.exit",
                                       "os._exit",
                                       "exit",
                                       "_exit",
                                       "_Exit",
                                       "abort",
                                       "kill",
                                       "term",
                                       "segv",
                                       "exec",
                                       "quick_exit",
                                       "pthread_exit"};
    check_ends(ways, sizeof ways / sizeof *ways);
    for (size_t i = 0; i < 5; i++)
        check_ends(ways + i, 1); /* nor does it take a fork */
}

/* The interpreter goes while daemon threads read, allocate and read the clocks. */
static void threads_at_exit(const char *python, const char *times)
{
    char *logs = test_directory(), *scratch = test_directory();
    const char *file = input_file(scratch);
    expect_unnoticed((struct child){.argv = {python, WORKLOAD("threads_at_exit.py"), file, times}},
                     logs);
    json_t *tasks = tasks_of(logs);
    cr_expect(task_number(tasks, "starter", "read_context_bytes") >= 200000);
    json_decref(tasks);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

static void threads_at_exit_briefly(const char *python)
{
    bool soaks = getenv("SOAK") != NULL;
    threads_at_exit(python, strcmp(python, CUP_PYTHON) != 0 ? "10" : soaks ? "50" : "20");
}

Test(gate, threads_while_the_interpreter_ends)
{
    for_each_python(threads_at_exit_briefly);
}
