/* Pools of processes without Dask: what their processes read is in the report whether or not they
 * ran a chunk, and is exactly what strace saw. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/process.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/trace.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(pools, .timeout = 300);

/* `cupping run -o PROFILE -- python pools_job.py FILES OUT KINDS...`, under strace. */
static void run_pools(const char *directory, const char *python, const char *const kinds[3])
{
    char *input = cup_input("ttree"), *files = cup_path(input, "files.json");
    char *out = cup_path(directory, "out.json");
    const char *const program[] = {
        python, CUP_TOP "/tests/workloads/pools_job.py", files, out, kinds[0], kinds[1], kinds[2],
        NULL};
    cup_trace_run("pools", directory, program, true, 250);
    free(input), free(files), free(out);
}

static json_int_t sum_of(json_t *numbers)
{
    const char *name;
    json_t *number;
    json_int_t sum = 0;
    json_object_foreach(numbers, name, number) sum += json_integer_value(number);
    return sum;
}

/* Bytes of ROOT files that strace saw. */
static json_int_t traced_bytes(const char *directory)
{
    json_t *seen = cup_trace_read(directory, ".root");
    json_int_t sum = sum_of(seen);
    json_decref(seen);
    return sum;
}

static json_int_t reported_bytes(json_t *report)
{
    json_t *attribution = json_object_get(report, "attribution");
    return cup_count(attribution, "read_bytes") + cup_count(attribution, "other_process_bytes");
}

static json_t *processes_of(json_t *report)
{
    return json_object_get(json_object_get(report, "health"), "processes");
}

static bool has_number(json_t *numbers, json_int_t number)
{
    size_t i;
    json_t *each;
    json_array_foreach(numbers, i, each) if (json_integer_value(each) == number) return true;
    return false;
}

/* Exactly the processes that read events left a log, and the kernel counted what was seen. */
static void check_readers(json_t *report, json_t *readers)
{
    size_t i;
    json_t *row, *rows = processes_of(report);
    cr_expect(json_array_size(rows) == json_array_size(readers), "%zu logs of %zu processes",
              json_array_size(rows), json_array_size(readers));
    json_array_foreach(rows, i, row)
    {
        json_int_t pid = cup_count(row, "pid");
        cr_expect(cup_is(row, "role", "reader"), "%lld is %s", (long long)pid,
                  cup_word(row, "role"));
        cr_expect(has_number(readers, pid), "%lld left a log", (long long)pid);
        cr_expect(cup_count(row, "kernel_difference_bytes") < 1000);
    }
}

Test(pools, processes_of_multiprocessing_that_run_no_task)
{
    char *directory = cup_scratch("pools-multiprocessing");
    run_pools(directory, cup_python(), (const char *const[]){"fork", "spawn", "forkserver"});
    json_t *report = cup_report(directory), *out = cup_json(directory, "out.json");
    json_int_t truth = traced_bytes(directory);
    cr_expect(truth > 0 && reported_bytes(report) == truth, "strace saw %lld bytes, not %lld",
              (long long)truth, (long long)reported_bytes(report));
    check_readers(report, json_object_get(out, "readers"));
    json_decref(report), json_decref(out);
    free(directory);
}
