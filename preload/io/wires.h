/* Sockets of XRootD's client. What the client reads is counted where it hands the bytes to its
 * caller, so the same bytes on its sockets ("wires") are counted for no task. A socket can be older
 * than the log. So this set is also kept while no log is open, and is not cleared when one is
 * opened. */
#ifndef CUPPING_PRELOAD_IO_WIRES_H
#define CUPPING_PRELOAD_IO_WIRES_H

#include "preload/sys/library_variable.h"

#include <stdbool.h>

/* XRootD's client is about to connect FD. Any thread; keeps errno. */
void cup_wire_add(int fd);

bool cup_wire_is(int fd);

/* FD is closed, or refers to another file from now on. Costs one load while there is no wire. Any
 * thread; keeps errno. */
extern bool cup_wires_exist CUP_OURS;
void cup_wire_remove_slowly(int fd);
static inline void cup_wire_remove(int fd)
{
    if (__builtin_expect(cup_wires_exist, 0))
        cup_wire_remove_slowly(fd);
}

/* The same for all descriptors from FIRST to LAST. */
void cup_wire_remove_range(unsigned first, unsigned last);

#endif
