#include "preload/sys/elf_symbols.h"

#include <string.h>

/* ---- one object ---------------------------------------------------------------------------- */

/* The loader replaces the offsets in most dynamic sections by addresses, but not in all (vDSO). */
static const void *find_table(const struct cup_elf *object, ElfW(Addr) value)
{
    return (const void *)(value < object->base ? object->base + value : value);
}

/* ELF does not store the number of symbols. It follows from the GNU hash table: the highest symbol
 * in a bucket, and its chain to the end. */
static size_t count_hashed(const uint32_t *table)
{
    uint32_t buckets = table[0], first = table[1], words = table[2], last = 0;
    const uint32_t *bucket = table + 4 + words * (sizeof(ElfW(Addr)) / sizeof *table);
    const uint32_t *chain = bucket + buckets;
    for (uint32_t i = 0; i < buckets; i++)
        last = bucket[i] > last ? bucket[i] : last;
    if (last < first)
        return first;
    while (!(chain[last - first] & 1))
        last++;
    return last + 1;
}

static void read_dynamic(struct cup_elf *object)
{
    for (const ElfW(Dyn) *entry = object->dynamic; entry->d_tag != DT_NULL; entry++) {
        const void *table = find_table(object, entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            object->symbols = table;
        else if (entry->d_tag == DT_STRTAB)
            object->texts = table;
        else if (entry->d_tag == DT_HASH)
            object->count = ((const uint32_t *)table)[1];
        else if (entry->d_tag == DT_GNU_HASH && !object->count)
            object->count = count_hashed(table);
    }
}

static bool read_object(const struct dl_phdr_info *info, struct cup_elf *object)
{
    *object =
        (struct cup_elf){.path = info->dlpi_name ? info->dlpi_name : "", .base = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            object->dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (object->dynamic)
        read_dynamic(object);
    return object->symbols && object->texts;
}

static bool contains(const struct dl_phdr_info *info, uintptr_t place)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && place - info->dlpi_addr - part->p_vaddr < part->p_memsz)
            return true;
    }
    return false;
}

/* ---- all objects --------------------------------------------------------------------------- */

struct walk {
    uintptr_t place; /* search for the object that contains it; 0: call look() for each */
    struct cup_elf object;
    bool found;
    bool (*look)(const struct cup_elf *object, void *user);
    void *user;
};

static int visit_object(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    struct walk *walk = user;
    if (walk->place) {
        bool here = contains(info, walk->place);
        walk->found = here && read_object(info, &walk->object);
        return here;
    }
    return read_object(info, &walk->object) && walk->look(&walk->object, walk->user);
}

bool cup_elf_of(const void *place, struct cup_elf *object)
{
    struct walk walk = {.place = (uintptr_t)place};
    dl_iterate_phdr(visit_object, &walk);
    *object = walk.object;
    return walk.found;
}

void cup_elf_each(bool (*look)(const struct cup_elf *object, void *user), void *user)
{
    dl_iterate_phdr(visit_object, &(struct walk){.look = look, .user = user});
}

/* ---- symbols ------------------------------------------------------------------------------- */

void *cup_elf_symbol(const struct cup_elf *object, const char *name)
{
    for (size_t i = 1; i < object->count; i++) {
        const ElfW(Sym) *symbol = &object->symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && strcmp(object->texts + symbol->st_name, name) == 0)
            return (void *)(object->base + symbol->st_value);
    }
    return NULL;
}

const char *cup_elf_name_at(const struct cup_elf *object, const void *place)
{
    uintptr_t offset = (uintptr_t)place - object->base;
    for (size_t i = 1; i < object->count; i++) {
        const ElfW(Sym) *symbol = &object->symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && offset - symbol->st_value < symbol->st_size)
            return object->texts + symbol->st_name;
    }
    return NULL;
}

/* Compares NAME with the library's DT_SONAME and with its file's name. */
static bool is_called(const struct cup_elf *library, const char *name)
{
    const char *slash = strrchr(library->path, '/');
    for (const ElfW(Dyn) *entry = library->dynamic; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SONAME && strcmp(library->texts + entry->d_un.d_val, name) == 0)
            return true;
    return strcmp(slash ? slash + 1 : library->path, name) == 0;
}

bool cup_elf_needs(const struct cup_elf *object, const struct cup_elf *library)
{
    for (const ElfW(Dyn) *entry = object->dynamic; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && is_called(library, object->texts + entry->d_un.d_val))
            return true;
    return false;
}
