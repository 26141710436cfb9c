/* Single reads of data files, in READS records (log_format.h). Off unless CUPPING_READS is 1.
 * Access extents (access.h) are always recorded, but join reads. */
#pragma once

#include "include/log_format.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stdint.h>

/* Reads are recorded. */
extern bool cup_reads_wanted CUP_OURS;

/* Records that reads may take at most ROOM bytes of the log; 0: they are not recorded. */
void cup_reads_want(uint64_t room);

/* Records a read that BLOCK's task made of FILE: BYTES from OFFSET on, from START to STOP in ticks.
 * STOP 0: not timed, so the present time is recorded. Two
 * reads of one thread with the same START and STOP are parts of one vector read. Called by the
 * thread that has the block, with the guard held. */
void cup_reads_add(const struct cup_block *block, uint32_t file, uint64_t offset, uint64_t bytes,
                   uint64_t start, uint64_t stop);

/* Rows of the lifecycle table. */
void cup_reads_reset(void);
void cup_reads_thread_ends(void);
