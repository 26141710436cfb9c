/* Executables and libraries in which code lies, without any lock of the loader's: for libunwind,
 * which looks for their unwind tables, and for the log (MODULE records).
 *
 * The list is read from /proc/self/maps and the libraries' own headers. It grows when an address is
 * looked for that is in none, and is read anew when one may have been unloaded. Entries stay where
 * they are: whoever reads them needs no lock. Callers hold the guard and save errno. */
#ifndef CUPPING_PRELOAD_STACKS_MODULES_H
#define CUPPING_PRELOAD_STACKS_MODULES_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Reads the list for the first time. False: it cannot be read. */
bool cup_modules_find(void);

/* Addresses mean what they meant when modules were last looked at: nothing is being unloaded, and
 * nothing is gone that frames lay in. The last is for good (cup_modules_lost), for libunwind keeps
 * what it learned of an address, in each thread, and another library may lie there next. */
bool cup_modules_current(void);
bool cup_modules_lost(void);

/* A library may be unloaded between the two. */
void cup_modules_closing(void);
void cup_modules_closed(void);

/* How often that was, so far. */
uint32_t cup_modules_closes(void);

/* As dl_iterate_phdr(): what libunwind is told instead, that module first in which ADDRESS lies.
 * Looks for libraries that came since where CALLBACK wants none of those that are known; where that
 * was in vain, not again soon. */
typedef int cup_modules_look(struct dl_phdr_info *info, size_t bytes, void *user);
int cup_modules_each(uint64_t address, cup_modules_look *callback, void *user);

/* The module that an address lies in, from 1 on; 0: none. */
uint32_t cup_module_of(uint64_t address);

/* Where it begins and ends; both 0: it is gone. */
struct cup_module_range {
    uint64_t low, high;
};
struct cup_module_range cup_module_range(uint32_t module);

/* Frames lie in it from now on. */
void cup_module_used(uint32_t module);

/* The id of its MODULE record, written at need; 0: no room in the log, or MODULE is 0. With the
 * lock of stacks.c, as the reset: a new log has none yet. */
uint32_t cup_module_record(uint32_t module);
void cup_modules_reset(void);

/* In a forked child no other thread is at work. */
void cup_modules_forked(void);

#endif
