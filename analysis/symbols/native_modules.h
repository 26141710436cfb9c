/* The executables and libraries in which native frames lie, of all processes, and the names of
 * functions in them. A file is read when the first address in it is asked for, and once. It is
 * believed only if it is the one that ran: if it has the build id that the log tells. */
#ifndef CUPPING_ANALYSIS_SYMBOLS_NATIVE_MODULES_H
#define CUPPING_ANALYSIS_SYMBOLS_NATIVE_MODULES_H

#include "analysis/base/intern.h"
#include "analysis/base/pair_map.h"
#include "analysis/symbols/elf_functions.h"

/* Why its functions have names, or have none. Name as in the JSON. */
#define CUP_MODULE_STATES(X)                                                                       \
    X(UNUSED, "unused", "no frame lies in it")                                                     \
    X(READ, "read", "")                                                                            \
    X(DEBUG, "debug", "from its debugging file; the file itself is not here")                      \
    X(OTHER, "other_build", "the file here has another build id than the one that ran")            \
    X(UNPROVEN, "unproven",                                                                        \
      "it has no build id, and ran on another host or may have changed since")                     \
    X(MISSING, "missing", "the file is not here, or cannot be read")
enum cup_module_state {
#define X(id, name, text) CUP_MODULE_##id,
    CUP_MODULE_STATES(X)
#undef X
};
extern const char *const cup_module_state_names[];

enum { CUP_BUILD_ID_MOST = 64 };

struct cup_module {
    struct cup_text path;               /* the modules' own copy */
    struct cup_text build_id;           /* likewise; empty: none */
    enum cup_module_state state;        /* */
    char why[CUP_ELF_WHY];              /* why there are no names; empty: there are */
    uint64_t addresses, named;          /* different ones that were asked for; that have a name */
    bool has_twin;                      /* another build of a file of that name was told before */
    bool proven;                        /* without a build id: it cannot have changed */
    struct cup_elf_functions functions; /* while they are needed */
};

struct cup_modules {
    struct cup_module *rows; /* owned */
    size_t count, room;
    struct cup_intern texts;
    struct cup_pair_map at, files; /* by path and build id; by name: the row + 1 */
    const char *debug_path;        /* NULL: CUP_DEBUG_PATH */
};

/* A module as a log tells it. PROVEN: if there is no build id, the file here is still believed,
 * see cup_module_is_unchanged(). Returns its index, or UINT32_MAX without memory. */
uint32_t cup_modules_add(struct cup_modules *modules, struct cup_text path,
                         struct cup_text build_id, bool proven);

/* True if the file is there and has not changed since a time. */
bool cup_module_is_unchanged(struct cup_text path, int64_t since_ns);

enum { CUP_NATIVE_NAME = 1024 };

struct cup_native_name {
    char text[CUP_NATIVE_NAME]; /* "inflate"; else, from where the function begins, or, if that is
                                   not known, where it was called, "libz.so.1+0x1230" */
    bool named;
};

/* The function at an offset from the module's lowest mapping. Returns 0, or -1 without memory. */
int cup_modules_name(struct cup_modules *modules, uint32_t module, uint32_t offset,
                     struct cup_native_name *name);

/* Lets go of what is needed to find names; counts and states stay. */
void cup_modules_settle(struct cup_modules *modules);
void cup_modules_free(struct cup_modules *modules);

/* "libz.so.1" of "/lib/libz.so.1"; of Python's extensions "_sha2" of "_sha2.cpython-313.so" */
struct cup_text cup_module_file(struct cup_text path);

/* A path up to where a tag tells for which Python an extension is; all of it where none does. */
struct cup_text cup_without_tag(struct cup_text path);

#endif
