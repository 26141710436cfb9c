/* Makes an interpreter report another version to libcupping (CUP_PYTHON_VERSION), or publish that
 * it was built without a GIL (CUP_FREE_THREADED=1). It stands behind libcupping.so in LD_PRELOAD,
 * and so before libpython. Extension modules check the version, too: they get the true one. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char *Py_GetVersion(void);

const char *Py_GetVersion(void)
{
    static const char *(*real)(void);
    const char *version = getenv("CUP_PYTHON_VERSION");
    Dl_info caller;
    bool asked = version && dladdr(__builtin_return_address(0), &caller) && caller.dli_fname &&
                 strstr(caller.dli_fname, "libcupping.so");
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "Py_GetVersion");
    return asked ? version : real();
}

/* _Py_DebugOffsets, the beginning of _PyRuntime: cookie, version, free_threaded. */
__attribute__((constructor)) static void publish(void)
{
    uint64_t *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
    if (runtime && getenv("CUP_FREE_THREADED"))
        runtime[2] = 1;
}
