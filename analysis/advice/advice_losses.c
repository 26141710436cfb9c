/* Advice on what was lost, and on where the run was held up. */
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice_rules.h"
#include "analysis/metrics/reads/open_ranks.h"

bool cup_rule_events_lost(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_loss_sums *sums = &t->losses->sums;
    double lost = (double)cup_losses_events(sums);
    double all = lost + (double)t->events;
    if (sums->chunks[CUP_LOSS_SKIPPED] == 0)
        return false;
    big skipped = sums->chunks[CUP_LOSS_SKIPPED];
    return cup_advise(
        advice, 1.8,
        "%llu chunk%s skipped as bad files (threshold: any): their tasks succeeded, but process() "
        "never returned in them. The result lacks them and %llu that failed: %.0f events, %.2g %% "
        "of all. Send the site what `--only losses` prints.",
        skipped, skipped == 1 ? " was" : "s were", (big)sums->chunks[CUP_LOSS_LOST], lost,
        all > 0 ? 100 * lost / all : 0);
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

static void describe_failures(struct cup_advice *advice, struct cup_text server, uint64_t count)
{
    cup_advise(advice, 1.7,
               "%llu attempts at chunks with files of %.*s failed (threshold %d). Send the site "
               "what `--only losses` prints: these files, with times and errors.",
               (big)count, (int)(server.length < 200 ? server.length : 200), server.bytes,
               SERVER_FAILURES);
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
        describe_failures(advice, cup_intern_text(&failures.servers, failures.worst), most);
    cup_intern_clear(&failures.servers);
    free(failures.counts);
    return most >= SERVER_FAILURES;
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
    return cup_advise(advice, lost_ns / (double)(t->all.wall_ns ? t->all.wall_ns : 1),
                      "%llu host%s slower than others with the same CPU model. The slowest, %.*s, "
                      "processes %.3g events/s per core; the median is %.3g (threshold %.1f robust "
                      "deviations and %.0f %%). Check what else runs there, its memory, and its "
                      "connection to the storage; `--only hosts` compares all hosts.",
                      (big)slow, slow == 1 ? " is" : "s are", (int)name.length, name.bytes,
                      cup_host_rate(slowest), slowest->median, CUP_HOST_OUTLIER_DEVIATIONS,
                      100 * CUP_HOST_OUTLIER_SHARE);
}

bool cup_rule_merge_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_stage *stage = &t->stages->rows[CUP_STAGE_MERGE];
    double run_s = (double)cup_stretch_ns(t->run) / 1e9, merge_s = (double)stage->time_ns / 1e9;
    const struct cup_merge_level sum = cup_merge_sum(t->merge, false);
    if (!stage->known || sum.tasks == 0 || merge_s < 1 || !(merge_s / run_s > 0.15))
        return false;
    return cup_advise(advice, (double)stage->idle_ns / (double)(t->budget.threads_ns + 1),
                      "Merging after the last chunk took %s, %.0f %% of the run (threshold 15 %%, "
                      "and 1 s). Threads were idle for %s of it, added up; the longest merge took "
                      "%s. Make results smaller, or use a smaller treereduction.",
                      in_seconds(advice, merge_s), merge_s / run_s * 100,
                      in_seconds(advice, (double)stage->idle_ns / 1e9),
                      in_seconds(advice, (double)sum.longest_ns / 1e9));
}
