#include "analysis/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer names are not readable, and demanglers are slow with them. */
enum { MANGLED_MOST = 4096 };

/* The length of a name without what compilers and linkers append. Names of Rust may have dots of
 * their own. */
static size_t plain_length(const char *symbol)
{
    static const char *const added[] = {".cold",     ".part.", ".constprop.", ".isra.",
                                        ".lto_priv", ".llvm.", ".localalias", ".clone."};
    size_t length = strcspn(symbol, "@");
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        const char *at = strstr(symbol, added[i]);
        if (at > symbol && (size_t)(at - symbol) < length)
            length = (size_t)(at - symbol);
    }
    return length ? length : strlen(symbol);
}

/* Allocated; NULL: not mangled. Rust is tried first, because its older names are also valid names
 * of C++. */
static char *demangle_symbol(const char *symbol)
{
    char *name = rust_demangle(symbol, DMGL_NO_OPTS);
    return name ? name : cplus_demangle_v3(symbol, DMGL_NO_OPTS);
}

char *cup_demangle(const char *symbol, char *to, size_t room)
{
    char plain[MANGLED_MOST];
    size_t length = plain_length(symbol);
    bool mangled = symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R');
    if (mangled && length < sizeof plain) {
        memcpy(plain, symbol, length);
        plain[length] = '\0';
        char *name = demangle_symbol(plain);
        snprintf(to, room, "%s", name ? name : plain);
        free(name);
    } else
        snprintf(to, room, "%.*s", length < room ? (int)length : (int)room, symbol);
    return to;
}
