/* Advice on what was lost, and on where the run was held up. */
#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice_rules.h"
#include "analysis/metrics/reads/open_ranks.h"

typedef unsigned long long big;

bool cup_rule_events_lost(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_loss_sums *sums = &t->losses->sums;
    double lost = (double)cup_losses_events(sums);
    double all = lost + (double)t->events;
    if (sums->chunks[CUP_LOSS_SKIPPED] == 0)
        return false;
    advice->weight = 1.8;
    snprintf(advice->text, sizeof advice->text,
             "%llu chunks were skipped as bad files (threshold: any): their tasks succeeded, but "
             "process() never returned in them. With %llu that failed, %.0f events, %.2g %% of "
             "all, are missing in the result: `--only losses` lists them.",
             (big)sums->chunks[CUP_LOSS_SKIPPED], (big)sums->chunks[CUP_LOSS_LOST], lost,
             all > 0 ? 100 * lost / all : 0);
    return true;
}

/* ---- servers ---------------------------------------------------------------------------- */

static struct cup_text server_of(const struct cup_totals *t, size_t loss)
{
    const struct cup_profile *profile = t->profile;
    uint32_t item = t->losses->rows[loss].item;
    return cup_url_server(cup_profile_text(profile, profile->items[item].file));
}

enum { SERVER_FAILURES = 3 };

/* Failed attempts by server; those that were killed say nothing of it. */
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
    advice->weight = 1.7;
    snprintf(advice->text, sizeof advice->text,
             "%llu attempts at chunks with files of %.*s failed (threshold %d): `--only losses` "
             "prints them, with times and errors, as a text for the site.",
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
    advice->weight = lost_ns / (double)(t->all.wall_ns ? t->all.wall_ns : 1);
    snprintf(advice->text, sizeof advice->text,
             "%llu host%s slower than others with the same CPU; %.*s: %.3g events/s for each core "
             "instead of %.3g, the median (threshold %.1f robust deviations and %.0f %%). "
             "`--only hosts` compares them.",
             (big)slow, slow == 1 ? " is" : "s are", (int)name.length, name.bytes,
             cup_host_rate(slowest), slowest->median, CUP_HOST_OUTLIER_DEVIATIONS,
             100 * CUP_HOST_OUTLIER_SHARE);
    return true;
}

bool cup_rule_merge_bound(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_stage *stage = &t->stages->rows[CUP_STAGE_MERGE];
    double run_s = (double)cup_stretch_ns(t->run) / 1e9, merge_s = (double)stage->time_ns / 1e9;
    const struct cup_merge_level sum = cup_merge_sum(t->merge, false);
    char time[CUP_HUMAN_READABLE_ROOM], idle[CUP_HUMAN_READABLE_ROOM],
        longest[CUP_HUMAN_READABLE_ROOM];
    if (!stage->known || sum.tasks == 0 || merge_s < 1 || !(merge_s / run_s > 0.15))
        return false;
    advice->weight = (double)stage->idle_ns / (double)(t->budget.threads_ns + 1);
    snprintf(advice->text, sizeof advice->text,
             "After the last chunk %s, %.0f %% of the run (threshold 15 %%, and 1 s), went into "
             "merging, with threads idle for %s; the longest merge took %s: smaller results, or "
             "fewer of them a merge (treereduction), shorten it.",
             humane(time, merge_s, CUP_UNIT_SECONDS), merge_s / run_s * 100,
             humane(idle, (double)stage->idle_ns / 1e9, CUP_UNIT_SECONDS),
             humane(longest, (double)sum.longest_ns / 1e9, CUP_UNIT_SECONDS));
    return true;
}
