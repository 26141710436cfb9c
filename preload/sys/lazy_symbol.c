#include "preload/sys/lazy_symbol.h"

#include "preload/sys/parse_number.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>

void *cup_lazy_symbol_find(void **slot, const char *name)
{
    if (!cup_real_find(slot, name)) {
        void *library = dlopen("libpthread.so.0", RTLD_LAZY | RTLD_NOLOAD);
        *(void *volatile *)slot = library ? dlsym(library, name) : NULL;
    }
    return *slot;
}

bool cup_lazy_symbol_shows_waiters(void)
{
#if __GLIBC_PREREQ(2, 25)
    enum { NOT_ASKED, YES, NO };
    static int known;
    if (known)
        return known == YES;
    uint64_t major = 0, minor = 0;
    const char *rest = cup_number(gnu_get_libc_version(), &major);
    if (*rest == '.')
        cup_number(rest + 1, &minor);
    known = major > 2 || minor >= 25 ? YES : NO;
    return known == YES;
#else
    return false;
#endif
}
