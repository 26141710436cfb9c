/* An executable or library on this machine's disk, with its debugging file where one is installed.
 * Nothing is asked for over the network. */
#ifndef CUPPING_ANALYSIS_SYMBOLS_ELF_FILE_H
#define CUPPING_ANALYSIS_SYMBOLS_ELF_FILE_H

#include <elfutils/libdwfl.h>

/* Where separate debugging files are looked for, as libdwfl takes it: beside the file, and below
 * the system's directory, by build id or by the name in the file. */
#define CUP_DEBUG_PATH ":.debug:/usr/lib/debug"

enum { CUP_ELF_WHY = 128 };

/* Does not move while it is open. */
struct cup_elf {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Elf *main;
    Dwfl_Callbacks callbacks;
    char *debug_path;
};

/* Returns 0; or -1, `why` telling what is wrong with the file, with nothing to close. DEBUG_PATH
 * outlives it. */
int cup_elf_open(struct cup_elf *elf, const char *path, const char *debug_path,
                 char why[CUP_ELF_WHY]);
void cup_elf_close(struct cup_elf *elf);

/* Its build id's bytes, which are the file's; how many they are, 0: it has none. */
size_t cup_elf_build_id(const struct cup_elf *elf, const unsigned char **bits);

/* Addresses as the file has them: where its lowest mapping begins, and the end of its highest one
 * that is executed. Returns 0, or -1 if none is mapped. */
int cup_elf_extent(const struct cup_elf *elf, uint64_t *low, uint64_t *code_end);

#endif
