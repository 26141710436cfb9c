/* A process that a task started opens its log when it first reads data. */
#ifndef CUPPING_PRELOAD_IO_CHILD_READS_H
#define CUPPING_PRELOAD_IO_CHILD_READS_H

#include "preload/attribution/child_processes.h"

/* Before a call on FD, which READS or not: opens the log if the process was started by a task, has
 * none yet, and FD is a data file. Keeps errno. */
void cup_child_reads(int fd);
static inline void cup_child_before(bool reads, int fd)
{
    if (__builtin_expect(cup_child_waiting, 0) && reads && !cup_active())
        cup_child_reads(fd);
}

/* The same before a read of a file to which no descriptor leads. */
void cup_child_fetches(void);

#endif
