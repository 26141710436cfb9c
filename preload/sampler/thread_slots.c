#include "preload/sampler/thread_slots.h"

#include "preload/lifecycle/thread.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/clock.h"
#include "preload/sys/spin.h"
#include "preload/waits/wait.h"

#include <stddef.h>
#include <string.h>

static struct cup_thread_slot slots[CUP_THREAD_SLOTS];
static uint32_t used;

/* ---- the calling thread's slot ------------------------------------------------------------ */

static struct cup_thread_slot *take_slot(void)
{
    for (uint32_t i = 0; i < CUP_THREAD_SLOTS; i++) {
        uint32_t no_thread = 0;
        if (__atomic_load_n(&slots[i].tid, __ATOMIC_RELAXED) ||
            !__atomic_compare_exchange_n(&slots[i].tid, &no_thread, cup_self.tid, false,
                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        uint32_t count = __atomic_load_n(&used, __ATOMIC_RELAXED);
        while (count <= i && !__atomic_compare_exchange_n(&used, &count, i + 1, false,
                                                          __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            continue;
        cup_self.slot = (uint16_t)(i + 1);
        slots[i].waiting = &cup_wait_self.waiting;
        return &slots[i];
    }
    return NULL;
}

/* Returns its slot, locked, taking one if necessary; NULL: all slots are taken, so this thread is
 * not sampled. */
static struct cup_thread_slot *lock_own(void)
{
    struct cup_thread_slot *slot = cup_self.slot ? &slots[cup_self.slot - 1] : NULL;
    if (!slot && cup_thread_known())
        slot = take_slot();
    if (slot)
        cup_spin_lock(&slot->lock);
    return slot;
}

/* A native thread gets a new Python thread state at each call into Python (PyGILState_Ensure). And
 * a thread's outermost function may be another one at each task: the REPL, and programs that embed
 * Python, call one after another. */
static void update_python_thread(struct cup_thread_slot *slot)
{
    struct cup_stack_walker *walk = cup_stack_walk_begins();
    if (cup_stacks_on())
        slot->thread = cup_remote_self();
    cup_stack_walk_ends(walk);
}

void cup_thread_slot_works(uint32_t task, bool runs, uint64_t cpu_ns)
{
    struct cup_thread_slot *slot = task || cup_self.slot ? lock_own() : NULL;
    if (!slot)
        return;
    /* The clock was read before the task's end was recorded; the sampler may have looked since. */
    if (slot->task && cpu_ns < slot->cpu_ns)
        cpu_ns = slot->cpu_ns;
    if (slot->task) {
        slot->owed_ns += cpu_ns - slot->cpu_ns;
        slot->owed_task = slot->task;
    }
    if (task) {
        update_python_thread(slot);
        slot->runs = runs;
    }
    slot->task = task;
    slot->cpu_ns = cpu_ns;
    slot->stays = false;
    cup_spin_unlock(&slot->lock);
}

void cup_thread_slot_helps(void)
{
    struct cup_thread_slot *slot = cup_self.slot ? NULL : lock_own();
    if (!slot)
        return;
    update_python_thread(slot);
    slot->cpu_ns = cup_clock_thread_cpu_ns();
    cup_spin_unlock(&slot->lock);
}

struct cup_thread_slot *cup_thread_slot_own(void)
{
    return cup_self.slot ? lock_own() : NULL;
}

void cup_thread_slot_leaves(void)
{
    struct cup_thread_slot *slot = cup_thread_slot_own();
    if (!slot)
        return;
    cup_self.slot = 0;
    memset(&slot->thread, 0, sizeof *slot - offsetof(struct cup_thread_slot, thread));
    cup_spin_unlock(&slot->lock);
    __atomic_store_n(&slot->tid, 0, __ATOMIC_RELEASE);
}

/* ---- slots of other threads --------------------------------------------------------------- */

uint32_t cup_thread_slots_used(void)
{
    return __atomic_load_n(&used, __ATOMIC_ACQUIRE);
}

struct cup_thread_slot *cup_thread_slot_lock(uint32_t index)
{
    struct cup_thread_slot *slot = &slots[index];
    if (!__atomic_load_n(&slot->tid, __ATOMIC_RELAXED))
        return NULL;
    cup_spin_lock(&slot->lock);
    if (__atomic_load_n(&slot->tid, __ATOMIC_RELAXED))
        return slot;
    cup_spin_unlock(&slot->lock);
    return NULL;
}

void cup_thread_slots_reset(void)
{
    memset(slots, 0, used * sizeof *slots);
    used = 0;
}
