/* A worker on a host whose clock is minutes wrong: the report of the run is still right. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(clocks, .timeout = 300);

#define OURS CUP_TOP "/build/libcupping.so"
#define WRONG CUP_TOP "/build/tests/trace/libclock.so"

/* ---- the job ----------------------------------------------------------------------------- */

/* A second worker, with libraries PRELOAD. */
static void start_worker(struct cup_process *worker, struct cup_cluster *cluster,
                         const char *preload, const char *wrong)
{
    char setting[4096], directory[4200], clock[64], dask[2200], log[2200], scratch[2200];
    const char *python = cluster->options.python;
    snprintf(setting, sizeof setting, "LD_PRELOAD=%s", preload);
    snprintf(directory, sizeof directory, "CUPPING_DIR=%s", cluster->profile);
    snprintf(clock, sizeof clock, "CUP_TEST_CLOCK_S=%s", wrong);
    snprintf(dask, sizeof dask, "%.*sdask", (int)(strrchr(python, '/') + 1 - python), python);
    snprintf(log, sizeof log, "%s/other.log", cluster->directory);
    snprintf(scratch, sizeof scratch, "%s/other", cluster->directory);
    const char *const environment[] = {setting,
                                       directory,
                                       clock,
                                       "CUP_TEST_HOST=otherhost",
                                       "CUPPING_INTERVAL=0.1",
                                       "PYTHONPATH=" CUP_TOP "/tests/workloads",
                                       NULL};
    const char *const argv[] = {dask,
                                "worker",
                                cluster->address,
                                "--no-dashboard",
                                "--no-nanny",
                                "--nthreads",
                                "1",
                                "--memory-limit",
                                "0",
                                "--local-directory",
                                scratch,
                                "--death-timeout",
                                "60",
                                NULL};
    cup_process_start(worker, "other worker", log, argv, environment);
}

/* The client is profiled, too. */
static void run_client(const struct cup_cluster *cluster)
{
    char log[2200], out[2200];
    char *input = cup_input("ttree"), *files = cup_path(input, "files.json");
    snprintf(log, sizeof log, "%s/client.log", cluster->directory);
    snprintf(out, sizeof out, "%s/out.json", cluster->directory);
    const char *const argv[] = {CUP_TOP "/wrappers/cupping-run",
                                "-o",
                                cluster->profile,
                                "--",
                                cluster->options.python,
                                CUP_TOP "/tests/workloads/clocks_job.py",
                                cluster->address,
                                out,
                                files,
                                NULL};
    cup_run("client", log, argv, (const char *const *)cluster->environment, 200);
    free(files);
    free(input);
}

static void run_with(const char *directory, const char *preload, const char *wrong)
{
    static const char *const environment[] = {"CUPPING_INTERVAL=0.1", NULL};
    struct cup_cluster cluster;
    struct cup_process other;
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = directory,
                                                              .environment = environment});
    start_worker(&other, &cluster, preload, wrong);
    run_client(&cluster);
    cup_process_signal(&other, SIGTERM);
    cup_process_wait(&other, 60);
    cup_cluster_stop(&cluster);
}

/* ---- what must hold ---------------------------------------------------------------------- */

static json_t *report_of(const char *directory, const char *run)
{
    char *profile = cup_path(directory, "profile"), *out = cup_path(directory, "report.json");
    const char *const argv[] = {
        CUP_BUILD "/cupping", "report", profile, "--json", out, "--run", run, NULL};
    char *log = cup_path(directory, "report.log");
    cup_run("report", log, argv, cup_clean_environment, 60);
    json_t *report = cup_json(directory, "report.json");
    free(log);
    free(out);
    free(profile);
    return report;
}

/* Chunks of both hosts, all within the call, by the client's clock. */
static void check_chunks(json_t *report, json_t *run)
{
    json_t *rows = json_object_get(json_object_get(report, "chunks"), "rows"), *row;
    size_t i, others = 0;
    cr_expect_eq((json_int_t)json_array_size(rows), cup_count(run, "chunks"));
    json_array_foreach(rows, i, row)
    {
        double start = cup_number(row, "start"), stop = start + cup_number(row, "wall_s");
        others += cup_is(row, "host", "otherhost");
        cr_expect(start > cup_number(run, "start") - 0.2 && stop < cup_number(run, "stop") + 0.2,
                  "a chunk on %s from %.3f to %.3f, the run from %.3f to %.3f",
                  cup_word(row, "host"), start, stop, cup_number(run, "start"),
                  cup_number(run, "stop"));
    }
    cr_expect(others > 0 && others < json_array_size(rows), "%zu of %zu chunks elsewhere", others,
              json_array_size(rows));
}

static void check_run(const char *directory, json_t *out, const char *number)
{
    json_t *report = report_of(directory, number);
    json_t *run = json_array_get(json_object_get(out, "runs"), (size_t)atoi(number) - 1);
    json_t *workflow = json_object_get(report, "workflow");
    double took = cup_number(run, "stop") - cup_number(run, "start");
    double wall = cup_number(workflow, "wall_time");
    cr_expect(fabs(wall - took) < 0.5, "run %s took %.3f s, not %.3f", number, wall, took);
    cr_expect(cup_number(workflow, "process_s") < took);
    cr_expect(cup_number(workflow, "graph_s") >= 0 && cup_number(workflow, "graph_s") < took);
    cr_expect(cup_number(json_object_get(report, "time_budget"), "threads_s") < 3 * took);
    check_chunks(report, run);
    json_decref(report);
}

static bool has_text(json_t *texts, const char *part)
{
    size_t i;
    json_t *text;
    json_array_foreach(texts, i, text) if (strstr(json_string_value(text), part)) return true;
    return false;
}

/* AHEAD: of the other host's clock as our times have it. */
static void check_health(const char *directory, double ahead)
{
    json_t *report = report_of(directory, "all"), *health = json_object_get(report, "health");
    json_t *processes = json_object_get(health, "processes"), *process;
    size_t i, others = 0;
    json_array_foreach(processes, i, process)
    {
        bool other = cup_is(process, "host", "otherhost");
        double expected = other ? ahead : 0;
        others += other;
        cr_expect(json_is_true(json_object_get(process, "clock_compared")));
        cr_expect(fabs(cup_number(process, "clock_offset_s") - expected) < 0.2, "%s: %.3f s",
                  cup_word(process, "host"), cup_number(process, "clock_offset_s"));
        cr_expect(fabs(cup_number(process, "clock_shift_s") + expected) < 0.2);
    }
    cr_expect(others > 0 && others < json_array_size(processes));
    cr_expect_eq(has_text(json_object_get(health, "warnings"), "differ from the scheduler"),
                 ahead != 0);
    json_decref(report);
}

static void check(const char *name, const char *preload, const char *wrong, double ahead)
{
    char *directory = cup_scratch(name);
    run_with(directory, preload, wrong);
    json_t *out = cup_json(directory, "out.json");
    check_run(directory, out, "1");
    check_run(directory, out, "2");
    check_health(directory, ahead);
    json_decref(out);
    free(directory);
}

Test(clocks, of_a_host_minutes_ahead)
{
    check("clocks-ahead", OURS ":" WRONG, "300", 300);
}

Test(clocks, of_a_host_minutes_behind)
{
    cup_only_in_soak();
    check("clocks-behind", OURS ":" WRONG, "-420", -420);
}

/* Dask sees a wrong clock, the library a right one. */
Test(clocks, that_are_faked_before_ours)
{
    check("clocks-faked", WRONG ":" OURS, "300", 0);
}
