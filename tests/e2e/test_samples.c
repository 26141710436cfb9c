/* Dask's own state in the logs is compared with what Dask says when it is asked. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(samples, .timeout = 300);

/* ---- a log as JSON -----------------------------------------------------------------------
 * Each record an object: its fields as strings, "type", and "values" of a DIGEST. */

/* Cuts the next blank-separated word out of a line; text between quotes is one word. */
static char *next_word(char **line)
{
    char *word = *line + strspn(*line, " "), *at = word;
    for (bool quoted = false; *at && (quoted || *at != ' '); at++)
        quoted ^= *at == '"';
    *line = *at ? at + 1 : at;
    *at = '\0';
    return *word ? word : NULL;
}

static json_t *value_of(json_t *strings, const char *text)
{
    json_t *string = *text == '#' ? json_object_get(strings, text + 1) : NULL;
    return string ? json_incref(string) : json_string(text);
}

static json_t *parse_record(json_t *strings, char *line)
{
    json_t *record = json_object(), *values = json_object();
    next_word(&line), next_word(&line); /* offset, bytes */
    const char *type = next_word(&line);
    json_object_set_new(record, "type", json_string(type ? type : ""));
    json_object_set_new(record, "values", values);
    for (char *word; (word = next_word(&line)) != NULL;) {
        char *end = strpbrk(word, "=:");
        if (!end)
            continue;
        bool field = *end == '=';
        *end = '\0';
        if (field)
            json_object_set_new(record, word, value_of(strings, end + 1));
        else
            json_object_set_new(values, word, json_real(strtod(end + 1, NULL)));
    }
    return record;
}

static const char *of(json_t *record, const char *field)
{
    const char *text = json_string_value(json_object_get(record, field));
    return text ? text : "";
}

static bool is(json_t *record, const char *field, const char *text)
{
    return strcmp(of(record, field), text) == 0;
}

static void keep_string(json_t *strings, json_t *record)
{
    const char *text = of(record, "text");
    size_t length = strlen(text);
    if (is(record, "type", "STRING") && length >= 2)
        json_object_set_new(strings, of(record, "id"), json_stringn(text + 1, length - 2));
}

/* ---- rows of workers ------------------------------------------------------------------------
 * They tell what changed: a record "SAMPLE_WORKER" is made for each worker of each sample. */

struct rows {
    json_t *workers;  /* by number: its fields, "" where not known; "present" */
    json_t *statuses; /* by number */
};

/* A field that was reported: as it is, or by how much it changed, modulo 2^64. */
static void set_field(json_t *worker, char *word)
{
    char text[32], *end = word + strcspn(word, "=+-");
    bool whole = *end == '=';
    uint64_t change = whole ? strtoull(end + 1, NULL, 10) : (uint64_t)strtoll(end, NULL, 10);
    *end = '\0';
    const char *old = of(worker, word);
    uint64_t value = whole ? change : (*old ? strtoull(old, NULL, 10) : UINT64_MAX) + change;
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    json_object_set_new(worker, word, json_string(value == UINT64_MAX ? "" : text));
}

static json_t *worker_of(struct rows *rows, const char *number)
{
    json_t *worker = json_object_get(rows->workers, number);
    cr_assert(worker, "a row of worker %s, which was not introduced", number);
    return worker;
}

/* Row of a worker: what follows "ROW". */
static void take_row(struct rows *rows, char *line)
{
    char *number = next_word(&line) + strlen("worker="), *kind = next_word(&line);
    json_t *worker = worker_of(rows, number);
    if (strcmp(kind, "whole") == 0) {
        json_t *fresh = json_object();
        json_object_set(fresh, "address", json_object_get(worker, "address"));
        json_object_set(fresh, "name", json_object_get(worker, "name"));
        json_object_set(fresh, "server", json_object_get(worker, "server"));
        json_object_set_new(rows->workers, number, fresh);
        worker = fresh;
    }
    cr_expect(strcmp(kind, "changed") || is(worker, "present", "1"),
              "changed before it was reported");
    json_object_set_new(worker, "present", json_string(strcmp(kind, "gone") ? "1" : ""));
    json_object_set_new(worker, "row", json_string(kind));
    for (char *word; (word = next_word(&line)) != NULL;)
        set_field(worker, word);
}

/* The rows of a sample, after it. */
static void add_rows(struct rows *rows, json_t *records, json_t *sample)
{
    const char *number;
    json_t *worker;
    json_object_foreach(rows->workers, number, worker)
    {
        if (!is(worker, "present", "1") || strcmp(of(worker, "server"), of(sample, "server")))
            continue;
        json_t *row = json_copy(worker);
        json_object_set_new(row, "type", json_string("SAMPLE_WORKER"));
        json_object_set(row, "sample", json_object_get(sample, "sample"));
        json_object_set(row, "status", json_object_get(rows->statuses, of(worker, "status")));
        json_array_append_new(records, row);
        json_object_set_new(worker, "row", json_string(""));
    }
}

static void take_record(struct rows *rows, json_t *records, json_t *record)
{
    if (is(record, "type", "WORKER"))
        json_object_set(rows->workers, of(record, "worker"), record);
    else if (is(record, "type", "STATUS"))
        json_object_set(rows->statuses, of(record, "status"), json_object_get(record, "name"));
    else if (is(record, "type", "SAMPLE"))
        add_rows(rows, records, record);
}

static json_t *read_log(const char *path)
{
    char out[4096];
    json_t *records = json_array(), *strings = json_object();
    struct rows rows = {json_object(), json_object()};
    snprintf(out, sizeof out, "%s-%ld.dump", path, (long)getpid());
    const char *const argv[] = {CUP_BUILD "/cupping", "dump", path, NULL};
    cup_run("dump", out, argv, cup_clean_environment, 60);
    char *text = cup_read_file(out), *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *row = strstr(line, " - ROW worker=");
        if (row) {
            take_row(&rows, row + strlen(" - ROW "));
            continue;
        }
        json_t *record = parse_record(strings, line);
        keep_string(strings, record);
        json_array_append_new(records, record);
        take_record(&rows, records, record);
    }
    json_decref(rows.workers);
    json_decref(rows.statuses);
    json_decref(strings);
    free(text);
    unlink(out);
    return records;
}

enum { SCHEDULER = 0, ANY = -1 };

/* The log of a process. */
static json_t *log_of(const char *directory, json_int_t pid)
{
    char *profile = cup_path(directory, "profile"), part[64];
    json_t *found = NULL;
    DIR *entries = opendir(profile);
    snprintf(part, sizeof part, "-%lld-", (long long)pid);
    for (struct dirent *entry; !found && entries && (entry = readdir(entries)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".cup") ||
            (pid > 0 && !strstr(entry->d_name, part)))
            continue;
        char *path = cup_path(profile, entry->d_name);
        size_t i;
        json_t *records = read_log(path), *record;
        bool wanted = pid != SCHEDULER;
        json_array_foreach(records, i, record) wanted |= is(record, "role", "scheduler");
        free(path);
        if (wanted)
            found = records;
        else
            json_decref(records);
    }
    closedir(entries);
    free(profile);
    cr_assert(found, "no log of process %lld", (long long)pid);
    return found;
}

/* ---- the job -------------------------------------------------------------------------------- */

static void run_with(const char *directory, const char *python, const char *interval)
{
    const char *const environment[] = {interval, NULL};
    struct cup_cluster cluster;
    char *out = cup_path(directory, "out.json");
    const char *const arguments[] = {out, NULL};
    cup_cluster_start(&cluster, &(struct cup_cluster_options){.directory = directory,
                                                              .python = python,
                                                              .workers = 2,
                                                              .environment = environment});
    cup_cluster_script(&cluster, "samples_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out);
}

static void run(const char *directory)
{
    run_with(directory, NULL, "CUPPING_INTERVAL=0.1");
}

/* ---- its checks ------------------------------------------------------------------------------ */

/* Last values of the fine metrics of tasks, by the parts of their keys. */
static json_t *digests_of(json_t *records, bool *complete)
{
    json_t *by_number = json_object(), *result = json_object(), *record, *value;
    size_t i;
    const char *number;
    *complete = false;
    json_array_foreach(records, i, record)
    {
        if (is(record, "type", "DIGEST"))
            *complete = is(record, "last", "1");
        if (is(record, "type", "DIGEST_KEY") && is(record, "context", "execute"))
            json_object_set(by_number, of(record, "key"), record);
        json_object_foreach(json_object_get(record, "values"), number, value)
        {
            char key[1024];
            json_t *reported = json_object_get(by_number, number);
            snprintf(key, sizeof key, "execute/%s/%s/%s/%s", of(reported, "span"),
                     of(reported, "prefix"), of(reported, "activity"), of(reported, "unit"));
            if (reported)
                json_object_set(result, key, value);
        }
    }
    json_decref(by_number);
    return result;
}

/* To the last bit, also for the one that was killed. */
static void check_digests(const char *directory, json_t *worker, bool killed)
{
    json_t *records = log_of(directory, cup_count(worker, "pid")), *value;
    json_t *reported = json_object_get(worker, "digests");
    const char *key;
    bool complete;
    json_t *found = digests_of(records, &complete);
    cr_expect(json_object_size(reported) >= 6, "Dask reported %zu", json_object_size(reported));
    cr_expect(json_object_size(found) == json_object_size(reported), "%zu, not %zu",
              json_object_size(found), json_object_size(reported));
    json_object_foreach(reported, key, value)
        cr_expect(json_real_value(json_object_get(found, key)) == json_number_value(value),
                  "%s: %.17g, not %.17g", key, json_real_value(json_object_get(found, key)),
                  json_number_value(value));
    cr_expect(complete != killed, "a last snapshot is %s", complete ? "there" : "missing");
    json_decref(found);
    json_decref(records);
}

static double seconds_of(json_t *record, const char *field)
{
    return strtod(of(record, field), NULL) / 1e9;
}

/* The sample that holds the very heartbeat that the scheduler reported. */
static json_t *find_heartbeat(json_t *records, const char *address, double time)
{
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record)
    {
        double apart = seconds_of(record, "heartbeat_time_ns") - time;
        if (is(record, "type", "SAMPLE_WORKER") && is(record, "address", address) && apart < 1e-6 &&
            apart > -1e-6)
            return record;
    }
    return NULL;
}

static void check_heartbeat(json_t *records, const char *address, json_t *info)
{
    json_t *record = find_heartbeat(records, address, cup_number(info, "time"));
    cr_assert(record, "no heartbeat of %s at %.6f", address, cup_number(info, "time"));
    cr_expect(is(record, "name", cup_word(info, "name")));
    cr_expect(is(record, "status", cup_word(info, "status")));
    cr_expect(atoll(of(record, "threads")) == cup_count(info, "threads"));
    cr_expect(atoll(of(record, "memory_limit")) == cup_count(info, "memory_limit"));
    cr_expect(atoll(of(record, "heartbeat_rss")) == cup_count(info, "rss"));
    cr_expect(atoll(of(record, "heartbeat_num_fds")) == cup_count(info, "num_fds"));
    double percent = seconds_of(record, "heartbeat_cpu_ns_per_s") * 100;
    cr_expect_float_eq(percent, json_number_value(json_object_get(info, "cpu")), 1e-5);
    cr_expect(strlen(of(record, "heartbeat_managed_bytes")) > 0);
    cr_expect(strlen(of(record, "heartbeat_tasks_executing")) > 0);
}

/* Two workers, then one, then two again; some of the time with something to do. */
static void check_counts(json_t *records)
{
    static const long expected[] = {2, 1, 2};
    size_t i, seen = 0;
    json_t *record;
    long processing = 0, samples = 0;
    json_array_foreach(records, i, record)
    {
        if (is(record, "type", "SAMPLE")) {
            samples++;
            if (seen < 3 && atol(of(record, "workers")) == expected[seen])
                seen++;
        } else if (is(record, "type", "SAMPLE_WORKER")) {
            processing += atol(of(record, "processing")) > 0;
        }
    }
    cr_expect(seen == 3, "%zu of the three were seen", seen);
    cr_expect(processing >= 4, "%ld samples of workers with tasks", processing);
    cr_expect(samples >= 30, "%ld samples", samples);
}

static void check_spans(json_t *records, json_t *spans)
{
    json_t *reported = json_object(), *record, *name;
    size_t i;
    const char *id;
    int named = 0;
    json_array_foreach(records, i, record) if (is(record, "type", "SPAN"))
        json_object_set(reported, of(record, "id"), json_object_get(record, "name"));
    json_object_foreach(spans, id, name)
    {
        cr_expect(json_equal(json_object_get(reported, id), name), "span %s is not %s", id,
                  json_string_value(name));
        named++;
    }
    cr_expect(named >= 2);
    json_decref(reported);
}

/* A worker samples itself, too. */
static void check_own(const char *directory, const char *address, json_t *worker)
{
    json_t *records = log_of(directory, cup_count(worker, "pid")), *record;
    size_t i;
    long rows = 0;
    json_array_foreach(records, i, record) if (is(record, "type", "SAMPLE_WORKER"))
    {
        rows++;
        cr_expect(is(record, "address", address));
        cr_expect(atoll(of(record, "heartbeat_rss")) > 10000000);
        cr_expect(atol(of(record, "threads")) == 1);
    }
    cr_expect(rows >= 15, "%ld samples of itself", rows);
    json_decref(records);
}

static void check(char *directory)
{
    json_t *out = cup_json(directory, "out.json"), *scheduler = log_of(directory, SCHEDULER),
           *worker;
    const char *address;
    json_object_foreach(json_object_get(out, "workers"), address, worker)
    {
        check_heartbeat(scheduler, address, json_object_get(worker, "info"));
        check_digests(directory, worker, cup_is(out, "killed", address));
        check_own(directory, address, worker);
    }
    check_counts(scheduler);
    check_spans(scheduler, json_object_get(out, "spans"));
    json_decref(scheduler);
    json_decref(out);
    free(directory);
}

Test(samples, are_what_dask_says)
{
    check(cup_job("samples", run));
}

Test(samples, oldest_python)
{
    const char *python = CUP_PYTHON_3_9;
    if (access(python, X_OK))
        cr_skip_test("no Python 3.9 with Dask here (%s)", python);
    char *directory = cup_scratch("samples-3.9");
    run_with(directory, python, "CUPPING_INTERVAL=0.1");
    check(directory);
}

Test(samples, none_are_taken_at_interval_0)
{
    char *directory = cup_scratch("samples-0");
    size_t i;
    json_t *record;
    run_with(directory, NULL, "CUPPING_INTERVAL=0");
    json_t *records = log_of(directory, SCHEDULER);
    json_array_foreach(records, i, record)
        cr_expect(!is(record, "type", "SAMPLE") && !is(record, "type", "DIGEST"));
    json_decref(records);
    free(directory);
}

/* ---- ends of a process ----------------------------------------------------------------------- */

/* Runs a workload that needs no cluster; its log. OUTPUT: what it must print, all of it; or NULL.
 */
static json_t *run_alone(const char *python, const char *script, const char *argument,
                         const char *interval, const char *output)
{
    char scratch[128], setting[2300], path[2300];
    snprintf(scratch, sizeof scratch, "samples-%s", criterion_current_test->name);
    char *directory = cup_scratch(scratch), *log = cup_path(directory, "output");
    snprintf(setting, sizeof setting, "CUPPING_DIR=%s/profile", directory);
    snprintf(path, sizeof path, CUP_TOP "/tests/workloads/%s", script);
    const char *const argv[] = {python, path, argument, NULL};
    const char *const environment[] = {"LD_PRELOAD=" CUP_TOP "/build/libcupping.so", setting,
                                       interval, NULL};
    cup_run(script, log, argv, environment, 60);
    char *text = cup_read_file(log);
    cr_expect(!output || strcmp(text, output) == 0, "%s says: %s", script, text);
    json_t *records = log_of(directory, ANY);
    free(text);
    free(log);
    free(directory);
    return records;
}

/* The last values are those of the very end. */
static void check_end(const char *python, const char *how)
{
    bool complete;
    json_t *records = run_alone(python, "samples_ends.py", how, NULL, NULL),
           *digests = digests_of(records, &complete);
    json_t *value = json_object_get(digests, "execute/5f-1/nap/thread-cpu/seconds");
    cr_expect(complete, "%s: no last snapshot", how);
    cr_expect(json_real_value(value) == 1.5, "%s: %g", how, json_real_value(value));
    json_decref(digests);
    json_decref(records);
}

static void check_ends(const char *python)
{
    static const char *const all[] = {"return", "exit",   "os_exit", "fork",
                                      "closed", "raises", "odd",     "emptied"};
    if (access(python, X_OK))
        cr_skip_test("no Python with Dask here (%s)", python);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check_end(python, all[i]);
}

Test(samples, every_end_has_its_last_snapshot)
{
    check_ends(CUP_PYTHON);
}

Test(samples, every_end_of_the_oldest_python)
{
    check_ends(CUP_PYTHON_3_9);
}

Test(samples, every_end_of_the_newest_python)
{
    check_ends(CUP_PYTHON_3_13);
}

/* ---- what is not as expected ----------------------------------------------------------------- */

static void check_odd(const char *python)
{
    if (access(python, X_OK))
        cr_skip_test("no Python with Dask here (%s)", python);
    json_t *records = run_alone(python, "samples_odd.py", NULL, "CUPPING_INTERVAL=0.02", "same\n");
    json_t *record;
    size_t i;
    int odd = 0, samples = 0, no_workers = 0, no_attribute = 0;
    json_array_foreach(records, i, record)
    {
        no_workers +=
            strstr(of(record, "text"), "samples hold no workers") && is(record, "type", "NOTE");
        no_attribute +=
            strstr(of(record, "text"), "workers have no ") && is(record, "type", "NOTE");
        samples += is(record, "type", "SAMPLE");
        if (!is(record, "type", "SAMPLE_WORKER") || !is(record, "address", "tcp://5"))
            continue;
        odd++;
        cr_expect(is(record, "threads", "2") && is(record, "has", "0"));
        cr_expect(is(record, "processing", "") && is(record, "executing", ""));
        cr_expect(is(record, "nbytes", "") && is(record, "seen_ns", ""));
        cr_expect(is(record, "memory_limit", "") && is(record, "heartbeat_time_ns", ""));
    }
    cr_expect(no_workers == 1 && no_attribute >= 1, "%d and %d remarks", no_workers, no_attribute);
    cr_expect(samples >= 20 && odd >= 20, "%d samples, %d odd workers", samples, odd);
    json_decref(records);
}

Test(samples, take_what_is_there)
{
    check_odd(CUP_PYTHON);
}

Test(samples, take_what_is_there_on_the_oldest_python)
{
    check_odd(CUP_PYTHON_3_9);
}

Test(samples, take_what_is_there_on_the_newest_python)
{
    check_odd(CUP_PYTHON_3_13);
}

/* ---- the interval ---------------------------------------------------------------------------- */

static int count_of(json_t *records, const char *type)
{
    size_t i;
    json_t *record;
    int count = 0;
    json_array_foreach(records, i, record) count += is(record, "type", type);
    return count;
}

static void check_interval(const char *value, bool taken, const char *said, int remarks)
{
    char setting[64];
    snprintf(setting, sizeof setting, "CUPPING_INTERVAL=%s", value);
    json_t *records = run_alone(CUP_PYTHON, "samples_ends.py", "return", setting, NULL), *record,
           *found = NULL;
    size_t i;
    json_array_foreach(records, i, record) if (is(record, "name", "CUPPING_INTERVAL")) found =
        record;
    cr_expect(count_of(records, "SAMPLE") == taken, "%s: %d samples", value,
              count_of(records, "SAMPLE"));
    cr_expect(count_of(records, "NOTE") == remarks, "%s: %d remarks", value,
              count_of(records, "NOTE"));
    cr_expect(said ? found && is(found, "value", said) : !found, "%s is taken for %s", value,
              found ? of(found, "value") : "the default");
    json_decref(records);
}

Test(samples, intervals)
{
    json_t *records = run_alone(CUP_PYTHON, "samples_ends.py", "return", NULL, NULL);
    int usual = count_of(records, "NOTE");
    json_decref(records);
    check_interval("1.0", true, NULL, usual);
    check_interval("0.02", true, "0.02", usual);
    check_interval("60", true, "60", usual);
    check_interval("2.5", true, "2.5", usual);
    check_interval("0", false, "0", usual);
    check_interval("0.0", false, "0", usual);
    check_interval("0.019", true, NULL, usual + 1);
    check_interval("60.001", true, NULL, usual + 1);
    check_interval("1s", true, NULL, usual + 1);
    check_interval("-1", true, NULL, usual + 1);
    check_interval("1e1", true, NULL, usual + 1);
    check_interval("99999999999999999999", true, NULL, usual + 1);
}
