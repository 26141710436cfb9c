#include "preload/context.h"

#include "preload/memory.h"

#include <string.h>

/* Word indices inside the interpreter's objects, the same in 3.9 to 3.13 and verified at start:
 * PyContext: count, type, previous, variables. The variables' map: count, type, root. A bitmap
 * node: count, type, size, bitmap, then pairs of key and value (a NULL key: the value is a
 * sub-node). An array node: count, type, then 32 children. */
enum {
    CONTEXT_VARIABLES = 3,
    MAP_ROOT = 2,
    BITMAP_BITS = 3,
    BITMAP_PAIRS = 4,
    ARRAY_CHILDREN = 2,
    DEEPEST = 7, /* 5 bits of the hash a level */
    THREAD_STATE_WORDS = 96,
    INTEGER_DIGITS = 3, /* int: count, type, size or tag, 30-bit digits */
};

/* Task numbers are carried by ints of exactly two digits, so that one layout fits them all, and
 * none is one of the interpreter's shared small ints. */
#define CARRIER_HIGH (UINT64_C(1) << 59)

static struct {
    cup_object *variable;
    uint32_t hash;
    uint32_t root_bit;     /* its place in a root node */
    size_t thread_context; /* offset in the thread state */
    const void *bitmap_type, *array_type;
    bool verified;
    bool has_popcnt;
} the;

static const void *type_of(const void *const *object)
{
    return object[1];
}

/* Bits below BIT: where in the pairs its pair stands. By the instruction where the processor has it
 * (all since 2008; the compiler may not assume so): its substitute takes longer than all the rest.
 */
static unsigned bits_below(uint32_t bits, uint32_t bit)
{
#if defined(__x86_64__)
    if (__builtin_expect(the.has_popcnt, 1)) {
        uint32_t count;
        __asm__("popcntl %1, %0" : "=r"(count) : "r"(bits & (bit - 1)) : "cc");
        return count;
    }
#endif
    return (unsigned)__builtin_popcount(bits & (bit - 1));
}

static const void *find_in_bitmap(const void *const *node, unsigned part, const void *const **next)
{
    uint32_t bits = (uint32_t)(uintptr_t)node[BITMAP_BITS];
    uint32_t bit = UINT32_C(1) << part;
    if (!(bits & bit))
        return NULL;
    const void *const *pair = node + BITMAP_PAIRS + 2 * bits_below(bits, bit);
    if (!pair[0]) {
        *next = pair[1];
        return NULL;
    }
    return pair[0] == the.variable ? pair[1] : NULL;
}

/* The variable's value in a map, borrowed. Collision nodes are not searched: two variables with
 * the same 32-bit hash, and the task is not known, never wrong. */
static const void *find_value(const void *const *map)
{
    const void *const *node = map ? map[MAP_ROOT] : NULL;
    for (unsigned level = 0; node && level < DEEPEST; level++) {
        unsigned part = the.hash >> (5 * level) & 31;
        const void *const *next = NULL;
        if (type_of(node) == the.bitmap_type) {
            const void *value = find_in_bitmap(node, part, &next);
            if (value)
                return value;
        } else if (type_of(node) == the.array_type) {
            next = node[ARRAY_CHILDREN + part];
        }
        node = next;
    }
    return NULL;
}

static uint32_t carried_task(const void *const *carrier)
{
    uint32_t digits[2];
    memcpy(digits, carrier + INTEGER_DIGITS, sizeof digits);
    return digits[0] | (digits[1] & 3) << 30;
}

static __attribute__((noinline)) uint32_t task_in(const void *const *map)
{
    const void *value = find_value(map);
    return value ? carried_task(value) : 0;
}

/* A context of few variables has one bitmap node, and the answer is there: without a loop, and with
 * it the registers that a loop wants saved. */
uint32_t cup_context_task(void)
{
    if (!__atomic_load_n(&the.verified, __ATOMIC_ACQUIRE))
        return 0;
    const char *thread = cup_python_thread_fast();
    const void *const *context =
        thread ? *(const void *const *const *)(thread + the.thread_context) : NULL;
    if (!context)
        return 0;
    const void *const *map = context[CONTEXT_VARIABLES];
    const void *const *root = map[MAP_ROOT];
    if (type_of(root) != the.bitmap_type)
        return task_in(map);
    uint32_t bits = (uint32_t)(uintptr_t)root[BITMAP_BITS];
    if (!(bits & the.root_bit))
        return 0;
    const void *const *pair = root + BITMAP_PAIRS + 2 * bits_below(bits, the.root_bit);
    if (pair[0] == the.variable)
        return carried_task(pair[1]);
    return pair[0] ? 0 : task_in(map);
}

void cup_context_off(void)
{
    __atomic_store_n(&the.verified, false, __ATOMIC_RELEASE);
}

/* ---- setting ------------------------------------------------------------------------------------
 */

static cup_object *set_task(uint32_t task)
{
    cup_object *carrier = cup_py.PyLong_FromUnsignedLongLong(CARRIER_HIGH | task);
    cup_object *token = carrier ? cup_py.PyContextVar_Set(the.variable, carrier) : NULL;
    if (!token)
        cup_py.PyErr_Clear();
    cup_python_drop(carrier);
    return token;
}

cup_object *cup_context_set(uint32_t task)
{
    return the.verified ? set_task(task) : NULL;
}

void cup_context_reset(cup_object *token)
{
    if (!token)
        return;
    if (cup_py.PyContextVar_Reset(the.variable, token))
        cup_py.PyErr_Clear();
    cup_python_drop(token);
}

/* ---- discovery and verification
 * ------------------------------------------------------------------ */

/* The map's own hash of a key: 64 bits folded to 32. */
static uint32_t folded_hash(cup_object *object)
{
    uint64_t hash = (uint64_t)cup_py.PyObject_Hash(object);
    uint32_t folded = (uint32_t)hash ^ (uint32_t)(hash >> 32);
    return folded == UINT32_MAX ? UINT32_MAX - 1 : folded;
}

static size_t find_context_offset(const char *thread, const cup_object *context)
{
    for (size_t word = 1; word < THREAD_STATE_WORDS; word++)
        if (cup_memory_word(thread, word * sizeof(void *)) == context)
            return word * sizeof(void *);
    return 0;
}

/* Type of the root node of the context that is entered. */
static const void *root_type(const cup_object *context)
{
    const char *map = cup_memory_word(context, CONTEXT_VARIABLES * sizeof(void *));
    const char *root = cup_memory_word(map, MAP_ROOT * sizeof(void *));
    return cup_memory_word(root, sizeof(void *));
}

enum { FILLERS = 40, KNOWN_TASK = 0x7ace5a17u }; /* more than 30 bits, like a real one may have */

/* Inside a fresh context: the variable alone, then among many others, then taken away. */
static const char *verify_inside(cup_object *context, cup_object **tokens)
{
    const char *thread = cup_python_thread();
    the.thread_context = find_context_offset(thread, context);
    if (!the.thread_context)
        return "the thread state does not show its context";
    cup_object *token = set_task(KNOWN_TASK);
    the.bitmap_type = root_type(context);
    if (!token || !the.bitmap_type)
        return "a context's variables are not where they are expected";
    the.verified = true; /* for this thread, which holds the GIL */
    bool alone = cup_context_task() == KNOWN_TASK;
    for (int i = 0; i < FILLERS; i++) {
        cup_object *filler = cup_py.PyContextVar_New("cupping.filler", NULL);
        tokens[i] = filler ? cup_py.PyContextVar_Set(filler, the.variable) : NULL;
        cup_python_drop(filler);
    }
    the.array_type = root_type(context);
    bool among = cup_context_task() == KNOWN_TASK && the.array_type != the.bitmap_type;
    cup_context_reset(token);
    bool absent = cup_context_task() == 0;
    return alone && among && absent ? NULL : "a known context was not read back right";
}

static const char *verify_in_fresh_context(void)
{
    cup_object *tokens[FILLERS] = {0};
    cup_object *context = cup_py.PyContext_New();
    if (!context || cup_py.PyContext_Enter(context)) {
        cup_python_drop(context);
        return "no context could be made";
    }
    const char *why = verify_inside(context, tokens);
    for (int i = 0; i < FILLERS; i++)
        cup_python_drop(tokens[i]);
    cup_py.PyContext_Exit(context);
    cup_python_drop(context);
    if (!why && cup_context_task())
        why = "a context that was left is still read";
    return why;
}

const char *cup_context_verify(void)
{
    the.variable = cup_py.PyContextVar_New("cupping.task", NULL);
    if (!the.variable) {
        cup_py.PyErr_Clear();
        return "no context variable could be made";
    }
    the.hash = folded_hash(the.variable);
    the.root_bit = UINT32_C(1) << (the.hash & 31);
#if defined(__x86_64__)
    the.has_popcnt = __builtin_cpu_supports("popcnt");
#endif
    the.verified = false;
    const char *why = verify_in_fresh_context();
    cup_py.PyErr_Clear();
    __atomic_store_n(&the.verified, why == NULL, __ATOMIC_RELEASE);
    return why;
}
