#include "preload/dask/exception_text.h"

#include "preload/log/log.h"
#include "preload/log/text_ends.h"

#include <stdio.h>
#include <string.h>

enum {
    TEXT_ROOM = 2048,    /* of one recorded text */
    CAUSE_ROOM = 512,    /* of that, for the cause */
    ARGUMENT_MOST = 400, /* repr() of a longer argument would take too long */
    CHAIN_MOST = 16,
    /* Dask cuts the end off a longer text (distributed.admin.max-error-length). */
    DASK_MOST = 10000
};

/* ---- the cause -------------------------------------------------------------------------- */

/* True if repr(ARGUMENT) is short and runs no code of the user. */
static bool is_plain(cup_object *argument)
{
    cup_object *type = cup_python_type(argument);
    return type == cup_py.int_type ||
           (type == cup_py.string_type && cup_py.PySequence_Size(argument) <= ARGUMENT_MOST);
}

static bool are_plain(cup_object *arguments)
{
    if (!arguments || cup_python_type(arguments) != cup_py.tuple_type)
        return false;
    ssize_t size = cup_py.PyTuple_Size(arguments), i = 0;
    while (i < size && i < CHAIN_MOST && is_plain(cup_py.PyTuple_GetItem(arguments, i)))
        i++;
    return i == size;
}

/* As repr() writes it: "KeyError('x')"; the type alone if an argument is no plain text or number.
 * Returns the length. */
static size_t describe_exception(cup_object *exception, char *to, size_t room)
{
    CUP_OWNED cup_object *arguments = cup_python_attribute(exception, "args");
    const char *type = cup_python_type_name(cup_python_type(exception));
    size_t used = (size_t)snprintf(to, room, "%.100s", type ? type : "exception");
    if (!are_plain(arguments))
        return used;
    size_t bytes = cup_python_text(arguments, to + used, room - used);
    bool is_single = bytes > 2 && memcmp(to + used + bytes - 2, ",)", 2) == 0;
    if (is_single)
        strcpy(to + used + bytes - 2, ")");
    return used + bytes - is_single;
}

/* EXCEPTION.__cause__, a new reference; NULL: it was not raised from another one. */
static cup_object *find_cause(cup_object *exception)
{
    cup_object *cause = cup_python_attribute(exception, "__cause__");
    if (cause != cup_py.none)
        return cause;
    cup_python_drop(cause);
    return NULL;
}

/* The last one of the chain; a new reference, NULL: there is no cause. */
static cup_object *find_first_cause(cup_object *exception)
{
    cup_object *cause = exception ? find_cause(exception) : NULL;
    for (int i = 0; cause && i < CHAIN_MOST; i++) {
        cup_object *next = find_cause(cause);
        if (!next)
            break;
        cup_python_drop(cause);
        cause = next;
    }
    return cause;
}

/* ---- the whole -------------------------------------------------------------------------- */

struct source {
    const char *text; /* of Dask's message, or of the exception's only argument */
    size_t bytes;
    const char *type; /* set if `text` is the argument */
};

/* Dask cuts long texts at their end, so those are read from the exception itself. ARGUMENT: its
 * first one. */
static struct source find_text(cup_object *text, cup_object *exception, cup_object *argument)
{
    struct source source = {.type = NULL};
    source.text = cup_python_utf8(argument, &source.bytes);
    if (source.text && source.bytes >= DASK_MOST)
        source.type = cup_python_type_name(cup_python_type(exception));
    else
        source.text = cup_python_utf8(text, &source.bytes);
    return source;
}

static size_t write_text(char *to, size_t room, const struct source *source)
{
    if (!source->type)
        return cup_copy_ends(to, room, source->text, source->bytes);
    size_t used = (size_t)snprintf(to, room, "%.100s(\"", source->type);
    used += cup_copy_ends(to + used, room - used - 2, source->text, source->bytes);
    memcpy(to + used, "\")", 2);
    return used + 2;
}

/* Appends CAUSE, unless the whole text says it already, as Coffea's does. */
static size_t append_cause(char *to, size_t used, const struct source *source, cup_object *cause)
{
    char text[CAUSE_ROOM];
    size_t bytes = cause ? describe_exception(cause, text, sizeof text) : 0;
    if (bytes == 0 || memmem(source->text, source->bytes, text, bytes))
        return used;
    return used + (size_t)snprintf(to + used, TEXT_ROOM - used, "; caused by %s", text);
}

/* A new reference. Dask has renamed the key. */
static cup_object *find_exception(cup_object *message)
{
    cup_object *exception = cup_python_item(message, "actual_exception");
    return exception ? exception : cup_python_item(message, "actual-exception");
}

uint32_t cup_exception_text(cup_object *message)
{
    char to[TEXT_ROOM];
    CUP_OWNED cup_object *text = cup_python_item(message, "exception_text");
    if (!text)
        return 0;
    CUP_OWNED cup_object *exception = find_exception(message);
    CUP_OWNED cup_object *arguments = cup_python_attribute(exception, "args");
    bool is_tuple = arguments && cup_python_type(arguments) == cup_py.tuple_type;
    bool is_one = is_tuple && cup_py.PyTuple_Size(arguments) == 1;
    struct source source =
        find_text(text, exception, is_one ? cup_py.PyTuple_GetItem(arguments, 0) : NULL);
    if (!source.text)
        return 0;
    CUP_OWNED cup_object *cause = find_first_cause(exception);
    size_t used = write_text(to, TEXT_ROOM - CAUSE_ROOM - 16, &source);
    used = append_cause(to, used, &source, cause);
    return cup_log_string(to, used);
}
