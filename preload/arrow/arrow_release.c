#include "preload/arrow/arrow_release.h"

#include <stdlib.h>
#include <string.h>

enum cup_arrow_release cup_arrow_release_of(const char *path)
{
    enum { OLDEST = 1000, NEWEST = 2699 }; /* hundred times the release */
    static const char library[] = "/libarrow.so.";
    const char *slash = strrchr(path, '/');
    if (!slash || strncmp(slash, library, sizeof library - 1) != 0)
        return CUP_ARROW_NONE;
    long release = strtol(slash + sizeof library - 1, NULL, 10);
    return release > NEWEST    ? CUP_ARROW_NEWER
           : release >= OLDEST ? CUP_ARROW_TRIED
                               : CUP_ARROW_NONE;
}
