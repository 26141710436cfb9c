/* The same run as cupping reports it and as Python tools see it, which are attached in their
 * usual way (tests/workloads/collector.py): a decorator around process(), a poll of the
 * scheduler, a span, Coffea's own report. */
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(metrics, .timeout = 300);

static const double time_share = 0.005; /* processtime and CPU seconds agree within */

/* ---- jobs --------------------------------------------------------------------------------- */

static void run_job(const char *directory, const char *scenario, const char *wrap)
{
    char *input = cup_input("ttree"), *files = cup_path(input, "files.json");
    char *log = cup_path(directory, "job.log");
    const char *const argv[] = {cup_python(), CUP_TOP "/tests/workloads/metrics_job.py",
                                directory,    files,
                                scenario,     "--wrap",
                                wrap,         NULL};
    cup_run("metrics_job.py", log, argv, cup_clean_environment, 280);
    free(input), free(files), free(log);
}

/* One client, workers of different size, one call after the other. */
static void run_calls(const char *directory)
{
    run_job(directory, "plain,failing,skipped,moving,one,none", "all");
}

static void run_workers_only(const char *directory)
{
    run_job(directory, "plain", "workers");
}

static void run_local(const char *directory)
{
    run_job(directory, "local", "all");
}

static void run_futures(const char *directory)
{
    run_job(directory, "futures", "all");
}

static void run_iterative(const char *directory)
{
    run_job(directory, "iterative", "all");
}

/* ---- one call, as both see it ---------------------------------------------------------------- */

struct call {
    char *directory;
    json_t *truth;    /* owned */
    json_t *reported; /* what the collector saw of the call; borrowed */
    json_t *report;   /* what cupping does; owned */
};

/* What Coffea returned, as a user would save it. */
static char *save_report(const char *directory, const char *name, json_t *reported)
{
    char file[128];
    json_t *report = json_copy(json_object_get(reported, "report"));
    snprintf(file, sizeof file, "%s-%ld.json", name, (long)getpid());
    char *path = cup_path(directory, file);
    json_object_set(report, "t_start", json_object_get(reported, "t_start"));
    json_object_set(report, "t_stop", json_object_get(reported, "t_stop"));
    cr_assert_eq(json_dump_file(report, path, 0), 0);
    json_decref(report);
    return path;
}

/* NUMBER: of the call among all, from 1 on; 0: the only one. */
static struct call load(const char *job, void (*run)(const char *directory), unsigned number)
{
    struct call call = {.directory = cup_job(job, run)};
    char run_number[16];
    call.truth = cup_json(call.directory, "truth.json");
    call.reported = json_array_get(json_object_get(call.truth, "calls"), number ? number - 1 : 0);
    bool has_report = json_is_object(json_object_get(call.reported, "report"));
    char *saved = has_report
                      ? save_report(call.directory, cup_word(call.reported, "name"), call.reported)
                      : NULL;
    snprintf(run_number, sizeof run_number, "%u", number);
    const char *options[] = {"--run", run_number, "--coffea-report", saved, NULL};
    if (!saved)
        options[2] = NULL;
    call.report = cup_report_with(call.directory, number ? options : options + 2);
    free(saved);
    return call;
}

static void drop(struct call *call)
{
    json_decref(call->truth);
    json_decref(call->report);
    free(call->directory);
}

/* The part of the report that a metric is in; each must be there. */
static json_t *section(const struct call *call, const char *name)
{
    json_t *section = json_object_get(call->report, name);
    cr_assert(json_is_object(section), "the report has no section %s", name);
    return section;
}

static double metric(const struct call *call, const char *in, const char *name)
{
    json_t *value = json_object_get(section(call, in), name);
    cr_assert(json_is_number(value), "%s.%s is not known", in, name);
    return json_number_value(value);
}

/* Within a share of what the collector says, or so much. */
static void expect_near(const char *what, double ours, double theirs, double share, double floor)
{
    double allowed = fmax(share * fabs(theirs), floor);
    cr_expect(fabs(ours - theirs) <= allowed,
              "%s: cupping says %.9g, the collector %.9g (%+.3g, allowed %.3g)", what, ours, theirs,
              ours - theirs, allowed);
}

static void expect_same(const char *what, json_int_t ours, json_int_t theirs)
{
    cr_expect(ours == theirs, "%s: cupping says %lld, the collector %lld", what, (long long)ours,
              (long long)theirs);
}

/* ---- Coffea's report --------------------------------------------------------------------------
 */

static void check_columns(json_t *ours, json_t *theirs)
{
    json_t *set = json_object(), *name;
    size_t i;
    json_array_foreach(ours, i, name)
        json_object_set_new(set, json_string_value(name), json_true());
    expect_same("columns", (json_int_t)json_object_size(set), (json_int_t)json_array_size(theirs));
    json_array_foreach(theirs, i, name) cr_expect(json_object_get(set, json_string_value(name)),
                                                  "no column %s", json_string_value(name));
    json_decref(set);
}

static void check_coffea(const struct call *call)
{
    static const char *const exact[] = {"bytesread", "entries", "chunks"};
    json_t *ours = section(call, "coffea"), *theirs = json_object_get(call->reported, "report");
    json_t *differs = json_object_get(ours, "differs"), *sentence;
    size_t i;
    for (i = 0; i < sizeof exact / sizeof *exact; i++)
        expect_same(exact[i], cup_count(ours, exact[i]), cup_count(theirs, exact[i]));
    expect_near("processtime", cup_number(ours, "processtime"), cup_number(theirs, "processtime"),
                0, 1e-6 * (double)(1 + cup_count(theirs, "chunks")));
    check_columns(json_object_get(ours, "columns"), json_object_get(theirs, "columns"));
    cr_expect(json_is_array(differs));
    json_array_foreach(differs, i, sentence)
        cr_expect_fail("with --coffea-report: %s", json_string_value(sentence));
}

/* ---- chunks, against the decorator ------------------------------------------------------------
 */

static json_t *used_row(json_t *rows, json_t *chunk)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row) if (cup_is(row, "outcome", "used") &&
                                         cup_is(row, "file", cup_word(chunk, "file")) &&
                                         cup_count(row, "entry_start") ==
                                             cup_count(chunk, "entry_start")) return row;
    return NULL;
}

/* Between Coffea's clock calls and the decorator's inside of them a thread may lose the
 * interpreter's lock, or its core: so much of each chunk on average, on a busy machine. Of CPU
 * clocks, far less. */
static const double lost_s = 0.02, lost_cpu_s = 0.0005;

static void check_chunk(json_t *row, json_t *chunk)
{
    double ours = cup_number(row, "process_s"), theirs = cup_number(chunk, "wall_s");
    expect_same("events of a chunk", cup_count(row, "events"), cup_count(chunk, "events"));
    expect_same("its process", cup_count(row, "pid"), cup_count(chunk, "pid"));
    cr_expect(ours >= theirs - 1e-4, "process() of a chunk: %.9g s, the decorator inside %.9g",
              ours, theirs);
}

static void check_chunks(const struct call *call)
{
    json_t *rows = json_object_get(section(call, "chunks"), "rows"), *chunk;
    json_t *chunks = json_object_get(call->reported, "chunks");
    double wall_s = 0, cpu_s = 0, count = (double)json_array_size(chunks);
    json_int_t events = 0;
    size_t i;
    json_array_foreach(chunks, i, chunk)
    {
        json_t *row = used_row(rows, chunk);
        cr_assert(row, "no row for entry %lld of %s", (long long)cup_count(chunk, "entry_start"),
                  cup_word(chunk, "file"));
        check_chunk(row, chunk);
        wall_s += cup_number(chunk, "wall_s");
        cpu_s += cup_number(chunk, "thread_cpu_s");
        events += cup_count(chunk, "events");
    }
    expect_same("chunks", cup_count(section(call, "chunks"), "count"), (json_int_t)count);
    expect_same("events", (json_int_t)metric(call, "workflow", "total_events"), events);
    expect_near("process() of all chunks", metric(call, "workflow", "total_cpu_time"), wall_s,
                time_share, lost_s * count);
    expect_near("CPU time inside of it", metric(call, "chunks", "process_cpu_s"), cpu_s, time_share,
                lost_cpu_s * count);
}

/* ---- the call, and the workers, against the poll ----------------------------------------------
 */

/* How far off the begin or end of a run may be, as it says itself; the client's own clock calls are
 * a little outside of the call. */
static double uncertainty(json_t *run, const char *name)
{
    static const double unknown_s = 0.5, outside_s = 0.02;
    json_t *value = json_object_get(run, name);
    return json_is_number(value) ? json_number_value(value) + outside_s : unknown_s;
}

static void check_wall_time(const struct call *call)
{
    json_t *runs = json_object_get(call->report, "runs"), *number;
    number = json_object_get(call->report, "run");
    json_t *run = json_array_get(runs, (size_t)json_integer_value(number) - 1);
    double theirs = cup_number(call->reported, "t_stop") - cup_number(call->reported, "t_start");
    expect_near("the call", metric(call, "workflow", "wall_time"), theirs, 0,
                uncertainty(run, "start_uncertainty_s") + uncertainty(run, "stop_uncertainty_s"));
}

enum { MOST_WORKERS = 8 };

/* What the polls say, over their time. */
struct polled {
    double seconds, interval_s; /* interval: the longest between two polls */
    double workers, threads;    /* trapezoids over time */
    double peak_workers, peak_memory, mean_memory, spread_memory;
    double largest_step; /* of a worker's memory, from one poll to the next */
};

struct memory {
    const char *worker;
    double area, span, last, last_time;
};

static struct memory *memory_of(struct memory *all, const char *worker)
{
    int i = 0;
    while (all[i].worker && strcmp(all[i].worker, worker) != 0)
        i++;
    cr_assert(i < MOST_WORKERS);
    all[i].worker = worker;
    return &all[i];
}

static void add_memory(struct polled *polled, struct memory *memory, double time, double bytes)
{
    if (memory->last_time) {
        double apart = time - memory->last_time;
        memory->area += (memory->last + bytes) / 2 * apart;
        memory->span += apart;
        polled->largest_step = fmax(polled->largest_step, fabs(bytes - memory->last));
    }
    memory->last = bytes;
    memory->last_time = time;
    polled->peak_memory = fmax(polled->peak_memory, bytes);
}

static double threads_of(json_t *workers)
{
    const char *address;
    json_t *worker;
    double threads = 0;
    json_object_foreach(workers, address, worker) threads += cup_number(worker, "threads");
    return threads;
}

static void add_poll(struct polled *polled, struct memory *all, json_t *before, json_t *poll)
{
    json_t *workers = json_object_get(poll, "workers"), *worker;
    const char *address;
    double time = cup_number(poll, "time"), count = (double)json_object_size(workers);
    json_object_foreach(workers, address, worker)
        add_memory(polled, memory_of(all, address), time, cup_number(worker, "memory"));
    polled->peak_workers = fmax(polled->peak_workers, count);
    if (!before)
        return;
    json_t *earlier = json_object_get(before, "workers");
    double apart = time - cup_number(before, "time");
    polled->seconds += apart;
    polled->interval_s = fmax(polled->interval_s, apart);
    polled->workers += ((double)json_object_size(earlier) + count) / 2 * apart;
    polled->threads += (threads_of(earlier) + threads_of(workers)) / 2 * apart;
}

/* Of the polls within the call. */
static struct polled read_polls(json_t *reported)
{
    struct polled polled = {0};
    struct memory all[MOST_WORKERS + 1] = {{0}};
    json_t *polls = json_object_get(reported, "polls"), *poll, *before = NULL;
    size_t i;
    json_array_foreach(polls, i, poll)
    {
        double time = cup_number(poll, "time");
        if (time < cup_number(reported, "t_start") || time > cup_number(reported, "t_stop"))
            continue;
        add_poll(&polled, all, before, poll);
        before = poll;
    }
    cr_assert(polled.seconds > 0, "fewer than two polls");
    polled.workers /= polled.seconds;
    polled.threads /= polled.seconds;
    double count = 0;
    for (int w = 0; all[w].worker; w++)
        if (all[w].span > 0) {
            polled.mean_memory += all[w].area / all[w].span;
            count++;
        }
    polled.mean_memory /= count;
    return polled;
}

/* Counts over time: what may happen between two looks, and shifts a border by one interval. Memory:
 * the two look at different moments. */
static void check_workers(const struct call *call)
{
    struct polled polled = read_polls(call->reported);
    double interval_s = polled.interval_s / polled.seconds;
    double memory_step = fmax(polled.largest_step, 0.02 * polled.peak_memory);
    expect_near("workers over time", metric(call, "workers", "avg_workers"), polled.workers, 0,
                interval_s * polled.peak_workers);
    expect_near("threads over time", metric(call, "workers", "avg_cores"), polled.threads, 0,
                interval_s * polled.peak_workers * 3);
    expect_same("most workers", (json_int_t)metric(call, "workers", "peak_workers"),
                (json_int_t)polled.peak_workers);
    expect_near("most memory of a worker", metric(call, "workers", "peak_memory_bytes"),
                polled.peak_memory, 0, memory_step);
    expect_near("memory of a worker over time",
                metric(call, "workers", "avg_memory_per_worker_bytes"), polled.mean_memory, 0,
                memory_step);
}

/* ---- Dask's fine metrics, against the span --------------------------------------------------- */

/* NAN: the span has no such figure. */
static double in_span(json_t *reported, const char *activity)
{
    char key[128];
    snprintf(key, sizeof key, "execute/Slow/%s", activity);
    json_t *value = json_object_get(json_object_get(reported, "span"), key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The library's own clocks of chunks that succeeded, which are what Dask adds up. */
static void check_clocks(const struct call *call)
{
    json_t *rows = json_object_get(section(call, "chunks"), "rows"), *row;
    double cpu_s = 0, noncpu_s = 0;
    size_t i;
    json_array_foreach(rows, i, row) if (cup_is(row, "status", "finished"))
    {
        cpu_s += cup_number(row, "cpu_s");
        noncpu_s += cup_number(row, "noncpu_s");
    }
    expect_near("CPU time of chunks", cpu_s, in_span(call->reported, "thread-cpu/seconds"),
                time_share, 0.002);
    expect_near("other time of chunks", noncpu_s, in_span(call->reported, "thread-noncpu/seconds"),
                time_share, 0.002);
}

/* The row of "execute/PREFIX/ACTIVITY/UNIT" in a span. */
static json_t *fine_row(json_t *rows, const char *span, const char *key)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        char name[256];
        snprintf(name, sizeof name, "%s/%s/%s/%s", cup_word(row, "context"),
                 cup_word(row, "prefix"), cup_word(row, "activity"), cup_word(row, "unit"));
        if (cup_is(row, "span", span) && strcmp(name, key) == 0)
            return row;
    }
    return NULL;
}

/* Dask's own figures of the span's tasks, as cupping read them in the workers, and as the scheduler
 * had them by heartbeats. "N/A" is what the scheduler makes up for idle threads. */
static void check_fine(const struct call *call)
{
    json_t *rows = json_object_get(section(call, "fine"), "rows"), *value;
    const char *key, *span = cup_word(call->reported, "name");
    int compared = 0;
    json_object_foreach(json_object_get(call->reported, "span"), key, value)
    {
        if (strncmp(key, "execute/", 8) != 0 || strncmp(key, "execute/N/A/", 12) == 0)
            continue;
        json_t *row = fine_row(rows, span, key);
        cr_assert(row, "fine.rows has no %s in span %s", key, span);
        expect_near(key, cup_number(row, "value"), json_number_value(value), time_share, 0.001);
        compared++;
    }
    cr_expect(compared >= 6, "%d figures of %s", compared, span);
}

/* ---- the runs -------------------------------------------------------------------------------- */

enum { PLAIN = 1, FAILING, SKIPPED, MOVING, ONE, NONE };

static struct call load_call(unsigned number)
{
    return load("metrics", run_calls, number);
}

static void check_all(const struct call *call)
{
    check_coffea(call);
    check_chunks(call);
    check_wall_time(call);
    check_clocks(call);
    check_fine(call);
    check_workers(call);
}

Test(metrics, of_workers_of_different_size)
{
    struct call call = load_call(PLAIN);
    check_all(&call);
    expect_same("failed", (json_int_t)metric(&call, "workflow", "num_failed_chunks"), 0);
    drop(&call);
}

Test(metrics, of_a_run_with_a_chunk_that_failed_once)
{
    struct call call = load_call(FAILING);
    check_all(&call);
    expect_same("failed", (json_int_t)metric(&call, "workflow", "num_failed_chunks"), 1);
    expect_same("retried", (json_int_t)metric(&call, "workflow", "num_retried_chunks"), 1);
    drop(&call);
}

/* The client asks for the chunks before the call: the metadata task of that makes the run longer
 * than the call. */
Test(metrics, of_a_run_that_skipped_a_bad_file)
{
    struct call call = load_call(SKIPPED);
    check_coffea(&call);
    check_chunks(&call);
    check_clocks(&call);
    check_fine(&call);
    check_workers(&call);
    expect_same("skipped", cup_count(section(&call, "chunks"), "skipped"), 5);
    expect_same("failed", (json_int_t)metric(&call, "workflow", "num_failed_chunks"), 0);
    drop(&call);
}

/* What the killed worker did last is in no heartbeat: Dask's fine metrics are not compared. */
Test(metrics, of_a_run_with_a_worker_added_and_one_killed)
{
    struct call call = load_call(MOVING);
    json_t *moved = json_object_get(call.reported, "moved");
    cr_assert(cup_number(moved, "killed") < cup_number(call.reported, "t_stop"), "too late");
    check_coffea(&call);
    check_chunks(&call);
    check_wall_time(&call);
    check_workers(&call);
    drop(&call);
}

Test(metrics, of_a_single_chunk)
{
    struct call call = load_call(ONE);
    check_coffea(&call);
    check_chunks(&call);
    check_wall_time(&call);
    check_clocks(&call);
    drop(&call);
}

Test(metrics, of_a_run_without_a_chunk)
{
    struct call call = load_call(NONE);
    check_wall_time(&call);
    cr_expect_eq(metric(&call, "workflow", "num_chunks"), 0);
    cr_expect(json_is_null(json_object_get(section(&call, "workflow"), "total_events")));
    cr_expect_eq(metric(&call, "workflow", "num_failed_chunks"), 4);
    cr_expect_eq(metric(&call, "workflow", "num_retried_chunks"), 1);
    cr_expect(json_is_null(json_object_get(section(&call, "workflow"), "event_rate_wall_khz")));
    cr_expect(json_is_null(json_object_get(call.report, "coffea")));
    drop(&call);
}

/* All calls at once are the sums of each. */
Test(metrics, of_all_calls_are_the_sums)
{
    static const char *const options[] = {"--run", "all", NULL};
    struct call call = {.directory = cup_job("metrics", run_calls)};
    call.truth = cup_json(call.directory, "truth.json");
    call.report = cup_report_with(call.directory, options);
    json_t *one;
    json_int_t bytes = 0, entries = 0, chunks = 0;
    size_t i;
    json_array_foreach(json_object_get(call.truth, "calls"), i, one)
    {
        json_t *report = json_object_get(one, "report");
        if (!json_is_object(report))
            continue;
        bytes += cup_count(report, "bytesread");
        entries += cup_count(report, "entries");
        chunks += cup_count(report, "chunks");
    }
    expect_same("calls", (json_int_t)json_array_size(json_object_get(call.report, "runs")), NONE);
    expect_same("bytesread", cup_count(section(&call, "coffea"), "bytesread"), bytes);
    expect_same("entries", cup_count(section(&call, "coffea"), "entries"), entries);
    expect_same("chunks", cup_count(section(&call, "coffea"), "chunks"), chunks);
    drop(&call);
}

/* Scheduler and client are not under cupping: what they would tell is estimated, and said so. */
Test(metrics, of_workers_alone)
{
    struct call call = load("metrics-workers", run_workers_only, 0);
    json_t *sources = json_object_get(section(&call, "sources"), "workers");
    check_coffea(&call);
    check_chunks(&call);
    check_clocks(&call);
    check_fine(&call);
    check_workers(&call);
    cr_expect(strstr(cup_word(sources, "avg_workers"), "estimate"), "avg_workers: %s",
              cup_word(sources, "avg_workers"));
    drop(&call);
}

Test(metrics, of_everything_in_one_local_cluster)
{
    cup_only_in_soak();
    struct call call = load("metrics-local", run_local, 1);
    check_all(&call);
    drop(&call);
}

static void check_without_dask(const char *job, void (*run)(const char *directory))
{
    struct call call = load(job, run, 0);
    check_coffea(&call);
    check_chunks(&call);
    check_wall_time(&call);
    drop(&call);
}

Test(metrics, of_processes_without_dask)
{
    cup_only_in_soak();
    check_without_dask("metrics-futures", run_futures);
}

Test(metrics, of_one_process_without_dask)
{
    cup_only_in_soak();
    check_without_dask("metrics-iterative", run_iterative);
}
