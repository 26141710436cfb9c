/* Other ways to run an analysis under cupping: one command for everything, without Dask or with
 * a cluster inside. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/trace.h"
#include "tests/e2e/witness.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

TestSuite(coffea_launch, .timeout = 240);

enum { FILES = 6, CHUNKS = 12, EVENTS = 30000 };

/* The executor has processes that Dask does not start. */
static bool is_of_processes(const char *where)
{
    return strcmp(where, "futures") == 0;
}

/* `cupping run -o PROFILE -- python coffea_job.py WHERE ... [MORE]`: an option, or files for a
 * second Runner call. */
static void analyse(const char *directory, const char *where, const char *more)
{
    char *input = cup_input("ttree"), *files = cup_path(input, "files.json");
    char *out = cup_path(directory, "out.json");
    const char *const program[] = {
        cup_python(), CUP_TOP "/tests/workloads/coffea_job.py", where, out, files, more, NULL};
    cup_trace_run(where, directory, program, is_of_processes(where), 200);
    free(input), free(files), free(out);
}

/* Without Dask a chunk has no key to find it by: dataset, file and entries do. */
static json_t *row_of(json_t *rows, json_t *chunk)
{
    static const char *const columns[] = {"file", "dataset", "tree", "entry_start", "entry_stop"};
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        size_t same = 0;
        while (
            same < sizeof columns / sizeof *columns &&
            json_equal(json_object_get(row, columns[same]), json_object_get(chunk, columns[same])))
            same++;
        if (same == sizeof columns / sizeof *columns)
            return row;
    }
    return NULL;
}

/* Each chunk that the analysis noted is a row, of the process that ran it, and read its file. */
static void check_chunks(json_t *rows, json_t *out)
{
    json_t *run = json_array_get(json_object_get(out, "runs"), 0);
    json_t *chunks = json_object_get(run, "chunks"), *chunk;
    json_int_t events = 0, read = 0;
    size_t i;
    cr_expect(json_array_size(chunks) == CHUNKS);
    json_array_foreach(chunks, i, chunk)
    {
        json_t *row = row_of(rows, chunk);
        cr_expect(row != NULL, "no row for %s", cup_word(chunk, "file"));
        if (!row)
            continue;
        cr_expect(cup_is(row, "status", "finished"));
        cr_expect(cup_count(row, "pid") == cup_count(chunk, "pid"));
        events += cup_count(row, "events");
        read += cup_count(row, "read_bytes");
    }
    cr_expect(events == EVENTS, "%lld events", (long long)events);
    cr_expect(read > 0);
}

/* The process that made the Runner call is named, with the versions of what it ran, if it
 * READS_CLOCK in between (with an executor of processes nothing needs to); the others are what they
 * were. */
static void check_processes(json_t *report, bool reads_clock)
{
    json_t *rows = json_object_get(json_object_get(report, "health"), "processes"), *row;
    int clients = 0;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        cr_expect(!cup_is(row, "role", "other"), "process %lld has no role",
                  (long long)cup_count(row, "pid"));
        cr_expect(strncmp(cup_word(row, "python"), "3.", 2) == 0);
        cr_expect(strlen(cup_word(row, "command")) > 0);
        if (!strstr(cup_word(row, "roles"), "client"))
            continue;
        clients++;
        cr_expect(strstr(cup_word(row, "command"), "coffea_job.py"));
        cr_expect(strchr(cup_word(row, "coffea"), '.') && strchr(cup_word(row, "uproot"), '.'));
    }
    cr_expect(clients <= 1 && clients >= reads_clock, "%d clients", clients);
}

/* Clock calls inside of a Runner call lie within it; how many there are is up to the executor. */
static void check_run(json_t *report, json_t *run, bool dask)
{
    json_t *rows = json_object_get(report, "runs"), *row = json_array_get(rows, 0);
    double took = cup_number(run, "stop") - cup_number(run, "start");
    cr_assert(json_array_size(rows) == 1, "%zu runs", json_array_size(rows));
    double seen = cup_number(row, "wall_time");
    cr_expect(cup_count(row, "run") == 1 && cup_count(row, "chunks") == CHUNKS);
    cr_expect(seen <= took, "the call took %g s, not %g s", took, seen);
    if (!dask)
        return;
    json_t *workflow = json_object_get(report, "workflow");
    cr_expect(cup_number(workflow, "wall_time") >= seen);
    cr_expect(cup_number(workflow, "wall_time") <= took);
    cr_expect(cup_number(workflow, "graph_s") > 0);
}

/* Also of processes that only read the files' metadata, and of those that had not begun a chunk. */
static void check_bytes(json_t *report, const char *directory)
{
    json_t *seen = cup_trace_read(directory, ".root"), *bytes;
    json_t *attribution = json_object_get(report, "attribution");
    json_int_t reported = cup_count(attribution, "read_bytes") +
                          cup_count(attribution, "other_process_bytes"),
               truth = 0;
    const char *path;
    json_object_foreach(seen, path, bytes) truth += json_integer_value(bytes);
    json_t *kernel = json_object_get(attribution, "kernel_check");
    if (cup_count(kernel, "processes_without") == 0)
        cr_expect(cup_count(json_object_get(kernel, "classes"), "read_bytes") == truth);
    cr_expect(cup_count(kernel, "unexplained_bytes") * 100 <= cup_count(kernel, "kernel_bytes"));
    /* All that read files have a log, so nothing of it counts again for those who waited for them.
     */
    bytes = json_object_get(json_object_get(kernel, "classes"), "reaped_read_bytes");
    cr_expect(json_integer_value(bytes) < truth, "children without a log read %lld bytes",
              (long long)json_integer_value(bytes));
    cr_expect(truth > 0 && reported == truth, "strace saw %lld bytes, not %lld", (long long)truth,
              (long long)reported);
    json_decref(seen);
}

/* Where Coffea was not asked for its report, there is nothing to compare it with. */
static void check_report(const char *where, const char *directory, json_t *out)
{
    static const char *const sums[] = {"bytesread", "entries", "chunks"};
    json_t *report = cup_report(directory), *coffea = json_object_get(report, "coffea");
    json_t *run = json_array_get(json_object_get(out, "runs"), 0);
    json_t *metrics = json_object_get(run, "metrics");
    cr_expect(cup_count(coffea, "chunks") == CHUNKS && cup_count(coffea, "entries") == EVENTS);
    cr_expect(cup_count(coffea, "bytesread") > 1000000);
    cr_expect(json_array_size(json_object_get(coffea, "columns")) > 10);
    for (size_t i = 0; i < sizeof sums / sizeof *sums && json_object_size(metrics); i++)
        cr_expect(cup_count(coffea, sums[i]) == cup_count(metrics, sums[i]),
                  "%s: Coffea says %lld, the chunks %lld", sums[i],
                  (long long)cup_count(metrics, sums[i]), (long long)cup_count(coffea, sums[i]));
    check_run(report, run, json_is_object(json_object_get(out, "witness")));
    check_processes(report, !is_of_processes(where));
    if (is_of_processes(where))
        check_bytes(report, directory);
    json_decref(report);
}

static void check(const char *where, const char *scratch)
{
    char *directory = cup_scratch(scratch);
    analyse(directory, where, NULL);
    json_t *rows = cup_tasks(directory), *out = cup_json(directory, "out.json");
    check_chunks(rows, out);
    cup_check_sane(rows);
    json_t *witness = json_object_get(out, "witness");
    if (json_is_object(witness))
        cup_check_witness(rows, witness);
    else
        cr_expect(json_array_size(rows) == CHUNKS + FILES, "%zu rows", json_array_size(rows));
    check_report(where, directory, out);
    json_decref(rows), json_decref(out);
    free(directory);
}

Test(coffea_launch, iterative_executor)
{
    check("iterative", "launch-iterative");
}

Test(coffea_launch, futures_executor)
{
    check("futures", "launch-futures");
}

Test(coffea_launch, local_cluster_of_processes)
{
    check("local", "launch-local");
}

Test(coffea_launch, local_cluster_of_threads)
{
    check("threads", "launch-threads");
}

/* The attempt that fails asked for bytes, too: no report of Coffea's counts them. */
static void check_fails_once(const char *where, const char *scratch)
{
    char *directory = cup_scratch(scratch);
    analyse(directory, where, "--fail-once");
    json_t *rows = cup_tasks(directory), *out = cup_json(directory, "out.json"), *row;
    size_t i, failed = 0;
    json_array_foreach(rows, i, row) failed += cup_is(row, "status", "erred");
    cr_expect(failed >= 1, "no attempt failed");
    check_report(where, directory, out);
    json_decref(rows), json_decref(out);
    free(directory);
}

Test(coffea_launch, a_chunk_that_is_tried_again_counts_once_with_dask)
{
    check_fails_once("local", "launch-again-local");
}

Test(coffea_launch, a_chunk_that_is_tried_again_counts_once_without)
{
    check_fails_once("iterative", "launch-again-iterative");
}

Test(coffea_launch, the_report_is_there_without_being_asked_for)
{
    char *directory = cup_scratch("launch-no-metrics");
    analyse(directory, "iterative", "--no-metrics");
    json_t *out = cup_json(directory, "out.json");
    check_report("iterative", directory, out);
    json_decref(out);
    free(directory);
}
