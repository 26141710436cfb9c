#include "preload/python/python.h"

#include "include/log_format.h"
#include "preload/python/layout.h"
#include "preload/sys/elf_symbols.h"
#include "preload/sys/parse_number.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct cup_python cup_py;
struct cup_gil cup_gil;

static enum { NOT_FOUND, FOUND, REFUSED, GONE } state;
static const char *refused; /* why, in REFUSED */

/* OLDER: the name that the symbol had in older versions. OPTIONAL: may be missing, then NULL. */
static const struct {
    const char *name, *older;
    size_t offset;
    bool optional;
} api[] = {
#define AT(member) .offset = offsetof(struct cup_python, member)
#define X(name, result, arguments) {#name, AT(name)},
    CUP_PYTHON_API(X)
#undef X
        {"PyThreadState_GetUnchecked", "_PyThreadState_UncheckedGet", AT(current)},
    {"Py_IsFinalizing", "_Py_IsFinalizing", AT(is_finalizing)},
    {"PyFrame_GetVar", AT(frame_variable), .optional = true},
    {"PyFunction_AddWatcher", AT(PyFunction_AddWatcher), .optional = true},
    {"PyTuple_Type", AT(tuple_type)},
    {"PyList_Type", AT(list_type)},
    {"PyDict_Type", AT(dict_type)},
    {"PySet_Type", AT(set_type)},
    {"PyUnicode_Type", AT(string_type)},
    {"PyLong_Type", AT(int_type)},
    {"PyFloat_Type", AT(float_type)},
    {"PyMemberDescr_Type", AT(member_type), .optional = true},
    {"_Py_NoneStruct", AT(none)},
};

/* False: a function that must be there is missing. */
static bool find_api(struct cup_python *python)
{
    bool complete = true;
    for (size_t i = 0; i < sizeof api / sizeof *api; i++) {
        void *found = dlsym(RTLD_DEFAULT, api[i].name);
        if (!found && api[i].older)
            found = dlsym(RTLD_DEFAULT, api[i].older);
        complete = complete && (found || api[i].optional);
        memcpy((char *)python + api[i].offset, &found, sizeof found);
    }
    return complete;
}

/* True if the functions were found that read the interpreter's version and its list of modules,
 * which shows whether this process uses Dask or Coffea. */
static bool may_be_asked(const struct cup_python *python)
{
    return python->Py_GetVersion && python->PyGILState_GetThisThreadState && python->current &&
           python->is_finalizing && python->PyErr_Occurred && python->PySys_GetObject &&
           python->PyDict_GetItemString;
}

/* The x of 3.x; 0: another version. */
static int read_minor(const char *version)
{
    uint64_t major = 0, minor = 0;
    const char *dot = cup_number(version, &major);
    if (*dot == '.' && major == 3)
        cup_number(dot + 1, &minor);
    return minor < 100 ? (int)minor : 0;
}

/* Why the library does not use this interpreter; NULL: it does. In a build without a GIL other
 * threads change frames and contexts while they are read. */
static const char *judge(const struct cup_python *python, bool complete)
{
    enum { OLDEST = 9 };
    if (python->minor < OLDEST)
        return "unknown interpreter: cupping supports 3.9 and later";
    if (strstr(python->Py_GetVersion(), "free-threading") ||
        cup_layout_is_free_threaded(dlsym(RTLD_DEFAULT, "_PyRuntime"), python->minor))
        return "a free-threaded build: without the GIL, frames may change while cupping reads them";
    return complete ? NULL : "unknown interpreter: functions of its C API are missing";
}

static void find_gil(void)
{
    struct cup_elf object;
    void *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
    const ElfW(Sym) *symbol =
        runtime && cup_elf_of(runtime, &object) ? cup_elf_symbol_at(&object, runtime) : NULL;
    if (symbol && object.base + symbol->st_value == (uintptr_t)runtime)
        cup_gil = (struct cup_gil){(uintptr_t)runtime, symbol->st_size};
}

static struct {
    uintptr_t from;
    size_t bytes;
    bool has_mimalloc;
    bool has_time; /* it has the module time, whose clock calls come straight to this library */
} code;            /* of the interpreter */

/* Programs reach this library's clock_gettime(): no other library, such as libfaketime, comes
 * before it and calls it. */
static bool is_first_clock(void)
{
    struct cup_elf first, own;
    const void *found = dlsym(RTLD_DEFAULT, "clock_gettime");
    return cup_elf_of(found, &first) && cup_elf_of((const void *)&is_first_clock, &own) &&
           first.base == own.base;
}

static void find_code(void)
{
    struct cup_elf object;
    const char *allocator = secure_getenv("PYTHONMALLOC");
    const void *inside = (const void *)(uintptr_t)cup_py.PyEval_GetFrame;
    code.has_mimalloc = allocator && strncmp(allocator, "mimalloc", strlen("mimalloc")) == 0;
    if (!cup_elf_of(inside, &object))
        return;
    const ElfW(Phdr) *part = cup_elf_part(&object, PT_LOAD, inside);
    code.has_time = dlsym(RTLD_DEFAULT, "PyInit_time") && is_first_clock();
    code.from = object.base + part->p_vaddr;
    code.bytes = part->p_memsz;
}

bool cup_python_is_code(const void *address)
{
    return (uintptr_t)address - code.from < code.bytes;
}

bool cup_python_reads_time(const void *caller)
{
    return cup_python_is_code(caller) || !code.has_time;
}

bool cup_python_reads_clock(const void *caller)
{
    return cup_python_is_code(caller) && !code.has_mimalloc;
}

static void find_interpreter(void)
{
    if (!dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"))
        return;
    struct cup_python python = {0};
    bool complete = find_api(&python), asked = may_be_asked(&python);
    if (asked) {
        python.minor = read_minor(python.Py_GetVersion());
        refused = judge(&python, complete);
        cup_py = python;
    }
    if (asked && !refused) {
        if (cup_layout_is_listed(python.minor))
            find_gil();
        find_code();
    }
    __atomic_store_n(&state, !asked ? GONE : refused ? REFUSED : FOUND, __ATOMIC_RELEASE);
}

void cup_python_init(void)
{
    find_interpreter();
    dlerror(); /* clears our error, which the program must not see */
}

/* The loader's count of loaded objects at the last search: as long as it is the same, there is
 * nothing new. */
static unsigned long long loads_seen;

/* Returns -1 if nothing was loaded since the last search, 1 if OBJECT is a libpython, else 0 (go on
 * with the next object). */
static int is_libpython(struct dl_phdr_info *object, size_t size, void *loads)
{
    (void)size;
    if (object->dlpi_adds == loads_seen)
        return -1;
    *(unsigned long long *)loads = object->dlpi_adds;
    return object->dlpi_name && strstr(object->dlpi_name, "libpython");
}

/* dlsym() alone would be wrong here: for a missing symbol it allocates, replaces the program's
 * dlerror(), and waits for constructors that another thread's dlopen() runs, which may wait for
 * this thread. */
static bool has_libpython_come(void)
{
    unsigned long long loads = 0;
    int found = cup_elf_iterate(is_libpython, &loads);
    if (found == 0 && loads)
        loads_seen = loads;
    return found > 0;
}

bool cup_python_find(void)
{
    if (state == NOT_FOUND && has_libpython_come())
        find_interpreter();
    return state == FOUND;
}

void cup_python_gone(void)
{
    __atomic_store_n(&state, GONE, __ATOMIC_RELEASE);
}

bool cup_python_usable(void)
{
    return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == FOUND;
}

const char *cup_python_version(void)
{
    int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    return now == FOUND || now == REFUSED ? cup_py.Py_GetVersion() : NULL;
}

static bool is_attached(const cup_object *thread)
{
    return thread && thread == cup_py.current() && !cup_py.PyErr_Occurred();
}

const char *cup_python_refused(void)
{
    bool asks = __atomic_load_n(&state, __ATOMIC_ACQUIRE) == REFUSED && !cup_py.is_finalizing() &&
                is_attached(cup_py.PyGILState_GetThisThreadState());
    return asks ? refused : NULL;
}

cup_object *cup_python_thread(void)
{
    /* During finalisation the interpreter frees the states of threads that still run. */
    if (!cup_python_usable() || cup_py.is_finalizing())
        return NULL;
    return cup_py.PyGILState_GetThisThreadState();
}

int cup_python_key = CUP_KEY_UNKNOWN;

/* The interpreter's key is the one whose value is this thread's state, if there is only one such
 * key. */
void cup_python_learn(void)
{
    enum { KEYS = 1024 };
    cup_object *thread = cup_py.PyGILState_GetThisThreadState();
    int found = -1, count = 0;
    for (int key = 0; key < KEYS && thread; key++)
        if (pthread_getspecific((pthread_key_t)key) == thread) {
            found = key;
            count++;
        }
    cup_python_key = count == 1 ? found : CUP_KEY_UNKNOWN;
}

void cup_python_child_begins(void)
{
    if (cup_python_key >= 0)
        cup_python_key = CUP_KEY_LOST;
}

bool cup_python_has_gil(void)
{
    return is_attached(cup_python_thread());
}

/* Up to 3.11 current() is the thread that holds the GIL, whichever that is; since then it is the
 * state that the calling thread is attached to, which may be another interpreter's. */
bool cup_python_take_gil(void)
{
    enum { CURRENT_IS_OWN = 12 };
    cup_object *thread = cup_python_thread(), *current = thread ? cup_py.current() : NULL;
    if (!thread || current == thread || (current && cup_py.minor >= CURRENT_IS_OWN))
        return false;
    cup_py.PyEval_RestoreThread(thread);
    return true;
}

void cup_python_give_gil(void)
{
    cup_py.PyEval_SaveThread();
}

/* ---- access to objects -------------------------------------------------------------------- */

/* Passes OBJECT on; clears the exception if it is NULL. */
static cup_object *clear_error(cup_object *object)
{
    if (!object)
        cup_py.PyErr_Clear();
    return object;
}

void cup_python_drop(cup_object *object)
{
    if (object)
        cup_py.Py_DecRef(object);
}

/* Interned names are cached by the address of their literal: creating and hashing a str at each use
 * would cost more than the attribute look-up itself. The same literal in two source files takes two
 * entries. */
enum { NAMES = 512, NAME_BITS = 9 };

cup_object *cup_python_name(const char *literal)
{
    static struct {
        const char *literal;
        cup_object *name;
    } table[NAMES];
    size_t at = ((uintptr_t)literal * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - NAME_BITS);
    for (size_t i = 0; i < NAMES; i++, at = (at + 1) % NAMES) {
        if (table[at].literal == literal)
            return table[at].name;
        if (table[at].literal)
            continue;
        table[at].name = clear_error(cup_py.PyUnicode_InternFromString(literal));
        table[at].literal = literal;
        return table[at].name;
    }
    return NULL;
}

cup_object *cup_python_attribute(cup_object *object, const char *name)
{
    cup_object *text = object ? cup_python_name(name) : NULL;
    return text ? clear_error(cup_py.PyObject_GetAttr(object, text)) : NULL;
}

/* For a missing key a dict's own function raises no exception, which would take a microsecond. */
cup_object *cup_python_get(cup_object *mapping, cup_object *key)
{
    if (!mapping || !key)
        return NULL;
    if (cup_python_type(mapping) != cup_py.dict_type)
        return clear_error(cup_py.PyObject_GetItem(mapping, key));
    cup_object *value = cup_py.PyDict_GetItemWithError(mapping, key);
    if (!value && cup_py.PyErr_Occurred())
        cup_py.PyErr_Clear();
    return cup_python_hold(value);
}

cup_object *cup_python_call(cup_object *object, const char *name, cup_object *argument)
{
    CUP_OWNED cup_object *function =
        name ? cup_python_attribute(object, name) : cup_python_hold(object);
    return function ? clear_error(cup_py.PyObject_CallFunctionObjArgs(function, argument,
                                                                      (cup_object *)NULL))
                    : NULL;
}

cup_object *cup_python_item(cup_object *mapping, const char *name)
{
    return mapping ? cup_python_get(mapping, cup_python_name(name)) : NULL;
}

int64_t cup_python_integer(cup_object *object, int64_t otherwise)
{
    if (!object)
        return otherwise;
    long long value = cup_py.PyLong_AsLongLong(object);
    if (value != -1 || !cup_py.PyErr_Occurred())
        return value;
    cup_py.PyErr_Clear();
    return otherwise;
}

double cup_python_number(cup_object *object)
{
    double value = cup_py.PyFloat_AsDouble(object);
    if (value != -1 || !cup_py.PyErr_Occurred())
        return value;
    cup_py.PyErr_Clear();
    return 0;
}

uint64_t cup_python_amount(cup_object *object, double scale)
{
    if (!object || object == cup_py.none)
        return CUP_UNKNOWN64;
    if (cup_python_type(object) == cup_py.int_type && scale == 1) {
        int64_t value = cup_python_integer(object, -1);
        return value < 0 ? CUP_UNKNOWN64 : (uint64_t)value;
    }
    double value = cup_py.PyFloat_AsDouble(object) * scale;
    if (value < 0 && cup_py.PyErr_Occurred())
        cup_py.PyErr_Clear();
    return value >= 0 && value < 0x1p63 ? (uint64_t)value : CUP_UNKNOWN64; /* excludes NaN */
}

/* Does not use the import functions of the C API: they end the process if the interpreter is being
 * finalised. */
cup_object *cup_python_module(const char *name)
{
    cup_object *modules = cup_py.PySys_GetObject("modules");
    return modules ? cup_py.PyDict_GetItemString(modules, name) : NULL;
}

cup_object *cup_python_type(cup_object *object)
{
    return ((cup_object **)object)[1]; /* PyObject: ob_refcnt, ob_type */
}

const char *cup_python_type_name(cup_object *type)
{
    return (
        (const char *const *)
            type)[3]; /* PyTypeObject: PyVarObject (3 words), tp_name; in every version so far */
}

cup_object *cup_python_kept(cup_object *object, const char *name)
{
    CUP_OWNED cup_object *dict =
        object ? clear_error(cup_py.PyObject_GenericGetDict(object, NULL)) : NULL;
    bool plain = dict && cup_python_type(dict) == cup_py.dict_type;
    return plain ? cup_python_item(dict, name) : NULL;
}

const char *cup_python_utf8(cup_object *object, size_t *bytes)
{
    ssize_t length = 0;
    bool is_str = object && cup_python_type(object) == cup_py.string_type;
    const char *text = is_str ? cup_py.PyUnicode_AsUTF8AndSize(object, &length) : NULL;
    if (is_str && !text)
        cup_py.PyErr_Clear();
    *bytes = text ? (size_t)length : 0;
    return text;
}

size_t cup_python_text(cup_object *object, char *buffer, size_t size)
{
    size_t length;
    CUP_OWNED cup_object *text = object ? clear_error(cup_py.PyObject_Str(object)) : NULL;
    const char *utf8 = cup_python_utf8(text, &length);
    CUP_OWNED cup_object *bytes =
        text && !utf8 ? clear_error(cup_py.PyUnicode_AsEncodedString(text, "utf-8", "replace"))
                      : NULL;
    if (bytes) {
        utf8 = cup_py.PyBytes_AsString(bytes);
        length = (size_t)cup_py.PyBytes_Size(bytes);
    }
    if (length >= size)
        length = size - 1;
    memcpy(buffer, utf8 ? utf8 : "", length);
    buffer[length] = '\0';
    return length;
}

int64_t cup_python_integer_at(cup_object *object, const char *name, int64_t otherwise)
{
    CUP_OWNED cup_object *value = cup_python_attribute(object, name);
    return cup_python_integer(value, otherwise);
}

bool cup_python_at_exit(const struct cup_python_method *method)
{
    CUP_OWNED cup_object *end =
        clear_error(cup_py.PyCFunction_NewEx((void *)(uintptr_t)method, NULL, NULL));
    CUP_OWNED cup_object *result =
        end ? cup_python_call(cup_python_module("atexit"), "register", end) : NULL;
    return result;
}

cup_object *cup_python_nothing(void)
{
    return cup_python_hold(cup_py.none);
}
