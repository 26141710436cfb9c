/* Hosts, and how they compare. */
#include "analysis/report/page/section.h"

enum { SHOWN_HOSTS = 20 };

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
    X("task_s", SECONDS, cup_ns(host->task_ns))                                                    \
    X("chunks", COUNT, cup_count(host->chunks), .heading = "chunks", .place = 6)                   \
    X("failed_chunks", COUNT, cup_count(host->failed_chunks))                                      \
    X("events", COUNT,                                                                             \
      cup_count_if(host->chunks && host->timed_chunks == host->chunks, host->events))              \
    X("chunk_wall_s", SECONDS, cup_ns_if(host->timed_chunks, host->wall_ns))                       \
    X("chunk_cpu_s", SECONDS, cup_ns_if(host->cpu_ns, host->cpu_ns))                               \
    X("event_rate_core_hz", HZ, cup_ratio((double)host->events, wall_s), .heading = "ev/s/core",   \
      .place = 8)                                                                                  \
    X("event_rate_cpu_hz", HZ, cup_ratio((double)host->events, cpu_s), .heading = "per CPU s",     \
      .place = 9, .rank = (cpu_rate_rank))                                                         \
    X("read_bytes", BYTES, cup_count_if(files, host->read_bytes), .heading = "read", .place = 10,  \
      .rank = 1)                                                                                   \
    X("read_rate_mbs", MBS, cup_value_if(files, cup_ratio((double)host->read_bytes / 1e6, run_s))) \
    X("read_rate_core_mbs", MBS,                                                                   \
      cup_value_if(files, cup_ratio((double)host->read_bytes / 1e6, (double)host->task_ns / 1e9))) \
    X("io_wait_share", SHARE, cup_ratio((double)host->io_wait_ns, (double)host->waited_ns),        \
      .heading = "I/O wait", .place = 11, .rank = (io_wait_rank))

/* ---- hosts -------------------------------------------------------------------------------- */

#define HEAD_FIELDS(X)                                                                             \
    X("host", TEXT, cup_text(cup_intern_text(&rows->totals->hosts->names, host->name)),            \
      .heading = "host", .place = 1)                                                               \
    X("cpu_model", TEXT, cup_row_text(rows, host->model), .heading = "CPU model", .place = 2,      \
      .rank = 4)                                                                                   \
    X("cpus", COUNT, cup_count_if(host->cpus, host->cpus))                                         \
    X("cpus_usable", COUNT, cup_count_if(host->usable_cpus, host->usable_cpus))

/* Of a host. */
#define TAIL_FIELDS(X)                                                                             \
    X("verdict", TEXT, cup_string(cup_host_verdicts[host->verdict]), .heading = "", .place = 12)   \
    X("outlier", BOOL, cup_value_if(compared, cup_bool(host->verdict > CUP_HOST_ORDINARY)))        \
    X("median_core_hz", HZ, cup_value_if(compared, cup_real(host->median)))                        \
    X("deviations", RATIO, cup_value_if(compared, cup_real(host->deviations)))

#define HOST_FIELDS(X) HEAD_FIELDS(X) SUM_FIELDS(X, 5, 0, 6, 2) TAIL_FIELDS(X)

static void fill_host(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_host *host = item;
    double wall_s = (double)host->wall_ns / 1e9, cpu_s = (double)host->cpu_ns / 1e9;
    double run_s = (double)cup_stretch_ns(rows->totals->run) / 1e9;
    bool files = cup_profile_measured(rows->profile, CUP_FEATURE_FILES);
    bool compared = host->verdict >= CUP_HOST_ORDINARY;
    CUP_FILL(values, HOST_FIELDS);
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
            rows->text.hidden++;
        else
            cup_add_row(rows, &hosts->rows[i]);
    return 0;
}

static const struct cup_report_table hosts_table = {
    CUP_TABLE_FIELDS(HOST_FIELDS, fill_host), list_hosts, .more = "host, slow and fast ones apart"};

/* ---- CPU models --------------------------------------------------------------------------- */

#define MODEL_FIELDS(X)                                                                            \
    X("cpu_model", TEXT, cup_row_text(rows, host->model), .heading = "CPU model", .place = 1)      \
    X("hosts", COUNT, cup_count(host->hosts), .heading = "hosts", .place = 2)                      \
    SUM_FIELDS(X, 4, 5, 2, 6)

static void fill_model(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_host *host = item;
    double wall_s = (double)host->wall_ns / 1e9, cpu_s = (double)host->cpu_ns / 1e9;
    double run_s = (double)cup_stretch_ns(rows->totals->run) / 1e9;
    bool files = cup_profile_measured(rows->profile, CUP_FEATURE_FILES);
    CUP_FILL(values, MODEL_FIELDS);
}

CUP_LIST_ARRAY(list_models, rows->totals->hosts->models, rows->totals->hosts->model_count)

static const struct cup_report_table models_table = {CUP_TABLE_FIELDS(MODEL_FIELDS, fill_model),
                                                     list_models, .name = "by_cpu_model"};

/* ---- the section -------------------------------------------------------------------------- */

static void print_rule(const struct cup_page *page)
{
    cup_page_line(page, CUP_DIM,
                  "ev/s/core: events divided by the summed time of the chunks. slow, fast: more "
                  "than %.1f robust deviations and %.0f %% away from the median of the hosts with "
                  "the same CPU model. At least %d such hosts with %d chunks or more are needed.",
                  CUP_HOST_OUTLIER_DEVIATIONS, 100 * CUP_HOST_OUTLIER_SHARE, CUP_HOSTS_COMPARED,
                  CUP_HOST_CHUNKS);
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

static void put_rule(struct report *report)
{
    put(report, "outlier_deviations", cup_real(CUP_HOST_OUTLIER_DEVIATIONS));
    put(report, "outlier_share", cup_real(CUP_HOST_OUTLIER_SHARE));
    put(report, "min_chunks", cup_count(CUP_HOST_CHUNKS));
    put(report, "min_hosts", cup_count(CUP_HOSTS_COMPARED));
}

const struct cup_report_section cup_hosts_section = {
    .name = "hosts",
    .table = &hosts_table,
    .print = print_hosts,
    .put_keys = put_rule,
    .tables = {&hosts_table, &models_table},
};
