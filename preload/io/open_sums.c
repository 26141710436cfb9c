#include "preload/io/open_sums.h"

#include "include/log_pairs.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/spin.h"

#include <stdbool.h>

enum { SUMS = 64, TRIED = 8, BUCKETS = 160, OLD_NS = 2000000000 };

/* What is written as one record. Only the buckets with opens have an entry. */
struct sum {
    bool used;
    struct cup_r_opens of;
    uint64_t since; /* ticks: when the first one ended */
    uint64_t values[CUP_O_COUNT_OF];
    uint32_t bucket_count;
    struct bucket {
        uint16_t bucket, count;
    } buckets[BUCKETS];
};

static struct {
    uint32_t lock;
    uint32_t used;    /* sums in use */
    uint64_t checked; /* ticks: when old sums were last searched for */
    struct sum sums[SUMS];
} opens;

void cup_open_sums_reset(void)
{
    opens.lock = 0;
    for (size_t i = 0; i < SUMS && opens.used;
         i++) /* entries that were never used stay without a page */
        opens.sums[i].used = false;
    opens.used = 0;
}

/* An insertion sort: there are some twenty. */
static void sort_buckets(struct sum *sum)
{
    for (uint32_t i = 1; i < sum->bucket_count; i++) {
        struct bucket moved = sum->buckets[i];
        uint32_t to = i;
        for (; to > 0 && sum->buckets[to - 1].bucket > moved.bucket; to--)
            sum->buckets[to] = sum->buckets[to - 1];
        sum->buckets[to] = moved;
    }
}

static size_t write_buckets(struct sum *sum, unsigned char *pairs)
{
    size_t bytes = 0;
    uint32_t before = CUP_NO_BUCKET;
    sort_buckets(sum);
    for (uint32_t i = 0; i < sum->bucket_count; i++)
        bytes +=
            cup_pairs_bucket(pairs + bytes, &before, sum->buckets[i].bucket, sum->buckets[i].count);
    return bytes;
}

static void write_sum(struct sum *sum)
{
    unsigned char
        pairs[CUP_O_COUNT_OF * CUP_PAIR_LONGEST + CUP_LIST_LONGEST + BUCKETS * CUP_BUCKET_LONGEST];
    size_t bytes = cup_pairs_nonzero(pairs, sum->values, CUP_O_COUNT_OF);
    if (sum->values[CUP_O_COUNT] > 1) /* the bucket of one is known */
        bytes += write_buckets(sum, pairs + bytes);
    cup_log_write(CUP_R_OPENS, &sum->of, pairs, bytes);
    sum->used = false;
    __atomic_store_n(&opens.used, opens.used - 1, __ATOMIC_RELAXED);
}

/* ---- finding a sum --------------------------------------------------------------------------- */

static bool is_sum_of(const struct sum *sum, const struct cup_r_open *open)
{
    const struct cup_r_opens *of = &sum->of;
    return sum->used && of->task == open->task && of->place == open->path &&
           of->kind == open->kind && of->error == open->error && of->server == open->server;
}

static void begin_sum(struct sum *sum, const struct cup_r_open *open, uint64_t now)
{
    *sum = (struct sum){.used = true,
                        .of = {.task = open->task,
                               .place = open->path,
                               .kind = open->kind,
                               .error = open->error,
                               .server = open->server,
                               .start_ns = open->start_ns},
                        .since = now,
                        .values = {[CUP_O_SHORTEST_NS] = UINT64_MAX}};
    __atomic_store_n(&opens.used, opens.used + 1, __ATOMIC_RELAXED);
}

/* The sum that OPEN belongs to. If all entries where it may be are taken, the oldest is written. */
static struct sum *find_sum(const struct cup_r_open *open, uint64_t now)
{
    struct sum *place = NULL;
    for (size_t i = 0; i < TRIED; i++) {
        struct sum *sum = &opens.sums[(open->task * 31 + open->path + i) % SUMS];
        if (is_sum_of(sum, open))
            return sum;
        if (!place || (place->used && (!sum->used || sum->since < place->since)))
            place = sum;
    }
    if (place->used)
        write_sum(place);
    begin_sum(place, open, now);
    return place;
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* False: there is no entry left for one more bucket, or its count is full. */
static bool count_bucket(struct sum *sum, uint32_t bucket)
{
    uint32_t i = 0;
    while (i < sum->bucket_count && sum->buckets[i].bucket != bucket)
        i++;
    if (i == BUCKETS || (i < sum->bucket_count && sum->buckets[i].count == UINT16_MAX))
        return false;
    sum->buckets[i].bucket = (uint16_t)bucket;
    sum->buckets[i].count++;
    sum->bucket_count += i == sum->bucket_count;
    return true;
}

static void add_open(const struct cup_r_open *open, uint64_t now)
{
    struct sum *sum = find_sum(open, now);
    if (!count_bucket(sum, cup_open_bucket(open->ns))) {
        write_sum(sum);
        begin_sum(sum, open, now);
        count_bucket(sum, cup_open_bucket(open->ns));
    }
    uint64_t *values = sum->values, ns = open->ns;
    values[CUP_O_COUNT]++;
    values[CUP_O_NS] += ns;
    values[CUP_O_SHORTEST_NS] = ns < values[CUP_O_SHORTEST_NS] ? ns : values[CUP_O_SHORTEST_NS];
    values[CUP_O_LONGEST_NS] = ns > values[CUP_O_LONGEST_NS] ? ns : values[CUP_O_LONGEST_NS];
    values[CUP_O_REDIRECTS] += open->redirects;
}

/* Writes the sums of TASK, or ALL sums, or those that began before BEFORE (ticks). */
static void write_sums(uint32_t task, bool all, uint64_t before)
{
    for (size_t i = 0; i < SUMS && opens.used; i++) {
        struct sum *sum = &opens.sums[i];
        if (sum->used && (all || (before ? sum->since < before : sum->of.task == task)))
            write_sum(sum);
    }
}

static void write_old_sums(uint64_t now)
{
    uint64_t old = cup_ns_ticks(OLD_NS);
    if (now - opens.checked < old / 2)
        return;
    opens.checked = now;
    write_sums(0, false, now - old);
}

void cup_open_sums_add(const struct cup_r_open *open, uint64_t now)
{
    cup_spin_lock(&opens.lock);
    add_open(open, now);
    write_old_sums(now);
    cup_spin_unlock(&opens.lock);
}

/* ---- writing --------------------------------------------------------------------------------- */

void cup_open_sums_task_ended(uint32_t task)
{
    if (!__atomic_load_n(&opens.used, __ATOMIC_RELAXED))
        return;
    cup_spin_lock(&opens.lock);
    write_sums(task, false, 0);
    cup_spin_unlock(&opens.lock);
}

void cup_open_sums_process_ends(void)
{
    cup_spin_lock(&opens.lock);
    write_sums(0, true, 0);
    cup_spin_unlock(&opens.lock);
}
