/* Hosts, and how they compare. */
#include "analysis/report/page/section.h"

enum { SHOWN_HOSTS = 20 };

static struct cup_value count_if_any(uint32_t count)
{
    return cup_value_if(count > 0, cup_count(count));
}

/* Columns of a host, and of all hosts with one CPU model. The two tables hide different columns
 * first, so the ranks are arguments. */
#define SUM_FIELDS(X, workers_rank, failed_rank, cpu_rate_rank, io_wait_rank)                      \
    X("workers", COUNT, cup_count(host->workers), .heading = "workers", .place = 3,                \
      .rank = (workers_rank))                                                                      \
    X("threads", COUNT, cup_count(host->threads), .heading = "threads", .place = 4)                \
    X("core_hours", RATIO, cup_real((double)host->threads_ns / 3600e9), .heading = "core-h",       \
      .place = 5, .rank = 3)                                                                       \
    X("tasks", COUNT, cup_count(host->tasks))                                                      \
    X("failed", COUNT, cup_count(host->failed), .heading = "failed", .place = 7,                   \
      .rank = (failed_rank))                                                                       \
    X("task_s", SECONDS, cup_seconds((int64_t)host->task_ns))                                      \
    X("chunks", COUNT, cup_count(host->chunks), .heading = "chunks", .place = 6)                   \
    X("failed_chunks", COUNT, cup_count(host->failed_chunks))                                      \
    X("events", COUNT, cup_value_if(host->timed_chunks, cup_count(host->events)))                  \
    X("chunk_wall_s", SECONDS, cup_seconds((int64_t)host->wall_ns))                                \
    X("chunk_cpu_s", SECONDS, cup_seconds((int64_t)host->cpu_ns))                                  \
    X("event_rate_core_hz", HZ, cup_ratio((double)host->events, wall_s), .heading = "ev/s/core",   \
      .place = 8)                                                                                  \
    X("event_rate_cpu_hz", HZ, cup_ratio((double)host->events, cpu_s), .heading = "per CPU s",     \
      .place = 9, .rank = (cpu_rate_rank))                                                         \
    X("read_bytes", BYTES, cup_count(host->read_bytes), .heading = "read", .place = 10, .rank = 1) \
    X("read_rate_mbs", MBS, cup_ratio((double)host->read_bytes / 1e6, run_s))                      \
    X("read_rate_core_mbs", MBS,                                                                   \
      cup_ratio((double)host->read_bytes / 1e6, (double)host->task_ns / 1e9))                      \
    X("io_wait_share", SHARE, cup_ratio((double)host->io_wait_ns, (double)host->waited_ns),        \
      .heading = "I/O wait", .place = 11, .rank = (io_wait_rank))

#define HOST_SUMS(X) SUM_FIELDS(X, 5, 0, 6, 2)
#define MODEL_SUMS(X) SUM_FIELDS(X, 4, 5, 2, 6)

static void fill_sums(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_host *host = item;
    double wall_s = (double)host->wall_ns / 1e9, cpu_s = (double)host->cpu_ns / 1e9;
    double run_s = (double)cup_stretch_ns(rows->totals->run) / 1e9;
    CUP_FILL(values, HOST_SUMS);
}

/* ---- hosts -------------------------------------------------------------------------------- */

#define HEAD_FIELDS(X)                                                                             \
    X("host", TEXT, cup_text(cup_intern_text(&rows->totals->hosts->names, host->name)),            \
      .heading = "host", .place = 1)                                                               \
    X("cpu_model", TEXT, cup_row_text(rows, host->model), .heading = "CPU model", .place = 2,      \
      .rank = 4)                                                                                   \
    X("cpus", COUNT, count_if_any(host->cpus))                                                     \
    X("cpus_usable", COUNT, count_if_any(host->usable_cpus))

#define TAIL_FIELDS(X)                                                                             \
    X("verdict", TEXT, cup_string(cup_host_verdicts[host->verdict]), .heading = "", .place = 12)   \
    X("outlier", BOOL, cup_value_if(compared, cup_bool(host->verdict > CUP_HOST_ORDINARY)))        \
    X("median_core_hz", HZ, cup_value_if(compared, cup_real(host->median)))                        \
    X("deviations", RATIO, cup_value_if(compared, cup_real(host->deviations)))

static void fill_head(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_host *host = item;
    CUP_FILL(values, HEAD_FIELDS);
}

static void fill_tail(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_host *host = item;
    bool compared = host->verdict >= CUP_HOST_ORDINARY;
    (void)rows;
    CUP_FILL(values, TAIL_FIELDS);
}

/* On a terminal only the first hosts are shown, and all that are slow or fast. */
static bool is_hidden(const struct cup_report_rows *rows, size_t index)
{
    const struct cup_page *page = rows->text.page;
    return page && !page->alone && index >= SHOWN_HOSTS &&
           rows->totals->hosts->rows[index].verdict <= CUP_HOST_ORDINARY;
}

static int list_hosts(struct cup_report_rows *rows)
{
    const struct cup_hosts *hosts = rows->totals->hosts;
    for (size_t i = 0; i < hosts->count; i++)
        if (is_hidden(rows, i))
            cup_hide_row(rows);
        else
            cup_add_row(rows, &hosts->rows[i]);
    return 0;
}

static const struct cup_row_part host_parts[] = {
    CUP_ROW_PART(HEAD_FIELDS, fill_head),
    CUP_ROW_PART(HOST_SUMS, fill_sums),
    CUP_ROW_PART(TAIL_FIELDS, fill_tail),
};
static const struct cup_report_table hosts_table = {CUP_TABLE_PARTS(host_parts), list_hosts,
                                                    .more = "hosts, slow and fast ones apart"};

/* ---- CPU models --------------------------------------------------------------------------- */

#define MODEL_FIELDS(X)                                                                            \
    X("cpu_model", TEXT, cup_row_text(rows, host->model), .heading = "CPU model", .place = 1)      \
    X("hosts", COUNT, cup_count(host->hosts), .heading = "hosts", .place = 2)

static void fill_model(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_host *host = item;
    CUP_FILL(values, MODEL_FIELDS);
}

static int list_models(struct cup_report_rows *rows)
{
    const struct cup_hosts *hosts = rows->totals->hosts;
    for (size_t i = 0; i < hosts->model_count; i++)
        cup_add_row(rows, &hosts->models[i]);
    return 0;
}

static const struct cup_row_part model_parts[] = {CUP_ROW_PART(MODEL_FIELDS, fill_model),
                                                  CUP_ROW_PART(MODEL_SUMS, fill_sums)};
static const struct cup_report_table models_table = {CUP_TABLE_PARTS(model_parts), list_models};

/* ---- the section -------------------------------------------------------------------------- */

static void print_rule(const struct cup_page *page)
{
    char line[400];
    snprintf(line, sizeof line,
             "ev/s/core: events divided by the summed time of the chunks. slow, fast: more than "
             "%.1f robust deviations and %.0f %% away from the median of the hosts with the same "
             "CPU model. At least %d such hosts with %d chunks or more are needed.",
             CUP_HOST_OUTLIER_DEVIATIONS, 100 * CUP_HOST_OUTLIER_SHARE, CUP_HOSTS_COMPARED,
             CUP_HOST_CHUNKS);
    cup_print_wrapped(&page->terminal, CUP_DIM, 2, line);
}

static int print_hosts(const struct cup_page *page)
{
    const struct cup_hosts *hosts = page->totals->hosts;
    if (hosts->count == 0 || (hosts->count == 1 && !page->alone))
        return 0;
    int result = cup_print_rows(page, &hosts_table, NULL, "Hosts", "");
    if (result == 0 && (hosts->model_count > 1 || page->alone))
        result = cup_print_rows(page, &models_table, NULL, NULL, NULL);
    print_rule(page);
    return result;
}

static int put_hosts(struct report *report)
{
    cup_json_object(&report->json, "hosts");
    put(report, "outlier_deviations", cup_real(CUP_HOST_OUTLIER_DEVIATIONS));
    put(report, "outlier_share", cup_real(CUP_HOST_OUTLIER_SHARE));
    put(report, "min_chunks", cup_count(CUP_HOST_CHUNKS));
    put(report, "min_hosts", cup_count(CUP_HOSTS_COMPARED));
    int result = cup_put_rows(report, "rows", &hosts_table, NULL);
    if (result == 0)
        result = cup_put_rows(report, "by_cpu_model", &models_table, NULL);
    cup_json_end_object(&report->json);
    return result;
}

const struct cup_report_section cup_hosts_section = {
    .name = "hosts", .table = &hosts_table, .print = print_hosts, .put = put_hosts};
