/* A log of a megabyte is full long before the last task: sums by prefix are those of all tasks. */
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(full_log, .timeout = 240);

enum { TASKS = 6000 };

static json_int_t integer(json_t *row, const char *name)
{
    return json_integer_value(json_object_get(row, name));
}

static json_t *row_of(json_t *report, const char *prefix)
{
    json_t *rows = json_object_get(json_object_get(report, "tasks_by_prefix"), "rows"), *row;
    size_t i;
    json_array_foreach(rows, i, row) if (strcmp(json_string_value(json_object_get(row, "prefix")),
                                                prefix) == 0) return row;
    cr_assert_fail("no row of %s", prefix);
    return NULL;
}

/* What tests/workloads/full_log.py does in its tasks FROM to TO - 1. */
static void expect_row(json_t *report, const char *prefix, long from, long to)
{
    json_t *row = row_of(report, prefix);
    long long own = 0, of_threads = 0, failed = 0;
    for (long i = from; i < to; i++) {
        *(i % 3 == 0 ? &of_threads : &own) += 1000 + i % 1000;
        failed += i % 10 == 0;
    }
    cr_expect_eq(integer(row, "tasks"), to - from, "%s: %lld tasks", prefix,
                 (long long)integer(row, "tasks"));
    cr_expect_eq(integer(row, "erred"), failed, "%s: %lld erred", prefix,
                 (long long)integer(row, "erred"));
    cr_expect_eq(integer(row, "read_own_bytes"), own, "%s: %lld own bytes, not %lld", prefix,
                 (long long)integer(row, "read_own_bytes"), own);
    cr_expect_eq(integer(row, "read_bytes"), own + of_threads, "%s: %lld bytes, not %lld", prefix,
                 (long long)integer(row, "read_bytes"), own + of_threads);
    cr_expect_eq(integer(row, "read_calls"), to - from);
}

static json_t *run(const char *logs, const char *limit, const char *end)
{
    const char *file = text("%s/data.bin", logs);
    FILE *data = fopen(file, "w");
    cr_assert(data && ftruncate(fileno(data), 10000) == 0 && fclose(data) == 0);
    struct child plain = {
        .argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/full_log.py", file, text("%d", TASKS), end},
        .settings = {text("CUPPING_MAX_BYTES=%s", limit)}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert_eq(recorded.status, strcmp(end, "kill") == 0 ? SIGKILL : 0, "%s", recorded.err);
    child_free(&recorded);
    json_t *report = report_of(logs);
    expect_row(report, "early", 0, TASKS / 2);
    expect_row(report, "late", TASKS / 2, TASKS);
    return report;
}

static double alloc_calls(json_t *report, const char *prefix)
{
    return (double)integer(row_of(report, prefix), "alloc_calls");
}

Test(full_log, sums_are_those_of_a_log_with_room)
{
    char *full_logs = test_directory(), *logs = test_directory();
    json_t *full = run(full_logs, "1M", "exit"), *whole = run(logs, "1G", "exit");
    static const char *const prefixes[] = {"early", "late"};
    for (int i = 0; i < 2; i++) {
        double few = alloc_calls(full, prefixes[i]), all = alloc_calls(whole, prefixes[i]);
        cr_expect(few > 0.95 * all && few < 1.05 * all, "%s: %.0f allocations, not %.0f",
                  prefixes[i], few, all);
    }
    json_t *health = json_object_get(full, "health");
    cr_expect_eq(integer(health, "records_orphaned"), 0);
    cr_expect_eq(integer(health, "tasks_unfinished"), 0);
    cr_expect_gt(integer(health, "records_dropped"), 0);
    cr_expect_eq(integer(json_object_get(whole, "health"), "records_dropped"), 0);
    json_decref(full);
    json_decref(whole);
    test_directory_remove(full_logs);
    test_directory_remove(logs);
}

Test(full_log, a_killed_process_loses_no_finished_task)
{
    char *logs = test_directory();
    json_decref(run(logs, "1M", "kill"));
    test_directory_remove(logs);
}
