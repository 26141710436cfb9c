/* Python functions whose calls the library notices, by sys.monitoring, which CPython has for
 * profilers. It is used where the locks that these functions take cannot be seen: from 3.14 on they
 * are words in memory, and taking a free one calls nothing of libc.
 *
 * Only the listed functions are instrumented. The interpreter calls the library when one of them
 * begins or returns, in the thread that runs it, with the GIL, before its first statement. Nothing
 * of the program is replaced; it can see that the tool "cupping" is in use
 * (sys.monitoring.get_tool()). */
#pragma once

#include "preload/python/frames.h"

struct cup_monitored {
    const char *module, *class; /* class NULL: a function of the module */
    const char *name;           /* all three are literals */
    const char *file;           /* its path ends like this. The module may be imported later */
    bool required;              /* it is a method that every version of the module has */
    /* FRAME: of the function, whose arguments are its variables. May call Python. */
    void (*begins)(struct cup_frame frame);  /* NULL: none */
    void (*returns)(struct cup_frame frame); /* before it returns; not if it raises. NULL: none */
};

/* FUNCTIONS is static, and ends with a row without a name. Needs the GIL and verified frames;
 * called once. Returns NULL, or why the functions are not noticed: "" in versions before 3.14,
 * where they need not be. */
const char *cup_monitored_start(const struct cup_monitored *functions);

/* Afterwards: CALLBACK, which is static, is called for EVENT wherever it happens, until it returns
 * sys.monitoring.DISABLE. False: that is not possible. Needs the GIL. */
bool cup_monitored_everywhere(const char *event, const struct cup_python_method *callback);

/* sys.monitoring.NAME, a new reference. */
cup_object *cup_monitored_attribute(const char *name);
