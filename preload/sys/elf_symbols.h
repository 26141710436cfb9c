/* Looks up symbols of loaded libraries without dlsym() and dladdr(). Those take a lock that the
 * loader holds while a library's constructors run, and a constructor may wait for the thread that
 * asks: a deadlock. dl_iterate_phdr(), which is used instead, has another lock, under which the
 * loader runs no constructors. But the program may call dl_iterate_phdr() with a callback that
 * waits for the GIL: a thread that may hold the GIL uses stacks/modules.h. */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A loaded library, or the program itself. Valid as long as it is loaded. */
struct cup_elf {
    const char *path; /* as the loader knows it; "" for the program */
    uintptr_t base;
    const ElfW(Phdr) * parts;
    size_t part_count;
    const ElfW(Dyn) * dynamic;
    const ElfW(Sym) * symbols;
    size_t count;
    const char *texts;
};

/* The object that contains the address PLACE. False: there is none, or it has no symbols. */
bool cup_elf_of(const void *place, struct cup_elf *object);

/* The object that INFO describes. False: it has no symbols. Takes no lock. */
bool cup_elf_read(const struct dl_phdr_info *info, struct cup_elf *object);

/* Calls LOOK for each object, until it returns true. */
void cup_elf_each(bool (*look)(const struct cup_elf *object, void *user), void *user);

/* OBJECT's first program header of TYPE that contains PLACE; NULL as PLACE: the first of TYPE.
 * NULL: there is none. */
const ElfW(Phdr) * cup_elf_part(const struct cup_elf *object, uint32_t type, const void *place);

/* The address of the symbol NAME that OBJECT defines; NULL: it defines none. Searches linearly. */
void *cup_elf_symbol(const struct cup_elf *object, const char *name);

/* The exported function or variable of OBJECT that contains PLACE, and its name; NULL: none. */
const ElfW(Sym) * cup_elf_symbol_at(const struct cup_elf *object, const void *place);
const char *cup_elf_name_at(const struct cup_elf *object, const void *place);

/* True if OBJECT is linked with LIBRARY (DT_NEEDED). */
bool cup_elf_needs(const struct cup_elf *object, const struct cup_elf *library);

/* What LIBRARY calls where it calls the symbol NAME of another library; NULL: it does not call
 * NAME. It may be a stub that looks NAME up at the first call. */
void *cup_elf_callee(const struct cup_elf *library, const char *name);

/* From now on LIBRARY calls TO where it calls the symbol NAME of another library: changes LIBRARY's
 * own global offset table, so calls from elsewhere are not affected. False: it does not call NAME,
 * or its table cannot be written. No other thread may be running in LIBRARY at that time. */
bool cup_elf_redirect(const struct cup_elf *library, const char *name, const void *to);

/* In the variable NAME of LIBRARY, a table of methods of C++, the first entry that is FROM becomes
 * TO. False: there is no such variable or entry, or it cannot be written. */
bool cup_elf_replace(const struct cup_elf *library, const char *name, const void *from,
                     const void *to);

/* How many libraries have been loaded since the process began; 0: not known. */
uint64_t cup_elf_loaded(void);

/* Calls dl_iterate_phdr(), or returns 0.
 *
 * A thread that is inside dl_iterate_phdr() or dlopen() while another one forks leaves a lock in
 * the child that is never given back: there both functions hang. So a fork waits until no thread is
 * inside this function. In a child of a process with several threads, where another part of the
 * program may have had the lock, this function does nothing until the child itself has loaded a
 * library, for which it needed that lock. Until then cup_elf_of() and cup_elf_each() read the
 * loader's list without the lock; cup_elf_loaded() does not know. */
int cup_elf_iterate(int (*callback)(struct dl_phdr_info *info, size_t size, void *user),
                    void *user);

/* True in such a child: dlopen() may hang there, too. */
bool cup_elf_lock_is_lost(void);

/* Called once, when the library is loaded. */
void cup_elf_init(void);

/* Rows of the lifecycle table. */
void cup_elf_process_forks(void);
void cup_elf_process_forked(void);
void cup_elf_child_begins(void);
