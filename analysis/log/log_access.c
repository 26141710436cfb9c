#include "analysis/log/log_access.h"

#include <stdlib.h>

#include "analysis/log/log_number.h"
#include "preload/pairs.h"

static bool is_sound(const struct cup_read_stroke *stroke)
{
    return stroke->low < CUP_ACCESS_LIMIT && stroke->high > stroke->low &&
           stroke->high < CUP_ACCESS_LIMIT && stroke->bytes < CUP_ACCESS_LIMIT &&
           stroke->start_ns == cup_sane_time(stroke->start_ns) &&
           stroke->stop_ns == cup_sane_time(stroke->stop_ns) &&
           stroke->stop_ns >= stroke->start_ns && stroke->calls > 0 &&
           stroke->calls <= UINT32_MAX && stroke->jumps < stroke->calls;
}

/* Appends it; false if it cannot be. */
static bool keep(struct cup_access *access, const struct cup_read_stroke *stroke)
{
    if (!is_sound(stroke) || access->count == CUP_ACCESS_STROKES)
        return false;
    access->strokes[access->count++] = *stroke;
    return true;
}

/* ---- told --------------------------------------------------------------------------------- */

/* Those of newer writers are passed over: bits beyond the known ones of the first byte. */
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

/* Wraps where the values cannot be: is_sound() sees that. */
static struct cup_read_stroke stroke_of(const uint64_t *values, uint64_t end, uint64_t ended)
{
    uint64_t low = cup_pairs_undo(values[CUP_KV_OFFSET], end);
    uint64_t start = cup_pairs_undo(values[CUP_KV_START], ended);
    return (struct cup_read_stroke){
        .start_ns = (int64_t)(start << CUP_STROKE_TIME_BITS),
        .stop_ns = (int64_t)((start + values[CUP_KV_TIME]) << CUP_STROKE_TIME_BITS),
        .low = low,
        .high = low + values[CUP_KV_EXTENT],
        .bytes = cup_pairs_undo(values[CUP_KV_BYTES], values[CUP_KV_EXTENT]),
        .calls = values[CUP_KV_CALLS] + 1,
        .jumps = values[CUP_KV_JUMPS],
    };
}

static void read_told(struct cup_access *access, const struct cup_record *record)
{
    struct cup_r_access told;
    cup_record_fixed(record, &told, sizeof told);
    access->task = told.task;
    access->file = told.file;
    access->own = told.own;
    access->set = told.set;
    access->sequence = told.sequence;
    const unsigned char *at = cup_record_tail(record), *end = at + cup_record_tail_bytes(record);
    uint64_t values[CUP_KV_COUNT], place = 0;
    uint64_t ended = (uint64_t)cup_sane_time(told.start_ns) >> CUP_STROKE_TIME_BITS;
    while (access->count < told.strokes && take_values(&at, end, values)) {
        struct cup_read_stroke stroke = stroke_of(values, place, ended);
        if (!keep(access, &stroke))
            break;
        place = stroke.high;
        ended = (uint64_t)stroke.stop_ns >> CUP_STROKE_TIME_BITS;
    }
    access->damaged = access->count != told.strokes || (at < end && *at != 0);
}

/* ---- not told yet ------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct cup_read_stroke *one = a, *other = b;
    return (one->start_ns > other->start_ns) - (one->start_ns < other->start_ns);
}

/* Any may have been in the making. */
static void read_set(struct cup_access *access, const struct cup_record *record)
{
    struct cup_r_strokes set;
    cup_record_fixed(record, &set, sizeof set);
    access->task = set.task;
    access->file = set.file;
    access->own = set.own;
    access->set = set.set;
    access->sequence = set.sequence;
    if (set.base_ns != cup_sane_time(set.base_ns))
        set.multiplier = 0;
    for (int i = 0; i < CUP_STROKE_ROOM && set.file; i++) {
        const struct cup_access_stroke *from = &set.strokes[i];
        const struct cup_read_stroke stroke = {
            .start_ns = cup_strokes_time_ns(&set, from->start),
            .stop_ns = cup_strokes_time_ns(&set, from->stop),
            .low = from->low,
            .high = from->high,
            .bytes = from->bytes,
            .calls = from->calls,
            .jumps = from->jumps,
        };
        access->damaged |= from->calls && !keep(access, &stroke);
    }
    qsort(access->strokes, access->count, sizeof *access->strokes, by_start);
}

void cup_access_decode(struct cup_access *access, const struct cup_record *record)
{
    access->count = 0;
    access->damaged = false;
    if (record->type == CUP_R_STROKES)
        read_set(access, record);
    else
        read_told(access, record);
}
