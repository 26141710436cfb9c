/* Releases of Dask and Coffea whose workers keep the outcome of a task elsewhere than today's
 * (docs/releases.md): what is recorded there is as exact as with the newest. And releases and
 * Pythons that the library does not know: the first page says what is missing. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(releases, .timeout = 300);

static const char *python; /* of the job under test */

static void run(const char *directory)
{
    struct cup_cluster cluster;
    char *input = cup_input("ttree"), *files = cup_path(input, "files.json");
    char *out = cup_path(directory, "out.json");
    const char *const arguments[] = {out, files, NULL};
    cup_cluster_start(
        &cluster, &(struct cup_cluster_options){
                      .directory = directory, .python = python, .threads = 2, .client_too = true});
    cup_cluster_script(&cluster, "releases_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out), free(files), free(input);
}

/* ---- checks ------------------------------------------------------------------------------ */

static void check_outcomes(json_t *rows, json_t *tasks)
{
    const char *prefix;
    json_t *expected;
    json_object_foreach(tasks, prefix, expected)
    {
        static const char *const statuses[] = {"finished", "erred"};
        for (int i = 0; i < 2; i++)
            cr_expect_eq(cup_count_rows(rows, prefix, statuses[i]),
                         cup_count(expected, statuses[i]), "%s: another number of tasks %s", prefix,
                         statuses[i]);
        cr_expect_eq(cup_count_rows(rows, prefix, "unknown"), 0, "%s", prefix);
    }
}

static void check_rows(json_t *rows)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (cup_is(row, "prefix", "big"))
            cr_expect(cup_count(row, "result_bytes") >= 1000000);
        cr_expect(json_is_null(json_object_get(row, "cpu_s")) == cup_is(row, "prefix", "later"));
    }
}

/* The text of the report lists tasks that failed, with their exceptions. */
static void check_errors(const char *directory)
{
    char command[4096], line[1024];
    int found = 0;
    snprintf(command, sizeof command,
             CUP_TOP "/build/cupping report %s/profile --run all --only tasks", directory);
    FILE *report = popen(command, "r");
    cr_assert_not_null(report);
    while (fgets(line, sizeof line, report))
        found += strstr(line, "ValueError('boom ") != NULL || strstr(line, "OSError('fails once')");
    pclose(report);
    cr_expect_eq(found, 4, "%d errors", found);
}

/* Muon_pt and nMuon of all files, each basket once: as uproot says. */
static void check_baskets(json_t *report, json_t *out)
{
    json_t *branches = json_object_get(report, "branches");
    cr_expect_eq(cup_count(branches, "distinct_bytes"), cup_count(out, "basket_bytes"));
    cr_expect_eq(cup_count(branches, "branches_read"), 2);
}

static json_int_t count_at(json_t *report, const char *object, const char *name)
{
    return json_integer_value(json_object_get(json_object_get(report, object), name));
}

static void check_coffea(json_t *report, json_t *metrics)
{
    json_t *completeness = json_object_get(report, "completeness");
    json_int_t events = cup_count(metrics, "entries");
    cr_expect(cup_is(completeness, "state", "complete"), "%s", cup_word(completeness, "sentence"));
    cr_expect_eq(cup_count(completeness, "planned_events"), events);
    cr_expect_eq(cup_count(completeness, "done_events"), events);
    cr_expect_eq(count_at(report, "workflow", "total_events"), events);
    cr_expect_eq(count_at(report, "workflow", "total_bytes_read_coffea"),
                 cup_count(metrics, "bytesread"));
    cr_expect_eq(cup_count(completeness, "done_chunks"), cup_count(metrics, "chunks"));
}

static void check(const char *venv)
{
    const char *const all[] = {"--run", "all", NULL};
    char path[1024];
    snprintf(path, sizeof path, "%s/build/%s/bin/python", CUP_TOP, venv);
    if (access(path, X_OK) != 0)
        cr_skip_test("no build/%s", venv);
    python = path;
    char *directory = cup_job(venv, run);
    json_t *rows = cup_tasks(directory), *out = cup_json(directory, "out.json");
    json_t *report = cup_report_with(directory, all);
    check_outcomes(rows, json_object_get(out, "tasks"));
    check_rows(rows);
    check_errors(directory);
    check_coffea(report, json_object_get(out, "metrics"));
    check_baskets(report, out);
    json_decref(report), json_decref(rows), json_decref(out);
    free(directory);
}

/* Dask's worker reads the time itself, without a meter. */
Test(releases, oldest)
{
    check("venv-2022.1");
}

/* Dask's worker makes its message after the clock call. */
Test(releases, with_a_late_message)
{
    check("venv-2024.2");
}

/* The newest Python with the newest Dask and Coffea. */
Test(releases, newest_python)
{
    check("venv-3.13");
}

/* ---- too old ----------------------------------------------------------------------------- */

static const char *sentence_of(const char *directory)
{
    static char sentence[1024];
    json_t *report = cup_report(directory);
    snprintf(sentence, sizeof sentence, "%s",
             cup_word(json_object_get(report, "completeness"), "sentence"));
    json_decref(report);
    return sentence;
}

static bool is_on_first_page(const char *profile, const char *text)
{
    char command[4096], line[1024];
    bool found = false;
    snprintf(command, sizeof command, CUP_TOP "/build/cupping report %s", profile);
    FILE *report = popen(command, "r");
    cr_assert_not_null(report);
    while (fgets(line, sizeof line, report))
        found |= strstr(line, text) != NULL;
    pclose(report);
    return found;
}

/* One process, whose package says that it is of VERSION. SETTING: for libpython_version.so; NULL:
 * it is not there. Returns the directory. */
static char *run_release(const char *with, const char *package, const char *version,
                         const char *setting)
{
    char preload[] =
        "LD_PRELOAD=" CUP_BUILD "/libcupping.so:" CUP_BUILD "/tests/trace/libpython_version.so";
    char *directory = cup_scratch("old-release"), *input = cup_input("ttree"), *to = NULL;
    char *profile = cup_path(directory, "profile"), *log = cup_path(directory, "client.log");
    char *files = cup_path(input, "files.json");
    const char *const argv[] = {
        with, CUP_TOP "/tests/workloads/old_release.py", package, version, files, NULL};
    if (asprintf(&to, "CUPPING_DIR=%s", profile) < 0 || mkdir(profile, 0755) != 0)
        cr_assert_fail("no directory for the profile");
    preload[setting ? sizeof preload : strcspn(preload, ":")] = '\0';
    const char *const environment[] = {preload, to, setting, NULL};
    cup_run("old_release.py", log, argv, environment, 200);
    free(input), free(profile), free(log), free(files), free(to);
    return directory;
}

/* Nothing is recorded of a release that is too old, and the first page says so; of this one's
 * neighbour, everything. */
static void check_release(const char *package, const char *version, size_t tasks)
{
    char text[128];
    char *directory = run_release(CUP_PYTHON, package, version, NULL);
    char *profile = cup_path(directory, "profile");
    json_t *rows = cup_tasks(directory);
    cr_expect_eq(json_array_size(rows), tasks, "%zu tasks", json_array_size(rows));
    snprintf(text, sizeof text, "%s %s is too old (supported are ", package, version);
    cr_expect_eq(is_on_first_page(profile, text), tasks == 0);
    snprintf(text, sizeof text, "of so old a release of %s are not",
             strcmp(package, "coffea") == 0 ? "Coffea" : "Dask");
    cr_expect_eq(strstr(sentence_of(directory), text) != NULL, tasks == 0);
    json_decref(rows);
    free(directory), free(profile);
}

Test(releases, dask_that_is_too_old_is_refused)
{
    check_release("distributed", "2021.12.0", 0);
}

Test(releases, the_oldest_dask_is_not)
{
    check_release("distributed", "2022.1.0", 21);
}

Test(releases, coffea_that_is_too_old_is_refused)
{
    check_release("coffea", "0.7.21", 0);
}

Test(releases, the_oldest_coffea_is_not)
{
    check_release("coffea", "0.7.22", 12); /* the metadata and one chunk of each file */
}

/* ---- Pythons that the library does not know ------------------------------------------------- */

static const char UNKNOWN[] = "CUP_PYTHON_VERSION=3.99.1 (main)";

/* No task and no chunk is recorded. The first page and its first line say why. */
static void check_dormant(const char *with, const char *setting, const char *why)
{
    if (access(with, X_OK) != 0)
        cr_skip_test("no %s", with);
    char *directory = run_release(with, "coffea", "2026.9.0", setting);
    char *profile = cup_path(directory, "profile");
    json_t *rows = cup_tasks(directory);
    cr_expect_eq(json_array_size(rows), 0);
    cr_expect(is_on_first_page(profile, why), "%s", why);
    cr_expect(strstr(sentence_of(directory), "Dask and Coffea are not recorded with this Python"),
              "%s", sentence_of(directory));
    json_decref(rows);
    free(profile), free(directory);
}

Test(releases, python_whose_frames_are_not_known)
{
    check_dormant(CUP_PYTHON, UNKNOWN,
                  "Python 3.99.1: tasks and chunks are off (unknown interpreter).");
}

Test(releases, python_that_is_too_old)
{
    check_dormant(CUP_PYTHON, "CUP_PYTHON_VERSION=3.8.18",
                  "Python 3.8.18: tasks and chunks are off (unknown interpreter: ");
}

Test(releases, python_without_a_gil)
{
    check_dormant(CUP_PYTHON_3_13, "CUP_FREE_THREADED=1",
                  "tasks and chunks are off (a free-threaded build: ");
}

Test(releases, python_whose_version_names_a_build_without_a_gil)
{
    check_dormant(CUP_PYTHON, "CUP_PYTHON_VERSION=3.11.9 free-threading build",
                  "tasks and chunks are off (a free-threaded build: ");
}

static json_int_t bytes_of_branches(json_t *report)
{
    return cup_count(json_object_get(report, "branches"), "distinct_bytes");
}

/* Its frames are those of a version that is known: chunks and their baskets are recorded, and the
 * first page names the rest. */
Test(releases, python_whose_frames_are_known)
{
    if (access(CUP_PYTHON_3_13, X_OK) != 0)
        cr_skip_test("no Python 3.13");
    char *known = run_release(CUP_PYTHON_3_13, "coffea", "2026.9.0", NULL);
    json_t *expected = cup_report(known);
    char *directory = run_release(CUP_PYTHON_3_13, "coffea", "2026.9.0", UNKNOWN);
    char *profile = cup_path(directory, "profile");
    json_t *report = cup_report(directory), *fine = json_object_get(report, "fine");
    cr_expect_str_eq(sentence_of(directory), "Complete: 30,000 events, 6 chunks.");
    cr_expect_eq(bytes_of_branches(report), bytes_of_branches(expected));
    cr_expect(json_is_null(json_object_get(fine, "gil_wait_s")));
    cr_expect(is_on_first_page(profile, "Python 3.99.1: stacks, hand-off, helper CPU and calls of "
                                        "actors, GIL waits,"));
    json_decref(report), json_decref(expected);
    free(profile), free(directory), free(known);
}
