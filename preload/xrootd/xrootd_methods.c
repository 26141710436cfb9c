#include "preload/xrootd/xrootd_methods.h"

#include "preload/lifecycle/thread.h"
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
};

/* The client that the caller is linked with; else any: a caller that jumped here shows the place of
 * its own caller, which may know nothing of XRootD. */
static bool look_into(const struct cup_elf *object, void *argument)
{
    struct search *search = argument;
    void *real = is_client(object->path) ? cup_elf_symbol(object, search->name) : NULL;
    bool linked = real && search->caller && cup_elf_needs(search->caller, object);
    if (real && (linked || !search->real)) {
        search->found = *object;
        search->real = real;
    }
    return linked;
}

static struct place resolve(const void *caller, unsigned name)
{
    static const char file_class[] = "_ZN5XrdCl4File";
    struct cup_elf object;
    bool known = cup_elf_of(caller, &object);
    struct search search = {.caller = known ? &object : NULL, .name = names[name]};
    const char *inside = known ? cup_elf_name_at(&object, caller) : NULL;
    if (known && (search.real = cup_elf_symbol(&object, names[name])))
        search.found = object;
    else
        cup_elf_each(look_into, &search);
    return (struct place){.real = search.real,
                          .known = search.real && cup_xrootd_is_library(search.found.path),
                          .is_part =
                              inside && strncmp(inside, file_class, sizeof file_class - 1) == 0};
}

/* Places are only ever added. */
struct place cup_xrootd_place(const void *caller, unsigned name)
{
    uintptr_t key = (uintptr_t)caller << 5 | name << 1;
    for (unsigned i = 0; i < 8; i++) {
        struct place *place = &places[((key >> 5) * 31 + name + i) % PLACES];
        uintptr_t seen = __atomic_load_n(&place->key, __ATOMIC_ACQUIRE);
        if (seen == key)
            return *place;
        if (seen || !__atomic_compare_exchange_n(&place->key, &seen, BUSY, false, __ATOMIC_ACQUIRE,
                                                 __ATOMIC_RELAXED))
            continue;
        struct place found = resolve(caller, name);
        place->real = found.real;
        place->known = found.known;
        place->is_part = found.is_part;
        __atomic_store_n(&place->key, key, __ATOMIC_RELEASE);
        return *place;
    }
    return resolve(caller, name);
}

#endif
