/* Descriptors of our own that stay open, to be read again and again: files of /proc that say how
 * much memory or time is used, which cost three times as much to open as to read. They have high
 * numbers, out of the way of programs that count on low ones, and are given up as soon as the
 * program closes or replaces the number. */
#ifndef CUPPING_PRELOAD_SYS_OWN_FD_H
#define CUPPING_PRELOAD_SYS_OWN_FD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens PATH for reading. Returns a name to read and close it by; 0 if it cannot be opened, or
 * there are too many. Changes errno, as all that follow. */
uint32_t cup_own_fd_open(const char *path);

/* Reads the file from its beginning, as text of at most SIZE - 1 bytes. Returns their number; 0 if
 * the descriptor was taken away, or the read failed: the name is then void. */
size_t cup_own_fd_read(uint32_t name, char *text, size_t size);

void cup_own_fd_close(uint32_t name); /* 0 is fine */

/* The program closes, or has replaced, the numbers from FIRST to LAST. */
void cup_own_fd_lost(unsigned first, unsigned last);

/* In a forked child, whose copies tell of its parent: closes all. */
void cup_own_fd_forked(void);

#endif
