#include "analysis/compare/same_file.h"

#include <stdbool.h>
#include <string.h>

static bool has(struct cup_text text, const char *part)
{
    return text.length && memmem(text.bytes, text.length, part, strlen(part)) != NULL;
}

struct cup_text cup_same_file(struct cup_text path)
{
    static const char plain[] = "__init__.py";
    size_t at = path.length;
    if (has(path, "/ipykernel_") || has(path, "<ipython-input"))
        return (struct cup_text){"notebook", 8};
    if (at >= sizeof plain && memcmp(path.bytes + at - strlen(plain), plain, strlen(plain)) == 0)
        at -= sizeof plain;
    while (at > 0 && path.bytes[at - 1] != '/')
        at--;
    return (struct cup_text){path.bytes + at, path.length - at};
}
