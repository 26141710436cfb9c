/* Where the functions of an ELF file begin and end, and what they are called: from its full table
 * of symbols, or that of its debugging file, the small one that some distributions add, and the one
 * for the dynamic linker. Functions that none of them names are told apart all the same, where the
 * tables for unwinding tell where they begin. */
#ifndef CUPPING_ANALYSIS_SYMBOLS_ELF_FUNCTIONS_H
#define CUPPING_ANALYSIS_SYMBOLS_ELF_FUNCTIONS_H

#include "analysis/symbols/elf_file.h"

/* Addresses are as the file has them. */
struct cup_elf_function {
    uint64_t start, end;
    uint32_t name;  /* offset in the names; 0: it has none */
    uint32_t rank;  /* of several at one address the lowest is told */
    uint32_t order; /* in the table of symbols */
};

struct cup_elf_functions {
    struct cup_elf_function *rows; /* owned; in the order of their starts */
    size_t count, room;
    char *names; /* owned; each ends with NUL, and [0] is one */
    size_t names_size, names_room;
    uint64_t low; /* where the file's lowest mapping begins */
    uint64_t code_end;
    bool out_of_memory;
};

/* Returns 0, even if there are none, or -1 without memory. To be freed in either case. */
int cup_elf_functions_read(struct cup_elf_functions *functions, const struct cup_elf *elf);
void cup_elf_functions_free(struct cup_elf_functions *functions);

/* The one that an instruction lies in; NULL: none is known. */
const struct cup_elf_function *cup_elf_function_at(const struct cup_elf_functions *functions,
                                                   uint64_t address);

#endif
