#include "preload/python/slots.h"

#include <string.h>

/* PyMemberDescrObject and PyMemberDef, which are the same from Python 3.9 to 3.14. */
struct member {
    const char *name;
    int type;
    ssize_t offset;
};
struct descriptor {
    ssize_t references;
    cup_object *type, *of, *name, *qualified_name;
    const struct member *member;
};
enum { OBJECT_OR_ERROR = 16 /* T_OBJECT_EX: what __slots__ makes */, WORD = sizeof(cup_object *) };

/* Where instances of TYPE, which are of SIZE bytes, hold it; 0: not known. */
static uint16_t offset_of(cup_object *type, int64_t size, const char *name)
{
    cup_object *found = cup_python_attribute(type, name);
    const struct descriptor *descriptor = found;
    uint16_t offset = 0;
    if (found && cup_py.member_type && cup_python_type(found) == cup_py.member_type &&
        descriptor->of == type && strcmp(descriptor->member->name, name) == 0 &&
        descriptor->member->type == OBJECT_OR_ERROR) {
        ssize_t at = descriptor->member->offset;
        if (at >= 2 * WORD && at + WORD <= size && at % WORD == 0 && at / WORD <= UINT16_MAX)
            offset = (uint16_t)(at / WORD);
    }
    cup_python_drop(found);
    return offset;
}

/* What stands there is what the interpreter says. */
static bool is_right(const struct cup_slots *slots, cup_object *object, int name)
{
    cup_object *said = cup_python_attribute(object, slots->names[name]);
    bool right = ((cup_object **)object)[slots->offsets[name]] == said;
    cup_python_drop(said);
    return right;
}

static bool find_all(struct cup_slots *slots, cup_object *object)
{
    int64_t size = cup_python_integer_at(slots->type, "__basicsize__", 0);
    for (int i = 0; i < slots->count; i++) {
        slots->offsets[i] = offset_of(slots->type, size, slots->names[i]);
        if (!slots->offsets[i] || !is_right(slots, object, i))
            return false;
        if (slots->offsets[i] > slots->words)
            slots->words = slots->offsets[i];
    }
    return true;
}

bool cup_slots_learn(struct cup_slots *slots, cup_object *object)
{
    cup_object *type = cup_python_type(object);
    if (type == slots->type)
        return false;
    cup_py.Py_IncRef(type);
    cup_python_drop(slots->type);
    slots->type = type;
    slots->proven = false;
    slots->words = 0;
    slots->proven = find_all(slots, object);
    return true;
}
