#include "preload/waits/gil_wait.h"

#include "preload/python/python.h"

/* A wait that lasts longer is counted in pieces, with the mutex locked, so that the time series and
 * a worker that is killed have it. */
enum { LONGEST_NS = 50000000 };

/* Which mutex it is, in the 32 bits that there is room for. 0: none. */
static uint32_t number_mutex(const void *mutex)
{
    return (uint32_t)((uintptr_t)mutex - cup_gil.from) + 1;
}

/* To take the GIL, CPython locks a second mutex while it holds the first one. A wait for the second
 * one is a part of the wait for the first. */
bool cup_gil_wait_begins(struct cup_wait *room, const void *mutex)
{
    struct cup_wait_thread *self = &cup_wait_self;
    if (!cup_active() || cup_self.guard || (self->waiting && (uintptr_t)room < self->waiting))
        return false;
    if (!self->gil_start) {
        self->gil_mutex = number_mutex(mutex);
        self->gil_start = cup_ticks();
    }
    self->waiting = (uintptr_t)room;
    return true;
}

static void count_wait(uint64_t stop)
{
    uint64_t start = cup_wait_self.gil_start;
    cup_wait_self.gil_start = 0;
    int saved = cup_enter();
    cup_wait_count_gil(start, stop);
    cup_leave(saved);
}

void cup_gil_wait_ends(void)
{
    cup_wait_self.waiting = 0;
    uint64_t stop = cup_ticks();
    if (cup_ticks_ns(stop - cup_wait_self.gil_start) > LONGEST_NS)
        count_wait(stop);
}

/* A signal handler that interrupts the library leaves the wait to the next time that the mutex is
 * unlocked. */
void cup_gil_wait_count(const void *mutex)
{
    if (cup_wait_self.gil_mutex != number_mutex(mutex) || cup_self.guard)
        return;
    if (cup_active())
        count_wait(cup_ticks());
    else
        cup_wait_self.gil_start = 0;
}
