#include "analysis/live/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/live/live_log.h"
#include "analysis/metrics/sums/sums.h"
#include "analysis/profile/log_names.h"
#include "analysis/profile/process_life.h"
#include "analysis/profile/run_life.h"
#include "analysis/profile/runs.h"

static const int64_t second_ns = INT64_C(1000000000);

/* ---- logs ---------------------------------------------------------------------------------- */

static void add_log(struct cup_live *live, const char *path)
{
    uint32_t name = cup_intern_add(&live->known.strings, path, strlen(path));
    if (name && cup_pair_map_get(&live->log_at, name, 0))
        return;
    struct cup_process *process = CUP_LIVE_APPEND(live, &live->known, processes, process);
    struct cup_scope *scope = CUP_LIVE_APPEND(live, &live->known, scopes, scope);
    struct cup_live_log *log = CUP_LIVE_APPEND(live, live, logs, log);
    if (!name || !process || !scope || !log || !(process->log_path = strdup(path)) ||
        cup_pair_map_set(&live->log_at, name, 0, (uint32_t)live->log_count) != 0)
        live->out_of_memory = true;
    else
        scope->process = log->process = (uint32_t)live->known.process_count - 1;
}

/* A new log changes the time of the directory, which has the resolution of the kernel's tick, or
 * of the file server's, and is by the server's clock. */
static bool may_have_new_logs(struct cup_live *live)
{
    struct stat status;
    if (stat(live->directory, &status) != 0)
        return true;
    int64_t before_ns = live->changed_ns;
    live->changed_ns = status.st_mtim.tv_sec * second_ns + status.st_mtim.tv_nsec;
    return live->changed_ns != before_ns || live->changed_ns > live->listed_ns - 3 * second_ns;
}

static int find_logs(struct cup_live *live, int64_t now_ns, struct cup_error *error)
{
    struct cup_log_names names;
    if (!may_have_new_logs(live))
        return 0;
    int result = cup_log_names_list(&names, live->directory, error);
    for (size_t i = 0; result == 0 && i < names.count; i++)
        add_log(live, names.names[i]);
    cup_log_names_free(&names);
    live->listed_ns = now_ns;
    return result;
}

/* Frees everything but the directory. */
static void free_sums(struct cup_live *live)
{
    char *directory = live->directory;
    for (size_t i = 0; i < live->log_count; i++)
        cup_live_log_free(&live->logs[i]);
    cup_profile_free(&live->known);
    cup_hash_map_clear(&live->chunk_at);
    cup_pair_map_clear(&live->prefix_at);
    cup_pair_map_clear(&live->worker_at);
    cup_pair_map_clear(&live->line_at);
    cup_pair_map_clear(&live->place_at);
    cup_pair_map_clear(&live->log_at);
    cup_installed_clear(&live->installed);
    free(live->logs);
    free(live->workers);
    free(live->lines);
    free(live->prefixes);
    free(live->chunk_keys);
    memset(live, 0, sizeof *live);
    live->directory = directory;
}

void cup_live_free(struct cup_live *live)
{
    free_sums(live);
    free(live->directory);
    *live = (struct cup_live){0};
}

/* Forgets everything, so that the next look reads all logs again. */
static void start_again(struct cup_live *live, int64_t from_ns, int64_t to_ns)
{
    free_sums(live);
    live->from_ns = from_ns;
    live->to_ns = to_ns;
}

int cup_live_open(struct cup_live *live, const char *directory, struct cup_error *error)
{
    *live = (struct cup_live){.directory = strdup(directory)};
    if (!live->directory)
        return cup_error_memory(error, directory);
    start_again(live, INT64_MIN, INT64_MAX);
    return find_logs(live, 0, error);
}

/* ---- a look -------------------------------------------------------------------------------- */

static void read_logs(struct cup_live *live)
{
    live->logs_unreadable = 0;
    live->tasks_summed = false;
    for (size_t i = 0; i < live->worker_count; i++)
        live->workers[i].read_bytes = 0;
    for (size_t i = 0; i < live->log_count && !live->out_of_memory; i++)
        cup_live_log_read(live, &live->logs[i]);
}

static void read_runs(struct cup_live *live)
{
    live->known.run_count = 0;
    for (size_t i = 0; i < live->log_count; i++)
        cup_live_log_runs(live, &live->logs[i]);
    cup_runs_sort(&live->known);
    cup_runs_choose(&live->known, 0);
    struct cup_calls calls = cup_chosen_calls(&live->known);
    live->goes_on = calls.count && cup_chosen_run_goes_on(&live->known);
}

/* As cup_profile_load(): with one call, all tasks belong to it. While the call goes on, its end is
 * open. */
static bool has_other_window(struct cup_live *live, int64_t *from_ns, int64_t *to_ns)
{
    *from_ns = INT64_MIN;
    *to_ns = INT64_MAX;
    if (live->known.run_count > 1)
        cup_runs_window(&live->known, from_ns, to_ns);
    if (live->goes_on)
        *to_ns = INT64_MAX;
    return *from_ns != live->from_ns || *to_ns != live->to_ns;
}

static int read_all(struct cup_live *live, int64_t now_ns, struct cup_error *error)
{
    int64_t from_ns, to_ns;
    for (int pass = 0;; pass++) {
        if (find_logs(live, now_ns, error) != 0)
            return -1;
        live->now_ns = now_ns;
        read_logs(live);
        if (!live->out_of_memory && live->log_count == live->logs_unreadable)
            return cup_error_set(error, live->directory, CUP_NO_OFFSET,
                                 "none of its %zu logs can be read; `cupping report` says why",
                                 live->log_count);
        if (live->tasks_summed)
            return cup_error_set(
                error, live->directory, CUP_NO_OFFSET,
                "its tasks are summed up by prefix (`cupping merge --per-prefix`), "
                "which `cupping top` cannot show: use `cupping report`");
        cup_processes_judge(&live->known);
        read_runs(live);
        if (pass > 0 || live->out_of_memory || !has_other_window(live, &from_ns, &to_ns))
            break;
        start_again(live, from_ns, to_ns);
    }
    return live->out_of_memory ? cup_error_memory(error, live->directory) : 0;
}

static uint64_t count_threads(const struct cup_live *live)
{
    uint64_t threads = 0;
    for (size_t i = 0; i < live->worker_count; i++) {
        const struct cup_live_worker *worker = &live->workers[i];
        uint32_t seen = live->known.processes[worker->process].task_threads;
        threads += !worker->runs ? 0 : worker->threads ? worker->threads : seen;
    }
    return threads;
}

/* Sums of the look, with what is not closed yet. */
static struct cup_live_sums add_open(struct cup_live *live, int64_t now_ns)
{
    struct cup_live_sums sums = live->closed;
    sums.time_ns = now_ns;
    live->running = live->unfinished = 0;
    for (size_t i = 0; i < live->prefix_count; i++)
        live->prefixes[i].running = 0;
    for (size_t i = 0; i < live->worker_count; i++) {
        struct cup_live_worker *worker = &live->workers[i];
        worker->running = 0;
        worker->sampled_ns = 0; /* the newest of this look: a clock may have been set back */
        worker->read_bytes += worker->closed_bytes;
        worker->runs = cup_process_runs(&live->known.processes[worker->process]);
    }
    for (size_t i = 0; i < live->log_count; i++) {
        cup_live_count_open(live, &live->logs[i], now_ns, &sums);
        cup_live_take_rows(live, &live->logs[i]);
    }
    return sums;
}

static void keep_look(struct cup_live *live, struct cup_live_sums sums)
{
    size_t at = live->looks % CUP_LIVE_LOOKS;
    if (live->looks) {
        const struct cup_live_sums *last = &live->sums[(live->looks - 1) % CUP_LIVE_LOOKS];
        int64_t passed_ns = sums.time_ns - last->time_ns;
        live->closed.thread_ns += passed_ns > 0 ? count_threads(live) * (uint64_t)passed_ns : 0;
        sums.thread_ns = live->closed.thread_ns;
    }
    live->sums[at] = sums;
    for (size_t i = 0; i < live->worker_count; i++)
        live->workers[i].read_at[at] = live->workers[i].read_bytes;
    for (size_t i = 0; i < live->line_count; i++) {
        live->lines[i].cpu_at[at] = live->lines[i].cpu_ns;
        live->lines[i].wait_at[at] = live->lines[i].wait_ns;
    }
    live->looks++;
}

/* From the first task or the begin of the Runner's call to the end of the last task or of the
 * call. */
static void find_run(struct cup_live *live, int64_t now_ns)
{
    live->run = live->stretch;
    struct cup_calls calls = cup_chosen_calls(&live->known);
    const struct cup_run *call = calls.count ? &calls.first[calls.count - 1] : NULL;
    if (call && (!live->run.start_ns || call->start_ns < live->run.start_ns))
        live->run.start_ns = call->start_ns;
    if (call && call->stop_ns > live->run.stop_ns)
        live->run.stop_ns = call->stop_ns;
    if (live->goes_on && live->run.start_ns)
        live->run.stop_ns = now_ns;
}

static void find_plan(struct cup_live *live)
{
    live->plan = (struct cup_completeness){0};
    cup_completeness_plan(&live->plan, &live->known);
    const struct cup_live_chunks *chunks =
        live->plan.planned_chunks == CUP_UNKNOWN64 ? cup_live_chunks(live) : &live->planned;
    live->plan.done_chunks = chunks->used;
    live->plan.done_events = chunks->without_events ? CUP_UNKNOWN64 : chunks->events;
}

int cup_live_look(struct cup_live *live, int64_t now_ns, struct cup_error *error)
{
    if (read_all(live, now_ns, error) != 0) {
        size_t last = (live->looks - 1) % CUP_LIVE_LOOKS;
        for (size_t i = 0; i < live->worker_count && live->looks; i++)
            live->workers[i].read_bytes = live->workers[i].read_at[last];
        return -1;
    }
    keep_look(live, add_open(live, now_ns));
    if (live->known.run_count == 0)
        live->goes_on = live->running > 0;
    find_run(live, now_ns);
    find_plan(live);
    return 0;
}

/* ---- figures ------------------------------------------------------------------------------- */

const struct cup_live_chunks *cup_live_chunks(const struct cup_live *live)
{
    return live->real.items || !live->paths.items ? &live->real : &live->paths;
}

static const struct cup_live_sums *last_sums(const struct cup_live *live)
{
    return &live->sums[(live->looks - 1) % CUP_LIVE_LOOKS];
}

size_t cup_live_oldest(const struct cup_live *live)
{
    return live->looks < CUP_LIVE_LOOKS ? 0 : live->looks % CUP_LIVE_LOOKS;
}

double cup_live_span_s(const struct cup_live *live)
{
    if (live->looks < 2)
        return 0;
    int64_t ns = last_sums(live)->time_ns - live->sums[cup_live_oldest(live)].time_ns;
    return ns > 0 ? (double)ns / 1e9 : 0;
}

static uint64_t gained(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

struct cup_live_sums cup_live_now(const struct cup_live *live)
{
    struct cup_live_sums now = {0};
    if (!(cup_live_span_s(live) > 0))
        return now;
    const struct cup_live_sums *last = last_sums(live), *old = &live->sums[cup_live_oldest(live)];
    now.time_ns = last->time_ns - old->time_ns;
    now.read_bytes = gained(last->read_bytes, old->read_bytes);
    now.task_ns = gained(last->task_ns, old->task_ns);
    now.thread_ns = gained(last->thread_ns, old->thread_ns);
    now.cpu_ns = gained(last->cpu_ns, old->cpu_ns);
    now.off_cpu_ns = gained(last->off_cpu_ns, old->off_cpu_ns);
    for (int i = 0; i < CUP_WAITED_MEASURED; i++)
        now.waits.ns[i] = gained(last->waits.ns[i], old->waits.ns[i]);
    return now;
}

/* ---- rates --------------------------------------------------------------------------------- */

/* When the time begins over which events are counted: a minute ago at most. */
static int64_t find_rate_start(const struct cup_live *live)
{
    int64_t start_ns = last_sums(live)->time_ns - CUP_LIVE_RATE_S * second_ns;
    if (live->run.start_ns > start_ns)
        start_ns = live->run.start_ns;
    return live->ends_known_ns > start_ns ? live->ends_known_ns : start_ns;
}

/* Events per second of these chunks, whose events ended in these seconds. */
static double find_rate(const struct cup_live *live, const struct cup_live_chunks *chunks,
                        const uint64_t ended[CUP_LIVE_SECONDS])
{
    int64_t now_ns = last_sums(live)->time_ns, start_ns = find_rate_start(live);
    double span_s = (double)(now_ns - start_ns) / 1e9;
    uint64_t events = 0;
    for (size_t i = 0; i < CUP_LIVE_SECONDS; i++)
        if (live->ended_second[i] > now_ns / second_ns - CUP_LIVE_RATE_S &&
            live->ended_second[i] > live->ends_known_ns / second_ns)
            events += ended[i];
    bool known = chunks->used && !chunks->without_events;
    return known && span_s > 0 ? (double)events / span_s : (double)NAN;
}

double cup_live_event_rate(const struct cup_live *live)
{
    return find_rate(live, cup_live_chunks(live), live->ended_events);
}

double cup_live_mean_rate(const struct cup_live *live)
{
    const struct cup_live_chunks *chunks = cup_live_chunks(live);
    int64_t ns = cup_stretch_ns(live->run);
    return ns > 0 && chunks->used && !chunks->without_events
               ? (double)chunks->events / ((double)ns / 1e9)
               : (double)NAN;
}

/* The Runner was called, and its plan may still come: its log names it with the first chunks. */
static bool awaits_chunks(const struct cup_live *live)
{
    return live->plan.reason && live->known.run_count > 0 && live->planned.items == 0;
}

double cup_live_eta_s(const struct cup_live *live, const char **reason)
{
    const struct cup_completeness *plan = &live->plan;
    double rate = find_rate(live, &live->planned, live->ended_planned);
    *reason = !live->goes_on                          ? "no run goes on"
              : awaits_chunks(live)                   ? "Coffea's Runner has begun no chunk yet"
              : plan->reason                          ? plan->reason
              : plan->planned_events == CUP_UNKNOWN64 ? "Coffea's chunks are still being counted"
              : plan->done_events == CUP_UNKNOWN64    ? "the events of a chunk are not known"
              : live->ends_known_ns && isnan(rate)    ? "a log is full: the rate is known from the "
                                                        "next look on"
              : !(rate > 0) && live->planned.used     ? "no chunk ended in the last minute"
              : !(rate > 0)                           ? "no chunk has ended yet"
                                                      : NULL;
    if (*reason)
        return NAN;
    uint64_t left =
        plan->planned_events > plan->done_events ? plan->planned_events - plan->done_events : 0;
    return (double)left / rate;
}

/* ---- the threads' time --------------------------------------------------------------------- */

static bool waits_are_measured(const struct cup_live *live)
{
    return (live->known.features & CUP_FEATURE_WAITS) != 0;
}

double cup_live_on_core_share(const struct cup_live *live)
{
    struct cup_live_sums sums = cup_live_now(live);
    if (sums.cpu_ns + sums.off_cpu_ns == 0)
        sums = live->closed;
    uint64_t sampled_ns = sums.cpu_ns + sums.off_cpu_ns;
    return sampled_ns ? (double)sums.cpu_ns / (double)sampled_ns : (double)NAN;
}

bool cup_live_budget(const struct cup_live *live, struct cup_budget *budget)
{
    const struct cup_live_sums now = cup_live_now(live);
    uint64_t left_ns = now.task_ns;
    *budget = (struct cup_budget){.threads = count_threads(live), .threads_ns = now.thread_ns};
    if (now.thread_ns == 0)
        return false;
    for (int i = 0; i < CUP_WAITED_MEASURED && waits_are_measured(live); i++) {
        uint64_t ns = now.waits.ns[i] < left_ns ? now.waits.ns[i] : left_ns;
        budget->ns[CUP_BUDGET_IO + i] = ns;
        left_ns -= ns;
    }
    double share = cup_live_on_core_share(live);
    uint64_t on_core_ns = isnan(share) ? 0 : (uint64_t)(share * (double)now.task_ns);
    budget->ns[CUP_BUDGET_TASK_CPU] = on_core_ns < left_ns ? on_core_ns : left_ns;
    budget->ns[CUP_BUDGET_UNTOLD] = left_ns - budget->ns[CUP_BUDGET_TASK_CPU];
    budget->ns[CUP_BUDGET_IDLE] = gained(now.thread_ns, now.task_ns);
    budget->overbooked_ns = gained(now.task_ns, now.thread_ns);
    return true;
}
