/* The bridge to CPython: its C API through dlsym, no headers, one library for all versions.
 *
 * Everything here but cup_python_thread() needs the GIL; whoever calls must have made sure with
 * cup_python_has_gil(), and must not have an exception pending (PyErr_Occurred). What fails is
 * cleared; the user's program never sees an exception of ours. */
#ifndef CUPPING_PRELOAD_PYTHON_PYTHON_H
#define CUPPING_PRELOAD_PYTHON_PYTHON_H

#include "preload/sys/library_variable.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef void cup_object; /* PyObject, PyThreadState, ...: never looked into by field name */

/* X(name, result, arguments). All are in the stable or long-standing API of 3.9 to 3.14. */
#define CUP_PYTHON_API(X)                                                                          \
    X(PyGILState_GetThisThreadState, cup_object *, (void))                                         \
    X(PyErr_Occurred, cup_object *, (void))                                                        \
    X(PyErr_Clear, void, (void))                                                                   \
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
    cup_object *(*current)(void); /* PyThreadState_GetUnchecked or its older name */
    int (*is_finalizing)(void);   /* Py_IsFinalizing or its older name */
    cup_object *(*frame_variable)(cup_object *,
                                  cup_object *); /* PyFrame_GetVar; NULL before 3.12 */
    cup_object *tuple_type, *list_type, *dict_type, *set_type;
    cup_object *string_type, *int_type, *float_type;
    cup_object *member_type; /* of descriptors of __slots__; NULL: not known */
    cup_object *none;
    int minor; /* of 3.x */
};
extern struct cup_python cup_py CUP_OURS;

/* Called once, by the constructor: finds the API of the interpreter that the program is linked
 * with. */
void cup_python_init(void);

/* True once the API is found; looks for a libpython that was loaded later. Needs no GIL. */
bool cup_python_find(void);

/* This thread's PyThreadState, with or without the GIL; NULL in threads that are not Python's,
 * before initialisation, and once the interpreter ends. */
cup_object *cup_python_thread(void);

/* The same for hot paths, once cup_python_learn() succeeded: by the interpreter's own
 * thread-specific key, without two calls in between. */
extern int cup_python_key CUP_OURS; /* -1: not known, ask the interpreter */
void cup_python_learn(void);        /* GIL */

static inline cup_object *cup_python_thread_fast(void)
{
    if (cup_py.is_finalizing())
        return NULL;
    if (cup_python_key < 0)
        return cup_py.PyGILState_GetThisThreadState();
    return pthread_getspecific((pthread_key_t)cup_python_key);
}

/* This thread holds the GIL and runs in its own thread state, with no exception pending. */
bool cup_python_has_gil(void);

/* The interpreter is gone for good (set by Py_AtExit): everything of Python is off. */
void cup_python_gone(void);
bool cup_python_usable(void);

/* The address lies in the interpreter's own code. */
bool cup_python_is_code(const void *address);

/* ---- small verbs; all swallow errors; results are new references unless said ------------- */

void cup_python_drop(cup_object *object); /* NULL is fine */

/* The interned str of a string literal (borrowed), whose address is the key it is kept under. */
cup_object *cup_python_name(const char *literal);

/* NAME is a string literal. */
cup_object *cup_python_attribute(cup_object *object, const char *name);
cup_object *cup_python_item(cup_object *mapping, const char *name);

/* The value of any key. */
cup_object *cup_python_get(cup_object *mapping, cup_object *key);

int64_t cup_python_integer(cup_object *object, int64_t otherwise);

/* A number of any kind; 0 for what is none. Runs no Python code for plain ints and floats. */
double cup_python_number(cup_object *object);

/* A number that is not negative, times SCALE; CUP_UNKNOWN64 for anything else, None and NULL too.
 */
uint64_t cup_python_amount(cup_object *object, double scale);

cup_object *cup_python_module(const char *name); /* borrowed; NULL if not imported */

/* Type of an object, borrowed. */
cup_object *cup_python_type(cup_object *object);

/* A type's C name: of one made in Python its bare name, of others with their module's. */
const char *cup_python_type_name(cup_object *type);

/* What an object keeps under a name, as its dict tells: none of its code runs. New reference, NULL
 * if there is none. OBJECT may be NULL; NAME is a literal. */
cup_object *cup_python_kept(cup_object *object, const char *name);

/* str(object) as UTF-8 (surrogates as '?'), to BUFFER, NUL-terminated; returns its length, 0 for
 * NULL or failure. */
size_t cup_python_text(cup_object *object, char *buffer, size_t size);

/* An attribute as a string of the log (0: none), or as an integer. NAME is a literal. */
int64_t cup_python_integer_at(cup_object *object, const char *name, int64_t otherwise);

/* Has METHOD called when the interpreter ends, by its module atexit: after it has waited for all
 * threads but daemons, before it takes the states of those away. Forks inherit it. METHOD stays
 * where it is for good. */
struct cup_python_method { /* PyMethodDef, whose layout has not changed since Python 2 */
    const char *name;
    cup_object *(*call)(cup_object *, cup_object *);
    int flags;
    const char *text;
};
enum { CUP_METHOD_WITHOUT_ARGUMENTS = 4 }; /* METH_NOARGS */
bool cup_python_at_exit(const struct cup_python_method *method);
cup_object *cup_python_nothing(void); /* None, for methods to return */

#endif
