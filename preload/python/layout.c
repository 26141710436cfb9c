#include "preload/python/layout.h"

#include <dlfcn.h>
#include <string.h>

struct cup_layout cup_layout;

/* The offsets of 3.14 come from the interpreter itself: _PyRuntime begins with _Py_DebugOffsets, a
 * cookie, the version, and a block of 64-bit offsets. They are enough to read frames, which
 * cup_frames_verify() verifies. Code objects and line tables of 3.14 were never tested, so whole
 * stacks stay off. */
static bool read_debug_offsets(int minor, struct cup_layout *layout)
{
    enum { /* indexes of words */
           CURRENT_FRAME = 26,
           BACK = 32,
           CODE = 33,
           PLACE = 34,
           VARIABLES = 35,
           OWNER = 36,
           NAME = 41
    };
    const uint64_t *block = dlsym(RTLD_DEFAULT, "_PyRuntime");
    if (!block || memcmp(block, "xdebugpy", 8) || (int)(block[1] >> 16 & 0xff) != minor ||
        minor != 14)
        return false;
    *layout = (struct cup_layout){.thread_frame = block[CURRENT_FRAME],
                                  .thread_indirect = CUP_NOWHERE,
                                  .thread_chunk = CUP_NOWHERE,
                                  .frame_code = block[CODE],
                                  .frame_back = block[BACK],
                                  .frame_variables = block[VARIABLES],
                                  .frame_owner = block[OWNER],
                                  .frame_place = block[PLACE],
                                  .code_name = block[NAME],
                                  .code_label = CUP_NOWHERE};
    return true;
}

bool cup_layout_known(int minor, struct cup_layout *layout)
{
    if (minor >= (int)(sizeof cup_layouts / sizeof *cup_layouts))
        return read_debug_offsets(minor, layout);
    *layout = cup_layouts[minor];
    return true;
}
