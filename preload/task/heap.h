/* Policy of the heap: who pays for an allocation. In usable size, so that a free needs no table.
 * No lock, no system call, no clock on this path. */
#ifndef CUPPING_PRELOAD_TASK_HEAP_H
#define CUPPING_PRELOAD_TASK_HEAP_H

#include "preload/attribution/attribution.h"
#include "preload/attribution/context.h"
#include "preload/counters/block.h"
#include "preload/lifecycle/thread.h"
#include "preload/stacks/stack_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* On threads without a task of their own, smaller allocations are not looked at: the way to
 * their task costs more than they do. */
enum { CUP_HEAP_SMALL = 256 };

static inline void cup_heap_add(struct cup_block *block, size_t bytes)
{
    uint64_t allocated = block->counters[CUP_C_ALLOC_BYTES] += bytes;
    block->counters[CUP_C_ALLOC_CALLS]++;
    int64_t live = (int64_t)(allocated - block->counters[CUP_C_FREED_BYTES]);
    if (live > (int64_t)block->counters[CUP_C_PEAK_LIVE_BYTES])
        block->counters[CUP_C_PEAK_LIVE_BYTES] = (uint64_t)live;
    cup_event_allocated(block->task, bytes);
}

static inline void cup_heap_remove(struct cup_block *block, size_t bytes)
{
    block->counters[CUP_C_FREED_BYTES] += bytes;
    block->counters[CUP_C_FREE_CALLS]++;
}

/* The same for threads that run no task: BYTES goes to the task they carry, if any. */
void cup_heap_add_helping(uint32_t task, size_t bytes);
void cup_heap_remove_helping(uint32_t task, size_t bytes);

static inline uint32_t cup_heap_helped(void)
{
    uint32_t task = cup_context_task();
    if (__builtin_expect(!task && (cup_self.handed || cup_self.inherited), 0))
        task = cup_attribution_task();
    return task;
}

static inline void cup_heap_add_slow(size_t bytes)
{
    uint32_t task = cup_heap_helped();
    if (task)
        cup_heap_add_helping(task, bytes);
}

static inline void cup_heap_remove_slow(size_t bytes)
{
    uint32_t task = cup_heap_helped();
    if (task)
        cup_heap_remove_helping(task, bytes);
}

/* A preloaded allocator takes its memory by mmap, which is ours to see: what it then hands out
 * counts, and must not count twice. */
bool cup_heap_is_allocator(const void *caller);

/* Memory that a program takes with mmap (arenas): like an allocation of BYTES at AT. */
void cup_heap_mapped(void *at, size_t bytes);
/* True: it was one of those, and is freed now. */
bool cup_heap_unmapped(void *at, size_t bytes);

#endif
