/* A job that loses a file, chunks and a worker, and recovers most of it: the report says what
 * the client knows. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(losses, .timeout = 240);

static void run_losses(const char *directory)
{
    struct cup_cluster cluster;
    char *out = cup_path(directory, "out.json"), *input = cup_input("ttree");
    char *files = cup_path(input, "files.json");
    const char *const arguments[] = {out, files, NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){
                                    .directory = directory, .workers = 2, .threads = 2});
    cup_cluster_script(&cluster, "losses_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out), free(input), free(files);
}

struct outcome {
    json_t *report, *out;
};

static struct outcome load(void)
{
    char *directory = cup_job("losses", run_losses);
    struct outcome outcome = {cup_report(directory), cup_json(directory, "out.json")};
    free(directory);
    return outcome;
}

static void drop(struct outcome *outcome)
{
    json_decref(outcome->report);
    json_decref(outcome->out);
}

static json_t *section(const struct outcome *outcome, const char *name)
{
    return json_object_get(outcome->report, name);
}

static json_t *rows_of(const struct outcome *outcome, const char *name)
{
    return json_object_get(section(outcome, name), "rows");
}

/* The row of [file, entrystart, ...]; NULL: there is none. */
static json_t *find(json_t *rows, json_t *chunk)
{
    size_t i;
    json_t *row;
    json_array_foreach(
        rows, i, row) if (json_equal(json_object_get(row, "file"), json_array_get(chunk, 0)) &&
                          json_equal(json_object_get(row, "entry_start"),
                                     json_array_get(chunk, 1))) return row;
    return NULL;
}

Test(losses, what_the_result_lacks_is_what_coffea_was_given_less)
{
    struct outcome outcome = load();
    size_t i;
    json_t *chunk, *lost = json_object_get(outcome.out, "lost");
    json_t *losses = section(&outcome, "losses"), *rows = rows_of(&outcome, "losses");
    cr_expect(cup_count(losses, "events_lost") ==
              cup_count(outcome.out, "all") - cup_count(outcome.out, "entries"));
    cr_expect(cup_count(losses, "chunks_skipped") == (json_int_t)json_array_size(lost));
    cr_expect(cup_count(losses, "chunks_lost") == 0);
    json_array_foreach(lost, i, chunk)
    {
        json_t *row = find(rows, chunk);
        cr_expect(row && cup_is(row, "outcome", "skipped"), "chunk %zu", i);
    }
    drop(&outcome);
}

Test(losses, what_failed_once_or_was_killed_is_recovered)
{
    struct outcome outcome = load();
    json_t *rows = rows_of(&outcome, "losses"), *killed = json_object_get(outcome.out, "killed");
    json_t *failed = find(rows, json_object_get(outcome.out, "failed_once"));
    json_t *held = find(rows, killed);
    cr_assert(failed && held);
    cr_expect(cup_is(failed, "outcome", "recovered") && cup_count(failed, "attempts_failed") == 1);
    cr_expect(strstr(cup_word(failed, "error"), "fails once, on purpose") != NULL);
    cr_expect(cup_is(held, "outcome", "recovered") && cup_count(held, "attempts_unfinished") == 1);
    cr_expect(cup_count(held, "pid") == json_integer_value(json_array_get(killed, 2)));
    cr_expect(cup_number(held, "wall_s") > 0, "until its process' last sign");
    drop(&outcome);
}

Test(losses, waste_has_its_reasons)
{
    struct outcome outcome = load();
    json_t *waste = json_object_get(section(&outcome, "efficiency"), "wasted_by_reason");
    json_t *killed = json_object_get(waste, "killed"),
           *gone = json_object_get(waste, "lost_with_worker");
    double sum = 0;
    const char *reason;
    json_t *row;
    json_object_foreach(waste, reason, row) sum += cup_number(row, "wall_s");
    cr_expect(cup_count(killed, "tasks") >= 1 && json_is_null(json_object_get(killed, "cpu_s")));
    cr_expect(cup_count(json_object_get(waste, "failed"), "tasks") == 1);
    /* How many the worker had done by then is up to Dask, and whether a merge of what others had
     * done was lost with it: then these are done again, too. Merges come on top of chunks. */
    cr_expect(cup_count(gone, "tasks") + cup_count(json_object_get(waste, "retried"), "tasks") >=
              cup_sum(rows_of(&outcome, "losses"), "attempts_repeated"));
    cr_expect(fabs(sum - cup_number(section(&outcome, "efficiency"), "wasted_wall_s")) < 1e-6);
    drop(&outcome);
}

/* Four results a merge: 16 chunks or so need two levels and a last one. */
Test(losses, every_level_of_the_reduction_has_the_results_below)
{
    struct outcome outcome = load();
    size_t i;
    json_t *row;
    json_int_t below = cup_count(outcome.out, "chunks"), levels = 0;
    json_array_foreach(rows_of(&outcome, "merge"), i, row)
    {
        if (!cup_is(row, "of", "chunks"))
            continue;
        cr_expect(cup_count(row, "level") == ++levels);
        /* a merge that was lost with the worker is done again, and so it has more */
        cr_expect(cup_count(row, "inputs") >= below, "level %lld", (long long)levels);
        below = (below + 3) / 4;
        cr_expect(cup_count(row, "tasks") >= below, "level %lld", (long long)levels);
        cr_expect(cup_count(row, "result_bytes") > 0);
    }
    cr_expect(levels >= 2 && below == 1, "%lld levels", (long long)levels);
    drop(&outcome);
}

static void check_sum(json_t *stages)
{
    double sum = 0;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(stages, "rows"), i, row)
    {
        bool is_known = !json_is_null(json_object_get(row, "idle_core_hours"));
        if (cup_is(row, "stage", "tail"))
            continue; /* it is a part of the chunks, and n/a of a few */
        cr_expect(is_known || cup_is(row, "stage", "graph"), "%s", cup_word(row, "stage"));
        if (is_known)
            sum += cup_number(row, "idle_core_hours");
    }
    cr_expect(fabs(sum - cup_number(stages, "idle_core_hours")) < 1e-9);
}

Test(losses, stages_hosts_and_workers)
{
    struct outcome outcome = load();
    json_t *host = json_array_get(rows_of(&outcome, "hosts"), 0);
    json_t *workers = rows_of(&outcome, "tasks_by_worker");
    check_sum(section(&outcome, "stages"));
    cr_expect(json_array_size(rows_of(&outcome, "hosts")) == 1);
    cr_expect(cup_count(host, "workers") == 2 || cup_count(host, "workers") == 3,
              "two, and, if it came in time, the successor of the one killed");
    cr_expect(cup_count(host, "cpus") > 0 && cup_count(host, "cpus_usable") > 0);
    cr_expect(cup_is(host, "verdict", "too few hosts to compare") ||
              cup_is(host, "verdict", "CPU model not known"));
    cr_expect(cup_sum(workers, "tasks") == cup_count(host, "tasks"));
    drop(&outcome);
}
