#include "analysis/symbols/native_modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#if __has_include(<libiberty/demangle.h>) /* Debian's place */
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

#include "analysis/base/array.h"
#include "include/log_format.h"

const char *const cup_module_state_names[] = {CUP_MODULE_STATES(CUP_NAME_OF)};

static const char *const state_texts[] = {CUP_MODULE_STATES(CUP_TEXT_OF)};

struct cup_text cup_without_tag(struct cup_text path)
{
    static const char *const tags[] = {".cpython-", ".abi3."};
    for (size_t i = 0; i < sizeof tags / sizeof *tags && path.length; i++) {
        const char *at = memmem(path.bytes, path.length, tags[i], strlen(tags[i]));
        if (at > path.bytes && !memchr(at, '/', path.length - (size_t)(at - path.bytes)))
            path.length = (size_t)(at - path.bytes);
    }
    return path;
}

struct cup_text cup_module_file(struct cup_text path)
{
    const char *slash = path.length ? memrchr(path.bytes, '/', path.length) : NULL;
    size_t skip = slash ? (size_t)(slash + 1 - path.bytes) : 0;
    return cup_without_tag((struct cup_text){path.bytes + skip, path.length - skip});
}

/* False if it cannot be the name of a file. */
static bool as_string(struct cup_text path, char *to, size_t room)
{
    if (path.length == 0 || path.length >= room || memchr(path.bytes, '\0', path.length))
        return false;
    memcpy(to, path.bytes, path.length);
    to[path.length] = '\0';
    return true;
}

bool cup_module_is_unchanged(struct cup_text path, int64_t since_ns)
{
    char string[4096];
    struct stat status;
    return as_string(path, string, sizeof string) && stat(string, &status) == 0 &&
           (int64_t)status.st_ctim.tv_sec < since_ns / 1000000000;
}

/* ---- adding ------------------------------------------------------------------------------- */

/* True if another build of a file of that name was added before. */
static bool has_twin(struct cup_modules *modules, const struct cup_module *module, uint32_t row)
{
    struct cup_text file = cup_module_file(module->path), build = module->build_id;
    uint32_t name = file.length ? cup_intern_add(&modules->texts, file.bytes, file.length) : 0;
    uint32_t first = cup_pair_map_get(&modules->files, name, 0);
    if (!first) {
        cup_pair_map_set(&modules->files, name, 0,
                         /* If this fails without memory, another build of the file is not
                          * noticed. */
                         row + 1);
        return false;
    }
    const struct cup_text other = modules->rows[first - 1].build_id;
    return other.length != build.length ||
           (build.length && memcmp(other.bytes, build.bytes, build.length) != 0);
}

uint32_t cup_modules_add(struct cup_modules *modules, struct cup_text path,
                         struct cup_text build_id, bool proven)
{
    if (build_id.length > CUP_BUILD_ID_MOST)
        build_id.length = CUP_BUILD_ID_MOST;
    uint32_t at = path.length ? cup_intern_add(&modules->texts, path.bytes, path.length) : 0;
    uint32_t build = build_id.length
                         ? cup_intern_add(&modules->texts, build_id.bytes, build_id.length)
                         : UINT32_MAX - proven;
    uint32_t known = cup_pair_map_get(&modules->at, at, build);
    if (known)
        return known - 1;
    if ((path.length && !at) || !build ||
        cup_array_grow(&modules->rows, &modules->room, modules->count, sizeof *modules->rows) !=
            0 ||
        cup_pair_map_set(&modules->at, at, build, (uint32_t)modules->count + 1) != 0)
        return UINT32_MAX;
    struct cup_module *module = &modules->rows[modules->count];
    *module = (struct cup_module){.path = cup_intern_text(&modules->texts, at), .proven = proven};
    if (build_id.length)
        module->build_id = cup_intern_text(&modules->texts, build);
    module->has_twin = has_twin(modules, module, (uint32_t)modules->count);
    return (uint32_t)modules->count++;
}

/* ---- reading ------------------------------------------------------------------------------ */

static enum cup_module_state state_of(const struct cup_module *module, const struct cup_elf *elf)
{
    const unsigned char *bits;
    size_t length = cup_elf_build_id(elf, &bits);
    if (length != module->build_id.length)
        return module->build_id.length ? CUP_MODULE_OTHER : CUP_MODULE_UNPROVEN;
    if (length == 0)
        return module->proven ? CUP_MODULE_READ : CUP_MODULE_UNPROVEN;
    return memcmp(bits, module->build_id.bytes, length) == 0 ? CUP_MODULE_READ : CUP_MODULE_OTHER;
}

/* Reads the functions of the file at PATH if it is the right build. Returns 0, or -1 without
 * memory. */
static int read_file(struct cup_modules *modules, struct cup_module *module, const char *path)
{
    struct cup_elf elf;
    const char *debug_path = modules->debug_path ? modules->debug_path : CUP_DEBUG_PATH;
    module->state = CUP_MODULE_MISSING;
    if (cup_elf_open(&elf, path, debug_path, module->why) != 0)
        return 0;
    module->state = state_of(module, &elf);
    snprintf(module->why, sizeof module->why, "%s", state_texts[module->state]);
    int result =
        module->state == CUP_MODULE_READ ? cup_elf_functions_read(&module->functions, &elf) : 0;
    cup_elf_close(&elf);
    return result;
}

/* The name of the module's debug file in a directory of the search path:
 * "/usr/lib/debug/.build-id/ab/cdef.debug". */
static bool debug_file(const struct cup_module *module, struct cup_text directory, char *to,
                       size_t room)
{
    char hex[2 * CUP_BUILD_ID_MOST + 1];
    for (size_t i = 0; i < module->build_id.length; i++)
        snprintf(hex + 2 * i, 3, "%02x", (unsigned char)module->build_id.bytes[i]);
    if (module->build_id.length < 2 || !directory.length || directory.bytes[0] != '/')
        return false;
    int length = snprintf(to, room, "%.*s/.build-id/%.2s/%s.debug", (int)directory.length,
                          directory.bytes, hex, hex + 2);
    return length > 0 && (size_t)length < room;
}

/* An installed debug file has the names even if the module itself is gone. */
static int read_debug_file(struct cup_modules *modules, struct cup_module *module)
{
    const char *at = modules->debug_path ? modules->debug_path : CUP_DEBUG_PATH;
    for (size_t length; *at; at += length + (at[length] == ':')) {
        char path[4096];
        length = strcspn(at, ":");
        struct cup_module other = *module;
        if (!debug_file(module, (struct cup_text){at, length}, path, sizeof path))
            continue;
        if (read_file(modules, &other, path) != 0)
            return -1;
        if (other.state != CUP_MODULE_READ)
            continue;
        *module = other;
        module->state = CUP_MODULE_DEBUG;
        return 0;
    }
    return 0;
}

static int read_module(struct cup_modules *modules, struct cup_module *module)
{
    char path[4096];
    module->state = CUP_MODULE_MISSING;
    if (!as_string(module->path, path, sizeof path)) {
        snprintf(module->why, sizeof module->why, "its path is not known");
        return 0;
    }
    if (read_file(modules, module, path) != 0)
        return -1;
    return module->state == CUP_MODULE_READ ? 0 : read_debug_file(modules, module);
}

/* ---- names of functions ------------------------------------------------------------------- */

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

static void print_offset(const struct cup_module *module, uint64_t offset, char to[CUP_NATIVE_NAME])
{
    struct cup_text file = cup_module_file(module->path);
    char build[16] = "";
    for (size_t i = 0; i < 4 && i < module->build_id.length && module->has_twin; i++)
        snprintf(build + (i ? 2 * i + 1 : 0), 4, i ? "%02x" : "@%02x",
                 (unsigned char)module->build_id.bytes[i]);
    snprintf(to, CUP_NATIVE_NAME, "%.*s%s+0x%" PRIx64, file.length < 200 ? (int)file.length : 200,
             file.length ? file.bytes : "", build, offset);
}

int cup_modules_name(struct cup_modules *modules, uint32_t index, uint32_t offset,
                     struct cup_native_name *name)
{
    struct cup_module *module = &modules->rows[index];
    if (module->addresses++ == 0 && read_module(modules, module) != 0)
        return -1;
    const struct cup_elf_functions *functions = &module->functions;
    const struct cup_elf_function *function =
        cup_elf_function_at(functions, functions->low + offset);
    name->named = function && function->name;
    module->named += name->named;
    if (name->named)
        cup_demangle(functions->names + function->name, name->text, sizeof name->text);
    else
        print_offset(module, function ? function->start - functions->low : offset, name->text);
    return 0;
}

void cup_modules_settle(struct cup_modules *modules)
{
    for (size_t i = 0; i < modules->count; i++)
        cup_elf_functions_free(&modules->rows[i].functions);
    cup_pair_map_clear(&modules->at);
    cup_pair_map_clear(&modules->files);
}

void cup_modules_free(struct cup_modules *modules)
{
    cup_modules_settle(modules);
    free(modules->rows);
    cup_intern_clear(&modules->texts);
    *modules = (struct cup_modules){0};
}
