/* Descriptors that the library keeps open: files of /proc that are read again and again, because
 * opening one takes three times as long as reading it. They have high numbers, since programs
 * expect low numbers for their own. As soon as the program closes or replaces such a number, the
 * library gives the descriptor up. All functions change errno. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens PATH for reading. Returns a handle, which the following functions call NAME; 0 if the file
 * cannot be opened or too many are open. */
uint32_t cup_own_fd_open(const char *path);

/* Reads the file from its beginning into TEXT, NUL-terminated, at most SIZE - 1 bytes. Returns
 * their number; 0 if the read failed or the program took the descriptor's number: NAME is then
 * invalid. The descriptor is closed, unless it has become one of the program's. */
size_t cup_own_fd_read(uint32_t name, char *text, size_t size);

void cup_own_fd_close(uint32_t name); /* 0 is fine */

/* The program closes or has replaced the descriptors FIRST to LAST: those among them are not ours
 * any more. */
void cup_own_fd_lost(unsigned first, unsigned last);

/* Called in a forked child: closes all descriptors, because their files describe the parent. */
void cup_own_fd_forked(void);
