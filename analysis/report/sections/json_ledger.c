/* Hosts, stages, merges, and tasks by worker, in the report's JSON. */
#include "analysis/metrics/time/tail.h"
#include "analysis/report/page/json_page.h"
#include "analysis/tasks/task_columns.h"

/* ---- hosts ------------------------------------------------------------------------------ */

static struct cup_value known(uint32_t count)
{
    return count ? cup_count(count) : cup_null();
}

static void put_host_sums(struct report *report, const struct cup_host *host)
{
    double wall_s = (double)host->wall_ns / 1e9, cpu_s = (double)host->cpu_ns / 1e9;
    double run_s = (double)cup_stretch_ns(report->totals->run) / 1e9;
    put(report, "workers", cup_count(host->workers));
    put(report, "threads", cup_count(host->threads));
    put(report, "core_hours", cup_real((double)host->threads_ns / 3600e9));
    put(report, "tasks", cup_count(host->tasks));
    put(report, "failed", cup_count(host->failed));
    put_ns(report, "task_s", host->task_ns);
    put(report, "chunks", cup_count(host->chunks));
    put(report, "failed_chunks", cup_count(host->failed_chunks));
    put(report, "events", host->timed_chunks ? cup_count(host->events) : cup_null());
    put_ns(report, "chunk_wall_s", host->wall_ns);
    put_ns(report, "chunk_cpu_s", host->cpu_ns);
    put(report, "event_rate_core_hz", cup_ratio((double)host->events, wall_s));
    put(report, "event_rate_cpu_hz", cup_ratio((double)host->events, cpu_s));
    put(report, "read_bytes", cup_count(host->read_bytes));
    put(report, "read_rate_mbs", cup_ratio((double)host->read_bytes / 1e6, run_s));
    put(report, "read_rate_core_mbs",
        cup_ratio((double)host->read_bytes / 1e6, (double)host->task_ns / 1e9));
    put(report, "io_wait_share", cup_ratio((double)host->io_wait_ns, (double)host->waited_ns));
}

static void put_host(struct report *report, const struct cup_host *host)
{
    bool compared = host->verdict >= CUP_HOST_ORDINARY;
    cup_json_row(&report->json, NULL);
    put(report, "host", cup_text(cup_intern_text(&report->totals->hosts->names, host->name)));
    put(report, "cpu_model", text_of(report, host->model));
    put(report, "cpus", known(host->cpus));
    put(report, "cpus_usable", known(host->usable_cpus));
    put_host_sums(report, host);
    put(report, "verdict", cup_string(cup_host_verdicts[host->verdict]));
    put(report, "outlier", compared ? cup_bool(host->verdict > CUP_HOST_ORDINARY) : cup_null());
    put(report, "median_core_hz", compared ? cup_real(host->median) : cup_null());
    put(report, "deviations", compared ? cup_real(host->deviations) : cup_null());
    cup_json_end_object(&report->json);
}

void cup_report_put_hosts(struct report *report)
{
    const struct cup_hosts *hosts = report->totals->hosts;
    cup_json_object(&report->json, "hosts");
    put(report, "outlier_deviations", cup_real(CUP_HOST_OUTLIER_DEVIATIONS));
    put(report, "outlier_share", cup_real(CUP_HOST_OUTLIER_SHARE));
    put(report, "min_chunks", cup_count(CUP_HOST_CHUNKS));
    put(report, "min_hosts", cup_count(CUP_HOSTS_COMPARED));
    cup_json_array(&report->json, "rows");
    for (size_t i = 0; i < hosts->count; i++)
        put_host(report, &hosts->rows[i]);
    cup_json_end_array(&report->json);
    cup_json_array(&report->json, "by_cpu_model");
    for (size_t i = 0; i < hosts->model_count; i++) {
        cup_json_row(&report->json, NULL);
        put(report, "cpu_model", text_of(report, hosts->models[i].model));
        put(report, "hosts", cup_count(hosts->models[i].hosts));
        put_host_sums(report, &hosts->models[i]);
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
    cup_json_end_object(&report->json);
}

/* ---- stages ----------------------------------------------------------------------------- */

static struct cup_value ns_if(bool known_, uint64_t ns)
{
    return known_ ? cup_seconds((int64_t)ns) : cup_null();
}

static void put_stage(struct report *report, int id)
{
    const struct cup_stage *stage = &report->totals->stages->rows[id];
    bool is_known = stage->known;
    cup_json_row(&report->json, NULL);
    put(report, "stage", cup_string(cup_stage_texts[id].name));
    put(report, "start", is_known ? cup_time(stage->start_ns) : cup_null());
    put(report, "stop", is_known ? cup_time(stage->stop_ns) : cup_null());
    put(report, "time_s", ns_if(is_known, stage->time_ns));
    put(report, "threads_s", ns_if(is_known, stage->threads_ns));
    put(report, "task_s", ns_if(is_known, stage->task_ns));
    put(report, "idle_s", ns_if(is_known, stage->idle_ns));
    put(report, "idle_core_hours",
        is_known ? cup_real((double)stage->idle_ns / 3600e9) : cup_null());
    put(report, "idle_share",
        is_known ? cup_ratio((double)stage->idle_ns, (double)stage->threads_ns) : cup_null());
    put(report, "tasks", is_known ? cup_count(stage->tasks) : cup_null());
    cup_json_end_object(&report->json);
}

static void put_tail_chunk(struct report *report, const struct cup_tail_chunk *chunk,
                           const struct cup_task_row *row)
{
    static const char *const columns[] = {
        "key",  "dataset", "file",   "entry_start", "entry_stop", "events", "worker",
        "host", "status",  "wall_s", "cpu_s",       "io_wait_s",  "attempt"};
    char why[CUP_TAIL_ROOM];
    cup_json_row(&report->json, NULL);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        put(report, columns[i], cup_task_value(row, columns[i]));
    put(report, "start", cup_time(row->task->start_ns));
    put(report, "stop", cup_time(row->task->stop_ns));
    put(report, "why", cup_string(cup_tail_why(why, chunk)));
    cup_json_end_object(&report->json);
}

static void put_tail_rows(struct report *report, const struct cup_tail *tail)
{
    struct cup_key_reader keys;
    cup_key_reader_open(&keys, report->profile);
    for (size_t i = 0; i < tail->count; i++) {
        uint32_t index = report->profile->items[tail->chunks[i].item].task;
        const struct cup_task *task = &report->profile->tasks[index];
        const struct cup_task_row row = {report->profile, task, cup_key_read(&keys, task),
                                         report->attempts[index]};
        put_tail_chunk(report, &tail->chunks[i], &row);
    }
    cup_key_reader_close(&keys);
}

int cup_report_put_stages(struct report *report)
{
    struct cup_tail tail;
    if (cup_tail_make(&tail, report->totals) != 0)
        return -1;
    cup_json_object(&report->json, "stages");
    put(report, "idle_core_hours", cup_real((double)report->totals->stages->idle_ns / 3600e9));
    cup_json_array(&report->json, "rows");
    for (int i = 0; i < CUP_STAGE_COUNT; i++)
        put_stage(report, i);
    cup_json_end_array(&report->json);
    put(report, "tail_chunks", cup_count(tail.total));
    put(report, "tail_from", tail.from_ns ? cup_time(tail.from_ns) : cup_null());
    put(report, "median_chunk_s", cup_real(tail.median_s));
    cup_json_array(&report->json, "tail");
    put_tail_rows(report, &tail);
    cup_json_end_array(&report->json);
    cup_json_end_object(&report->json);
    cup_tail_free(&tail);
    return 0;
}

/* ---- merges ----------------------------------------------------------------------------- */

static struct cup_value if_any(uint64_t count, uint64_t value)
{
    return count ? cup_count(value) : cup_null();
}

static void put_merge_sums(struct report *report, const struct cup_merge_level *level)
{
    bool inputs = report->profile->input_count > 0;
    bool heap = cup_profile_measured(report->profile, CUP_FEATURE_HEAP);
    put(report, "tasks", cup_count(level->tasks));
    put(report, "failed", cup_count(level->failed));
    put(report, "inputs", inputs ? cup_count(level->inputs) : cup_null());
    put(report, "input_bytes", if_any(level->input_bytes_known, level->input_bytes));
    put(report, "result_bytes", if_any(level->result_bytes_known, level->result_bytes));
    put(report, "largest_result_bytes", if_any(level->result_bytes_known, level->largest_bytes));
    put_ns(report, "accumulate_s", level->wall_ns);
    put(report, "cpu_s",
        level->tasks > level->without_cpu ? cup_seconds((int64_t)level->cpu_ns) : cup_null());
    put(report, "longest_s", level->tasks ? cup_seconds((int64_t)level->longest_ns) : cup_null());
    put(report, "transfer_s", cup_null());
    put(report, "peak_rss_bytes", if_any(level->rss_bytes, level->rss_bytes));
    put(report, "peak_live_bytes",
        heap && level->tasks ? cup_count(level->peak_live_bytes) : cup_null());
    put(report, "start", level->start_ns ? cup_time(level->start_ns) : cup_null());
    put(report, "stop", level->stop_ns ? cup_time(level->stop_ns) : cup_null());
}

static void put_merge_level(struct report *report, const struct cup_merge_level *level)
{
    cup_json_row(&report->json, NULL);
    put(report, "level", level->level ? cup_count(level->level) : cup_null());
    put(report, "of", cup_string(level->metadata ? "metadata" : "chunks"));
    put_merge_sums(report, level);
    cup_json_end_object(&report->json);
}

void cup_report_put_merge(struct report *report)
{
    const struct cup_merge *merge = report->totals->merge;
    const struct cup_merge_level sum = cup_merge_sum(merge, false);
    cup_json_object(&report->json, "merge");
    put_merge_sums(report, &sum);
    put(report, "dask_received_bytes",
        cup_count(report->totals->without_task[CUP_C_TRANSFER_RECV_BYTES]));
    cup_json_array(&report->json, "rows");
    for (size_t i = 0; i < merge->count; i++)
        put_merge_level(report, &merge->levels[i]);
    close_rows(report);
}

/* ---- tasks by worker -------------------------------------------------------------------- */

static void put_worker_tasks(struct report *report, size_t index)
{
    const struct cup_profile *profile = report->profile;
    bool is_known = index < profile->server_count;
    const struct cup_server *server = is_known ? &profile->servers[index] : NULL;
    const struct cup_log_header *header =
        server ? &profile->processes[server->process].header : NULL;
    cup_json_row(&report->json, NULL);
    put(report, "worker", server ? text_of(report, server->address) : cup_null());
    put(report, "name", server ? text_of(report, server->name) : cup_null());
    put(report, "host", header ? cup_string(header->host) : cup_null());
    put(report, "pid", header ? cup_count(header->pid) : cup_null());
    put(report, "threads", server ? known(server->threads) : cup_null());
    cup_report_put_task_sums(report, &report->totals->servers[index]);
    cup_json_end_object(&report->json);
}

/* The last one stands for tasks whose worker is not known: those without Dask. */
void cup_report_put_tasks_by_worker(struct report *report)
{
    open_rows(report, "tasks_by_worker");
    for (size_t i = 0; i <= report->profile->server_count; i++) {
        bool is_worker =
            i < report->profile->server_count && cup_server_is_worker(&report->profile->servers[i]);
        if (is_worker || report->totals->servers[i].tasks)
            put_worker_tasks(report, i);
    }
    close_rows(report);
}
