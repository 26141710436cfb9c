#include "preload/python/layout.h"

#include <dlfcn.h>
#include <string.h>

struct cup_layout cup_layout;

/* A block of another version has other words, and is not used. */
static void use_published_offsets(int minor, struct cup_layout *layout)
{
    static const struct {
        size_t field;
        uint8_t word[3]; /* of 3.13, 3.14, 3.15 */
    } published[] = {
#define X(field, member, of_13, of_14, of_15)                                                      \
    {offsetof(struct cup_layout, field), {of_13, of_14, of_15}},
        CUP_PUBLISHED(X)
#undef X
    };
    enum { OLDEST = 13, VERSIONS = 3 };
    const uint64_t *block =
        minor < OLDEST || minor >= OLDEST + VERSIONS ? NULL : dlsym(RTLD_DEFAULT, "_PyRuntime");
    if (!block || memcmp(block, "xdebugpy", 8) || (int)(block[1] >> 16 & 0xff) != minor)
        return;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        *(size_t *)((char *)layout + published[i].field) = block[published[i].word[minor - OLDEST]];
}

bool cup_layout_known(int minor, struct cup_layout *layout)
{
    if (minor >= (int)(sizeof cup_layouts / sizeof *cup_layouts))
        return false;
    *layout = cup_layouts[minor];
    use_published_offsets(minor, layout);
    return true;
}
