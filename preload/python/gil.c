#include "preload/python/gil.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

struct cup_gil cup_gil;

void cup_gil_find(void)
{
    Dl_info where;
    const ElfW(Sym) *symbol = NULL;
    void *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
    if (!runtime || !dladdr1(runtime, &where, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
        where.dli_saddr != runtime)
        return;
    cup_gil.from = (uintptr_t)runtime;
    cup_gil.bytes = symbol->st_size;
}
