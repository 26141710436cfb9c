/* The library's own stacks, without a preload: a program calls them by ctypes.PyDLL at places of
 * its choice, and finds in the log what they saw. Also what they cost. */
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/python/frames.h"
#include "preload/python/layout.h"
#include "preload/python/stack_frames.h"
#include "preload/stacks/native.h"
#include "preload/stacks/stack_tables.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/hook_list.h"

#include <time.h>

#define CALLED __attribute__((visibility("default")))

/* What the objects that are linked here want of others. */
__thread struct cup_thread cup_self;
static volatile uint32_t active = 1;
volatile uint32_t *cup_active_word = &active;
void cup_recording_drop_feature(uint64_t bits, const char *what, const char *why)
{
    (void)bits, (void)what, (void)why;
}

/* Before stacks_begin(): the interpreter will differ from all that are known, in a field of which
 * nothing is read here. */
static bool differs;
CALLED void stacks_differ(void)
{
    differs = true;
}

/* NULL, or why it cannot be. */
CALLED const char *stacks_begin(const char *directory)
{
    const char *why = NULL;
    cup_real_resolve();
    cup_python_init();
    if (!cup_python_usable())
        return "no interpreter";
    if ((why = cup_frames_verify()))
        return why;
    cup_python_learn();
    if (differs)
        cup_layout.frame_variables += sizeof(void *);
    cup_stacks_want(CUP_STACKS_ON);
    cup_nodes_want_all();
    if ((why = cup_stacks_verify()))
        return why;
    return cup_log_open(directory, UINT64_C(1) << 28, 0, CUP_LOG_FULL, &why) ? why : NULL;
}

/* After stacks_refused(): which optional fields are not as expected; NULL: none. */
CALLED const char *stacks_lack(void)
{
    return cup_stack_layout_lacks();
}

/* What verification says where a field of struct cup_layout (FIELD: which of its words) is not
 * where it is thought to be but MORE bytes further on. NULL: nothing, or no such field; *KEPT: and
 * it would be used. */
CALLED const char *stacks_refused(size_t field, ptrdiff_t more, int *kept)
{
    size_t *words = (size_t *)&cup_layout;
    cup_real_resolve();
    cup_python_init();
    const char *why = cup_frames_verify();
    size_t wrong = words[field] + (size_t)more;
    *kept = words[field] != CUP_NOWHERE;
    if (why || !*kept)
        return why;
    words[field] = wrong;
    why = cup_stack_layout_verify();
    *kept = !why && words[field] == wrong;
    return why;
}

CALLED size_t stacks_fields(void)
{
    return sizeof cup_layout / sizeof(size_t);
}

static uint32_t highest; /* of the nodes that a call returned */

static uint32_t note_node(uint32_t node)
{
    highest = node > highest ? node : highest;
    return node;
}

CALLED uint32_t stacks_here(uint32_t under)
{
    cup_guard();
    uint32_t node = note_node(cup_stack_here(under));
    cup_unguard();
    return node;
}

/* After stacks_begin(): NULL, or why there are no native frames. */
CALLED const char *stacks_native_begin(void)
{
    cup_native_want(true);
    return cup_native_verify();
}

/* As threads have that work for tasks. */
static void take_slot(void)
{
    static uint16_t taken;
    if (!cup_self.slot)
        cup_self.slot = __atomic_add_fetch(&taken, 1, __ATOMIC_RELAXED);
}

CALLED uint32_t stacks_native_here(uint32_t under)
{
    take_slot();
    cup_guard();
    uint32_t node = note_node(cup_stack_native_here(under));
    cup_unguard();
    return node;
}

/* For as long as the process lives. */
CALLED void stacks_storm(void)
{
    for (;;)
        stacks_here(0);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds a call, of a stack that was met before: the best of several rounds. */
static double cost_of(uint32_t (*here)(uint32_t under))
{
    enum { ROUNDS = 20, CALLS = 20000 };
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ns();
        for (int i = 0; i < CALLS; i++)
            __asm__ volatile("" ::"r"(here(0)));
        double each = (now_ns() - start) / CALLS;
        best = each < best ? each : best;
    }
    return best;
}

/* The log has all nodes that were seen, under the numbers that the calls returned. */
CALLED void stacks_write(void)
{
    for (uint32_t node = 1; node <= highest; node++)
        cup_node_record(node);
    cup_nodes_write();
}

CALLED double stacks_cost(void)
{
    return cost_of(cup_stack_here);
}

CALLED double stacks_native_cost(void)
{
    take_slot();
    return cost_of(cup_stack_native_here);
}
