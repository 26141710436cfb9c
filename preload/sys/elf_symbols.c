#include "preload/sys/elf_symbols.h"

#include "preload/sys/raw.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

/* ---- one object ---------------------------------------------------------------------------- */

/* The value of the first entry TAG of the dynamic section; 0: there is none. */
static ElfW(Addr) find_value(const struct cup_elf *object, ElfW(Sxword) tag)
{
    const ElfW(Dyn) *entry = object->dynamic;
    while (entry->d_tag != DT_NULL && entry->d_tag != tag)
        entry++;
    return entry->d_tag == tag ? entry->d_un.d_ptr : 0;
}

/* The loader replaces the offsets in most dynamic sections by addresses, but not in all (vDSO). */
static const void *find_table(const struct cup_elf *object, ElfW(Sxword) tag)
{
    ElfW(Addr) value = find_value(object, tag);
    return value ? (const void *)(value < object->base ? object->base + value : value) : NULL;
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

static bool read_dynamic(struct cup_elf *object)
{
    const ElfW(Phdr) *dynamic = cup_elf_part(object, PT_DYNAMIC, NULL);
    if (!dynamic)
        return false;
    object->dynamic = (const void *)(object->base + dynamic->p_vaddr);
    const uint32_t *hash = find_table(object, DT_HASH), *gnu = find_table(object, DT_GNU_HASH);
    object->count = hash ? hash[1] : gnu ? count_hashed(gnu) : 0;
    object->symbols = find_table(object, DT_SYMTAB);
    object->texts = find_table(object, DT_STRTAB);
    return object->symbols && object->texts;
}

const ElfW(Phdr) * cup_elf_part(const struct cup_elf *object, uint32_t type, const void *place)
{
    uintptr_t offset = (uintptr_t)place - object->base;
    for (size_t i = 0; i < object->part_count; i++)
        if (object->parts[i].p_type == type &&
            (!place || offset - object->parts[i].p_vaddr < object->parts[i].p_memsz))
            return &object->parts[i];
    return NULL;
}

/* ---- the loader's lock --------------------------------------------------------------------- */

static uint32_t walks;               /* threads inside cup_elf_iterate() */
static uint32_t forks;               /* threads that are about to fork */
static bool has_threads;             /* before the fork, there were several */
static bool is_lost;                 /* the lock may never be given back */
static uint32_t loaded;              /* libraries when the process was forked */
static const struct r_debug *loader; /* what the loader shows debuggers */

/* By name: a reference would make the library need the loader's file, besides that of libc. */
void cup_elf_init(void)
{
    loader = dlsym(RTLD_DEFAULT, "_r_debug");
}

/* How often a thread yields while it waits for others. Not for ever: in the program, one of those
 * may wait for this thread. */
enum { TURNS = 2000 };

static void begin_walk(void)
{
    for (int i = 0; i < TURNS; i++) {
        __atomic_fetch_add(&walks, 1, __ATOMIC_SEQ_CST);
        if (!__atomic_load_n(&forks, __ATOMIC_SEQ_CST))
            return;
        __atomic_fetch_sub(&walks, 1, __ATOMIC_SEQ_CST);
        sched_yield();
    }
    __atomic_fetch_add(&walks, 1, __ATOMIC_SEQ_CST);
}

/* Counts the libraries in the loader's list, without its lock. The kernel copies the entries: one
 * may be unloaded at any moment, and a load would crash. */
static uint32_t count_libraries(void)
{
    struct link_map map = {.l_next = loader ? loader->r_map : NULL};
    uint32_t count = 0;
    while (map.l_next && cup_memory_read(map.l_next, &map, sizeof map))
        count++;
    return count;
}

static bool is_unusable(void)
{
    if (is_lost && count_libraries() != loaded)
        is_lost = false;
    return is_lost;
}

int cup_elf_iterate(int (*callback)(struct dl_phdr_info *, size_t, void *), void *user)
{
    if (is_unusable())
        return 0;
    begin_walk();
    int result = dl_iterate_phdr(callback, user);
    __atomic_fetch_sub(&walks, 1, __ATOMIC_SEQ_CST);
    return result;
}

bool cup_elf_lock_is_lost(void)
{
    return is_unusable();
}

/* ---- the loader's list, without its lock ---------------------------------------------------- */

/* Sets the program headers of a library: of the program itself as the kernel passed them, of others
 * from the file's head at their first address. False: there is no such head (a file whose first
 * address is not 0). */
static bool find_parts(struct dl_phdr_info *info, bool is_program)
{
    ElfW(Ehdr) head;
    if (is_program) {
        info->dlpi_phdr = (const ElfW(Phdr) *)getauxval(AT_PHDR);
        info->dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM);
        return info->dlpi_phdr != NULL;
    }
    if (!info->dlpi_addr || !cup_memory_read((const void *)info->dlpi_addr, &head, sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    info->dlpi_phdr = (const ElfW(Phdr) *)(info->dlpi_addr + head.e_phoff);
    info->dlpi_phnum = head.e_phnum;
    return true;
}

/* Calls CALLBACK for each library in the loader's list, as dl_iterate_phdr() does. Only while the
 * lock is lost: then the thread that may have it does not exist, and no library comes or goes. */
static void walk_list(int (*callback)(struct dl_phdr_info *, size_t, void *), void *user)
{
    struct link_map map = {.l_next = loader ? loader->r_map : NULL};
    bool is_program = true;
    while (map.l_next && cup_memory_read(map.l_next, &map, sizeof map)) {
        struct dl_phdr_info info = {.dlpi_addr = map.l_addr,
                                    .dlpi_name = is_program ? "" : map.l_name};
        if (find_parts(&info, is_program) && callback(&info, sizeof info, user))
            return;
        is_program = false;
    }
}

/* The directory has a link for each thread, besides its own two. */
static bool has_several_threads(void)
{
    struct stat tasks;
    return syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &tasks, 0) || tasks.st_nlink != 3;
}

void cup_elf_process_forks(void)
{
    __atomic_fetch_add(&forks, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < TURNS && __atomic_load_n(&walks, __ATOMIC_SEQ_CST); i++)
        sched_yield();
    __atomic_store_n(&has_threads, has_several_threads(), __ATOMIC_RELAXED);
}

void cup_elf_process_forked(void)
{
    __atomic_fetch_sub(&forks, 1, __ATOMIC_SEQ_CST);
}

void cup_elf_child_begins(void)
{
    walks = forks = 0;
    is_lost |= has_threads;
    if (is_lost)
        loaded = count_libraries();
}

/* ---- all objects --------------------------------------------------------------------------- */

struct walk {
    const void *place; /* search for the object that contains it; NULL: call look() for each */
    struct cup_elf object;
    bool found;
    bool (*look)(const struct cup_elf *object, void *user);
    void *user;
};

static struct cup_elf describe_object(const struct dl_phdr_info *info)
{
    return (struct cup_elf){.path = info->dlpi_name ? info->dlpi_name : "",
                            .base = info->dlpi_addr,
                            .parts = info->dlpi_phdr,
                            .part_count = info->dlpi_phnum};
}

bool cup_elf_read(const struct dl_phdr_info *info, struct cup_elf *object)
{
    *object = describe_object(info);
    return read_dynamic(object);
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    struct walk *walk = user;
    walk->object = describe_object(info);
    if (!walk->place)
        return read_dynamic(&walk->object) && walk->look(&walk->object, walk->user);
    bool here = cup_elf_part(&walk->object, PT_LOAD, walk->place);
    walk->found = here && read_dynamic(&walk->object);
    return here;
}

static void walk_objects(struct walk *walk)
{
    if (is_unusable())
        walk_list(visit_object, walk);
    else
        cup_elf_iterate(visit_object, walk);
}

bool cup_elf_of(const void *place, struct cup_elf *object)
{
    struct walk walk = {.place = place};
    walk_objects(&walk);
    *object = walk.object;
    return walk.found;
}

void cup_elf_each(bool (*look)(const struct cup_elf *object, void *user), void *user)
{
    walk_objects(&(struct walk){.look = look, .user = user});
}

static int read_count(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    *(uint64_t *)user = info->dlpi_adds;
    return 1;
}

uint64_t cup_elf_loaded(void)
{
    uint64_t count = 0;
    cup_elf_iterate(read_count, &count);
    return count;
}

/* ---- symbols ------------------------------------------------------------------------------- */

static const ElfW(Sym) * find_symbol(const struct cup_elf *object, const char *name)
{
    for (size_t i = 1; i < object->count; i++) {
        const ElfW(Sym) *symbol = &object->symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && strcmp(object->texts + symbol->st_name, name) == 0)
            return symbol;
    }
    return NULL;
}

void *cup_elf_symbol(const struct cup_elf *object, const char *name)
{
    const ElfW(Sym) *symbol = find_symbol(object, name);
    return symbol ? (void *)(object->base + symbol->st_value) : NULL;
}

const ElfW(Sym) * cup_elf_symbol_at(const struct cup_elf *object, const void *place)
{
    uintptr_t offset = (uintptr_t)place - object->base;
    for (size_t i = 1; i < object->count; i++) {
        const ElfW(Sym) *symbol = &object->symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && offset - symbol->st_value < symbol->st_size)
            return symbol;
    }
    return NULL;
}

const char *cup_elf_name_at(const struct cup_elf *object, const void *place)
{
    const ElfW(Sym) *symbol = cup_elf_symbol_at(object, place);
    return symbol ? object->texts + symbol->st_name : NULL;
}

/* Compares NAME with the library's DT_SONAME and with its file's name. */
static bool is_called(const struct cup_elf *library, const char *name)
{
    const char *slash = strrchr(library->path, '/');
    ElfW(Addr) soname = find_value(library, DT_SONAME);
    return (soname && strcmp(library->texts + soname, name) == 0) ||
           strcmp(slash ? slash + 1 : library->path, name) == 0;
}

bool cup_elf_needs(const struct cup_elf *object, const struct cup_elf *library)
{
    for (const ElfW(Dyn) *entry = object->dynamic; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && is_called(library, object->texts + entry->d_un.d_val))
            return true;
    return false;
}

/* ---- calls of other libraries ------------------------------------------------------------ */

#if defined(__x86_64__)
enum { BY_CALL = R_X86_64_JUMP_SLOT, BY_ADDRESS = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { BY_CALL = R_AARCH64_JUMP_SLOT, BY_ADDRESS = R_AARCH64_GLOB_DAT };
#else
enum { BY_CALL = -1, BY_ADDRESS = -1 };
#endif

/* The loader may have made the table read-only (RELRO): then the page is made writable for the
 * store, and read-only again. */
static bool write_entry(const struct cup_elf *library, const void **slot, const void *to)
{
    uintptr_t page = (uintptr_t)slot & -(uintptr_t)4096;
    bool fixed = cup_elf_part(library, PT_GNU_RELRO, slot);
    if (fixed && syscall(SYS_mprotect, page, 4096UL, PROT_READ | PROT_WRITE))
        return false;
    __atomic_store_n(slot, to, __ATOMIC_RELEASE);
    if (fixed)
        syscall(SYS_mprotect, page, 4096UL, PROT_READ);
    return true;
}

/* The next entry of LIBRARY's global offset table for the symbol NAME, from relocation *NEXT on,
 * which is moved past it; NULL: there are no more. TABLE and SIZE: the tags under which the dynamic
 * section lists the relocations. */
static const void **find_entry(const struct cup_elf *library, ElfW(Sxword) table, ElfW(Sxword) size,
                               const char *name, size_t *next)
{
    const ElfW(Rela) *all = find_table(library, table);
    size_t count = all ? find_value(library, size) / sizeof *all : 0;
    while (*next < count) {
        const ElfW(Rela) *one = &all[(*next)++];
        const ElfW(Sym) *symbol = &library->symbols[ELF64_R_SYM(one->r_info)];
        int type = (int)ELF64_R_TYPE(one->r_info);
        if ((type == BY_CALL || type == BY_ADDRESS) &&
            strcmp(library->texts + symbol->st_name, name) == 0)
            return (const void **)(library->base + one->r_offset);
    }
    return NULL;
}

void *cup_elf_callee(const struct cup_elf *library, const char *name)
{
    size_t calls = 0, addresses = 0;
    const void **entry = find_entry(library, DT_JMPREL, DT_PLTRELSZ, name, &calls);
    if (!entry)
        entry = find_entry(library, DT_RELA, DT_RELASZ, name, &addresses);
    return entry ? (void *)__atomic_load_n(entry, __ATOMIC_ACQUIRE) : NULL;
}

static bool redirect_in(const struct cup_elf *library, ElfW(Sxword) table, ElfW(Sxword) size,
                        const char *name, const void *to)
{
    const void **entry;
    bool done = false;
    for (size_t next = 0; (entry = find_entry(library, table, size, name, &next));)
        done |= write_entry(library, entry, to);
    return done;
}

bool cup_elf_redirect(const struct cup_elf *library, const char *name, const void *to)
{
    bool called = redirect_in(library, DT_JMPREL, DT_PLTRELSZ, name, to);
    return redirect_in(library, DT_RELA, DT_RELASZ, name, to) || called;
}

bool cup_elf_replace(const struct cup_elf *library, const char *name, const void *from,
                     const void *to)
{
    const ElfW(Sym) *symbol = find_symbol(library, name);
    const void **table = symbol ? (const void **)(library->base + symbol->st_value) : NULL;
    for (size_t i = 0; table && i < symbol->st_size / sizeof *table; i++)
        if (table[i] == from)
            return write_entry(library, &table[i], to);
    return false;
}
