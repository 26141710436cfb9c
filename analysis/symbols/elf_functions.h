/* Begins, ends and names of the functions of an ELF file. They come from its symbol table or that
 * of its debug file, from the small table that some distributions add, and from the dynamic
 * linker's table. Functions without a name are found by the unwinding tables. */
#ifndef CUPPING_ANALYSIS_SYMBOLS_ELF_FUNCTIONS_H
#define CUPPING_ANALYSIS_SYMBOLS_ELF_FUNCTIONS_H

#include "analysis/symbols/elf_file.h"

/* Addresses are those in the file. */
struct cup_elf_function {
    uint64_t start, end;
    uint32_t name;  /* offset in the names; 0: no name */
    uint32_t rank;  /* of several at one address, the lowest is chosen */
    uint32_t order; /* in the symbol table */
};

struct cup_elf_functions {
    struct cup_elf_function *rows; /* owned; sorted by start */
    size_t count, room;
    char *names; /* owned; each ends with NUL; [0] is the empty name */
    size_t names_size, names_room;
    uint64_t low; /* begin of the file's lowest mapping */
    uint64_t code_end;
    bool out_of_memory;
};

/* Returns 0, also if there are none, or -1 without memory. Free FUNCTIONS in both cases. */
int cup_elf_functions_read(struct cup_elf_functions *functions, const struct cup_elf *elf);
void cup_elf_functions_free(struct cup_elf_functions *functions);

/* The function that has the instruction; NULL: not known. */
const struct cup_elf_function *cup_elf_function_at(const struct cup_elf_functions *functions,
                                                   uint64_t address);

#endif
