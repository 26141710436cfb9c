/* Samples of workers that come and go, compared with a poll of the scheduler in Python. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/process.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(workers, .timeout = 300);

static void run(const char *directory)
{
    const char *const environment[] = {"CUPPING_INTERVAL=0.25", NULL};
    struct cup_cluster cluster;
    char *out = cup_path(directory, "poll.json");
    const char *const arguments[] = {out, NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = directory,
                                                              .workers = 2,
                                                              .memory = "1GB",
                                                              .environment = environment});
    cup_cluster_script(&cluster, "workers_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out);
}

/* The report that rests on the poll instead of the samples. */
static json_t *report_of_poll(const char *directory)
{
    char *profile = cup_path(directory, "profile"), *poll = cup_path(directory, "poll.json");
    char *out = cup_path(directory, "polled.json");
    const char *const argv[] = {
        CUP_BUILD "/cupping", "report", profile, "--samples", poll, "--json", out, NULL};
    char *text = cup_path(directory, "polled.out");
    cup_run("report", text, argv, cup_clean_environment, 60);
    json_t *report = cup_json(directory, "polled.json");
    free(profile), free(poll), free(out), free(text);
    return json_object_get(report, "workers");
}

static void near(json_t *ours, json_t *polled, const char *name, double tolerance)
{
    double a = cup_number(ours, name), b = cup_number(polled, name);
    cr_expect(fabs(a - b) <= tolerance, "%s: %g, and %g by the poll (tolerance %g)", name, a, b,
              tolerance);
}

static double mean_of(json_t *timeline)
{
    json_t *point;
    size_t i;
    double sum = 0;
    json_array_foreach(timeline, i, point) sum += json_number_value(json_array_get(point, 1));
    return json_array_size(timeline) ? sum / (double)json_array_size(timeline) : 0;
}

/* What Dask's own property says, which we do not run. */
static void same_occupancy(json_t *ours, json_t *polled)
{
    const char *worker;
    json_t *timeline,
        *reported = json_object_get(json_object_get(ours, "tracking_data"), "worker_occupancy");
    int busy = 0;
    json_object_foreach(
        json_object_get(json_object_get(polled, "tracking_data"), "worker_occupancy"), worker,
        timeline)
    {
        double poll = mean_of(timeline), mine = mean_of(json_object_get(reported, worker));
        cr_expect(fabs(poll - mine) <= 0.1 + 0.3 * poll, "occupancy of %s: %g, and %g by the poll",
                  worker, mine, poll);
        busy += poll > 0.3;
    }
    cr_expect(busy >= 2, "%d workers had something to do", busy);
}

Test(workers, are_what_a_poll_sees)
{
    char *directory = cup_job("workers", run);
    json_t *report = cup_report(directory), *ours = json_object_get(report, "workers");
    json_t *polled = report_of_poll(directory);
    double wall = cup_number(json_object_get(report, "workflow"), "wall_time");
    /* A worker that comes or goes is seen one interval late or early at most; three do, and the
     * threads of one are three. */
    double late = (0.25 + 0.1) / wall;
    near(ours, polled, "avg_workers", 3 * late);
    near(ours, polled, "avg_cores", 5 * late);
    near(ours, polled, "cores_per_worker", 0.001);
    cr_expect_eq(cup_count(ours, "peak_workers"), 3);
    cr_expect_eq(cup_number(ours, "cores_per_worker_min"), 1);
    cr_expect_eq(cup_number(ours, "cores_per_worker_max"), 3);
    cr_expect_eq(cup_count(ours, "workers_without_memory_limit"), 1);
    near(ours, polled, "avg_memory_per_worker_bytes", 5e6);
    near(ours, polled, "peak_memory_bytes", 5e6);
    near(ours, polled, "executing_utilization_pct", 15);
    near(ours, polled, "real_cpu_utilization_pct", 15);
    same_occupancy(ours, polled);
    cr_expect(cup_count(ours, "num_samples") >= (json_int_t)(wall / 0.25 / 2));
    cr_expect(cup_count(ours, "num_repeated_heartbeats") > 0, "each sample has a new heartbeat");
    json_decref(report);
    free(directory);
}

/* Those under cupping, perhaps the one that took the killed one's place, which may come too late
 * for the run, and the one that only the scheduler knows. */
Test(workers, have_rows)
{
    char *directory = cup_job("workers", run);
    json_t *report = cup_report(directory), *row;
    json_t *rows = json_object_get(json_object_get(report, "workers"), "rows");
    size_t i, alone = 0, sampled = 0;
    json_array_foreach(rows, i, row)
    {
        if (json_is_null(json_object_get(row, "pid"))) {
            alone++;
            cr_expect_eq(cup_count(row, "threads"), 3);
            cr_expect(cup_count(row, "memory_bytes_peak") > 1000000);
        }
        sampled += cup_count(row, "samples") > 0;
    }
    cr_expect_eq(alone, 1);
    cr_expect(sampled >= 3, "%zu rows with samples", sampled);
    json_decref(report);
    free(directory);
}

/* ---- a worker that is there for a moment ------------------------------------------------------
 */

/* Samples every 5 s see nothing of 1.2 s, or too much. The scheduler knows the worker some
 * milliseconds before its log opens; and its process ends up to seconds after it has left. */
Test(workers, that_live_for_a_moment_count_for_as_long)
{
    char *directory = cup_scratch("short-worker"), *profile = cup_path(directory, "profile");
    char *out = cup_path(directory, "out.json"), *log = cup_path(directory, "client.log");
    const char *const argv[] = {CUP_TOP "/wrappers/cupping-run",
                                "-o",
                                profile,
                                "--",
                                CUP_PYTHON,
                                CUP_TOP "/tests/workloads/short_worker.py",
                                out,
                                "1.2",
                                NULL};
    const char *const environment[] = {"CUPPING_INTERVAL=5", NULL};
    cup_run("short_worker.py", log, argv, environment, 200);
    json_t *report = cup_report(directory), *workers = json_object_get(report, "workers");
    json_t *truth = cup_json(directory, "out.json");
    double wall_s = cup_number(json_object_get(report, "workflow"), "wall_time");
    double threads_s = cup_number(json_object_get(report, "time_budget"), "threads_s");
    double found_s = (cup_number(workers, "avg_workers") - 1) * wall_s;
    cr_expect(fabs(found_s - cup_number(truth, "lived_s")) <= 0.4, "%g s, not %g", found_s,
              cup_number(truth, "lived_s"));
    cr_expect_eq(cup_count(workers, "peak_workers"), 2);
    cr_expect_float_eq(cup_number(workers, "avg_cores"), threads_s / wall_s, 1e-6);
    json_decref(report), json_decref(truth);
    free(directory), free(profile), free(out), free(log);
}
