/* Files read through XRootD's own client, from a real server: each task's bytes to the byte,
 * each branch's baskets, however uproot reads; and a server that dies. Skipped if there is no
 * server or no Python client. */
#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/witness.h"
#include "tests/e2e/xrootd_server.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(xrootd, .timeout = 240);

#define WORKLOADS CUP_TOP "/tests/workloads/"

/* ---- on a worker ------------------------------------------------------------------------- */

static void run_job(const char *scratch, int threads, const char *packages)
{
    struct cup_cluster cluster;
    char *out = cup_path(scratch, "out.json");
    const char *const arguments[] = {out, xrootd_url, xrootd_files(), NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){
                                    .directory = scratch,
                                    .threads = threads,
                                    .environment = (const char *const[]){packages, NULL}});
    cup_cluster_script(&cluster, "xrootd_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out);
}

static json_t *branch_row(json_t *report, const char *file, const char *branch)
{
    size_t i;
    json_t *row, *rows = json_object_get(json_object_get(report, "branches"), "rows");
    json_array_foreach(rows, i, row) if (cup_is(row, "file", file) &&
                                         cup_is(row, "branch", branch)) return row;
    return NULL;
}

/* FIGURES: baskets, compressed and uncompressed bytes, over all tasks. */
static void check_branch(json_t *report, const char *file, const char *branch, json_t *figures)
{
    static const char *const columns[] = {"baskets", "compressed_bytes", "uncompressed_bytes"};
    json_t *row = branch_row(report, file, branch);
    cr_assert(row != NULL, "no row of %s in %s", branch, file);
    for (size_t i = 0; i < 3; i++)
        cr_expect(cup_count(row, columns[i]) == json_integer_value(json_array_get(figures, i)),
                  "%s of %s in %s: %lld, not %lld", columns[i], branch, file,
                  (long long)cup_count(row, columns[i]),
                  (long long)json_integer_value(json_array_get(figures, i)));
}

static void check_branches(json_t *report, json_t *files)
{
    const char *file, *branch;
    json_t *branches, *figures;
    size_t expected = 0, rows;
    json_object_foreach(files, file, branches) json_object_foreach(branches, branch, figures)
    {
        check_branch(report, file, branch, figures);
        expected++;
    }
    rows = json_array_size(json_object_get(json_object_get(report, "branches"), "rows"));
    cr_expect(expected > 0 && rows == expected, "%zu rows of branches, not %zu", rows, expected);
}

/* Each byte counts once; what the sockets carried besides is what the protocol needs. */
static void check_sums(json_t *report, json_t *rows)
{
    json_t *attribution = json_object_get(report, "attribution");
    json_t *workflow = json_object_get(report, "workflow");
    json_int_t read = cup_sum(rows, "read_bytes"), wire = cup_count(workflow, "wire_bytes");
    cr_expect(cup_count(attribution, "read_none_bytes") == 0);
    cr_expect(cup_count(attribution, "remote_read_bytes") == read);
    cr_expect(cup_count(workflow, "total_bytes_read") == read);
    cr_expect(wire >= read && wire < read + read / 10, "%lld of %lld", (long long)wire,
              (long long)read);
    cr_expect(cup_count(json_object_get(report, "health"), "remote_dropped") == 0);
}

/* Where and when each byte was read is reported, too. */
static void check_extents(const char *profile, size_t files)
{
    struct child check = {
        .argv = {CUP_PYTHON, WORKLOADS "access_check.py", CUP_BUILD "/cupping", profile}};
    child_run(&check);
    cr_expect_str_eq(check.out, text("0 tasks, %zu files\n", files));
    cr_expect_eq(check.status, 0, "%s", check.err);
    child_free(&check);
}

/* PACKAGES: "PYTHONPATH=..." of an older client, or NULL. */
static void check_worker(const char *name, int threads, const char *packages)
{
    xrootd_need();
    char *scratch = cup_scratch(name);
    xrootd_start();
    run_job(scratch, threads, packages);
    xrootd_stop();
    json_t *rows = cup_tasks(scratch), *out = cup_json(scratch, "out.json");
    json_t *report = cup_report(scratch);
    cup_check_expected(rows, json_object_get(out, "expected"));
    cup_check_sane(rows);
    check_sums(report, rows);
    check_branches(report, json_object_get(out, "branches"));
    check_extents(text("%s/profile", scratch), json_object_size(json_object_get(out, "branches")));
    json_decref(rows);
    json_decref(out);
    json_decref(report);
    free(scratch);
}

Test(xrootd, one_thread)
{
    check_worker("xrootd-1", 1, NULL);
}

Test(xrootd, four_threads)
{
    check_worker("xrootd-4", 4, NULL);
}

/* The client of version VERSION, at PATH below build/. */
static void check_client(const char *version, const char *path)
{
    const char *packages = text("PYTHONPATH=%s/%s", CUP_TOP "/build", path);
    const char *import =
        text("import XRootD.client as c; assert c.__version__.startswith('%s')", version);
    if (child_status((const char *[4]){"env", packages, CUP_PYTHON, text("-c%s", import)}))
        cr_skip_test("no XRootD client of version %s in build/%s", version, path);
    check_worker(text("xrootd-%s", version), 4, packages);
}

Test(xrootd, client_5_9)
{
    check_client("5.9", "xrootd-5.9");
}

Test(xrootd, client_5_5)
{
    check_client("5.5", "xrootd-5.5/usr/lib/python3/dist-packages");
}

/* ---- the client's methods, and a server that dies ----------------------------------------- */

static struct child reader(void)
{
    return (struct child){.argv = {CUP_PYTHON, WORKLOADS "xrootd_files.py", xrootd_url,
                                   text("%d", (int)xrootd_pid())},
                          .settings = {"XRD_CONNECTIONWINDOW=1", "XRD_CONNECTIONRETRY=1",
                                       "XRD_STREAMERRORWINDOW=1", "XRD_REQUESTTIMEOUT=10"}};
}

static void expect_bytes(json_t *tasks, const char *key, long long bytes)
{
    cr_expect(task_number(tasks, key, "read_bytes") == bytes, "%s: %lld bytes, not %lld", key,
              task_number(tasks, key, "read_bytes"), bytes);
}

Test(xrootd, same_answers_and_errors)
{
    xrootd_need();
    char *logs = test_directory();
    xrootd_start();
    struct child plain = reader(), recorded;
    child_run(&plain); /* kills the server */
    xrootd_kill();
    xrootd_start_again();
    struct child again = reader();
    recorded = child_recorded(&again, logs);
    child_run(&recorded);
    child_expect_same(&plain, &recorded);
    cr_expect(strstr(recorded.out, "OSError") != NULL, "the server did not die: %s", recorded.out);
    json_t *tasks = tasks_of(logs);
    expect_bytes(tasks, "client", 1000 + 3020 + 2000);
    expect_bytes(tasks, "secret", 1000 + 8 + 2000);
    expect_bytes(tasks, "dead-vector", 0);
    check_extents(logs, 2);
    json_decref(tasks);
    child_free(&plain);
    child_free(&recorded);
    xrootd_stop();
    test_directory_remove(logs);
}

/* ---- without a server: a library that stands in for the client ------------------------------ */

enum {
    STOOD_IN_CALLS = 5 + 4 + 2 + 2, /* that delivered something, of tests/trace/libclient.c */
    STOOD_IN_FAILED = 2 + 2,        /* that were refused, or answered with an error */
    STOOD_IN_BYTES = 4500 + 3500 + 6144 + 66,
};

static const char *stand_in_program(const char *library)
{
    return text("import ctypes; client = ctypes.CDLL('%s').client\n"
                "for version in 5, 6: client(version, b'root://me:pass@host//x.root?a=b')",
                library);
}

static json_t *expect_same_of(const char *library, const char *logs)
{
    struct child plain = {
        .argv = {CUP_PYTHON, WORKLOADS "run_task.py", "-c", stand_in_program(library)}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&plain);
    child_run(&recorded);
    child_expect_same(&plain, &recorded);
    cr_expect(strstr(plain.out, "later 0 8\n") && !strstr(plain.out, "destroyed"), "%s", plain.out);
    child_free(&plain);
    child_free(&recorded);
    return tasks_of(logs);
}

static const char *copy_client(const char *to, const char *name)
{
    const char *path = text("%s/%s", to, name);
    cr_assert(child_status((const char *[4]){"cp", CUP_BUILD "/tests/trace/libclient.so", path}) ==
              0);
    return path;
}

Test(xrootd, every_answer_in_both_versions)
{
    char *logs = test_directory(), *libraries = test_directory();
    json_t *tasks = expect_same_of(copy_client(libraries, "libXrdCl.so.3"), logs);
    expect_bytes(tasks, "run_task", 2 * STOOD_IN_BYTES);
    cr_expect(task_number(tasks, "run_task", "read_own_bytes") == 2 * STOOD_IN_BYTES);
    cr_expect(task_number(tasks, "run_task", "read_calls") ==
              2 * (STOOD_IN_CALLS + STOOD_IN_FAILED));
    cr_expect(task_number(tasks, "run_task", "open_calls") == 2);
    json_decref(tasks);
    test_directory_remove(libraries);
    test_directory_remove(logs);
}

/* Nobody knows how a later version lays its answers out: its calls are passed on, and that is all.
 */
Test(xrootd, of_another_version_nothing_counts)
{
    char *logs = test_directory(), *libraries = test_directory();
    json_t *tasks = expect_same_of(copy_client(libraries, "libXrdCl.so.7"), logs);
    expect_bytes(tasks, "run_task", 0);
    json_decref(tasks);
    test_directory_remove(libraries);
    test_directory_remove(logs);
}

/* To look a method up by the loader's own means is to wait for a constructor that waits for us. */
Test(xrootd, used_first_inside_a_constructor)
{
    char *logs = test_directory(), *libraries = test_directory();
    const char *client = text("CLIENT=%s", copy_client(libraries, "libXrdCl.so.3"));
    struct child plain = {.argv = {CUP_PYTHON, WORKLOADS "run_task.py", "-c",
                                   "import ctypes; ctypes.CDLL('" CUP_BUILD
                                   "/tests/trace/libinside.so')"},
                          .settings = {client}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&plain);
    child_run(&recorded);
    child_expect_same(&plain, &recorded);
    cr_expect(strstr(recorded.out, "connected: -1\n") != NULL, "%s", recorded.out);
    json_t *tasks = tasks_of(logs);
    expect_bytes(tasks, "run_task", STOOD_IN_BYTES);
    json_decref(tasks);
    child_free(&plain);
    child_free(&recorded);
    test_directory_remove(libraries);
    test_directory_remove(logs);
}

/* What was counted for tasks that no record of their process names. */
static long long orphans_in(const char *logs)
{
    struct child child = {.argv = {CUP_BUILD "/cupping", "report", logs, "--json", "-"}};
    child_run(&child);
    json_t *report = json_loads(child.out, 0, NULL);
    cr_assert(report != NULL, "cupping report: %s", child.err);
    long long orphans = cup_count(json_object_get(report, "health"), "records_orphaned");
    json_decref(report);
    child_free(&child);
    return orphans;
}

/* The answer comes in a child, too, where the task that asked is not. */
Test(xrootd, answers_in_a_forked_child_are_not_its_tasks)
{
    char *logs = test_directory(), *libraries = test_directory();
    const char *program =
        text("import ctypes, os\n"
             "from run_task import run\n"
             "client = ctypes.CDLL('%s')\n"
             "def parent():\n"
             "    client.client_begin(b'root://host//x.root')\n"
             "    child = os.fork()\n"
             "    if child == 0:\n"
             "        os._exit(run('in child', client.client_end))\n"
             "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1\n"
             "    return client.client_end()\n"
             "assert run('asks', parent) == 1\n",
             copy_client(libraries, "libXrdCl.so.3"));
    struct child plain = {.argv = {CUP_PYTHON, "-c", program},
                          .settings = {"PYTHONPATH=" CUP_TOP "/tests/workloads"}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    json_t *tasks = tasks_of(logs);
    expect_bytes(tasks, "asks", 1000);
    expect_bytes(tasks, "in child", 0);
    cr_expect(orphans_in(logs) == 0);
    json_decref(tasks);
    child_free(&recorded);
    test_directory_remove(libraries);
    test_directory_remove(logs);
}

/* While another thread of the parent may have had the loader's lock, the child finds the client's
 * methods without that lock. */
Test(xrootd, used_first_in_a_forked_child)
{
    char *logs = test_directory(), *libraries = test_directory();
    const char *program = text("import ctypes, os, threading\n"
                               "from run_task import run\n"
                               "client = ctypes.CDLL('%s')\n"
                               "def use():\n"
                               "    client.client_begin(b'root://host//x.root')\n"
                               "    return client.client_end()\n"
                               "over = threading.Event()\n"
                               "threading.Thread(target=over.wait, daemon=True).start()\n"
                               "def forks():\n"
                               "    child = os.fork()\n"
                               "    if child == 0:\n"
                               "        os._exit(run('in child', use))\n"
                               "    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"
                               "assert run('forks', forks) == 1\n"
                               "over.set()\n",
                               copy_client(libraries, "libXrdCl.so.3"));
    struct child plain = {
        .argv = {CUP_PYTHON, "-c", program},
        .settings = {"PYTHONPATH=" CUP_TOP "/tests/workloads", "PYTHONWARNINGS=ignore"}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    json_t *tasks = tasks_of(logs);
    expect_bytes(tasks, "in child", 1000);
    json_decref(tasks);
    child_free(&recorded);
    test_directory_remove(libraries);
    test_directory_remove(logs);
}

/* What is between "://" and "@", and all from "?" on, may be a password or a token. */
Test(xrootd, no_secrets_in_logs)
{
    xrootd_need();
    char *logs = test_directory();
    xrootd_start();
    struct child plain = reader(), recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    const char *const found[4] = {"grep", "-r", "someone@\\|a=hidden", logs};
    const char *const name[4] = {"grep", "-r", "0\\.root", logs};
    cr_expect(recorded.status == 0 && child_status(found) == 1 << 8);
    cr_expect(child_status(name) == 0, "no file is in the logs");
    child_free(&recorded);
    xrootd_stop();
    test_directory_remove(logs);
}
