/* The wrapper of how libraries are unloaded. */
#include "preload/hooks.h"
#include "preload/modules.h"

CUP_HOOK int dlclose(void *library)
{
    cup_modules_closing();
    int result = CUP_REAL(dlclose)(library);
    cup_modules_closed();
    return result;
}
