#include "preload/stacks/modules.h"

#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/maps.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <elf.h>
#include <string.h>

enum {
    MODULES_MOST = 4096,
    HEADERS_MOST = 64,  /* program headers of a module */
    BUILD_ID_MOST = 64, /* bytes */
    NOTES_MOST = 1024,  /* bytes of a segment of notes that are searched */
    ARENA = 256 << 10,  /* bytes that are mapped at a time */
    WAIT_NS = 20000000, /* pause after a look that found nothing new, */
    WAIT_DOUBLINGS = 6, /* doubled after each further one: up to 0.64 s */
};

struct module {
    uint64_t bias; /* load address minus the address in the file */
    uint64_t device, inode;
    const ElfW(Phdr) * headers;
    const char *path;
    const unsigned char *build_id;
    uint32_t header_count, build_id_bytes;
    uint32_t round;  /* of the last look that found it */
    uint32_t record; /* id in the log; 0: none yet */
    bool used;       /* native frames are in it */
};

static struct module modules[MODULES_MOST]; /* by number - 1 */
static struct cup_module_range ranges[MODULES_MOST];
static uint32_t module_count; /* complete entries */
static uint32_t record_count;

static struct {
    uint32_t lock;            /* held while the maps are read */
    uint32_t round;           /* number of looks at the maps */
    uint32_t fruitless;       /* consecutive looks that found nothing new; at most WAIT_DOUBLINGS */
    uint64_t not_before;      /* ticks: earliest time of the next look */
    uint32_t closing, closes; /* calls of dlclose() under way, and ended */
    uint32_t closes_seen;     /* those that had ended before the last look */
    bool lost;                /* see cup_modules_lost() */
    char *room;
    size_t room_bytes;
} list;

/* ---- memory, which is never freed --------------------------------------------------------- */

static void *allocate_bytes(size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    if (list.room_bytes < bytes) {
        void *more = bytes > ARENA ? NULL : cup_raw_grow(NULL, 0, ARENA);
        if (!more)
            return NULL;
        list.room = more;
        list.room_bytes = ARENA;
    }
    void *taken = list.room;
    list.room += bytes;
    list.room_bytes -= bytes;
    return taken;
}

static void *copy_bytes(const void *from, size_t bytes)
{
    void *copy = allocate_bytes(bytes);
    return copy ? memcpy(copy, from, bytes) : NULL;
}

/* The kernel appends " (deleted)" to the path of a file that was removed; the copy is without
 * it. */
static const char *copy_path(const char *path)
{
    static const char gone[] = " (deleted)";
    size_t bytes = strlen(path), end = sizeof gone - 1;
    if (bytes > end && strcmp(path + bytes - end, gone) == 0)
        bytes -= end;
    char *copy = copy_bytes(path, bytes + 1);
    if (copy)
        copy[bytes] = '\0';
    return copy;
}

/* ---- one module's own headers ------------------------------------------------------------ */

/* The kernel copies the headers: the module may be unloaded at any moment, and a load would
 * crash. */
static uint32_t read_headers(uint64_t low, ElfW(Phdr) headers[HEADERS_MOST])
{
    ElfW(Ehdr) head;
    if (!cup_memory_read((const void *)(uintptr_t)low, &head, sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof *headers ||
        head.e_phnum > HEADERS_MOST ||
        !cup_memory_read((const void *)(uintptr_t)(low + head.e_phoff), headers,
                         head.e_phnum * sizeof *headers))
        return 0;
    return head.e_phnum;
}

/* False: the module has no executable part. */
static bool find_range(const ElfW(Phdr) * headers, uint32_t count, uint64_t low, uint64_t *bias,
                       uint64_t *high)
{
    const uint64_t page = 4095;
    bool any = false, runs = false;
    *bias = *high = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (headers[i].p_type != PT_LOAD)
            continue;
        if (!any)
            *bias = low - (headers[i].p_vaddr & ~page);
        uint64_t end = *bias + headers[i].p_vaddr + headers[i].p_memsz;
        *high = end > *high ? end : *high;
        runs |= headers[i].p_flags & PF_X;
        any = true;
    }
    return runs && *high > low;
}

/* The build ID: the linker's note named "GNU" of type NT_GNU_BUILD_ID. */
static const unsigned char *find_build_id(const unsigned char *notes, size_t bytes,
                                          uint32_t *length)
{
    ElfW(Nhdr) note;
    for (size_t at = 0; at + sizeof note <= bytes;) {
        memcpy(&note, notes + at, sizeof note);
        size_t name = at + sizeof note, text = name + ((note.n_namesz + 3) & ~3u);
        if (note.n_namesz > NOTES_MOST || note.n_descsz > NOTES_MOST ||
            text + note.n_descsz > bytes)
            return NULL;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0 && note.n_descsz <= BUILD_ID_MOST) {
            *length = note.n_descsz;
            return notes + text;
        }
        at = text + ((note.n_descsz + 3) & ~3u);
    }
    return NULL;
}

static void read_build_id(struct module *module)
{
    static unsigned char notes[NOTES_MOST]; /* a stack may be small: the list's lock is held */
    uint32_t length = 0;
    const unsigned char *found = NULL;
    for (uint32_t i = 0; i < module->header_count && !found; i++) {
        const ElfW(Phdr) *header = &module->headers[i];
        size_t bytes = header->p_memsz < sizeof notes ? header->p_memsz : sizeof notes;
        const void *at = (const void *)(uintptr_t)(module->bias + header->p_vaddr);
        if (header->p_type == PT_NOTE && cup_memory_read(at, notes, bytes))
            found = find_build_id(notes, bytes, &length);
    }
    module->build_id = found ? copy_bytes(found, length) : NULL;
    module->build_id_bytes = module->build_id ? length : 0;
}

/* ---- the list ---------------------------------------------------------------------------- */

static void add_module(const struct cup_mapping_line *first, const char *path)
{
    static ElfW(Phdr) headers[HEADERS_MOST]; /* a stack may be small: the list's lock is held */
    struct module module = {.device = first->device, .inode = first->inode, .round = list.round};
    uint64_t high;
    module.header_count = read_headers(first->start, headers);
    if (module_count == MODULES_MOST ||
        !find_range(headers, module.header_count, first->start, &module.bias, &high))
        return;
    module.headers = copy_bytes(headers, module.header_count * sizeof *headers);
    module.path = copy_path(path);
    if (!module.headers || !module.path)
        return;
    read_build_id(&module);
    modules[module_count] = module;
    ranges[module_count] = (struct cup_module_range){first->start, high};
    __atomic_store_n(&module_count, module_count + 1, __ATOMIC_RELEASE);
}

/* FIRST: the mapping of the file's first bytes. */
static void find_or_add_module(const struct cup_mapping_line *first, const char *path)
{
    for (uint32_t i = 0; i < module_count; i++)
        if (ranges[i].low == first->start && ranges[i].high && modules[i].inode == first->inode &&
            modules[i].device == first->device) {
            modules[i].round = list.round;
            return;
        }
    add_module(first, path);
}

/* A module is a file that is mapped from its first byte on and has an executable part further
 * on. */
static bool read_maps(void)
{
    static struct cup_maps maps;
    static char path[sizeof maps.text];
    struct cup_mapping_line line, first = {0};
    if (!cup_maps_open(&maps))
        return false;
    while (cup_maps_next(&maps, &line)) {
        if (line.inode && line.offset == 0) {
            first = line;
            strcpy(path, line.path);
        }
        if (line.executable && line.inode && line.inode == first.inode &&
            line.device == first.device) {
            find_or_add_module(&first, path);
            first.inode = 0;
        }
    }
    return cup_maps_close(&maps);
}

static void drop_module(uint32_t which)
{
    if (__atomic_load_n(&modules[which].used, __ATOMIC_RELAXED))
        __atomic_store_n(&list.lost, true, __ATOMIC_RELEASE);
    __atomic_store_n(&ranges[which].high, 0, __ATOMIC_RELAXED);
}

static void drop_missing(void)
{
    for (uint32_t i = 0; i < module_count; i++)
        if (ranges[i].high && modules[i].round != list.round)
            drop_module(i);
}

/* Returns true if there are new modules. The caller holds the lock. */
static bool read_list(void)
{
    uint32_t before = module_count;
    uint32_t closes = __atomic_load_n(&list.closes, __ATOMIC_SEQ_CST);
    list.round++;
    if (!read_maps())
        return false;
    drop_missing();
    __atomic_store_n(&list.closes_seen, closes, __ATOMIC_SEQ_CST);
    return module_count > before;
}

bool cup_modules_find(void)
{
    cup_spin_lock(&list.lock);
    bool found = read_list();
    cup_spin_unlock(&list.lock);
    return found;
}

/* Looks for new modules, with pauses: code outside of any module (generated by a JIT) would
 * otherwise cost a look each time it is on the stack. */
static bool look_for_more(void)
{
    bool found = false;
    cup_spin_lock(&list.lock);
    if (cup_ticks() >= list.not_before) {
        found = read_list();
        list.fruitless = found ? 0 : list.fruitless + (list.fruitless < WAIT_DOUBLINGS);
        list.not_before = found ? 0 : cup_ticks() + cup_ns_ticks(WAIT_NS / 2 << list.fruitless);
    }
    cup_spin_unlock(&list.lock);
    return found;
}

/* ---- unloading ---------------------------------------------------------------------------- */

void cup_modules_closing(void)
{
    __atomic_fetch_add(&list.closing, 1, __ATOMIC_SEQ_CST);
}

void cup_modules_closed(void)
{
    __atomic_fetch_add(&list.closes, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_sub(&list.closing, 1, __ATOMIC_SEQ_CST);
}

uint32_t cup_modules_closes(void)
{
    return __atomic_load_n(&list.closes_seen, __ATOMIC_RELAXED);
}

bool cup_modules_lost(void)
{
    return __atomic_load_n(&list.lost, __ATOMIC_ACQUIRE);
}

static bool is_up_to_date(void)
{
    return !__atomic_load_n(&list.closing, __ATOMIC_SEQ_CST) &&
           __atomic_load_n(&list.closes_seen, __ATOMIC_SEQ_CST) ==
               __atomic_load_n(&list.closes, __ATOMIC_SEQ_CST);
}

/* Reads the list again if a library was unloaded, at most every 20 ms: a program may close
 * libraries all the time. */
static void look_again(void)
{
    cup_spin_lock(&list.lock);
    if (!is_up_to_date() && !__atomic_load_n(&list.closing, __ATOMIC_SEQ_CST) &&
        cup_ticks() >= list.not_before) {
        read_list();
        list.not_before = cup_ticks() + cup_ns_ticks(WAIT_NS);
    }
    cup_spin_unlock(&list.lock);
}

bool cup_modules_current(void)
{
    if (!is_up_to_date())
        look_again();
    return !cup_modules_lost() && is_up_to_date();
}

/* ---- look-ups ------------------------------------------------------------------------------ */

static struct dl_phdr_info describe_module(const struct module *module)
{
    return (struct dl_phdr_info){.dlpi_addr = module->bias,
                                 .dlpi_name = module->path,
                                 .dlpi_phdr = module->headers,
                                 .dlpi_phnum = (ElfW(Half))module->header_count};
}

static int pass_module(uint32_t which, cup_modules_look *callback, void *user)
{
    struct dl_phdr_info info = describe_module(&modules[which]);
    bool there = __atomic_load_n(&ranges[which].high, __ATOMIC_RELAXED);
    return there ? callback(&info, sizeof info, user) : 0;
}

static int pass_modules_from(uint32_t from, cup_modules_look *callback, void *user)
{
    uint32_t count = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
    int result = 0;
    for (uint32_t i = from; i < count && !result; i++)
        result = pass_module(i, callback, user);
    return result;
}

/* The module's tables are about to be read, so it must still be mapped. The hooks of
 * dlclose() do not see every unloading: dlopen() also unmaps a library whose symbols cannot be
 * resolved. */
static __attribute__((noinline)) bool is_mapped(uint32_t which)
{
    ElfW(Phdr) headers[HEADERS_MOST];
    const struct module *module = &modules[which];
    bool there = read_headers(ranges[which].low, headers) == module->header_count &&
                 memcmp(headers, module->headers, module->header_count * sizeof *headers) == 0;
    if (!there)
        drop_module(which);
    return there;
}

static uint32_t find_mapped(uint64_t address)
{
    uint32_t likely = cup_module_of(address);
    while (likely && !is_mapped(likely - 1))
        likely = cup_module_of(address);
    return likely;
}

int cup_modules_each(uint64_t address, cup_modules_look *callback, void *user)
{
    uint32_t before = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
    uint32_t likely = find_mapped(address);
    int result = likely ? pass_module(likely - 1, callback, user) : 0;
    if (result == 0)
        result = pass_modules_from(0, callback, user);
    if (result == 0 && look_for_more())
        result = pass_modules_from(before, callback, user);
    return result;
}

uint32_t cup_module_of(uint64_t address)
{
    uint32_t count = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (address >= ranges[i].low &&
            address < __atomic_load_n(&ranges[i].high, __ATOMIC_RELAXED))
            return i + 1;
    return 0;
}

uint32_t cup_module_holding(uint64_t address)
{
    uint32_t module = is_up_to_date() ? cup_module_of(address) : 0;
    if (module)
        return module;
    cup_modules_find();
    return cup_module_of(address);
}

uint32_t cup_modules_count(void)
{
    return __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
}

const char *cup_module_path(uint32_t module)
{
    return module ? modules[module - 1].path : NULL;
}

bool cup_module_object(uint32_t module, struct cup_elf *object)
{
    if (!module || !ranges[module - 1].high || !is_mapped(module - 1))
        return false;
    struct dl_phdr_info info = describe_module(&modules[module - 1]);
    return cup_elf_read(&info, object);
}

struct cup_module_range cup_module_range(uint32_t module)
{
    return module ? ranges[module - 1] : (struct cup_module_range){0, 0};
}

void cup_module_used(uint32_t module)
{
    if (module)
        __atomic_store_n(&modules[module - 1].used, true, __ATOMIC_RELAXED);
}

/* ---- the log ----------------------------------------------------------------------------- */

static bool write_record(const struct module *module, uint64_t low)
{
    const struct cup_r_module record = {.id = record_count + 1,
                                        .path = cup_log_cstring(module->path),
                                        .base = low,
                                        .build_id_bytes = module->build_id_bytes};
    return cup_log_write(CUP_R_MODULE, &record, module->build_id, module->build_id_bytes);
}

uint32_t cup_module_record(uint32_t module)
{
    if (!module)
        return 0;
    struct module *which = &modules[module - 1];
    if (!which->record && write_record(which, ranges[module - 1].low))
        which->record = ++record_count;
    return which->record;
}

void cup_modules_reset(void)
{
    for (uint32_t i = 0; i < module_count; i++)
        modules[i].record = 0;
    record_count = 0;
}

/* Threads of the parent that were unloading a library, or allocating, do not exist here. One more
 * in list.closes makes cup_modules_current() read the list again: a library may be half unloaded.
 */
void cup_modules_forked(void)
{
    list.lock = list.closing = 0;
    list.room_bytes = 0; /* another thread may have been allocating from it */
    list.closes++;
}
