/* Dask's own activities in the report's JSON, by prefix, worker and span, with our own clocks
 * beside. */
#include "analysis/report/page/json_page.h"

/* ---- tasks, by our clocks ---------------------------------------------------------------- */

/* CPU and other time of a group of tasks; negative: not known. */
struct clocks {
    int64_t cpu_ns, noncpu_ns;
};

static struct clocks clocks_of(bool timed, uint64_t wall_ns, uint64_t cpu_ns)
{
    return timed ? (struct clocks){(int64_t)cpu_ns, (int64_t)(wall_ns - cpu_ns)}
                 : (struct clocks){-1, -1};
}

static struct cup_value seconds_or_null(int64_t ns)
{
    return ns < 0 ? cup_null() : cup_seconds(ns);
}

static struct clocks put_tasks(struct report *report, uint64_t tasks, struct cup_value wall_s,
                               struct clocks clocks)
{
    put(report, "tasks", cup_count(tasks));
    put(report, "wall_s", wall_s);
    put(report, "cpu_s", seconds_or_null(clocks.cpu_ns));
    put(report, "noncpu_s", seconds_or_null(clocks.noncpu_ns));
    return clocks;
}

static struct clocks put_task_sums(struct report *report, const struct cup_task_sums *sums)
{
    return put_tasks(report, sums->tasks, cup_seconds((int64_t)sums->wall_ns),
                     clocks_of(cup_sums_have_cpu(sums), sums->with_cpu_ns, sums->cpu_ns));
}

/* ---- Dask's ------------------------------------------------------------------------------ */

static struct cup_value ratio_to(int64_t ns, struct cup_value dask)
{
    return ns < 0 || dask.kind == CUP_VALUE_NULL ? cup_null()
                                                 : cup_ratio((double)ns / 1e9, cup_number(dask));
}

/* Everything that Dask told of a group of tasks, or of a worker; with the ratios of our clocks to
 * Dask's. */
static void put_dask(struct report *report, const struct cup_fine_sums *sums, struct clocks clocks)
{
    struct cup_value values[CUP_FINE_COUNT];
    for (int i = 0; i < CUP_FINE_COUNT; i++) {
        values[i] = cup_fine_of(report->totals->fine, report->profile, sums, i);
        put(report, cup_fine_names[i], values[i]);
    }
    put(report, "thread_cpu_ratio", ratio_to(clocks.cpu_ns, values[CUP_FINE_THREAD_CPU]));
    put(report, "thread_noncpu_ratio", ratio_to(clocks.noncpu_ns, values[CUP_FINE_THREAD_NONCPU]));
}

static void put_prefix_row(struct report *report, uint32_t index)
{
    static const struct cup_task_sums none = {0};
    const struct cup_fine_prefix *fine = &report->totals->fine->prefixes[index];
    bool seen = index < report->profile->prefix_count;
    const struct cup_prefix *prefix = seen ? &report->profile->prefixes[index] : NULL;
    cup_json_row(&report->json, NULL);
    put(report, "prefix", text_of(report, fine->name));
    put(report, "processor", cup_bool(seen && cup_prefix_is_processor(report->totals, index)));
    struct clocks clocks = put_task_sums(report, seen ? &report->totals->prefixes[index] : &none);
    put_dask(report, &fine->dask, clocks);
    if (prefix)
        cup_report_put_waits(report, &prefix->waits, &prefix->helper_waits);
    cup_json_end_object(&report->json);
}

static void put_prefixes(struct report *report)
{
    const struct cup_fine *fine = report->totals->fine;
    cup_json_array(&report->json, "by_prefix");
    for (uint32_t i = 0; i < fine->prefix_count; i++)
        if (fine->prefixes[i].dask.digests ||
            (i < report->profile->prefix_count && report->totals->prefixes[i].tasks))
            put_prefix_row(report, i);
    cup_json_end_array(&report->json);
}

/* Of all workers in the process. */
static struct cup_fine_sums sums_of_process(const struct report *report, uint32_t process,
                                            bool *complete, int64_t *behind_ns)
{
    const struct cup_fine *fine = report->totals->fine;
    struct cup_fine_sums sum = {.digests = 0};
    *complete = true;
    *behind_ns = 0;
    for (size_t i = 0; i < fine->worker_count; i++) {
        const struct cup_fine_worker *worker = &fine->workers[i];
        if (report->profile->servers[worker->server].process != process)
            continue;
        sum.digests += worker->dask.digests;
        for (int k = 0; k < CUP_FINE_COUNT; k++) {
            sum.all[k] += worker->dask.all[k];
            sum.tasks[k] += worker->dask.tasks[k];
        }
        *complete &= worker->complete;
        if (!worker->complete && worker->behind_ns > *behind_ns)
            *behind_ns = worker->behind_ns;
    }
    return sum;
}

static void put_worker_row(struct report *report, uint32_t index)
{
    const struct cup_process *process = &report->profile->processes[index];
    struct cup_wait_sums waits = process->waits[CUP_PLACE_POOL];
    cup_wait_sums_add(&waits, &process->waits[CUP_PLACE_ELSEWHERE]);
    bool timed = waits.tasks + waits.untold_tasks > 0, complete;
    uint64_t cpu_ns = waits.cpu_ns + waits.untold_cpu_ns;
    uint64_t wall_ns = cup_wait_sums_wall_ns(&waits) + waits.untold_cpu_ns + waits.untold_ns;
    int64_t behind_ns;
    const struct cup_fine_sums dask = sums_of_process(report, index, &complete, &behind_ns);
    cup_json_row(&report->json, NULL);
    cup_report_put_who(report, index);
    struct clocks clocks =
        put_tasks(report, process->tasks, timed ? cup_seconds((int64_t)wall_ns) : cup_null(),
                  clocks_of(timed, wall_ns, cpu_ns));
    put(report, "complete", dask.digests ? cup_bool(complete) : cup_null());
    put(report, "behind_s", dask.digests ? cup_seconds(behind_ns) : cup_null());
    put_dask(report, &dask, clocks);
    cup_report_put_waits(report, &waits, &process->helper_waits);
    cup_json_end_object(&report->json);
}

static void put_workers(struct report *report)
{
    cup_json_array(&report->json, "by_worker");
    for (uint32_t i = 0; i < report->profile->process_count; i++)
        if (cup_process_is_worker(&report->profile->processes[i]))
            put_worker_row(report, i);
    cup_json_end_array(&report->json);
}

static void put_span_row(struct report *report, const struct cup_fine_span *span)
{
    cup_json_row(&report->json, NULL);
    put(report, "span", text_of(report, span->name));
    put(report, "span_id", text_of(report, span->id));
    struct clocks clocks = put_task_sums(report, &span->tasks);
    put(report, "erred", cup_count(span->tasks.erred));
    put(report, "unfinished", cup_count(span->tasks.unfinished));
    put(report, "read_bytes", cup_count(span->tasks.read_bytes));
    put_dask(report, &span->dask, clocks);
    cup_report_put_waits(report, &span->waits, &span->helpers);
    cup_json_end_object(&report->json);
}

static void put_spans(struct report *report)
{
    const struct cup_fine *fine = report->totals->fine;
    cup_json_array(&report->json, "by_span");
    for (size_t i = 0; i < fine->span_count; i++)
        put_span_row(report, &fine->spans[i]);
    cup_json_end_array(&report->json);
}

static void put_row(struct report *report, const struct cup_fine_row *row)
{
    cup_json_row(&report->json, NULL);
    put(report, "context", text_of(report, row->context));
    put(report, "span", text_of(report, row->span_name));
    put(report, "span_id", text_of(report, row->span));
    put(report, "prefix", text_of(report, row->prefix));
    put(report, "activity", text_of(report, row->activity));
    put(report, "unit", text_of(report, row->unit));
    put(report, "value", cup_fine_row_value(report->profile, row));
    put(report, "workers", cup_count(row->workers));
    put(report, "user", cup_bool(row->user));
    cup_json_end_object(&report->json);
}

static void put_rows(struct report *report, const char *name, bool only_users)
{
    const struct cup_fine *fine = report->totals->fine;
    cup_json_array(&report->json, name);
    for (size_t i = 0; i < fine->row_count; i++)
        if (!only_users || fine->rows[i].user)
            put_row(report, &fine->rows[i]);
    cup_json_end_array(&report->json);
}

void cup_report_put_fine(struct report *report)
{
    cup_json_object(&report->json, "fine");
    put_metrics(report, &cup_fine_metrics);
    put_rows(report, "user_activities", true);
    put_prefixes(report);
    put_workers(report);
    put_spans(report);
    put_rows(report, "rows", false);
    cup_json_end_object(&report->json);
}
