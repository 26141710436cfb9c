#include "analysis/live/live_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/units.h"
#include "analysis/export/export.h"
#include "analysis/write/exposition.h"

static void put(struct cup_exposition *out, const char *family, const char *help,
                struct cup_value value)
{
    if (!isfinite(cup_number(value)))
        return;
    cup_exposition_family(out, family, help);
    cup_exposition_series(out, NULL, 0, value, 1);
}

static void put_labelled(struct cup_exposition *out, const char *family, const char *help,
                         const char *label, struct cup_text of, struct cup_value value)
{
    const struct cup_label labels = {label, of};
    if (!isfinite(cup_number(value)))
        return;
    cup_exposition_family(out, family, help);
    cup_exposition_series(out, &labels, 1, value, 1);
}

/* The same quantities as in a report of these bytes; docs/live.md has the exceptions. */
static void put_run(const struct cup_live *live, struct cup_exposition *out)
{
    const struct cup_live_chunks *chunks = cup_live_chunks(live);
    const struct cup_completeness *plan = &live->plan;
    uint64_t bytes = live->sums[(live->looks - 1) % CUP_LIVE_LOOKS].read_bytes;
    bool files = cup_profile_measured(&live->known, CUP_FEATURE_FILES);
    put(out, "cupping_chunks_total", "Different chunks that succeeded.", cup_count(chunks->used));
    put(out, "cupping_failed_chunk_attempts_total", "Attempts at chunks that erred.",
        cup_count(live->failed_chunks));
    put(out, "cupping_planned_chunks", "Chunks that the run was to process.",
        cup_count_or_null(plan->planned_chunks));
    put(out, "cupping_planned_events", "Events that the run was to process.",
        cup_count_or_null(plan->planned_events));
    put(out, "cupping_completed_ratio", "Events done over events planned.",
        cup_real(cup_completeness_share(plan)));
    put(out, "cupping_events_total", "Events of the chunks that succeeded.",
        cup_value_if(chunks->used && !chunks->without_events, cup_count(chunks->events)));
    put(out, "cupping_read_bytes_total",
        "Bytes delivered to tasks: data files, servers, mapped files, sockets.",
        cup_value_if(files, cup_count(bytes)));
}

static void put_now(const struct cup_live *live, struct cup_exposition *out)
{
    const struct cup_live_sums now = cup_live_now(live);
    const char *reason;
    double span_s = cup_live_span_s(live);
    bool files = cup_profile_measured(&live->known, CUP_FEATURE_FILES);
    put(out, "cupping_live_running", "1 while the run goes on, else 0.", cup_count(live->goes_on));
    put(out, "cupping_live_duration_seconds", "How long the run has taken so far.",
        cup_value_if(live->run.stop_ns > live->run.start_ns,
                     cup_seconds(live->run.stop_ns - live->run.start_ns)));
    put(out, "cupping_live_events_per_second", "Events of chunks that ended in the last minute.",
        cup_value_if(live->goes_on, cup_real(cup_live_event_rate(live))));
    put(out, "cupping_live_remaining_seconds", "Until all events are done, at that rate.",
        cup_real(cup_live_eta_s(live, &reason)));
    put(out, "cupping_live_read_bytes_per_second", "Bytes delivered to tasks in the last looks.",
        cup_value_if(files && span_s > 0, cup_ratio((double)now.read_bytes, span_s)));
    put(out, "cupping_live_logs", "Logs in the profile directory.", cup_count(live->log_count));
    put(out, "cupping_live_unreadable_logs", "Logs that could not be read at the last look.",
        cup_count(live->logs_unreadable));
}

static void put_tasks(const struct cup_live *live, struct cup_exposition *out)
{
    const struct {
        const char *state;
        uint64_t count;
    } states[] = {{"running", live->running},
                  {"finished", live->finished},
                  {"erred", live->erred},
                  {"unknown", live->unknown},
                  {"lost", live->unfinished}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        put_labelled(out, "cupping_live_tasks",
                     "Tasks by state; lost: never ended, and their process is gone.", "state",
                     cup_string(states[i].state).text, cup_count(states[i].count));
    for (size_t i = 0; i < live->prefix_count; i++)
        put_labelled(out, "cupping_live_running_tasks", "Running tasks by prefix.", "prefix",
                     cup_profile_text(&live->known, live->prefixes[i].name),
                     cup_count(live->prefixes[i].running));
}

/* True if a part of the threads' time is known while a job runs. */
static bool is_known(const struct cup_live *live, int part)
{
    int wait = part - CUP_BUDGET_IO;
    if (part == CUP_BUDGET_TASK_CPU || part == CUP_BUDGET_UNTOLD)
        return !isnan(cup_live_on_core_share(live));
    return wait >= 0 && wait < CUP_WAITED_MEASURED
               ? cup_profile_measured(&live->known, cup_wait_parts[wait].needs)
               : part == CUP_BUDGET_IDLE;
}

static void put_threads(const struct cup_live *live, struct cup_exposition *out)
{
    struct cup_budget budget;
    if (!cup_live_budget(live, &budget))
        return;
    put(out, "cupping_live_threads", "Threads of the workers that run.", cup_count(budget.threads));
    double percent[CUP_BUDGET_COUNT];
    cup_budget_percent(&budget, percent);
    for (int i = 0; i < CUP_BUDGET_COUNT; i++)
        if (is_known(live, i))
            put_labelled(out, "cupping_live_threads_time_ratio",
                         "Shares of the threads' time in the last looks.", "part",
                         cup_string(cup_budget_texts[i].name).text, cup_real(percent[i] / 100));
}

/* ---- workers ------------------------------------------------------------------------------- */

enum worker_family { RUNNING, READ, MEMORY, LIMIT, WORKER_FAMILIES };

static struct cup_value worker_value(const struct cup_live_worker *worker, enum worker_family which)
{
    return which == RUNNING  ? cup_count(worker->running)
           : which == READ   ? cup_count(worker->read_bytes)
           : which == MEMORY ? cup_count_or_null(worker->rss)
                             : cup_count_or_null(worker->memory_limit);
}

/* Two workers may have one name; host and process tell them apart. */
static void put_workers(const struct cup_live *live, struct cup_exposition *out)
{
    static const struct {
        const char *name, *help;
    } families[WORKER_FAMILIES] = {
        [RUNNING] = {"cupping_live_worker_running_tasks", "Running tasks of a worker that runs."},
        [READ] = {"cupping_live_worker_read_bytes_total",
                  "Bytes delivered to tasks of the worker."},
        [MEMORY] = {"cupping_live_worker_memory_bytes", "Resident memory, by Dask's last sample."},
        [LIMIT] = {"cupping_live_worker_memory_limit_bytes", "Dask's limit of its memory."},
    };
    for (int family = 0; family < WORKER_FAMILIES; family++) {
        size_t running = 0;
        for (size_t i = 0; i < live->worker_count && running < CUP_LIVE_WORKERS_MOST; i++) {
            const struct cup_live_worker *worker = &live->workers[i];
            running += worker->runs;
            const struct cup_log_header *header = &live->known.processes[worker->process].header;
            const char *process = CUP_FORMAT("%s:%u", header->host, header->pid);
            const struct cup_label labels[] = {
                {"worker",
                 cup_profile_text(&live->known, worker->name ? worker->name : worker->address)},
                {"process", {process, strlen(process)}}};
            struct cup_value value = worker_value(worker, (enum worker_family)family);
            if (!worker->runs || !isfinite(cup_number(value)))
                continue;
            cup_exposition_family(out, families[family].name, families[family].help);
            cup_exposition_series(out, labels, 2, value, 1);
        }
    }
}

int cup_live_metrics(const struct cup_live *live, FILE *out)
{
    char name[CUP_RUN_NAME];
    struct cup_exposition exposition = {.out = out};
    cup_export_name_run(&live->known, live->directory, name);
    exposition.common = (struct cup_label){"run", {name, strlen(name)}};
    put_run(live, &exposition);
    put_now(live, &exposition);
    put_tasks(live, &exposition);
    put_threads(live, &exposition);
    put_workers(live, &exposition);
    return ferror(out) ? -1 : 0;
}
