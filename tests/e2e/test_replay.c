/* Single reads, and their replay, of local files and of files of an XRootD server: the table has
 * the bytes that other counters have, and the replay reads the same bytes again. */
#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/http_server.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/xrootd_server.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(replay, .timeout = 240);

#define WORKLOADS CUP_TOP "/tests/workloads/"

/* ---- tables --------------------------------------------------------------------------------- */

static const char *export_reads(const char *profile, const char *to)
{
    const char *table = text("%s/reads.tsv", to);
    struct child export = {
        .argv = {CUP_BUILD "/cupping", "export", profile, "--to", "replay", "-o", table}};
    free(output_of(&export));
    return table;
}

/* {file: {"reads", "bytes", "vectors"}} */
static json_t *sum_table(const char *table)
{
    static const char program[] =
        "import csv, json, sys\n"
        "files = {}\n"
        "for row in csv.DictReader(open(sys.argv[1]), delimiter='\\t', quoting=csv.QUOTE_NONE):\n"
        "    one = files.setdefault(row['file'], {'reads': 0, 'bytes': 0, 'vectors': 0})\n"
        "    one['reads'] += 1\n"
        "    one['bytes'] += int(row['bytes'])\n"
        "    one['vectors'] += row['parts'] != ''\n"
        "    assert row['task'] or row['file'].endswith('mark'), row\n"
        "print(json.dumps(files))\n";
    struct child sum = {.argv = {CUP_PYTHON, "-c", program, table}};
    char *out = output_of(&sum);
    json_t *files = json_loads(out, 0, NULL);
    cr_assert_not_null(files, "%s", out);
    free(out);
    return files;
}

/* The report counts the bytes elsewhere. Reads at the end of a file, which deliver nothing, are in
 * the report only. */
static void check_table(json_t *files, const char *profile)
{
    json_t *report = report_of(profile), *row;
    json_t *rows = json_object_get(json_object_get(report, "files"), "rows");
    size_t i, compared = 0;
    json_array_foreach(rows, i, row)
    {
        json_t *found = json_object_get(files, cup_word(row, "file"));
        if (!cup_is(row, "class", "data") || !cup_count(row, "read_bytes"))
            continue;
        cr_assert(found, "no reads of %s", cup_word(row, "file"));
        cr_expect(cup_count(found, "bytes") == cup_count(row, "read_bytes"), "%s: %lld, not %lld",
                  cup_word(row, "file"), (long long)cup_count(found, "bytes"),
                  (long long)cup_count(row, "read_bytes"));
        cr_expect(cup_count(found, "reads") <= cup_count(row, "read_calls"));
        compared++;
    }
    cr_expect_eq(compared, json_object_size(files));
    json_decref(report);
}

/* ---- replays -------------------------------------------------------------------------------- */

/* Options end with NULL. Returns the JSON; the status is stored. */
static json_t *run_replay(const char *table, const char *const *options, int *status, char **errors)
{
    struct child replay = {
        .argv = {CUP_BUILD "/cupping", "replay", table, "--json", "-"},
        .settings = {text("PATH=%s/venv/bin:%s", CUP_TOP "/build", getenv("PATH"))}};
    for (int i = 5; *options; i++)
        replay.argv[i] = *options++;
    child_run(&replay);
    *status = replay.status >> 8;
    *errors = strdup(replay.err);
    json_t *result = json_loads(replay.out, 0, NULL);
    child_free(&replay);
    return result;
}

#define OPTIONS(...)                                                                               \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* Each file was read as in the table. */
static void check_replay(json_t *result, json_t *files, const char *(*place)(const char *file))
{
    const char *file;
    json_t *one;
    cr_assert_not_null(result);
    json_object_foreach(files, file, one)
    {
        size_t i;
        bool found = false;
        json_t *row;
        json_array_foreach(json_object_get(result, "files"), i,
                           row) if (cup_is(row, "file", place(file)))
        {
            found = cup_count(row, "reads") == cup_count(one, "reads") &&
                    cup_count(row, "bytes") == cup_count(one, "bytes") &&
                    cup_number(row, "replayed_p50_s") > 0 && cup_number(row, "recorded_p50_s") >= 0;
        }
        cr_expect(found, "%s was not read again as recorded", place(file));
    }
}

static const char *same_place(const char *file)
{
    return file;
}

/* ---- local files ---------------------------------------------------------------------------- */

static void record_local_job(const char *files, const char *logs)
{
    struct child plain = {.argv = {CUP_PYTHON, WORKLOADS "access_job.py", files},
                          .settings = {"CUPPING_READS=1"}};
    struct child job = child_recorded(&plain, logs);
    child_run(&job);
    cr_assert_eq(job.status, 0, "%s", job.err);
    child_free(&job);
}

/* One file is missing, another one is too short: a line for each, and the others are read. */
static void check_failures(const char *table, const char *files, size_t count)
{
    int status;
    char *errors;
    cr_assert(unlink(text("%s/order.bin", files)) == 0);
    cr_assert(truncate(text("%s/back.bin", files), 5 << 20) == 0);
    json_t *result = run_replay(table, OPTIONS("--speed", "100"), &status, &errors);
    cr_expect_eq(status, 1);
    cr_expect(strstr(errors, "order.bin: cannot open it: No such file or directory; left out: 12 "
                             "reads\n"),
              "%s", errors);
    cr_expect(strstr(errors, "back.bin: 7 reads beyond its end"), "%s", errors);
    cr_assert_not_null(result);
    cr_expect_eq(cup_count(result, "failed"), 12);
    cr_expect_eq(cup_count(result, "beyond_end"), 7);
    cr_expect_eq(json_array_size(json_object_get(result, "files")), count);
    json_decref(result);
    free(errors);
    cr_expect_null(run_replay(table, OPTIONS("--root", "/nowhere"), &status, &errors));
    cr_expect_eq(status, 1);
    cr_expect(strstr(errors, "is not there, nor is any other file"), "%s", errors);
    free(errors);
}

Test(replay, of_local_files)
{
    int status;
    char *errors, *logs = test_directory(), *files = test_directory();
    record_local_job(files, logs);
    const char *table = export_reads(logs, files);
    json_t *sums = sum_table(table);
    check_table(sums, logs);
    json_t *result = run_replay(table, OPTIONS("--strip", files, "--root", files, "--speed", "20"),
                                &status, &errors);
    cr_expect_eq(status, 0, "%s", errors);
    check_replay(result, sums, same_place);
    cr_expect_geq(cup_count(result, "processes"), 2, "the client and a worker");
    check_failures(table, files, json_object_size(sums));
    json_decref(result);
    json_decref(sums);
    free(errors);
    test_directory_remove(files);
    test_directory_remove(logs);
}

/* ---- an XRootD server ----------------------------------------------------------------------- */

static void run_cluster(const char *scratch)
{
    struct cup_cluster cluster;
    char *out = cup_path(scratch, "out.json");
    const char *const arguments[] = {out, xrootd_url, xrootd_files(), NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){
                                    .directory = scratch,
                                    .threads = 2,
                                    .environment = (const char *const[]){"CUPPING_READS=1", NULL}});
    cup_cluster_script(&cluster, "xrootd_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out);
}

static json_int_t count_vectors(json_t *files)
{
    const char *file;
    json_t *one;
    json_int_t count = 0;
    json_object_foreach(files, file, one) count += cup_count(one, "vectors");
    return count;
}

/* Older clients of XRootD: 5.9 of pip, 5.5 of Debian 12. MISSING: one that is not here. */
static void check_older_clients(const char *table, json_t *files, const char **missing)
{
    static const char *const libraries[] = {
        CUP_TOP "/build/xrootd-5.9/pyxrootd/libXrdPosix.so.3",
        "/usr/lib/x86_64-linux-gnu/libXrdPosix.so.3",
    };
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        int status;
        char *errors;
        if (access(libraries[i], R_OK)) {
            *missing = libraries[i];
            continue;
        }
        json_t *result =
            run_replay(table, OPTIONS("--client", libraries[i], "--speed", "20"), &status, &errors);
        cr_expect_eq(status, 0, "%s: %s", libraries[i], errors);
        check_replay(result, files, same_place);
        json_decref(result);
        free(errors);
    }
}

static const char *local_place(const char *file)
{
    return text("%s%s", xrootd_files(), strrchr(file, '/'));
}

Test(replay, of_an_xrootd_server)
{
    xrootd_need();
    int status;
    char *errors, *scratch = cup_scratch("replay-xrootd");
    xrootd_start();
    run_cluster(scratch);
    const char *table = export_reads(text("%s/profile", scratch), scratch);
    json_t *sums = sum_table(table);
    check_table(sums, text("%s/profile", scratch));
    cr_expect_geq(count_vectors(sums), 12, "uproot's vector reads");
    json_t *result = run_replay(table, OPTIONS("--speed", "20"), &status, &errors);
    cr_expect_eq(status, 0, "%s", errors);
    check_replay(result, sums, same_place);
    json_decref(result);
    free(errors);
    const char *missing = NULL;
    check_older_clients(table, sums, &missing);
    result =
        run_replay(table, OPTIONS("--root", xrootd_files(), "--speed", "20"), &status, &errors);
    cr_expect_eq(status, 0, "%s", errors);
    check_replay(result, sums, local_place);
    json_decref(result);
    json_decref(sums);
    free(errors);
    xrootd_stop();
    free(scratch);
    if (missing)
        cr_skip_test("the other clients passed, but there is no %s", missing);
}

/* ---- HTTP ------------------------------------------------------------------------------------ */

static const char http_program[] =
    "import sys\n"
    "from urllib.request import Request, urlopen\n"
    "from run_task import run\n"
    "def read(at):\n"
    "    part = {'Range': f'bytes={at}-{at + 999}'}\n"
    "    return len(urlopen(Request(sys.argv[1] + '/0.root', headers=part)).read())\n"
    "for i in range(3):\n"
    "    run(f'part-{i}', lambda: read(5000 * i))\n"
    "run('whole', lambda: urlopen(sys.argv[1] + '/1.root').read())\n";

/* What the server sent of a file, without heads. */
static json_int_t sum_bodies(json_t *log, const char *path)
{
    size_t i;
    json_t *answer;
    json_int_t sum = 0;
    json_array_foreach(log, i, answer) sum +=
        cup_is(answer, "path", path) ? cup_count(answer, "body") : 0;
    return sum;
}

static void check_http(const char *table, json_t *log, const char *url)
{
    char *errors;
    int status;
    json_t *files = sum_table(table);
    for (int i = 0; i < 2; i++) {
        const char *path = text("/%d.root", i);
        json_t *file = json_object_get(files, text("%s%s", url, path));
        json_int_t sent = sum_bodies(log, path);
        cr_assert(file != NULL && sent > 0, "no reads of %s", path);
        cr_expect_eq(cup_count(file, "bytes"), sent, "%s: %lld bytes, the server sent %lld", path,
                     (long long)cup_count(file, "bytes"), (long long)sent);
    }
    cr_expect_eq(json_object_size(files), 2);
    json_decref(files);
    json_decref(run_replay(table, OPTIONS(NULL), &status, &errors));
    cr_expect(status != 0 && strstr(errors, "cannot be read here: name another place with --root"),
              "%s", errors);
    free(errors);
}

/* They are in the table; the replay refuses them in one line. */
Test(replay, reads_by_http_are_exported)
{
    http_need();
    char *files = test_directory(), *profile = test_directory();
    struct http_server server;
    xrootd_make_files(files);
    cr_assert(chmod(files, 0755) == 0);
    http_start(&server, &(struct http_options){.files = files});
    struct child plain = {.argv = {CUP_PYTHON, "-c", http_program, server.url},
                          .settings = {"PYTHONPATH=" WORKLOADS, "CUPPING_READS=1"}};
    struct child recorded = child_recorded(&plain, profile);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    json_t *log = http_stop(&server);
    check_http(export_reads(profile, profile), log, server.url);
    json_decref(log);
    child_free(&recorded);
    test_directory_remove(profile);
    test_directory_remove(files);
}
