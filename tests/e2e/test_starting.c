/* How a run starts, goes on and ends, as the user sees it: the last line of `cupping run`, its exit
 * status, and a profile of a job that still runs. */
#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(starting, .timeout = 240);

#define IMPORT                                                                                     \
    "import os, signal, sys, time\n"                                                               \
    "sys.path.insert(0, '" CUP_TOP "/tests/workloads')\n"                                          \
    "from run_task import run\n"

/* Runs the program under `cupping run -o DIRECTORY`. */
static struct child run_under(const char *directory, const char *program)
{
    struct child child = {
        .argv = {CUP_BUILD "/cupping", "run", "-o", directory, "--", CUP_PYTHON, "-c", program}};
    child_start(&child);
    return child;
}

static void expect_end(struct child *child, const char *directory, bool killed, int number)
{
    child_wait(child);
    cr_expect(killed ? WIFSIGNALED(child->status) && WTERMSIG(child->status) == number
                     : WIFEXITED(child->status) && WEXITSTATUS(child->status) == number,
              "%x", (unsigned)child->status);
    const char *line = text("cupping: the profile is in %s (1 log); next: cupping report %s\n",
                            directory, directory);
    size_t length = strlen(line);
    cr_expect(child->err_bytes >= length &&
                  strcmp(child->err + child->err_bytes - length, line) == 0,
              "%s", child->err);
}

static void wait_for(const char *path)
{
    while (access(path, F_OK) != 0)
        usleep(20000);
}

Test(starting, the_exit_status_and_the_profile_of_a_program_that_fails)
{
    char *logs = test_directory();
    cr_assert(chdir("/tmp") == 0); /* for ./cupping-latest, which the test removes */
    struct child child = run_under(logs, IMPORT "print(run('a', lambda: 1))\nsys.exit(3)\n");
    expect_end(&child, logs + strlen("/tmp/"), false, 3);
    cr_expect_str_eq(child.out, "1\n");
    child_free(&child);
    cr_assert(chdir("/") == 0);
    remove("/tmp/cupping-latest");
    test_directory_remove(logs);
}

/* The rows of `cupping tasks` have this status, and the report counts them. */
static void expect_status(const char *logs, const char *status, int running, int unfinished)
{
    json_t *tasks = tasks_of(logs), *report = report_of(logs);
    json_t *health = json_object_get(report, "health"), *advice = json_object_get(report, "advice");
    cr_expect_str_eq(json_string_value(json_object_get(task_of(tasks, "long"), "status")), status);
    cr_expect_eq(json_integer_value(json_object_get(health, "tasks_running")), running);
    cr_expect_eq(json_integer_value(json_object_get(health, "tasks_unfinished")), unfinished);
    char *text = json_dumps(advice, JSON_ENCODE_ANY);
    cr_expect(!strstr(text ? text : "", "never ended") == !unfinished, "%s", text);
    free(text);
    json_decref(tasks);
    json_decref(report);
}

/* A task under way is running while its process is there; killed, it never ended. */
Test(starting, a_task_of_a_job_that_still_runs)
{
    char *logs = test_directory();
    const char *ready = text("%s/ready", logs);
    struct child child = {
        .argv = {CUP_PYTHON, "-c",
                 text(IMPORT "run('short', lambda: 1)\n"
                             "def body():\n"
                             "    open('%s', 'w').close()\n"
                             "    time.sleep(1000)\n"
                             "run('long', body)\n",
                      ready)},
        .settings = {"LD_PRELOAD=" CUP_BUILD "/libcupping.so", text("CUPPING_DIR=%s", logs)}};
    child_start(&child);
    wait_for(ready);
    expect_status(logs, "running", 1, 0);
    struct child report = {
        .argv = {CUP_BUILD "/cupping", "report", logs, "--fail-on", "running,unfinished"}};
    child_run(&report);
    cr_expect(WEXITSTATUS(report.status) == 3 && strstr(report.err, "1 running task (running)"),
              "%s", report.err);
    child_free(&report);
    kill(child.pid, SIGKILL);
    child_wait(&child);
    child_free(&child);
    expect_status(logs, "unfinished", 0, 1);
    test_directory_remove(logs);
}

/* The path of the wrapper's profile, below the working directory of the worker. */
static const char *profile_of_worker(const char *directory, const char *address)
{
    const char *host = strstr(address, "://"), *colon = strrchr(address, ':');
    cr_assert(host && colon > host, "%s", address);
    host += strlen("://");
    return text("%s/cupping-dask-%.*s-%s", directory, (int)(colon - host), host, colon + 1);
}

/* What users type in place of `dask worker`. The wrapper names the directory after the scheduler.
 */
Test(starting, a_worker_by_its_wrapper)
{
    enum { BYTES = 1 << 20 };
    char *directory = test_directory();
    const char *input = text("%s/input.dat", directory);
    const char *programs = text("PATH=%.*s:%s", (int)(strrchr(CUP_PYTHON, '/') - CUP_PYTHON),
                                CUP_PYTHON, getenv("PATH"));
    FILE *file = fopen(input, "we");
    cr_assert(file && ftruncate(fileno(file), BYTES) == 0 && fclose(file) == 0);
    struct cup_cluster cluster;
    cup_cluster_start(&cluster, &(struct cup_cluster_options){
                                    .directory = directory,
                                    .launch = CUP_BY_WORKER_WRAPPER,
                                    .environment = (const char *const[]){programs, NULL}});
    cup_cluster_script(&cluster, "one_read_job.py", (const char *const[]){input, NULL});
    cup_cluster_stop(&cluster);
    const char *profile = profile_of_worker(directory, cluster.address);
    json_t *tasks = tasks_of(profile), *report = report_of(profile);
    cr_expect_eq(task_number(tasks, "read", "read_bytes"), BYTES);
    cr_expect_eq(json_integer_value(
                     json_object_get(json_object_get(report, "workflow"), "total_bytes_read")),
                 BYTES);
    json_decref(tasks);
    json_decref(report);
    test_directory_remove(directory);
}

/* SIGINT to `cupping run` alone reaches Python, which ends by it; the line is printed still. */
Test(starting, interrupted)
{
    char *logs = test_directory();
    const char *ready = text("%s/ready", logs);
    cr_assert(chdir("/tmp") == 0);
    struct child child = run_under(logs, text(IMPORT "run('a', lambda: 1)\n"
                                                     "open('%s', 'w').close()\n"
                                                     "time.sleep(1000)\n",
                                              ready));
    wait_for(ready);
    kill(child.pid, SIGINT);
    expect_end(&child, logs + strlen("/tmp/"), true, SIGINT);
    cr_expect(strstr(child.err, "KeyboardInterrupt"));
    child_free(&child);
    cr_assert(chdir("/") == 0);
    remove("/tmp/cupping-latest");
    test_directory_remove(logs);
}

/* Nothing is under cupping-run: the nanny starts its worker with what Dask's configuration says.
 * The scheduler and the client write no logs. */
Test(starting, workers_by_the_configuration_of_dask)
{
    char *logs = test_directory(), *place = test_directory();
    const char *configuration = text("%s/dask.yaml", place);
    FILE *file = fopen(configuration, "w");
    cr_assert_not_null(file);
    fprintf(file,
            "distributed:\n  nanny:\n    pre-spawn-environ:\n"
            "      LD_PRELOAD: " CUP_BUILD "/libcupping.so\n      CUPPING_DIR: %s\n",
            logs);
    cr_assert_eq(fclose(file), 0);
    struct child child = {
        .argv = {CUP_PYTHON, "-c",
                 text("from distributed import Client, LocalCluster\n"
                      "if __name__ == '__main__':\n"
                      "    with LocalCluster(n_workers=1, dashboard_address=None) as cluster, "
                      "Client(cluster) as client:\n"
                      "        print(client.submit(lambda: len(open('%s').read()), "
                      "key='read').result())\n",
                      configuration)},
        .settings = {text("DASK_CONFIG=%s", configuration)}};
    child_run(&child);
    cr_assert_eq(child.status, 0, "%s", child.err);
    json_t *tasks = tasks_of(logs), *task = task_of(tasks, "read");
    cr_assert_not_null(task);
    cr_expect_eq(json_integer_value(json_object_get(task, "read_bytes")), atoi(child.out));
    json_decref(tasks);
    child_free(&child);
    test_directory_remove(place);
    test_directory_remove(logs);
}
