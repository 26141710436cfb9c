/* Workers that are killed, restarted or over their memory limit, and profile directories that
 * cannot hold a log: finished tasks are in the profile, running tasks are unfinished in it, and
 * the job does not notice. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(faults, .timeout = 240);

/* ---- running one ---------------------------------------------------------------------------- */

/* Runs faults_job.py FAULT on a cluster; what it noted is in DIRECTORY/out.json. */
static void run_fault(const char *directory, const char *fault, struct cup_cluster_options options)
{
    struct cup_cluster cluster;
    char *out = cup_path(directory, "out.json");
    const char *const arguments[] = {out, CUP_BUILD "/cupping", fault, NULL};
    options.directory = directory;
    cup_cluster_start(&cluster, &options);
    cup_cluster_script(&cluster, "faults_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out);
}

/* ---- what must be in the profile
 * ------------------------------------------------------------------
 */

/* {"key pid": row}, of a finished row if there is one. */
static json_t *by_key_and_process(json_t *rows)
{
    size_t i;
    json_t *row, *found = json_object();
    json_array_foreach(rows, i, row)
    {
        char name[512];
        snprintf(name, sizeof name, "%s %lld", cup_word(row, "key"),
                 (long long)cup_count(row, "pid"));
        json_t *before = json_object_get(found, name);
        if (!before || !cup_is(before, "status", "finished"))
            json_object_set(found, name, row);
    }
    return found;
}

static json_t *find(json_t *rows, json_t *noted)
{
    char name[512];
    snprintf(name, sizeof name, "%s %lld", json_string_value(json_array_get(noted, 0)),
             (long long)json_integer_value(json_array_get(noted, 1)));
    return json_object_get(rows, name);
}

/* Every [key, process, bytes] that was noted has a row of this status and these bytes. */
static int check_noted(json_t *rows, json_t *all, const char *status)
{
    size_t i;
    json_t *noted;
    int checked = 0;
    json_array_foreach(all, i, noted)
    {
        json_t *row = find(rows, noted);
        const char *key = json_string_value(json_array_get(noted, 0));
        cr_expect(row != NULL, "%s is lost", key);
        if (!row)
            continue;
        checked++;
        cr_expect(cup_is(row, "status", status), "%s is %s, not %s", key, cup_word(row, "status"),
                  status);
        cr_expect(cup_count(row, "read_bytes") == json_integer_value(json_array_get(noted, 2)),
                  "%s: %lld bytes read, not %lld", key, (long long)cup_count(row, "read_bytes"),
                  (long long)json_integer_value(json_array_get(noted, 2)));
    }
    return checked;
}

static int count_processes(json_t *rows)
{
    size_t i;
    json_t *row, *pids = json_object();
    json_array_foreach(rows, i, row)
    {
        char pid[32];
        snprintf(pid, sizeof pid, "%lld", (long long)cup_count(row, "pid"));
        json_object_set(pids, pid, json_null());
    }
    int count = (int)json_object_size(pids);
    json_decref(pids);
    return count;
}

static int count_words(const char *text, const char *word)
{
    int count = 0;
    while ((text = strstr(text, word)) != NULL)
        count++, text += strlen(word);
    return count;
}

/* Nothing of ours in what the cluster's programs print: no complaint of the loader, and no line of
 * the library, except so many that say that nothing is recorded. A nanny and its workers have one
 * standard error. */
static void check_lines(const char *directory, int of_worker, int of_scheduler)
{
    static const char *const logs[] = {"worker.log", "scheduler.log"};
    static const char *const words[] = {"libcupping", "LD_PRELOAD", "ld.so"};
    const int expected[] = {of_worker, of_scheduler};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        char *path = cup_path(directory, logs[i]), *text = cup_read_file(path);
        cr_expect(text && *text, "%s is empty", path);
        for (size_t j = 0; text && j < sizeof words / sizeof *words; j++)
            cr_expect(!strstr(text, words[j]), "%s says %s", path, words[j]);
        cr_expect(count_words(text, "cupping: ") == expected[i] &&
                      count_words(text, "cupping: nothing is recorded: ") == expected[i],
                  "%s: %s", path, text);
        free(text);
        free(path);
    }
}

static void check_silence(const char *directory)
{
    check_lines(directory, 0, 0);
}

struct outcome {
    json_t *rows, *by_name, *out;
};

static struct outcome load(const char *directory)
{
    struct outcome outcome = {.rows = cup_tasks(directory), .out = cup_json(directory, "out.json")};
    outcome.by_name = by_key_and_process(outcome.rows);
    return outcome;
}

static void drop(struct outcome *outcome)
{
    json_decref(outcome->rows);
    json_decref(outcome->by_name);
    json_decref(outcome->out);
}

static void check_outcome(const struct outcome *outcome, int finished, int unfinished,
                          int processes)
{
    json_t *noted = outcome->out, *rows = outcome->by_name;
    cr_expect(check_noted(rows, json_object_get(noted, "finished"), "finished") >= finished);
    cr_expect(check_noted(rows, json_object_get(noted, "unfinished"), "unfinished") == unfinished);
    cr_expect(count_processes(outcome->rows) >= processes);
}

/* A fault that ends one worker in the middle of a task. */
static void check_fault(const char *fault, const char *memory, json_int_t allocated)
{
    char name[64];
    snprintf(name, sizeof name, "fault-%s", fault);
    char *directory = cup_scratch(name);
    run_fault(directory, fault, (struct cup_cluster_options){.threads = 2, .memory = memory});
    struct outcome outcome = load(directory);
    check_outcome(&outcome, 40, 1, 2);
    json_t *row = cup_row(outcome.rows, "stuck-1", 1);
    cr_expect(row && cup_count(row, "alloc_bytes") >= allocated);
    cr_expect(row && json_is_null(json_object_get(row, "stop")));
    check_silence(directory);
    drop(&outcome);
    free(directory);
}

Test(faults, kill_of_a_busy_worker)
{
    check_fault("kill", NULL, 1);
}

Test(faults, sigterm_to_a_busy_worker)
{
    check_fault("terminate", NULL, 1);
}

Test(faults, client_restart)
{
    check_fault("restart", NULL, 1);
}

Test(faults, worker_over_its_memory_limit)
{
    check_fault("memory", "400MB", 500000000);
}

/* Log by log: whatever the moment of the kill, nothing in it is damaged. */
static int check_dumps(const char *directory)
{
    char *profile = cup_path(directory, "profile"), *log = cup_path(directory, "dump.txt");
    DIR *entries = opendir(profile);
    struct dirent *entry;
    int count = 0;
    while (entries && (entry = readdir(entries))) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = cup_path(profile, entry->d_name);
        const char *const argv[] = {CUP_BUILD "/cupping", "dump", path, NULL};
        cup_run("dump", log, argv, cup_clean_environment, 60);
        char *text = cup_read_file(log);
        cr_expect(text && strstr(text, "bytes lost to damage: 0\n"), "%s is damaged", path);
        count++;
        free(text);
        free(path);
    }
    if (entries)
        closedir(entries);
    free(profile);
    free(log);
    return count;
}

Test(faults, twenty_kills_at_random_moments)
{
    enum { KILLS = 20 };
    char *directory = cup_scratch("fault-random");
    /* A client that asks a worker for a result at the moment it dies should not ask for long. */
    const char *const environment[] = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT=2s", NULL};
    run_fault(directory, "random",
              (struct cup_cluster_options){.threads = 2, .workers = 3, .environment = environment});
    struct outcome outcome = load(directory);
    check_outcome(&outcome, KILLS * 200, 0, KILLS);
    cr_expect(check_dumps(directory) >= KILLS);
    check_silence(directory);
    drop(&outcome);
    free(directory);
}

/* ---- directories that take no log
 * ----------------------------------------------------------------------
 */

static json_int_t result_of(const char *directory)
{
    json_t *out = cup_json(directory, "out.json");
    json_int_t result = json_integer_value(json_object_get(out, "result"));
    json_decref(out);
    return result;
}

/* Sum of 1000 to 2499: what the job reads, profiled or not. */
enum {
    PLAIN_TASKS = 1500,
    PLAIN_RESULT = PLAIN_TASKS * 1000 + PLAIN_TASKS * (PLAIN_TASKS - 1) / 2
};

Test(faults, directory_that_cannot_be_written)
{
    char *directory = cup_scratch("fault-unwritable"), *file = cup_path(directory, "file");
    FILE *made = fopen(file, "we");
    cr_assert(made && fclose(made) == 0);
    char *profile = cup_path(file, "below-a-file"); /* not even root can write here */
    run_fault(directory, "none",
              (struct cup_cluster_options){.launch = CUP_BY_ENVIRONMENT, .profile = profile});
    cr_expect(result_of(directory) == PLAIN_RESULT);
    check_lines(directory, 1, 1);
    free(profile), free(file), free(directory);
}

/* Every task is in a row or in the sums of its prefix, and the report says that records are lost.
 */
static void check_losses(const char *directory)
{
    json_t *report = cup_report(directory), *row = NULL;
    json_t *rows = json_object_get(json_object_get(report, "tasks_by_prefix"), "rows");
    json_int_t tasks = 0;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        tasks += cup_is(row, "prefix", "quick") ? cup_count(row, "tasks") : 0;
    }
    cr_expect(tasks == PLAIN_TASKS, "%lld tasks", (long long)tasks);
    cr_expect(cup_count(json_object_get(report, "health"), "records_dropped") > 0);
    json_decref(report);
}

/* A file system of its own: room for the begins of the logs of two workers and their nannies, not
 * for more. It is gone when the worker's shell ends, so that shell copies the logs before. Needs a
 * user namespace, which some machines refuse. */
Test(faults, full_profile_directory)
{
    char *directory = cup_scratch("fault-full"), *log = cup_path(directory, "mount.log");
    char *copy = cup_path(directory, "copy");
    char *profile = cup_path(directory, "profile");
    mkdir(profile, 0755);
    struct cup_process mount;
    const char *const probe[] = {"unshare", "-rm",        "mount", "-t",    "tmpfs",
                                 "-o",      "size=1280k", "none",  profile, NULL};
    cup_process_start(&mount, "mount", log, probe, NULL);
    if (cup_process_wait(&mount, 30) != 0) {
        char *said = cup_process_output(&mount);
        cr_skip_test("no file system of one's own here: %s", said);
    }
    const char *const under[] = {
        "unshare",
        "-rm",
        "sh",
        "-c",
        "mount -t tmpfs -o size=1280k none \"$CUPPING_DIR\" || exit\n"
        "trap 'kill $!' TERM\n" /* the first wait ends at the signal, the second with the worker */
        "\"$@\" & wait; wait\n"
        "cp -r \"$CUPPING_DIR\" \"$0/profile\"",
        copy,
        NULL};
    mkdir(copy, 0755);
    run_fault(
        directory, "none",
        (struct cup_cluster_options){.launch = CUP_BY_ENVIRONMENT, .workers = 2, .under = under});
    cr_expect(result_of(directory) == PLAIN_RESULT);
    check_silence(directory);
    check_losses(copy);
    free(copy), free(profile), free(log), free(directory);
}

/* A limit on the size of files would raise SIGXFSZ in the user's process. Blocks are of 512 bytes.
 * LINES: what the worker prints. Returns the number of tasks in the profile. */
static size_t run_with_limit(const char *name, const char *limit, int lines)
{
    char *directory = cup_scratch(name), *command = NULL;
    cr_assert(asprintf(&command, "ulimit -f %s && exec \"$@\"", limit) > 0);
    const char *const under[] = {"sh", "-c", command, "sh", NULL};
    run_fault(directory, "none", (struct cup_cluster_options){.threads = 1, .under = under});
    cr_expect(result_of(directory) == PLAIN_RESULT);
    check_lines(directory, lines, 0);
    json_t *rows = cup_tasks(directory);
    size_t count = json_array_size(rows);
    json_decref(rows);
    free(command), free(directory);
    return count;
}

Test(faults, limit_too_low_for_any_log)
{
    cr_expect(run_with_limit("fault-limit-low", "200", 1) == 0);
}

Test(faults, limit_reached_in_the_middle)
{
    size_t count = run_with_limit("fault-limit", "700", 0);
    cr_expect(count > 100 && count < PLAIN_TASKS, "%zu tasks are in the log", count);
}
