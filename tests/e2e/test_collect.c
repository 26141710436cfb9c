/* Logs that are fetched over Dask while the job runs. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(collect, .timeout = 600);

enum { LONGEST_S = 540 };

static void run_script(const char *directory, const char *script, const char *const *words)
{
    char *log = cup_path(directory, "script.log");
    const char *argv[8] = {cup_python(), script};
    for (int i = 0; words[i]; i++)
        argv[2 + i] = words[i];
    cup_run(script, log, argv, cup_clean_environment, LONGEST_S);
    free(log);
}

/* What nannies and client say to each other, without a cluster. */
Test(collect, copies_are_equal_when_answers_are_lost_and_nannies_vanish)
{
    char *scratch = cup_scratch("collect-check");
    run_script(scratch, CUP_TOP "/tests/workloads/collect_check.py",
               (const char *const[]){scratch, NULL});
    free(scratch);
}

/* ---- a job without a shared directory ------------------------------------------------------- */

static void expect_sums(json_t *report, json_t *expected)
{
    static const char *const sums[] = {"bytesread", "entries", "chunks"};
    json_t *coffea = json_object_get(report, "coffea"), *call;
    size_t i;
    for (int k = 0; k < 3; k++) {
        json_int_t sum = 0;
        json_array_foreach(json_object_get(expected, "calls"), i, call)
        {
            sum += cup_count(call, sums[k]);
        }
        cr_expect_eq(cup_count(coffea, sums[k]), sum, "%s: %lld, Coffea: %lld", sums[k],
                     (long long)cup_count(coffea, sums[k]), (long long)sum);
    }
}

/* All processes whose log is whole, except for the killed one, were counted by the kernel, too. */
static void expect_kernel(json_t *report, json_t *expected)
{
    json_t *kernel = json_object_get(json_object_get(report, "attribution"), "kernel_check");
    cr_expect_eq(cup_count(kernel, "processes"),
                 (json_int_t)json_array_size(json_object_get(expected, "whole")) - 1);
    cr_expect(cup_count(kernel, "kernel_bytes") > 0);
    cr_expect(cup_count(kernel, "unexplained_bytes") * 100 <= cup_count(kernel, "kernel_bytes"));
}

/* What is missing is named: the logs of the machine that vanished, and no others. */
static void expect_named(json_t *report, json_t *expected, const char *directory)
{
    json_t *lost = json_object_get(expected, "lost"), *name, *warning;
    json_t *state = cup_json(directory, "home/collected.json");
    json_t *logs = json_object_get(state, "logs"), *part = json_object_get(expected, "part");
    size_t i, warnings = 0;
    cr_expect(json_equal(logs, part));
    cr_expect_eq(json_object_size(logs), json_array_size(lost));
    json_array_foreach(lost, i, name)
    {
        json_t *log = json_object_get(logs, json_string_value(name));
        cr_assert(log, "%s is not named", json_string_value(name));
        cr_expect(cup_is(log, "why", "lost"));
        cr_expect(cup_number(log, "until") >= cup_number(expected, "ended"));
    }
    json_t *health = json_object_get(report, "health");
    cr_expect_eq(cup_count(health, "logs_in_part"), (json_int_t)json_array_size(lost));
    cr_expect_eq(cup_count(health, "logs_damaged"), 0);
    json_array_foreach(json_object_get(health, "warnings"), i, warning)
    {
        warnings +=
            strstr(json_string_value(warning), "2 logs are incomplete, fetched until ") != NULL;
    }
    cr_expect_eq(warnings, 1);
    json_decref(state);
}

/* `cupping top SCHEDULER` between the two calls. */
static void expect_top(const char *screen, json_t *expected)
{
    json_t *call = json_array_get(json_object_get(expected, "calls"), 0);
    const char *done = strstr(screen, "chunks "), *workers = strstr(screen, "4 workers, by memory");
    cr_expect(done && strtoll(done + strlen("chunks "), NULL, 10) == cup_count(call, "chunks"),
              "%s", screen);
    cr_expect(workers && strstr(screen, "0 failed"), "%s", screen);
}

static void run_job(const char *name, const char *tls)
{
    char *directory = cup_scratch(name), *input = cup_input("ttree");
    char *files = cup_path(input, "files.json"), *home = cup_path(directory, "home");
    char *profile = cup_path(directory, "profile");
    run_script(directory, CUP_TOP "/tests/workloads/collect_job.py",
               (const char *const[]){directory, files, tls, NULL});
    cr_assert_eq(symlink(home, profile), 0);
    json_t *expected = cup_json(directory, "expected.json");
    json_t *report = cup_report_with(directory, (const char *const[]){"--run", "all", NULL});
    expect_top(cup_word(expected, "top"), expected);
    expect_sums(report, expected);
    expect_kernel(report, expected);
    expect_named(report, expected, directory);
    json_decref(report), json_decref(expected);
    free(directory), free(input), free(files), free(home), free(profile);
}

Test(collect, job_without_a_shared_directory_is_whole_or_says_what_is_missing)
{
    run_job("collect", NULL);
}

Test(collect, job_with_tls)
{
    cup_only_in_soak();
    run_job("collect-tls", "tls");
}
