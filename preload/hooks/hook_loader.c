/* The wrapper of dlclose(): another library may be loaded where one was. */
#include "preload/stacks/modules.h"
#include "preload/sys/hook_list.h"

CUP_HOOK int dlclose(void *library)
{
    cup_modules_closing();
    int result = CUP_REAL(dlclose)(library);
    cup_modules_closed();
    return result;
}
