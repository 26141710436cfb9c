/* Advice on storage servers: which one is slow, fails, or sends clients from one to the next. */
#include "analysis/advice/advice_rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/metrics/reads/slow_servers.h"

/* ---- a slow server --------------------------------------------------------------------------- */

/* Adds the file that tasks waited for longest, if there is one. */
static void advise_file(const struct cup_totals *t, struct cup_advice *advice, uint32_t file,
                        uint64_t waited_ns)
{
    if (file)
        cup_advise_more(
            advice, " The worst file is %s (%s).",
            CUP_SHOW_TEXT(cup_profile_text(t->profile, t->profile->files[file - 1].path), 120),
            CUP_SHOW_NS(waited_ns));
}

/* Adds which hosts suffer: if all do, the server is slow; if one does, it may be its network. */
static void advise_hosts(const struct cup_totals *t, struct cup_advice *advice,
                         const struct cup_slow_server *slow)
{
    struct cup_text host = cup_profile_text(t->profile, slow->slow_host);
    if (slow->hosts > 1 && slow->slow_hosts == slow->hosts)
        cup_advise_more(advice, " All %zu hosts suffer: it is the server, not a host's network.",
                        slow->hosts);
    else if (slow->hosts > 1 && slow->slow_hosts > 0)
        cup_advise_more(advice,
                        " Of %zu hosts, %zu suffer (%s): it may be the network between them.",
                        slow->hosts, slow->slow_hosts, CUP_SHOW_TEXT(host, 40));
    else if (slow->hosts == 1)
        cup_advise_more(advice, " All requests came from one host.");
}

static bool advise_slow(const struct cup_totals *t, struct cup_advice *advice,
                        const struct cup_slow_server *slow)
{
    double share = cup_saves(t, advice, slow->lost_ns / 1e9);
    if (slow->lost_ns < 0.05 * (double)t->all.wall_ns)
        return false;
    cup_advise(advice, share,
               "%s is slow: a request or an open there took %s on average, and %s at the other %s "
               "(threshold %d times). %s waited %s longer than at the others (threshold 5 %% of "
               "the task time).",
               CUP_SHOW_TEXT(slow->use->name, 100), CUP_SHOW_NS(slow->mean_ns),
               CUP_SHOW_NS(slow->others_mean_ns),
               slow->others == 1 ? "server" : CUP_SHOW_COUNTED(slow->others, "server"),
               CUP_SLOW_TIMES, CUP_SHOW_COUNTED(slow->use->tasks, "task"),
               CUP_SHOW_NS(slow->lost_ns));
    if (!isnan(slow->p90_ns) && !isnan(slow->others_p90_ns))
        cup_advise_more(advice, " 90 %% of the requests took up to %s, and %s at the others.",
                        CUP_SHOW_NS(slow->p90_ns), CUP_SHOW_NS(slow->others_p90_ns));
    if ((double)slow->file_ns > slow->lost_ns / 2) /* else it was opens, or many files */
        advise_file(t, advice, slow->file, slow->file_ns);
    advise_hosts(t, advice, slow);
    return cup_advise_more(
        advice, " \nSend the site what `cupping report --only servers` prints, or leave the "
                "server out.");
}

bool cup_rule_slow_server(const struct cup_totals *t, struct cup_advice *advice)
{
    struct cup_server_uses uses;
    if (cup_server_uses_make(&uses, t->profile) != 0)
        return false;
    const struct cup_slow_server slow = cup_find_slow_server(&uses, t->profile);
    bool applies = slow.use && advise_slow(t, advice, &slow);
    cup_server_uses_free(&uses);
    return applies;
}

/* ---- a server that fails --------------------------------------------------------------------- */

/* How its requests failed: "8 answered with HTTP 5xx, 4 cut off by the server". */
static void describe_faults(const struct cup_server_uses *uses, const struct cup_server_use *use,
                            char to[120])
{
    bool http = use->kind == CUP_SERVER_PEER;
    uint64_t given_up = http ? use->faults - use->http_5xx - use->cut_off : 0;
    const struct {
        uint64_t count;
        const char *what;
    } kinds[] = {{use->http_5xx, "answered with HTTP 5xx"},
                 {use->cut_off, "cut off by the server"},
                 {given_up, "given up by the client"}};
    char error[64] = "";
    *to = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].count)
            snprintf(to + strlen(to), 120 - strlen(to), "%s%llu %s", *to ? ", " : "",
                     (unsigned long long)kinds[i].count, kinds[i].what);
    if (*to)
        return;
    cup_server_worst_error(uses, use, error, sizeof error);
    snprintf(to, 120, "mostly with: %s", error);
}

bool cup_rule_failing_server(const struct cup_totals *t, struct cup_advice *advice)
{
    struct cup_server_uses uses;
    const struct cup_server_use *worst = NULL;
    char faults[120];
    uint64_t file_ns;
    if (cup_server_uses_make(&uses, t->profile) != 0)
        return false;
    for (size_t i = 0; i < uses.count; i++)
        if (uses.rows[i].faults > (worst ? worst->faults : 0))
            worst = &uses.rows[i];
    if (worst) {
        uint32_t file = cup_worst_file(t->profile, worst->name, true, &file_ns);
        describe_faults(&uses, worst, faults);
        cup_advise(advice, 1.6,
                   "%s of %s at %s failed (threshold: any), %s. %s had one, and the failures took "
                   "%s.",
                   CUP_SHOW_COUNT(worst->faults), CUP_SHOW_COUNTED(worst->requests, "request"),
                   CUP_SHOW_TEXT(worst->name, 100), faults,
                   CUP_SHOW_COUNTED(worst->failed_tasks, "task"), CUP_SHOW_NS(worst->failed_ns));
        advise_file(t, advice, file, file_ns);
        cup_advise_more(advice, " \nTell the site, or leave the server out.");
    }
    bool applies = worst != NULL;
    cup_server_uses_free(&uses);
    return applies;
}

/* ---- a server that sends clients on ------------------------------------------------------------
 */

bool cup_rule_redirect_storm(const struct cup_totals *t, struct cup_advice *advice)
{
    enum { TIMES = 3 };
    const struct cup_open_sum *worst = NULL;
    for (size_t i = 0; i < t->profile->open_count; i++) {
        const struct cup_open_sum *sum = &t->profile->opens[i];
        uint64_t opens = sum->opened + sum->failed;
        bool storms = opens >= 10 && sum->redirects >= TIMES * opens;
        if (storms && (!worst || sum->redirects > worst->redirects))
            worst = sum;
    }
    if (!worst)
        return false;
    double opens = (double)(worst->opened + worst->failed);
    return cup_advise(
        advice, cup_saves(t, advice, (double)(worst->ns + worst->failed_ns) / 1e9),
        "Opens at %s were sent from server to server: %.1f times each (threshold %d times). %s "
        "took %s, added up. \nName a redirector that is nearer to the data in the URLs.",
        CUP_SHOW_TEXT(cup_profile_text(t->profile, worst->server), 100),
        (double)worst->redirects / opens, TIMES, CUP_SHOW_COUNTED(opens, "open"),
        CUP_SHOW_NS(worst->ns + worst->failed_ns));
}

/* ---- a cache that misses -----------------------------------------------------------------------
 */

/* Requests fall into two groups if a gap in their durations separates at least a twentieth of them
 * from the rest: so many empty buckets, two to each power of two. */
enum { GAP_BUCKETS = 4 };

/* The first bucket of the slower group; 0: there is one group. */
static unsigned find_second_group(const uint64_t *buckets, uint64_t total)
{
    uint64_t below = 0;
    unsigned empty = 0;
    for (unsigned i = 0; i < CUP_BUCKETS; i++) {
        bool few = buckets[i] <= total / 500;
        if (!few && empty >= GAP_BUCKETS && below >= total / 20 && total - below >= total / 20)
            return i;
        empty = few ? empty + 1 : 0;
        below += buckets[i];
    }
    return 0;
}

/* The median of the requests in the buckets from FROM up to TO. */
static double median_ns(const uint64_t *buckets, unsigned from, unsigned to)
{
    uint64_t part[CUP_BUCKETS] = {0};
    for (unsigned i = from; i < to; i++)
        part[i] = buckets[i];
    return cup_durations_quantile_ns(&(struct cup_durations){.buckets = part}, 0.5);
}

static bool advise_misses(const struct cup_totals *t, struct cup_advice *advice,
                          const struct cup_server_use *use)
{
    enum { LEAST = 100 };
    /* HTTP requests ask for whole files or for parts, so their durations differ. The time until the
     * answer begins does not depend on how much is asked for. */
    const uint64_t *buckets = use->is_http ? use->first_buckets : use->buckets;
    uint64_t slow = 0, total = cup_durations_total(&(struct cup_durations){.buckets = buckets});
    unsigned second = total >= LEAST ? find_second_group(buckets, total) : 0;
    if (!second)
        return false;
    for (unsigned i = second; i < CUP_BUCKETS; i++)
        slow += buckets[i];
    double fast_ns = median_ns(buckets, 0, second),
           slow_ns = median_ns(buckets, second, CUP_BUCKETS),
           lost_ns = (double)slow * (slow_ns - fast_ns);
    /* Requests of a task at the same time hold it up only once. */
    if (use->waited_ns < use->busy_ns)
        lost_ns *= (double)use->waited_ns / (double)use->busy_ns;
    return lost_ns > 0.05 * (double)t->all.wall_ns &&
           cup_advise(advice, cup_saves(t, advice, lost_ns / 1e9),
                      "The requests at %s fall into two groups: %.0f %% of %s took about %s, and "
                      "the others about %s. That is what a cache (XCache) looks like whose misses "
                      "are the slow group; they cost %s (threshold 5 %% of the task time). \nIf it "
                      "is a cache, fill it before the run, or ask the site how large it is.",
                      CUP_SHOW_TEXT(use->name, 100), (double)slow * 100 / (double)total,
                      CUP_SHOW_COUNTED(total, "request"), CUP_SHOW_NS(slow_ns),
                      CUP_SHOW_NS(fast_ns), CUP_SHOW_NS(lost_ns));
}

bool cup_rule_cache_misses(const struct cup_totals *t, struct cup_advice *advice)
{
    struct cup_server_uses uses;
    bool applies = false;
    if (cup_server_uses_make(&uses, t->profile) != 0)
        return false;
    for (size_t i = 0; i < uses.count && !applies; i++)
        applies = advise_misses(t, advice, &uses.rows[i]);
    cup_server_uses_free(&uses);
    return applies;
}

/* ---- few connections ------------------------------------------------------------------------- */

/* Requests of one process that wait for each other: many are out at a time, and most take several
 * times as long as the fastest tenth, which found no other one before them. */
static bool advise_connections(const struct cup_totals *t, struct cup_advice *advice,
                               const struct cup_server_use *use)
{
    enum { LEAST = 100, OUT = 4, TIMES = 3 };
    const struct cup_durations durations = cup_server_durations(use);
    double out = cup_server_mean_out(use), fast_ns = cup_durations_quantile_ns(&durations, 0.1),
           usual_ns = cup_durations_quantile_ns(&durations, 0.5);
    double lost_ns = (double)use->waited_ns * (1 - fast_ns / usual_ns);
    if (!(out >= OUT) || use->requests < LEAST || !(usual_ns > TIMES * fast_ns) ||
        lost_ns < 0.05 * (double)t->all.wall_ns)
        return false;
    return cup_advise(
        advice, cup_saves(t, advice, lost_ns / 1e9),
        "Requests to %s queue in the client: %.1f of one process were out at a time on average "
        "(threshold %d), at most %s. Half of them took over %s, while the server answered the "
        "fastest tenth within %s (threshold %d times). Tasks waited %s for it. \nXRootD's client "
        "sends all requests of a process on one connection: use more worker processes with fewer "
        "threads, or set XRD_SUBSTREAMSPERCHANNEL. If the network is full, this does not help.",
        CUP_SHOW_TEXT(use->name, 100), out, OUT, CUP_SHOW_COUNT(use->most_out),
        CUP_SHOW_NS(usual_ns), CUP_SHOW_NS(fast_ns), TIMES, CUP_SHOW_NS(use->waited_ns));
}

bool cup_rule_few_connections(const struct cup_totals *t, struct cup_advice *advice)
{
    struct cup_server_uses uses;
    bool applies = false;
    if (cup_server_uses_make(&uses, t->profile) != 0)
        return false;
    for (size_t i = 0; i < uses.count && !applies; i++)
        applies = advise_connections(t, advice, &uses.rows[i]);
    cup_server_uses_free(&uses);
    return applies;
}
