#include "preload/counters/access_extents.h"

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
    extents->count = CUP_EXTENT_ROOM;
    cup_extents_clear(extents);
}

void cup_extents_clear(struct cup_extents *extents)
{
    memset(extents->at, 0, extents->count * sizeof *extents->at);
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
