#include "preload/python/layout.h"

#include <dlfcn.h>
#include <string.h>

struct cup_layout cup_layout;

enum {
    LISTED = sizeof cup_layouts / sizeof *cup_layouts,
    FIRST_PUBLISHED = 13, /* the oldest version that publishes its offsets */
    FREE_THREADED = 2,    /* the word of the block that says so, in all versions so far */
};

/* The block at the beginning of _PyRuntime. NULL: there is none, or it is not of this version. */
static const uint64_t *find_block(const void *runtime, int minor)
{
    const uint64_t *block = minor < FIRST_PUBLISHED ? NULL : runtime;
    return block && memcmp(block, "xdebugpy", 8) == 0 && (int)(block[1] >> 16 & 0xff) == minor
               ? block
               : NULL;
}

bool cup_layout_is_free_threaded(const void *runtime, int minor)
{
    const uint64_t *block = find_block(runtime, minor);
    return block && block[FREE_THREADED] == 1;
}

/* Python 3.MINOR publishes its offsets in the words that COLUMN has them in. */
static void use_published_offsets(int minor, int column, struct cup_layout *layout)
{
    static const struct {
        size_t field;
        uint8_t word[LISTED - FIRST_PUBLISHED]; /* of 3.13, 3.14, 3.15 */
    } published[] = {
#define X(field, member, of_13, of_14, of_15)                                                      \
    {offsetof(struct cup_layout, field), {of_13, of_14, of_15}},
        CUP_PUBLISHED(X)
#undef X
    };
    const uint64_t *block = find_block(dlsym(RTLD_DEFAULT, "_PyRuntime"), minor);
    for (size_t i = 0; block && i < sizeof published / sizeof *published; i++)
        *(size_t *)((char *)layout + published[i].field) =
            block[published[i].word[column - FIRST_PUBLISHED]];
}

bool cup_layout_is_listed(int minor)
{
    return minor < LISTED;
}

bool cup_layout_candidate(int minor, int try, struct cup_layout *layout)
{
    int column = minor < LISTED ? minor : LISTED - 1 - try / 2;
    if (minor < LISTED ? try > 0 : column < FIRST_PUBLISHED)
        return false;
    *layout = cup_layouts[column];
    if (column >= FIRST_PUBLISHED && try % 2 == 0)
        use_published_offsets(minor, column, layout);
    return true;
}
