#include "preload/attribution/context.h"

#include "preload/sys/raw.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Task numbers are carried by ints of exactly two digits, so that one layout fits them all, and
 * none is one of the interpreter's shared small ints. */
#define CARRIER_HIGH (UINT64_C(1) << 59)

struct cup_context_layout cup_context;

static const void *find_in_bitmap(const void *const *node, unsigned part, const void *const **next)
{
    uint32_t bits = (uint32_t)(uintptr_t)node[CUP_BITMAP_BITS];
    uint32_t bit = UINT32_C(1) << part;
    if (!(bits & bit))
        return NULL;
    const void *const *pair = node + CUP_BITMAP_PAIRS + 2 * cup_context_bits_below(bits, bit);
    if (!pair[0]) {
        *next = pair[1];
        return NULL;
    }
    return pair[0] == cup_context.variable ? pair[1] : NULL;
}

/* The variable's value in a map, borrowed. Collision nodes are not searched: where another variable
 * has the same 32-bit hash, the task stays unknown. */
static const void *find_value(const void *const *map)
{
    const void *const *node = map ? map[CUP_MAP_ROOT] : NULL;
    for (unsigned level = 0; node && level < CUP_DEEPEST; level++) {
        unsigned part = cup_context.hash >> (5 * level) & 31;
        const void *const *next = NULL;
        if (cup_context_type(node) == cup_context.bitmap_type) {
            const void *value = find_in_bitmap(node, part, &next);
            if (value)
                return value;
        } else if (cup_context_type(node) == cup_context.array_type) {
            next = node[CUP_ARRAY_CHILDREN + part];
        }
        node = next;
    }
    return NULL;
}

uint32_t cup_context_search(const void *const *map)
{
    const void *value = find_value(map);
    return value ? cup_context_carried(value) : 0;
}

void cup_context_off(void)
{
    __atomic_store_n(&cup_context.verified, false, __ATOMIC_RELEASE);
}

/* ---- setting ----------------------------------------------------------------------------- */

static cup_object *set_task(uint32_t task)
{
    cup_object *carrier = cup_py.PyLong_FromUnsignedLongLong(CARRIER_HIGH | task);
    cup_object *token = carrier ? cup_py.PyContextVar_Set(cup_context.variable, carrier) : NULL;
    if (!token)
        cup_py.PyErr_Clear();
    cup_python_drop(carrier);
    return token;
}

cup_object *cup_context_set(uint32_t task)
{
    return cup_context.verified ? set_task(task) : NULL;
}

static void reset_variable(cup_object *token)
{
    if (!token)
        return;
    if (cup_py.PyContextVar_Reset(cup_context.variable, token))
        cup_py.PyErr_Clear();
    cup_python_drop(token);
}

/* The token that resets the variable when the calling thread's task ends: an owned reference; NULL:
 * none. */
static __thread cup_object *own_token __attribute__((tls_model("initial-exec")));

void cup_context_enter(uint32_t task)
{
    own_token = cup_context_set(task);
}

void cup_context_leave(void)
{
    reset_variable(own_token);
    own_token = NULL;
}

/* The token belongs to the parent's task, which does not run here. It is not released: that would
 * need the GIL. */
void cup_context_child_begins(void)
{
    own_token = NULL;
}

/* ---- discovery and verification ---------------------------------------------------------- */

/* The map's own hash of a key: 64 bits folded to 32. */
static uint32_t folded_hash(cup_object *object)
{
    uint64_t hash = (uint64_t)cup_py.PyObject_Hash(object);
    uint32_t folded = (uint32_t)hash ^ (uint32_t)(hash >> 32);
    return folded == UINT32_MAX ? UINT32_MAX - 1 : folded;
}

static size_t find_context_offset(const char *thread, const cup_object *context)
{
    for (size_t word = 1; word < CUP_THREAD_STATE_WORDS; word++)
        if (cup_memory_word(thread, word * sizeof(void *)) == context)
            return word * sizeof(void *);
    return 0;
}

/* Type of the root node of CONTEXT's map. */
static const void *root_type(const cup_object *context)
{
    const char *map = cup_memory_word(context, CUP_CONTEXT_VARIABLES * sizeof(void *));
    const char *root = cup_memory_word(map, CUP_MAP_ROOT * sizeof(void *));
    return cup_memory_word(root, sizeof(void *));
}

enum { FILLERS = 64, KNOWN_TASK = 0x7ace5a17u }; /* more than 30 bits, like a real one may have */

/* Adds another variable to the current context. Each has a different name: a variable's hash, and
 * so its place in the map, depends on its address and its name, and addresses alone may be spaced
 * so that half of the places stay empty. */
static cup_object *set_filler(int number)
{
    char name[] = "cupping.filler.00";
    name[sizeof name - 3] = (char)('0' + number / 10);
    name[sizeof name - 2] = (char)('0' + number % 10);
    cup_object *filler = cup_py.PyContextVar_New(name, NULL);
    cup_object *token = filler ? cup_py.PyContextVar_Set(filler, cup_context.variable) : NULL;
    cup_python_drop(filler);
    return token;
}

/* In a fresh context: reads the variable when it is alone, then among many others, then after it
 * was reset. */
static const char *verify_inside(cup_object *context, cup_object **tokens)
{
    const char *thread = cup_python_thread();
    cup_context.thread_context = find_context_offset(thread, context);
    if (!cup_context.thread_context)
        return "the thread state does not show its context";
    cup_object *token = set_task(KNOWN_TASK);
    cup_context.bitmap_type = root_type(context);
    if (!token || !cup_context.bitmap_type)
        return "a context's variables are not where they are expected";
    cup_context.verified = true; /* for this thread, which holds the GIL */
    bool alone = cup_context_task() == KNOWN_TASK;
    for (int i = 0; i < FILLERS; i++)
        tokens[i] = set_filler(i);
    cup_context.array_type = root_type(context);
    bool among =
        cup_context_task() == KNOWN_TASK && cup_context.array_type != cup_context.bitmap_type;
    reset_variable(token);
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

/* Does not use __builtin_cpu_supports(): that needs a constructor which asks the processor for all
 * its features at the start of every process, and in a virtual machine that takes 100 us. */
static bool has_popcnt(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_POPCNT;
#else
    return false;
#endif
}

const char *cup_context_verify(void)
{
    cup_context.variable = cup_py.PyContextVar_New("cupping.task", NULL);
    if (!cup_context.variable) {
        cup_py.PyErr_Clear();
        return "no context variable could be made";
    }
    cup_context.hash = folded_hash(cup_context.variable);
    cup_context.root_bit = UINT32_C(1) << (cup_context.hash & 31);
    cup_context.has_popcnt = has_popcnt();
    cup_context.verified = false;
    const char *why = verify_in_fresh_context();
    cup_py.PyErr_Clear();
    __atomic_store_n(&cup_context.verified, why == NULL, __ATOMIC_RELEASE);
    return why;
}
