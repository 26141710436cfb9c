#include "analysis/base/conditions.h"

#include <stdio.h>
#include <string.h>

#include "analysis/base/closest.h"

static int refuse_name(const char *name, const char *(*name_of)(size_t n), const char *verb,
                       struct cup_error *error)
{
    struct cup_closest closest = {.word = name};
    cup_closest_try_all(&closest, name_of);
    return cup_error_set(error, verb, CUP_NO_OFFSET,
                         "--fail-on %s: no such condition%s; see `cupping help %s`", name,
                         cup_closest_text(&closest), verb);
}

int cup_conditions_read(unsigned *bits, const char *list, const char *(*name_of)(size_t n),
                        const char *verb, struct cup_error *error)
{
    char name[64];
    *bits = 0;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ","), i = 0;
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        while (name_of(i) && strcmp(name_of(i), name) != 0)
            i++;
        if (!name_of(i))
            return refuse_name(name, name_of, verb, error);
        *bits |= 1u << i;
        at += length;
        if (!*at)
            return 0;
    }
}
