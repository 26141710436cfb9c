#include "preload/log/python_strings.h"

#include "preload/log/log.h"

uint32_t cup_log_python_text(cup_object *object)
{
    char buffer[2048];
    size_t bytes = cup_python_text(object, buffer, sizeof buffer);
    return bytes ? cup_log_string(buffer, bytes) : 0;
}

uint32_t cup_log_python_name(cup_object *object)
{
    char buffer[2048];
    size_t bytes = cup_python_text(object, buffer, sizeof buffer);
    return bytes ? cup_log_name(buffer, bytes) : 0;
}

uint32_t cup_log_python_str(cup_object *object)
{
    return object && cup_python_type(object) == cup_py.string_type ? cup_log_python_text(object)
                                                                   : 0;
}

uint32_t cup_log_python_attribute(cup_object *object, const char *name)
{
    CUP_OWNED cup_object *value = cup_python_attribute(object, name);
    return cup_log_python_text(value);
}

uint32_t cup_log_python_joined(cup_object *tuple, ssize_t from, ssize_t to)
{
    char text[512];
    size_t used = 0;
    for (ssize_t i = from; i < to && used + 2 < sizeof text; i++) {
        CUP_OWNED cup_object *item = cup_py.PySequence_GetItem(tuple, i);
        if (i > from)
            text[used++] = '/';
        used += cup_python_text(item, text + used, sizeof text - used);
    }
    return used ? cup_log_string(text, used) : 0;
}

void cup_log_python_version(const char *module)
{
    char version[64];
    CUP_OWNED cup_object *text = cup_python_attribute(cup_python_module(module), "__version__");
    if (cup_python_text(text, version, sizeof version))
        cup_log_info(module, version);
}
