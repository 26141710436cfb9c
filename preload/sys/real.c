#include "preload/sys/hook_list.h"

#include <dlfcn.h>

#define X(name, family, need) __typeof__(name) *real_##name;
CUP_HOOKS(X)
#undef X

#define X(name) __typeof__(name) *real_##name;
CUP_TRIES(X)
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

static bool resolved;

/* A hook that another library's constructor reaches, perhaps from inside an allocator that is just
 * starting: this one name, which that caller got from libc, so that dlsym finds it. For a name
 * that is missing dlsym would allocate, and come back to that allocator. */
void *cup_real_find(void **slot, const char *name)
{
    if (!resolved && !*slot)
        *(void *volatile *)slot = dlsym(RTLD_NEXT, name);
    return *slot;
}

static int missing_required;

static int resolve(enum need need)
{
    int count = 0;
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        if (hooks[i].need != need)
            continue;
        void *real = *hooks[i].slot ? *hooks[i].slot : dlsym(RTLD_NEXT, hooks[i].name);
        /* Stored before anything else: a tail call would resolve relative to our caller. */
        *(void *volatile *)hooks[i].slot = real;
        count += real != NULL;
        missing_required += !real && need == REQUIRED;
    }
    return count;
}

/* The required ones first: whoever the search for the others calls will find them in place. */
int cup_real_resolve(void)
{
    static int found;
    static bool searching;
    if (found || searching)
        return found;
    searching = true;
#define X(name) *(void *volatile *)&real_##name = dlsym(RTLD_NEXT, #name);
    CUP_TRIES(X)
#undef X
    int count = resolve(REQUIRED);
    count += resolve(OPTIONAL);
    dlerror(); /* the program asks for its own errors, not for ours */
    resolved = true;
    found = missing_required ? -1 : count;
    return found;
}
