/* Real Coffea analyses of real ROOT files: each chunk has the same bytes however the work is
 * distributed, and the sum is exactly what strace saw. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"
#include "tests/e2e/trace.h"
#include "tests/e2e/witness.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(coffea, .timeout = 300);

/* ---- the jobs: the same analysis of TTrees and RNTuples, spread in three ways ------------------
 */

static void analyse(const char *directory, struct cup_cluster_options options)
{
    struct cup_cluster cluster;
    char *ttree = cup_input("ttree"), *rntuple = cup_input("rntuple");
    char *first = cup_path(ttree, "files.json"), *second = cup_path(rntuple, "files.json");
    char *out = cup_path(directory, "out.json");
    const char *const arguments[] = {out, first, second, NULL};
    options.directory = directory;
    cup_cluster_start(&cluster, &options);
    cup_cluster_script(&cluster, "coffea_job.py", arguments);
    cup_cluster_stop(&cluster);
    free(out), free(first), free(second), free(ttree), free(rntuple);
}

static void with_one_thread(const char *directory)
{
    analyse(directory, (struct cup_cluster_options){.threads = 1});
}

static void with_two_workers(const char *directory)
{
    analyse(directory, (struct cup_cluster_options){.threads = 1, .workers = 2});
}

static void with_four_threads_traced(const char *directory)
{
    char *trace = cup_path(directory, "strace.txt");
    const char *const strace[] = {CUP_STRACE(trace), NULL};
    analyse(directory, (struct cup_cluster_options){.threads = 4, .under = strace});
    free(trace);
}

struct run {
    char *directory;
    json_t *rows, *out;
};

static struct run load(const char *name, void (*job)(const char *directory))
{
    char *directory = cup_job(name, job);
    return (struct run){directory, cup_tasks(directory), cup_json(directory, "out.json")};
}

static struct run one_thread(void)
{
    return load("coffea-1-thread", with_one_thread);
}

static struct run two_workers(void)
{
    return load("coffea-2-workers", with_two_workers);
}

static struct run four_threads_traced(void)
{
    return load("coffea-4-threads", with_four_threads_traced);
}

static void drop(struct run *run)
{
    json_decref(run->rows);
    json_decref(run->out);
    free(run->directory);
}

/* ---- chunks
 * --------------------------------------------------------------------------------------
 */

/* Chunks that the analysis itself noted, of both its runs. */
static json_t *noted_chunks(const struct run *run)
{
    size_t i;
    json_t *one, *all = json_array();
    json_array_foreach(json_object_get(run->out, "runs"), i, one)
        json_array_extend(all, json_object_get(one, "chunks"));
    return all;
}

/* {file:start-stop: row} of the rows that carry a work item. */
static json_t *chunks_of(json_t *rows)
{
    size_t i;
    json_t *row, *chunks = json_object();
    json_array_foreach(rows, i, row)
    {
        char name[4096];
        if (!json_is_integer(json_object_get(row, "entry_start")))
            continue;
        snprintf(name, sizeof name, "%s:%lld-%lld", cup_word(row, "file"),
                 (long long)cup_count(row, "entry_start"), (long long)cup_count(row, "entry_stop"));
        cr_expect(!json_object_get(chunks, name), "two rows for chunk %s", name);
        json_object_set(chunks, name, row);
    }
    return chunks;
}

static void check_chunks(const struct run *run)
{
    json_t *noted = noted_chunks(run), *chunks = chunks_of(run->rows), *chunk;
    size_t i;
    cr_expect(json_array_size(noted) >= 24, "only %zu chunks", json_array_size(noted));
    cr_expect(json_array_size(noted) == json_object_size(chunks));
    json_array_foreach(noted, i, chunk) json_object_set_new(chunk, "attempt", json_integer(1));
    cup_check_expected(run->rows, noted);
    json_decref(noted);
    json_decref(chunks);
}

static void check_same_bytes(const struct run *left, const struct run *right)
{
    json_t *chunks = chunks_of(left->rows), *others = chunks_of(right->rows), *row;
    const char *name;
    cr_expect(json_object_size(chunks) > 0);
    cr_expect(json_object_size(chunks) == json_object_size(others));
    json_object_foreach(chunks, name, row)
    {
        json_t *other = json_object_get(others, name);
        json_int_t bytes = cup_count(row, "read_bytes");
        cr_expect(other != NULL, "chunk %s is in one run only", name);
        if (!other)
            continue;
        cr_expect(bytes > 0 && bytes == cup_count(other, "read_bytes"),
                  "%s: %lld bytes in one run, %lld in the other", name, (long long)bytes,
                  (long long)cup_count(other, "read_bytes"));
    }
    json_decref(chunks);
    json_decref(others);
}

Test(coffea, a_chunk_reads_the_same_with_one_thread_and_with_four)
{
    struct run left = one_thread(), right = four_threads_traced();
    check_same_bytes(&left, &right);
    drop(&left), drop(&right);
}

Test(coffea, a_chunk_reads_the_same_in_one_process_and_in_two)
{
    struct run left = one_thread(), right = two_workers();
    check_same_bytes(&left, &right);
    drop(&left), drop(&right);
}

Test(coffea, every_chunk_is_the_work_item_it_was)
{
    struct run runs[] = {one_thread(), four_threads_traced(), two_workers()};
    for (int i = 0; i < 3; i++) {
        check_chunks(&runs[i]);
        drop(&runs[i]);
    }
}

/* ---- bytes that strace saw
 * --------------------------------------------------------------------------
 */

static json_int_t sum_of(json_t *bytes)
{
    const char *path;
    json_t *value;
    json_int_t sum = 0;
    json_object_foreach(bytes, path, value) sum += json_integer_value(value);
    return sum;
}

/* {file: read_bytes} of the tasks that carry an item of that file; other tasks of these jobs read
 * nothing. */
static json_t *bytes_of_files(json_t *rows)
{
    size_t i;
    json_t *row, *files = json_object();
    json_array_foreach(rows, i, row)
    {
        const char *file = cup_word(row, "file");
        json_int_t bytes = cup_count(row, "read_bytes");
        json_int_t before = json_integer_value(json_object_get(files, file));
        if (*file)
            json_object_set_new(files, file, json_integer(before + bytes));
        else
            cr_expect(bytes == 0, "%s has no file and read %lld bytes", cup_word(row, "key"),
                      (long long)bytes);
    }
    return files;
}

Test(coffea, the_sum_of_the_same_run_is_what_strace_saw)
{
    struct run run = four_threads_traced();
    json_t *seen = cup_trace_read(run.directory, ".root"), *found = bytes_of_files(run.rows);
    const char *path;
    json_t *bytes;
    cr_expect(json_object_size(seen) == 12 && json_object_size(found) == 12);
    json_object_foreach(seen, path, bytes) cr_expect(
        json_equal(bytes, json_object_get(found, path)), "%s: strace saw %lld, tasks %lld", path,
        json_integer_value(bytes), json_integer_value(json_object_get(found, path)));
    json_decref(seen), json_decref(found);
    drop(&run);
}

Test(coffea, the_sum_of_other_runs_is_what_strace_saw)
{
    struct run traced = four_threads_traced(), others[] = {one_thread(), two_workers()};
    json_t *seen = cup_trace_read(traced.directory, ".root");
    for (int i = 0; i < 2; i++) {
        json_int_t sum = cup_sum(others[i].rows, "read_bytes");
        cr_expect(sum > 0 && sum == sum_of(seen), "strace saw %lld, tasks of another run %lld",
                  (long long)sum_of(seen), (long long)sum);
        drop(&others[i]);
    }
    json_decref(seen);
    drop(&traced);
}

/* ---- the report of these runs ------------------------------------------------------------------
 */

/* A value is null exactly if its source says that there is none. */
static void check_source(const char *section, const char *name, json_t *value, const char *source)
{
    bool none = strncmp(source, "n/a", 3) == 0;
    cr_expect(value != NULL, "%s.%s is absent", section, name);
    cr_expect(none == json_is_null(value), "%s.%s is %snull, its source: %s", section, name,
              json_is_null(value) ? "" : "not ", source);
}

static int check_sources(json_t *report)
{
    const char *section, *name;
    json_t *names, *source;
    int checked = 0;
    json_object_foreach(json_object_get(report, "sources"), section, names)
    {
        if (strcmp(section, "advice") == 0) /* a list of findings, not of values */
            continue;
        json_object_foreach(names, name, source)
        {
            json_t *value = json_object_get(json_object_get(report, section), name);
            check_source(section, name, value, json_string_value(source));
            checked++;
        }
        if (json_is_string(names))
            check_source("report", section, json_object_get(report, section),
                         json_string_value(names));
    }
    return checked;
}

static json_int_t report_count(json_t *report, const char *section, const char *name)
{
    json_t *value = json_object_get(json_object_get(report, section), name);
    cr_expect(json_is_integer(value), "%s.%s is no integer", section, name);
    return json_integer_value(value);
}

/* Of all bytes; 0 where it is not known. */
static json_int_t part(json_t *report, const char *name)
{
    return json_integer_value(json_object_get(json_object_get(report, "attribution"), name));
}

static void check_attribution(json_t *report)
{
    const char *way;
    json_t *value, *ways = json_object_get(json_object_get(report, "attribution"), "by_way");
    json_int_t sum = 0, total = report_count(report, "attribution", "bytes_total");
    json_object_foreach(ways, way, value) sum += json_integer_value(value);
    cr_expect(json_object_size(ways) == 7);
    cr_expect(total > 0 && sum == report_count(report, "attribution", "read_bytes"));
    cr_expect(sum + part(report, "mapped_bytes") + part(report, "recv_bytes") -
                  part(report, "server_read_bytes") ==
              total);
    cr_expect(json_integer_value(json_object_get(ways, "none")) == 0, "%lld bytes have no task",
              json_integer_value(json_object_get(ways, "none")));
    cr_expect(report_count(report, "attribution", "bytes_attributed") ==
              total - part(report, "mapped_none_bytes") - part(report, "recv_none_bytes"));
}

static void check_totals(const struct run *run, json_t *report)
{
    json_t *chunks = json_object_get(json_object_get(report, "chunks"), "rows");
    cr_expect(cup_sum(chunks, "events") == 60000);
    cr_expect(report_count(report, "workflow", "total_events") == 60000);
    cr_expect(report_count(report, "workflow", "num_failed_chunks") == 0);
    cr_expect(report_count(report, "workflow", "total_bytes_read") ==
              report_count(report, "attribution", "bytes_attributed"));
    cr_expect(part(report, "read_bytes") - part(report, "read_none_bytes") ==
              cup_sum(run->rows, "read_bytes"));
    cr_expect(report_count(report, "health", "tasks_unfinished") == 0);
    cr_expect(report_count(report, "health", "records_dropped") == 0);
    cr_expect(report_count(report, "health", "anchor_errors") == 0);
    cr_expect(report_count(report, "health", "logs_not_closed") == 0);
}

Test(coffea, the_report_is_whole_and_attributes_all)
{
    static const char *const sections[] = {
        "format",         "version",         "run",         "runs",      "workflow", "workers",
        "efficiency",     "time_budget",     "fine",        "chunks",    "files",    "datasets",
        "sections",       "tasks_by_prefix", "branches",    "functions", "servers",  "hosts",
        "merge",          "losses",          "attribution", "health",    "sources",  "stages",
        "tasks_by_worker"};
    struct run runs[] = {one_thread(), four_threads_traced(), two_workers()};
    for (int i = 0; i < 3; i++) {
        json_t *report = cup_report(runs[i].directory);
        for (size_t j = 0; j < sizeof sections / sizeof *sections; j++)
            cr_expect(json_object_get(report, sections[j]) != NULL, "no %s", sections[j]);
        cr_expect(check_sources(report) > 80);
        check_attribution(report);
        check_totals(&runs[i], report);
        json_decref(report);
        drop(&runs[i]);
    }
}

Test(coffea, files_of_the_report_are_those_that_strace_saw)
{
    struct run run = four_threads_traced();
    json_t *report = cup_report(run.directory), *seen = cup_trace_read(run.directory, ".root");
    json_t *rows = json_object_get(json_object_get(report, "files"), "rows"), *row;
    size_t i, found = 0;
    json_array_foreach(rows, i, row)
    {
        json_t *bytes = json_object_get(seen, cup_word(row, "file"));
        found += bytes != NULL;
        cr_expect(!bytes || json_equal(bytes, json_object_get(row, "read_bytes")),
                  "%s: strace saw %lld", cup_word(row, "file"), json_integer_value(bytes));
    }
    cr_expect(found == 12, "%zu of 12 files", found);
    json_decref(report), json_decref(seen);
    drop(&run);
}

/* Columns of a line: bytes that do not go on a character of UTF-8. */
static int width(const char *line)
{
    int columns = 0;
    for (; *line && *line != '\n'; line++)
        columns += (*line & 0xc0) != 0x80;
    return columns;
}

Test(coffea, the_report_fits_in_eighty_columns)
{
    struct run run = one_thread();
    char *profile = cup_path(run.directory, "profile"),
         *log = cup_path(run.directory, "report.txt");
    const char *const argv[] = {CUP_BUILD "/cupping", "report", profile, "--full", NULL};
    cup_run("report", log, argv, cup_clean_environment, 60);
    char *text = cup_read_file(log);
    int lines = 0;
    for (char *line = text; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
        cr_expect(width(line) <= 80, "%.*s", (int)strcspn(line, "\n"), line);
        lines++;
    }
    cr_expect(lines > 20);
    free(text), free(log), free(profile);
    drop(&run);
}

/* ---- and all the rest
 * ----------------------------------------------------------------------------------
 */

Test(coffea, rows_are_what_dask_ran)
{
    struct run runs[] = {one_thread(), four_threads_traced(), two_workers()};
    for (int i = 0; i < 3; i++) {
        json_t *witness = json_object_get(runs[i].out, "witness");
        cup_check_witness(runs[i].rows, witness);
        cr_expect(cup_check_digests(runs[i].rows, witness) >= 4);
        cup_check_sane(runs[i].rows);
        drop(&runs[i]);
    }
}

/* Sums over the reports of the job's Runner calls, and the union of their columns. */
static json_t *own_report(const struct run *run)
{
    static const char *const sums[] = {"bytesread", "entries", "chunks"};
    json_t *all = json_pack("{s:i s:i s:i s:f s:{}}", "bytesread", 0, "entries", 0, "chunks", 0,
                            "processtime", 0.0, "columns");
    json_t *one, *column;
    size_t i, j;
    json_array_foreach(json_object_get(run->out, "runs"), i, one)
    {
        json_t *metrics = json_object_get(one, "metrics");
        for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
            json_object_set_new(
                all, sums[k], json_integer(cup_count(all, sums[k]) + cup_count(metrics, sums[k])));
        json_object_set_new(
            all, "processtime",
            json_real(cup_number(all, "processtime") + cup_number(metrics, "processtime")));
        json_array_foreach(json_object_get(metrics, "columns"), j, column)
            json_object_set(json_object_get(all, "columns"), json_string_value(column), column);
    }
    return all;
}

static void check_own_report(const struct run *run)
{
    static const char *const sums[] = {"bytesread", "entries", "chunks"};
    json_t *report = cup_report(run->directory), *own = own_report(run), *column;
    json_t *coffea = json_object_get(report, "coffea");
    json_t *columns = json_object_get(coffea, "columns"), *theirs = json_object_get(own, "columns");
    size_t i;
    for (i = 0; i < sizeof sums / sizeof *sums; i++)
        cr_expect(cup_count(coffea, sums[i]) == cup_count(own, sums[i]),
                  "%s: Coffea says %lld, the chunks %lld", sums[i],
                  (long long)cup_count(own, sums[i]), (long long)cup_count(coffea, sums[i]));
    /* the client adds up differences of floats: 0.24 us each */
    double off = cup_number(coffea, "processtime") - cup_number(own, "processtime");
    cr_expect(off > -1e-5 && off < 1e-5, "processtime is %g s off", off);
    cr_expect(json_array_size(columns) > 10);
    cr_expect(json_array_size(columns) == json_object_size(theirs));
    json_array_foreach(columns, i, column)
        cr_expect(json_object_get(theirs, json_string_value(column)), "%s is no column of Coffea's",
                  json_string_value(column));
    json_decref(report), json_decref(own);
}

Test(coffea, what_coffea_reports_is_known_without_it)
{
    struct run runs[] = {one_thread(), four_threads_traced(), two_workers()};
    for (int i = 0; i < 3; i++) {
        check_own_report(&runs[i]);
        drop(&runs[i]);
    }
}

/* What Coffea's own report counts: bytes that uproot asked for are read by the chunks' tasks. */
Test(coffea, chunks_read_at_least_what_uproot_asked_for)
{
    struct run run = one_thread();
    json_t *chunks = chunks_of(run.rows), *row, *one;
    const char *name;
    size_t i;
    json_int_t read = 0, asked = 0, events = 0;
    json_object_foreach(chunks, name, row)
    {
        read += cup_count(row, "read_bytes");
        events += cup_count(row, "events");
    }
    json_array_foreach(json_object_get(run.out, "runs"), i, one) asked +=
        json_integer_value(json_object_get(json_object_get(one, "metrics"), "bytesread"));
    cr_expect(asked > 0 && read >= asked, "asked for %lld bytes, read %lld", (long long)asked,
              (long long)read);
    cr_expect(events == 60000, "%lld events", (long long)events);
    json_decref(chunks);
    drop(&run);
}

/* The same work by one worker and by two: nothing of the inputs differs, and they scale somehow. */
Test(coffea, runs_of_one_and_of_two_workers_are_compared)
{
    struct run one = one_thread(), two = two_workers();
    char *first = cup_path(one.directory, "profile"), *second = cup_path(two.directory, "profile");
    char *log = cup_path(two.directory, "compare.json");
    const char *const argv[] = {
        CUP_BUILD "/cupping", "compare", first, second, "--run", "all", "--json", "-", NULL};
    cup_run("compare", log, argv, cup_clean_environment, 60);
    json_t *compared = cup_json(two.directory, "compare.json");
    json_t *rows = json_object_get(json_object_get(compared, "scaling"), "rows");
    cr_expect(json_is_true(json_object_get(compared, "same_work")));
    const json_t *difference = json_array_get(json_object_get(compared, "differences"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(difference, "what")), "workers");
    cr_assert_eq(json_array_size(rows), 2);
    cr_expect_eq(cup_number(json_array_get(rows, 0), "workers"), 1);
    cr_expect_eq(cup_number(json_array_get(rows, 1), "workers"), 2);
    cr_expect_eq(cup_number(json_array_get(rows, 0), "efficiency_by_workers"), 1);
    cr_expect(cup_number(json_array_get(rows, 1), "efficiency_by_workers") > 0);
    json_decref(compared);
    free(first), free(second), free(log);
    drop(&one), drop(&two);
}
