/* One file for the node exporter's textfile collector. Its length is bounded: some 110 figures of
 * the run, and at most CUP_PROMETHEUS_MOST + 1 prefixes, workers and datasets with 5 or 6 series
 * each. No series has a time stamp, which that collector does not take. */
#include "analysis/export/export.h"

#include <stdlib.h>

#include "analysis/metrics/metrics.h"
#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/write/exposition.h"

/* ---- figures of the run -------------------------------------------------------------------- */

/* A one-value figure of the report as a series. Those of a family stand in a row. */
struct figure {
    enum cup_metric_id metric;
    const char *family;        /* without "cupping_" */
    const char *label, *value; /* distinguish it from others of its family; NULL: the only one */
    double factor;             /* to base units */
    const char *help;
};

#define PERCENT 0.01
#define GBPS (1e9 / 8)
#define KHZ 1e3

#define STAGE_HELP "How long a stage of the run took; tail is part of process."
#define DASK_SECONDS_HELP "Dask's own fine metrics of all tasks, by activity."
#define DASK_BYTES_HELP                                                                            \
    "Bytes that Dask's own fine metrics count, by activity; not those of input files."
#define WAIT_HELP "Where tasks' time went while their own threads used no CPU."
#define THREAD_HELP "Threads x wall time, split without remainder."
#define RATE_HELP                                                                                  \
    "Bytes over wall time: requested by uproot, delivered to tasks, size of the files."

/* clang-format off */
static const struct figure figures[] = {
    {CUP_METRIC_t_start, "run_start_timestamp_seconds", NULL, NULL, 1, "When the run began."},
    {CUP_METRIC_t_stop, "run_stop_timestamp_seconds", NULL, NULL, 1, "When the run ended."},
    {CUP_METRIC_wall_time, "run_duration_seconds", NULL, NULL, 1, "How long the run took."},
    {CUP_METRIC_graph_s, "stage_duration_seconds", "stage", "graph", 1, STAGE_HELP},
    {CUP_METRIC_preprocess_s, "stage_duration_seconds", "stage", "preprocess", 1, STAGE_HELP},
    {CUP_METRIC_process_s, "stage_duration_seconds", "stage", "process", 1, STAGE_HELP},
    {CUP_METRIC_tail_s, "stage_duration_seconds", "stage", "tail", 1, STAGE_HELP},
    {CUP_METRIC_merge_s, "stage_duration_seconds", "stage", "merge", 1, STAGE_HELP},
    {CUP_METRIC_num_chunks, "chunks_total", NULL, NULL, 1, "Different chunks that succeeded."},
    {CUP_METRIC_num_failed_chunks, "failed_chunk_attempts_total", NULL, NULL, 1, "Attempts at chunks that erred."},
    {CUP_METRIC_num_retried_chunks, "retried_chunks_total", NULL, NULL, 1, "Chunks with more than one attempt."},
    {CUP_METRIC_planned_chunks, "planned_chunks", NULL, NULL, 1, "Chunks that the run was to process."},
    {CUP_METRIC_planned_events, "planned_events", NULL, NULL, 1, "Events that the run was to process."},
    {CUP_METRIC_completed_share, "completed_ratio", NULL, NULL, 1, "Events done over events planned."},
    {CUP_METRIC_total_events, "events_total", NULL, NULL, 1, "Events of the chunks that succeeded."},
    {CUP_METRIC_total_events_coffea, "coffea_events_total", NULL, NULL, 1, "Events, as Coffea's report counts them."},
    {CUP_METRIC_total_cpu_time, "process_seconds_total", NULL, NULL, 1, "Wall time inside process(), summed over chunks (Coffea's processtime)."},
    {CUP_METRIC_total_task_time, "task_seconds_total", NULL, NULL, 1, "Wall time of all tasks that ended."},
    {CUP_METRIC_total_thread_cpu_time, "task_cpu_seconds_total", NULL, NULL, 1, "CPU time of all tasks and of the threads that helped them."},
    {CUP_METRIC_total_bytes_read_coffea, "requested_bytes_total", NULL, NULL, 1, "Bytes that uproot requested (Coffea's bytesread)."},
    {CUP_METRIC_total_bytes_read, "read_bytes_total", NULL, NULL, 1, "Bytes delivered to tasks: data files, servers, mapped files, sockets."},
    {CUP_METRIC_wire_bytes, "received_bytes_total", NULL, NULL, 1, "Bytes that sockets delivered in workers, Dask's own apart."},
    {CUP_METRIC_bytes_read_compressed, "basket_compressed_bytes_total", NULL, NULL, 1, "Baskets read, compressed."},
    {CUP_METRIC_bytes_read_uncompressed, "basket_uncompressed_bytes_total", NULL, NULL, 1, "Baskets read, uncompressed."},
    {CUP_METRIC_compression_ratio, "basket_compression_ratio", NULL, NULL, 1, "Uncompressed over compressed bytes of the baskets read."},
    {CUP_METRIC_baskets, "baskets_total", NULL, NULL, 1, "Baskets read, repeated reads included."},
    {CUP_METRIC_reread_bytes, "basket_reread_bytes_total", NULL, NULL, 1, "Compressed bytes of baskets that the same task or another had read before."},
    {CUP_METRIC_incidental_bytes, "basket_incidental_bytes_total", NULL, NULL, 1, "Compressed bytes of baskets that read-ahead delivered and uproot never requested."},
    {CUP_METRIC_branches_read, "branches_read", NULL, NULL, 1, "Different branches that were read."},
    {CUP_METRIC_branches_share, "branches_read_ratio", NULL, NULL, 1, "Branches read over branches of the trees, summed up over files."},
    {CUP_METRIC_bytes_share, "tree_bytes_read_ratio", NULL, NULL, 1, "Compressed bytes of different baskets read over those of the trees."},
    {CUP_METRIC_read_amplification, "read_amplification_ratio", NULL, NULL, 1, "Bytes read by chunks over bytes requested."},
    {CUP_METRIC_requested_rate_gbps, "throughput_bytes_per_second", "bytes", "requested", GBPS, RATE_HELP},
    {CUP_METRIC_delivered_rate_gbps, "throughput_bytes_per_second", "bytes", "delivered", GBPS, RATE_HELP},
    {CUP_METRIC_file_rate_gbps, "throughput_bytes_per_second", "bytes", "files", GBPS, RATE_HELP},
    {CUP_METRIC_event_rate_wall_khz, "events_per_second", NULL, NULL, KHZ, "Events over wall time."},
    {CUP_METRIC_event_rate_agg_khz, "events_per_process_second", NULL, NULL, KHZ, "Events over time inside process()."},
    {CUP_METRIC_event_rate_core_hz, "events_per_core_second", NULL, NULL, 1, "Events over wall time and cores."},

    {CUP_METRIC_avg_workers, "average_workers", NULL, NULL, 1, "Workers, averaged over the run."},
    {CUP_METRIC_peak_workers, "peak_workers", NULL, NULL, 1, "The most workers at a time."},
    {CUP_METRIC_avg_cores, "average_cores", NULL, NULL, 1, "Threads of all workers, averaged over the run."},
    {CUP_METRIC_peak_memory_bytes, "worker_peak_memory_bytes", NULL, NULL, 1, "The largest resident memory of any worker."},
    {CUP_METRIC_avg_memory_per_worker_bytes, "worker_average_memory_bytes", NULL, NULL, 1, "Resident memory of a worker, averaged."},
    {CUP_METRIC_memory_utilization_pct, "memory_utilization_ratio", NULL, NULL, PERCENT, "Memory over limit."},
    {CUP_METRIC_cpu_utilization_pct, "assigned_tasks_per_core_ratio", NULL, NULL, PERCENT, "Assigned tasks, queued ones too, over cores; may exceed 1."},
    {CUP_METRIC_executing_utilization_pct, "executing_tasks_per_core_ratio", NULL, NULL, PERCENT, "Executing tasks over cores."},
    {CUP_METRIC_real_cpu_utilization_pct, "cpu_utilization_ratio", NULL, NULL, PERCENT, "CPU time of the workers' processes over cores, by Dask."},
    {CUP_METRIC_spilled_bytes, "spilled_bytes", NULL, NULL, 1, "Results spilled to disk, averaged."},
    {CUP_METRIC_managed_bytes, "managed_memory_bytes", NULL, NULL, 1, "Results in memory, by Dask's estimate, averaged."},
    {CUP_METRIC_unmanaged_bytes, "unmanaged_memory_bytes", NULL, NULL, 1, "Memory other than results, averaged."},
    {CUP_METRIC_event_loop_stall_s, "event_loop_stall_seconds", NULL, NULL, 1, "Stalls of the event loop."},

    {CUP_METRIC_thread_cpu_efficiency, "thread_cpu_efficiency_ratio", NULL, NULL, 1, "CPU time of tasks over wall time and cores."},
    {CUP_METRIC_core_efficiency, "core_efficiency_ratio", NULL, NULL, 1, "Time inside process() over wall time and cores: waiting counts as busy."},
    {CUP_METRIC_speedup_factor, "speedup_ratio", NULL, NULL, 1, "Time inside process() over wall time."},
    {CUP_METRIC_io_wait_pct, "io_wait_ratio", NULL, NULL, PERCENT, "Waits for files over the time of tasks."},
    {CUP_METRIC_wasted_wall_s, "wasted_task_seconds_total", NULL, NULL, 1, "Time of tasks whose result was not used."},
    {CUP_METRIC_wasted_cpu_s, "wasted_cpu_seconds_total", NULL, NULL, 1, "CPU time of tasks whose result was not used."},
    {CUP_METRIC_wasted_bytes, "wasted_read_bytes_total", NULL, NULL, 1, "Bytes read by tasks whose result was not used."},

    {CUP_METRIC_task_cpu_s, "thread_seconds_total", "part", "task_cpu", 1, THREAD_HELP},
#define X(id, name, label, text, needs, source) {CUP_METRIC_BUDGET_##id, "thread_seconds_total", "part", name, 1, THREAD_HELP},
    CUP_WAITS(X)
#undef X
    {CUP_METRIC_other_task_s, "thread_seconds_total", "part", "other_task", 1, THREAD_HELP},
    {CUP_METRIC_unfinished_task_s, "thread_seconds_total", "part", "unfinished_task", 1, THREAD_HELP},
    {CUP_METRIC_dask_between_tasks_s, "thread_seconds_total", "part", "dask_between_tasks", 1, THREAD_HELP},
    {CUP_METRIC_idle_s, "thread_seconds_total", "part", "idle", 1, THREAD_HELP},
#define X(id, name, label, text, needs, source) {CUP_METRIC_WAITED_##id, "task_wait_seconds_total", "wait", name, 1, WAIT_HELP},
    CUP_WAITS(X)
#undef X
    {CUP_METRIC_thread_cpu_s, "dask_activity_seconds_total", "activity", "thread-cpu", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_thread_noncpu_s, "dask_activity_seconds_total", "activity", "thread-noncpu", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_compress_s, "dask_activity_seconds_total", "activity", "compress", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_decompress_s, "dask_activity_seconds_total", "activity", "decompress", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_serialize_s, "dask_activity_seconds_total", "activity", "serialize", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_deserialize_s, "dask_activity_seconds_total", "activity", "deserialize", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_network_s, "dask_activity_seconds_total", "activity", "network", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_executor_s, "dask_activity_seconds_total", "activity", "executor", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_other_s, "dask_activity_seconds_total", "activity", "other", 1, DASK_SECONDS_HELP},
    {CUP_METRIC_disk_read_bytes, "dask_activity_bytes_total", "activity", "disk-read", 1, DASK_BYTES_HELP},
    {CUP_METRIC_disk_write_bytes, "dask_activity_bytes_total", "activity", "disk-write", 1, DASK_BYTES_HELP},
    {CUP_METRIC_memory_read_bytes, "dask_activity_bytes_total", "activity", "memory-read", 1, DASK_BYTES_HELP},

    {CUP_METRIC_bytes_total, "measured_bytes_total", NULL, NULL, 1, "Bytes read in workers, attributed to a task or not."},
    {CUP_METRIC_bytes_attributed, "attributed_bytes_total", NULL, NULL, 1, "Bytes read in workers that were attributed to a task."},
    {CUP_METRIC_logs_read, "logs", "state", "read", 1, "Logs of the profile."},
    {CUP_METRIC_logs_damaged, "logs", "state", "damaged", 1, "Logs of the profile."},
    {CUP_METRIC_logs_unreadable, "logs", "state", "unreadable", 1, "Logs of the profile."},
    {CUP_METRIC_tasks_unfinished, "unfinished_tasks_total", NULL, NULL, 1, "Tasks that never ended: their process was killed or crashed."},
    {CUP_METRIC_tasks_running, "running_tasks", NULL, NULL, 1, "Tasks that ran when this file was made."},
    {CUP_METRIC_measuring_share, "measuring_ratio", NULL, NULL, 1, "Cost of the measurement at begins and ends of tasks over the time of tasks."},
};
/* clang-format on */

static void put_info(struct cup_exposition *exposition)
{
    const struct cup_label version = {"version", {CUP_VERSION, strlen(CUP_VERSION)}};
    cup_exposition_family(exposition, "cupping_run_info", "Always 1; version is that of cupping.");
    cup_exposition_series(exposition, &version, 1, cup_count(1), 1);
}

static void put_figure(const struct cup_totals *totals, struct cup_exposition *exposition,
                       const struct figure *figure)
{
    char family[128];
    struct cup_value value = cup_metric_value(figure->metric, totals);
    if (!isfinite(cup_number(value)))
        return;
    struct cup_label label = {figure->label, cup_string(figure->value).text};
    size_t length = label.value.length;
    if (length > 2 && strcmp(figure->value + length - 2, "_s") == 0)
        label.value.length -= 2; /* the name has the unit */
    snprintf(family, sizeof family, "cupping_%s", figure->family);
    cup_exposition_family(exposition, family, figure->help);
    cup_exposition_series(exposition, &label, figure->label ? 1 : 0, value, figure->factor);
}

/* One series for each state; that of the run's state is 1. */
static void put_state(const struct cup_totals *totals, struct cup_exposition *exposition)
{
    cup_exposition_family(exposition, "cupping_run_state",
                          "1 for the state of the run: whether it did all that it was to do.");
    for (unsigned state = 0; state < CUP_RUN_STATE_COUNT; state++) {
        const struct cup_label label = {"state", cup_string(cup_run_state_names[state]).text};
        cup_exposition_series(exposition, &label, 1,
                              cup_count(totals->completeness->state == state), 1);
    }
}

/* ---- rows ----------------------------------------------------------------------------------
 * At most CUP_PROMETHEUS_MOST of each kind have their own series: those with the most task time
 * (datasets: events). The others are added up under the label "(others)". */

typedef const struct cup_totals *T;

enum { FAMILIES_MOST = 6 };

/* Prefixes, workers, datasets or servers. */
struct kind {
    const char *label;
    struct cup_text (*name)(T totals, uint32_t index);
    void (*fill)(T totals, uint32_t index, struct cup_value *values); /* one for each family */
    const struct family {
        const char *name, *help;
    } * families;
    size_t family_count;
};

#define FAMILY(name, help, value) {"cupping_" name, help},
#define VALUE(name, help, value) value,

/* The families of a kind, and the function that computes their values of row `i`. */
#define KIND(kind, FAMILIES)                                                                       \
    static const struct family kind##_families[] = {FAMILIES(FAMILY)};                             \
    static void fill_##kind(T t, uint32_t i, struct cup_value *values)                             \
    {                                                                                              \
        const struct cup_value all[] = {FAMILIES(VALUE)};                                          \
        memcpy(values, all, sizeof all);                                                           \
    }

static struct cup_value ns(uint64_t ns)
{
    return cup_seconds((int64_t)ns);
}

static struct cup_value count_if(bool known, uint64_t count)
{
    return known ? cup_count(count) : cup_null();
}

#define PREFIX_FAMILIES(X)                                                                         \
    X("prefix_tasks_total", "Tasks of a prefix.", cup_count(t->prefixes[i].tasks))                 \
    X("prefix_erred_tasks_total", "Tasks of a prefix that erred.",                                 \
      cup_count(t->prefixes[i].erred))                                                             \
    X("prefix_task_seconds_total", "Wall time of the tasks of a prefix.",                          \
      ns(t->prefixes[i].wall_ns))                                                                  \
    X("prefix_cpu_seconds_total", "CPU time of the own threads of the tasks of a prefix.",         \
      cup_sums_have_cpu(&t->prefixes[i]) ? ns(t->prefixes[i].cpu_ns) : cup_null())                 \
    X("prefix_read_bytes_total", "Bytes from data files and servers for the tasks of a prefix.",   \
      count_if(cup_profile_measured(t->profile, CUP_FEATURE_FILES), t->prefixes[i].read_bytes))
KIND(prefix, PREFIX_FAMILIES)

/* A worker is a process: two of Dask's in one share its threads. */
static uint64_t busy_ns(T t, uint32_t i)
{
    return cup_budget_total_ns(&t->budgets[i]) - t->budgets[i].ns[CUP_BUDGET_BETWEEN] -
           t->budgets[i].ns[CUP_BUDGET_IDLE];
}

#define WORKER_FAMILIES(X)                                                                         \
    X("worker_tasks_total", "Tasks that a worker ran.",                                            \
      cup_count(t->profile->processes[i].tasks + t->profile->processes[i].summed.tasks))           \
    X("worker_threads", "Task threads of a worker.", cup_count(t->budgets[i].threads))             \
    X("worker_thread_seconds_total",                                                               \
      "Threads of a worker x the time for which it took part in the run.",                         \
      ns(t->budgets[i].threads_ns))                                                                \
    X("worker_busy_seconds_total", "Time of a worker's threads in tasks.", ns(busy_ns(t, i)))      \
    X("worker_cpu_seconds_total", "CPU time of a worker's threads in tasks.",                      \
      ns(t->budgets[i].ns[CUP_BUDGET_TASK_CPU]))                                                   \
    X("worker_read_bytes_total", "Bytes from data files and servers for its tasks.",               \
      count_if(cup_process_has(t->profile, i, CUP_FEATURE_FILES),                                  \
               t->profile->processes[i].read_bytes))
KIND(worker, WORKER_FAMILIES)

#define DATASET_FAMILIES(X)                                                                        \
    X("dataset_chunks_total", "Chunks of a dataset that succeeded.",                               \
      cup_count(t->datasets[i].chunks))                                                            \
    X("dataset_failed_chunk_attempts_total", "Attempts at chunks of a dataset that erred.",        \
      cup_count(t->datasets[i].failed))                                                            \
    X("dataset_events_total", "Events of the chunks of a dataset that succeeded.",                 \
      count_if(!t->datasets[i].without_events, t->datasets[i].events))                             \
    X("dataset_process_seconds_total",                                                             \
      "Time inside process(), summed over the chunks of a dataset.",                               \
      t->datasets[i].process_ns ? ns(t->datasets[i].process_ns) : cup_null())                      \
    X("dataset_read_bytes_total",                                                                  \
      "Bytes from data files and servers for the chunks of a dataset.",                            \
      count_if(cup_profile_measured(t->profile, CUP_FEATURE_FILES) &&                              \
                   !t->datasets[i].bytes_unknown,                                                  \
               t->datasets[i].read_bytes))                                                         \
    X("dataset_requested_bytes_total", "Bytes that uproot requested (Coffea's bytesread).",        \
      cup_count_or_null(cup_coffea_bytes(&t->datasets[i].coffea)))
KIND(dataset, DATASET_FAMILIES)

#define OPEN_FAMILIES(X)                                                                           \
    X("server_opens_total", "Files opened at a server; of tcp:// ones: connections.",              \
      cup_count(t->profile->opens[i].opened))                                                      \
    X("server_failed_opens_total", "Opens of files or connections that failed.",                   \
      cup_count(t->profile->opens[i].failed))                                                      \
    X("server_open_seconds_total", "Wall time of opens of files or connections that succeeded.",   \
      ns(t->profile->opens[i].ns))
KIND(open, OPEN_FAMILIES)

static struct cup_text known(struct cup_text text)
{
    return text.length ? text : (struct cup_text){"(unknown)", strlen("(unknown)")};
}

static struct cup_text prefix_name(T t, uint32_t i)
{
    return known(cup_profile_text(t->profile, t->profile->prefixes[i].name));
}

static struct cup_text dataset_name(T t, uint32_t i)
{
    return known(cup_profile_text(t->profile, t->datasets[i].name));
}

static struct cup_text open_name(T t, uint32_t i)
{
    return known(cup_profile_text(t->profile, t->profile->opens[i].server));
}

/* The address of the only worker in process I; 0: it has none or several, or another process had
 * the same address, such as one that was restarted with `--worker-port`. */
static uint32_t own_address(const struct cup_profile *profile, uint32_t i)
{
    const struct cup_server *own = NULL;
    for (size_t j = 0; j < profile->server_count; j++) {
        const struct cup_server *server = &profile->servers[j];
        if (server->process != i || !cup_server_is_worker(server))
            continue;
        if (own)
            return 0;
        own = server;
    }
    for (size_t j = 0; own && j < profile->server_count; j++)
        if (profile->servers[j].process != i && cup_server_is_worker(&profile->servers[j]) &&
            profile->servers[j].address == own->address)
            return 0;
    return own ? own->address : 0;
}

/* The worker's address if no other process has it, else the log's name, which has host and pid. */
static struct cup_text worker_name(T t, uint32_t i)
{
    struct cup_text address = cup_profile_text(t->profile, own_address(t->profile, i));
    if (address.length)
        return address;
    const char *path = t->profile->processes[i].log_path;
    return known(cup_string(path ? basename(path) : NULL).text);
}

static void put_series(struct cup_exposition *exposition, const struct family *family,
                       struct cup_label label, struct cup_value value)
{
    if (value.kind == CUP_VALUE_NULL)
        return;
    cup_exposition_family(exposition, family->name, family->help);
    cup_exposition_series(exposition, &label, 1, value, 1);
}

/* ORDER holds the indexes of the rows, the largest first. */
static void put_family(T t, struct cup_exposition *exposition, const struct kind *kind, size_t at,
                       const uint32_t *order, size_t count)
{
    struct cup_value values[FAMILIES_MOST];
    double rest = 0;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        kind->fill(t, order[i], values);
        if (i < CUP_PROMETHEUS_MOST) {
            struct cup_label label = {kind->label, kind->name(t, order[i])};
            put_series(exposition, &kind->families[at], label, values[at]);
        } else if (isfinite(cup_number(values[at]))) {
            rest += cup_number(values[at]);
            any = true;
        }
    }
    put_series(exposition, &kind->families[at],
               (struct cup_label){kind->label, cup_string("(others)").text},
               any ? cup_real(rest) : cup_null());
}

/* Frees the order; NULL: there was no memory for it. Returns 0, or -1 then. */
static int put_rows(T t, struct cup_exposition *exposition, const struct kind *kind,
                    uint32_t *order, size_t count)
{
    int result = order ? 0 : -1;
    for (size_t i = 0; order && i < kind->family_count; i++)
        put_family(t, exposition, kind, i, order, count);
    free(order);
    return result;
}

/* ---- their order --------------------------------------------------------------------------- */

/* What rows are ordered by, the largest first; CUP_UNKNOWN64: the row is left out. */
struct rank {
    T totals;
    uint64_t (*of)(T totals, uint32_t index);
};

static int largest_first(const void *left, const void *right, void *by)
{
    const struct rank *rank = by;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint64_t of_a = rank->of(rank->totals, a), of_b = rank->of(rank->totals, b);
    return of_a != of_b ? (of_a < of_b ? 1 : -1) : (a > b) - (a < b);
}

static uint32_t *order_by(struct rank rank, size_t among, size_t *count)
{
    uint32_t *order = calloc(among + 1, sizeof *order);
    *count = 0;
    for (uint32_t i = 0; order && i < among; i++)
        if (rank.of(rank.totals, i) != CUP_UNKNOWN64)
            order[(*count)++] = i;
    if (order)
        qsort_r(order, *count, sizeof *order, largest_first, &rank);
    return order;
}

static uint64_t dataset_rank(T t, uint32_t i)
{
    return t->datasets[i].events;
}

static uint64_t worker_rank(T t, uint32_t i)
{
    return cup_process_is_worker(&t->profile->processes[i]) ? busy_ns(t, i) : CUP_UNKNOWN64;
}

static uint32_t *opens_by_time(T t, size_t *count)
{
    const struct cup_open_sum **sums = cup_opens_by_time(t->profile, count);
    uint32_t *order = sums ? calloc(*count + 1, sizeof *order) : NULL;
    for (size_t i = 0; order && i < *count; i++)
        order[i] = (uint32_t)(sums[i] - t->profile->opens);
    free(sums);
    return order;
}

#define FAMILIES(kind) kind##_families, sizeof kind##_families / sizeof *kind##_families

static int put_all_rows(T t, struct cup_exposition *exposition)
{
    static const struct kind prefixes = {"prefix", prefix_name, fill_prefix, FAMILIES(prefix)};
    static const struct kind workers = {"worker", worker_name, fill_worker, FAMILIES(worker)};
    static const struct kind datasets = {"dataset", dataset_name, fill_dataset, FAMILIES(dataset)};
    static const struct kind opens = {"server", open_name, fill_open, FAMILIES(open)};
    size_t prefix_count, worker_count, dataset_count, open_count;
    uint32_t *by_prefix = cup_prefixes_by_time(t, &prefix_count);
    uint32_t *by_worker =
        order_by((struct rank){t, worker_rank}, t->profile->process_count, &worker_count);
    uint32_t *by_dataset =
        order_by((struct rank){t, dataset_rank}, t->dataset_count, &dataset_count);
    uint32_t *by_open = opens_by_time(t, &open_count);
    int result = put_rows(t, exposition, &prefixes, by_prefix, prefix_count);
    result |= put_rows(t, exposition, &workers, by_worker, worker_count);
    result |= put_rows(t, exposition, &datasets, by_dataset, dataset_count);
    result |= put_rows(t, exposition, &opens, by_open, open_count);
    return result;
}

/* ---- the file ------------------------------------------------------------------------------ */

void cup_export_name_run(const struct cup_profile *profile, const char *directory,
                         char name[CUP_RUN_NAME])
{
    char *path = realpath(directory, NULL);
    const char *base = path ? basename(path) : directory;
    if (profile->run_count > 1 && profile->run)
        snprintf(name, CUP_RUN_NAME, "%.255s#%u", base, (unsigned)profile->run);
    else
        snprintf(name, CUP_RUN_NAME, "%.255s", base);
    free(path);
}

int cup_export_prometheus(const struct cup_totals *totals, const struct cup_output *output)
{
    char name[CUP_RUN_NAME];
    cup_export_name_run(totals->profile, totals->profile->path, name);
    struct cup_exposition exposition = {.out = output->file,
                                        .common = {"run", {name, strlen(name)}}};
    put_info(&exposition);
    put_state(totals, &exposition);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        put_figure(totals, &exposition, &figures[i]);
    return put_all_rows(totals, &exposition);
}
