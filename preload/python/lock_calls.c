#include "preload/python/lock_calls.h"

#include "preload/python/monitored.h"
#include "preload/python/python.h"
#include "preload/sys/raw.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static cup_lock_call_handler *notify;

/* Types; references are never given back. */
static cup_object *lock_type, *rlock_type, *queue_type, *method_type, *builtin_type, *function_type;
static cup_object *deque_type, *next_function, *heappop_function; /* the last one may be NULL */
static cup_object *off;                                           /* sys.monitoring.DISABLE */

/* PyMethodDescrObject: PyObject (2 words), d_type, d_name. PyCFunctionObject: PyObject, m_ml,
 * m_self. PyMethodDef: ml_name. They are the same from Python 3.9 to 3.15. */
enum { DESCRIPTOR_TYPE = 2, DESCRIPTOR_NAME = 3, BUILTIN_METHOD = 2, BUILTIN_SELF = 3 };

static const void *word_at(const void *object, int word)
{
    return ((const void *const *)object)[word];
}

static const struct {
    const char *name;
    enum cup_lock_call call;
} methods[] = {
    {"acquire", CUP_CALL_TAKES},      {"__enter__", CUP_CALL_TAKES},
    {"acquire_lock", CUP_CALL_TAKES}, {"release", CUP_CALL_GIVES},
    {"__exit__", CUP_CALL_GIVES},     {"release_lock", CUP_CALL_GIVES},
    {"get", CUP_CALL_TAKES_ITEM},     {"get_nowait", CUP_CALL_TAKES_ITEM},
};
enum { METHODS = sizeof methods / sizeof *methods };
static const void *names[METHODS], *pop_name, *popleft_name; /* interned */

static bool is_watched(const void *type)
{
    return type == lock_type || type == rlock_type || (type && type == queue_type);
}

/* Index in methods[] of the method with this interned name; -1: it neither takes nor gives. */
static int find_method(const void *name)
{
    for (int i = 0; i < METHODS; i++)
        if (names[i] == name)
            return i;
    return -1;
}

/* The same of a method that is bound to its object. */
static int find_bound_method(cup_object *builtin)
{
    const char *name = word_at(word_at(builtin, BUILTIN_METHOD), 0);
    for (int i = 0; i < METHODS; i++)
        if (strcmp(methods[i].name, name) == 0)
            return i;
    return -1;
}

/* A method that is bound to a lock or a queue. */
static bool is_bound(cup_object *object)
{
    if (cup_python_type(object) != builtin_type)
        return false;
    cup_object *self = (cup_object *)(uintptr_t)word_at(object, BUILTIN_SELF);
    return self && is_watched(cup_python_type(self));
}

/* Python functions by which a place may call now a lock, and now an object around a lock. */
static bool is_named_like_lock(cup_object *function)
{
    return find_method(cup_frames_code_name(cup_py.PyFunction_GetCode(function))) >= 0;
}

static bool is_pop(const cup_object *called, const cup_object *type)
{
    if (type != method_type)
        return called == next_function || (called && called == heappop_function);
    const void *of = word_at(called, DESCRIPTOR_TYPE), *name = word_at(called, DESCRIPTOR_NAME);
    return (of == cup_py.list_type || of == deque_type) &&
           (name == pop_name || name == popleft_name);
}

/* CALLED is called with FIRST, its first argument. False: it has nothing to do with locks. */
static bool note_call(cup_object *called, cup_object *first)
{
    const cup_object *type = cup_python_type(called);
    int method = -1;
    if (is_pop(called, type))
        return notify(first, CUP_CALL_POPS);
    if (type == method_type) {
        if (!is_watched(word_at(called, DESCRIPTOR_TYPE)))
            return false;
        method = find_method(word_at(called, DESCRIPTOR_NAME));
    } else if (type == builtin_type && is_bound(called)) {
        method = find_bound_method(called);
        first = (cup_object *)(uintptr_t)word_at(called, BUILTIN_SELF);
    } else if (is_bound(first)) {
        int passed = find_bound_method(first);
        if (passed >= 0 && methods[passed].call != CUP_CALL_GIVES)
            notify(word_at(first, BUILTIN_SELF), CUP_CALL_PASSED);
        return true;
    } else {
        return type == function_type && is_named_like_lock(called);
    }
    if (method >= 0 && is_watched(cup_python_type(first)))
        notify(first, methods[method].call);
    return true;
}

/* The callback for CALL: code, place, what is called, its first argument. */
static cup_object *function_calls(cup_object *self, cup_object *const *arguments, ssize_t count)
{
    (void)self;
    int saved = errno;
    bool stays = count != 4 || !cup_python_usable() || note_call(arguments[2], arguments[3]);
    errno = saved;
    return stays ? cup_python_nothing() : cup_python_hold(off);
}

static cup_object *member_of(const char *module, const char *name)
{
    return cup_python_attribute(cup_python_module(module), name);
}

/* The type of an attribute of OBJECT; a reference is held. */
static cup_object *type_of_attribute(cup_object *object, const char *name)
{
    CUP_OWNED cup_object *value = cup_python_attribute(object, name);
    return value ? cup_python_hold(cup_python_type(value)) : NULL;
}

static bool find_types(void)
{
    lock_type = member_of("_thread", "lock");
    rlock_type = member_of("_thread", "RLock");
    queue_type = member_of("_queue", "SimpleQueue");
    method_type = type_of_attribute(lock_type, "acquire");
    builtin_type = type_of_attribute(cup_python_module("_thread"), "allocate_lock");
    CUP_OWNED cup_object *condition = member_of("threading", "Condition");
    function_type = type_of_attribute(condition, "wait");
    deque_type = member_of("_collections", "deque");
    next_function = member_of("builtins", "next");
    heappop_function = member_of("_heapq", "heappop");
    pop_name = cup_py.PyUnicode_InternFromString("pop");
    popleft_name = cup_py.PyUnicode_InternFromString("popleft");
    off = cup_monitored_attribute("DISABLE");
    for (int i = 0; i < METHODS; i++)
        names[i] = cup_py.PyUnicode_InternFromString(methods[i].name);
    return lock_type && rlock_type && method_type && builtin_type && function_type && off;
}

/* The layouts, by an object of each kind whose content is known. */
static bool are_layouts_verified(void)
{
    CUP_OWNED cup_object *method = cup_python_attribute(lock_type, "acquire");
    CUP_OWNED cup_object *lock =
        cup_python_call(cup_python_module("_thread"), "allocate_lock", NULL);
    CUP_OWNED cup_object *bound = cup_python_attribute(lock, "acquire");
    return method && bound && word_at(method, DESCRIPTOR_TYPE) == lock_type &&
           word_at(method, DESCRIPTOR_NAME) == names[0] && cup_python_type(bound) == builtin_type &&
           word_at(bound, BUILTIN_SELF) == lock && find_bound_method(bound) == 0;
}

/* ---- waits --------------------------------------------------------------------------------- */

/* The word before the semaphore is the address that is waited for: the first one behind the head of
 * a lock's or a SimpleQueue's object. */
enum cup_parked cup_lock_calls_parked(const void *semaphore)
{
    enum { HEAD = 16, TYPE = 8 };
    int saved = errno;
    const char *at = cup_memory_word((const char *)semaphore - sizeof(void *), 0);
    const void *type = at ? cup_memory_word(at - HEAD, TYPE) : NULL;
    errno = saved;
    if (!is_watched(type))
        return CUP_PARKED_NOTHING;
    return type == lock_type    ? CUP_PARKED_LOCK
           : type == rlock_type ? CUP_PARKED_RLOCK
                                : CUP_PARKED_QUEUE;
}

__thread bool cup_lock_calls_probing __attribute__((tls_model("initial-exec")));
static enum cup_parked probed;

void cup_lock_calls_probe(const void *semaphore)
{
    probed = cup_lock_calls_parked(semaphore);
}

/* Takes a lock of its own twice. */
bool cup_lock_calls_verify_waits(void)
{
    CUP_OWNED cup_object *lock =
        cup_python_call(cup_python_module("_thread"), "allocate_lock", NULL);
    CUP_OWNED cup_object *first = cup_python_call(lock, "acquire", NULL);
    CUP_OWNED cup_object *acquire = cup_python_attribute(lock, "acquire");
    CUP_OWNED cup_object *wait = cup_py.PyLong_FromUnsignedLongLong(1);
    CUP_OWNED cup_object *seconds =
        cup_python_call(cup_py.float_type, NULL, cup_python_name("0.000001"));
    if (!first || !acquire || !seconds)
        return false;
    cup_lock_calls_probing = true;
    CUP_OWNED cup_object *second =
        cup_py.PyObject_CallFunctionObjArgs(acquire, wait, seconds, (cup_object *)NULL);
    cup_lock_calls_probing = false;
    if (!second)
        cup_py.PyErr_Clear();
    return second && probed == CUP_PARKED_LOCK;
}

/* ---- the start ----------------------------------------------------------------------------- */

const char *cup_lock_calls_start(cup_lock_call_handler *handler)
{
    static const struct cup_python_method calls = {"cupping_function_calls", (void *)function_calls,
                                                   CUP_METHOD_FAST, NULL};
    notify = handler;
    if (!find_types() || !are_layouts_verified())
        return "its locks are not laid out as expected";
    return cup_monitored_everywhere("CALL", &calls) ? NULL : "the interpreter refuses CALL events";
}
