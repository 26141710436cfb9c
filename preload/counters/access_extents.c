#include "preload/counters/access_extents.h"

#include <string.h>

uint64_t cup_extents_longest = CUP_EXTENT_LONGEST_NS;

/* A cost is the bits of a float, which compare as the float does, with the stroke's number in place
 * of the lowest ones: the least of them names its stroke. */
enum { NUMBER_BITS = 31 };
#define NO_COST UINT32_MAX
_Static_assert(CUP_EXTENT_ROOM <= NUMBER_BITS + 1 && CUP_EXTENT_ROOM % 4 == 0, "see least()");

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

static float box(uint64_t bytes, uint64_t ticks)
{
    return (float)bytes * (float)ticks;
}

/* The box around both. */
static float cost_of(const struct cup_access_extent *a, const struct cup_access_extent *b)
{
    return box(most_of(a->high, b->high) - least_of(a->low, b->low),
               most_of(a->stop, b->stop) - least_of(a->start, b->start));
}

/* That of the current stroke with the one before is settled when it is current no more. */
static void settle(struct cup_extents *extents, uint32_t extent)
{
    uint32_t bits = NO_COST, next = extents->next[extent];
    if (extent != extents->last && &extents->at[next] != extents->current) {
        float cost = cost_of(&extents->at[extent], &extents->at[next]);
        memcpy(&bits, &cost, sizeof bits);
        bits = (bits & ~(uint32_t)NUMBER_BITS) | extent;
    }
    extents->costs[extent] = bits;
}

/* The stroke that it costs least to join with the next one. Four at a time: they do not wait for
 * each other. */
static uint32_t least(const struct cup_extents *extents)
{
    uint32_t found[4] = {NO_COST, NO_COST, NO_COST, NO_COST};
    for (int i = 0; i < CUP_EXTENT_ROOM; i += 4)
        for (int k = 0; k < 4; k++)
            found[k] = extents->costs[i + k] < found[k] ? extents->costs[i + k] : found[k];
    uint64_t both = least_of(least_of(found[0], found[1]), least_of(found[2], found[3]));
    return (uint32_t)both & NUMBER_BITS;
}

static void add_stroke(struct cup_access_extent *to, const struct cup_access_extent *next)
{
    to->jumps += next->jumps + (next->low - to->high > CUP_EXTENT_GAP);
    to->low = least_of(to->low, next->low);
    to->high = most_of(to->high, next->high);
    to->start = least_of(to->start, next->start);
    to->stop = most_of(to->stop, next->stop);
    to->bytes += next->bytes;
    to->calls += next->calls;
}

/* Joins two; returns the place that is free now. None but the last two is current or last. */
static uint32_t make_room(struct cup_extents *extents)
{
    uint32_t extent = least(extents), gone = extents->next[extent];
    add_stroke(&extents->at[extent], &extents->at[gone]);
    extents->next[extent] = extents->next[gone];
    extents->before[extents->next[gone]] = (uint8_t)extent;
    extents->at[gone].calls = 0;
    extents->costs[gone] = NO_COST;
    settle(extents, extent);
    if (extent != extents->first)
        settle(extents, extents->before[extent]);
    return gone;
}

/* ---- adding ------------------------------------------------------------------------------- */

static void append(struct cup_extents *extents, const struct cup_access_extent *extent)
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
        settle(extents, extents->before[last]);
}

/* A file, or a part of it, that is read over and over is one stroke, of more bytes than it is long.
 */
static bool is_again(const struct cup_access_extent *current, uint64_t offset, uint64_t bytes,
                     uint64_t start)
{
    return current && current->low == offset && current->high == offset + bytes &&
           (int64_t)(start - current->start) < (int64_t)cup_extents_longest;
}

void cup_extents_begin(struct cup_extents *extents, uint64_t offset, uint64_t bytes, uint64_t start,
                       uint64_t stop)
{
    struct cup_access_extent *current = extents->current;
    if (is_again(current, offset, bytes, start)) {
        current->bytes += bytes;
        current->calls++;
        current->jumps++;
        current->stop = most_of(current->stop, stop);
        return;
    }
    append(extents, &(struct cup_access_extent){.low = offset,
                                                .high = offset + bytes,
                                                .start = start,
                                                .stop = stop,
                                                .bytes = bytes,
                                                .calls = 1});
}

/* ---- merging ------------------------------------------------------------------------------ */

/* Those of a set, in the order of time, to TO; returns how many. */
static uint32_t list(const struct cup_extents *extents, struct cup_access_extent *to)
{
    uint32_t place = extents->first;
    for (uint32_t i = 0; i < extents->count; i++, place = extents->next[place])
        to[i] = extents->at[place];
    return extents->count;
}

/* Answers that were waited for at a time come in any order: nearly sorted. */
static void sort(struct cup_access_extent *extents, uint32_t count)
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
    uint32_t count = list(extents, all);
    count += list(from, all + count);
    sort(all, count);
    cup_extents_clear(extents);
    for (uint32_t i = 0; i < count; i++)
        append(extents, &all[i]);
}
