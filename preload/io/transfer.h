/* Policy of reads and writes: one begin and one end, whatever the call. */
#ifndef CUPPING_PRELOAD_IO_TRANSFER_H
#define CUPPING_PRELOAD_IO_TRANSFER_H

#include "preload/attribution/attribution.h"
#include "preload/attribution/child_processes.h"
#include "preload/io/descriptor.h"
#include "preload/lifecycle/thread.h"
#include "preload/sys/clock.h"
#include "preload/waits/wait.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What kind of call moves the bytes. All but CUP_WRITE deliver some, but they differ in what the
 * kernel says of them in /proc/self/io, with which our sums are compared. */
enum cup_call {
    CUP_READ,    /* read() and its like: counted there, from sockets too */
    CUP_RECEIVE, /* recv() and its like: not counted there */
    CUP_GET,     /* stdio: there, libc's own refills are counted instead */
    CUP_COPY,    /* sendfile(), copy_file_range(), splice(): nothing passes through the process */
    CUP_FETCH,   /* a library's own calls, from no descriptor: not there at all */
    CUP_WRITE,   /* whatever hands bytes over */
};

/* A call under way. Lives on the wrapper's stack. */
struct cup_transfer {
    struct cup_descriptor *descriptor;
    struct cup_owner owner;
    uint64_t start, stop; /* ticks */
    struct cup_wait wait; /* if the descriptor is likely to block; else its block is NULL */
    bool watched;         /* it may have blocked: not the second half of a copy */
    uint32_t node;        /* of the stack that asked for it; 0: that of the call's end */
    struct cup_descriptor spare;
};

/* Last thing before a call that is not likely to block. */
static inline void cup_transfer_starts(struct cup_transfer *transfer)
{
    transfer->watched = true;
    transfer->node = 0;
    transfer->wait.block = NULL;
    transfer->start = cup_ticks();
}

/* The rest of cup_transfer_begin: descriptors not looked up yet, threads that run no task. */
bool cup_transfer_begin_slowly(struct cup_transfer *transfer, int fd);

/* True: the call is to be recorded; the wrapper ends it. The guard is not held in between: a
 * signal handler may jump out of the call, a cancelled thread never comes back from it. FD is -1
 * for a call that is not to be recorded. */
static inline bool cup_transfer_begin(struct cup_transfer *transfer, int fd)
{
    if (!cup_active() || cup_self.guard)
        return false;
    struct cup_descriptor *descriptor = cup_descriptor_known(fd);
    if (!descriptor || !cup_self.own || descriptor->class == CUP_FILE_SOCKET ||
        descriptor->quick < CUP_QUICK)
        return cup_transfer_begin_slowly(transfer, fd);
    cup_descriptor_used(descriptor, cup_self.task);
    transfer->descriptor = descriptor;
    transfer->owner = (struct cup_owner){cup_self.own, CUP_METHOD_OWN, 0};
    cup_transfer_starts(transfer);
    return true;
}

/* Likewise for a call that blocks, on a file that no descriptor leads to. */
bool cup_transfer_begin_on(struct cup_transfer *transfer, struct cup_descriptor *file);

enum { CUP_AT_CURSOR = -1 };

/* BYTES as the call returned them (< 0: failed), OFFSET or CUP_AT_CURSOR. What was delivered lies
 * in TO, a buffer if PARTS is 0, else so many struct iovec; NULL: it cannot be looked at. Keeps
 * errno.
 */
void cup_transfer_end(struct cup_transfer *transfer, enum cup_call call, ssize_t bytes,
                      int64_t offset, const void *to, int parts);

/* After cup_transfer_end() of a CUP_FETCH: BYTES of it came from OFFSET on. Guard held. */
void cup_transfer_piece(const struct cup_transfer *transfer, uint64_t bytes, uint64_t offset);

/* The rhythm of every transfer: begin, call, end. POSITION is the call's offset or CUP_AT_CURSOR,
 * BYTES an expression in `result` that says how many were moved: the only hidden thing is the name
 * of the result. TO and PARTS as cup_transfer_end() has them. */
#define CUP_TRANSFER(kind, fd, position, type, call, bytes, to, parts)                             \
    struct cup_transfer transfer;                                                                  \
    cup_child_before((kind) != CUP_WRITE, fd);                                                     \
    bool counted = cup_transfer_begin(&transfer, fd);                                              \
    type result = call;                                                                            \
    if (__builtin_expect(counted, 0))                                                              \
        cup_transfer_end(&transfer, kind, (ssize_t)(bytes), position, to, parts);                  \
    return result

/* A request whose answer comes later, on another thread as a rule. */
struct cup_async_request {
    struct cup_descriptor file; /* as it was when the request was made */
    uint32_t task, epoch;       /* whose it is: struct cup_owner; 0: nobody's */
    uint32_t node;              /* of the stack that made it */
    enum cup_method method;
    uint64_t start, since;   /* ticks; what cup_helper_wait_enters() returned */
    struct cup_block *block; /* once it has ended: that counted it */
    uint64_t stop;           /* ticks, likewise */
};

/* The calling thread requests BYTES of FILE at OFFSET. True: cup_async_request_end() is due, once.
 * Keeps errno. */
bool cup_async_request_begin(struct cup_async_request *errand, struct cup_descriptor *file,
                             uint64_t bytes, uint64_t offset);

/* The answer has come: BYTES from OFFSET on (< 0: failed). Returns the task that it was for, 0 if
 * that cannot be named. Any thread; guard held. */
uint32_t cup_async_request_end(struct cup_async_request *errand, ssize_t bytes, int64_t offset);

/* Likewise of a file that was to be opened, or could not be: its record is written, for the task
 * that asked. Guard held. */
struct cup_opened;
void cup_async_request_opened(struct cup_async_request *errand, struct cup_opened *opened);
/* After that: BYTES of it came from OFFSET on. The same thread; guard held. */
void cup_async_request_piece(const struct cup_async_request *errand, uint64_t bytes,
                             uint64_t offset);

/* A single character was read or written by a task's own thread: such calls take a nanosecond and
 * come in millions, so they are counted but not timed. */
void cup_transfer_character(struct cup_descriptor *descriptor, enum cup_call call);

/* The kernel moves bytes from one descriptor to another: a read and a write by the same owner,
 * whose time counts once. */
struct cup_copy {
    struct cup_transfer from, to;
};
bool cup_copy_begin(struct cup_copy *copy, int from, int to);
void cup_copy_end(struct cup_copy *copy, ssize_t bytes, int64_t from_offset, int64_t to_offset);

#endif
