/* How long it takes to open data files: OPEN records. Connections: connecting.h.
 *
 * Of local files what is opened is known only when it is first read or written: until then the time
 * waits beside the descriptor. So most opens (imports, directories) cost two looks at a clock. */
#ifndef CUPPING_PRELOAD_IO_OPENING_H
#define CUPPING_PRELOAD_IO_OPENING_H

#include "include/log_format.h"
#include "preload/io/descriptor.h"
#include "preload/sys/clock.h"

#include <stddef.h>
#include <stdint.h>

/* An open by a call from START (ticks) until now made FD. There is a log. */
void cup_opening_done(int fd, uint64_t start);

/* The open of PATH failed with ERROR. Counts if the calling thread works for a task, the path is a
 * data file's, and the kernel has looked at it. */
void cup_opening_failed(const char *path, int error, uint64_t start);

/* DESCRIPTOR, a data file's, is read or written for the first time, which BLOCK pays for. Guard
 * held. */
void cup_opening_used(const struct cup_descriptor *descriptor, struct cup_block *block);

/* One that was seen from its beginning to its end. */
struct cup_opened {
    enum cup_open_kind kind;
    uint32_t task; /* 0: not known */
    uint32_t file; /* FILE record; 0: see path */
    uint32_t error;
    uint64_t start, stop; /* ticks */
    const char *path;     /* without secrets; NULL: not known */
};

/* Writes its record; of a file it is added to BLOCK (NULL: to none). Guard held. */
void cup_opening_record(const struct cup_opened *opened, struct cup_block *block);

/* The beginning of a path that many have in common: "root://host:port", or "/eos" of "/eos/a/b".
 * Returns its length. */
size_t cup_opening_common(const char *path);

/* A new log, or a forked child. */
void cup_opening_reset(void);

#endif
