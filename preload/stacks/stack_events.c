#include "preload/stacks/stack_events.h"

#include "preload/lifecycle/lifecycle.h"
#include "preload/log/log.h"
#include "preload/stacks/stack_tables.h"

#include <errno.h>
#include <string.h>

/* ---- stacks ------------------------------------------------------------------------------ */

enum { HANDOVERS = 1024 };

/* Where each task last handed work over. Two running tasks whose numbers differ by a multiple of
 * HANDOVERS share an entry: then helpers of one of them are shown without their task's place. */
static struct handover {
    uint64_t here;   /* task << 32 | node of its own thread's stack */
    uint64_t helper; /* that node << 32 | the node CUP_NODE_HELPER above it */
    uint64_t glance; /* cup_stack_glance() when `here` was read */
    uint32_t left;   /* how often `here` is still kept */
} handovers[HANDOVERS];

/* A loop that hands over job after job makes thousands of locks from one place. So the whole stack
 * is read only at another place, and now and then in case an outer frame has gone on: after a
 * random number of times, which cannot stay in step with what the loop does. */
static bool is_at_same_place(struct handover *handover, uint32_t task, uint64_t glance)
{
    return __atomic_load_n(&handover->glance, __ATOMIC_RELAXED) == glance &&
           __atomic_load_n(&handover->here, __ATOMIC_RELAXED) >> 32 == task &&
           __atomic_load_n(&handover->left, __ATOMIC_RELAXED) &&
           __atomic_sub_fetch(&handover->left, 1, __ATOMIC_RELAXED);
}

void cup_event_hands_over(void)
{
    enum { KEPT_MOST = 31 };
    uint32_t task = cup_self.task;
    struct handover *handover = &handovers[task % HANDOVERS];
    uint64_t glance = cup_stacks_on() ? cup_stack_glance() : 0;
    uint32_t node = glance && !is_at_same_place(handover, task, glance) ? cup_stack_here(0) : 0;
    if (!node)
        return;
    __atomic_store_n(&handover->glance, glance, __ATOMIC_RELAXED);
    __atomic_store_n(&handover->left, 1 + cup_event_random() % KEPT_MOST, __ATOMIC_RELAXED);
    __atomic_store_n(&handover->here, (uint64_t)task << 32 | node, __ATOMIC_RELAXED);
}

uint32_t cup_event_under(uint32_t task)
{
    uint64_t here = __atomic_load_n(&handovers[task % HANDOVERS].here, __ATOMIC_RELAXED);
    uint64_t helper = __atomic_load_n(&handovers[task % HANDOVERS].helper, __ATOMIC_RELAXED);
    uint32_t node = here >> 32 == task ? (uint32_t)here : 0;
    if (helper >> 32 == node && (uint32_t)helper)
        return (uint32_t)helper;
    uint32_t made = cup_stack_node(node, CUP_NODE_HELPER, 0);
    __atomic_store_n(&handovers[task % HANDOVERS].helper, (uint64_t)node << 32 | made,
                     __ATOMIC_RELAXED);
    return made;
}

/* NATIVE: with native frames at any cost. NOW: ticks. Stacks are on. */
static uint32_t find_node(bool native, uint32_t task, uint64_t now)
{
    bool own = __builtin_expect(cup_self.task == task, 1);
    uint32_t under = own ? 0 : cup_event_under(task);
    uint32_t node = cup_stack_event_here(under, native, now);
    return node ? node : under; /* native threads have no Python frames */
}

uint32_t cup_event_node(uint32_t task)
{
    return cup_stacks_on() ? find_node(true, task, 0) : 0;
}

/* ---- budgets ------------------------------------------------------------------------------ */

uint64_t cup_event_unspent[CUP_EVENT_KINDS];
static bool unlimited;

void cup_events_want_all(void)
{
    unlimited = true;
    cup_stack_uses_want_all();
    cup_nodes_want_all();
}

/* Two threads at the same time may both count as one stack. Large events, which always have their
 * stack, leave no debt: when they end, the budget grows at once. */
void cup_event_spend(enum cup_event_kind kind, uint64_t now)
{
    struct cup_event_budget budget = cup_event_budgets[kind];
    uint64_t one_ns = UINT64_C(1000000000) / budget.a_second;
    uint64_t first = now - cup_ns_ticks(one_ns * budget.at_once);
    uint64_t unspent = __atomic_load_n(&cup_event_unspent[kind], __ATOMIC_RELAXED);
    if (unlimited)
        return;
    if ((int64_t)(unspent - first) < 0)
        unspent = first;
    unspent += cup_ns_ticks(one_ns);
    if ((int64_t)(now - unspent) < 0)
        unspent = now;
    __atomic_store_n(&cup_event_unspent[kind], unspent, __ATOMIC_RELAXED);
}

/* ---- reads and writes -------------------------------------------------------------------- */

void cup_event_take(enum cup_stack_use use, uint32_t task, uint32_t node, uint32_t weight,
                    uint64_t bytes, uint64_t ns, uint64_t now)
{
    bool native = bytes >= CUP_EVENT_NATIVE_BYTES || ns >= CUP_EVENT_NATIVE_NS;
    if (!cup_stacks_on())
        return;
    if (!node)
        node = find_node(native, task, now);
    cup_event_spend(CUP_EVENT_TRANSFER, now);
    if (weight > 1)
        cup_log_health(CUP_H_EVENTS_THINNED, weight - 1);
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
    uint64_t now = cup_ticks();
    uint32_t bits = cup_event_thinning(CUP_EVENT_WAIT, now);
    if (!task || !cup_stacks_on())
        return;
    bits = cup_event_lighten(bits, ns, CUP_EVENT_WAIT_NS);
    if (!bits || !(cup_event_random() & ((1u << bits) - 1))) {
        cup_event_spend(CUP_EVENT_WAIT, now);
        if (bits)
            cup_log_health(CUP_H_EVENTS_THINNED, (1u << bits) - 1);
        cup_stack_use(task, cup_event_node(task), use[class], waits << bits, 0, ns << bits);
    }
    if (class == CUP_WAIT_GIL) /* other waits may be inside an allocator or a signal handler */
        CUP_LIFECYCLE(task_goes_on);
}

/* ---- allocations ------------------------------------------------------------------------- */

/* -log2 of a random number between 0 and 1, with an error below 1.3e-4. The polynomial approximates
 * log2(1 + part). */
static double draw_bits(void)
{
    uint32_t number = cup_event_random();
    int zeros = __builtin_clz(number);
    double part = (double)(number << zeros) / 2147483648.0 - 1; /* 0 to 1 */
    double log = part * (1.43838 + part * (-0.67588 + part * (0.31815 - part * 0.08065)));
    return zeros + 1 - log;
}

/* What the countdown of a thread ends with. */
enum alloc_step {
    STEP_NONE,  /* nothing: no step has begun. Must be 0, because thread-local storage starts so */
    STEP_WHOLE, /* a recorded allocation */
    STEP_CUT,   /* another step */
};

/* The mean number of bytes between two recorded allocations of this thread. */
static int64_t mean_step(void)
{
    return (int64_t)CUP_EVENT_ALLOC_BYTES << cup_self.alloc_bits;
}

/* Bytes until the next recorded allocation: exponentially distributed, so that each allocated byte
 * is equally likely to be recorded, whatever came before. For the same reason a long step may be
 * cut and another one drawn at the cut, with another mean. It has to be shorter than a large
 * allocation, which must always end the countdown. */
static int64_t draw_step(void)
{
    const double mean_bits = 1.4426950408889634;
    cup_self.alloc_bits = cup_event_thinning(CUP_EVENT_ALLOC, cup_ticks()) & 63;
    int64_t step = (int64_t)(draw_bits() * ((double)mean_step() / mean_bits));
    bool whole = step < CUP_EVENT_ALLOC_LARGE;
    cup_self.alloc_step = whole ? STEP_WHOLE : STEP_CUT;
    return whole ? step : CUP_EVENT_ALLOC_LARGE - 1;
}

/* The bytes that an allocation stands for. A large one stands for itself and leaves the countdown
 * unchanged; any other stands for the mean steps that end in it. */
static uint64_t weigh_allocation(size_t bytes)
{
    struct cup_thread *thread = &cup_self;
    if (bytes >= CUP_EVENT_ALLOC_LARGE) {
        thread->alloc_left += (int64_t)bytes;
        return bytes;
    }
    uint64_t all = 0;
    while (thread->alloc_left < 0) {
        all += thread->alloc_step == STEP_WHOLE ? (uint64_t)mean_step() : 0;
        thread->alloc_left += draw_step();
    }
    return all;
}

void cup_event_alloc_due(uint32_t task, size_t bytes)
{
    struct cup_thread *thread = &cup_self;
    /* Inside the library, or in the handler of a signal that arrived there, the thread may hold a
     * lock. */
    if (thread->guard || !cup_stacks_on()) {
        thread->alloc_left = thread->guard ? 0 : CUP_EVENT_ALLOC_BYTES;
        thread->alloc_step = STEP_NONE;
        return;
    }
    int saved = errno;
    cup_guard();
    /* On a new thread, and after allocations inside the library, the countdown begins now. */
    if (thread->alloc_step == STEP_NONE)
        thread->alloc_left = draw_step() - (int64_t)bytes;
    uint64_t all = weigh_allocation(bytes);
    if (all && task) {
        if (bytes < CUP_EVENT_ALLOC_LARGE)
            cup_event_spend(CUP_EVENT_ALLOC, cup_ticks());
        cup_stack_use(task, cup_event_node(task), CUP_U_ALLOC, 1, all, 0);
    }
    cup_unguard();
    errno = saved;
}

void cup_events_reset(void)
{
    memset(handovers, 0, sizeof handovers);
    memset(cup_event_unspent, 0, sizeof cup_event_unspent);
}
