/* Executors that run chunks without Dask, in the client's own thread or in a pool of threads: all
 * that a call of Coffea's reads is its own, from the opening of the file on. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/process.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/trace.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(executors, .timeout = 300);

enum { FILES = 6, CHUNKS = 12 };

static char *path_of(const char *directory, const char *name, const char *ending)
{
    char file[64];
    snprintf(file, sizeof file, "%s%s", name, ending);
    return cup_path(directory, file);
}

/* `executors_job.py KIND DIRECTORY/NAME.json FILES MODE`, under cupping if it RECORDS. MODE may be
 * NULL. */
static void run_job(const char *directory, const char *name, bool records, const char *python,
                    const char *kind, const char *files, const char *mode)
{
    char *profile = cup_path(directory, "profile"), *log = path_of(directory, name, ".log");
    char *out = path_of(directory, name, ".json");
    const char *const argv[] = {CUP_TOP "/wrappers/cupping-run",
                                "-o",
                                profile,
                                "--",
                                python,
                                CUP_TOP "/tests/workloads/executors_job.py",
                                kind,
                                out,
                                files,
                                mode,
                                NULL};
    enum { PROGRAM = 4 };
    cup_run(kind, log, records ? argv : argv + PROGRAM, cup_clean_environment, 200);
    free(profile), free(log), free(out);
}

static bool is_parquet(const char *mode)
{
    return mode && strcmp(mode, "parquet") == 0;
}

/* The list of the files that are analysed. Those in Parquet are made here, in DIRECTORY. */
static char *make_files(const char *directory, const char *mode)
{
    char *input = cup_input("ttree"), *files = cup_path(input, "files.json");
    free(input);
    if (!is_parquet(mode))
        return files;
    run_job(directory, "files", false, cup_python(), "copy", files, NULL);
    free(files);
    return cup_path(directory, "files.json");
}

/* The result is in DIRECTORY/NAME.json. */
static void run(const char *directory, const char *name, bool records, const char *python,
                const char *kind, const char *mode)
{
    char *files = make_files(directory, mode);
    run_job(directory, name, records, python, kind, files, mode);
    free(files);
}

/* What the second Runner call reads by the kernel's count, without the library. */
static json_int_t count_by_kernel(const char *directory, const char *python, const char *kind,
                                  const char *mode)
{
    run(directory, "kernel", false, python, kind, mode);
    json_t *job = cup_json(directory, "kernel.json");
    json_int_t bytes = cup_count(json_array_get(json_object_get(job, "runs"), 1), "kernel_bytes");
    json_decref(job);
    return bytes;
}

/* Each chunk that process() saw is a row, and no other is. */
static void check_chunks(json_t *rows, json_t *chunks)
{
    size_t i, j;
    json_t *chunk, *row, *value;
    cr_expect_eq(json_array_size(rows), json_array_size(chunks), "%zu rows of %zu chunks",
                 json_array_size(rows), json_array_size(chunks));
    json_array_foreach(chunks, i, chunk)
    {
        size_t found = 0;
        json_array_foreach(rows, j, row)
        {
            const char *name;
            bool same = true;
            json_object_foreach(chunk, name, value) same =
                same && json_equal(value, json_object_get(row, name));
            found += same;
        }
        cr_expect_eq(found, 1, "%zu rows of %s", found, cup_word(chunk, "file"));
    }
}

static void check_bytes(json_t *report, json_int_t by_kernel)
{
    json_t *attribution = json_object_get(report, "attribution");
    cr_expect_eq(cup_count(attribution, "read_none_bytes"), 0, "%lld bytes have no task",
                 (long long)cup_count(attribution, "read_none_bytes"));
    cr_expect_eq(cup_number(attribution, "share_attributed"), 1);
    cr_expect_eq(cup_count(attribution, "read_bytes"), by_kernel, "%lld bytes, the kernel: %lld",
                 (long long)cup_count(attribution, "read_bytes"), (long long)by_kernel);
    cr_expect_eq(
        json_array_size(json_object_get(json_object_get(report, "health"), "features_off")), 0);
}

/* Both runs have all their tasks. */
static void check_tasks(json_t *rows)
{
    size_t i;
    json_t *row;
    cr_expect_eq(cup_count_rows(rows, "process", "finished"), 2 * CHUNKS);
    cr_expect_eq(cup_count_rows(rows, "get_metadata", "finished"), 2 * FILES);
    cr_expect_eq(json_array_size(rows), 2 * (CHUNKS + FILES), "%zu rows", json_array_size(rows));
    json_array_foreach(rows, i, row)
    {
        cr_expect(cup_count(row, "read_bytes") > 0, "%s read nothing", cup_word(row, "key"));
    }
}

static void check(const char *python, const char *kind, const char *mode, const char *scratch)
{
    const char *const second[] = {"--run", "2", NULL};
    if (access(python, X_OK) != 0)
        cr_skip_test("no %s", python);
    char *directory = cup_scratch(scratch);
    run(directory, "out", true, python, kind, mode);
    json_t *job = cup_json(directory, "out.json"), *rows = cup_tasks(directory);
    json_t *report = cup_report_with(directory, second);
    json_t *truth = json_array_get(json_object_get(job, "runs"), 1);
    json_t *chunks = json_object_get(report, "chunks");
    json_t *coffea = json_object_get(report, "coffea"),
           *metrics = json_object_get(truth, "metrics");
    check_tasks(rows);
    check_chunks(json_object_get(chunks, "rows"), json_object_get(truth, "chunks"));
    cr_expect(cup_number(chunks, "open_s") > 0); /* before process() */
    check_bytes(report, count_by_kernel(directory, python, kind, mode));
    if (!is_parquet(mode)) /* whose bytes Coffea does not count */
        cr_expect_eq(cup_count(coffea, "bytesread"), cup_count(metrics, "bytesread"));
    cr_expect_eq(cup_count(coffea, "entries"), cup_count(metrics, "entries"));
    double difference = cup_number(coffea, "processtime") - cup_number(metrics, "processtime");
    cr_expect(difference < 1e-5 && difference > -1e-5, "%g s", difference);
    json_decref(job), json_decref(rows), json_decref(report);
    free(directory);
}

Test(executors, iterative)
{
    check(CUP_PYTHON, "iterative", NULL, "executors-iterative");
}

Test(executors, threads)
{
    check(CUP_PYTHON, "threads", NULL, "executors-threads");
}

/* Where the interpreter shows the beginnings of functions, and locks are not seen. */
Test(executors, threads_on_the_newest_python)
{
    check(CUP_PYTHON_3_14, "threads", NULL, "executors-3.14");
}

Test(executors, threads_on_another_python)
{
    cup_only_in_soak();
    check(CUP_PYTHON_3_13, "threads", NULL, "executors-3.13");
}

/* pyarrow opens files without the GIL, and makes no lock before. */
Test(executors, parquet)
{
    check(CUP_PYTHON, "threads", "parquet", "executors-parquet");
}

Test(executors, parquet_on_the_newest_python)
{
    check(CUP_PYTHON_3_14, "threads", "parquet", "executors-parquet-3.14");
}

Test(executors, parquet_of_an_iterative_executor)
{
    cup_only_in_soak();
    check(CUP_PYTHON, "iterative", "parquet", "executors-parquet-iterative");
    check(CUP_PYTHON_3_13, "threads", "parquet", "executors-parquet-3.13");
}

/* ---- calls that fail ---------------------------------------------------------------------- */

/* What becomes of a job whose second dataset has one chunk that always raises, and others that are
 * tried again. */
struct trouble {
    const char *kind, *scratch;
    const char *state;    /* of the completeness */
    int erred, killed;    /* attempts at chunks */
    int missing_files;    /* a file that does not exist; its last attempt is skipped, or unknown */
    bool has_lost_a_file; /* it is known that it was skipped */
    bool of_processes;    /* which strace follows */
};

static void check_attempts(json_t *rows, const struct trouble *expected)
{
    int skipped = expected->has_lost_a_file, unknown = expected->missing_files - skipped;
    /* Coffea tries four times; the last attempt is the one that it skips. */
    cr_expect_eq(cup_count_rows(rows, "process", "erred"), expected->erred);
    cr_expect_eq(cup_count_rows(rows, "process", "unfinished"), expected->killed);
    cr_expect_eq(cup_count_rows(rows, "process", "finished"), CHUNKS);
    cr_expect_eq(cup_count_rows(rows, "get_metadata", "erred"), 3 * expected->missing_files);
    cr_expect_eq(cup_count_rows(rows, "get_metadata", "finished"), FILES + skipped);
    cr_expect_eq(cup_count_rows(rows, "get_metadata", "unknown"), unknown);
}

static void check_losses(json_t *report, const struct trouble *expected)
{
    json_t *completeness = json_object_get(report, "completeness");
    cr_expect(cup_is(completeness, "state", expected->state), "%s",
              cup_word(completeness, "sentence"));
    cr_expect_eq(cup_count(completeness, "done_chunks"), CHUNKS - 1);
    cr_expect_eq(cup_count(completeness, "skipped_chunks"), 1);
    cr_expect_eq(cup_count(completeness, "skipped_files"), expected->has_lost_a_file);
    cr_expect_eq(cup_count(completeness, "failed_chunks"), 0);
}

static void run_trouble(const char *directory, const char *kind, const char *mode, bool traced)
{
    char *files = make_files(directory, NULL), *out = cup_path(directory, "out.json");
    const char *const program[] = {
        CUP_PYTHON, CUP_TOP "/tests/workloads/executors_job.py", kind, out, files, mode, NULL};
    cup_trace_run(kind, directory, program, traced, 250);
    free(files), free(out);
}

/* All bytes of ROOT files belong to tasks, those of attempts that failed as well. */
static void check_all_bytes(const char *directory, json_t *report, bool traced)
{
    json_t *attribution = json_object_get(report, "attribution"), *seen, *bytes;
    json_int_t reported = cup_count(attribution, "read_bytes"), truth = 0;
    const char *path;
    cr_expect_eq(cup_count(attribution, "read_none_bytes"), 0);
    if (!traced)
        return;
    seen = cup_trace_read(directory, ".root");
    json_object_foreach(seen, path, bytes) truth += json_integer_value(bytes);
    cr_expect_eq(reported, truth, "strace saw %lld bytes, not %lld", (long long)truth,
                 (long long)reported);
    json_decref(seen);
}

/* Each task has the block and rank of its worker, and both of Parsl's workers ran some. */
static void check_parsl_workers(json_t *rows)
{
    size_t i, of_rank[2] = {0};
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        for (int rank = 0; rank < 2; rank++)
            of_rank[rank] += cup_is(row, "worker", rank ? "block 0, rank 1" : "block 0, rank 0");
    }
    cr_expect(of_rank[0] > 0 && of_rank[1] > 0);
    cr_expect_eq(of_rank[0] + of_rank[1], json_array_size(rows));
}

/* Runs the job, and returns the report. */
static json_t *check_trouble(const struct trouble *expected)
{
    char *directory = cup_scratch(expected->scratch);
    run_trouble(directory, expected->kind, "trouble", expected->of_processes);
    json_t *rows = cup_tasks(directory), *report = cup_report(directory);
    check_losses(report, expected);
    check_attempts(rows, expected);
    check_all_bytes(directory, report, expected->of_processes);
    if (strcmp(expected->kind, "parsl") == 0)
        check_parsl_workers(rows);
    json_decref(rows);
    free(directory);
    return report;
}

Test(executors, attempts_of_an_iterative_executor)
{
    json_decref(check_trouble(&(struct trouble){.kind = "iterative",
                                                .scratch = "executors-iterative-trouble",
                                                .state = "skipped",
                                                .erred = 4}));
}

Test(executors, attempts_in_threads)
{
    json_decref(check_trouble(&(struct trouble){.kind = "threads",
                                                .scratch = "executors-threads-trouble",
                                                .state = "skipped",
                                                .erred = 4,
                                                .missing_files = 1,
                                                .has_lost_a_file = true}));
}

/* Other processes say how a call ended only by what they send. */
static void check_processes(const char *kind, const char *scratch)
{
    json_decref(check_trouble(&(struct trouble){.kind = kind,
                                                .scratch = scratch,
                                                .state = "unknown",
                                                .erred = 4,
                                                .missing_files = 1,
                                                .of_processes = true}));
}

Test(executors, attempts_in_processes)
{
    check_processes("processes", "executors-processes-trouble");
}

/* An exception that is not to be skipped. How many of the other chunks run is up to chance. */
Test(executors, a_failure_in_a_process)
{
    char *directory = cup_scratch("executors-failure");
    run_trouble(directory, "processes", "failure", false);
    json_t *rows = cup_tasks(directory), *report = cup_report(directory);
    json_t *completeness = json_object_get(report, "completeness");
    cr_expect_eq(cup_count_rows(rows, "process", "erred"), 4);
    cr_expect_eq(cup_count(completeness, "failed_chunks"), 1);
    cr_expect_eq(cup_count(completeness, "skipped_chunks"), 0);
    json_decref(rows), json_decref(report);
    free(directory);
}

Test(executors, attempts_in_processes_of_loky)
{
    cup_only_in_soak();
    check_processes("loky", "executors-loky-trouble");
}

static void skip_without_parsl(void)
{
    if (access(CUP_BUILD "/parsl/bin/process_worker_pool.py", X_OK) != 0)
        cr_skip_test("no Parsl in build/parsl");
}

/* Parsl tries the chunk again whose worker was killed. */
Test(executors, attempts_of_parsl)
{
    skip_without_parsl();
    json_t *report = check_trouble(&(struct trouble){.kind = "parsl",
                                                     .scratch = "executors-parsl-trouble",
                                                     .state = "skipped",
                                                     .erred = 4,
                                                     .killed = 1,
                                                     .of_processes = true});
    json_t *losses = json_object_get(report, "losses");
    cr_expect_eq(cup_count(losses, "chunks_recovered"), 2);
    cr_expect_eq(cup_count(losses, "chunks_unfinished"), 0);
    json_decref(report);
}

Test(executors, attempts_in_threads_of_parsl)
{
    cup_only_in_soak();
    skip_without_parsl();
    json_decref(check_trouble(&(struct trouble){.kind = "parsl_threads",
                                                .scratch = "executors-parsl-threads-trouble",
                                                .state = "skipped",
                                                .erred = 4}));
}
