#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/report/report_json.h"
#include "analysis/report/task_columns.h"
#include "analysis/verbs/verbs.h"

/* Of the layout: raised when the meaning of a name changes, not when names are added. */
enum { REPORT_VERSION = 1 };

/* ---- runs, workers ---------------------------------------------------------------------- */

/* Tasks are counted where they were asked for. */
static void put_run(struct report *report, uint32_t index)
{
    const struct cup_run *run = &report->profile->runs[index];
    bool asked = report->profile->run == index + 1;
    cup_json_row(&report->json, NULL);
    put(report, "run", cup_count(index + 1));
    put(report, "t_start", cup_time(run->start_ns));
    put(report, "t_stop", cup_time(run->stop_ns));
    put(report, "wall_time", cup_seconds(run->stop_ns - run->start_ns));
    put(report, "host", cup_string(run->host));
    put(report, "pid", cup_count(run->pid));
    put(report, "tasks", asked ? cup_count(report->totals->all.tasks) : cup_null());
    put(report, "chunks", asked ? cup_count(report->totals->used_chunks) : cup_null());
    cup_json_end_object(&report->json);
}

/* Without the client's Runner calls, everything from the first task to the last is one run. */
static void put_runs(struct report *report)
{
    put(report, "run", report->profile->run ? cup_count(report->profile->run) : cup_string("all"));
    cup_json_array(&report->json, "runs");
    for (uint32_t i = 0; i < report->profile->run_count; i++)
        put_run(report, i);
    if (report->profile->run_count == 0 && report->totals->all.tasks) {
        cup_json_row(&report->json, NULL);
        put(report, "run", cup_count(1));
        put(report, "t_start", cup_metric_named(report->totals, "workflow", "t_start"));
        put(report, "t_stop", cup_metric_named(report->totals, "workflow", "t_stop"));
        put(report, "wall_time", cup_metric_named(report->totals, "workflow", "wall_time"));
        put(report, "tasks", cup_count(report->totals->all.tasks));
        put(report, "chunks", cup_count(report->totals->used_chunks));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

static void put_worker(struct report *report, const struct cup_server *server)
{
    const struct cup_log_header *header = &report->profile->processes[server->process].header;
    cup_json_row(&report->json, NULL);
    put(report, "worker", text_of(report, server->address));
    put(report, "name", text_of(report, server->name));
    put(report, "host", cup_string(header->host));
    put(report, "pid", cup_count(header->pid));
    put(report, "threads", server->threads ? cup_count(server->threads) : cup_null());
    put(report, "memory_limit_bytes", cup_known_count(server->memory_limit));
    put(report, "tasks", cup_count(server->tasks));
    cup_json_end_object(&report->json);
}

static void put_workers(struct report *report)
{
    cup_json_object(&report->json, "workers");
    put_metrics(report, "workers");
    cup_json_array(&report->json, "rows");
    for (size_t i = 0; i < report->profile->server_count; i++)
        if (report->profile->servers[i].role == CUP_ROLE_WORKER)
            put_worker(report, &report->profile->servers[i]);
    cup_json_end_array(&report->json);
    cup_json_end_object(&report->json);
}

static void put_waste(struct report *report, const char *reason, const struct cup_waste *waste,
                      bool ended)
{
    cup_json_row(&report->json, reason);
    put(report, "tasks", cup_count(waste->tasks));
    put(report, "wall_s", ended ? cup_seconds((int64_t)waste->wall_ns) : cup_null());
    put(report, "cpu_s", ended ? cup_seconds((int64_t)waste->cpu_ns) : cup_null());
    put(report, "read_bytes", cup_count(waste->read_bytes));
    cup_json_end_object(&report->json);
}

static void put_efficiency(struct report *report)
{
    cup_json_object(&report->json, "efficiency");
    put_metrics(report, "efficiency");
    cup_json_object(&report->json, "wasted_by_reason");
    put_waste(report, "failed", &report->totals->failed, true);
    put_waste(report, "retried", &report->totals->repeated, true);
    put_waste(report, "killed", &report->totals->killed, false);
    put(report, "stolen", cup_null());
    cup_json_end_object(&report->json);
    cup_json_end_object(&report->json);
}

/* ---- chunks ----------------------------------------------------------------------------- */

static struct cup_value difference(uint64_t later, uint64_t earlier)
{
    return later == CUP_UNKNOWN64 || earlier == CUP_UNKNOWN64
               ? cup_null()
               : cup_signed((int64_t)(later - earlier));
}

static const char *outcome_name(uint8_t outcome)
{
    static const char *const names[] = {
        [CUP_OUTCOME_NONE] = "none",
        [CUP_OUTCOME_USED] = "used",
        [CUP_OUTCOME_REPEATED] = "repeated",
        [CUP_OUTCOME_FAILED] = "failed",
        [CUP_OUTCOME_UNFINISHED] = "unfinished",
    };
    return names[outcome];
}

static void put_task_columns(struct report *report, const struct cup_task_row *row,
                             const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(report, names[i], cup_task_value(row, names[i]));
}

static void put_clock_calls(struct report *report, const struct cup_task *task,
                            const struct cup_item *item)
{
    bool began = item->tic_ns != 0, returned = began && item->toc_ns != 0;
    put(report, "open_s", began ? cup_seconds(item->tic_ns - task->start_ns) : cup_null());
    put(report, "process_s", returned ? cup_seconds(item->toc_ns - item->tic_ns) : cup_null());
    put(report, "process_cpu_s",
        item->cpu_ns == CUP_UNKNOWN64 ? cup_null() : cup_seconds((int64_t)item->cpu_ns));
}

/* What Coffea reports of the chunk. */
static void put_chunk_report(struct report *report, const struct cup_item *item)
{
    const struct cup_column_set *columns =
        item->columns ? &report->profile->column_sets[item->columns - 1] : NULL;
    put(report, "requested_bytes", cup_known_count(item->requested_bytes));
    put(report, "entries_coffea", cup_known_count(item->entries));
    put(report, "columns_read", columns ? cup_count(columns->count) : cup_null());
}

static void put_chunk(struct report *report, uint32_t index, const struct cup_task_row *row)
{
    static const char *const columns[] = {
        "key",
        "dataset",
        "file",
        "tree",
        "entry_start",
        "entry_stop",
        "events",
        "worker",
        "host",
        "pid",
        "thread",
        "status",
        "attempt",
        "start",
        "wall_s",
        "cpu_s",
        "noncpu_s",
        "read_bytes",
        "rss_start_bytes",
        "rss_stop_bytes",
        "alloc_bytes",
        "freed_bytes",
        "peak_live_bytes",
        "result_bytes",
    };
    const struct cup_task *task = row->task;
    cup_json_row(&report->json, NULL);
    put(report, "chunk", cup_count(index));
    put_task_columns(report, row, columns, sizeof columns / sizeof *columns);
    put_clock_calls(report, task, cup_task_item(report->profile, task));
    put_chunk_report(report, cup_task_item(report->profile, task));
    put(report, "rss_delta_bytes", difference(task->rss_stop, task->rss_start));
    put(report, "bytes_read_compressed", cup_null());
    put(report, "bytes_read_uncompressed", cup_null());
    put(report, "branches_read", cup_null());
    put(report, "outcome", cup_string(outcome_name(report->totals->outcomes[task->item - 1])));
    cup_json_end_object(&report->json);
}

static void put_lost_chunk(struct report *report, const struct cup_task_row *row)
{
    static const char *const columns[] = {"key",    "dataset", "file",        "tree",
                                          "host",   "worker",  "entry_start", "entry_stop",
                                          "status", "attempt", "events"};
    cup_json_row(&report->json, NULL);
    put_task_columns(report, row, columns, sizeof columns / sizeof *columns);
    put(report, "error", text_of(report, row->task->error));
    cup_json_end_object(&report->json);
}

/* Hands out chunks in the order of their tasks, numbered from 1; `lost`: only those that failed
 * or never ended. */
static void each_chunk(struct report *report, bool lost)
{
    const struct cup_profile *profile = report->profile;
    struct cup_key_reader keys;
    uint32_t number = 0;
    cup_key_reader_open(&keys, profile);
    for (size_t i = 0; i < profile->item_count && !cup_output_failed(report->output); i++) {
        uint8_t outcome = report->totals->outcomes[i];
        if (outcome == CUP_OUTCOME_NONE || (lost && outcome < CUP_OUTCOME_FAILED))
            continue;
        const struct cup_task *task = &profile->tasks[profile->items[i].task];
        struct cup_task_row row = {profile, task, cup_key_read(&keys, task),
                                   report->attempts[profile->items[i].task]};
        number++;
        if (lost)
            put_lost_chunk(report, &row);
        else
            put_chunk(report, number, &row);
    }
    cup_key_reader_close(&keys);
}

static void put_statistics(struct report *report, const char *name,
                           const struct cup_statistics *statistics)
{
    cup_json_row(&report->json, name);
    put(report, "count", cup_count(statistics->count));
    put(report, "min", cup_real(statistics->min));
    put(report, "mean", cup_real(statistics->mean));
    put(report, "median", cup_real(statistics->median));
    put(report, "max", cup_real(statistics->max));
    put(report, "stdev", cup_real(statistics->stdev));
    cup_json_end_object(&report->json);
}

static void put_chunk_sums(struct report *report)
{
    const struct cup_totals *totals = report->totals;
    bool timed = totals->timed_chunks > 0;
    put(report, "count", cup_count(totals->used_chunks));
    put(report, "failed", cup_count(totals->failed_chunks));
    put(report, "repeated", cup_count(totals->repeated_chunks));
    put(report, "unfinished", cup_count(totals->unfinished_chunks));
    put(report, "open_s", timed ? cup_seconds((int64_t)totals->open_ns) : cup_null());
    put(report, "process_s", timed ? cup_seconds((int64_t)totals->process_ns) : cup_null());
    put(report, "process_cpu_s", timed ? cup_seconds((int64_t)totals->process_cpu_ns) : cup_null());
}

static void put_chunks(struct report *report)
{
    static const char *const names[] = {
#define X(id, name, text, unit) name,
        CUP_CHUNK_STATISTICS(X)
#undef X
    };
    cup_json_object(&report->json, "chunks");
    put_chunk_sums(report);
    cup_json_object(&report->json, "statistics");
    struct cup_statistics statistics[CUP_STAT_COUNT];
    cup_chunk_statistics(report->totals, statistics);
    for (int i = 0; i < CUP_STAT_COUNT; i++)
        put_statistics(report, names[i], &statistics[i]);
    cup_json_end_object(&report->json);
    cup_json_array(&report->json, "rows");
    each_chunk(report, false);
    close_rows(report);
}

static void put_losses(struct report *report)
{
    open_rows(report, "losses");
    each_chunk(report, true);
    close_rows(report);
}

/* Under the names that Coffea's own report has: an object of its own, and keys of a dataset. */
static void put_coffea_sums(struct report *report, const struct cup_coffea_sums *sums)
{
    put(report, "bytesread", sums->with_bytes ? cup_count(sums->bytes) : cup_null());
    put(report, "entries", sums->with_entries ? cup_count(sums->entries) : cup_null());
    put(report, "processtime", sums->chunks ? cup_seconds((int64_t)sums->process_ns) : cup_null());
    put(report, "chunks", cup_count(sums->chunks));
}

static int put_columns(struct report *report)
{
    size_t count = 0;
    uint32_t *names = cup_columns_used(report->totals, &count);
    cup_json_array(&report->json, "columns");
    for (size_t i = 0; names && i < count; i++)
        put(report, NULL, text_of(report, names[i]));
    cup_json_end_array(&report->json);
    free(names);
    return names ? 0 : -1;
}

/* Coffea's report, made from the chunks; null where none was seen. */
static int put_coffea(struct report *report)
{
    if (report->totals->coffea.chunks == 0) {
        put(report, "coffea", cup_null());
        return 0;
    }
    cup_json_object(&report->json, "coffea");
    put_coffea_sums(report, &report->totals->coffea);
    int result = put_columns(report);
    cup_json_end_object(&report->json);
    return result;
}

static void put_dataset(struct report *report, const struct cup_dataset *dataset)
{
    double process_s = (double)dataset->process_ns / 1e9;
    cup_json_row(&report->json, NULL);
    put(report, "dataset", text_of(report, dataset->name));
    put(report, "chunks", cup_count(dataset->chunks));
    put(report, "failed", cup_count(dataset->failed));
    put(report, "repeated", cup_count(dataset->repeated));
    put(report, "unfinished", cup_count(dataset->unfinished));
    put(report, "events", cup_count(dataset->events));
    put_ns(report, "wall_s", dataset->wall_ns);
    put_ns(report, "cpu_s", dataset->cpu_ns);
    put_ns(report, "process_s", dataset->process_ns);
    put(report, "read_bytes", cup_count(dataset->read_bytes));
    put(report, "all_attempts_read_bytes", cup_count(dataset->attempt_bytes));
    put(report, "event_rate_agg_khz", cup_ratio((double)dataset->events / 1e3, process_s));
    put(report, "bytes_per_event", cup_ratio((double)dataset->read_bytes, (double)dataset->events));
    put(report, "read_amplification",
        cup_ratio((double)dataset->coffea.read_bytes, (double)dataset->coffea.bytes));
    cup_json_row(&report->json, "coffea");
    put_coffea_sums(report, &dataset->coffea);
    cup_json_end_object(&report->json);
    cup_json_end_object(&report->json);
}

static void put_datasets(struct report *report)
{
    open_rows(report, "datasets");
    for (size_t i = 0; i < report->totals->dataset_count; i++)
        put_dataset(report, &report->totals->datasets[i]);
    close_rows(report);
}

/* ---- prefixes --------------------------------------------------------------------------- */

static void put_task_counters(struct report *report, const uint64_t *values)
{
    for (int i = 0; i < CUP_COUNTER_COUNT; i++)
        if (!cup_counter_is_wait(i)) /* those are told for tasks and their helpers apart */
            put_counter(report, cup_counter_names[i], values[i],
                        cup_profile_measured(report->profile, cup_counter_needs(i)));
}

static void put_prefix(struct report *report, uint32_t index)
{
    const struct cup_task_sums *sums = &report->totals->prefixes[index];
    const struct cup_prefix *prefix = &report->profile->prefixes[index];
    bool timed = cup_sums_have_cpu(sums);
    cup_json_row(&report->json, NULL);
    put(report, "prefix", text_of(report, prefix->name));
    put(report, "processor", cup_bool(cup_prefix_is_processor(report->totals, index)));
    put(report, "tasks", cup_count(sums->tasks));
    put(report, "finished", cup_count(sums->finished));
    put(report, "erred", cup_count(sums->erred));
    put(report, "unfinished", cup_count(sums->unfinished));
    put_ns(report, "wall_s", sums->wall_ns);
    put(report, "cpu_s", timed ? cup_seconds((int64_t)sums->cpu_ns) : cup_null());
    put(report, "noncpu_s",
        timed ? cup_seconds((int64_t)(sums->with_cpu_ns - sums->cpu_ns)) : cup_null());
    put(report, "without_cpu", cup_count(sums->without_cpu));
    put(report, "read_bytes", cup_count(sums->read_bytes));
    put(report, "child_read_bytes", cup_count(sums->child_read_bytes));
    put(report, "result_bytes", cup_count(sums->result_bytes));
    put_task_counters(report, prefix->counters);
    cup_report_put_waits(report, &prefix->waits, &prefix->helper_waits);
    cup_report_put_histograms(report, prefix);
    cup_json_end_object(&report->json);
}

static void put_prefixes(struct report *report)
{
    open_rows(report, "tasks_by_prefix");
    for (uint32_t i = 0; i < report->profile->prefix_count; i++)
        if (report->totals->prefixes[i].tasks || report->profile->prefixes[i].counters[0])
            put_prefix(report, i);
    close_rows(report);
}

/* ---- sources ---------------------------------------------------------------------------- */

/* Sections that this version has nothing for. */
static const struct {
    const char *name, *reason;
} missing[] = {
    {"sections", "sections of a processor are not marked in this version"},
    {"branches", "baskets are not looked at by this version"},
    {"functions", "stacks are not taken by this version"},
    {"hosts", "hosts are not compared by this version"},
    {"merge", "the tree reduction is not looked at by this version"},
};
enum { MISSING_COUNT = sizeof missing / sizeof *missing };

static void put_missing(struct report *report)
{
    for (int i = 0; i < MISSING_COUNT; i++)
        put(report, missing[i].name, cup_null());
}

static void put_row_sources(struct report *report)
{
    static const char *const rows[][2] = {
        {"chunks", "P: tasks that carried a work item, or in which Coffea's clock calls were seen"},
        {"datasets", "P: sums over the chunks whose result was used"},
        {"tasks_by_prefix",
         "P: all tasks; waits as in fine, over tasks that ended; histograms have buckets whose "
         "edges "
         "grow by a factor of 1.33 to 1.5, so quantiles are good to some 20 %; max_s is exact; "
         "helper_fault_wait_s and "
         "helper_other_wait_s are null: " CUP_NO_HELPER_REST},
        {"files", "P: every regular file that was read or written"},
        {"servers",
         "P: peers of sockets, Dask's own apart; requests are calls that sent; latencies "
         "and errors are not measured by this version"},
        {"runs", "C: Runner calls, by the clock calls of the client inside of them; without any, "
                 "everything from the first task to the last is one"},
        {"losses", "P: attempts at chunks that erred or never ended"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        put(report, rows[i][0], cup_string(rows[i][1]));
    put(report, "coffea",
        cup_string(report->totals->coffea.chunks
                       ? "C: as Coffea's own report, made from the chunks whose result was used"
                       : "n/a: no chunk of Coffea's was seen to return"));
    for (int i = 0; i < MISSING_COUNT; i++) {
        char reason[160];
        snprintf(reason, sizeof reason, "n/a: %s", missing[i].reason);
        put(report, missing[i].name, cup_string(reason));
    }
}

/* A metric with a way to make it, but nothing to make it from. */
static void put_metric_source(struct report *report, const struct cup_metric *metric)
{
    char source[400];
    if (cup_metric_value(metric, report->totals).kind != CUP_VALUE_NULL)
        snprintf(source, sizeof source, "%s", metric->source);
    else if (!metric->compute)
        snprintf(source, sizeof source, "n/a: %s", metric->source);
    else
        snprintf(source, sizeof source, "n/a: %s; otherwise %s",
                 cup_metric_missing(metric, report->totals), metric->source);
    put(report, metric->name, cup_string(source));
}

static void put_sources(struct report *report)
{
    cup_json_object(&report->json, "sources");
    for (size_t i = 0; i < cup_metric_section_count; i++) {
        const struct cup_metric_section *section = cup_metric_sections[i];
        cup_json_object(&report->json, section->name);
        for (size_t k = 0; k < section->count; k++)
            put_metric_source(report, &section->metrics[k]);
        cup_json_end_object(&report->json);
    }
    put_row_sources(report);
    cup_json_end_object(&report->json);
}

/* ---- advice ----------------------------------------------------------------------------- */

static void put_advice(struct report *report)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(report->totals, advice);
    cup_json_array(&report->json, "advice");
    for (size_t i = 0; i < count; i++) {
        cup_json_row(&report->json, NULL);
        put(report, "rule", cup_string(advice[i].rule));
        put(report, "text", cup_string(advice[i].text));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

/* ---- all of it -------------------------------------------------------------------------- */

static int put_report(struct report *report)
{
    cup_json_object(&report->json, NULL);
    put(report, "format", cup_string("cupping-report"));
    put(report, "version", cup_count(REPORT_VERSION));
    put(report, "cupping_version", cup_string(CUP_VERSION));
    put(report, "profile", cup_string(report->profile->path));
    put_runs(report);
    put_metric_section(report, "workflow");
    put_workers(report);
    put_efficiency(report);
    cup_report_put_time_budget(report);
    put_advice(report);
    cup_report_put_fine(report);
    put_chunks(report);
    int result = put_coffea(report);
    put_datasets(report);
    put_prefixes(report);
    if (result == 0)
        result = cup_report_put_files(report) == 0 ? cup_report_put_servers(report) : -1;
    put_losses(report);
    put_missing(report);
    cup_report_put_attribution(report);
    cup_report_put_health(report);
    put_sources(report);
    cup_json_end_object(&report->json);
    return result;
}

int cup_report_json(const struct cup_totals *totals, const struct cup_output *output)
{
    struct report report = {.totals = totals, .profile = totals->profile, .output = output};
    uint32_t *attempts = cup_task_attempts(totals->profile);
    if (!attempts)
        return -1;
    report.attempts = attempts;
    cup_json_start(&report.json, output->file);
    int result = put_report(&report);
    free(attempts);
    return result;
}
