/* Policy of reads and writes: one begin and one end, whatever the call. */
#ifndef CUPPING_TRANSFER_H
#define CUPPING_TRANSFER_H

#include "preload/attribution.h"
#include "preload/clock.h"
#include "preload/descriptor.h"
#include "preload/thread.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A call under way. Lives on the wrapper's stack. */
struct cup_transfer {
    struct cup_descriptor *descriptor;
    struct cup_owner owner;
    uint64_t start; /* ticks */
    struct cup_descriptor spare;
};

/* The rest of cup_transfer_begin: descriptors not looked up yet, threads that run no task. */
bool cup_transfer_begin_slowly(struct cup_transfer *transfer, int fd);

/* True: the call is to be recorded; the wrapper ends it. The guard is not held in between: a
 * signal handler may jump out of the call, a cancelled thread never comes back from it. */
static inline bool cup_transfer_begin(struct cup_transfer *transfer, int fd)
{
    if (!cup_active() || cup_self.guard)
        return false;
    struct cup_descriptor *descriptor = cup_descriptor_known(fd);
    if (!descriptor || !cup_self.own)
        return cup_transfer_begin_slowly(transfer, fd);
    if (descriptor->class >= CUP_FILE_SOCKET)
        return false;
    cup_descriptor_used(descriptor, cup_self.task);
    transfer->descriptor = descriptor;
    transfer->owner = (struct cup_owner){cup_self.own, CUP_WAY_OWN, 0};
    transfer->start = cup_ticks();
    return true;
}

enum { CUP_AT_CURSOR = -1 };

/* A single character was read or written by a task's own thread: such calls take a nanosecond and
 * come in millions, so they are counted but not timed. */
void cup_transfer_character(struct cup_descriptor *descriptor, bool read);

/* BYTES as the call returned them (< 0: failed), OFFSET or CUP_AT_CURSOR. Keep errno. */
void cup_transfer_end_read(struct cup_transfer *transfer, ssize_t bytes, int64_t offset);
void cup_transfer_end_write(struct cup_transfer *transfer, ssize_t bytes, int64_t offset);

#endif
