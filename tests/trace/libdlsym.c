/* A dlsym() that allocates, as glibc's does before 2.34. It stands behind libcupping.so in
 * LD_PRELOAD, so that the library's calls come here. */
#include <dlfcn.h>
#include <stdlib.h>

void *dlsym(void *restrict handle, const char *restrict name)
{
    static void *(*real)(void *, const char *);
    if (!real)
        real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    void *volatile state = calloc(1, 32);
    void *found = state ? real(handle, name) : NULL;
    free(state);
    return found;
}
