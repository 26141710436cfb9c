/* Reads attributes that are __slots__ of a class directly from the object's memory, which is
 * several times faster than a look-up by name. Used only if, for the first object of the class, all
 * slots hold what the interpreter returns. All functions need the GIL. */
#pragma once

#include "preload/python/python.h"

#include <stdbool.h>
#include <stdint.h>

enum { CUP_SLOTS_MOST = 16 };

/* The slots of one class. Initially only count and names are set. */
struct cup_slots {
    int count;
    const char *names[CUP_SLOTS_MOST]; /* literals */
    cup_object *type; /* the class of the last learned object; a reference is held */
    bool proven;      /* instances of this class may be read directly */
    uint16_t offsets[CUP_SLOTS_MOST]; /* in words */
    uint16_t words;                   /* the largest offset */
};

/* If the class of OBJECT is not the one that was learned last: finds and verifies the offsets of
 * its slots, and returns true. */
bool cup_slots_learn(struct cup_slots *slots, cup_object *object);

/* True if OBJECT is of the learned class, and its slots may be read directly. */
static inline bool cup_slots_suit(const struct cup_slots *slots, cup_object *object)
{
    return slots->proven && slots->type == cup_python_type(object);
}

/* The value of a slot, borrowed; NULL: empty. Only if cup_slots_suit(). */
static inline cup_object *cup_slots_peek(const struct cup_slots *slots, cup_object *object,
                                         int name)
{
    return ((cup_object **)object)[slots->offsets[name]];
}

/* Objects that were last used a second ago are in no CPU cache. cup_slots_fetch() prefetches an
 * object's own memory. cup_slots_fetch_values() prefetches the objects in its slots; it reads the
 * slots, so call it some objects later, when they have arrived in the cache. */
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
