/* Counter blocks: what one thread did for one task. A block is in the log's mapping. While it is
 * open, only its thread writes it. When it closes, its counters are written as records. See struct
 * cup_block. All functions need the guard and may change errno. */
#ifndef CUPPING_PRELOAD_COUNTERS_BLOCK_H
#define CUPPING_PRELOAD_COUNTERS_BLOCK_H

#include "include/log_format.h"

struct cup_thread;

/* Opens a block for TASK (0: for no task); NULL: there is no room (counted). */
struct cup_block *cup_block_open(struct cup_thread *thread, uint32_t task,
                                 enum cup_block_kind kind);

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
struct cup_block *cup_block_helping(struct cup_thread *thread, uint32_t task);
struct cup_block *cup_block_none(struct cup_thread *thread);

/* The thread's block as a helper of TASK; NULL: it has none. */
struct cup_block *cup_block_helped(const struct cup_thread *thread, uint32_t task);

/* The thread's block for the task that started it, opened if it has none yet; NULL: there is no
 * room. */
struct cup_block *cup_block_inheriting(struct cup_thread *thread);

/* Closes the thread's block as a helper of TASK, if it has one. */
void cup_block_close_helped(struct cup_thread *thread, uint32_t task);

/* Rows of the lifecycle table. When a thread ends, all its blocks are closed. If it still runs a
 * task, that task can never end: it no longer counts as running. */
void cup_block_reset(void);
void cup_block_thread_settles(void);

#endif
