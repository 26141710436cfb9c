#include "preload/stacks/stack_events.h"

#include "preload/sampler/sampler.h"

#include <errno.h>
#include <string.h>

/* ---- stacks ------------------------------------------------------------------------------ */

enum { BOARDS = 1024 };

/* Where tasks last handed work over: two tasks that run a multiple of BOARDS apart have but one
 * place, and helpers of the other one no line of their task. */
static struct {
    uint64_t here;   /* task * 2^32 + node of its own thread */
    uint64_t helper; /* that node * 2^32 + node CUP_NODE_HELPER on top of it */
} boards[BOARDS];

void cup_event_hands_over(void)
{
    uint32_t task = cup_self.task, node = cup_stacks_on() ? cup_stack_here(0) : 0;
    if (node)
        __atomic_store_n(&boards[task % BOARDS].here, (uint64_t)task << 32 | node,
                         __ATOMIC_RELAXED);
}

uint32_t cup_event_under(uint32_t task)
{
    uint64_t here = __atomic_load_n(&boards[task % BOARDS].here, __ATOMIC_RELAXED);
    uint64_t helper = __atomic_load_n(&boards[task % BOARDS].helper, __ATOMIC_RELAXED);
    uint32_t node = here >> 32 == task ? (uint32_t)here : 0;
    if (helper >> 32 == node && (uint32_t)helper)
        return (uint32_t)helper;
    uint32_t made = cup_stack_node(node, CUP_NODE_HELPER, 0);
    __atomic_store_n(&boards[task % BOARDS].helper, (uint64_t)node << 32 | made, __ATOMIC_RELAXED);
    return made;
}

typedef uint32_t stack_here(uint32_t under);

/* Where stacks are on. */
static uint32_t node_by(stack_here *here, uint32_t task)
{
    if (__builtin_expect(cup_self.task == task, 1))
        return here(0);
    uint32_t under = cup_event_under(task), node = here(under);
    return node ? node : under; /* a native thread has no frames of Python */
}

uint32_t cup_event_node(uint32_t task)
{
    return cup_stacks_on() ? node_by(cup_stack_native_here, task) : 0;
}

/* ---- reads and writes -------------------------------------------------------------------- */

uint32_t cup_event_seed(void)
{
    uint32_t seed = (uint32_t)cup_ticks() ^ (uint32_t)((uintptr_t)&cup_self >> 4) * 2654435761u;
    return seed ? seed : 1;
}

void cup_event_take(enum cup_stack_use use, uint32_t task, uint32_t node, uint32_t weight,
                    uint64_t bytes, uint64_t ns)
{
    bool native = bytes >= CUP_EVENT_NATIVE_BYTES || ns >= CUP_EVENT_NATIVE_NS;
    if (!cup_stacks_on())
        return;
    if (!node)
        node = node_by(native ? cup_stack_native_here : cup_stack_cheap_here, task);
    cup_stack_use(task, node, use, weight, bytes * weight, ns * weight);
}

/* ---- waits ------------------------------------------------------------------------------- */

void cup_event_waited(uint32_t task, enum cup_wait_class class, uint32_t waits, uint64_t ns)
{
    static const enum cup_stack_use use[CUP_WAIT_COUNT] = {[CUP_WAIT_IO] = CUP_U_IO_WAIT,
                                                           [CUP_WAIT_GIL] = CUP_U_GIL_WAIT,
                                                           [CUP_WAIT_LOCK] = CUP_U_LOCK_WAIT,
                                                           [CUP_WAIT_SLEEP] = CUP_U_SLEEP,
                                                           [CUP_WAIT_POLL] = CUP_U_POLL_WAIT};
    if (!task || !cup_stacks_on())
        return;
    cup_stack_use(task, cup_event_node(task), use[class], waits, 0, ns);
    if (class == CUP_WAIT_GIL) /* others come from within an allocator, or a signal's handler */
        cup_sampler_looks();
}

/* ---- allocations ------------------------------------------------------------------------- */

/* Minus the logarithm to base 2 of a number between 0 and 1, drawn at random; to 1.3e-4. */
static double random_bits(void)
{
    uint32_t number = cup_event_random();
    int zeros = __builtin_clz(number);
    double part = (double)(number << zeros) / 2147483648.0 - 1; /* 0 to 1 */
    double log = part * (1.43838 + part * (-0.67588 + part * (0.31815 - part * 0.08065)));
    return zeros + 1 - log;
}

/* Steps are exponential, so the next one to be chosen knows nothing of those before. None is longer
 * than an allocation that is always chosen: cutting off 3 steps in 10,000 changes their mean by as
 * little. */
static int64_t next_step(void)
{
    const double mean_bits = 1.4426950408889634;
    int64_t step = (int64_t)(random_bits() * (CUP_EVENT_ALLOC_BYTES / mean_bits));
    return step < CUP_EVENT_ALLOC_LARGE ? step : CUP_EVENT_ALLOC_LARGE - 1;
}

/* A large one stands for itself, and leaves the countdown alone. Another one for the mean of a step
 * as often as steps end within it. */
static uint64_t stands_for(size_t bytes)
{
    struct cup_thread *thread = &cup_self;
    if (bytes >= CUP_EVENT_ALLOC_LARGE) {
        thread->alloc_left += (int64_t)bytes;
        return bytes;
    }
    uint64_t steps = 0;
    for (; thread->alloc_left < 0; steps++)
        thread->alloc_left += next_step();
    return steps * CUP_EVENT_ALLOC_BYTES;
}

/* The countdown stands at 0 on a thread where it has not begun, and after it was interrupted. */
static bool has_begun(size_t bytes)
{
    return cup_self.alloc_left + (int64_t)bytes != 0;
}

/* Within the library (in the handler of a signal that came there) a lock may be held. */
static bool may_count(void)
{
    return !cup_self.guard && cup_stacks_on();
}

void cup_event_alloc_due(uint32_t task, size_t bytes)
{
    struct cup_thread *thread = &cup_self;
    if (!may_count()) {
        thread->alloc_left = thread->guard ? 0 : CUP_EVENT_ALLOC_BYTES;
        return;
    }
    int saved = errno;
    cup_guard();
    if (!has_begun(bytes))
        thread->alloc_left += next_step();
    uint64_t all = stands_for(bytes);
    if (all && task)
        cup_stack_use(task, cup_event_node(task), CUP_U_ALLOC, 1, all, 0);
    cup_unguard();
    errno = saved;
}

/* ---- the whole --------------------------------------------------------------------------- */

void cup_events_reset(void)
{
    memset(boards, 0, sizeof boards);
}
