/* Attributes that stand in __slots__, read where they are: a look-up by name costs several times as
 * much. Used only where all of them prove to be what the interpreter says. With the GIL. */
#ifndef CUPPING_SLOTS_H
#define CUPPING_SLOTS_H

#include "preload/python.h"

#include <stdbool.h>
#include <stdint.h>

enum { CUP_SLOTS_MOST = 16 };

/* Of one class; zeros at first, but for the names. */
struct cup_slots {
    int count;
    const char *names[CUP_SLOTS_MOST]; /* literals */
    cup_object *type;                  /* the class that was looked at last; a reference is held */
    bool proven;                       /* its instances may be read so: */
    uint16_t offsets[CUP_SLOTS_MOST];  /* in words */
};

/* At the first object of each class: looks where its slots are. */
void cup_slots_learn(struct cup_slots *slots, cup_object *object);

/* An attribute, by its place in names: a new reference; NULL if there is none. */
static inline cup_object *cup_slots_get(const struct cup_slots *slots, cup_object *object, int name)
{
    if (!slots->proven || slots->type != cup_python_type(object))
        return cup_python_attribute(object, slots->names[name]);
    cup_object *value = ((cup_object **)object)[slots->offsets[name]];
    if (value)
        cup_py.Py_IncRef(value);
    return value;
}

#endif
