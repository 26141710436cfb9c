/* A process that a task started opens its log when it first reads data. */
#ifndef CUPPING_PRELOAD_IO_CHILD_READS_H
#define CUPPING_PRELOAD_IO_CHILD_READS_H

#include "preload/attribution/child_processes.h"

/* Call before a call on FD; READS: the call reads. Opens the log if a task started this process,
 * the process has no log yet, and FD is a data file. Keeps errno. */
void cup_child_reads(int fd);
static inline void cup_child_before(bool reads, int fd)
{
    if (__builtin_expect(cup_child_waiting, 0) && reads && !cup_active())
        cup_child_reads(fd);
}

/* The same, before XRootD's client reads a remote file, which has no descriptor. */
void cup_child_fetches(void);

#endif
