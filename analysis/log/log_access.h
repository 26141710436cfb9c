/* ACCESS records, and STROKES records that were not told in one yet: see log_format.h. */
#ifndef CUPPING_ANALYSIS_LOG_LOG_ACCESS_H
#define CUPPING_ANALYSIS_LOG_LOG_ACCESS_H

#include "analysis/log/log_reader.h"

/* Offsets, extents and durations of sound strokes are below this: sums of a few still fit. */
#define CUP_ACCESS_LIMIT (UINT64_C(1) << 60)

/* Reads of one file for one task that went on where the one before ended, or several such that were
 * joined: jumps is not 0 then. */
struct cup_read_extent {
    int64_t start_ns, stop_ns;
    uint64_t low, high; /* offsets */
    uint64_t bytes;     /* delivered */
    uint64_t calls, jumps;
};

enum { CUP_ACCESS_EXTENTS = UINT8_MAX }; /* of one record */

struct cup_access {
    uint32_t task, file; /* of that log; file 0: a set that is not in use */
    uint32_t own;        /* enum cup_block_kind */
    uint32_t set, sequence;
    bool damaged; /* strokes are missing: cut, impossible, or not as many as told */
    uint32_t count;
    struct cup_read_extent extents[CUP_ACCESS_EXTENTS]; /* in the order in which they began */
};

/* Reads a record of either type. */
void cup_access_decode(struct cup_access *access, const struct cup_record *record);

#endif
