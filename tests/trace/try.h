/* Every hook by its own name: try_NAME calls NAME with success and with failure. Found by dlsym, as
 * a program compiled with other flags or against another libc would reach it. */
#pragma once

#include "preload/sys/hook_list.h"
#include "tests/trace/trace.h"

#include <dlfcn.h>

/* The function that a program would reach by that name; NULL if libc has none. */
static inline void *reach(struct trace *trace, const char *name)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    if (dlsym(libc, name))
        return dlsym(RTLD_DEFAULT, name);
    say(trace, "this libc has no %s\n", name);
    return NULL;
}

#define TRY(name)                                                                                  \
    static void body_##name(struct trace *trace, __typeof__(name) *call);                          \
    void try_##name(struct trace *trace)                                                           \
    {                                                                                              \
        void *found = reach(trace, #name);                                                         \
        if (found)                                                                                 \
            body_##name(trace, (__typeof__(name) *)found);                                         \
    }                                                                                              \
    static void body_##name(struct trace *trace, __typeof__(name) *call)

static inline const char *scratch_file(struct trace *trace, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", trace->scratch, name);
    return path;
}

#define SAY_FD(call)                                                                               \
    ({                                                                                             \
        errno = ERRNO_BEFORE;                                                                      \
        int fd_ = call;                                                                            \
        say(trace, "%s: %s errno %d\n", #call, fd_ >= 0 ? "fd" : "failed", errno);                 \
        fd_;                                                                                       \
    })
