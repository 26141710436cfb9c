/* Counter blocks: what one thread did for one task. They lie in the log's mapping, are written
 * by their thread alone, and are closed into records. See struct cup_block. */
#ifndef CUPPING_PRELOAD_COUNTERS_BLOCK_H
#define CUPPING_PRELOAD_COUNTERS_BLOCK_H

#include "include/log_format.h"

struct cup_thread;

/* A free block for TASK (0: for no task); NULL if there is none (the caller counts the loss). */
struct cup_block *cup_block_open(struct cup_thread *thread, uint32_t task,
                                 enum cup_block_kind kind);

/* Writes the block out and frees it. */
void cup_block_close(struct cup_block *block);

/* The block's entry for FILE; never NULL: another entry is written out when there is no room.
 * FILE must not be 0. */
struct cup_file_use *cup_block_file_new(struct cup_block *block, uint32_t file);
static inline struct cup_file_use *cup_block_file(struct cup_block *block, uint32_t file)
{
    for (uint32_t entry = CUP_BLOCK_FILES; entry-- > 0;) /* as they are given out */
        if (__builtin_expect(block->files[entry].file == file, 1))
            return &block->files[entry];
    return cup_block_file_new(block, file);
}

/* This thread's block as a helper of TASK, or for no task; NULL if there is no room. */
struct cup_block *cup_block_helping(struct cup_thread *thread, uint32_t task);
struct cup_block *cup_block_none(struct cup_thread *thread);

/* Its block as a helper of TASK, if it has one. */
struct cup_block *cup_block_helped(const struct cup_thread *thread, uint32_t task);

/* Its block for the task that started it. */
struct cup_block *cup_block_inheriting(struct cup_thread *thread);

/* Closes this thread's block as a helper of TASK, if there is one. */
void cup_block_close_helped(struct cup_thread *thread, uint32_t task);

/* Rows of the lifecycle table. When a thread ends, all its blocks are closed, and its task, which
 * cannot end any more, does not count as running. */
void cup_block_reset(void);
void cup_block_thread_settles(void);

#endif
