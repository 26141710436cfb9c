#include "analysis/metrics/losses/completeness.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/hash_map.h"
#include "analysis/metrics/losses/losses.h"
#include "analysis/metrics/sums/sums.h"
#include "analysis/metrics/workers/observed.h"
#include "analysis/profile/roles.h"
#include "analysis/profile/run_life.h"
#include "analysis/profile/runs.h"

const char *const cup_run_state_names[CUP_RUN_STATE_COUNT] = {
#define X(id, name) name,
    CUP_RUN_STATES(X)
#undef X
};

/* ---- what was to do ---------------------------------------------------------------------- */

/* Why the plan of a call is not known; NULL: it is. */
static const char *missing_plan(const struct cup_run *call)
{
    if (cup_run_is_given(call))
        return "the times of the run were given by hand, and its plan is not recorded";
    if (call->plan == CUP_PLAN_NONE)
        return "the library did not see the chunks that Coffea was to process";
    if (call->plan == CUP_PLAN_UNREADABLE)
        return "the Runner was given its chunks in a form that cannot be counted (a generator, or "
               "another version of Coffea)";
    return NULL;
}

static void add_plan(struct cup_completeness *c, const struct cup_run *call)
{
    bool known = call->plan == CUP_PLAN_KNOWN;
    c->planned_chunks += call->planned_chunks;
    if (c->planned_events != CUP_UNKNOWN64)
        c->planned_events = known ? c->planned_events + call->planned_events : CUP_UNKNOWN64;
    if (call->max_chunks)
        c->max_chunks = call->max_chunks;
}

/* A Runner plans only chunks that Coffea makes, and not those of other work in the same process. */
static bool is_of_runner(const struct cup_item *item)
{
    return item->kind == CUP_ITEM_WORK || item->tic_ns;
}

static bool has_work_items(const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->item_count; i++)
        if (is_of_runner(&profile->items[i]))
            return true;
    return false;
}

/* The library's own note, if it recorded none: preload/dask/clock_calls.c, lifecycle/releases.c */
static const char *why_no_chunks(const struct cup_profile *profile)
{
    static const char *const notes[][2] = {
        {"Dask and Coffea are not recorded: ", "Dask and Coffea are not recorded with this Python"},
        {"chunks are not recorded: ", "chunks of so old a release of Coffea are not recorded"},
        {"tasks are not recorded: ", "tasks of so old a release of Dask are not recorded"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (cup_find_note(profile, notes[i][0], NULL).length)
            return notes[i][1];
    return NULL;
}

static const char *why_no_call(const struct cup_profile *profile)
{
    const char *why = why_no_chunks(profile);
    if (why)
        return why;
    return has_work_items(profile)
               ? "the client, which plans the chunks, was not profiled; start it under "
                 "cupping-run, too"
               : "no Runner of Coffea was used, and only a Runner plans all chunks beforehand";
}

/* Dask processes chunks that are equal once, other executors each of them. */
static bool is_by_dask(const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->item_count; i++)
        if (profile->items[i].kind == CUP_ITEM_WORK)
            return profile->tasks[profile->items[i].task].origin == CUP_ORIGIN_DASK;
    return false;
}

static void add_repeated(struct cup_completeness *c, const struct cup_profile *profile,
                         const struct cup_run *call)
{
    c->repeated_chunks += call->repeated_chunks;
    if (call->plan != CUP_PLAN_KNOWN || !is_by_dask(profile))
        return;
    c->planned_chunks -= call->repeated_chunks;
    if (c->planned_events != CUP_UNKNOWN64)
        c->planned_events -= call->repeated_events;
}

void cup_completeness_plan(struct cup_completeness *c, const struct cup_profile *profile)
{
    struct cup_calls calls = cup_chosen_calls(profile);
    c->reason = calls.count == 0                ? why_no_call(profile)
                : profile->narrowed             ? "only a part of the tasks was asked for"
                : cup_runs_overlapping(profile) ? "another run went on at the same time, and the "
                                                  "tasks of the two cannot be told apart"
                                                : NULL;
    for (size_t i = 0; i < calls.count && !c->reason; i++) {
        c->reason = missing_plan(&calls.first[i]);
        add_plan(c, &calls.first[i]);
        add_repeated(c, profile, &calls.first[i]);
    }
    if (c->reason)
        c->planned_chunks = c->planned_events = CUP_UNKNOWN64;
}

/* ---- what was done ----------------------------------------------------------------------- */

static bool is_merge(const struct cup_profile *profile, const struct cup_inputs *inputs)
{
    return profile->tasks[inputs->task].item == 0;
}

/* Counts merges of which an attempt failed and none succeeded. */
static int count_failed_merges(struct cup_completeness *c, const struct cup_profile *profile)
{
    struct cup_hash_map done = {0}; /* by key: 1: failed, 2: succeeded */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < profile->input_count; i++) {
            const struct cup_task *task = &profile->tasks[profile->inputs[i].task];
            unsigned wanted = pass == 0 ? CUP_STATUS_FINISHED : CUP_STATUS_ERRED;
            if (!is_merge(profile, &profile->inputs[i]) || task->status != wanted)
                continue;
            uint32_t *seen = cup_hash_map_put(&done, task->key_hash);
            if (!seen) {
                cup_hash_map_clear(&done);
                return -1;
            }
            c->failed_merges += *seen == 0 && pass == 1;
            *seen = 1;
        }
    cup_hash_map_clear(&done);
    return 0;
}

/* Subtracts used chunks that no Runner planned. WITHOUT: those without known events. */
static void remove_other_chunks(struct cup_completeness *c, const struct cup_totals *t,
                                uint64_t *without)
{
    const struct cup_profile *profile = t->profile;
    for (size_t i = 0; i < profile->item_count; i++) {
        uint64_t events = cup_item_events(&profile->items[i]);
        if (t->outcomes[i] != CUP_OUTCOME_USED || is_of_runner(&profile->items[i]))
            continue;
        c->done_chunks--;
        c->done_events -= events == CUP_UNKNOWN64 ? 0 : events;
        *without -= events == CUP_UNKNOWN64;
    }
    for (size_t i = 0; i < profile->task_sum_count; i++) {
        const struct cup_task_sum *sum = &profile->task_sums[i];
        if (!cup_task_sum_was_used(profile, sum) || cup_task_sum_kind(sum) == CUP_ITEM_WORK ||
            sum->values[CUP_T_TIMED])
            continue;
        c->done_chunks -= sum->values[CUP_T_TASKS];
        c->done_events -= sum->values[CUP_T_EVENTS];
        *without -= sum->what & CUP_SUM_HAS_EVENTS ? 0 : sum->values[CUP_T_TASKS];
    }
}

/* The losses have no rows of them. */
static void add_summed_skips(struct cup_completeness *c, const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->task_sum_count; i++) {
        const struct cup_task_sum *sum = &profile->task_sums[i];
        bool file = cup_task_sum_kind(sum) == CUP_ITEM_METADATA;
        if (sum->what & CUP_SUM_WAS_SKIPPED)
            *(file ? &c->skipped_files : &c->skipped_chunks) += sum->values[CUP_T_TASKS];
    }
}

static int find_done(struct cup_completeness *c, const struct cup_totals *t)
{
    const struct cup_loss_sums *losses = &t->losses->sums;
    uint64_t lost = losses->chunks[CUP_LOSS_LOST], lost_files = 0;
    uint64_t without = t->chunks_without_events;
    for (size_t i = 0; i < t->losses->count; i++) {
        const struct cup_loss *row = &t->losses->rows[i];
        bool file = t->profile->items[row->item].kind == CUP_ITEM_METADATA;
        c->skipped_files += file && row->outcome == CUP_LOSS_SKIPPED;
        lost_files += file && row->outcome == CUP_LOSS_LOST;
    }
    c->done_chunks = t->used_chunks;
    c->done_events = t->events;
    if (c->planned_chunks != CUP_UNKNOWN64)
        remove_other_chunks(c, t, &without);
    if (without)
        c->done_events = CUP_UNKNOWN64;
    c->skipped_chunks = losses->chunks[CUP_LOSS_SKIPPED] - c->skipped_files;
    add_summed_skips(c, t->profile);
    c->failed_files = lost_files;
    c->failed_chunks = lost - lost_files;
    return has_work_items(t->profile) ? count_failed_merges(c, t->profile) : 0;
}

/* ---- how it ended ------------------------------------------------------------------------ */

static bool has_role(const struct cup_process *process, enum cup_role role)
{
    return (process->roles & 1u << role) != 0;
}

/* When the last other process of that role ended; 0: one still runs, or there is none. */
static int64_t last_end_of(const struct cup_profile *profile, enum cup_role role,
                           const struct cup_process *client)
{
    int64_t end_ns = 0;
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct cup_process *process = &profile->processes[i];
        if (!has_role(process, role) || process == client)
            continue;
        if (cup_process_runs(process))
            return 0;
        if (cup_process_last_sign_ns(process) > end_ns)
            end_ns = cup_process_last_sign_ns(process);
    }
    return end_ns;
}

__attribute__((format(printf, 2, 3))) static void set_cause(struct cup_completeness *c,
                                                            const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->cause, sizeof c->cause, format, arguments);
    va_end(arguments);
}

/* Type of the exception by which the client ended; empty: by none, or it is not known. */
static struct cup_text uncaught_exception(const struct cup_profile *profile,
                                          const struct cup_run *call,
                                          const struct cup_process *client)
{
    static const struct cup_text none = {"", 0};
    if (!client || !cup_run_is_last_of_its_client(profile, call))
        return none;
    struct cup_text text =
        cup_process_fact(profile, (size_t)(client - profile->processes), "uncaught_exception");
    return text.bytes ? text : none;
}

static bool was_killed(const struct cup_run *call, const struct cup_process *client)
{
    return client && client->life == CUP_LIFE_VANISHED && call->not_after_ns == 0;
}

/* The scheduler writes a sample every CUPPING_INTERVAL, so its last sign may be that much earlier
 * than its end. */
static bool ended_before(int64_t end_ns, const struct cup_run *call)
{
    int64_t call_end_ns = call->not_after_ns ? call->not_after_ns : call->stop_ns;
    return end_ns > 0 && end_ns < call_end_ns;
}

/* Why a run ended before all was done. */
enum cup_cause {
    CUP_CAUSE_OUTSIDE, /* the client or the scheduler ended, or the user interrupted it */
    CUP_CAUSE_INSIDE,  /* an exception ended it */
    CUP_CAUSE_GUESSED, /* nothing was seen that surely ended it. Of the workers, others may have
                          gone on */
};

static enum cup_cause find_cause(struct cup_completeness *c, const struct cup_profile *profile,
                                 const struct cup_run *call)
{
    const struct cup_process *client = cup_run_client(profile, call);
    struct cup_text exception = uncaught_exception(profile, call, client);
    bool interrupted = exception.length == strlen("KeyboardInterrupt") &&
                       memcmp(exception.bytes, "KeyboardInterrupt", exception.length) == 0;
    int64_t scheduler_ns = last_end_of(profile, CUP_ROLE_SCHEDULER, client);
    int64_t workers_ns = last_end_of(profile, CUP_ROLE_WORKER, client);
    if (interrupted)
        set_cause(c, "the client was interrupted (Ctrl-C)");
    else if (was_killed(call, client) && !exception.length)
        set_cause(c, "the client ended without notice: it was killed, or it crashed");
    else if (ended_before(scheduler_ns, call))
        set_cause(c, "the scheduler ended before the client's call");
    else if (ended_before(workers_ns, call))
        set_cause(c, "the workers ended before the client's call");
    else if (exception.length)
        set_cause(c, "the client ended with an exception (%.*s)", (int)exception.length,
                  exception.bytes);
    else
        set_cause(c, "the Runner's call ended early, by an exception or an interrupt that the "
                     "program caught");
    if (interrupted || (was_killed(call, client) && !exception.length) ||
        ended_before(scheduler_ns, call))
        return CUP_CAUSE_OUTSIDE;
    return exception.length ? CUP_CAUSE_INSIDE : CUP_CAUSE_GUESSED;
}

/* ---- the state --------------------------------------------------------------------------- */

static bool is_profiled(const struct cup_profile *profile, uint32_t address)
{
    for (size_t i = 0; i < profile->server_count; i++)
        if (profile->servers[i].address == address)
            return true;
    return false;
}

/* When the run ended, as far as it is known. */
static int64_t end_of_run(const struct cup_totals *t)
{
    struct cup_calls calls = cup_chosen_calls(t->profile);
    const struct cup_run *call = calls.count ? &calls.first[calls.count - 1] : NULL;
    return !call ? t->run.stop_ns : call->not_after_ns ? call->not_after_ns : call->stop_ns;
}

/* True if no sample has the worker until an interval after the end of the run: Dask started it to
 * replace one that was killed. */
static bool came_too_late(const struct cup_totals *t, const struct cup_sampled_worker *sampled)
{
    const struct cup_observed_worker *worker =
        cup_observed_seen(t->observed, cup_profile_text(t->profile, sampled->address));
    int64_t interval_ns = t->observed->asked_s > 0 ? (int64_t)(t->observed->asked_s * 1e9) : 0;
    return worker && interval_ns && worker->begin_ns > end_of_run(t) + interval_ns;
}

/* Workers that ran without the library may have done the rest. The scheduler's samples know all
 * workers. */
static const char *why_workers_are_uncertain(const struct cup_totals *t)
{
    const struct cup_profile *profile = t->profile;
    uint32_t roles = 0;
    for (size_t i = 0; i < profile->process_count; i++)
        roles |= profile->processes[i].roles;
    for (size_t i = 0; i < profile->sampled_worker_count; i++)
        if (!is_profiled(profile, profile->sampled_workers[i].address) &&
            !came_too_late(t, &profile->sampled_workers[i]))
            return "a worker was not profiled, so chunks that were done may be missing";
    if ((roles & 1u << CUP_ROLE_WORKER) && !(roles & 1u << CUP_ROLE_SCHEDULER))
        return "chunks are missing in the logs, but the scheduler was not profiled, so other "
               "workers may have done them";
    return NULL;
}

/* Chunks that are done may be missing in logs that are not whole. */
const char *cup_completeness_doubt(const struct cup_totals *t)
{
    const struct cup_profile *profile = t->profile;
    if (profile->logs_forbidden > 0)
        return "logs may not be read (permission denied), so chunks that were done may be missing";
    if (profile->logs_damaged + profile->logs_unreadable > 0)
        return "logs are damaged, so chunks that were done may be missing in them";
    if (cup_collected_lost(&profile->collected) > 0)
        return "logs are incomplete, so chunks that were done may be missing in them";
    if (profile->health[CUP_H_RECORDS_DROPPED] > 0)
        return "records were lost (see `cupping report --only health`), so chunks that were done "
               "may be missing";
    if (profile->full_log_tasks > 0)
        return "logs were full, so chunks that were done may be missing";
    if (t->all.tasks == 0)
        return "no worker was profiled, so what was done is not known";
    return why_workers_are_uncertain(t);
}

/* Chunks whose last attempt ended with its worker before the run did. Others were cut short by the
 * end of the run. ATTEMPTS: the most at one of them. */
static uint64_t count_killed_chunks(const struct cup_totals *t, uint32_t *attempts)
{
    uint64_t count = 0;
    *attempts = 0;
    for (size_t i = 0; i < t->losses->count; i++) {
        const struct cup_loss *row = &t->losses->rows[i];
        if (row->outcome != CUP_LOSS_UNFINISHED || row->last_ns > end_of_run(t))
            continue;
        count++;
        if (row->attempts > *attempts)
            *attempts = row->attempts;
    }
    return count;
}

/* Dask tries a chunk whose worker died again, and gives up after some attempts (KilledWorker).
 * False: there is none with at least that many attempts. */
static bool name_killed_chunks(struct cup_completeness *c, const struct cup_totals *t,
                               uint32_t least_attempts)
{
    uint32_t attempts;
    uint64_t count = count_killed_chunks(t, &attempts);
    if (attempts >= least_attempts)
        set_cause(c, "%s never ended: in %s the worker was killed or crashed",
                  CUP_SHOW_COUNTED(count, "chunk"),
                  attempts == 1  ? "the only attempt"
                  : count > 1    ? CUP_FORMAT("up to %u attempts", attempts)
                  : attempts > 2 ? CUP_FORMAT("all %u attempts", attempts)
                                 : "both attempts");
    return attempts >= least_attempts;
}

static enum cup_run_state judge_ended(struct cup_completeness *c, const struct cup_totals *t,
                                      const struct cup_run *call)
{
    const struct cup_process *client = cup_run_client(t->profile, call);
    bool all = c->done_chunks + c->skipped_chunks >= c->planned_chunks;
    if (all && was_killed(call, client) && !uncaught_exception(t->profile, call, client).length) {
        set_cause(c, "the client ended without notice before the results were merged: it was "
                     "killed, or it crashed");
        return CUP_RUN_ABORTED;
    }
    if (all && t->profile->full_log_tasks)
        c->reason = "of tasks that began when their log was full, chunks are counted, but not "
                    "identified, so a chunk that ran twice can make up for a missing one";
    if (all)
        return c->skipped_chunks + c->skipped_files ? CUP_RUN_SKIPPED
               : c->reason                          ? CUP_RUN_UNKNOWN
                                                    : CUP_RUN_COMPLETE;
    enum cup_cause cause = find_cause(c, t->profile, call);
    c->reason = cause == CUP_CAUSE_GUESSED ? cup_completeness_doubt(t) : NULL;
    if (c->reason)
        return CUP_RUN_UNKNOWN;
    bool failed =
        cause != CUP_CAUSE_OUTSIDE && name_killed_chunks(c, t, cause == CUP_CAUSE_INSIDE ? 1 : 2);
    return failed ? CUP_RUN_FAILED : CUP_RUN_ABORTED;
}

static void name_failure(struct cup_completeness *c)
{
    unsigned long long chunks = c->failed_chunks, merges = c->failed_merges,
                       files = c->failed_files;
    if (chunks && files)
        set_cause(c, "%llu chunk%s, and reading the metadata of %llu file%s, failed for good",
                  chunks, cup_plural(chunks), files, cup_plural(files));
    else if (chunks)
        set_cause(c, "%llu chunk%s failed for good", chunks, cup_plural(chunks));
    else if (files)
        set_cause(c, "reading the metadata of %llu file%s failed for good", files,
                  cup_plural(files));
    else
        set_cause(c, "%llu merge%s of results failed for good", merges, cup_plural(merges));
}

static enum cup_run_state judge(struct cup_completeness *c, const struct cup_totals *t)
{
    if (cup_chosen_run_goes_on(t->profile))
        return CUP_RUN_RUNNING;
    if (c->failed_chunks + c->failed_merges + c->failed_files > 0) {
        name_failure(c);
        return CUP_RUN_FAILED;
    }
    if (t->all.unknown) {
        c->reason = "it is not known how some tasks ended: `cupping tasks` lists them";
        return CUP_RUN_UNKNOWN;
    }
    if (c->reason && !cup_completeness_doubt(t) && name_killed_chunks(c, t, 2))
        return CUP_RUN_FAILED;
    if (c->reason)
        return c->skipped_chunks + c->skipped_files ? CUP_RUN_SKIPPED : CUP_RUN_UNKNOWN;
    struct cup_calls calls = cup_chosen_calls(t->profile);
    return judge_ended(c, t, &calls.first[calls.count - 1]);
}

/* ---- the sentence ------------------------------------------------------------------------ */

double cup_completeness_share(const struct cup_completeness *c)
{
    bool events = c->planned_events != CUP_UNKNOWN64 && c->planned_events > 0 &&
                  c->done_events != CUP_UNKNOWN64;
    uint64_t done = events ? c->done_events : c->done_chunks;
    uint64_t planned = events ? c->planned_events : c->planned_chunks;
    return planned == CUP_UNKNOWN64 || planned == 0 ? NAN : (double)done / (double)planned;
}

#define SHOW(count)                                                                                \
    cup_print_human_readable((char[CUP_HUMAN_READABLE_ROOM]){""}, cup_count(count), CUP_UNIT_COUNT)

/* "184,000 of 600,000 events, 15 of 48 chunks" */
static void print_amounts(const struct cup_completeness *c, char *to, size_t room)
{
    int length = 0;
    if (c->planned_events != CUP_UNKNOWN64 && c->done_events != CUP_UNKNOWN64)
        length =
            snprintf(to, room, "%s of %s events, ", SHOW(c->done_events), SHOW(c->planned_events));
    snprintf(to + length, room - (size_t)length, "%s of %s chunk%s", SHOW(c->done_chunks),
             SHOW(c->planned_chunks), cup_plural(c->planned_chunks));
}

double cup_completeness_percent(const struct cup_completeness *c)
{
    double percent = 100 * cup_completeness_share(c);
    return percent > 99.9 && c->done_chunks < c->planned_chunks ? 99.9 : percent;
}

/* "aborted at 30.7 % (...): cause" */
static void write_part(struct cup_completeness *c, const char *state, const char *before_share)
{
    char amounts[160];
    const char *colon = *c->cause ? ": " : "";
    print_amounts(c, amounts, sizeof amounts);
    if (c->planned_chunks != CUP_UNKNOWN64 && c->planned_chunks > 0)
        snprintf(c->sentence, sizeof c->sentence, "%s%s %.3g %% (%s)%s%s", state, before_share,
                 cup_completeness_percent(c), amounts, colon, c->cause);
    else
        snprintf(c->sentence, sizeof c->sentence,
                 "%s%s%s; %s chunk%s done, of how many is not known", state, colon, c->cause,
                 SHOW(c->done_chunks), cup_plural(c->done_chunks));
}

static void write_complete(struct cup_completeness *c)
{
    char limit[100] = "";
    if (c->max_chunks)
        snprintf(limit, sizeof limit, ", as far as maxchunks=%u allows for each dataset",
                 c->max_chunks);
    snprintf(c->sentence, sizeof c->sentence, "Complete%s: %s%s%s chunk%s", limit,
             c->done_events != CUP_UNKNOWN64 ? SHOW(c->done_events) : "",
             c->done_events != CUP_UNKNOWN64 ? " events, " : "", SHOW(c->done_chunks),
             cup_plural(c->done_chunks));
}

static void write_skipped(struct cup_completeness *c)
{
    char amounts[160], files[80] = "";
    print_amounts(c, amounts, sizeof amounts);
    if (c->skipped_files)
        snprintf(files, sizeof files, " and %s whole file%s", SHOW(c->skipped_files),
                 cup_plural(c->skipped_files));
    snprintf(c->sentence, sizeof c->sentence,
             "Not complete: Coffea skipped %s chunk%s%s that it could not read",
             SHOW(c->skipped_chunks), cup_plural(c->skipped_chunks), files);
    size_t length = strlen(c->sentence);
    if (!c->reason)
        snprintf(c->sentence + length, sizeof c->sentence - length, " (%s%s)", amounts,
                 c->skipped_files ? ", without those of the files" : "");
}

static void write_sentence(struct cup_completeness *c)
{
    if (c->state == CUP_RUN_COMPLETE)
        write_complete(c);
    else if (c->state == CUP_RUN_SKIPPED)
        write_skipped(c);
    else if (c->state == CUP_RUN_RUNNING)
        write_part(c, "Still running", ", so far");
    else if (c->state == CUP_RUN_ABORTED)
        write_part(c, "Aborted", " at");
    else if (c->state == CUP_RUN_FAILED)
        write_part(c, "Failed", " at");
    else
        snprintf(c->sentence, sizeof c->sentence, "Not known whether the run is complete: %s",
                 c->reason);
    size_t length = strlen(c->sentence);
    snprintf(
        c->sentence + length, sizeof c->sentence - length, ".%s",
        c->repeated_chunks == 0
            ? ""
            : CUP_FORMAT(" A file is listed more than once: the result counts the events of %s "
                         "again.",
                         CUP_SHOW_COUNTED(c->repeated_chunks, "chunk")));
}

/* Tasks of full logs are known only by their sums, in which two attempts at one chunk look like two
 * chunks. */
static void remark_excess(struct cup_completeness *c, const struct cup_profile *profile)
{
    size_t length = strlen(c->sentence);
    if (profile->full_log_tasks && !c->reason && c->done_chunks > c->planned_chunks)
        snprintf(c->sentence + length, sizeof c->sentence - length,
                 " More chunks are counted than planned: because logs were full, a chunk that ran "
                 "twice counts twice.");
}

int cup_completeness_make(struct cup_completeness *c, const struct cup_totals *totals)
{
    *c = (struct cup_completeness){0};
    cup_completeness_plan(c, totals->profile);
    if (find_done(c, totals) != 0)
        return -1;
    c->state = judge(c, totals);
    write_sentence(c);
    remark_excess(c, totals->profile);
    return 0;
}
