/* How long it takes to open data files, written as OPEN records, and sums of them. Connections:
 * connecting.h.
 *
 * Whether a local file is data is known only when it is first read or written. Until then the time
 * of its open is kept with its descriptor, so that most opens (of imports and directories) cost no
 * more than two readings of the clock. */
#pragma once

#include "include/log_format.h"
#include "preload/io/descriptor.h"
#include "preload/sys/clock.h"

#include <stddef.h>
#include <stdint.h>

/* An open of PATH (NULL: not known) began at START (ticks) and returned FD, or -1 and errno. A
 * failed open is recorded if the thread works for a task, the kernel has read the path, and it is
 * the path of a data file. A log must be open. Keeps errno. */
void cup_opening_returned(int fd, const char *path, uint64_t start);

/* DESCRIPTOR, a data file's, is read or written for the first time: records how long its open took,
 * and counts it in BLOCK. Guard held. */
void cup_opening_used(const struct cup_descriptor *descriptor, struct cup_block *block);

/* An open that has ended. */
struct cup_opened {
    enum cup_open_kind kind;
    uint32_t task; /* 0: not known */
    uint32_t file; /* number of its FILE record; 0: see path */
    uint32_t error;
    uint64_t start, stop; /* ticks */
    const char *path;     /* without secrets; NULL: not known */
    uint32_t server;      /* string: the data server; 0: not known */
    uint32_t redirects;
};

/* Writes its record, and adds it to BLOCK unless that is NULL or it is a connection. Guard held. */
void cup_opening_record(const struct cup_opened *opened, struct cup_block *block);

/* Called when a log is opened, and in a forked child. */
void cup_opening_reset(void);
