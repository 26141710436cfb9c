/* Symbols of libraries that are loaded, past dlsym() and dladdr(): those take a lock that the
 * loader holds while a library's constructors run, and a constructor may wait for the very thread
 * that asks. The list of libraries has a lock of its own, which no code of others runs under. */
#ifndef CUPPING_PRELOAD_SYS_ELF_SYMBOLS_H
#define CUPPING_PRELOAD_SYS_ELF_SYMBOLS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A library, or the program. Valid as long as it is loaded. */
struct cup_elf {
    const char *path; /* as the loader has it; "" for the program */
    uintptr_t base;
    const ElfW(Dyn) * dynamic;
    const ElfW(Sym) * symbols;
    size_t count;
    const char *texts;
};

/* The object that PLACE lies in; false: none has it, or no symbols. */
bool cup_elf_of(const void *place, struct cup_elf *object);

/* Calls LOOK for one after the other, until it returns true. */
void cup_elf_each(bool (*look)(const struct cup_elf *object, void *user), void *user);

/* The address of what OBJECT itself defines by that name; NULL: nothing. Looks at all of them. */
void *cup_elf_symbol(const struct cup_elf *object, const char *name);

/* The name of the function of OBJECT that PLACE lies in; NULL: none that it exports. */
const char *cup_elf_name_at(const struct cup_elf *object, const void *place);

/* OBJECT is linked with LIBRARY. */
bool cup_elf_needs(const struct cup_elf *object, const struct cup_elf *library);

#endif
