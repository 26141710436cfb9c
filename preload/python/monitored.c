#include "preload/python/monitored.h"

#include "preload/python/python.h"

#include <errno.h>
#include <string.h>

enum { MOST = 64, FIRST_TOOL = 4, LAST_TOOL = 3 }; /* CPython gives the others to kinds of tools */

static const struct cup_monitored *wanted;
static const void *wanted_names[MOST]; /* of those that may be defined later: interned; references
                                          are never given back. NULL: of the others */
static struct {
    cup_object *code; /* a reference is held */
    const struct cup_monitored *function;
} monitored[MOST];
static int monitored_count;

static cup_object *monitoring, *tool; /* references are never given back */
static int64_t start_event, return_event;

/* The listed function that the thread runs, and its frame; NULL: none. ARGUMENTS: of a callback;
 * the first one is the code object. */
static const struct cup_monitored *find_function(cup_object *arguments, struct cup_frame *frame)
{
    const cup_object *code = cup_py.PyTuple_GetItem(arguments, 0);
    if (!cup_python_usable() || !cup_frames_top(frame) || cup_frames_code(*frame) != code)
        return NULL;
    for (int i = 0; i < monitored_count; i++)
        if (monitored[i].code == code)
            return monitored[i].function;
    return NULL;
}

/* The callback for PY_START. */
static cup_object *function_begins(cup_object *self, cup_object *arguments)
{
    (void)self;
    int saved = errno;
    struct cup_frame frame;
    const struct cup_monitored *function = find_function(arguments, &frame);
    if (function)
        function->begins(frame);
    errno = saved;
    return cup_python_nothing();
}

/* The callback for PY_RETURN. */
static cup_object *function_returns(cup_object *self, cup_object *arguments)
{
    (void)self;
    int saved = errno;
    struct cup_frame frame;
    const struct cup_monitored *function = find_function(arguments, &frame);
    if (function)
        function->returns(frame);
    errno = saved;
    return cup_python_nothing();
}

/* METHOD(TOOL, A, B) of sys.monitoring; B may be NULL. False: it raised an exception. */
static bool call_monitoring(const char *method, cup_object *a, cup_object *b)
{
    CUP_OWNED cup_object *function = cup_python_attribute(monitoring, method);
    CUP_OWNED cup_object *result =
        function ? cup_py.PyObject_CallFunctionObjArgs(function, tool, a, b, (cup_object *)NULL)
                 : NULL;
    if (!result)
        cup_py.PyErr_Clear();
    return result != NULL;
}

static bool is_monitored(const cup_object *code)
{
    for (int i = 0; i < monitored_count; i++)
        if (monitored[i].code == code)
            return true;
    return false;
}

static bool add_code(cup_object *code, const struct cup_monitored *function)
{
    if (monitored_count == MOST || is_monitored(code))
        return false;
    CUP_OWNED cup_object *set = cup_py.PyLong_FromUnsignedLongLong(
        (unsigned long long)((function->begins ? start_event : 0) |
                             (function->returns ? return_event : 0)));
    monitored[monitored_count].code = cup_python_hold(code);
    monitored[monitored_count++].function = function;
    return call_monitoring("set_local_events", code, set);
}

/* ---- functions that exist ------------------------------------------------------------------ */

/* False also while the module is being imported. */
static bool is_imported(const char *name)
{
    cup_object *module = cup_python_module(name);
    CUP_OWNED cup_object *spec = cup_python_attribute(module, "__spec__");
    return module && cup_python_integer_at(spec, "_initializing", 0) == 0;
}

/* The code object; NULL: the module is not imported, or has no such function. */
static cup_object *find_code(const struct cup_monitored *function)
{
    cup_object *module = cup_python_module(function->module);
    CUP_OWNED cup_object *class =
        function->class ? cup_python_attribute(module, function->class) : cup_python_hold(module);
    CUP_OWNED cup_object *found = cup_python_attribute(class, function->name);
    return cup_python_attribute(found, "__code__");
}

/* ---- functions that are defined later ------------------------------------------------------- */

static bool ends_with(cup_object *code, const char *ending)
{
    char path[4096];
    CUP_OWNED cup_object *file = cup_python_attribute(code, "co_filename");
    size_t bytes = cup_python_text(file, path, sizeof path), length = strlen(ending);
    return bytes >= length && strcmp(path + bytes - length, ending) == 0;
}

static bool is_method_of(cup_object *code, const char *class)
{
    char path[256];
    CUP_OWNED cup_object *name = cup_python_attribute(code, "co_qualname");
    size_t length = strlen(class);
    return cup_python_text(name, path, sizeof path) > length && strncmp(path, class, length) == 0 &&
           path[length] == '.';
}

static bool is_in_module(cup_object *function, const char *name)
{
    size_t bytes;
    CUP_OWNED cup_object *module = cup_python_attribute(function, "__module__");
    const char *text = cup_python_utf8(module, &bytes);
    return text && strcmp(text, name) == 0;
}

/* Classes of the standard library have neighbours with methods of the same names, and other
 * packages have files, classes and methods of the same names (rq/queue.py). */
static bool is_wanted(cup_object *function, cup_object *code, const struct cup_monitored *wanted)
{
    return ends_with(code, wanted->file) &&
           (!wanted->required ||
            (is_method_of(code, wanted->class) && is_in_module(function, wanted->module)));
}

/* Called for each function object that is made. */
static int watch_functions(int event, cup_object *function, cup_object *value)
{
    enum { CREATED = 0 };
    (void)value;
    if (event != CREATED || !cup_python_usable() || cup_py.PyErr_Occurred())
        return 0;
    cup_object *code = cup_py.PyFunction_GetCode(function);
    const void *name = cup_frames_code_name(code);
    for (int i = 0; wanted[i].name; i++)
        if (wanted_names[i] == name && is_wanted(function, code, &wanted[i]))
            add_code(code, &wanted[i]);
    return 0;
}

/* ---- the start ----------------------------------------------------------------------------- */

/* Takes a number of a tool that no other tool has. */
static bool take_tool(void)
{
    for (int number = FIRST_TOOL; number >= LAST_TOOL; number--) {
        CUP_OWNED cup_object *name = cup_py.PyUnicode_InternFromString("cupping");
        tool = cup_py.PyLong_FromUnsignedLongLong((unsigned long long)number);
        if (call_monitoring("use_tool_id", name, NULL))
            return true;
        cup_python_drop(tool);
    }
    tool = NULL;
    return false;
}

/* Returns the event's number; 0: there is no such event. METHOD is static. */
static int64_t set_callback(const char *name, const struct cup_python_method *method)
{
    CUP_OWNED cup_object *callback =
        cup_py.PyCFunction_NewEx((void *)(uintptr_t)method, NULL, NULL);
    CUP_OWNED cup_object *all = cup_python_attribute(monitoring, "events");
    CUP_OWNED cup_object *event = cup_python_attribute(all, name);
    if (!callback || !event || !call_monitoring("register_callback", event, callback))
        return 0;
    return cup_python_integer(event, 0);
}

bool cup_monitored_everywhere(const char *event, const struct cup_python_method *callback)
{
    int64_t number = tool ? set_callback(event, callback) : 0;
    CUP_OWNED cup_object *set = cup_py.PyLong_FromUnsignedLongLong((unsigned long long)number);
    return number && call_monitoring("set_events", set, NULL);
}

cup_object *cup_monitored_attribute(const char *name)
{
    return cup_python_attribute(monitoring, name);
}

static bool set_callbacks(void)
{
    static const struct cup_python_method begins = {"cupping_function_begins", function_begins,
                                                    CUP_METHOD_WITH_ARGUMENTS, NULL};
    static const struct cup_python_method returns = {"cupping_function_returns", function_returns,
                                                     CUP_METHOD_WITH_ARGUMENTS, NULL};
    start_event = set_callback("PY_START", &begins);
    return_event = set_callback("PY_RETURN", &returns);
    return start_event && return_event;
}

/* Functions of modules that are not imported yet are added when they are defined. False: a module
 * lacks a function that it must have. */
static bool add_functions(void)
{
    for (int i = 0; wanted[i].name; i++) {
        CUP_OWNED cup_object *code = find_code(&wanted[i]);
        if (code ? !add_code(code, &wanted[i])
                 : wanted[i].required && is_imported(wanted[i].module))
            return false;
        if (!code || !wanted[i].required)
            wanted_names[i] = cup_py.PyUnicode_InternFromString(wanted[i].name);
    }
    return true;
}

/* Gives the number back: then the interpreter calls nothing of the library. */
static const char *give_up(const char *why)
{
    call_monitoring("free_tool_id", NULL, NULL);
    cup_python_drop(tool);
    tool = NULL;
    return why;
}

const char *cup_monitored_start(const struct cup_monitored *functions)
{
    enum { OLDEST = 14 };
    if (cup_py.minor < OLDEST)
        return "";
    wanted = functions;
    monitoring = cup_python_attribute(cup_python_module("sys"), "monitoring");
    if (!monitoring || !cup_py.PyFunction_AddWatcher)
        return "the interpreter has no sys.monitoring";
    if (!take_tool())
        return "other tools use sys.monitoring";
    if (!set_callbacks() || !add_functions())
        return give_up("functions of the standard library are not as expected");
    if (cup_py.PyFunction_AddWatcher(watch_functions) < 0) {
        cup_py.PyErr_Clear();
        return give_up("other tools watch for new functions");
    }
    return NULL;
}
