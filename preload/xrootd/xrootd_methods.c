#include "preload/xrootd/xrootd_methods.h"

#include "preload/lifecycle/thread.h"
#include "preload/stacks/modules.h"
#include "preload/sys/hook_list.h"
#include "preload/xrootd/xrootd.h"

#include <string.h>

#if defined(__x86_64__)

static const char *const names[] = {
#define X(name) #name,
    CUP_XROOTD_HOOKS(X)
#undef X
};

enum { PLACES = 256, BUSY = 1 };
static struct place places[PLACES];

static bool is_client(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && strncmp(slash, "/libXrdCl", 9) == 0 && (slash[9] == '.' || slash[9] == '-');
}

struct search {
    const struct cup_elf *caller; /* NULL: not known */
    const char *name;
    struct cup_elf found;
    void *real;
    int clients; /* libraries that have the method */
};

/* Takes the client library that the caller is linked with, else any. A wrapper that was reached by
 * a jump (a tail call) sees the return address of its caller's caller, whose library may not be
 * linked with XRootD at all. */
static bool search_library(const struct cup_elf *object, void *argument)
{
    struct search *search = argument;
    void *real = is_client(object->path) ? cup_elf_symbol(object, search->name) : NULL;
    bool linked = real && search->caller && cup_elf_needs(search->caller, object);
    search->clients += real != NULL;
    if (real && (linked || !search->real)) {
        search->found = *object;
        search->real = real;
    }
    return linked;
}

static bool search_modules(struct search *search)
{
    struct cup_elf object;
    search->real = NULL;
    search->clients = 0;
    for (uint32_t module = 1; module <= cup_modules_count(); module++)
        if (is_client(cup_module_path(module)) && cup_module_object(module, &object) &&
            search_library(&object, search))
            return true;
    return search->clients == 1;
}

/* The list of modules has another order than that of the loader: where several libraries could be
 * meant, the loader's counts. */
static void search_libraries(struct search *search)
{
    if (search_modules(search) || (cup_modules_find() && search_modules(search)))
        return;
    search->real = NULL;
    cup_elf_each(search_library, search);
}

static struct place resolve_place(const void *caller, enum method method, enum abi abi)
{
    static const char file_class[] = "_ZN5XrdCl4File";
    const char *name = names[2 * method + abi];
    struct cup_elf object;
    bool known = cup_xrootd_find_library(caller, &object);
    struct search search = {.caller = known ? &object : NULL, .name = name};
    const char *inside = known ? cup_elf_name_at(&object, caller) : NULL;
    if (known && (search.real = cup_elf_symbol(&object, name)))
        search.found = object;
    else
        search_libraries(&search);
    return (struct place){.real = search.real,
                          .method = method,
                          .abi = abi,
                          .known = search.real && cup_xrootd_is_library(search.found.path),
                          .is_part =
                              inside && strncmp(inside, file_class, sizeof file_class - 1) == 0};
}

/* KEY's entry in the table. If its key is BUSY, this thread has just claimed the entry and fills
 * it. NULL: the eight entries where it may be belong to other keys, or are being filled. Entries
 * with a method are only ever added. */
static struct place *find_place(uintptr_t key, unsigned hash)
{
    for (unsigned i = 0; i < 8; i++) {
        struct place *place = &places[(hash + i) % PLACES];
        uintptr_t seen = __atomic_load_n(&place->key, __ATOMIC_ACQUIRE);
        if (seen == key ||
            (!seen && __atomic_compare_exchange_n(&place->key, &seen, BUSY, false, __ATOMIC_ACQUIRE,
                                                  __ATOMIC_RELAXED)))
            return place;
    }
    return NULL;
}

struct place cup_xrootd_place(const void *caller, enum method method, enum abi abi)
{
    unsigned name = 2 * method + abi;
    uintptr_t key = (uintptr_t)caller << 6 | name << 1; /* even: not BUSY */
    struct place *place = find_place(key, (unsigned)((key >> 6) * 31 + name));
    if (place && __atomic_load_n(&place->key, __ATOMIC_ACQUIRE) == key)
        return *place;
    struct place found = resolve_place(caller, method, abi);
    if (place) {
        found.key = BUSY;
        *place = found;
        __atomic_store_n(&place->key, found.real ? key : 0, __ATOMIC_RELEASE);
    }
    return found;
}

/* ---- the data server of a file ----------------------------------------------------------- */

typedef bool get_property(const void *file, const struct text *name, struct text *value);

/* operator delete() for what GetProperty() allocates, as the library itself calls it: without the
 * size, or with it. Some builds call only one of them. */
struct release {
    void (*plain)(void *text);
    void (*sized)(void *text, size_t bytes);
};

static bool find_release(const struct cup_elf *library, struct release *release)
{
    *(void **)&release->plain = cup_elf_callee(library, "_ZdlPv");
    *(void **)&release->sized = cup_elf_callee(library, "_ZdlPvm");
    return release->plain || release->sized;
}

/* A std::string has its capacity, without the 0 at the end, where a short one has its text. */
static void release_text(const struct release *release, const struct text *text)
{
    size_t capacity;
    memcpy(&capacity, text->itself, sizeof capacity);
    if (text->text == text->itself)
        return;
    if (release->plain)
        release->plain(text->text);
    else
        release->sized(text->text, capacity + 1);
}

static bool copy_text(const struct text *from, char *to, size_t room)
{
    if (!from->bytes || from->bytes >= room)
        return false;
    memcpy(to, from->text, from->bytes);
    to[from->bytes] = '\0';
    return true;
}

bool cup_xrootd_data_server(const struct place *place, const void *file, char *to, size_t room)
{
    static const char method[] = "_ZNK5XrdCl4File11GetPropertyERKNSt7__cxx1112basic_stringIcSt11"
                                 "char_traitsIcESaIcEEERS6_";
    struct cup_elf object;
    struct text name = {.text = name.itself, .bytes = 10, .itself = "DataServer"};
    struct text value = {.text = value.itself};
    get_property *property = NULL;
    struct release release;
    if (cup_xrootd_find_library(place->real, &object) && find_release(&object, &release))
        *(void **)&property = cup_elf_symbol(&object, method);
    bool known = property && property(file, &name, &value) && copy_text(&value, to, room);
    if (property)
        release_text(&release, &value);
    return known;
}

#endif
