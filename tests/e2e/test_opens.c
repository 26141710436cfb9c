/* How long opens took, compared with the clock of the program that opened: with known delays, on
 * local files, over TCP, and from a real XRootD server. */
#include "tests/e2e/child.h"
#include "tests/e2e/xrootd_server.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(opens, .timeout = 240);

#define WORKLOADS CUP_TOP "/tests/workloads/"

/* ---- records of the log ---------------------------------------------------------------------- */

/* The task's next OPEN record from AT on; NULL: there is none. */
static const char *next_open(const char *at, long long task)
{
    while (at && (at = strstr(at + 1, " OPEN ")))
        if (number_in(at, "task") == task)
            return at;
    return NULL;
}

static json_int_t integer(json_t *row, const char *name)
{
    return json_integer_value(json_object_get(row, name));
}

static void expect_open(const char *key, const char *open, json_t *row)
{
    const char *kind = json_string_value(json_object_get(row, "kind"));
    long long ns = number_in(open, "ns");
    cr_expect(in_line(open, text(" kind=%s ", kind)), "%s: not %s: %.100s", key, kind, open);
    cr_expect(number_in(open, "error") == integer(row, "error"), "%s: error %lld, not %lld", key,
              number_in(open, "error"), (long long)integer(row, "error"));
    cr_expect(ns > 0 && ns >= integer(row, "at_least_ns") && ns <= integer(row, "at_most_ns"),
              "%s: %lld ns, not from %lld to %lld", key, ns, (long long)integer(row, "at_least_ns"),
              (long long)integer(row, "at_most_ns"));
}

static void expect_opens(const char *dump, json_t *expected)
{
    const char *key;
    json_t *rows, *row;
    size_t i;
    json_object_foreach(expected, key, rows)
    {
        long long task = task_of_key(dump, key);
        const char *open = dump;
        cr_assert(task > 0, "no task %s", key);
        json_array_foreach(rows, i, row)
        {
            open = next_open(open, task);
            cr_assert(open != NULL, "%s: open %zu is missing", key, i + 1);
            expect_open(key, open, row);
        }
        cr_expect(!next_open(open, task), "%s: there are more than %zu opens", key, i);
    }
}

/* ---- a task's own sums ----------------------------------------------------------------------- */

/* Of the task's files: connections are no part of them. */
static void expect_sums(json_t *tasks, json_t *expected)
{
    const char *key;
    json_t *rows, *row;
    size_t i;
    json_object_foreach(expected, key, rows)
    {
        double least = 0, most = 0;
        long long failed = 0;
        json_array_foreach(rows, i, row)
        {
            if (strcmp(json_string_value(json_object_get(row, "kind")), "connect") == 0)
                continue;
            least += (double)integer(row, "at_least_ns") / 1e9;
            most += (double)integer(row, "at_most_ns") / 1e9;
            failed += integer(row, "error") != 0;
        }
        double sum = json_number_value(json_object_get(task_of(tasks, key), "file_open_s"));
        cr_expect(sum >= least && sum <= most, "%s: %f s, not from %f to %f", key, sum, least,
                  most);
        cr_expect(task_number(tasks, key, "failed_opens") == failed, "%s: failed", key);
    }
}

static json_t *run(const char *logs, const char *scratch, const char *url, const char *file)
{
    struct child plain = {.argv = {CUP_PYTHON, WORKLOADS "opens.py", text("%s/out.json", scratch),
                                   scratch, url, file}};
    struct child recorded = child_recorded(&plain, logs);
    json_error_t error;
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    child_free(&recorded);
    json_t *expected = json_load_file(text("%s/out.json", scratch), 0, &error);
    cr_assert(expected != NULL, "%s", error.text);
    char *dump = dump_of(logs);
    json_t *tasks = tasks_of(logs);
    expect_opens(dump, expected);
    expect_sums(tasks, expected);
    free(dump);
    json_decref(tasks);
    return expected;
}

Test(opens, files_and_connections)
{
    char *logs = test_directory(), *scratch = test_directory();
    json_decref(run(logs, scratch, NULL, NULL));
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

/* ---- many opens ------------------------------------------------------------------------------ */

static int count_lines(const char *dump, const char *type)
{
    int count = 0;
    while ((dump = strstr(dump, type)) != NULL) {
        dump += strlen(type);
        count++;
    }
    return count;
}

static json_t *row_of(json_t *report, const char *section, const char *server);

/* After the first hundreds the log has sums, and the figures stay the same. */
Test(opens, that_are_many_are_summed_up)
{
    enum { OPENS = 3000, WHOLE = 256, SUMS_MOST = 60 };
    char *logs = test_directory();
    const char *program = text("for _ in range(%d):\n"
                               "    with open('%s/data.bin', 'rb', 0) as file:\n"
                               "        file.read(10)\n",
                               OPENS, logs);
    FILE *data = fopen(text("%s/data.bin", logs), "w");
    cr_assert(data && fputs("0123456789", data) > 0 && fclose(data) == 0);
    struct child plain = {.argv = {CUP_PYTHON, WORKLOADS "run_task.py", "-c", program}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    char *dump = dump_of(logs);
    int sums = count_lines(dump, " OPENS ");
    cr_expect_eq(count_lines(dump, " OPEN "), WHOLE);
    cr_expect(sums >= 1 && sums <= SUMS_MOST, "%d sums", sums);
    json_t *report = report_of(logs), *tasks = tasks_of(logs);
    json_t *row = row_of(report, "opens", text("%.*s", (int)strcspn(logs + 1, "/") + 1, logs));
    cr_expect_eq(integer(row, "opened"), OPENS);
    cr_expect_float_eq(
        json_number_value(json_object_get(row, "total_s")),
        json_number_value(json_object_get(task_of(tasks, "run_task"), "file_open_s")), 1e-9);
    json_decref(report);
    json_decref(tasks);
    free(dump);
    child_free(&recorded);
    test_directory_remove(logs);
}

/* Files beyond the table's size share a record, and their bytes stay in the table of files. */
Test(opens, files_beyond_the_table_share_a_record)
{
    enum { FILES = 7000, WITH_RECORD = 6144 };
    char *logs = test_directory();
    const char *program = text("import os\n"
                               "for i in range(%d):\n"
                               "    path = f'%s/{i}.bin'\n"
                               "    with open(path, 'wb', 0) as file:\n"
                               "        file.write(b'0123456789')\n"
                               "    with open(path, 'rb', 0) as file:\n"
                               "        file.read(10)\n"
                               "    os.unlink(path)\n",
                               FILES, logs);
    struct child plain = {.argv = {CUP_PYTHON, WORKLOADS "run_task.py", "-c", program}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    char *dump = dump_of(logs);
    cr_expect_eq(count_lines(dump, "(other files)\""), 1);
    cr_expect_lt(count_lines(dump, " FILE_USE "), WITH_RECORD + 100);
    json_t *report = report_of(logs);
    const char *place = text("%.*s", (int)strcspn(logs + 1, "/") + 1, logs);
    cr_expect_eq(integer(row_of(report, "opens", place), "opened"), 2 * FILES);
    json_t *files = json_object_get(json_object_get(report, "files"), "rows"), *file;
    size_t i;
    json_int_t bytes = 0;
    json_array_foreach(files, i, file) bytes += integer(file, "read_bytes");
    cr_expect_eq(bytes, 10 * FILES);
    json_decref(report);
    free(dump);
    child_free(&recorded);
    test_directory_remove(logs);
}

/* ---- XRootD ---------------------------------------------------------------------------------- */

static json_t *row_of(json_t *report, const char *section, const char *server)
{
    size_t i;
    json_t *row, *rows = json_object_get(json_object_get(report, section), "rows");
    json_array_foreach(rows, i, row)
    {
        const char *name = json_string_value(json_object_get(row, "server"));
        if (name && strcmp(name, server) == 0)
            return row;
    }
    cr_assert_fail("%s has no row of %s", section, server);
    return NULL;
}

/* One open that was quick, and two of a file that is not there. */
static void expect_server(json_t *report)
{
    const char *server = text("%.*s", (int)strlen(xrootd_url) - 1, xrootd_url);
    json_t *opens = row_of(report, "opens", server), *row = row_of(report, "servers", server);
    cr_expect(integer(opens, "opened") == 1 && integer(opens, "failed") == 2);
    cr_expect_str_eq(json_string_value(json_object_get(opens, "most_frequent_error")),
                     "not found (XRootD 3011)");
    cr_expect(integer(row, "errors") == 2);
    cr_expect(
        json_equal(json_object_get(row, "open_latency_p50_s"), json_object_get(opens, "max_s")));
}

/* The size of a file that only the client can see: its own head tells. */
static void expect_size(json_t *report)
{
    size_t i;
    json_t *row, *rows = json_object_get(json_object_get(report, "files"), "rows");
    const char *file = text("%s/0.root", xrootd_url);
    json_array_foreach(rows, i,
                       row) if (strcmp(json_string_value(json_object_get(row, "file")), file) == 0)
        cr_expect(integer(row, "size_bytes") == xrootd_file_bytes("0.root"), "%lld bytes",
                  (long long)integer(row, "size_bytes"));
}

Test(opens, through_xrootds_client)
{
    xrootd_need();
    char *logs = test_directory(), *scratch = test_directory();
    xrootd_start();
    json_decref(run(logs, scratch, xrootd_url, "0.root"));
    json_t *report = report_of(logs);
    expect_server(report);
    expect_size(report);
    json_decref(report);
    xrootd_stop();
    test_directory_remove(scratch);
    test_directory_remove(logs);
}
