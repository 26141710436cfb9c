/* What a call that moved bytes counts: in the counters that depend on the kind of call and on the
 * class of its descriptor, and for its file or peer (calls, bytes, time, size classes, and where in
 * the file it took place). Inline: reads of data files are the most frequent of all calls that are
 * hooked.
 *
 * All functions: the thread of the call, guard held. */
#pragma once

#include "preload/counters/access.h"
#include "preload/counters/block.h"
#include "preload/counters/reads.h"
#include "preload/io/transfer.h"
#include "preload/lifecycle/unattributed.h"
#include "preload/root/root_records.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a read or write began. */
struct cup_place {
    int64_t at;
    bool sequential;          /* it is a read that begins where the last one ended */
    struct cup_file_use *use; /* the file's counters; NULL: the file has no number */
};

/* Counter of the size class of a read of BYTES. The classes end at 100 bytes, 1 KiB, ... 1 GiB, as
 * CUP_FILE_COUNTERS lists them. NEAR has the class of 2^i, the largest power of two that is not
 * larger than BYTES: BYTES belongs to the same class, or to the next one. */
static inline enum cup_file_counter cup_file_size_class(uint64_t bytes)
{
    static const uint64_t limits[] = {100,     1 << 10,  10 << 10,  100 << 10, 1 << 20,
                                      4 << 20, 10 << 20, 100 << 20, 1 << 30};
    static const uint8_t near[32] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3,
                                     3, 4, 4, 4, 4, 5, 5, 6, 7, 7, 7, 8, 8, 8, 8, 9};
    unsigned bits = 63u - (unsigned)__builtin_clzll(bytes | 1);
    unsigned class = near[bits < 31 ? bits : 31];
    while (class < 9 && bytes > limits[class])
        class ++;
    return CUP_F_SIZE_0_100 + class;
}

/* Counts an open: the descriptor is read or written for the first time since it was opened. */
void cup_file_count_open(struct cup_transfer *transfer, struct cup_file_use *use);

static inline void cup_file_count_read(struct cup_file_use *use, uint64_t bytes, uint64_t ns)
{
    use->counters[CUP_F_READ_BYTES] += bytes;
    use->counters[CUP_F_READ_CALLS]++;
    use->counters[CUP_F_READ_NS] += ns;
    use->counters[cup_file_size_class(bytes)]++;
}

static inline void cup_file_count_write(struct cup_file_use *use, uint64_t bytes, uint64_t ns)
{
    use->counters[CUP_F_WRITE_BYTES] += bytes;
    use->counters[CUP_F_WRITE_CALLS]++;
    use->counters[CUP_F_WRITE_NS] += ns;
}

/* Counts a call for its file or peer. Returns the counters of that file or peer; NULL: it has no
 * number. */
static inline __attribute__((always_inline)) struct cup_file_use *
cup_file_count(struct cup_transfer *transfer, bool reads, uint64_t bytes, uint64_t ns)
{
    struct cup_descriptor *descriptor = transfer->descriptor;
    struct cup_file_use *use = NULL;
    if (__builtin_expect(descriptor->file != 0, 1)) {
        use = cup_block_file(transfer->owner.block, descriptor->file);
        if (reads)
            cup_file_count_read(use, bytes, ns);
        else
            cup_file_count_write(use, bytes, ns);
    }
    if (__builtin_expect(descriptor->opened, 0))
        cup_file_count_open(transfer, use);
    return use;
}

/* Moves the descriptor's cursor, and returns where in its file the call took place. USE: what
 * cup_file_count() returned. OFFSET: of the call, or CUP_AT_CURSOR. */
static inline struct cup_place cup_file_move(struct cup_descriptor *descriptor,
                                             struct cup_file_use *use, bool reads, uint64_t bytes,
                                             int64_t offset)
{
    int64_t from = offset == CUP_AT_CURSOR ? descriptor->cursor : offset;
    int64_t to = from + (int64_t)bytes;
    bool sequential = reads && from == descriptor->end;
    if (offset == CUP_AT_CURSOR)
        descriptor->cursor = to;
    if (reads)
        descriptor->end = to;
    if (use)
        use->counters[CUP_F_SEQUENTIAL_CALLS] += sequential;
    return (struct cup_place){from, sequential, use};
}

/* Adds a read to the access extents: where and when the file was read; and as a single read, if
 * those are wanted. */
static inline void cup_file_note_access(const struct cup_transfer *transfer, struct cup_place place,
                                        uint64_t bytes)
{
    if (!place.use || !bytes)
        return;
    cup_access_read(transfer->owner.block, place.use, (uint64_t)place.at, bytes, transfer->start,
                    transfer->stop);
    if (__builtin_expect(cup_reads_wanted, 0) && transfer->descriptor->class == CUP_FILE_DATA)
        cup_reads_add(transfer->owner.block, place.use->file, (uint64_t)place.at, bytes,
                      transfer->start, transfer->stop);
}

/* False: the BYTES of a data file that were delivered to TO (see cup_transfer_finish()) are not
 * those of a ROOT file. A read at offset 0 is taken for one of a ROOT file if it begins with the
 * magic number, or if it went to several buffers; for other reads, what is known about the file
 * decides. */
static inline bool cup_file_may_be_root(const struct cup_transfer *transfer, uint64_t bytes,
                                        struct cup_place place, const void *to, int parts)
{
    uint32_t file = transfer->descriptor->file;
    if (__builtin_expect(place.at == 0, 0) && to && (parts || cup_root_begins(to, bytes)))
        return file != 0;
    return to && cup_root_may_be(file);
}

/* Looks for baskets in these bytes. */
void cup_file_find_baskets(const struct cup_transfer *transfer, uint64_t bytes,
                           struct cup_place place, const void *to, int parts);

/* BYTES of the file TRANSFER->url, from OFFSET on, were received from its HTTP server: notes them
 * in the access extents, and looks for baskets. BEGINS: a range that was requested begins with
 * them. */
void cup_transfer_count_body(const struct cup_transfer *transfer, const void *data, size_t bytes,
                             uint64_t offset, bool begins);

/* Counts a call of any kind that has an owner. The arguments are those of cup_transfer_finish(),
 * and NS, the call's duration. */
void cup_transfer_count(struct cup_transfer *transfer, uint64_t bytes, int64_t offset, uint64_t ns,
                        const void *to, int parts);

/* The same for a call that moved one character, and is not timed. */
void cup_transfer_count_character(struct cup_transfer *transfer);

/* There is a counter for the duration of this call. */
bool cup_transfer_is_timed(const struct cup_transfer *transfer);

/* BYTES of a data file or a server were read for no known task. */
static inline void cup_transfer_count_unattributed(enum cup_unattributed_reason reason,
                                                   uint64_t bytes)
{
    cup_child_read();
    cup_unattributed_add(reason, bytes);
}

/* A read of a file took NS. */
static inline void cup_transfer_count_duration(struct cup_block *block, uint64_t ns)
{
    block->histograms[CUP_HISTOGRAM_READ][cup_bucket(ns)]++;
    if (ns > block->counters[CUP_C_READ_LONGEST_NS])
        block->counters[CUP_C_READ_LONGEST_NS] = ns;
}
