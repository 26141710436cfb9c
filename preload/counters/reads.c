#include "preload/counters/reads.h"

#include "include/log_pairs.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/places.h"
#include "preload/sys/raw.h"

#include <stddef.h>

bool cup_reads_wanted;

/* A READS record, its head included. The row that is appended is at most ROW_LONGEST bytes long: a
 * byte and up to six numbers. */
enum { RECORD_BYTES = 4096, ROW_LONGEST = 1 + 6 * 10 };

/* What is known of the row that a thread, or an earlier thread with this stream, appended last. */
struct stream {
    unsigned char *at, *end;    /* room in the record; NULL: there is no record */
    uint64_t start, stop;       /* ticks */
    uint64_t base_ticks, units; /* when the record began; begin of the last row since then */
    uint64_t offset;            /* where the last row ended in its file */
    uint32_t file, owner;
};

enum { STREAMS = 1024 };
static struct stream streams[STREAMS];
static uint64_t taken[STREAMS / 64];
static uint64_t room_left; /* bytes */

/* The stream of this thread, plus 1. Streams of an earlier log have another number of the log. */
static uint32_t logs;
static __thread uint32_t own_stream, own_log;

void cup_reads_want(uint64_t room)
{
    room_left = room;
    cup_reads_wanted = room != 0;
}

void cup_reads_reset(void)
{
    cup_raw_clear(streams, sizeof streams);
    for (int i = 0; i < STREAMS / 64; i++)
        taken[i] = 0;
    logs++;
}

void cup_reads_thread_ends(void)
{
    if (own_stream && own_log == logs)
        cup_place_free(taken, own_stream - 1);
    own_stream = 0;
}

/* NULL: too many threads have one. */
static struct stream *find_stream(void)
{
    if (!own_stream || own_log != logs) {
        uint32_t place = cup_place_take(taken, STREAMS);
        if (place == STREAMS)
            return NULL;
        own_stream = place + 1;
        own_log = logs;
    }
    return &streams[own_stream - 1];
}

static bool take_room(void)
{
    uint64_t left = __atomic_load_n(&room_left, __ATOMIC_RELAXED);
    do {
        if (left < RECORD_BYTES)
            return false;
    } while (!__atomic_compare_exchange_n(&room_left, &left, left - RECORD_BYTES, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

/* Gives the stream a record with room for a row. */
static bool ensure_room(struct stream *stream)
{
    if (stream->at && stream->end - stream->at >= ROW_LONGEST)
        return true;
    stream->at = NULL;
    struct cup_r_reads *record =
        take_room() ? cup_log_reserve(sizeof *record, RECORD_BYTES - sizeof *record) : NULL;
    if (!record)
        return false;
    *stream = (struct stream){.at = (unsigned char *)(record + 1),
                              .end = (unsigned char *)record + RECORD_BYTES,
                              .base_ticks = cup_ticks()};
    record->start_ns = cup_clock_realtime_ns();
    cup_log_commit(record, CUP_R_READS);
    return true;
}

/* Units since the record began, rounded down; a read may have begun before that. */
static uint64_t scale_start(const struct stream *stream, uint64_t ticks)
{
    uint64_t apart = ticks - stream->base_ticks;
    if ((int64_t)apart >= 0)
        return cup_ticks_ns(apart) >> CUP_READS_TIME_BITS;
    return -(cup_ticks_ns(-apart) >> CUP_READS_TIME_BITS);
}

static size_t encode_times(unsigned char *at, struct stream *stream, uint64_t start, uint64_t stop)
{
    uint64_t units = scale_start(stream, start);
    size_t bytes = cup_pairs_number(at, cup_pairs_difference(units, stream->units));
    bytes += cup_pairs_number(at + bytes, cup_ticks_ns(stop - start) >> CUP_READS_TIME_BITS);
    stream->units = units;
    stream->start = start;
    stream->stop = stop;
    return bytes;
}

/* The first byte is stored last: a reader finds whole rows only, whenever the process was killed.
 */
static void append_row(struct stream *stream, uint32_t owner, uint32_t file, uint64_t offset,
                       uint64_t bytes, uint64_t start, uint64_t stop)
{
    unsigned char *at = stream->at + 1;
    bool new_owner = owner != stream->owner, new_file = file != stream->file;
    bool is_part = !new_owner && !new_file && start == stream->start && stop == stream->stop;
    if (new_owner)
        at += cup_pairs_number(at, owner);
    if (new_file)
        at += cup_pairs_number(at, file);
    at += cup_pairs_number(at, cup_pairs_difference(offset, stream->offset));
    at += cup_pairs_number(at, bytes);
    if (!is_part)
        at += encode_times(at, stream, start, stop);
    stream->owner = owner;
    stream->file = file;
    stream->offset = offset + bytes;
    unsigned bits = CUP_READS_ROW | (new_owner ? CUP_READS_TASK : 0u) |
                    (new_file ? CUP_READS_FILE : 0u) | (is_part ? CUP_READS_PART : 0u);
    __atomic_store_n(stream->at, (unsigned char)bits, __ATOMIC_RELEASE);
    stream->at = at;
}

void cup_reads_add(const struct cup_block *block, uint32_t file, uint64_t offset, uint64_t bytes,
                   uint64_t start, uint64_t stop)
{
    struct stream *stream = find_stream();
    if (!stream || !ensure_room(stream)) {
        cup_log_health(CUP_H_READS_DROPPED, 1);
        return;
    }
    if (!stop)
        start = stop = cup_ticks();
    append_row(stream, block->task << 2 | (block->own & 3), file, offset, bytes, start, stop);
}
