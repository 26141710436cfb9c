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
enum {
    OBJECT_OR_ERROR = 16 /* T_OBJECT_EX, the type of members that __slots__ creates */,
    WORD = sizeof(cup_object *)
};

/* The offset, in words, of a slot in instances of TYPE, which are SIZE bytes large; 0: unknown. */
static uint16_t find_offset(cup_object *type, int64_t size, const char *name)
{
    CUP_OWNED cup_object *found = cup_python_attribute(type, name);
    const struct descriptor *descriptor = found;
    if (!found || !cup_py.member_type || cup_python_type(found) != cup_py.member_type ||
        descriptor->of != type || strcmp(descriptor->member->name, name) != 0 ||
        descriptor->member->type != OBJECT_OR_ERROR)
        return 0;
    ssize_t at = descriptor->member->offset;
    bool fits = at >= 2 * WORD && at + WORD <= size && at % WORD == 0 && at / WORD <= UINT16_MAX;
    return fits ? (uint16_t)(at / WORD) : 0;
}

/* True if the memory holds the object that the interpreter returns. */
static bool is_verified(const struct cup_slots *slots, cup_object *object, int name)
{
    CUP_OWNED cup_object *expected = cup_python_attribute(object, slots->names[name]);
    return ((cup_object **)object)[slots->offsets[name]] == expected;
}

static bool find_offsets(struct cup_slots *slots, cup_object *object)
{
    int64_t size = cup_python_integer_at(slots->type, "__basicsize__", 0);
    for (int i = 0; i < slots->count; i++) {
        slots->offsets[i] = find_offset(slots->type, size, slots->names[i]);
        if (!slots->offsets[i] || !is_verified(slots, object, i))
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
    cup_python_drop(slots->type);
    slots->type = cup_python_hold(type);
    slots->proven = false;
    slots->words = 0;
    slots->proven = find_offsets(slots, object);
    return true;
}
