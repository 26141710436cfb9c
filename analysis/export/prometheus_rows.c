#include "analysis/export/prometheus_rows.h"

#include <stdlib.h>

#include "analysis/metrics/reads/open_ranks.h"

typedef const struct cup_totals *T;

struct family {
    const char *name, *help;
    struct cup_value (*value)(T totals, uint32_t index);
};

/* Rows of a kind. `order` holds indexes, the largest first. */
struct rows {
    const char *label;
    struct cup_text (*name)(T totals, uint32_t index);
    const uint32_t *order;
    size_t count;
    const struct family *families;
    size_t family_count;
};

/* ---- families ------------------------------------------------------------------------------ */

static struct cup_value ns(uint64_t ns)
{
    return cup_seconds((int64_t)ns);
}

#define VALUE(name, expression)                                                                    \
    static struct cup_value name(T t, uint32_t i)                                                  \
    {                                                                                              \
        return expression;                                                                         \
    }

VALUE(prefix_tasks, cup_count(t->prefixes[i].tasks))
VALUE(prefix_erred, cup_count(t->prefixes[i].erred))
VALUE(prefix_wall, ns(t->prefixes[i].wall_ns))
VALUE(prefix_cpu, cup_sums_have_cpu(&t->prefixes[i]) ? ns(t->prefixes[i].cpu_ns) : cup_null())
VALUE(prefix_read, cup_profile_measured(t->profile, CUP_FEATURE_FILES)
                       ? cup_count(t->prefixes[i].read_bytes)
                       : cup_null())

static const struct family prefix_families[] = {
    {"cupping_prefix_tasks_total", "Tasks of a prefix.", prefix_tasks},
    {"cupping_prefix_erred_tasks_total", "Tasks of a prefix that erred.", prefix_erred},
    {"cupping_prefix_task_seconds_total", "Wall time of the tasks of a prefix.", prefix_wall},
    {"cupping_prefix_cpu_seconds_total", "CPU time of the own threads of the tasks of a prefix.",
     prefix_cpu},
    {"cupping_prefix_read_bytes_total", "Bytes from data files for the tasks of a prefix.",
     prefix_read},
};

/* A worker is a process: two of Dask's in one share its threads. */
static uint64_t busy_ns(T t, uint32_t i)
{
    return cup_budget_total_ns(&t->budgets[i]) - t->budgets[i].ns[CUP_BUDGET_BETWEEN] -
           t->budgets[i].ns[CUP_BUDGET_IDLE];
}

static uint64_t read_bytes(const struct cup_process *process)
{
    uint64_t sum = 0;
    for (int method = 0; method < CUP_METHOD_NONE; method++)
        sum += process->with_task[CUP_C_READ_OWN_BYTES + method];
    return sum;
}

VALUE(worker_tasks, cup_count(t->profile->processes[i].tasks))
VALUE(worker_threads, cup_count(t->budgets[i].threads))
VALUE(worker_thread_time, ns(t->budgets[i].threads_ns))
VALUE(worker_busy, ns(busy_ns(t, i)))
VALUE(worker_cpu, ns(t->budgets[i].ns[CUP_BUDGET_TASK_CPU]))
VALUE(worker_read, cup_process_has(t->profile, i, CUP_FEATURE_FILES)
                       ? cup_count(read_bytes(&t->profile->processes[i]))
                       : cup_null())

static const struct family worker_families[] = {
    {"cupping_worker_tasks_total", "Tasks that a worker ran.", worker_tasks},
    {"cupping_worker_threads", "Task threads of a worker.", worker_threads},
    {"cupping_worker_thread_seconds_total",
     "Threads of a worker x the time for which it took part in the run.", worker_thread_time},
    {"cupping_worker_busy_seconds_total", "Time of a worker's threads in tasks.", worker_busy},
    {"cupping_worker_cpu_seconds_total", "CPU time of a worker's threads in tasks.", worker_cpu},
    {"cupping_worker_read_bytes_total", "Bytes from data files for its tasks.", worker_read},
};

VALUE(dataset_chunks, cup_count(t->datasets[i].chunks))
VALUE(dataset_failed, cup_count(t->datasets[i].failed))
VALUE(dataset_events, cup_count(t->datasets[i].events))
VALUE(dataset_process, ns(t->datasets[i].process_ns))
VALUE(dataset_read, cup_profile_measured(t->profile, CUP_FEATURE_FILES)
                        ? cup_count(t->datasets[i].read_bytes)
                        : cup_null())
VALUE(dataset_requested,
      t->datasets[i].coffea.with_bytes ? cup_count(t->datasets[i].coffea.bytes) : cup_null())

static const struct family dataset_families[] = {
    {"cupping_dataset_chunks_total", "Chunks of a dataset that succeeded.", dataset_chunks},
    {"cupping_dataset_failed_chunk_attempts_total", "Attempts at chunks of a dataset that erred.",
     dataset_failed},
    {"cupping_dataset_events_total", "Events of the chunks of a dataset that succeeded.",
     dataset_events},
    {"cupping_dataset_process_seconds_total",
     "Time inside process(), summed over the chunks of a dataset.", dataset_process},
    {"cupping_dataset_read_bytes_total", "Bytes from data files for the chunks of a dataset.",
     dataset_read},
    {"cupping_dataset_requested_bytes_total", "Bytes that uproot requested (Coffea's bytesread).",
     dataset_requested},
};

VALUE(open_opened, cup_count(t->profile->opens[i].opened))
VALUE(open_failed, cup_count(t->profile->opens[i].failed))
VALUE(open_time, ns(t->profile->opens[i].ns))

static const struct family open_families[] = {
    {"cupping_server_opens_total", "Files opened at a server; of tcp:// ones: connections.",
     open_opened},
    {"cupping_server_failed_opens_total", "Opens of files or connections that failed.",
     open_failed},
    {"cupping_server_open_seconds_total",
     "Wall time of opens of files or connections that succeeded.", open_time},
};

/* ---- names --------------------------------------------------------------------------------- */

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

/* Its address; where it has none, or several, the log's name, which holds host and pid. */
static struct cup_text worker_name(T t, uint32_t i)
{
    struct cup_text address = {0};
    unsigned workers = 0;
    for (size_t j = 0; j < t->profile->server_count; j++)
        if (t->profile->servers[j].process == i && cup_server_is_worker(&t->profile->servers[j])) {
            address = cup_profile_text(t->profile, t->profile->servers[j].address);
            workers++;
        }
    if (workers == 1 && address.length)
        return address;
    const char *path = t->profile->processes[i].log_path;
    const char *slash = path ? strrchr(path, '/') : NULL;
    return known(cup_string(slash ? slash + 1 : path).text);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Null where none of them is known. */
static struct cup_value sum_of_rest(T t, const struct rows *rows, const struct family *family)
{
    double sum = 0;
    bool any = false;
    for (size_t i = CUP_PROMETHEUS_MOST; i < rows->count; i++) {
        double value = cup_number(family->value(t, rows->order[i]));
        if (!isfinite(value))
            continue;
        sum += value;
        any = true;
    }
    return any ? cup_real(sum) : cup_null();
}

static void put_series(struct cup_exposition *exposition, const struct family *family,
                       struct cup_label label, struct cup_value value)
{
    if (value.kind == CUP_VALUE_NULL)
        return;
    cup_exposition_family(exposition, family->name,
                          strstr(family->name, "_total") ? CUP_SERIES_COUNTER : CUP_SERIES_GAUGE,
                          family->help);
    cup_exposition_series(exposition, &label, 1, value, 1);
}

static void put_family(T t, struct cup_exposition *exposition, const struct rows *rows,
                       const struct family *family)
{
    for (size_t i = 0; i < rows->count && i < CUP_PROMETHEUS_MOST; i++)
        put_series(exposition, family,
                   (struct cup_label){rows->label, rows->name(t, rows->order[i])},
                   family->value(t, rows->order[i]));
    put_series(exposition, family,
               (struct cup_label){rows->label, cup_string(CUP_PROMETHEUS_REST).text},
               sum_of_rest(t, rows, family));
}

static void put_rows(T t, struct cup_exposition *exposition, const struct rows *rows)
{
    for (size_t i = 0; i < rows->family_count; i++)
        put_family(t, exposition, rows, &rows->families[i]);
}

/* ---- their order --------------------------------------------------------------------------- */

struct ranked {
    uint64_t rank;
    uint32_t index;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? 1 : -1)
                              : (x->index > y->index) - (x->index < y->index);
}

/* The indexes, the largest rank first, allocated; frees what it was given. */
static uint32_t *order_of(struct ranked *ranked, size_t count)
{
    uint32_t *order = ranked ? malloc((count + 1) * sizeof *order) : NULL;
    if (order)
        qsort(ranked, count, sizeof *ranked, by_rank);
    for (size_t i = 0; order && i < count; i++)
        order[i] = ranked[i].index;
    free(ranked);
    return order;
}

static uint32_t *datasets_by_events(T t)
{
    struct ranked *ranked = malloc((t->dataset_count + 1) * sizeof *ranked);
    for (uint32_t i = 0; ranked && i < t->dataset_count; i++)
        ranked[i] = (struct ranked){t->datasets[i].events, i};
    return order_of(ranked, t->dataset_count);
}

static uint32_t *workers_by_time(T t, size_t *count)
{
    struct ranked *ranked = malloc((t->profile->process_count + 1) * sizeof *ranked);
    *count = 0;
    for (uint32_t i = 0; ranked && i < t->profile->process_count; i++)
        if (cup_process_is_worker(&t->profile->processes[i]))
            ranked[(*count)++] = (struct ranked){busy_ns(t, i), i};
    return order_of(ranked, *count);
}

static uint32_t *opens_by_time(T t, size_t *count)
{
    const struct cup_open_sum **sums = cup_opens_by_time(t->profile, count);
    uint32_t *order = sums ? malloc((*count + 1) * sizeof *order) : NULL;
    for (size_t i = 0; order && i < *count; i++)
        order[i] = (uint32_t)(sums[i] - t->profile->opens);
    free(sums);
    return order;
}

#define FAMILIES(families) (families), sizeof(families) / sizeof *(families)

int cup_prometheus_rows(const struct cup_totals *totals, struct cup_exposition *exposition)
{
    size_t prefixes, workers, servers;
    uint32_t *by_prefix = cup_prefixes_by_time(totals, &prefixes);
    uint32_t *by_worker = workers_by_time(totals, &workers);
    uint32_t *by_dataset = datasets_by_events(totals);
    uint32_t *by_server = opens_by_time(totals, &servers);
    bool all = by_prefix && by_worker && by_dataset && by_server;
    if (all) {
        put_rows(
            totals, exposition,
            &(struct rows){"prefix", prefix_name, by_prefix, prefixes, FAMILIES(prefix_families)});
        put_rows(
            totals, exposition,
            &(struct rows){"worker", worker_name, by_worker, workers, FAMILIES(worker_families)});
        put_rows(totals, exposition,
                 &(struct rows){"dataset", dataset_name, by_dataset, totals->dataset_count,
                                FAMILIES(dataset_families)});
        put_rows(totals, exposition,
                 &(struct rows){"server", open_name, by_server, servers, FAMILIES(open_families)});
    }
    free(by_prefix);
    free(by_worker);
    free(by_dataset);
    free(by_server);
    return all ? 0 : -1;
}
