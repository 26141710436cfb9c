#include "preload/attribution.h"

#include "preload/block.h"
#include "preload/context.h"
#include "preload/log.h"
#include "preload/thread.h"

#include <errno.h>

/* How many tasks run (times 2^32) plus the sum of their numbers, in one word: two words could be
 * read in the middle of a begin or an end, and then name a task that nobody runs. With one task the
 * sum is its number; a sum that outgrows 32 bits only makes many look like more. */
static struct {
    uint64_t tasks;
    uint32_t epoch; /* begins and ends, counted before they show in tasks */
    uint32_t newest;
    uint32_t foreign; /* tasks up to this number are the parent's: a forked child inherits their
                         context, and its log does not know them */
} running;

#define ONE_TASK (UINT64_C(1) << 32)

void cup_attribution_begin(uint32_t task)
{
    __atomic_fetch_add(&running.epoch, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&running.tasks, ONE_TASK + task, __ATOMIC_SEQ_CST);
    __atomic_store_n(&running.newest, task, __ATOMIC_RELAXED);
}

void cup_attribution_end(uint32_t task)
{
    __atomic_fetch_add(&running.epoch, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_sub(&running.tasks, ONE_TASK + task, __ATOMIC_SEQ_CST);
}

void cup_attribution_reset(void)
{
    running.tasks = 0;
    running.foreign = running.newest;
}

static inline uint32_t context_task(void)
{
    uint32_t task = cup_context_task();
    return task > running.foreign ? task : 0;
}

/* The only task that runs, else 0; EPOCH is from before the look. */
static uint32_t sole_task(uint32_t *epoch)
{
    *epoch = __atomic_load_n(&running.epoch, __ATOMIC_SEQ_CST);
    uint64_t tasks = __atomic_load_n(&running.tasks, __ATOMIC_SEQ_CST);
    return tasks >> 32 == 1 ? (uint32_t)tasks : 0;
}

/* Found by reads alone: most threads carry no task, and most helpers stay with the one they helped
 * last. */
struct cup_block *cup_attribution_context(void)
{
    uint32_t task = context_task();
    if (!task)
        return NULL;
    if (__builtin_expect(cup_self.last && cup_self.last->task == task, 1))
        return cup_self.last;
    int saved = errno; /* a block written out may let the log grow; free() must keep errno */
    cup_guard();
    struct cup_block *block = cup_thread_known() ? cup_block_helping(&cup_self, task) : NULL;
    cup_unguard();
    errno = saved;
    return block;
}

struct cup_owner cup_attribution(void)
{
    struct cup_thread *thread = &cup_self;
    if (__builtin_expect(thread->own != NULL, 1))
        return (struct cup_owner){thread->own, CUP_WAY_OWN, 0};
    if (!cup_thread_known())
        return (struct cup_owner){NULL, CUP_WAY_NONE, 0};
    uint32_t task = context_task();
    if (task) /* a weaker way must not override it, even where no block is free */
        return (struct cup_owner){cup_block_helping(thread, task), CUP_WAY_CONTEXT, 0};
    uint32_t epoch = 0;
    task = thread->server_loop ? 0 : sole_task(&epoch);
    if (task)
        return (struct cup_owner){cup_block_helping(thread, task), CUP_WAY_SOLE, epoch};
    return (struct cup_owner){cup_block_none(thread), CUP_WAY_NONE, 0};
}

void cup_attribution_confirm(struct cup_owner *owner)
{
    uint32_t epoch;
    if (owner->way != CUP_WAY_SOLE || (sole_task(&epoch) && epoch == owner->epoch))
        return;
    owner->block = cup_block_none(&cup_self);
    owner->way = CUP_WAY_NONE;
}
