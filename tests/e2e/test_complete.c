/* Whether a run did all that it was to do: runs on a real cluster that end too early in different
 * ways, against the events of the files by their own numbers. */
#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

TestSuite(complete, .timeout = 300);

enum { WAIT_S = 120 };

struct job {
    char *directory, *input, *files;
    struct cup_cluster cluster;
};

static void start_job(struct job *job, const char *name)
{
    job->directory = cup_scratch(name);
    job->input = cup_input("ttree");
    job->files = cup_path(job->input, "files.json");
    struct cup_cluster_options options = {.directory = job->directory};
    cup_cluster_start(&job->cluster, &options);
}

static void free_job(struct job *job)
{
    free(job->directory), free(job->input), free(job->files);
}

/* Runs complete_job.py under cupping-run; its output is in HOW.log. */
static void start_client(const struct job *job, struct cup_process *client, const char *how)
{
    char log[2200], out[2200];
    snprintf(log, sizeof log, "%s/%s.log", job->directory, how);
    snprintf(out, sizeof out, "%s/%s", job->directory, how);
    const char *const argv[] = {CUP_TOP "/wrappers/cupping-run",
                                "-o",
                                job->cluster.profile,
                                "--",
                                cup_python(),
                                CUP_TOP "/tests/workloads/complete_job.py",
                                job->cluster.address,
                                out,
                                job->files,
                                how,
                                NULL};
    cup_process_start(client, how, log, argv, (const char *const *)job->cluster.environment);
}

static void run_client(const struct job *job, const char *how, int status)
{
    struct cup_process client;
    start_client(job, &client, how);
    int ended = cup_process_wait(&client, WAIT_S);
    cr_expect(ended == status, "%s: status %d, not %d: %s", how, ended, status, client.log);
}

/* The events of all files, as the job read them from the files. */
static json_int_t events_of(const struct job *job, const char *how)
{
    json_t *truth = cup_json(job->directory, how);
    json_int_t events = cup_count(truth, "events");
    json_decref(truth);
    return events;
}

static json_t *completeness_of_run(const struct job *job, int run)
{
    char number[16];
    snprintf(number, sizeof number, "%d", run);
    const char *const options[] = {"--run", number, NULL};
    json_t *report = cup_report_with(job->directory, options);
    json_t *completeness = json_incref(json_object_get(report, "completeness"));
    json_decref(report);
    return completeness;
}

/* CAUSE: part of what the report says. PLANNED: events. Some of them are done, not all. */
static void expect_part(const struct job *job, int run, const char *state, const char *cause,
                        json_int_t planned)
{
    json_t *completeness = completeness_of_run(job, run);
    const char *sentence = cup_word(completeness, "sentence");
    json_int_t done = cup_count(completeness, "done_events");
    cr_expect(cup_is(completeness, "state", state), "run %d: %s", run, sentence);
    cr_expect(strstr(sentence, cause), "run %d: %s", run, sentence);
    cr_expect(cup_count(completeness, "planned_events") == planned, "run %d: %s", run, sentence);
    cr_expect(done > 0 && done < planned, "run %d: %s", run, sentence);
    json_decref(completeness);
}

static void expect_whole(const struct job *job, int run, const char *sentence_part,
                         json_int_t planned)
{
    json_t *completeness = completeness_of_run(job, run);
    const char *sentence = cup_word(completeness, "sentence");
    cr_expect(cup_is(completeness, "state", "complete"), "run %d: %s", run, sentence);
    cr_expect(strstr(sentence, sentence_part), "run %d: %s", run, sentence);
    cr_expect(cup_count(completeness, "planned_events") == planned, "run %d: %s", run, sentence);
    cr_expect(cup_count(completeness, "done_events") == planned, "run %d: %s", run, sentence);
    json_decref(completeness);
}

static void touch(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    cr_assert(fd >= 0);
    close(fd);
}

/* Asks in the middle of the job, then after its end. */
static void check_running(const struct job *job)
{
    struct cup_process client;
    char *halfway = cup_path(job->directory, "wait.marks.halfway");
    char *go = cup_path(job->directory, "wait.marks.go");
    start_client(job, &client, "wait");
    for (int looks = WAIT_S * 50; looks > 0 && access(halfway, F_OK) != 0; looks--)
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000000L}, NULL);
    json_int_t events = events_of(job, "wait");
    expect_part(job, 1, "running", "Still running, so far", events);
    char *text =
        output_of(&(struct child){.argv = {CUP_BUILD "/cupping", "report", job->cluster.profile}});
    cr_expect(strstr(text, "none   so far; "), "that it runs is no trouble: %s", text);
    free(text);
    touch(go);
    cr_expect(cup_process_wait(&client, WAIT_S) == 0, "%s", client.log);
    expect_whole(job, 1, "Complete: ", events);
    free(halfway), free(go);
}

Test(complete, runs_that_end_too_early)
{
    struct job job;
    start_job(&job, "complete");
    check_running(&job);
    json_int_t events = events_of(&job, "wait");
    run_client(&job, "raise", 1);
    expect_part(&job, 2, "failed", "chunk", events);
    run_client(&job, "interrupt", 128 + SIGINT);
    expect_part(&job, 3, "aborted", "interrupted (Ctrl-C)", events);
    run_client(&job, "kill", 128 + SIGKILL);
    expect_part(&job, 4, "aborted", "the client ended without notice", events);
    run_client(&job, "maxchunks", 0);
    expect_whole(&job, 5, "maxchunks=1", 2 * 2500);
    run_client(&job, "twice", 0);
    expect_whole(&job, 6, "A file is listed more than once", events);
    run_client(&job, "scheduler", 1);
    expect_part(&job, 7, "aborted", "the scheduler ended", events);
    expect_part(&job, 3, "aborted", "interrupted (Ctrl-C)", events); /* as before */
    cup_process_kill(&job.cluster.worker);
    cup_process_kill(&job.cluster.scheduler);
    free_job(&job);
}
