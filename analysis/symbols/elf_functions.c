#include "analysis/symbols/elf_functions.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/array.h"

/* ---- files --------------------------------------------------------------------------------- */

/* The kernel rounds the lowest mapping down to a page. On machines with other page sizes, files
 * begin at address 0. */
#define PAGE UINT64_C(4096)

static int set_reason(char why[CUP_ELF_WHY], const char *what)
{
    snprintf(why, CUP_ELF_WHY, "%s", what);
    return -1;
}

/* A log may name anything; opening must not block on a pipe or a device. */
static int open_file(const char *path, char why[CUP_ELF_WHY])
{
    struct stat status;
    int fd = path[0] == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (path[0] != '/')
        return set_reason(why, "it has no path of a file");
    if (fd < 0)
        return set_reason(why, errno == ENOENT ? "there is no such file here" : strerror(errno));
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    close(fd);
    return set_reason(why, "it is no regular file");
}

static int check_file(struct cup_elf *elf, const char *path, int fd)
{
    dwfl_report_begin(elf->dwfl);
    elf->module = dwfl_report_elf(elf->dwfl, path, path, fd, 0, true);
    if (!elf->module) {
        close(fd);
        return -1;
    }
    if (dwfl_report_end(elf->dwfl, NULL, NULL) != 0)
        return -1;
    GElf_Addr bias;
    elf->main = dwfl_module_getelf(elf->module, &bias);
    return elf->main && elf_kind(elf->main) == ELF_K_ELF ? 0 : -1;
}

int cup_elf_open(struct cup_elf *elf, const char *path, const char *debug_path,
                 char why[CUP_ELF_WHY])
{
    *elf = (struct cup_elf){.debug_path = (char *)debug_path};
    elf->callbacks = (Dwfl_Callbacks){.find_elf = dwfl_build_id_find_elf,
                                      .find_debuginfo = dwfl_standard_find_debuginfo,
                                      .debuginfo_path = &elf->debug_path};
    unsetenv("DEBUGINFOD_URLS"); /* the only way to keep libdwfl from asking servers */
    int fd = open_file(path, why);
    if (fd < 0)
        return -1;
    elf->dwfl = dwfl_begin(&elf->callbacks);
    if (!elf->dwfl) {
        close(fd);
        return set_reason(why, dwfl_errmsg(-1));
    }
    if (check_file(elf, path, fd) == 0)
        return 0;
    snprintf(why, CUP_ELF_WHY, "it cannot be read as an ELF file: %s", dwfl_errmsg(-1));
    cup_elf_close(elf);
    return -1;
}

void cup_elf_close(struct cup_elf *elf)
{
    dwfl_end(elf->dwfl);
    *elf = (struct cup_elf){0};
}

size_t cup_elf_build_id(const struct cup_elf *elf, const unsigned char **bits)
{
    GElf_Addr address;
    int length = dwfl_module_build_id(elf->module, bits, &address);
    return length > 0 ? (size_t)length : 0;
}

/* The begin of the lowest mapping and the end of the highest executable one, as addresses in the
 * file. Returns 0, or -1 if the file has no mappings. */
static int find_extent(const struct cup_elf *elf, uint64_t *low, uint64_t *code_end)
{
    size_t count;
    *low = UINT64_MAX;
    *code_end = 0;
    if (elf_getphdrnum(elf->main, &count) != 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf->main, (int)i, &header) || header.p_type != PT_LOAD)
            continue;
        uint64_t begin = header.p_vaddr & ~(PAGE - 1), end = header.p_vaddr + header.p_memsz;
        *low = begin < *low ? begin : *low;
        if ((header.p_flags & PF_X) && end > *code_end)
            *code_end = end;
    }
    return *low < *code_end ? 0 : -1;
}

/* ---- functions ---------------------------------------------------------------------------- */

/* Ranks of several symbols at one address; the lowest is chosen. "read" comes before "__read", a
 * global symbol before a weak one, that before a local one; a symbol without a name is last. */
enum { RANK_WEAK = 1, RANK_LOCAL, RANK_UNDERSCORE = 4, RANK_NAMELESS = 1 << 20 };

/* ---- adding ------------------------------------------------------------------------------- */

/* Copies a name. Returns its offset in the names; 0 without memory. */
static uint32_t keep_name(struct cup_elf_functions *functions, const char *name)
{
    size_t size = strlen(name) + 1, before = functions->names_size ? functions->names_size : 1;
    if (before + size > UINT32_MAX)
        return 0;
    if (before + size > functions->names_room) {
        size_t room = 2 * (before + size);
        char *names = realloc(functions->names, room);
        if (!names)
            return 0;
        functions->names = names;
        functions->names_room = room;
    }
    functions->names[0] = '\0';
    memcpy(functions->names + before, name, size);
    functions->names_size = before + size;
    return (uint32_t)before;
}

static void add_function(struct cup_elf_functions *functions,
                         const struct cup_elf_function *function)
{
    if (cup_array_grow(&functions->rows, &functions->room, functions->count,
                       sizeof *functions->rows) != 0)
        functions->out_of_memory = true;
    else
        functions->rows[functions->count++] = *function;
}

/* ---- symbols ------------------------------------------------------------------------------ */

static bool is_executed(Elf *elf, GElf_Word section)
{
    GElf_Shdr header;
    Elf_Scn *found = elf_getscn(elf, section);
    return found && gelf_getshdr(found, &header) && (header.sh_flags & SHF_EXECINSTR);
}

/* Functions in assembler may have no type. Names with '$' are markers of the linker, on ARM. */
static bool is_function(const GElf_Sym *symbol, const char *name, Elf *elf, GElf_Word section)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    if (!name || !*name || section == SHN_UNDEF)
        return false;
    return type == STT_FUNC || type == STT_GNU_IFUNC ||
           (type == STT_NOTYPE && name[0] != '$' && is_executed(elf, section));
}

static uint32_t rank_of(const char *name, unsigned binding)
{
    uint32_t weak = binding == STB_WEAK ? RANK_WEAK : binding == STB_LOCAL ? RANK_LOCAL : 0;
    return weak + RANK_UNDERSCORE * (uint32_t)strspn(name, "_");
}

static void add_symbols(struct cup_elf_functions *functions, const struct cup_elf *elf)
{
    int count = dwfl_module_getsymtab(elf->module);
    for (int i = 1; i < count && !functions->out_of_memory; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        Elf *file;
        Dwarf_Addr bias;
        const char *name =
            dwfl_module_getsym_info(elf->module, i, &symbol, &address, &section, &file, &bias);
        if (!is_function(&symbol, name, file, section))
            continue;
        const struct cup_elf_function function = {
            .start = address,
            .end = address + symbol.st_size < address ? address : address + symbol.st_size,
            .name = keep_name(functions, name),
            .rank = rank_of(name, GELF_ST_BIND(symbol.st_info)),
            .order = (uint32_t)i};
        functions->out_of_memory |= function.name == 0;
        add_function(functions, &function);
    }
}

/* ---- starts without names ----------------------------------------------------------------- */

/* The head of .eh_frame_hdr, in the form that all linkers write. A sorted table follows, with two
 * numbers of 32 bits for each function: its start and the place of its record, both relative to
 * the section. */
struct unwind_head {
    uint8_t version, frame_form, count_form, table_form;
    int32_t frame;
    uint32_t count;
};
enum { UNWIND_VERSION = 1, FORM_UINT32 = 0x03, FORM_PC_INT32 = 0x1b, FORM_DATA_INT32 = 0x3b };

static Elf_Data *section_named(Elf *elf, const char *wanted, uint64_t *address)
{
    size_t names;
    Elf_Scn *section = NULL;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || strcmp(name, wanted) != 0 || header.sh_type == SHT_NOBITS)
            continue;
        *address = header.sh_addr;
        return elf_rawdata(section, NULL);
    }
    return NULL;
}

static bool is_own_byte_order(Elf *elf)
{
    const char *ident = elf_getident(elf, NULL);
    const uint16_t one = 1;
    unsigned char little;
    memcpy(&little, &one, 1);
    return ident && ident[EI_DATA] == (little ? ELFDATA2LSB : ELFDATA2MSB);
}

static void add_starts(struct cup_elf_functions *functions, const struct cup_elf *elf)
{
    uint64_t address;
    const Elf_Data *data = section_named(elf->main, ".eh_frame_hdr", &address);
    struct unwind_head head;
    if (!data || !data->d_buf || data->d_size < sizeof head || !is_own_byte_order(elf->main))
        return;
    memcpy(&head, data->d_buf, sizeof head);
    if (head.version != UNWIND_VERSION || head.frame_form != FORM_PC_INT32 ||
        head.count_form != FORM_UINT32 || head.table_form != FORM_DATA_INT32)
        return;
    size_t room = (data->d_size - sizeof head) / (2 * sizeof(int32_t));
    for (size_t i = 0; i < head.count && i < room && !functions->out_of_memory; i++) {
        int32_t start;
        memcpy(&start, (const char *)data->d_buf + sizeof head + i * 2 * sizeof start,
               sizeof start);
        uint64_t at = address + (uint64_t)(int64_t)start;
        add_function(functions,
                     &(struct cup_elf_function){.start = at, .end = at, .rank = RANK_NAMELESS});
    }
}

/* ---- order -------------------------------------------------------------------------------- */

static int by_start(const void *left, const void *right)
{
    const struct cup_elf_function *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Keeps one function for each address. Drops functions that lie inside another one and have no
 * name or no size. */
static void drop_inner(struct cup_elf_functions *functions)
{
    size_t kept = 0;
    uint64_t reach = 0;
    for (size_t i = 0; i < functions->count; i++) {
        const struct cup_elf_function *row = &functions->rows[i];
        struct cup_elf_function *last = kept ? &functions->rows[kept - 1] : NULL;
        bool sized = row->name && row->end > row->start;
        if (last && last->start == row->start)
            last->end = row->end > last->end ? row->end : last->end;
        else if (sized || row->start >= reach)
            functions->rows[kept++] = *row;
        reach = row->end > reach ? row->end : reach;
    }
    functions->count = kept;
}

/* A function without a size ends at the begin of the next one. */
static void find_ends(struct cup_elf_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        struct cup_elf_function *row = &functions->rows[i];
        if (row->end == row->start)
            row->end =
                i + 1 < functions->count ? functions->rows[i + 1].start : functions->code_end;
    }
}

int cup_elf_functions_read(struct cup_elf_functions *functions, const struct cup_elf *elf)
{
    *functions = (struct cup_elf_functions){0};
    if (find_extent(elf, &functions->low, &functions->code_end) != 0)
        return 0;
    add_symbols(functions, elf);
    add_starts(functions, elf);
    if (functions->out_of_memory)
        return -1;
    if (functions->count)
        qsort(functions->rows, functions->count, sizeof *functions->rows, by_start);
    drop_inner(functions);
    find_ends(functions);
    return 0;
}

void cup_elf_functions_free(struct cup_elf_functions *functions)
{
    free(functions->rows);
    free(functions->names);
    *functions = (struct cup_elf_functions){0};
}

/* ---- asking ------------------------------------------------------------------------------- */

/* Number of functions that begin at or before an address. */
static size_t count_until(const struct cup_elf_functions *functions, uint64_t address)
{
    size_t low = 0, high = functions->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (functions->rows[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct cup_elf_function *cup_elf_function_at(const struct cup_elf_functions *functions,
                                                   uint64_t address)
{
    enum { NESTED_MOST = 32 }; /* functions inside a function, such as entries in assembler */
    size_t count = count_until(functions, address);
    for (size_t i = count; i > 0 && count - i < NESTED_MOST; i--)
        if (address < functions->rows[i - 1].end)
            return &functions->rows[i - 1];
    return NULL;
}
