/* Counter blocks: what one thread did for one task. A block is in the log's mapping. While it is
 * open, only its thread writes it. When it closes, its counters are written as records. See struct
 * cup_block. All functions need the guard and may change errno. */
#pragma once

#include "preload/lifecycle/thread.h"

/* Opens a block for TASK (0: for no task); NULL: there is no room (counted). */
struct cup_block *cup_block_open(uint32_t task, enum cup_block_kind kind);

/* Writes the block's records and frees it. A helper's block is first kept for a while, to be merged
 * with others of the same task and kind. */
void cup_block_close(struct cup_block *block);

/* The block's entry for FILE (not 0). Never NULL: if all entries are taken, one is written as a
 * FILE_USE record and reused. */
struct cup_file_use *cup_block_file_new(struct cup_block *block, uint32_t file);
static inline struct cup_file_use *cup_block_file(struct cup_block *block, uint32_t file)
{
    for (uint32_t entry = CUP_BLOCK_FILES; entry-- > 0;) /* the last entry is taken first */
        if (__builtin_expect(block->files[entry].file == file, 1))
            return &block->files[entry];
    return cup_block_file_new(block, file);
}

/* The thread's block as a helper of TASK; its block for no task. Opened if it has none yet; NULL:
 * there is no room. */
struct cup_block *cup_block_helping(uint32_t task);
struct cup_block *cup_block_none(void);

/* The thread's block as a helper of TASK; NULL: it has none. */
struct cup_block *cup_block_helped(uint32_t task);

/* The thread's block for the task that started it, opened if it has none yet; NULL: there is no
 * room. */
struct cup_block *cup_block_inheriting(void);

/* The thread's block for TASK (0: for no task), if TASK is not what it runs: one of those above.
 * NULL also if the thread ends. */
struct cup_block *cup_block_serving(uint32_t task);

/* Closes the thread's block as a helper of TASK, if it has one. */
void cup_block_close_helped(uint32_t task);

/* Adds all counters of a block, each by its kind. Any thread, without the guard. */
void cup_block_add_counters(uint64_t *to, const uint64_t *from);

/* ---- the process's time series -------------------------------------------------------------- */

/* Each thread has its own sums for the current bin, and adds them to the
 * shared series only when that bin is over, its task ends or it ends itself. So calls of different
 * threads do not contend for a cache line. */

/* Adds the thread's sums to the series and clears them. */
void cup_series_flush(void);

/* Adds the thread's sums to the series, and starts the bin that NOW (ticks) falls into. */
void cup_series_turn(uint64_t now);

/* Adds a transfer that ended at NOW (ticks) to the calling thread's sums. */
static inline void cup_series_count(uint64_t now, uint64_t read_bytes, uint64_t read_ns,
                                    uint64_t write_bytes)
{
    struct cup_thread *thread = &cup_self;
    if (__builtin_expect(now >= thread->bin_ends, 0))
        cup_series_turn(now);
    thread->bin_read_bytes += read_bytes;
    thread->bin_read_ns += read_ns;
    thread->bin_write_bytes += write_bytes;
}

/* Rows of the lifecycle table. When a thread ends, all its blocks are closed. If it still runs a
 * task, that task can never end: it no longer counts as running. */
void cup_block_reset(void);
void cup_block_thread_settles(void);
