/* The executables and libraries with native frames, of all processes, and the names of their
 * functions. A file is read once, when the first address in it is needed. It is used only if it is
 * the one that ran: if it has the build id in the log. */
#pragma once

#include "analysis/base/intern.h"
#include "analysis/base/pair_map.h"
#include "analysis/symbols/elf_functions.h"

/* Why functions of a module have names, or have none. The names are those in JSON. */
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
    struct cup_text path;     /* in `texts` */
    struct cup_text build_id; /* in `texts`; empty: none */
    enum cup_module_state state;
    char why[CUP_ELF_WHY]; /* why there are no names; empty if there are */
    /* Number of different addresses that were looked up, and how many of them have a name. */
    uint64_t addresses, named;
    bool has_twin;                      /* another build of a file of that name was added before */
    bool proven;                        /* it has no build id, but cannot have changed */
    struct cup_elf_functions functions; /* valid until cup_modules_settle() */
};

struct cup_modules {
    struct cup_module *rows; /* owned */
    size_t count, room;
    struct cup_intern texts;
    /* Row + 1: `at` by path and build id, `files` by the name of the file. */
    struct cup_pair_map at, files;
    const char *debug_path; /* NULL: CUP_DEBUG_PATH */
};

/* Adds a module of a log. PROVEN: the file may be used without a build id, see
 * cup_module_is_unchanged(). Returns its index, or UINT32_MAX without memory. */
uint32_t cup_modules_add(struct cup_modules *modules, struct cup_text path,
                         struct cup_text build_id, bool proven);

/* True if the file exists and has not changed since that time. */
bool cup_module_is_unchanged(struct cup_text path, int64_t since_ns);

enum { CUP_NATIVE_NAME = 1024 };

struct cup_native_name {
    /* "inflate"; or, for a function without a name, "libz.so.1+0x1230": the offset of the begin
     * of the function or, if that is not known, of the call. */
    char text[CUP_NATIVE_NAME];
    bool named;
};

/* Finds the function at an offset from the module's lowest mapping. Returns 0, or -1 without
 * memory. */
int cup_modules_name(struct cup_modules *modules, uint32_t module, uint32_t offset,
                     struct cup_native_name *name);

/* Frees what is needed to find names; counts and states stay. */
void cup_modules_settle(struct cup_modules *modules);
void cup_modules_free(struct cup_modules *modules);

/* The name of a module's file: "libz.so.1" for "/lib/libz.so.1", "_sha2" for Python's extension
 * "_sha2.cpython-313.so". */
struct cup_text cup_module_file(struct cup_text path);

/* Removes the tag that names the version of Python from the path of an extension, and everything
 * behind the tag. */
struct cup_text cup_without_tag(struct cup_text path);

/* Writes the name of a symbol of C++ or Rust (both manglings) without parameters and hashes, and
 * other names unchanged. Suffixes of compilers (".cold", ".constprop.0") and versions ("@GLIBC")
 * are removed. TO has ROOM bytes, at least 1; longer names are cut. Returns TO. */
char *cup_demangle(const char *symbol, char *to, size_t room);
