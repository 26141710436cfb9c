/* Chunks and datasets, in the report's JSON. */
#include "analysis/report/page/json_page.h"
#include "analysis/tasks/task_columns.h"

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
        [CUP_OUTCOME_SKIPPED] = "skipped",
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
    put(report, "requested_bytes", cup_known_worker_count(item->requested_bytes));
    put(report, "entries_coffea", cup_known_worker_count(cup_item_reported_entries(item)));
    put(report, "columns_read", columns ? cup_count(columns->count) : cup_null());
}

/* Did it read as many entries as its range has? */
static struct cup_value entries_read(const struct cup_item *item)
{
    static const char *const names[] = {
        [CUP_ENTRIES_READ] = "all", [CUP_ENTRIES_MISSING] = "fewer", [CUP_ENTRIES_UNKNOWN] = NULL};
    return cup_string(names[item->entries_read]);
}

static void put_chunk_baskets(struct report *report, const struct cup_task *task)
{
    static const struct cup_task_baskets nothing;
    const struct cup_profile *profile = report->profile;
    bool measured =
        profile->baskets && cup_process_has(profile, task->process, CUP_FEATURE_BASKETS);
    const struct cup_task_baskets *baskets =
        measured ? &profile->baskets[task - profile->tasks] : &nothing;
    cup_report_put_task_baskets(report, baskets, measured);
    put(report, "branches_read", measured ? cup_count(baskets->branches) : cup_null());
    put(report, "entries_read", entries_read(cup_task_item(profile, task)));
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
    put_chunk_baskets(report, task);
    put(report, "outcome", cup_string(outcome_name(report->totals->outcomes[task->item - 1])));
    cup_json_end_object(&report->json);
}

/* In the order of their tasks, numbered from 1. */
static void put_chunk_rows(struct report *report)
{
    const struct cup_profile *profile = report->profile;
    struct cup_key_reader keys;
    uint32_t number = 0;
    cup_key_reader_open(&keys, profile);
    for (size_t i = 0; i < profile->item_count && !cup_output_failed(report->output); i++) {
        uint8_t outcome = report->totals->outcomes[i];
        if (outcome == CUP_OUTCOME_NONE)
            continue;
        const struct cup_task *task = &profile->tasks[profile->items[i].task];
        struct cup_task_row row = {profile, task, cup_key_read(&keys, task),
                                   report->attempts[profile->items[i].task]};
        put_chunk(report, ++number, &row);
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
    put(report, "skipped", cup_count(totals->skipped_chunks));
    put(report, "open_s", timed ? cup_seconds((int64_t)totals->open_ns) : cup_null());
    put(report, "process_s", timed ? cup_seconds((int64_t)totals->process_ns) : cup_null());
    put(report, "process_cpu_s", timed ? cup_seconds((int64_t)totals->process_cpu_ns) : cup_null());
}

void cup_report_put_chunks(struct report *report)
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
    cup_report_put_fits(report);
    cup_json_array(&report->json, "rows");
    put_chunk_rows(report);
    close_rows(report);
}

/* Of the time of all used chunks. */
static struct cup_value time_share(const struct report *report, const struct cup_dataset *dataset)
{
    return cup_ratio((double)dataset->wall_ns, (double)report->totals->chunk_wall_ns);
}

/* Over the summed time of its chunks: for one core. */
static void put_dataset_rates(struct report *report, const struct cup_dataset *dataset)
{
    double wall_s = (double)dataset->wall_ns / 1e9, cpu_s = (double)dataset->cpu_ns / 1e9;
    put(report, "event_rate_core_hz", cup_ratio((double)dataset->events, wall_s));
    put(report, "event_rate_cpu_hz", cup_ratio((double)dataset->events, cpu_s));
    put(report, "read_rate_core_mbs", cup_ratio((double)dataset->read_bytes / 1e6, wall_s));
    put(report, "time_share", time_share(report, dataset));
}

static void put_dataset_losses(struct report *report, uint32_t name)
{
    const struct cup_losses *losses = report->totals->losses;
    struct cup_loss_sums sums = {0};
    for (size_t i = 0; i < losses->dataset_count; i++)
        if (losses->datasets[i].name == name)
            sums = losses->datasets[i].sums;
    put(report, "chunks_lost", cup_count(cup_losses_chunks(&sums)));
    put(report, "events_lost", cup_count(cup_losses_events(&sums)));
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
    put(report, "skipped", cup_count(dataset->skipped));
    put(report, "events", cup_count(dataset->events));
    put_ns(report, "wall_s", dataset->wall_ns);
    put_ns(report, "cpu_s", dataset->cpu_ns);
    put_ns(report, "process_s", dataset->process_ns);
    put(report, "read_bytes", cup_count(dataset->read_bytes));
    put(report, "all_attempts_read_bytes", cup_count(dataset->attempt_bytes));
    put(report, "event_rate_agg_khz", cup_ratio((double)dataset->events / 1e3, process_s));
    put(report, "bytes_per_event", cup_ratio((double)dataset->read_bytes, (double)dataset->events));
    put_dataset_rates(report, dataset);
    put_dataset_losses(report, dataset->name);
    cup_report_put_task_baskets(report, &dataset->baskets,
                                report->profile->baskets &&
                                    cup_profile_measured(report->profile, CUP_FEATURE_BASKETS));
    put(report, "read_amplification",
        cup_ratio((double)dataset->coffea.read_bytes, (double)dataset->coffea.bytes));
    cup_json_row(&report->json, "coffea");
    cup_report_put_coffea_sums(report, &dataset->coffea);
    cup_json_end_object(&report->json);
    cup_json_end_object(&report->json);
}

void cup_report_put_datasets(struct report *report)
{
    open_rows(report, "datasets");
    for (size_t i = 0; i < report->totals->dataset_count; i++)
        put_dataset(report, &report->totals->datasets[i]);
    close_rows(report);
}
