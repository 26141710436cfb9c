/* The list of loaded executables and libraries that contain code: for libunwind, which needs their
 * unwind tables, for the log (MODULE records), and for hooks that ask which library calls them. It
 * replaces dl_iterate_phdr(), whose lock may be held by a thread that waits for the GIL, which the
 * calling thread may hold: a deadlock. Entries never move, so reading them needs no lock. Callers
 * hold the guard and save errno. */
#pragma once

#include "preload/sys/elf_symbols.h"

#include <stdbool.h>
#include <stdint.h>

/* Reads the list for the first time. False: it could not be read. */
bool cup_modules_find(void);

/* cup_modules_current(): true if code addresses still belong to the modules in the list: no library
 * is being unloaded, the list was read after the last unloading, and no library is gone that
 * contained a recorded native frame. cup_modules_lost(): such a library is gone. That is permanent:
 * libunwind caches, in each thread, what it learned about an address, and another library may be
 * mapped there next. */
bool cup_modules_current(void);
bool cup_modules_lost(void);

/* Called by the hooks of dlclose(): a library may be unloaded between the two calls. */
void cup_modules_closing(void);
void cup_modules_closed(void);

/* The number of dlclose() calls that had ended when the list was last read: a hash that contains it
 * does not match a stack from before a library was unloaded. */
uint32_t cup_modules_closes(void);

/* Does what dl_iterate_phdr() does, beginning with the module that contains ADDRESS. If CALLBACK
 * accepts no known module, looks for newly loaded ones; after a look that finds none it pauses,
 * from 20 ms up to 0.64 s, because a look costs as much as reading /proc/self/maps. */
typedef int cup_modules_look(struct dl_phdr_info *info, size_t bytes, void *user);
int cup_modules_each(uint64_t address, cup_modules_look *callback, void *user);

/* The number of the module that contains ADDRESS (1, 2, ...); 0: none. */
uint32_t cup_module_of(uint64_t address);

/* The same, for a hook that must know: if the list has no such module, or a library was unloaded
 * since it was read, reads it again at once. */
uint32_t cup_module_holding(uint64_t address);

/* Modules are numbered from 1 to this. */
uint32_t cup_modules_count(void);

/* MODULE's path, of the file itself even where it was loaded by the name of a link; NULL: MODULE is
 * 0. */
const char *cup_module_path(uint32_t module);

/* MODULE's symbols. False: MODULE is 0, is no longer mapped, or has no symbols. */
bool cup_module_object(uint32_t module, struct cup_elf *object);

/* Where the module is mapped; both 0: nowhere any more. */
struct cup_module_range {
    uint64_t low, high;
};
struct cup_module_range cup_module_range(uint32_t module);

/* Remembers that a frame is in the module: unloading it then turns native frames off. */
void cup_module_used(uint32_t module);

/* cup_module_record(): the id of MODULE's record in the log, which the first call writes; 0: the
 * log is full, or MODULE is 0. cup_modules_reset(): a new log begins, which has no MODULE record
 * yet. Both need the lock of stacks.c. */
uint32_t cup_module_record(uint32_t module);
void cup_modules_reset(void);

/* A forked child: no other thread reads the list or unloads a library. */
void cup_modules_forked(void);
