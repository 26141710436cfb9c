#include "preload/io/server_requests.h"

#include "include/log_pairs.h"
#include "preload/io/repeats.h"
#include "preload/sys/clock.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <string.h>

/* Requests of one task that are out at one server; of task PROCESS those of all tasks. */
struct out {
    struct cup_server_request_out of;
    uint32_t count;  /* requests that are out; 0: the entry is free */
    uint64_t since;  /* ticks: `waited` includes everything up to here */
    uint64_t waited; /* ticks with at least one request out, not yet in a sum */
    uint32_t most;   /* requests that were out at a time, since the entry has been in use */
};

/* What is written as one record. */
struct sum {
    bool used;
    uint32_t task, file, server, peer, error;
    uint64_t first, last; /* ticks: when the first was sent, and the last had ended */
    uint64_t values[CUP_Q_COUNT_OF];
    uint32_t buckets[2 * CUP_BUCKETS]; /* durations, then times to the first byte */
};

enum { PROCESS = UINT32_MAX };

enum { OUTS = 512, SUMS = 256, TRIED = 8, OLD_NS = 2000000000 };

static struct {
    uint32_t lock;
    uint32_t used;    /* sums in use */
    uint64_t checked; /* ticks: when old sums were last searched for */
    struct out outs[OUTS];
    struct sum sums[SUMS];
} requests;

void cup_server_requests_reset(void)
{
    cup_raw_clear(&requests, sizeof requests);
}

/* ---- requests that are out ------------------------------------------------------------------ */

static size_t hash_pair(uint32_t a, uint32_t b)
{
    return (size_t)((((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* The entry of OF. If there is none: with MAKE a free one, which becomes its own. NULL: the entries
 * where it may be belong to others. */
static struct out *find_out(struct cup_server_request_out of, bool make)
{
    struct out *unused = NULL;
    size_t at = hash_pair(of.task, of.server);
    for (size_t i = 0; i < TRIED; i++) {
        struct out *out = &requests.outs[(at + i) % OUTS];
        if (out->count && out->of.task == of.task && out->of.server == of.server)
            return out;
        if (!out->count)
            unused = out;
    }
    if (!make || !unused)
        return NULL;
    *unused = (struct out){.of = of};
    return unused;
}

static void advance_out(struct out *out, uint64_t now)
{
    if (now <= out->since) /* the time stamp counter of another core is a little behind */
        return;
    out->waited += out->count ? now - out->since : 0;
    out->since = now;
}

static void add_out(struct cup_server_request_out of, uint64_t now)
{
    struct out *out = find_out(of, true);
    if (!out)
        return;
    advance_out(out, now);
    out->count++;
    out->most = out->count > out->most ? out->count : out->most;
}

void cup_server_request_sent(struct cup_server_request_out of, uint64_t now)
{
    cup_spin_lock(&requests.lock);
    add_out(of, now);
    if (of.server)
        add_out((struct cup_server_request_out){PROCESS, of.server}, now);
    cup_spin_unlock(&requests.lock);
}

/* Returns how long requests like END were out, in ticks that were not returned before. Without an
 * entry, because too many tasks and servers have requests out, that is the duration of the request
 * itself. */
static uint64_t take_waited(const struct cup_server_request_end *end,
                            struct cup_server_request_out of, uint32_t *most)
{
    struct out *out = find_out(of, false);
    if (!out)
        return end->stop - end->start;
    advance_out(out, end->stop);
    out->count--;
    uint64_t waited = out->waited;
    out->waited = 0;
    *most = out->most;
    return waited;
}

static void remove_out(struct cup_server_request_out of, uint64_t now)
{
    struct out *out = find_out(of, false);
    if (!out)
        return;
    advance_out(out, now);
    out->count--;
}

void cup_server_request_not_sent(struct cup_server_request_out of, uint64_t now)
{
    cup_spin_lock(&requests.lock);
    remove_out(of, now);
    if (of.server)
        remove_out((struct cup_server_request_out){PROCESS, of.server}, now);
    cup_spin_unlock(&requests.lock);
}

/* The same for all tasks of the process: adds it to SUM. */
static void add_process(struct sum *sum, const struct cup_server_request_end *end)
{
    uint32_t most = 1;
    if (end->peer || !end->out.server)
        return;
    uint64_t waited =
        take_waited(end, (struct cup_server_request_out){PROCESS, end->out.server}, &most);
    sum->values[CUP_Q_PROCESS_NS] += cup_ticks_ns(waited);
    if (most > sum->values[CUP_Q_MOST_OUT])
        sum->values[CUP_Q_MOST_OUT] = most;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void write_sum(struct sum *sum)
{
    unsigned char pairs[CUP_Q_COUNT_OF * CUP_PAIR_LONGEST + CUP_LIST_LONGEST +
                        2 * CUP_BUCKETS * CUP_BUCKET_LONGEST];
    uint32_t before = CUP_NO_BUCKET;
    size_t bytes = cup_pairs_nonzero(pairs, sum->values, CUP_Q_COUNT_OF);
    for (uint32_t i = 0; i < 2 * CUP_BUCKETS; i++)
        if (sum->buckets[i])
            bytes += cup_pairs_bucket(pairs + bytes, &before, i, sum->buckets[i]);
    const struct cup_r_requests record = {.task = sum->task,
                                          .file = sum->file,
                                          .server = sum->server,
                                          .peer = sum->peer,
                                          .error = sum->error,
                                          .start_ns = cup_ticks_realtime_ns(sum->first),
                                          .stop_ns = cup_ticks_realtime_ns(sum->last)};
    cup_log_write(CUP_R_REQUESTS, &record, pairs, bytes);
    memset(sum, 0, sizeof *sum);
    requests.used--;
}

static bool is_sum_of(const struct sum *sum, const struct cup_server_request_end *end)
{
    return sum->used && sum->task == end->task && sum->file == end->file &&
           sum->server == end->server && sum->peer == end->peer && sum->error == end->error;
}

/* The sum that END belongs to. If all entries where it may be are taken, the oldest is written. */
static struct sum *find_sum(const struct cup_server_request_end *end)
{
    size_t at =
        hash_pair(end->task ^ end->error << 20, end->file ^ (end->server ^ end->peer) << 16);
    struct sum *place = NULL;
    for (size_t i = 0; i < TRIED; i++) {
        struct sum *sum = &requests.sums[(at + i) % SUMS];
        if (is_sum_of(sum, end))
            return sum;
        if (!place || (place->used && (!sum->used || sum->first < place->first)))
            place = sum;
    }
    if (place->used)
        write_sum(place);
    *place = (struct sum){.used = true,
                          .task = end->task,
                          .file = end->file,
                          .server = end->server,
                          .peer = end->peer,
                          .error = end->error,
                          .first = end->start};
    requests.used++;
    return place;
}

static void add_request(struct sum *sum, const struct cup_server_request_end *end, uint64_t waited)
{
    uint64_t ns = cup_ticks_ns(end->stop - end->start), *values = sum->values;
    values[CUP_Q_COUNT]++;
    values[CUP_Q_BYTES] += end->bytes;
    values[CUP_Q_NS] += ns;
    values[CUP_Q_WAITED_NS] += cup_ticks_ns(waited);
    values[CUP_Q_LONGEST_NS] = ns > values[CUP_Q_LONGEST_NS] ? ns : values[CUP_Q_LONGEST_NS];
    values[CUP_Q_MOVED] += end->moved;
    values[CUP_Q_ENCRYPTED] += end->encrypted;
    values[CUP_Q_REPEATED] += cup_repeats_request(end->task, end->key, end->error != 0);
    sum->buckets[cup_bucket(ns)]++;
    if (end->first)
        sum->buckets[CUP_BUCKETS + cup_bucket(cup_ticks_ns(end->first - end->start))]++;
    sum->first = end->start < sum->first ? end->start : sum->first;
    sum->last = end->stop;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Writes the sums of TASK, or ALL sums, or those that began before BEFORE (ticks). */
static void write_sums(uint32_t task, bool all, uint64_t before)
{
    for (size_t i = 0; i < SUMS && requests.used; i++) {
        struct sum *sum = &requests.sums[i];
        if (sum->used && (all || (before ? sum->first < before : sum->task == task)))
            write_sum(sum);
    }
}

/* A process that is killed loses the requests of its running tasks since about the last 2 s. */
static void write_old_sums(uint64_t now)
{
    uint64_t old = cup_ns_ticks(OLD_NS);
    if (now - requests.checked < old / 2)
        return;
    requests.checked = now;
    write_sums(0, false, now - old);
}

void cup_server_request_ended(const struct cup_server_request_end *end)
{
    cup_spin_lock(&requests.lock);
    uint32_t most;
    uint64_t waited = end->peer ? end->stop - end->start : take_waited(end, end->out, &most);
    struct sum *sum = find_sum(end);
    add_request(sum, end, waited);
    add_process(sum, end);
    write_old_sums(end->stop);
    cup_spin_unlock(&requests.lock);
}

void cup_server_requests_task_ended(uint32_t task)
{
    if (!__atomic_load_n(&requests.used, __ATOMIC_RELAXED))
        return;
    cup_spin_lock(&requests.lock);
    write_sums(task, false, 0);
    cup_spin_unlock(&requests.lock);
}

void cup_server_requests_process_ends(void)
{
    cup_spin_lock(&requests.lock);
    write_sums(0, true, 0);
    cup_spin_unlock(&requests.lock);
}
