/* Files that are missing or unreadable, processors that fail, workers that are killed: the report
 * says what the result lacks, and why. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/process.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(bad_files, .timeout = 240);

static void run(const char *directory, const char *how)
{
    struct cup_cluster cluster;
    char *out = cup_path(directory, "out.json"), *input = cup_input("ttree");
    char *files = cup_path(input, "files.json");
    const char *const arguments[] = {out, files, how, NULL};
    cup_cluster_start(&cluster,
                      &(struct cup_cluster_options){.directory = directory,
                                                    .workers = 2,
                                                    .client_too = strcmp(how, "kill") == 0});
    cup_cluster_script(&cluster, "badfiles_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out), free(input), free(files);
}

struct outcome {
    json_t *report, *out, *losses, *rows;
    const char *advice; /* of the rule "events_lost" */
};

static const char *find_advice(json_t *report, const char *rule)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(report, "advice"), i,
                       row) if (cup_is(row, "rule", rule)) return cup_word(row, "text");
    return "";
}

static struct outcome load(const char *how)
{
    char *directory = cup_scratch(how);
    run(directory, strchr(how, '-') + 1);
    struct outcome outcome = {.report = cup_report(directory),
                              .out = cup_json(directory, "out.json")};
    free(directory);
    outcome.losses = json_object_get(outcome.report, "losses");
    outcome.rows = json_object_get(outcome.losses, "rows");
    outcome.advice = find_advice(outcome.report, "events_lost");
    return outcome;
}

static void drop(struct outcome *outcome)
{
    json_decref(outcome->report);
    json_decref(outcome->out);
}

static json_int_t known_events(const struct outcome *outcome)
{
    json_int_t sum = 0;
    const char *dataset;
    json_t *events;
    json_object_foreach(json_object_get(outcome->out, "entries"), dataset, events) sum +=
        json_integer_value(events);
    return sum;
}

static json_int_t lost_events(const struct outcome *outcome)
{
    json_int_t sum = 0;
    size_t i;
    json_t *chunk;
    json_array_foreach(json_object_get(outcome->out, "lost"), i, chunk) sum +=
        json_integer_value(json_array_get(chunk, 2)) - json_integer_value(json_array_get(chunk, 1));
    return sum;
}

/* The row of a file, from its first one that is lost. */
static json_t *row_of(const struct outcome *outcome, const char *file)
{
    size_t i;
    json_t *row;
    json_array_foreach(outcome->rows, i, row) if (cup_is(row, "file", file)) return row;
    cr_assert_fail("no row of %s", file);
    return NULL;
}

static void expect_skipped(const char *how)
{
    struct outcome outcome = load(how);
    json_t *losses = outcome.losses, *file;
    size_t i;
    cr_expect_eq(cup_count(losses, "metadata_lost"), 3);
    cr_expect_eq(cup_count(losses, "chunks_skipped"), 3 + 2, "files, and chunks of another one");
    cr_expect(json_is_null(json_object_get(losses, "events_lost")), "of three files not known");
    cr_expect_eq(cup_count(losses, "events_lost_known"), lost_events(&outcome));
    cr_expect_eq(cup_count(losses, "events_all"), known_events(&outcome));
    cr_expect_eq(known_events(&outcome) - lost_events(&outcome), cup_count(outcome.out, "done"));
    json_array_foreach(json_object_get(outcome.out, "missing"), i, file)
    {
        json_t *row = row_of(&outcome, json_string_value(file));
        cr_expect(cup_is(row, "outcome", "skipped") && cup_is(row, "kind", "metadata"));
        cr_expect(json_is_null(json_object_get(row, "events")));
    }
    cr_expect_not_null(strstr(outcome.advice,
                              "The result lacks 2 chunks and 3 files (threshold: any): 5,000 of "
                              "35,000 known events (14.3 %); the events of 3 lost files are not "
                              "known."),
                       "%s", outcome.advice);
    drop(&outcome);
}

Test(bad_files, are_skipped_before_and_after_their_metadata)
{
    expect_skipped("bad-skip");
}

Test(bad_files, are_skipped_with_aligned_clusters)
{
    expect_skipped("bad-align");
}

/* The file is cut off before the chunk reads a branch: some of its baskets come, and others do not.
 */
Test(bad_files, what_a_skipped_chunk_did_not_get_was_not_read)
{
    struct outcome outcome = load("bad-cut");
    json_t *branches = json_object_get(outcome.report, "branches"), *row;
    size_t i, files = 0;
    cr_expect_gt(cup_count(outcome.losses, "chunks_skipped"), 0);
    cr_expect_eq(cup_count(branches, "unseen_baskets"), 0);
    json_array_foreach(json_object_get(branches, "rows"), i,
                       row) if (cup_is(row, "branch", "MET_pt")) files += cup_count(row, "files");
    cr_expect_eq(files, 1, "MET_pt was read");
    drop(&outcome);
}

Test(bad_files, an_error_as_a_value_is_an_error)
{
    struct outcome outcome = load("bad-result");
    json_t *row = row_of(
        &outcome, json_string_value(json_array_get(json_object_get(outcome.out, "missing"), 0)));
    cr_expect(strstr(cup_word(outcome.out, "error"), "Err(FileNotFoundError") != NULL);
    cr_expect(cup_is(row, "outcome", "lost") && cup_count(row, "attempts") == 4);
    cr_expect(strstr(cup_word(row, "error"), "FileNotFoundError") != NULL);
    cr_expect(json_is_null(json_object_get(outcome.losses, "events_lost")));
    drop(&outcome);
}

/* repr() escapes single quotes if the text also has a double quote, which the random bytes of a
 * file's uuid may contain: TEXT without backslashes, so that both forms compare equal. Freed by the
 * caller. */
static char *strip_backslashes(const char *text)
{
    char *copy = strdup(text), *to = copy;
    for (const char *from = text; *from; from++)
        if (*from != '\\')
            *to++ = *from;
    *to = '\0';
    return copy;
}

/* retries=3: four attempts at one chunk. Its share is that of the dataset, although Coffea gave up
 * before it had processed the dataset. */
Test(bad_files, a_processor_that_fails_is_quoted_to_its_end)
{
    struct outcome outcome = load("bad-fail");
    json_t *chunk = json_array_get(json_object_get(outcome.out, "lost"), 0);
    json_t *row = row_of(&outcome, json_string_value(json_array_get(chunk, 0)));
    json_t *dataset = json_array_get(json_object_get(outcome.losses, "by_dataset"), 0);
    char *advice = strip_backslashes(find_advice(outcome.report, "tasks_failed"));
    char *error = strip_backslashes(cup_word(row, "error"));
    json_t *entries =
        json_object_get(json_object_get(outcome.out, "entries"), cup_word(row, "dataset"));
    cr_expect(cup_is(row, "outcome", "lost") && cup_count(row, "attempts") == 4);
    cr_expect_eq(cup_count(outcome.losses, "chunks_lost"), 1);
    cr_expect_eq(cup_count(outcome.losses, "events_lost"), lost_events(&outcome));
    cr_expect_eq(cup_count(outcome.losses, "events_all"), known_events(&outcome));
    cr_expect_eq(cup_count(dataset, "events_all"), json_integer_value(entries));
    cr_expect(strstr(error, "Failed processing file: WorkItem(") != NULL, "%s", error);
    cr_expect(strstr(error, "The error was: RuntimeError('systematics") != NULL, "%s", error);
    cr_expect(strstr(error, "end here').") != NULL, "%s", error);
    cr_expect(strstr(error, "); caused by KeyError('no_such_weight')") != NULL, "%s", error);
    cr_expect(strstr(advice, "The error was: RuntimeError('systematics") != NULL, "%s", advice);
    cr_expect(strstr(advice, "caused by KeyError('no_such_weight')") != NULL, "%s", advice);
    free(error);
    free(advice);
    drop(&outcome);
}

static void expect_failed(const struct outcome *outcome)
{
    json_t *completeness = json_object_get(outcome->report, "completeness");
    const char *sentence = cup_word(completeness, "sentence");
    cr_expect(cup_is(completeness, "state", "failed"), "%s", sentence);
    cr_expect(strstr(sentence, "1 chunk never ended: in all 4 attempts the worker was killed"),
              "%s", sentence);
    cr_expect(cup_count(completeness, "planned_events") == known_events(outcome), "%s", sentence);
}

/* Dask tries a task again whose worker died, up to three times. Each worker that it starts has a
 * log: the job waits until the last one has run a task. */
Test(bad_files, a_chunk_that_kills_its_worker)
{
    struct outcome outcome = load("bad-kill");
    size_t i, given_up = 0;
    json_t *row;
    cr_expect(strstr(cup_word(outcome.out, "error"), "KilledWorker") != NULL);
    json_array_foreach(outcome.rows, i, row)
    {
        if (cup_is(row, "outcome", "recovered"))
            continue;
        given_up++;
        cr_expect_eq(cup_count(row, "attempts"), 4);
        cr_expect_eq(cup_count(row, "attempts_unfinished"), 4);
        cr_expect_eq(cup_count(row, "events"), lost_events(&outcome));
    }
    cr_expect_eq(given_up, 1);
    cr_expect_eq(cup_count(outcome.losses, "events_lost"), lost_events(&outcome));
    cr_expect(cup_number(outcome.losses, "events_lost_share") > 0);
    cr_expect_not_null(strstr(outcome.advice, "1 never ended"), "%s", outcome.advice);
    expect_failed(&outcome);
    drop(&outcome);
}
