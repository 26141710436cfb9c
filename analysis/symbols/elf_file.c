#include "analysis/symbols/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int cup_elf_extent(const struct cup_elf *elf, uint64_t *low, uint64_t *code_end)
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
