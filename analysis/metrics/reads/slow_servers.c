#include "analysis/metrics/reads/slow_servers.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/profile/files.h"

/* Requests and opens; connections of sockets are none. */
static double count_of(const struct cup_server_use *use)
{
    const struct cup_open_sum *opens = use->opens;
    return (double)(use->requests + (opens ? opens->opened + opens->failed - opens->elsewhere : 0));
}

static double bytes_a_request(const struct cup_server_use *use)
{
    return use->requests ? (double)(use->bytes - use->cached_bytes) / (double)use->requests : 0;
}

/* All other servers of the kind of ONE, as if they were one. Returns how many there are. */
static size_t join_others(const struct cup_server_uses *uses, const struct cup_server_use *one,
                          struct cup_server_use *others, double *count)
{
    size_t servers = 0;
    *others = (struct cup_server_use){.kind = one->kind};
    *count = 0;
    for (size_t i = 0; i < uses->count; i++) {
        const struct cup_server_use *use = &uses->rows[i];
        bool alike = use->kind == one->kind && use->is_http == one->is_http;
        if (use == one || !alike || use->requests == 0)
            continue;
        servers++;
        *count += count_of(use);
        others->requests += use->requests;
        others->bytes += use->bytes - use->cached_bytes;
        others->waited_ns += use->waited_ns;
        others->busy_ns += use->busy_ns;
        others->longest_ns =
            use->longest_ns > others->longest_ns ? use->longest_ns : others->longest_ns;
        for (int at = 0; at < CUP_BUCKETS; at++)
            others->buckets[at] += use->buckets[at];
    }
    return servers;
}

static double p90_of(const struct cup_server_use *use)
{
    const struct cup_durations durations = cup_server_durations(use);
    return cup_durations_quantile_ns(&durations, 0.9);
}

/* How many times as long a request may take because it is larger. */
static double size_times(const struct cup_server_use *use, const struct cup_server_use *others)
{
    double one = bytes_a_request(use), other = bytes_a_request(others);
    return other > 0 && one > other ? one / other : 1;
}

static struct cup_slow_server judge_server(const struct cup_server_uses *uses,
                                           const struct cup_server_use *use)
{
    struct cup_server_use others;
    double others_count, count = count_of(use);
    struct cup_slow_server slow = {.others = join_others(uses, use, &others, &others_count)};
    if (use->kind == CUP_SERVER_WIRE || count < CUP_SLOW_LEAST || others_count < CUP_SLOW_LEAST)
        return slow;
    slow.mean_ns = (double)use->waited_ns / count;
    slow.others_mean_ns = (double)others.waited_ns / others_count;
    slow.others_request_ns = use->kind == CUP_SERVER_PEER
                                 ? (double)others.busy_ns / (double)others.requests
                                 : slow.others_mean_ns;
    double expected_ns = slow.others_mean_ns * size_times(use, &others);
    if (slow.mean_ns < CUP_SLOW_TIMES * expected_ns)
        return slow;
    slow.use = use;
    slow.p90_ns = p90_of(use);
    slow.others_p90_ns = p90_of(&others);
    slow.lost_ns = (slow.mean_ns - expected_ns) * count;
    return slow;
}

/* ---- hosts and files ------------------------------------------------------------------------- */

static double waited_ns_of(const struct cup_request_sum *sum)
{
    return (double)(sum->answered[CUP_Q_WAITED_NS] + sum->failed[CUP_Q_WAITED_NS]);
}

static uint64_t requests_of(const struct cup_request_sum *sum)
{
    return sum->answered[CUP_Q_COUNT] + sum->failed[CUP_Q_COUNT];
}

static bool is_of(const struct cup_profile *profile, uint32_t string, struct cup_text server)
{
    return string && cup_same_server(cup_profile_text(profile, string), server);
}

static void judge_hosts(struct cup_slow_server *slow, const struct cup_profile *profile)
{
    enum { LEAST = 3 };
    for (size_t i = 0; i < profile->request_sum_count; i++) {
        const struct cup_request_sum *sum = &profile->request_sums[i];
        if (!is_of(profile, sum->server, slow->use->name) || requests_of(sum) < LEAST)
            continue;
        slow->hosts++;
        if (waited_ns_of(sum) / (double)requests_of(sum) < CUP_SLOW_TIMES * slow->others_request_ns)
            continue;
        slow->slow_hosts++;
        slow->slow_host = sum->host;
    }
}

/* Tasks have several HTTP requests out at a time, and REQUESTS_NS is the sum of their times. The
 * file's counter is how long its tasks were blocked, which is less. It is 0 if no request was
 * answered: only answered requests count for their file. */
static uint64_t limit_by_blocked_ns(const struct cup_profile *profile, uint32_t file,
                                    uint64_t requests_ns)
{
    uint64_t blocked_ns =
        requests_ns ? cup_file_total(profile, file - 1).counters[CUP_F_WAIT_NS] : 0;
    return blocked_ns && blocked_ns < requests_ns ? blocked_ns : requests_ns;
}

uint32_t cup_worst_file(const struct cup_profile *profile, struct cup_text server, bool failed,
                        uint64_t *waited_ns)
{
    uint64_t *waited = calloc(profile->file_count + 1, sizeof *waited);
    uint32_t worst = 0;
    for (size_t i = 0; waited && i < profile->request_count; i++) {
        const struct cup_request_row *row = &profile->requests[i];
        bool wanted = !failed || cup_request_is_fault(row, cup_is_peer_address(server));
        if (row->file && wanted && is_of(profile, row->server, server))
            waited[row->file] += row->values[CUP_Q_WAITED_NS];
    }
    for (uint32_t file = 1; waited && file <= profile->file_count; file++)
        if (!failed && cup_is_peer_address(server))
            waited[file] = limit_by_blocked_ns(profile, file, waited[file]);
    for (uint32_t file = 1; waited && file <= profile->file_count; file++)
        if (waited[file] > (worst ? waited[worst] : 0))
            worst = file;
    *waited_ns = worst ? waited[worst] : 0;
    free(waited);
    return worst;
}

struct cup_slow_server cup_find_slow_server(const struct cup_server_uses *uses,
                                            const struct cup_profile *profile)
{
    struct cup_slow_server worst = {.use = NULL};
    for (size_t i = 0; i < uses->count; i++) {
        struct cup_slow_server slow = judge_server(uses, &uses->rows[i]);
        if (slow.use && (!worst.use || slow.lost_ns > worst.lost_ns))
            worst = slow;
    }
    if (!worst.use)
        return worst;
    judge_hosts(&worst, profile);
    worst.file = cup_worst_file(profile, worst.use->name, false, &worst.file_ns);
    return worst;
}
