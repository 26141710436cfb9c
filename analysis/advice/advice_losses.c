/* Advice on what went wrong, what was lost, and where the run was held up. */
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice_rules.h"
#include "analysis/base/error_text.h"
#include "analysis/metrics/losses/loss_text.h"
#include "analysis/metrics/reads/open_ranks.h"

bool cup_rule_tasks_failed(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_task *first = NULL;
    if (!t->all.erred)
        return false;
    for (size_t i = 0; i < t->profile->task_count && !first; i++)
        if (t->profile->tasks[i].status == CUP_STATUS_ERRED)
            first = &t->profile->tasks[i];
    if (!first)
        return cup_advise(advice, 2,
                          "%llu of %s failed (threshold: any). They began when cupping's log was "
                          "full, so their errors are not known. \nRead them in the output of "
                          "Dask's workers.",
                          (big)t->all.erred, CUP_SHOW_COUNTED(t->all.tasks, "task"));
    struct cup_text error = cup_profile_text(t->profile, cup_rare_of(t->profile, first)->error);
    return cup_advise(advice, 2,
                      "%llu of %s failed (threshold: any)%s%s%s \nMend what the error says; "
                      "`cupping tasks` lists "
                      "all tasks with their errors.",
                      (big)t->all.erred, CUP_SHOW_COUNTED(t->all.tasks, "task"),
                      error.length ? "; the first: " : "", CUP_SHOW_ERROR(error, 240),
                      error.length && error.bytes[error.length - 1] == '.' ? "" : ".");
}

bool cup_rule_tasks_unfinished(const struct cup_totals *t, struct cup_advice *advice)
{
    return t->all.unfinished > 0 &&
           cup_advise(
               advice, 1.5,
               "%llu of %s never ended (threshold: any): the process was killed or "
               "crashed. \nFind out what killed the worker: often it is out of memory, or it "
               "reached a limit of the batch system.",
               (big)t->all.unfinished, CUP_SHOW_COUNTED(t->all.tasks, "task"));
}

bool cup_rule_records_lost(const struct cup_totals *t, struct cup_advice *advice)
{
    uint64_t lost =
        t->profile->health[CUP_H_RECORDS_DROPPED] + t->profile->health[CUP_H_BLOCKS_DROPPED];
    return lost > 0 &&
           cup_advise(advice, 1.2,
                      "%s of cupping's logs were lost (threshold: any), so %s "
                      "are too low: the disk was full, or a log reached "
                      "its limit. \nFree the disk, or raise CUPPING_MAX_BYTES.",
                      CUP_SHOW_COUNTED(lost, "record"),
                      t->profile->full_log_tasks ? "figures of files, branches and functions"
                                                 : "sums in this report");
}

/* A worker lacks a feature by which bytes find their task. */
static bool is_any_attribution_off(const struct cup_profile *profile)
{
    const uint64_t needed =
        CUP_FEATURE_BRIDGE | CUP_FEATURE_CHUNKS | CUP_FEATURE_CONTEXT | CUP_FEATURE_HANDOFF;
    for (size_t i = 0; i < profile->process_count; i++)
        if (cup_process_is_worker(&profile->processes[i]) &&
            (needed & ~profile->processes[i].header.features))
            return true;
    return false;
}

bool cup_rule_unattributed(const struct cup_totals *t, struct cup_advice *advice)
{
    enum { LEAST_BYTES = 1000000 };
    double share = 1 - cup_metric_number(CUP_METRIC_share_attributed, t);
    double bytes = share * cup_metric_number(CUP_METRIC_bytes_total, t);
    return share > 0.01 && bytes > LEAST_BYTES &&
           cup_advise(
               advice, 0.5 + share,
               "%s, %.1f %% of the bytes read in workers, are unattributed (threshold 1 %% and "
               "1 MB). "
               "\nFind out which bytes could not be attributed to a task: `cupping report --only "
               "attribution` lists them%s.",
               CUP_SHOW_BYTES(bytes), share * 100,
               is_any_attribution_off(t->profile) ? ", `--only health` says which feature is off"
                                                  : "");
}

/* The first error of a lost chunk. */
static bool advise_mending(const struct cup_totals *t, struct cup_advice *advice)
{
    struct cup_text error = {.length = 0};
    for (size_t i = 0; i < t->losses->count && !error.length; i++)
        if (t->losses->rows[i].outcome == CUP_LOSS_LOST)
            error = cup_profile_text(t->profile, t->losses->rows[i].error);
    return cup_advise_more(advice,
                           " \nMend the error and process these chunks again (`cupping report "
                           "--only losses` lists them)%s%s",
                           error.length ? ": " : ".", CUP_SHOW_ERROR(error, 200));
}

/* Chunks of the plan that no attempt was made at: the run broke off. 0: none, or not known. */
static uint64_t untried_chunks(const struct cup_totals *t)
{
    const struct cup_loss_sums *lost = &t->losses->sums;
    uint64_t planned = t->completeness->planned_chunks;
    uint64_t tried = t->completeness->done_chunks + cup_losses_chunks(lost) - lost->metadata +
                     t->unknown_chunks + t->running_chunks;
    if (t->completeness->state == CUP_RUN_RUNNING || cup_completeness_doubt(t))
        return 0;
    return planned != CUP_UNKNOWN64 && planned > tried ? planned - tried : 0;
}

bool cup_rule_events_lost(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_losses *losses = t->losses;
    const struct cup_loss_sums *sums = &losses->sums;
    big skipped = sums->chunks[CUP_LOSS_SKIPPED], failed = sums->chunks[CUP_LOSS_LOST],
        unfinished = sums->chunks[CUP_LOSS_UNFINISHED];
    if (cup_losses_chunks(sums) == 0)
        return false;
    cup_advise(advice, 2.5, "The result lacks %s (threshold: any): %s.", CUP_SHOW_LOST_CHUNKS(sums),
               CUP_SHOW_LOSSES_SHARE(sums, losses->events_all));
    if (untried_chunks(t))
        cup_advise_more(advice, " Besides, the run ended before it tried %s.",
                        CUP_SHOW_COUNTED(untried_chunks(t), "chunk"));
    if (skipped)
        cup_advise_more(advice,
                        " Coffea skipped %llu as bad files: the tasks succeeded without a result, "
                        "and no error was raised.",
                        skipped);
    if (failed)
        cup_advise_more(advice, " %llu failed, and no other attempt succeeded.", failed);
    if (unfinished)
        cup_advise_more(advice,
                        " %llu never ended: the worker was killed or crashed in every attempt.",
                        unfinished);
    return failed ? advise_mending(t, advice)
           : unfinished
               ? cup_advise_more(advice,
                                 " \nFind out what killed the workers (a memory limit, or a limit "
                                 "of the batch system: their log says it), then process these "
                                 "chunks again; `cupping report --only losses` lists them.")
               : cup_advise_more(advice,
                                 " \nLook at the files that `cupping report --only losses` lists "
                                 "(its text can be sent to the site that stores them), and process "
                                 "them again.");
}

/* ---- servers ---------------------------------------------------------------------------- */

static struct cup_text server_of(const struct cup_totals *t, size_t loss)
{
    const struct cup_profile *profile = t->profile;
    uint32_t item = t->losses->rows[loss].item;
    return cup_url_server(cup_profile_text(profile, profile->items[item].file));
}

enum { SERVER_FAILURES = 3 };

/* Failed attempts by server. Attempts that were killed are left out: they say nothing about the
 * server. */
struct failures {
    struct cup_intern servers;
    uint64_t *counts; /* owned; by id */
    size_t room;
    uint32_t worst;
};

static void add_failures(struct failures *failures, struct cup_text server, uint64_t count)
{
    uint32_t id = cup_intern_add(&failures->servers, server.bytes, server.length);
    size_t known = failures->servers.count;
    if (id == 0)
        return;
    if (known > failures->room) {
        uint64_t *grown = realloc(failures->counts, 2 * known * sizeof *grown);
        if (!grown)
            return;
        memset(grown + failures->room, 0, (2 * known - failures->room) * sizeof *grown);
        failures->counts = grown;
        failures->room = 2 * known;
    }
    failures->counts[id] += count;
    if (failures->worst == 0 || failures->counts[id] > failures->counts[failures->worst])
        failures->worst = id;
}

bool cup_rule_server_loses(const struct cup_totals *t, struct cup_advice *advice)
{
    struct failures failures = {.worst = 0};
    for (size_t i = 0; i < t->losses->count; i++) {
        const struct cup_loss *loss = &t->losses->rows[i];
        struct cup_text server = server_of(t, i);
        if (server.bytes)
            add_failures(&failures, server, loss->failed + loss->skipped);
    }
    uint64_t most = failures.worst ? failures.counts[failures.worst] : 0;
    if (most >= SERVER_FAILURES)
        cup_advise(advice, 1.7,
                   "%s at chunks with files of %s failed (threshold %d). \nSend the site "
                   "what `--only losses` prints: these files, with times and errors.",
                   CUP_SHOW_COUNTED(most, "attempt"),
                   CUP_SHOW_TEXT(cup_intern_text(&failures.servers, failures.worst), 200),
                   SERVER_FAILURES);
    cup_intern_clear(&failures.servers);
    free(failures.counts);
    return most >= SERVER_FAILURES;
}

/* ---- opening files ---------------------------------------------------------------------- */

static double of_task_time(const struct cup_totals *t)
{
    bool timed = cup_profile_measured(t->profile, CUP_FEATURE_OPENS);
    return timed && t->all.wall_ns ? (double)t->counters[CUP_C_OPEN_NS] / (double)t->all.wall_ns
                                   : 0;
}

/* The server whose opens took the most time; NULL: there is none, or no memory. Connections are
 * left out, because the counter of the tasks does not have them. */
static const struct cup_open_sum *most_time(const struct cup_totals *t)
{
    size_t count;
    const struct cup_open_sum **sums = cup_opens_by_time(t->profile, &count), *most = NULL;
    for (size_t i = 0; sums && i < count && !most; i++)
        if (sums[i]->kind != CUP_OPEN_CONNECT && sums[i]->opened > 0)
            most = sums[i];
    free(sums);
    return most;
}

bool cup_rule_slow_opens(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_open_sum *most = of_task_time(t) > 0.10 ? most_time(t) : NULL;
    if (!most || most->opened < 10)
        return false;
    double open_s = (double)t->counters[CUP_C_OPEN_NS] / 1e9;
    return cup_advise(
        advice, cup_saves(t, advice, open_s),
        "Opening data files took %.0f %% of the task time (%s, added up over threads, threshold 10 "
        "%%), most of it at %s: %llu opens, median %s, 99 %% below %s. \nUse larger chunks, which "
        "open files less often, or a nearer server.",
        of_task_time(t) * 100, CUP_SHOW_S(open_s),
        CUP_SHOW_TEXT(cup_profile_text(t->profile, most->server), SIZE_MAX), (big)most->opened,
        CUP_SHOW_NS(cup_open_quantile_ns(most, 0.5)),
        CUP_SHOW_NS(cup_open_quantile_ns(most, 0.99)));
}

/* Share of failed opens, for servers only: programs often try local files that need not exist, but
 * a file on a server should exist. */
static double failed_share(const struct cup_open_sum *sum)
{
    bool remote = sum->kind != CUP_OPEN_LOCAL && sum->failed >= 5;
    return remote ? (double)sum->failed / (double)(sum->failed + sum->opened) : 0;
}

bool cup_rule_opens_fail(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_open_sum *worst = NULL;
    char error[64] = "";
    size_t count;
    const struct cup_open_sum **sums = cup_opens_by_time(t->profile, &count);
    for (size_t i = 0; sums && i < count; i++)
        if (failed_share(sums[i]) > 0.05 && (!worst || sums[i]->failed > worst->failed))
            worst = sums[i];
    free(sums);
    if (!worst)
        return false;
    cup_open_worst(worst, error, sizeof error);
    return cup_advise(advice, 0.3,
                      "%.0f %% of the %s %s failed (%llu, threshold 5 %%), mostly with: %s. The "
                      "failures took %s. \nTell the site, or leave the server out.",
                      failed_share(worst) * 100,
                      worst->kind == CUP_OPEN_CONNECT ? "connections to" : "opens at",
                      CUP_SHOW_TEXT(cup_profile_text(t->profile, worst->server), SIZE_MAX),
                      (big)worst->failed, error, CUP_SHOW_NS(worst->failed_ns));
}

/* ---- hosts and merges ------------------------------------------------------------------- */

bool cup_rule_slow_host(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_hosts *hosts = t->hosts;
    const struct cup_host *slowest = NULL;
    uint64_t slow = 0;
    double lost_ns = 0;
    for (size_t i = 0; i < hosts->count; i++) {
        const struct cup_host *host = &hosts->rows[i];
        if (host->verdict != CUP_HOST_SLOW)
            continue;
        slow++;
        lost_ns += (double)host->wall_ns * (1 - cup_host_rate(host) / host->median);
        if (!slowest || cup_host_rate(host) < cup_host_rate(slowest))
            slowest = host;
    }
    if (!slowest)
        return false;
    struct cup_text name = cup_intern_text(&hosts->names, slowest->name);
    return cup_advise(advice, cup_saves(t, advice, lost_ns / 1e9),
                      "%s %s slower than others with the same CPU model. The slowest, %.*s, "
                      "processes %s events/s per core; the median is %s (threshold %.1f robust "
                      "deviations and %.0f %%). \nCheck what else runs there, its memory, and its "
                      "connection to the storage; `--only hosts` compares all hosts.",
                      CUP_SHOW_COUNTED(slow, "host"), slow == 1 ? "is" : "are", (int)name.length,
                      name.bytes, CUP_SHOW(cup_host_rate(slowest), CUP_UNIT_COUNT),
                      CUP_SHOW(slowest->median, CUP_UNIT_COUNT), CUP_HOST_OUTLIER_DEVIATIONS,
                      100 * CUP_HOST_OUTLIER_SHARE);
}

bool cup_rule_merge_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_stage *stage = &t->stages->rows[CUP_STAGE_MERGE];
    double run_s = (double)cup_stretch_ns(t->run) / 1e9, merge_s = (double)stage->time_ns / 1e9;
    const struct cup_merge_level sum = cup_merge_sum(t->merge, false);
    return stage->known && !stage->mixed && sum.tasks > 0 && merge_s >= 1 &&
           merge_s / run_s > 0.15 && (double)sum.after_chunks_ns > 0.2 * (double)stage->time_ns &&
           cup_advise(advice, cup_saves(t, advice, (double)stage->idle_ns / 1e9),
                      "Merging after the last chunk took %s, %.0f %% of the run (threshold 15 %%, "
                      "and 1 s). Threads were idle for %s of it, added up; the longest merge took "
                      "%s. \nMake results smaller, or use a smaller treereduction.",
                      CUP_SHOW_S(merge_s), merge_s / run_s * 100, CUP_SHOW_NS(stage->idle_ns),
                      CUP_SHOW_NS(sum.longest_ns));
}
