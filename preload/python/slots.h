/* Attributes that stand in __slots__, read where they are: a look-up by name costs several times as
 * much. Used only where all of them prove to be what the interpreter says. With the GIL. */
#ifndef CUPPING_PRELOAD_PYTHON_SLOTS_H
#define CUPPING_PRELOAD_PYTHON_SLOTS_H

#include "preload/python/python.h"

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
    uint16_t words;                    /* the largest of those */
};

/* At the first object of each class: looks where its slots are. True if it was the first. */
bool cup_slots_learn(struct cup_slots *slots, cup_object *object);

static inline bool cup_slots_suit(const struct cup_slots *slots, cup_object *object)
{
    return slots->proven && slots->type == cup_python_type(object);
}

/* What stands in a slot of an object that suits: borrowed; NULL if it is empty. */
static inline cup_object *cup_slots_peek(const struct cup_slots *slots, cup_object *object,
                                         int name)
{
    return ((cup_object **)object)[slots->offsets[name]];
}

/* An attribute, by its place in names: a new reference; NULL if there is none. */
static inline cup_object *cup_slots_get(const struct cup_slots *slots, cup_object *object, int name)
{
    if (!cup_slots_suit(slots, object))
        return cup_python_attribute(object, slots->names[name]);
    cup_object *value = cup_slots_peek(slots, object, name);
    if (value)
        cup_py.Py_IncRef(value);
    return value;
}

/* Objects that were last used a second ago are in no cache: these ask for them early. First the
 * object's own memory, then, some objects later, what its slots name. */
static inline void cup_slots_fetch(const struct cup_slots *slots, cup_object *object)
{
    enum { LINE = 8 };
    for (unsigned at = 0; slots->proven && at <= slots->words; at += LINE)
        __builtin_prefetch((cup_object **)object + at);
}

static inline void cup_slots_fetch_values(const struct cup_slots *slots, cup_object *object)
{
    for (int i = 0; cup_slots_suit(slots, object) && i < slots->count; i++)
        __builtin_prefetch(cup_slots_peek(slots, object, i));
}

#endif
