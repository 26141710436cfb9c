/* Reads ACCESS and EXTENTS records, see log_format.h. */
#pragma once

#include "analysis/log/log_reader.h"

/* Offsets, lengths and durations of sound extents are below this limit, so that a sum of several
 * does not overflow. */
#define CUP_ACCESS_LIMIT (UINT64_C(1) << 60)

/* An access extent (log_format.h), with times since the epoch. */
struct cup_read_extent {
    int64_t start_ns, stop_ns;
    uint64_t low, high; /* offsets */
    uint64_t bytes;     /* bytes that the calls returned */
    uint64_t calls, jumps;
};

enum { CUP_ACCESS_EXTENTS = UINT8_MAX }; /* the most extents of one record */

struct cup_access {
    uint32_t task, file; /* ids of the log; file 0: a set that is not in use */
    /* Kind of the block (enum cup_block_kind): runs the task, helps it, or inherits it. */
    uint32_t own;
    uint32_t set, sequence;
    bool damaged; /* extents are missing: cut, impossible, or fewer than the record says */
    uint32_t count;
    struct cup_read_extent extents[CUP_ACCESS_EXTENTS]; /* in the order of their begins */
};

/* Reads an ACCESS or EXTENTS record. */
void cup_access_decode(struct cup_access *access, const struct cup_record *record);
