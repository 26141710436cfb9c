/* Functions that programs may call to see names of their own in the report: see include/cupping.h.
 */
#define CUPPING_LIBRARY
#include "preload/hooks/api.h"

#include "include/cupping.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/sys/hook_list.h"
#include "preload/task/sections.h"

#include <dlfcn.h>
#include <string.h>

/* True: this process is recorded; the guard is held, and cup_leave() is due. */
static bool enter_library(int *saved)
{
    if (cup_self.guard || cup_self.state == CUP_THREAD_GONE)
        return false;
    *saved = cup_enter();
    if (cup_recording_open() && cup_thread_known())
        return true;
    cup_leave(*saved);
    return false;
}

CUP_HOOK unsigned cupping_api_begin(const char *name)
{
    int saved;
    uint32_t section = 0;
    if (name && enter_library(&saved)) {
        section = cup_section_begin(name);
        cup_leave(saved);
    }
    return section;
}

CUP_HOOK void cupping_api_end(unsigned section)
{
    int saved;
    if (cup_section_any() && enter_library(&saved)) {
        cup_section_end(section);
        cup_leave(saved);
    }
}

CUP_HOOK void cupping_api_value(const char *name, double value)
{
    int saved;
    if (name && enter_library(&saved)) {
        cup_section_value(name, value);
        cup_leave(saved);
    }
}

CUP_HOOK int cupping_api_active(void)
{
    return cup_recording_wanted();
}

/* For `cupping attach`, which checks the library that it sent. */
CUP_HOOK const char *cupping_api_version(void)
{
    return CUPPING_VERSION;
}

static __typeof__(cupping_api_version) own_version __attribute__((alias("cupping_api_version")));

bool cup_api_is_first(void)
{
    const char *(*first)(void);
    void *found = dlsym(RTLD_DEFAULT, "cupping_api_version");
    memcpy(&first, &found, sizeof first);
    return !found || first == own_version;
}
