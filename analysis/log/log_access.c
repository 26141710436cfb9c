#include "analysis/log/log_access.h"

#include <stdlib.h>

#include "analysis/log/log_number.h"
#include "include/log_pairs.h"

static bool is_sound(const struct cup_read_extent *extent)
{
    return extent->low < CUP_ACCESS_LIMIT && extent->high > extent->low &&
           extent->high < CUP_ACCESS_LIMIT && extent->bytes < CUP_ACCESS_LIMIT &&
           extent->start_ns == cup_sane_time(extent->start_ns) &&
           extent->stop_ns == cup_sane_time(extent->stop_ns) &&
           extent->stop_ns >= extent->start_ns && extent->calls > 0 &&
           extent->calls <= UINT32_MAX && extent->jumps < extent->calls;
}

/* Appends an extent; false if it is impossible. */
static bool append_extent(struct cup_access *access, const struct cup_read_extent *extent)
{
    if (!is_sound(extent) || access->count == CUP_ACCESS_EXTENTS)
        return false;
    access->extents[access->count++] = *extent;
    return true;
}

/* ---- ACCESS records ----------------------------------------------------------------------- */

/* Reads the values of one extent: a number whose bits say which values follow, then these values.
 * The others are 0. Values that only newer versions know (higher bits) are skipped. Returns false
 * at the end or at damage. */
static bool take_values(const unsigned char **at, const unsigned char *end,
                        uint64_t values[CUP_KV_COUNT])
{
    uint64_t bits, value;
    if (!cup_number_next(at, end, &bits) || bits == 0)
        return false;
    memset(values, 0, CUP_KV_COUNT * sizeof *values);
    for (; bits; bits &= bits - 1) {
        unsigned index = (unsigned)__builtin_ctzll(bits);
        if (!cup_number_next(at, end, &value))
            return false;
        if (index < CUP_KV_COUNT)
            values[index] = value;
    }
    return true;
}

/* Converts values into an extent. END: where the extent before it ended in the file; ENDED: when.
 * Impossible values wrap around here; is_sound() rejects them. */
static struct cup_read_extent decode_extent(const uint64_t *values, uint64_t end, uint64_t ended)
{
    uint64_t low = cup_pairs_undo(values[CUP_KV_OFFSET], end);
    uint64_t start = cup_pairs_undo(values[CUP_KV_START], ended);
    return (struct cup_read_extent){
        .start_ns = (int64_t)(start << CUP_EXTENT_TIME_BITS),
        .stop_ns = (int64_t)((start + values[CUP_KV_TIME]) << CUP_EXTENT_TIME_BITS),
        .low = low,
        .high = low + values[CUP_KV_EXTENT],
        .bytes = cup_pairs_undo(values[CUP_KV_BYTES], values[CUP_KV_EXTENT]),
        .calls = values[CUP_KV_CALLS] + 1,
        .jumps = values[CUP_KV_JUMPS],
    };
}

static void decode_access_record(struct cup_access *access, const struct cup_record *record)
{
    struct cup_r_access fixed = cup_read_access(record);
    access->task = fixed.task;
    access->file = fixed.file;
    access->own = fixed.own;
    access->set = fixed.set;
    access->sequence = fixed.sequence;
    const unsigned char *at = cup_record_tail(record), *end = at + cup_record_tail_bytes(record);
    uint64_t values[CUP_KV_COUNT], place = 0;
    uint64_t ended = (uint64_t)cup_sane_time(fixed.start_ns) >> CUP_EXTENT_TIME_BITS;
    while (access->count < fixed.extents && take_values(&at, end, values)) {
        struct cup_read_extent extent = decode_extent(values, place, ended);
        if (!append_extent(access, &extent))
            break;
        place = extent.high;
        ended = (uint64_t)extent.stop_ns >> CUP_EXTENT_TIME_BITS;
    }
    access->damaged = access->count != fixed.extents || (at < end && *at != 0);
}

/* ---- EXTENTS records ---------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct cup_read_extent *one = a, *other = b;
    return (one->start_ns > other->start_ns) - (one->start_ns < other->start_ns);
}

/* If the process was killed while it changed an extent, that extent may be impossible: it is left
 * out. */
static void decode_extents_record(struct cup_access *access, const struct cup_record *record)
{
    struct cup_r_extents set = cup_read_extents(record);
    access->task = set.task;
    access->file = set.file;
    access->own = set.own;
    access->set = set.set;
    access->sequence = set.sequence;
    if (set.base_ns != cup_sane_time(set.base_ns))
        set.multiplier = 0;
    for (int i = 0; i < CUP_EXTENT_ROOM && set.file; i++) {
        const struct cup_access_extent *from = &set.extents[i];
        const struct cup_read_extent extent = {
            .start_ns = cup_extents_time_ns(&set, from->start),
            .stop_ns = cup_extents_time_ns(&set, from->stop),
            .low = from->low,
            .high = from->high,
            .bytes = from->bytes,
            .calls = from->calls,
            .jumps = from->jumps,
        };
        access->damaged |= from->calls && !append_extent(access, &extent);
    }
    qsort(access->extents, access->count, sizeof *access->extents, by_start);
}

void cup_access_decode(struct cup_access *access, const struct cup_record *record)
{
    access->count = 0;
    access->damaged = false;
    if (record->type == CUP_R_EXTENTS)
        decode_extents_record(access, record);
    else
        decode_access_record(access, record);
}
