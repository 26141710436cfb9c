/* The CPython C API, found with dlsym at run time. Python's headers are not used, so one build of
 * the library works with all versions.
 *
 * Everything here needs the GIL unless its comment says otherwise: the caller must have made sure
 * with cup_python_has_gil(), which also checks that no exception is pending. Exceptions raised by
 * our own calls are cleared; the program never sees them. */
#pragma once

#include "preload/sys/library_variable.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef void cup_object; /* PyObject, PyThreadState, ... */

/* X(name, result, arguments). All of them are in the API of 3.9 to 3.14. */
#define CUP_PYTHON_API(X)                                                                          \
    X(PyGILState_GetThisThreadState, cup_object *, (void))                                         \
    X(PyErr_Occurred, cup_object *, (void))                                                        \
    X(PyErr_Clear, void, (void))                                                                   \
    X(PyEval_SaveThread, cup_object *, (void))                                                     \
    X(PyEval_RestoreThread, void, (cup_object *))                                                  \
    X(PyEval_GetFrame, cup_object *, (void))                                                       \
    X(PyFrame_GetBack, cup_object *, (cup_object *))                                               \
    X(PyFrame_GetCode, cup_object *, (cup_object *))                                               \
    X(PyObject_GetAttr, cup_object *, (cup_object *, cup_object *))                                \
    X(PyObject_GetItem, cup_object *, (cup_object *, cup_object *))                                \
    X(PyObject_GenericGetDict, cup_object *, (cup_object *, void *))                               \
    X(PyDict_GetItemWithError, cup_object *, (cup_object *, cup_object *))                         \
    X(PyDict_Next, int, (cup_object *, ssize_t *, cup_object **, cup_object **))                   \
    X(PyDict_Size, ssize_t, (cup_object *))                                                        \
    X(PyObject_Size, ssize_t, (cup_object *))                                                      \
    X(PyFloat_AsDouble, double, (cup_object *))                                                    \
    X(PyObject_GetIter, cup_object *, (cup_object *))                                              \
    X(PyIter_Next, cup_object *, (cup_object *))                                                   \
    X(PyCFunction_NewEx, cup_object *, (void *, cup_object *, cup_object *))                       \
    X(PySequence_Size, ssize_t, (cup_object *))                                                    \
    X(PySequence_GetItem, cup_object *, (cup_object *, ssize_t))                                   \
    X(PyDict_Values, cup_object *, (cup_object *))                                                 \
    X(PyTuple_Size, ssize_t, (cup_object *))                                                       \
    X(PyTuple_GetItem, cup_object *, (cup_object *, ssize_t))                                      \
    X(PyList_GetItem, cup_object *, (cup_object *, ssize_t))                                       \
    X(PyType_IsSubtype, int, (cup_object *, cup_object *))                                         \
    X(PyDict_GetItemString, cup_object *, (cup_object *, const char *))                            \
    X(PySys_GetObject, cup_object *, (const char *))                                               \
    X(PyObject_CallFunctionObjArgs, cup_object *, (cup_object *, ...))                             \
    X(PyObject_Str, cup_object *, (cup_object *))                                                  \
    X(PyObject_Hash, ssize_t, (cup_object *))                                                      \
    X(PyUnicode_AsUTF8AndSize, const char *, (cup_object *, ssize_t *))                            \
    X(PyUnicode_InternFromString, cup_object *, (const char *))                                    \
    X(PyUnicode_AsEncodedString, cup_object *, (cup_object *, const char *, const char *))         \
    X(PyBytes_AsString, char *, (cup_object *))                                                    \
    X(PyBytes_Size, ssize_t, (cup_object *))                                                       \
    X(PyLong_AsLongLong, long long, (cup_object *))                                                \
    X(PyLong_FromUnsignedLongLong, cup_object *, (unsigned long long))                             \
    X(PyFunction_GetCode, cup_object *, (cup_object *))                                            \
    X(PyContextVar_New, cup_object *, (const char *, cup_object *))                                \
    X(PyContextVar_Set, cup_object *, (cup_object *, cup_object *))                                \
    X(PyContextVar_Reset, int, (cup_object *, cup_object *))                                       \
    X(PyContext_New, cup_object *, (void))                                                         \
    X(PyContext_Enter, int, (cup_object *))                                                        \
    X(PyContext_Exit, int, (cup_object *))                                                         \
    X(PyInterpreterState_Get, cup_object *, (void))                                                \
    X(Py_IncRef, void, (cup_object *))                                                             \
    X(Py_DecRef, void, (cup_object *))                                                             \
    X(Py_GetVersion, const char *, (void))                                                         \
    X(Py_AtExit, int, (void (*)(void)))

struct cup_python {
#define X(name, result, arguments) result(*name) arguments;
    CUP_PYTHON_API(X)
#undef X
    cup_object *(*current)(void); /* PyThreadState_GetUnchecked, or its older name */
    int (*is_finalizing)(void);   /* Py_IsFinalizing, or its older name */
    cup_object *(*frame_variable)(cup_object *,
                                  cup_object *); /* PyFrame_GetVar; NULL before 3.12 */
    int (*PyFunction_AddWatcher)(int (*)(int, cup_object *, cup_object *)); /* NULL before 3.12 */
    cup_object *tuple_type, *list_type, *dict_type, *set_type;
    cup_object *string_type, *int_type, *float_type, *none;
    cup_object *member_type; /* of the descriptors of __slots__; NULL: unknown */
    int minor;               /* of 3.x */
};
extern struct cup_python cup_py CUP_OURS;

/* Finds the API of the interpreter that the program is linked with. Called once, by the library's
 * constructor. */
void cup_python_init(void);

/* True if the API is found; also looks for a libpython that was loaded later. Needs no GIL. */
bool cup_python_find(void);

/* The calling thread's PyThreadState. Needs no GIL. NULL in a thread that Python does not know,
 * before the interpreter is initialised, and from its finalisation on. */
cup_object *cup_python_thread(void);

/* The same for hot paths: reads the thread-specific key under which the interpreter keeps the
 * state, which saves two calls. cup_python_learn() finds the key; it needs the GIL. */
enum { CUP_KEY_UNKNOWN = -1, CUP_KEY_LOST = -2 }; /* of both: ask the interpreter */
extern int cup_python_key CUP_OURS;
void cup_python_learn(void);

/* A row of the lifecycle table. In a forked child the interpreter makes a new key, so it has to be
 * learned again (CUP_KEY_LOST). Until then the child asks the interpreter. */
void cup_python_child_begins(void);

static inline cup_object *cup_python_thread_fast(void)
{
    if (cup_py.is_finalizing())
        return NULL;
    if (cup_python_key < 0)
        return cup_py.PyGILState_GetThisThreadState();
    return pthread_getspecific((pthread_key_t)cup_python_key);
}

/* True if the calling thread holds the GIL and has no exception pending. Needs no GIL itself: it
 * compares this thread's state with the state of the thread that holds the GIL. */
bool cup_python_has_gil(void);

/* Takes the GIL for the calling thread, which gave it up before it called a function that is
 * hooked: it may wait until other threads give the GIL up. False: the thread holds the GIL already,
 * Python does not know it, or the interpreter is ending. After true, cup_python_give_gil() follows.
 * The caller holds the guard, and none of the library's locks. Needs no GIL. Changes errno. */
bool cup_python_take_gil(void);
void cup_python_give_gil(void);

/* gone(): the interpreter has ended (Py_AtExit); nothing of Python is used from now on. usable():
 * the API is found and the interpreter has not ended. Neither needs the GIL. */
void cup_python_gone(void);
bool cup_python_usable(void);

/* Why the library does not use the interpreter, though there is one, and the calling thread may ask
 * it for its modules now; else NULL. Such an interpreter is neither found nor usable. Needs no GIL.
 */
const char *cup_python_refused(void);

/* Py_GetVersion(); NULL: no interpreter is found, or it has ended. Needs no GIL. */
const char *cup_python_version(void);

/* True if the address is in the interpreter's own code. Needs no GIL. */
bool cup_python_is_code(const void *address);

/* False: the instruction CALLER, which reads the time of day, is not Python's. True if that is not
 * known. Needs no GIL. */
bool cup_python_reads_time(const void *caller);

/* True if CALLER, which reads a clock, is code of the interpreter that may run Python code now.
 * mimalloc is compiled into the interpreter, and it reads CLOCK_MONOTONIC in the middle of its
 * work: with it no call counts as the interpreter's. Needs no GIL. */
bool cup_python_reads_clock(const void *caller);

/* CPython (3.9 to 3.13) waits for the GIL on condition variables inside its global object
 * _PyRuntime: to take the GIL, and, after it gave the GIL up on request, until another thread has
 * taken it. No other condition variable is in _PyRuntime. */
extern struct cup_gil {
    uintptr_t from;
    uint64_t bytes; /* of _PyRuntime; 0: not found */
} cup_gil;

/* True if a wait on this condition variable is a wait for the GIL. Any thread;
 * async-signal-safe. */
static inline bool cup_gil_is(const void *condition)
{
    return (uintptr_t)condition - cup_gil.from < cup_gil.bytes;
}

/* ---- access to objects -------------------------------------------------------------------- */

/* These clear errors and return NULL (or a default) instead. They return new references unless
 * stated. "NAME is a literal": a string literal, because interned names are cached by its address.
 * Any of them may run Python code, unless stated. */

void cup_python_drop(cup_object *object); /* Py_XDECREF */

/* CUP_OWNED declares a variable that owns its reference: whichever way its block is left, the
 * reference is dropped then, in the reverse order of the declarations. */
#define CUP_OWNED __attribute__((cleanup(cup_python_drop_owned)))
static inline void cup_python_drop_owned(cup_object **owned)
{
    cup_python_drop(*owned);
}

/* Takes a reference of our own to OBJECT, which may be NULL, and returns it. */
static inline cup_object *cup_python_hold(cup_object *object)
{
    if (object)
        cup_py.Py_IncRef(object);
    return object;
}

/* object.NAME(ARGUMENT), or object.NAME() if ARGUMENT is NULL. NAME is a literal; NULL: OBJECT
 * itself is called. OBJECT may be NULL. */
cup_object *cup_python_call(cup_object *object, const char *name, cup_object *argument);

/* The text of a str as UTF-8, and its length; it belongs to OBJECT. NULL, and length 0, if OBJECT
 * is NULL or no str, or has surrogates. Runs no Python code. */
const char *cup_python_utf8(cup_object *object, size_t *bytes);

/* The interned str of a string literal; borrowed. Runs no Python code. */
cup_object *cup_python_name(const char *literal);

/* object.NAME and mapping[NAME]. NAME is a literal. OBJECT and MAPPING may be NULL. */
cup_object *cup_python_attribute(cup_object *object, const char *name);
cup_object *cup_python_item(cup_object *mapping, const char *name);

/* mapping[KEY]. MAPPING may be NULL. */
cup_object *cup_python_get(cup_object *mapping, cup_object *key);

/* int(OBJECT); OTHERWISE if it is NULL or no integer. */
int64_t cup_python_integer(cup_object *object, int64_t otherwise);

/* float(OBJECT); 0 if that fails. Runs no Python code for int and float. */
double cup_python_number(cup_object *object);

/* float(OBJECT) * SCALE; CUP_UNKNOWN64 if OBJECT is NULL, None, negative or no number. Runs no
 * Python code for int and float. */
uint64_t cup_python_amount(cup_object *object, double scale);

/* An imported module from sys.modules, borrowed; NULL: not imported. */
cup_object *cup_python_module(const char *name);

/* type(OBJECT), borrowed. Runs no Python code. */
cup_object *cup_python_type(cup_object *object);

/* A type's tp_name: for a class defined in Python its __name__, for others "module.name". Runs no
 * Python code. */
const char *cup_python_type_name(cup_object *type);

/* OBJECT.__dict__[NAME]: reads instance attributes without running any code of the object's class.
 * OBJECT may be NULL; NAME is a literal. */
cup_object *cup_python_kept(cup_object *object, const char *name);

/* str(OBJECT) as UTF-8 in BUFFER, NUL-terminated, cut if it is too long; surrogates become '?'.
 * Returns the length; 0 for NULL and on failure. Runs no Python code for a str. */
size_t cup_python_text(cup_object *object, char *buffer, size_t size);

/* int(object.NAME), or OTHERWISE. NAME is a literal. */
int64_t cup_python_integer_at(cup_object *object, const char *name, int64_t otherwise);

/* Registers METHOD with Python's atexit: called after the interpreter has waited for all threads
 * that are no daemons, and before it frees the states of daemon threads. Forked children inherit
 * the registration. METHOD must be static. */
struct cup_python_method { /* PyMethodDef; its layout has not changed since Python 2 */
    const char *name;
    cup_object *(*call)(cup_object *, cup_object *);
    int flags;
    const char *text;
};
enum {
    CUP_METHOD_WITH_ARGUMENTS = 1,
    CUP_METHOD_WITHOUT_ARGUMENTS = 4,
    CUP_METHOD_FAST = 128, /* the arguments are an array, whose length is a third argument */
};                         /* METH_VARARGS, METH_NOARGS, METH_FASTCALL */
bool cup_python_at_exit(const struct cup_python_method *method);
cup_object *cup_python_nothing(void); /* a new reference to None, for such methods to return */
