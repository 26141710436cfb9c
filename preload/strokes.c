#include "preload/strokes.h"

#include <string.h>

uint64_t cup_strokes_longest = CUP_STROKE_LONGEST_NS;

/* A cost is the bits of a float, which compare as the float does, with the stroke's number in place
 * of the lowest ones: the least of them names its stroke. */
enum { NUMBER_BITS = 31 };
#define NO_COST UINT32_MAX
_Static_assert(CUP_STROKE_ROOM <= NUMBER_BITS + 1 && CUP_STROKE_ROOM % 4 == 0, "see least()");

void cup_strokes_start(struct cup_strokes *strokes, struct cup_access_stroke *room)
{
    strokes->at = room;
    strokes->count = CUP_STROKE_ROOM;
    cup_strokes_clear(strokes);
}

void cup_strokes_clear(struct cup_strokes *strokes)
{
    memset(strokes->at, 0, strokes->count * sizeof *strokes->at);
    memset(strokes->costs, 0xff, sizeof strokes->costs);
    strokes->current = NULL;
    strokes->count = 0;
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
static float cost_of(const struct cup_access_stroke *a, const struct cup_access_stroke *b)
{
    return box(most_of(a->high, b->high) - least_of(a->low, b->low),
               most_of(a->stop, b->stop) - least_of(a->start, b->start));
}

/* That of the current stroke with the one before is settled when it is current no more. */
static void settle(struct cup_strokes *strokes, uint32_t stroke)
{
    uint32_t bits = NO_COST, next = strokes->next[stroke];
    if (stroke != strokes->last && &strokes->at[next] != strokes->current) {
        float cost = cost_of(&strokes->at[stroke], &strokes->at[next]);
        memcpy(&bits, &cost, sizeof bits);
        bits = (bits & ~(uint32_t)NUMBER_BITS) | stroke;
    }
    strokes->costs[stroke] = bits;
}

/* The stroke that it costs least to join with the next one. Four at a time: they do not wait for
 * each other. */
static uint32_t least(const struct cup_strokes *strokes)
{
    uint32_t found[4] = {NO_COST, NO_COST, NO_COST, NO_COST};
    for (int i = 0; i < CUP_STROKE_ROOM; i += 4)
        for (int k = 0; k < 4; k++)
            found[k] = strokes->costs[i + k] < found[k] ? strokes->costs[i + k] : found[k];
    uint64_t both = least_of(least_of(found[0], found[1]), least_of(found[2], found[3]));
    return (uint32_t)both & NUMBER_BITS;
}

static void add_stroke(struct cup_access_stroke *to, const struct cup_access_stroke *next)
{
    to->jumps += next->jumps + (next->low - to->high > CUP_STROKE_GAP);
    to->low = least_of(to->low, next->low);
    to->high = most_of(to->high, next->high);
    to->start = least_of(to->start, next->start);
    to->stop = most_of(to->stop, next->stop);
    to->bytes += next->bytes;
    to->calls += next->calls;
}

/* Joins two; returns the place that is free now. None but the last two is current or last. */
static uint32_t make_room(struct cup_strokes *strokes)
{
    uint32_t stroke = least(strokes), gone = strokes->next[stroke];
    add_stroke(&strokes->at[stroke], &strokes->at[gone]);
    strokes->next[stroke] = strokes->next[gone];
    strokes->before[strokes->next[gone]] = (uint8_t)stroke;
    strokes->at[gone].calls = 0;
    strokes->costs[gone] = NO_COST;
    settle(strokes, stroke);
    if (stroke != strokes->first)
        settle(strokes, strokes->before[stroke]);
    return gone;
}

/* ---- adding ------------------------------------------------------------------------------- */

static void append(struct cup_strokes *strokes, const struct cup_access_stroke *stroke)
{
    uint32_t place = strokes->count < CUP_STROKE_ROOM ? strokes->count++ : make_room(strokes);
    uint32_t last = strokes->last;
    if (strokes->current) {
        strokes->next[last] = (uint8_t)place;
        strokes->before[place] = (uint8_t)last;
    } else {
        strokes->first = (uint8_t)place;
    }
    strokes->at[place] = *stroke;
    strokes->last = (uint8_t)place;
    bool had_one = strokes->current != NULL;
    strokes->current = &strokes->at[place];
    if (had_one && last != strokes->first)
        settle(strokes, strokes->before[last]);
}

/* A file, or a part of it, that is read over and over is one stroke, of more bytes than it is long.
 */
static bool is_again(const struct cup_access_stroke *current, uint64_t offset, uint64_t bytes,
                     uint64_t start)
{
    return current && current->low == offset && current->high == offset + bytes &&
           (int64_t)(start - current->start) < (int64_t)cup_strokes_longest;
}

void cup_strokes_begin(struct cup_strokes *strokes, uint64_t offset, uint64_t bytes, uint64_t start,
                       uint64_t stop)
{
    struct cup_access_stroke *current = strokes->current;
    if (is_again(current, offset, bytes, start)) {
        current->bytes += bytes;
        current->calls++;
        current->jumps++;
        current->stop = most_of(current->stop, stop);
        return;
    }
    append(strokes, &(struct cup_access_stroke){.low = offset,
                                                .high = offset + bytes,
                                                .start = start,
                                                .stop = stop,
                                                .bytes = bytes,
                                                .calls = 1});
}

/* ---- merging ------------------------------------------------------------------------------ */

/* Those of a set, in the order of time, to TO; returns how many. */
static uint32_t list(const struct cup_strokes *strokes, struct cup_access_stroke *to)
{
    uint32_t place = strokes->first;
    for (uint32_t i = 0; i < strokes->count; i++, place = strokes->next[place])
        to[i] = strokes->at[place];
    return strokes->count;
}

/* Answers that were waited for at a time come in any order: nearly sorted. */
static void sort(struct cup_access_stroke *strokes, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct cup_access_stroke moved = strokes[i];
        uint32_t to = i;
        for (; to > 0 && strokes[to - 1].start > moved.start; to--)
            strokes[to] = strokes[to - 1];
        strokes[to] = moved;
    }
}

void cup_strokes_merge(struct cup_strokes *strokes, const struct cup_strokes *from)
{
    struct cup_access_stroke all[2 * CUP_STROKE_ROOM];
    uint32_t count = list(strokes, all);
    count += list(from, all + count);
    sort(all, count);
    cup_strokes_clear(strokes);
    for (uint32_t i = 0; i < count; i++)
        append(strokes, &all[i]);
}
