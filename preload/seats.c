#include "preload/seats.h"

#include "preload/clock.h"
#include "preload/python.h"
#include "preload/spin.h"
#include "preload/stacks.h"
#include "preload/thread.h"
#include "preload/walks.h"

#include <string.h>

static struct cup_seat seats[CUP_SEATS];
static uint32_t used;

/* ---- of the calling thread --------------------------------------------------------------- */

static struct cup_seat *take(void)
{
    for (uint32_t i = 0; i < CUP_SEATS; i++) {
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
static struct cup_seat *own(void)
{
    struct cup_seat *seat = cup_self.seat ? &seats[cup_self.seat - 1] : NULL;
    if (!seat && cup_thread_known())
        seat = take();
    if (seat)
        cup_spin_lock(&seat->lock);
    return seat;
}

/* Native threads have another state at each call into Python. */
static void look_at_self(struct cup_seat *seat)
{
    struct cup_walk *walk = cup_walk_begins();
    if (cup_stacks_on() &&
        (seat->thread.state != (uintptr_t)cup_python_thread_fast() || !seat->thread.root))
        seat->thread = cup_foreign_self();
    cup_walk_ends(walk);
}

void cup_seat_works(uint32_t task, bool runs, uint64_t cpu_ns)
{
    struct cup_seat *seat = task || cup_self.seat ? own() : NULL;
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
    cup_seat_unlock(seat);
}

void cup_seat_helps(void)
{
    struct cup_seat *seat = cup_self.seat ? NULL : own();
    if (!seat)
        return;
    look_at_self(seat);
    seat->cpu_ns = cup_clock_thread_cpu_ns();
    cup_seat_unlock(seat);
}

struct cup_seat *cup_seat_own(void)
{
    return cup_self.seat ? own() : NULL;
}

void cup_seat_leaves(void)
{
    struct cup_seat *seat = cup_seat_own();
    if (!seat)
        return;
    cup_self.seat = 0;
    *seat = (struct cup_seat){.lock = 1, .tid = seat->tid};
    cup_seat_unlock(seat);
    __atomic_store_n(&seat->tid, 0, __ATOMIC_RELEASE);
}

/* ---- of others --------------------------------------------------------------------------- */

uint32_t cup_seats_used(void)
{
    return __atomic_load_n(&used, __ATOMIC_ACQUIRE);
}

struct cup_seat *cup_seat_lock(uint32_t index)
{
    struct cup_seat *seat = &seats[index];
    if (!__atomic_load_n(&seat->tid, __ATOMIC_RELAXED))
        return NULL;
    cup_spin_lock(&seat->lock);
    if (__atomic_load_n(&seat->tid, __ATOMIC_RELAXED))
        return seat;
    cup_seat_unlock(seat);
    return NULL;
}

void cup_seat_unlock(struct cup_seat *seat)
{
    cup_spin_unlock(&seat->lock);
}

void cup_seats_reset(void)
{
    memset(seats, 0, used * sizeof *seats);
    used = 0;
}
