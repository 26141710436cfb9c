#include "preload/sys/hook_list.h"

#include <dlfcn.h>

#define X(name, family, need) __typeof__(name) *real_##name;
CUP_HOOKS(X)
#undef X

#define X(name) __typeof__(name) *real_##name;
CUP_TRIES(X)
#undef X

enum need { OPTIONAL, REQUIRED };

/* All hooks by name. The list has fscanf and __isoc23_fscanf, to which newer headers redirect it,
 * as two entries: the names are strings, so each is resolved as itself. */
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

/* Resolves one function before all are resolved: another library's constructor has called a hook,
 * perhaps from inside an allocator that is just starting. The caller was about to call libc's
 * function of this name, so libc has it and dlsym finds it. For a missing name dlsym would
 * allocate, and enter that allocator again. */
void *cup_real_find(void **slot, const char *name)
{
    if (!resolved && !*slot)
        *(void *volatile *)slot = dlsym(RTLD_NEXT, name);
    return *slot;
}

void *cup_real_find_later(void **slot, const char *name)
{
    if (!cup_real_find(slot, name)) {
        void *library = dlopen("libpthread.so.0", RTLD_LAZY | RTLD_NOLOAD);
        *(void *volatile *)slot = library ? dlsym(library, name) : NULL;
    }
    return *slot;
}

static int missing_required;

static int resolve_all(enum need need)
{
    int count = 0;
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        if (hooks[i].need != need)
            continue;
        void *real = *hooks[i].slot ? *hooks[i].slot : dlsym(RTLD_NEXT, hooks[i].name);
        /* A volatile store, so that dlsym() is never a tail call: RTLD_NEXT depends on its
         * caller. */
        *(void *volatile *)hooks[i].slot = real;
        count += real != NULL;
        missing_required += !real && need == REQUIRED;
    }
    return count;
}

/* The required functions come first: resolving a missing optional one calls some of them. */
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
    int count = resolve_all(REQUIRED);
    count += resolve_all(OPTIONAL);
    dlerror(); /* the program asks for its own errors, not for ours */
    resolved = true;
    found = missing_required ? -1 : count;
    return found;
}
