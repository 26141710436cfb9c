#include "preload/counters/access.h"

#include "include/log_pairs.h"
#include "preload/counters/block.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/places.h"

#include <stddef.h>
#include <string.h>

uint64_t cup_extents_longest = CUP_EXTENT_LONGEST_NS;

/* The cost of joining an extent with the next: the bits of a positive float, which compare as the
 * float does. Its five lowest bits are replaced by the extent's number, so the minimum of the costs
 * names the extent that it belongs to. */
enum { NUMBER_BITS = 31 };
#define NO_COST UINT32_MAX
_Static_assert(CUP_EXTENT_ROOM <= NUMBER_BITS + 1 && CUP_EXTENT_ROOM % 4 == 0,
               "see find_cheapest()");

void cup_extents_start(struct cup_extents *extents, struct cup_access_extent *room)
{
    extents->at = room;
    cup_extents_clear(extents);
}

void cup_extents_clear(struct cup_extents *extents)
{
    memset(extents->at, 0, CUP_EXTENT_ROOM * sizeof *extents->at);
    memset(extents->costs, 0xff, sizeof extents->costs);
    extents->current = NULL;
    extents->count = 0;
}

/* ---- joining ------------------------------------------------------------------------------ */

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static float measure_box(uint64_t bytes, uint64_t ticks)
{
    return (float)bytes * (float)ticks;
}

/* The cost of joining two extents: the area, in bytes times ticks, of the box around both. */
static float measure_cost(const struct cup_access_extent *a, const struct cup_access_extent *b)
{
    return measure_box(most_of(a->high, b->high) - least_of(a->low, b->low),
                       most_of(a->stop, b->stop) - least_of(a->start, b->start));
}

/* The current extent still grows: the cost of joining it is measured when another becomes current.
 */
static void update_cost(struct cup_extents *extents, uint32_t extent)
{
    uint32_t bits = NO_COST, next = extents->next[extent];
    if (extent != extents->last && &extents->at[next] != extents->current) {
        float cost = measure_cost(&extents->at[extent], &extents->at[next]);
        memcpy(&bits, &cost, sizeof bits);
        bits = (bits & ~(uint32_t)NUMBER_BITS) | extent;
    }
    extents->costs[extent] = bits;
}

/* The extent that costs least to join with the next one. Four minima are computed side by side:
 * they do not depend on each other, so the processor works on them at the same time. */
static uint32_t find_cheapest(const struct cup_extents *extents)
{
    uint32_t found[4] = {NO_COST, NO_COST, NO_COST, NO_COST};
    for (int i = 0; i < CUP_EXTENT_ROOM; i += 4)
        for (int k = 0; k < 4; k++)
            found[k] = extents->costs[i + k] < found[k] ? extents->costs[i + k] : found[k];
    uint64_t both = least_of(least_of(found[0], found[1]), least_of(found[2], found[3]));
    return (uint32_t)both & NUMBER_BITS;
}

static void join_extents(struct cup_access_extent *to, const struct cup_access_extent *next)
{
    to->jumps += next->jumps + (next->low - to->high > CUP_EXTENT_GAP);
    to->low = least_of(to->low, next->low);
    to->high = most_of(to->high, next->high);
    to->start = least_of(to->start, next->start);
    to->stop = most_of(to->stop, next->stop);
    to->bytes += next->bytes;
    to->calls += next->calls;
}

/* Joins the pair of least cost and returns the place that is free now. The current extent has no
 * cost yet, so it is not joined. */
static uint32_t make_room(struct cup_extents *extents)
{
    uint32_t extent = find_cheapest(extents), gone = extents->next[extent];
    join_extents(&extents->at[extent], &extents->at[gone]);
    extents->next[extent] = extents->next[gone];
    extents->before[extents->next[gone]] = (uint8_t)extent;
    extents->at[gone].calls = 0;
    extents->costs[gone] = NO_COST;
    update_cost(extents, extent);
    if (extent != extents->first)
        update_cost(extents, extents->before[extent]);
    return gone;
}

/* Leaves at most COUNT extents. The set must be cleared before extents are added again. */
static void join_to(struct cup_extents *extents, uint32_t count)
{
    for (; extents->count > count; extents->count--)
        make_room(extents);
}

/* ---- adding ------------------------------------------------------------------------------- */

static void append_extent(struct cup_extents *extents, const struct cup_access_extent *extent)
{
    uint32_t place = extents->count < CUP_EXTENT_ROOM ? extents->count++ : make_room(extents);
    uint32_t last = extents->last;
    if (extents->current) {
        extents->next[last] = (uint8_t)place;
        extents->before[place] = (uint8_t)last;
    } else {
        extents->first = (uint8_t)place;
    }
    extents->at[place] = *extent;
    extents->last = (uint8_t)place;
    bool had_one = extents->current != NULL;
    extents->current = &extents->at[place];
    if (had_one && last != extents->first)
        update_cost(extents, extents->before[last]);
}

/* The read repeats exactly the range of the current extent: then it counts there, and the extent
 * has more bytes than its length. */
static bool repeats_range(const struct cup_access_extent *current, uint64_t offset, uint64_t bytes,
                          uint64_t start)
{
    return current && current->low == offset && current->high == offset + bytes &&
           (int64_t)(start - current->start) < (int64_t)cup_extents_longest;
}

void cup_extents_begin(struct cup_extents *extents, uint64_t offset, uint64_t bytes, uint64_t start,
                       uint64_t stop)
{
    struct cup_access_extent *current = extents->current;
    if (repeats_range(current, offset, bytes, start)) {
        current->bytes += bytes;
        current->calls++;
        current->jumps++;
        current->stop = most_of(current->stop, stop);
        return;
    }
    append_extent(extents, &(struct cup_access_extent){.low = offset,
                                                       .high = offset + bytes,
                                                       .start = start,
                                                       .stop = stop,
                                                       .bytes = bytes,
                                                       .calls = 1});
}

/* ---- merging ------------------------------------------------------------------------------ */

/* Copies the extents to TO in the order of time; returns how many there are. */
static uint32_t list_in_order(const struct cup_extents *extents, struct cup_access_extent *to)
{
    uint32_t place = extents->first;
    for (uint32_t i = 0; i < extents->count; i++, place = extents->next[place])
        to[i] = extents->at[place];
    return extents->count;
}

/* An insertion sort: the extents are nearly sorted. Only the answers of requests that were under
 * way at the same time may come in another order. */
static void sort_by_start(struct cup_access_extent *extents, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct cup_access_extent moved = extents[i];
        uint32_t to = i;
        for (; to > 0 && extents[to - 1].start > moved.start; to--)
            extents[to] = extents[to - 1];
        extents[to] = moved;
    }
}

void cup_extents_merge(struct cup_extents *extents, const struct cup_extents *from)
{
    struct cup_access_extent all[2 * CUP_EXTENT_ROOM];
    uint32_t count = list_in_order(extents, all);
    count += list_in_order(from, all + count);
    sort_by_start(all, count);
    cup_extents_clear(extents);
    for (uint32_t i = 0; i < count; i++)
        append_extent(extents, &all[i]);
}

/* ---- sets of a process -------------------------------------------------------------------- */

/* If a full set began at least this long ago, it is written out, and no extents are joined. So a
 * task that reads for hours is recorded in as much detail as one that reads for ten seconds, and
 * takes at most 1.5 KiB of log a minute. */
#define WRITE_AFTER_NS UINT64_C(10000000000)

struct cup_access_set cup_access_sets[CUP_ACCESS_SETS + 1];
static uint64_t taken[CUP_ACCESS_SETS / 64];   /* one bit for each set that is in use: number - 1 */
static uint32_t used;                          /* the highest number that was taken so far */
static uint16_t of_block[CUP_LOG_MOST_BLOCKS]; /* by block index: number of its first set */

void cup_access_reset(void)
{
    memset(cup_access_sets, 0, (used + 1) * sizeof *cup_access_sets);
    memset(taken, 0, sizeof taken);
    memset(of_block, 0, sizeof of_block);
    used = 0;
    cup_extents_longest = cup_ns_ticks(CUP_EXTENT_LONGEST_NS);
}

static uint16_t *chain_of(const struct cup_block *block)
{
    return &of_block[cup_log_block_index(block)];
}

/* ---- records ------------------------------------------------------------------------------ */

static size_t encode_numbers(unsigned char *at, const uint64_t *numbers)
{
    size_t bytes = 1;
    at[0] = 0;
    for (int i = 0; i < CUP_KV_COUNT; i++) {
        if (!numbers[i])
            continue;
        at[0] |= (unsigned char)(1 << i);
        bytes += cup_pairs_number(at + bytes, numbers[i]);
    }
    return bytes;
}

static uint64_t scale_time(const struct cup_r_extents *set, uint64_t ticks)
{
    return (uint64_t)cup_extents_time_ns(set, ticks) >> CUP_EXTENT_TIME_BITS;
}

/* Encodes COUNT extents into AT, which has room for CODE_LONGEST bytes for each. They are in the
 * order of time, and none stops before it starts. SET converts ticks to times; START_NS is the
 * record's time. Returns the number of bytes.
 *
 * A first byte of 0 marks the end of the record's tail. No extent begins with it: the length of an
 * extent is never 0, so at least one bit is set. */
enum { CODE_LONGEST = 1 + 10 * CUP_KV_COUNT };
static size_t encode_extents(unsigned char *at, const struct cup_r_extents *set, int64_t start_ns,
                             const struct cup_access_extent *extents, uint32_t count)
{
    size_t bytes = 0;
    uint64_t end = 0, ended = (uint64_t)start_ns >> CUP_EXTENT_TIME_BITS;
    for (uint32_t i = 0; i < count; i++) {
        const struct cup_access_extent *extent = &extents[i];
        uint64_t length = extent->high - extent->low;
        uint64_t start = scale_time(set, extent->start), stop = scale_time(set, extent->stop);
        const uint64_t numbers[CUP_KV_COUNT] = {
            [CUP_KV_OFFSET] = cup_pairs_difference(extent->low, end),
            [CUP_KV_EXTENT] = length,
            [CUP_KV_START] = cup_pairs_difference(start, ended),
            [CUP_KV_TIME] = stop - start,
            [CUP_KV_BYTES] = cup_pairs_difference(extent->bytes, length),
            [CUP_KV_CALLS] = extent->calls - 1u,
            [CUP_KV_JUMPS] = extent->jumps,
        };
        bytes += encode_numbers(at + bytes, numbers);
        end = extent->high;
        ended = stop;
    }
    return bytes;
}

/* What the helpers of a task read is most of what there is in ACCESS records. A picture of a file
 * shows hundreds of tasks: for it, so many places of each are enough. */
enum { HELPERS_WRITTEN = CUP_EXTENT_ROOM / 2 };

/* Writes the set out and clears it, in an order that leaves the log readable after a kill at any
 * point. */
static void write_set(struct cup_access_set *set)
{
    struct cup_access_extent extents[CUP_EXTENT_ROOM];
    unsigned char coded[CUP_EXTENT_ROOM * CODE_LONGEST];
    struct cup_r_extents *from = set->record;
    if (from->own != CUP_BLOCK_RUNS)
        join_to(&set->extents, HELPERS_WRITTEN);
    uint32_t count = list_in_order(&set->extents, extents);
    if (count) {
        const struct cup_r_access record = {.task = from->task,
                                            .file = from->file,
                                            .start_ns = cup_extents_time_ns(from, extents[0].start),
                                            .set = (uint16_t)from->set,
                                            .own = from->own,
                                            .extents = (uint8_t)count,
                                            .sequence = from->sequence};
        size_t bytes = encode_extents(coded, from, record.start_ns, extents, count);
        cup_log_write(CUP_R_ACCESS, &record, coded, bytes);
    }
    cup_extents_clear(&set->extents);
    __atomic_store_n(&from->sequence, from->sequence + 1, __ATOMIC_RELEASE);
}

/* ---- sets --------------------------------------------------------------------------------- */

static void release_set(uint32_t number)
{
    __atomic_store_n(&cup_access_sets[number].record->file, 0, __ATOMIC_RELEASE);
    cup_place_free(taken, number - 1);
}

static void raise_used(uint32_t number)
{
    uint32_t most = __atomic_load_n(&used, __ATOMIC_RELAXED);
    while (most < number && !__atomic_compare_exchange_n(&used, &most, number, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Makes the set's record in the log unless it has one. False: the log has no room. */
static bool ensure_record(struct cup_access_set *set, uint32_t number)
{
    if (set->record)
        return true;
    const struct cup_r_extents record = {.set = number, .sequence = 1};
    set->record = cup_log_write(CUP_R_EXTENTS, &record, NULL, 0);
    if (set->record)
        cup_extents_start(&set->extents, set->record->extents);
    return set->record != NULL;
}

/* From now on, the record's ticks are converted to times relative to the present moment. */
static void restart_clock(struct cup_r_extents *record)
{
    record->multiplier = cup_ticks_scale.multiplier;
    record->base_ns = cup_clock_realtime_ns();
    record->base_ticks = cup_ticks();
}

/* Makes a set for FILE and returns its number; 0: there is no room. */
static uint32_t make_set(struct cup_block *block, uint32_t file)
{
    uint32_t number = cup_place_take(taken, CUP_ACCESS_SETS) + 1;
    if (number > CUP_ACCESS_SETS)
        return 0;
    raise_used(number);
    struct cup_access_set *set = &cup_access_sets[number];
    if (!ensure_record(set, number)) {
        cup_place_free(taken, number - 1);
        return 0;
    }
    uint16_t *chain = chain_of(block);
    set->next = *chain;
    *chain = (uint16_t)number;
    set->record->task = block->task;
    set->record->own = (uint8_t)block->own;
    restart_clock(set->record);
    __atomic_store_n(&set->record->file, file, __ATOMIC_RELEASE);
    return number;
}

static void clear_entries(struct cup_block *block, uint32_t number)
{
    for (int entry = 0; entry < CUP_BLOCK_FILES; entry++)
        if (block->files[entry].access == number)
            block->files[entry].access = 0;
}

/* If the block has CUP_ACCESS_OF_BLOCK sets, writes the oldest one out and frees it. */
static void evict_oldest(struct cup_block *block)
{
    uint32_t count = 0, number = *chain_of(block), before = 0;
    for (; number && cup_access_sets[number].next; number = cup_access_sets[number].next) {
        before = number;
        count++;
    }
    if (count + 1 < CUP_ACCESS_OF_BLOCK)
        return;
    write_set(&cup_access_sets[number]);
    cup_access_sets[before].next = 0;
    clear_entries(block, number);
    release_set(number);
}

/* The number of FILE's set; 0: none. */
static uint32_t find_set(const struct cup_block *block, uint32_t file)
{
    uint32_t number = *chain_of(block);
    while (number && cup_access_sets[number].record->file != file)
        number = cup_access_sets[number].next;
    return number;
}

static uint32_t find_or_make_set(struct cup_block *block, uint32_t file)
{
    uint32_t number = find_set(block, file);
    if (number)
        return number;
    evict_oldest(block);
    number = make_set(block, file);
    return number ? number : CUP_ACCESS_NONE;
}

void cup_access_read_slowly(struct cup_block *block, struct cup_file_use *use, uint64_t offset,
                            uint64_t bytes, uint64_t start, uint64_t stop)
{
    bool fresh = !use->access;
    if (fresh)
        use->access = find_or_make_set(block, use->file);
    if (use->access == CUP_ACCESS_NONE)
        return;
    struct cup_access_set *set = &cup_access_sets[use->access];
    if (!stop)
        start = stop = cup_ticks();
    if (fresh && cup_extents_go_on(&set->extents, offset, bytes, start, stop))
        return;
    const struct cup_extents *extents = &set->extents;
    if (extents->count == CUP_EXTENT_ROOM &&
        cup_ticks_ns(stop - extents->at[extents->first].start) > WRITE_AFTER_NS) {
        write_set(set);
        restart_clock(set->record);
    }
    cup_extents_begin(&set->extents, offset, bytes, start, stop);
}

void cup_access_close(struct cup_block *block)
{
    uint16_t *chain = chain_of(block);
    uint32_t number = *chain;
    *chain = 0;
    while (number) {
        uint32_t next = cup_access_sets[number].next;
        write_set(&cup_access_sets[number]);
        release_set(number);
        number = next;
    }
}

/* Adds the extents of set FROM to set TO, both in ticks. As soon as FROM's file is 0, a reader
 * ignores it: a kill after that loses what is not merged yet, but nothing is counted twice. */
static void merge_sets(uint32_t to, uint32_t from)
{
    struct cup_access_set *gone = &cup_access_sets[from];
    __atomic_store_n(&gone->record->file, 0, __ATOMIC_RELEASE);
    cup_extents_merge(&cup_access_sets[to].extents, &gone->extents);
    cup_extents_clear(&gone->extents);
    release_set(from);
}

void cup_access_move(struct cup_block *to, struct cup_block *from)
{
    uint16_t *into = chain_of(to), *chain = chain_of(from);
    uint32_t number = *chain;
    *chain = 0;
    while (number) {
        struct cup_access_set *set = &cup_access_sets[number];
        uint32_t next = set->next, known = find_set(to, set->record->file);
        if (known) {
            merge_sets(known, number);
        } else {
            set->next = *into;
            *into = (uint16_t)number;
        }
        number = next;
    }
}
