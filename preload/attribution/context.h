/* The attribution method "context": cupping makes a context variable of Python, whose value is the
 * task's number. asyncio and asyncio.to_thread() copy contexts to the threads that work for a task.
 * A hook reads the variable without the GIL. That is safe because a thread's own current context
 * cannot change while the thread is inside a hook, and the objects that the context leads to are
 * immutable and held by it. No reference count is changed, nothing is allocated. */
#pragma once

#include "preload/python/python.h"

#include <string.h>

/* Makes the variable, finds where this interpreter keeps a thread's current context, and verifies
 * that the variable is read correctly from a context of known content. Needs the GIL. Returns NULL,
 * or why the method cannot be used. */
const char *cup_context_verify(void);

/* Sets the variable to TASK in the current context. Returns the token that resets it (a new
 * reference); NULL: the method is off, or it failed. Needs the GIL. */
cup_object *cup_context_set(uint32_t task);

/* Sets the variable when the calling thread begins to run TASK, and resets it when that task ends.
 * Both need the GIL. */
void cup_context_enter(uint32_t task);
void cup_context_leave(void);

/* A row of the lifecycle table. */
void cup_context_child_begins(void);

/* The interpreter ends: switches the method off. */
void cup_context_off(void);

/* ---- reading: inline, since every allocation of a helper thread does it ------------------ */

/* Word indices inside the interpreter's objects, the same in 3.9 to 3.13 and verified at start:
 * PyContext: count, type, previous, variables. The variables' map: count, type, root. A bitmap
 * node: count, type, size, bitmap, then pairs of key and value (a NULL key: the value is a
 * sub-node). An array node: count, type, then 32 children. */
enum cup_context_words {
    CUP_CONTEXT_VARIABLES = 3,
    CUP_MAP_ROOT = 2,
    CUP_BITMAP_BITS = 3,
    CUP_BITMAP_PAIRS = 4,
    CUP_ARRAY_CHILDREN = 2,
    CUP_DEEPEST = 7, /* 5 bits of the hash a level */
    CUP_THREAD_STATE_WORDS = 96,
    CUP_INTEGER_DIGITS = 3, /* int: count, type, size or tag, 30-bit digits */
};

extern struct cup_context_layout {
    cup_object *variable;
    uint32_t hash;
    uint32_t root_bit;     /* its place in a root node */
    size_t thread_context; /* offset in the thread state */
    const void *bitmap_type, *array_type;
    bool verified;
    bool has_popcnt;
} cup_context CUP_OURS;

static inline const void *cup_context_type(const void *const *object)
{
    return object[1];
}

/* The number of bits of BITS below BIT, which is the index of BIT's pair in a bitmap node. Uses the
 * popcnt instruction where the processor has it. All processors since 2008 do, but the compiler may
 * not assume it, and its substitute takes longer than all other steps together. */
static inline unsigned cup_context_bits_below(uint32_t bits, uint32_t bit)
{
#if defined(__x86_64__)
    if (__builtin_expect(cup_context.has_popcnt, 1)) {
        uint32_t count;
        __asm__("popcntl %1, %0" : "=r"(count) : "r"(bits & (bit - 1)) : "cc");
        return count;
    }
#endif
    return (unsigned)__builtin_popcount(bits & (bit - 1));
}

/* The task's number in CARRIER, the int that is the variable's value: see context.c. */
static inline uint32_t cup_context_carried(const void *const *carrier)
{
    uint32_t digits[2];
    memcpy(digits, carrier + CUP_INTEGER_DIGITS, sizeof digits);
    return digits[0] | (digits[1] & 3) << 30;
}

/* The task in a map of any shape; 0: the variable is not in it. */
uint32_t cup_context_search(const void *const *map);

/* The task in the calling thread's context; 0: none. Any thread, with the GIL or without.
 *
 * A context of few variables has a single bitmap node. That case is read here without a loop, so
 * that callers need not save the registers that a loop uses. */
static inline uint32_t cup_context_task(void)
{
    if (!__atomic_load_n(&cup_context.verified, __ATOMIC_ACQUIRE))
        return 0;
    const char *thread = cup_python_thread_fast();
    const void *const *context =
        thread ? *(const void *const *const *)(thread + cup_context.thread_context) : NULL;
    if (!context)
        return 0;
    const void *const *map = context[CUP_CONTEXT_VARIABLES];
    const void *const *root = map[CUP_MAP_ROOT];
    if (cup_context_type(root) != cup_context.bitmap_type)
        return cup_context_search(map);
    uint32_t bits = (uint32_t)(uintptr_t)root[CUP_BITMAP_BITS];
    if (!(bits & cup_context.root_bit))
        return 0;
    const void *const *pair =
        root + CUP_BITMAP_PAIRS + 2 * cup_context_bits_below(bits, cup_context.root_bit);
    if (pair[0] == cup_context.variable)
        return cup_context_carried(pair[1]);
    return pair[0] ? 0 : cup_context_search(map);
}
