/* Baskets, compressed and uncompressed bytes of each branch: cupping's report from the logs
 * alone is compared with what uproot says of the same files. The files are deleted before the
 * report. */
#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/s3_server.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(branches, .timeout = 300);

/* ---- jobs --------------------------------------------------------------------------------- */

/* Directory with what branches_files.py wrote; kept between runs. */
static char *input(void)
{
    char *directory = cup_path(CUP_BUILD, "branches-input"), *log = cup_path(directory, "log");
    const char *const argv[] = {cup_python(), CUP_TOP "/tests/workloads/branches_files.py",
                                directory, NULL};
    snprintf(log, strlen(log) + 1, "%s.log", directory);
    cup_run("branches_files.py", log, argv, cup_clean_environment, 120);
    free(log);
    return directory;
}

/* Files that ROOT wrote: the project's own, and those beside the checkout or where one says. */
static char *root_files(void)
{
    const char *given = getenv("CUPPING_TEST_ROOT_FILES");
    char *setting = NULL;
    if (asprintf(&setting, "CUPPING_TEST_ROOT_FILES=%s:%s", CUP_TOP "/tests/data/root",
                 given ? given : CUP_TOP "/../shared/data") < 0)
        cr_assert_fail("out of memory");
    return setting;
}

/* By a process that is not profiled; the data are gone when it has ended. */
static void tell_truth(const char *directory, const char *python)
{
    char *log = cup_path(directory, "branches_truth.log");
    const char *const argv[] = {python ? python : cup_python(),
                                CUP_TOP "/tests/workloads/branches_truth.py", directory, NULL};
    cup_run("branches_truth.py", log, argv, cup_clean_environment, 120);
    free(log);
}

static void run_cluster(const char *directory, struct cup_cluster_options options, const char *sets)
{
    struct cup_cluster cluster;
    char *files = input(), *root = root_files();
    const char *const environment[] = {root, NULL};
    const char *const arguments[] = {files, directory, sets, NULL};
    options.directory = directory;
    options.environment = environment;
    cup_cluster_start(&cluster, &options);
    cup_cluster_script(&cluster, "branches_job.py", arguments);
    cup_cluster_stop(&cluster);
    tell_truth(directory, options.python);
    free(files), free(root);
}

/* One task after the other: what one leaves behind may not mislead the next. */
static void run_one_thread(const char *directory)
{
    run_cluster(directory, (struct cup_cluster_options){.threads = 1}, "uproot,coffea,root");
}

static void run_two_workers(const char *directory)
{
    run_cluster(directory, (struct cup_cluster_options){.threads = 2, .workers = 2},
                "uproot,coffea");
}

/* In the client's own process, or in its children. */
static void run_alone(const char *directory)
{
    static const char *const executors[] = {"iterative", "futures"};
    char *files = input(), *profile = cup_path(directory, "profile");
    for (int i = 0; i < 2; i++) {
        const char *const argv[] = {CUP_TOP "/wrappers/cupping-run",
                                    "-o",
                                    profile,
                                    "--",
                                    cup_python(),
                                    CUP_TOP "/tests/workloads/branches_job.py",
                                    executors[i],
                                    files,
                                    directory,
                                    "coffea",
                                    NULL};
        char *log = cup_path(directory, executors[i]);
        cup_run("branches_job.py", log, argv, cup_clean_environment, 120);
        free(log);
    }
    tell_truth(directory, NULL);
    free(files), free(profile);
}

/* ---- what must hold ---------------------------------------------------------------------- */

/* A job as both see it. */
struct job {
    char *directory;
    json_t *truth;  /* scenarios by name; owned */
    json_t *report; /* owned */
    json_t *rows;   /* of the report's branches; borrowed */
};

static struct job load(char *directory)
{
    static const char *const all_runs[] = {"--run", "all", NULL};
    struct job job = {.directory = directory, .truth = cup_json(directory, "truth.json")};
    job.report = cup_report_with(directory, all_runs);
    job.rows = json_object_get(json_object_get(job.report, "branches"), "rows");
    cr_assert(json_is_array(job.rows), "no rows of branches in %s", directory);
    return job;
}

static void drop(struct job *job)
{
    json_decref(job->truth);
    json_decref(job->report);
    free(job->directory);
}

/* Text of a field that may be null. */
static const char *text_of(json_t *row, const char *field)
{
    const char *text = json_string_value(json_object_get(row, field));
    return text ? text : "";
}

static bool same_text(json_t *row, json_t *other, const char *field)
{
    return strcmp(text_of(row, field), text_of(other, field)) == 0;
}

/* Row of the same branch; FILE: of this one (NULL: rows have none). Borrowed; NULL: there is none.
 */
static json_t *row_of(json_t *rows, const char *file, json_t *branch)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row) if ((!file || cup_is(row, "file", file)) &&
                                         same_text(row, branch, "tree") &&
                                         same_text(row, branch, "branch")) return row;
    return NULL;
}

static void expect_same(const char *scenario, json_t *branch, json_t *row, const char *field)
{
    json_t *ours = json_object_get(row, field), *theirs = json_object_get(branch, field);
    char *reported = json_dumps(ours, JSON_ENCODE_ANY),
         *true_one = json_dumps(theirs, JSON_ENCODE_ANY);
    cr_expect(ours && json_equal(ours, theirs), "%s: %s of %s is %s, not %s", scenario, field,
              text_of(branch, "branch"), reported ? reported : "missing", true_one);
    free(reported), free(true_one);
}

static void check_row(const char *scenario, json_t *branch, json_t *row)
{
    static const char *const fields[] = {"baskets", "compressed_bytes", "uncompressed_bytes",
                                         "reread_bytes"};
    cr_expect(row, "%s: nothing of branch %s", scenario, text_of(branch, "branch"));
    for (size_t i = 0; row && i < sizeof fields / sizeof *fields; i++)
        expect_same(scenario, branch, row, fields[i]);
}

/* Nobody asked for others: what read-ahead delivers makes no row. */
static void check_others(const char *scenario, json_t *truth, json_t *rows)
{
    bool has_pages = json_is_object(json_object_get(truth, "pages"));
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (!cup_is(row, "file", cup_word(truth, "file")))
            continue;
        if (json_is_null(json_object_get(row, "branch")))
            cr_expect(has_pages, "%s: pages, but no RNTuple", scenario);
        else
            cr_expect(row_of(json_object_get(truth, "rows"), NULL, row),
                      "%s: nobody asked for %s of %s", scenario, text_of(row, "branch"),
                      text_of(row, "tree"));
    }
}

static void check_scenario(const struct job *job, const char *name)
{
    json_t *truth = json_object_get(job->truth, name), *branch;
    size_t i;
    cr_assert(truth, "the job left %s out", name);
    json_array_foreach(json_object_get(truth, "rows"), i, branch)
        check_row(name, branch, row_of(job->rows, cup_word(truth, "file"), branch));
    check_others(name, truth, job->rows);
}

static void check_scenarios(const struct job *job, const char *const *names)
{
    for (; *names; names++)
        check_scenario(job, *names);
}

static void check_all(const struct job *job)
{
    const char *name;
    json_t *truth;
    cr_assert(json_object_size(job->truth) > 0);
    json_object_foreach(job->truth, name, truth) check_scenario(job, name);
}

/* ---- tests ------------------------------------------------------------------------------------
 */

/* One after the other, and four at a time. */
static void check_both(const char *const *names)
{
    struct job one = load(cup_job("branches-1", run_one_thread));
    check_scenarios(&one, names);
    drop(&one);
    struct job two = load(cup_job("branches-2", run_two_workers));
    check_scenarios(&two, names);
    drop(&two);
}

#define CHECK_BOTH(...) check_both((const char *const[]){__VA_ARGS__, NULL})

Test(branches, of_every_compression)
{
    CHECK_BOTH("zlib", "lzma", "lz4", "zstd", "uncompressed");
}

Test(branches, of_big_and_tiny_baskets)
{
    CHECK_BOTH("big", "big-by-threads", "tiny", "tiny-one-by-one");
}

Test(branches, between_others)
{
    CHECK_BOTH("five-of-300", "neighbours", "five-by-threads", "all-300", "two-trees");
}

Test(branches, of_entry_ranges)
{
    CHECK_BOTH("cuts", "border", "steps", "awkward", "in-threads");
}

Test(branches, read_again)
{
    CHECK_BOTH("again", "twice", "border");
}

Test(branches, of_every_source)
{
    CHECK_BOTH("threads", "relative", "url", "object");
}

/* Uproot says what it asks for; that is all that is known. */
Test(branches, that_pass_by_no_hook)
{
    CHECK_BOTH("mapped");
}

/* Single ranges, and several in one answer. */
Test(branches, in_answers_of_http_servers)
{
    CHECK_BOTH("remote", "remote-parts", "remote-tiny", "remote-by-threads");
}

/* Tasks that run at the same time use the same connections. */
Test(branches, in_answers_of_s3_servers)
{
    s3_need();
    static const char *const names[] = {"s3", "s3-tiny", "s3-big", "s3-again", NULL};
    struct s3_server server;
    struct cup_cluster cluster;
    char *directory = cup_scratch("branches-s3"), *files = input();
    s3_start(&server, &(struct http_options){.files = files});
    const char *const environment[] = {"PYTHONPATH=" CUP_TOP "/tests/workloads:" S3_PACKAGES,
                                       text("CUPPING_TEST_S3=%s/bucket", server.front.url), NULL};
    const char *const arguments[] = {files, directory, "s3", NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = directory,
                                                              .threads = 4,
                                                              .environment = environment});
    cup_cluster_script(&cluster, "branches_job.py", arguments);
    cup_cluster_stop(&cluster);
    json_decref(s3_stop(&server));
    tell_truth(directory, NULL);
    struct job job = load(directory);
    check_scenarios(&job, names);
    drop(&job);
    free(files);
}

Test(branches, of_readers_of_the_users_own)
{
    CHECK_BOTH("plain", "plain-big", "plain-tiny", "small", "raw", "fromfile");
}

Test(branches, basket_by_basket)
{
    CHECK_BOTH("basket", "basket-and-arrays");
}

Test(branches, of_coffeas_chunks)
{
    CHECK_BOTH("schema-base", "schema-nano", "retried");
}

Test(branches, without_a_cluster)
{
    struct job job = load(cup_job("branches-alone", run_alone));
    check_all(&job);
    drop(&job);
}

/* ---- pages of RNTuples ------------------------------------------------------------------------
 */

static json_t *pages_of(const struct job *job, const char *file)
{
    size_t i;
    json_t *row;
    json_array_foreach(job->rows, i,
                       row) if (cup_is(row, "file", file) &&
                                json_is_null(json_object_get(row, "branch"))) return row;
    return NULL;
}

static void check_pages(const struct job *job, const char *scenario, json_t *truth)
{
    json_t *pages = json_object_get(truth, "pages");
    json_t *row = pages_of(job, cup_word(truth, "file"));
    json_int_t count = cup_count(pages, "count");
    if (count == 0) { /* of those that are not compressed nothing is to be seen */
        cr_expect(!row, "%s: blocks, but nothing is compressed", scenario);
        return;
    }
    cr_assert(row, "%s: no row of pages", scenario);
    cr_expect_eq(cup_count(row, "baskets"), count, "%s: %lld blocks, not %lld", scenario,
                 (long long)cup_count(row, "baskets"), (long long)count);
    expect_same(scenario, pages, row, "compressed_bytes");
    expect_same(scenario, pages, row, "uncompressed_bytes");
}

Test(branches, pages_have_no_names)
{
    struct job job = load(cup_job("branches-1", run_one_thread));
    const char *name;
    json_t *truth;
    int files = 0;
    check_scenario(&job, "ntuple");
    check_scenario(&job, "both");
    json_object_foreach(job.truth, name, truth) if (json_is_object(json_object_get(truth, "pages")))
    {
        check_pages(&job, name, truth);
        files++;
    }
    cr_expect(files >= 2);
    drop(&job);
}

/* ---- sums -------------------------------------------------------------------------------------
 */

/* Of all rows and pages of the truth; what cannot be known counts as nothing. */
static json_int_t sum_of(json_t *truth, const char *field)
{
    json_t *rows = json_object_get(truth, "rows"), *row;
    json_int_t sum = json_integer_value(json_object_get(json_object_get(truth, "pages"), field));
    size_t i;
    json_array_foreach(rows, i, row) sum += json_integer_value(json_object_get(row, field));
    return sum;
}

static void check_sums(const struct job *job)
{
    json_t *workflow = json_object_get(job->report, "workflow"), *truth;
    json_int_t compressed = 0, uncompressed = 0;
    const char *name;
    json_object_foreach(job->truth, name, truth)
    {
        compressed += sum_of(truth, "compressed_bytes");
        uncompressed += sum_of(truth, "uncompressed_bytes");
    }
    cr_expect_eq(cup_count(workflow, "bytes_read_compressed"), compressed);
    cr_expect_eq(cup_count(workflow, "bytes_read_uncompressed"), uncompressed);
    cr_expect_eq(cup_count(json_object_get(job->report, "health"), "baskets_dropped"), 0);
}

/* Each chunk reads the same branches, and all of its range. */
static void check_chunks(const struct job *job, const char *scenario)
{
    json_t *truth = json_object_get(job->truth, scenario), *row;
    json_t *rows = json_object_get(json_object_get(job->report, "chunks"), "rows");
    json_int_t branches = (json_int_t)json_array_size(json_object_get(truth, "rows"));
    json_int_t compressed = 0, uncompressed = 0;
    size_t i;
    json_array_foreach(rows, i, row) if (cup_is(row, "file", cup_word(truth, "file")))
    {
        cr_expect_eq(cup_count(row, "branches_read"), branches, "%s: a chunk with %lld branches",
                     scenario, (long long)cup_count(row, "branches_read"));
        cr_expect(cup_is(row, "entries_read", "all"), "%s: %s", scenario,
                  cup_word(row, "entries_read"));
        compressed += cup_count(row, "bytes_read_compressed");
        uncompressed += cup_count(row, "bytes_read_uncompressed");
    }
    cr_expect_eq(compressed, sum_of(truth, "compressed_bytes"), "%s", scenario);
    cr_expect_eq(uncompressed, sum_of(truth, "uncompressed_bytes"), "%s", scenario);
}

static void check_all_sums(const struct job *job)
{
    check_sums(job);
    check_chunks(job, "schema-base");
    check_chunks(job, "schema-nano");
}

Test(branches, of_the_run_and_of_each_chunk)
{
    struct job one = load(cup_job("branches-1", run_one_thread));
    struct job two = load(cup_job("branches-2", run_two_workers));
    check_all_sums(&one);
    check_all_sums(&two);
    drop(&one);
    drop(&two);
}

/* ---- files that ROOT wrote --------------------------------------------------------------------
 */

Test(branches, of_files_that_root_wrote)
{
    struct job job = load(cup_job("branches-1", run_one_thread));
    const char *name;
    json_t *truth;
    int files = 0;
    json_object_foreach(job.truth, name, truth) if (!strncmp(name, "root-", 5))
    {
        check_scenario(&job, name);
        files++;
    }
    drop(&job);
    if (files == 0)
        cr_skip_test("no ROOT files in tests/data/root or CUPPING_TEST_ROOT_FILES");
}

/* ---- other Pythons ------------------------------------------------------------------------- */

static void check_python(const char *version, const char *sets)
{
    char python[512], name[64];
    snprintf(python, sizeof python, CUP_TOP "/build/venv-%s/bin/python", version);
    snprintf(name, sizeof name, "branches-%s", version);
    if (access(python, X_OK))
        cr_skip_test("no Python %s with Dask here (%s)", version, python);
    char *directory = cup_scratch(name);
    run_cluster(directory, (struct cup_cluster_options){.python = python, .threads = 2}, sets);
    struct job job = load(directory);
    check_all(&job);
    drop(&job);
}

Test(branches, of_the_oldest_python)
{
    cup_only_in_soak();
    check_python("3.9", "uproot");
}

Test(branches, of_python_3_14)
{
    cup_only_in_soak();
    check_python("3.14", "uproot,coffea");
}

Test(branches, of_the_newest_python)
{
    check_python("3.13", "uproot,coffea");
}
