/* Policy of reads and writes: one begin and one end, whatever the call. */
#ifndef CUPPING_PRELOAD_IO_TRANSFER_H
#define CUPPING_PRELOAD_IO_TRANSFER_H

#include "preload/attribution/attribution.h"
#include "preload/io/child_reads.h"
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

/* A call under way, on the stack of its wrapper. */
struct cup_transfer {
    enum cup_call call;
    struct cup_descriptor *descriptor;
    struct cup_owner owner;
    uint64_t start, stop; /* ticks; 0: not timed */
    struct cup_wait wait; /* if the descriptor is likely to block; else its block is NULL */
    bool watched;         /* a long call was a wait; false for the second half of a copy */
    uint32_t node;        /* of the stack that requested it; 0: take the stack at the call's end */
    struct cup_descriptor spare; /* stands in for a descriptor beyond the table */
};

/* Starts the clock of a call that is not likely to block: the last step before the call. */
static inline void cup_transfer_start(struct cup_transfer *transfer)
{
    transfer->watched = true;
    transfer->node = 0;
    transfer->wait.block = NULL;
    transfer->start = cup_ticks();
}

/* The rest of cup_transfer_begin(): descriptors not looked up yet, sockets, descriptors that are
 * likely to block, and threads that run no task. TRANSFER->call is set. False: not recorded. */
bool cup_transfer_begin_slowly(struct cup_transfer *transfer, int fd);

/* A wrapper of a call that moves bytes is: begin, call, end.
 *
 *     struct cup_transfer room, *transfer = cup_transfer_begin(&room, CUP_READ, fd);
 *     ssize_t result = CUP_REAL(pread)(fd, buffer, bytes, offset);
 *     return cup_transfer_end(transfer, result, offset, buffer, 0);
 *
 * Returns NULL if the call is not recorded, as all calls on descriptor -1. The guard is not held
 * during the call: a signal handler may jump out of it, and a cancelled thread never returns. Keeps
 * errno. */
static inline struct cup_transfer *cup_transfer_begin(struct cup_transfer *transfer,
                                                      enum cup_call call, int fd)
{
    cup_child_before(call != CUP_WRITE, fd);
    if (!cup_active() || cup_self.guard)
        return NULL;
    transfer->call = call;
    struct cup_descriptor *descriptor = cup_descriptor_known(fd);
    if (!descriptor || !cup_self.own || descriptor->class == CUP_FILE_SOCKET ||
        descriptor->quick < CUP_QUICK)
        return cup_transfer_begin_slowly(transfer, fd) ? transfer : NULL;
    cup_attribution_opener_used(&descriptor->owner, cup_self.task);
    transfer->descriptor = descriptor;
    transfer->owner = (struct cup_owner){cup_self.own, CUP_METHOD_OWN, 0};
    cup_transfer_start(transfer);
    return transfer;
}

/* Begins a CUP_FETCH, which blocks, of FILE, which has no descriptor. Otherwise the same. */
bool cup_transfer_begin_on(struct cup_transfer *transfer, struct cup_descriptor *file);

enum { CUP_AT_CURSOR = -1 };

/* Counts a call that began. BYTES: as the call returned them (< 0: it failed). OFFSET: where it
 * read or wrote, or CUP_AT_CURSOR. TO: where the bytes were delivered, a buffer if PARTS is 0, else
 * an array of so many struct iovec; NULL: cupping does not look at them. Keeps errno. */
void cup_transfer_finish(struct cup_transfer *transfer, ssize_t bytes, int64_t offset,
                         const void *to, int parts);

/* The same in a wrapper: TRANSFER may be NULL. Returns BYTES. */
static inline ssize_t cup_transfer_end(struct cup_transfer *transfer, ssize_t bytes, int64_t offset,
                                       const void *to, int parts)
{
    if (__builtin_expect(transfer != NULL, 0))
        cup_transfer_finish(transfer, bytes, offset, to, parts);
    return bytes;
}

/* After cup_transfer_end() of a CUP_FETCH: BYTES of it came from OFFSET on. Guard held. */
void cup_transfer_piece(const struct cup_transfer *transfer, uint64_t bytes, uint64_t offset);

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

/* A call that moves a single character, by the own thread of a task. Programs make millions of them
 * and each takes a nanosecond, so they are counted but not timed: their start is 0. */
static inline void cup_transfer_begin_character(struct cup_transfer *transfer, enum cup_call call,
                                                struct cup_descriptor *descriptor)
{
    transfer->call = call;
    transfer->descriptor = descriptor;
    transfer->start = 0;
}

static inline bool cup_transfer_is_character(const struct cup_transfer *transfer)
{
    return !transfer->start;
}

/* The character was moved. Keeps errno. */
void cup_transfer_finish_character(struct cup_transfer *transfer);

/* The kernel moves bytes from one descriptor to another: a read and a write by the same owner,
 * whose time counts once. */
struct cup_copy {
    struct cup_transfer from, to;
};
bool cup_copy_begin(struct cup_copy *copy, int from, int to);
void cup_copy_end(struct cup_copy *copy, ssize_t bytes, int64_t from_offset, int64_t to_offset);

#endif
