#include "preload/sys/redirect.h"

#include "preload/sys/raw.h"

#include <string.h>

#if defined(__x86_64__)
enum { BY_CALL = R_X86_64_JUMP_SLOT, BY_ADDRESS = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { BY_CALL = R_AARCH64_JUMP_SLOT, BY_ADDRESS = R_AARCH64_GLOB_DAT };
#else
enum { BY_CALL = -1, BY_ADDRESS = -1 };
#endif

struct relocations {
    const ElfW(Rela) * entries;
    size_t count;
};

/* The relocations that the dynamic section lists under the tags TABLE and SIZE. The loader replaces
 * the offsets in most dynamic sections by addresses, but not in all. */
static struct relocations find_relocations(const struct cup_elf *library, ElfW(Sxword) table,
                                           ElfW(Sxword) size)
{
    struct relocations found = {NULL, 0};
    for (const ElfW(Dyn) *entry = library->dynamic; entry->d_tag != DT_NULL; entry++) {
        uintptr_t at = entry->d_un.d_ptr;
        if (entry->d_tag == table)
            found.entries = (const void *)(at < library->base ? library->base + at : at);
        else if (entry->d_tag == size)
            found.count = entry->d_un.d_val / sizeof *found.entries;
    }
    return found.entries ? found : (struct relocations){NULL, 0};
}

/* The loader may have made the table read-only (RELRO): then the page is made writable for the
 * store, and read-only again. */
static bool write_entry(const struct cup_elf *library, const void **slot, const void *to)
{
    const ElfW(Ehdr) *head = (const void *)library->base;
    const ElfW(Phdr) *parts = (const void *)(library->base + head->e_phoff);
    uintptr_t offset = (uintptr_t)slot - library->base, page = (uintptr_t)slot & -(uintptr_t)4096;
    bool fixed = false;
    for (int i = 0; i < head->e_phnum; i++)
        fixed |= parts[i].p_type == PT_GNU_RELRO && offset - parts[i].p_vaddr < parts[i].p_memsz;
    if (fixed && syscall(SYS_mprotect, page, 4096UL, PROT_READ | PROT_WRITE))
        return false;
    __atomic_store_n(slot, to, __ATOMIC_RELEASE);
    if (fixed)
        syscall(SYS_mprotect, page, 4096UL, PROT_READ);
    return true;
}

static bool redirect_in(const struct cup_elf *library, struct relocations all, const char *name,
                        const void *to)
{
    bool done = false;
    for (size_t i = 0; i < all.count; i++) {
        const ElfW(Rela) *each = &all.entries[i];
        const ElfW(Sym) *symbol = &library->symbols[ELF64_R_SYM(each->r_info)];
        int type = (int)ELF64_R_TYPE(each->r_info);
        if ((type == BY_CALL || type == BY_ADDRESS) &&
            strcmp(library->texts + symbol->st_name, name) == 0)
            done |= write_entry(library, (const void **)(library->base + each->r_offset), to);
    }
    return done;
}

bool cup_redirect(const struct cup_elf *library, const char *name, const void *to)
{
    if (memcmp((const void *)library->base, ELFMAG, SELFMAG) != 0)
        return false;
    bool called = redirect_in(library, find_relocations(library, DT_JMPREL, DT_PLTRELSZ), name, to);
    return redirect_in(library, find_relocations(library, DT_RELA, DT_RELASZ), name, to) || called;
}
