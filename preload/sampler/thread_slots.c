#include "preload/sampler/thread_slots.h"

#include "preload/lifecycle/thread.h"
#include "preload/python/python.h"
#include "preload/stacks/stack_walkers.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/clock.h"
#include "preload/sys/spin.h"

#include <string.h>

static struct cup_thread_slot seats[CUP_THREAD_SLOTS];
static uint32_t used;

/* ---- of the calling thread --------------------------------------------------------------- */

static struct cup_thread_slot *take(void)
{
    for (uint32_t i = 0; i < CUP_THREAD_SLOTS; i++) {
        uint32_t nobody = 0;
        if (__atomic_load_n(&seats[i].tid, __ATOMIC_RELAXED) ||
            !__atomic_compare_exchange_n(&seats[i].tid, &nobody, cup_self.tid, false,
                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        uint32_t count = __atomic_load_n(&used, __ATOMIC_RELAXED);
        while (count <= i && !__atomic_compare_exchange_n(&used, &count, i + 1, false,
                                                          __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            continue;
        cup_self.seat = (uint16_t)(i + 1);
        seats[i].self = &cup_self;
        return &seats[i];
    }
    return NULL;
}

/* Its seat, locked; NULL: there are too many threads, and it is not sampled. */
static struct cup_thread_slot *own(void)
{
    struct cup_thread_slot *seat = cup_self.seat ? &seats[cup_self.seat - 1] : NULL;
    if (!seat && cup_thread_known())
        seat = take();
    if (seat)
        cup_spin_lock(&seat->lock);
    return seat;
}

/* Native threads have another state at each call into Python. */
static void look_at_self(struct cup_thread_slot *seat)
{
    struct cup_stack_walker *walk = cup_stack_walk_begins();
    if (cup_stacks_on() &&
        (seat->thread.state != (uintptr_t)cup_python_thread_fast() || !seat->thread.root))
        seat->thread = cup_remote_self();
    cup_stack_walk_ends(walk);
}

void cup_thread_slot_works(uint32_t task, bool runs, uint64_t cpu_ns)
{
    struct cup_thread_slot *seat = task || cup_self.seat ? own() : NULL;
    if (!seat)
        return;
    if (seat->task) {
        seat->owed_ns += cpu_ns - seat->cpu_ns;
        seat->owed_task = seat->task;
    }
    if (task) {
        look_at_self(seat);
        seat->runs = runs;
    }
    seat->task = task;
    seat->cpu_ns = cpu_ns;
    seat->stays = false;
    cup_thread_slot_unlock(seat);
}

void cup_thread_slot_helps(void)
{
    struct cup_thread_slot *seat = cup_self.seat ? NULL : own();
    if (!seat)
        return;
    look_at_self(seat);
    seat->cpu_ns = cup_clock_thread_cpu_ns();
    cup_thread_slot_unlock(seat);
}

struct cup_thread_slot *cup_thread_slot_own(void)
{
    return cup_self.seat ? own() : NULL;
}

void cup_thread_slot_leaves(void)
{
    struct cup_thread_slot *seat = cup_thread_slot_own();
    if (!seat)
        return;
    cup_self.seat = 0;
    *seat = (struct cup_thread_slot){.lock = 1, .tid = seat->tid};
    cup_thread_slot_unlock(seat);
    __atomic_store_n(&seat->tid, 0, __ATOMIC_RELEASE);
}

/* ---- of others --------------------------------------------------------------------------- */

uint32_t cup_thread_slots_used(void)
{
    return __atomic_load_n(&used, __ATOMIC_ACQUIRE);
}

struct cup_thread_slot *cup_thread_slot_lock(uint32_t index)
{
    struct cup_thread_slot *seat = &seats[index];
    if (!__atomic_load_n(&seat->tid, __ATOMIC_RELAXED))
        return NULL;
    cup_spin_lock(&seat->lock);
    if (__atomic_load_n(&seat->tid, __ATOMIC_RELAXED))
        return seat;
    cup_thread_slot_unlock(seat);
    return NULL;
}

void cup_thread_slot_unlock(struct cup_thread_slot *seat)
{
    cup_spin_unlock(&seat->lock);
}

void cup_thread_slots_reset(void)
{
    memset(seats, 0, used * sizeof *seats);
    used = 0;
}
