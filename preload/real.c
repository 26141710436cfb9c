#include "preload/hooks.h"

#include <dlfcn.h>

#define X(name, family, need) __typeof__(name) *real_##name;
CUP_HOOKS(X)
#undef X

enum need { OPTIONAL, REQUIRED };

/* __isoc23_* exist only where the headers send fscanf there; the list names both, so asking for
 * one by its own name never gives the other. */
static const struct hook {
    const char *name;
    void **slot;
    enum need need;
} hooks[] = {
#define X(name, family, need) {#name, (void **)&real_##name, need},
    CUP_HOOKS(X)
#undef X
};

int cup_real_resolve(void)
{
    static int found;
    if (found)
        return found;
    int count = 0, missing = 0;
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        void *real = *hooks[i].slot ? *hooks[i].slot : dlsym(RTLD_NEXT, hooks[i].name);
        /* Stored before anything else: a tail call would resolve relative to our caller. */
        *(void *volatile *)hooks[i].slot = real;
        count += real != NULL;
        missing += !real && hooks[i].need == REQUIRED;
    }
    found = missing ? -1 : count;
    return found;
}
