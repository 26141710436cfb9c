/* Opens an executable or library on this machine, with its separate debug file if one is installed.
 * Nothing is downloaded. */
#ifndef CUPPING_ANALYSIS_SYMBOLS_ELF_FILE_H
#define CUPPING_ANALYSIS_SYMBOLS_ELF_FILE_H

#include <elfutils/libdwfl.h>

/* Search path of debug files, in libdwfl's form: next to the file, and in the system's directory,
 * by build id or by the name in the file. */
#define CUP_DEBUG_PATH ":.debug:/usr/lib/debug"

enum { CUP_ELF_WHY = 128 };

/* An open ELF file. The struct must not be moved while the file is open. */
struct cup_elf {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Elf *main;
    Dwfl_Callbacks callbacks;
    char *debug_path;
};

/* Returns 0; or -1 with the reason in WHY and nothing to close. DEBUG_PATH must outlive ELF. */
int cup_elf_open(struct cup_elf *elf, const char *path, const char *debug_path,
                 char why[CUP_ELF_WHY]);
void cup_elf_close(struct cup_elf *elf);

/* The number of bytes of its build id, 0: none. *BITS is valid while the file is open. */
size_t cup_elf_build_id(const struct cup_elf *elf, const unsigned char **bits);

/* The begin of the lowest mapping and the end of the highest executable one, as addresses in the
 * file. Returns 0, or -1 if the file has no mappings. */
int cup_elf_extent(const struct cup_elf *elf, uint64_t *low, uint64_t *code_end);

#endif
