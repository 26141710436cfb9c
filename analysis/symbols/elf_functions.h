/* Executables and libraries on this machine, with their separate debug files if those are
 * installed; nothing is downloaded. Begins, ends and names of their functions come from the symbol
 * table of the file or of its debug file, from the small table that some distributions add, and
 * from the dynamic linker's table. Functions without a name are found by the unwinding tables. */
#pragma once

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
