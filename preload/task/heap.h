/* Which counter block counts an allocation. Sizes are usable sizes: the allocator reports the same
 * one at malloc() and at free(), so no table of allocations is needed. malloc() and free() take no
 * lock, make no system call and read no clock here. */
#pragma once

#include "preload/attribution/attribution.h"
#include "preload/attribution/context.h"
#include "preload/counters/block.h"
#include "preload/lifecycle/thread.h"
#include "preload/stacks/stack_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* On threads that run no task, allocations smaller than this are not counted: finding the task that
 * the thread works for would cost more than the allocation itself. */
enum { CUP_HEAP_SMALL = 256 };

/* An allocator rounds a request of this size up by less than that: a block that is not small when
 * it is freed must have been counted when it was allocated. */
enum { CUP_HEAP_ROUNDING = 32 };

static inline void cup_heap_add(struct cup_block *block, size_t bytes)
{
    block->counters[CUP_C_ALLOC_BYTES] += bytes;
    block->counters[CUP_C_ALLOC_CALLS]++;
    uint64_t live = block->live_bytes += bytes;
    if (live > block->counters[CUP_C_PEAK_LIVE_BYTES])
        block->counters[CUP_C_PEAK_LIVE_BYTES] = live;
    cup_event_allocated(block->task, bytes);
}

/* A task also frees what was there before it, such as cycles of the task before. If that could make
 * the live heap negative, the peak of what the task allocates later would be too low, down to 0. */
static inline void cup_heap_remove(struct cup_block *block, size_t bytes)
{
    block->live_bytes -= bytes < block->live_bytes ? bytes : block->live_bytes;
    block->counters[CUP_C_FREED_BYTES] += bytes;
    block->counters[CUP_C_FREE_CALLS]++;
}

/* Counts an allocation (BYTES), or a free (FREED), of a thread that runs no task but works for
 * TASK. */
void cup_heap_count_helping(uint32_t task, size_t bytes, size_t freed);

/* The same of any thread that runs no task. */
static inline void cup_heap_count_slow(size_t bytes, size_t freed)
{
    uint32_t task = cup_context_task() ? cup_attribution_context() : 0;
    if (__builtin_expect(!task && (cup_self.handed || cup_self.inherited), 0))
        task = cup_attribution_task();
    if (task)
        cup_heap_count_helping(task, bytes, freed);
}

/* CALLER lies in the allocator itself. A preloaded allocator takes its memory with mmap, which is
 * hooked as well; what it then hands out is counted, so the mmap must not be. */
bool cup_heap_is_allocator(const void *caller);

/* The program took BYTES at AT with mmap (an arena): counts them as an allocation. Takes the log's
 * lock. Keeps errno. */
void cup_heap_mapped(void *at, size_t bytes);

/* BYTES at AT are unmapped: what of them cup_heap_mapped() counted counts as freed now. True: all
 * of them. */
bool cup_heap_unmapped(void *at, size_t bytes);

/* Takes that back: after cup_heap_unmapped() returned true, the call failed. */
void cup_heap_still_mapped(void *at, size_t bytes);
