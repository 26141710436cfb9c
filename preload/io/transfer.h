/* Records a read or write, by whatever call: begin finds the descriptor and its owner and starts
 * the clock, end stops the clock and counts. */
#pragma once

#include "preload/attribution/attribution.h"
#include "preload/attribution/child_processes.h"
#include "preload/io/descriptor.h"
#include "preload/io/exchange.h"
#include "preload/io/server_requests.h"
#include "preload/lifecycle/thread.h"
#include "preload/sys/clock.h"
#include "preload/waits/wait.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The kind of call that moves the bytes. All but CUP_WRITE deliver bytes. The kernel counts only
 * some of those as read (rchar in /proc/self/io); cupping compares its own sums with that count. */
enum cup_call {
    CUP_READ,    /* read() and its siblings: the kernel counts them, also on sockets */
    CUP_RECEIVE, /* recv() and its siblings: the kernel does not count them */
    CUP_GET,     /* stdio: the kernel counts what libc reads into its buffers instead */
    CUP_COPY,    /* sendfile(), copy_file_range(), splice(): no byte passes through the process */
    CUP_FETCH,   /* reads of XRootD's client, whose caller has no descriptor */
    CUP_WRITE,   /* all calls that write or send bytes */
};

/* A call under way, on the stack of its wrapper. */
struct cup_transfer {
    enum cup_call call;
    struct cup_descriptor *descriptor;
    struct cup_owner owner;
    uint64_t start, stop; /* ticks; 0: not timed */
    struct cup_wait wait; /* its block is NULL unless the descriptor is likely to block */
    bool watched; /* a call that takes long counts as a wait; false for the write of a copy, which
                     is not timed */
    bool failed; /* a CUP_FETCH that the server or the client answered with an error: it counts as a
                    read of no bytes */
    uint32_t
        url; /* of what a socket received: FILE record of the URL that was asked for; 0: none */
    bool disputed; /* of what a socket received: a thread or context of another task received it */
    bool asks;     /* a socket sent a request, or a part of it */
    struct cup_answer_state answer; /* of what a socket received */
    uint8_t reason; /* of what a socket received: why it is attributed to no task (enum
                       cup_unattributed_reason) */
    bool requests;  /* it may be a request to the server of a mount, which is noted as out; only if
                       the wait has a block */
    struct cup_server_request_out request; /* then: as it was noted */
    uint32_t node; /* the stack that requested the bytes; 0: the one at the end of the call */
    struct cup_descriptor spare; /* stands in for a descriptor beyond the table */
};

/* A process that a task started opens its log when it first reads data. Call this before a call on
 * FD; READS: the call reads. Opens the log if a task started this process, the process has no log
 * yet, and FD is a data file. Keeps errno. */
void cup_child_reads(int fd);
static inline void cup_child_before(bool reads, int fd)
{
    if (__builtin_expect(cup_child_waiting, 0) && reads && !cup_active())
        cup_child_reads(fd);
}

/* The same, before XRootD's client reads a remote file, which has no descriptor. Also in a process
 * that runs Python and that no task started: see cup_child_reads_events(). */
void cup_child_fetches(void);

/* No log is open, and an open of PATH that began at START (ticks) returned FD: opens the log if
 * this is a file of events, and the process runs Python. Keeps errno. */
void cup_child_opened(int fd, const char *path, uint64_t start);

/* Starts the clock of a call that is not likely to block: the last step before the call. */
static inline void cup_transfer_start(struct cup_transfer *transfer)
{
    transfer->watched = true;
    transfer->failed = false;
    transfer->node = 0;
    transfer->wait.block = NULL;
    transfer->start = cup_ticks();
}

/* The rest of cup_transfer_begin(): sockets, descriptors that are likely to block, threads that run
 * no task, and descriptors that were not looked up yet (KNOWN is NULL). TRANSFER->call is set.
 * False: not recorded. */
bool cup_transfer_begin_slowly(struct cup_transfer *transfer, struct cup_descriptor *known, int fd);

/* A wrapper of a call that moves bytes is: begin, call, end.
 *
 *     struct cup_transfer room, *transfer = cup_transfer_begin(&room, CUP_READ, fd);
 *     ssize_t result = CUP_REAL(pread)(fd, buffer, bytes, offset);
 *     return cup_transfer_end(transfer, result, offset, buffer, 0);
 *
 * Returns NULL if the call is not recorded, which is so for all calls on descriptor -1. The guard
 * is not held during the call: a signal handler may jump out of it, and a cancelled thread never
 * returns. Keeps errno. */
static inline struct cup_transfer *cup_transfer_begin(struct cup_transfer *transfer,
                                                      enum cup_call call, int fd)
{
    cup_child_before(call != CUP_WRITE, fd);
    if (!cup_active() || cup_self.guard)
        return NULL;
    transfer->call = call;
    struct cup_descriptor *descriptor = cup_descriptor_known(fd);
    if (!descriptor || !cup_self.own || !cup_descriptor_is_quick(descriptor))
        return cup_transfer_begin_slowly(transfer, descriptor, fd) ? transfer : NULL;
    cup_attribution_opener_used(&descriptor->owner, cup_self.task);
    transfer->descriptor = descriptor;
    transfer->owner = (struct cup_owner){cup_self.own, CUP_METHOD_OWN, 0};
    cup_transfer_start(transfer);
    return transfer;
}

/* The same for a CUP_FETCH of FILE, which has no descriptor. True: it is recorded. */
bool cup_transfer_begin_on(struct cup_transfer *transfer, struct cup_descriptor *file);

enum { CUP_AT_CURSOR = -1 };

/* Counts a call that began. BYTES: as the call returned them (< 0: it failed, and only its wait
 * counts, unless TRANSFER->failed is set). OFFSET: where it read or wrote, or CUP_AT_CURSOR. TO:
 * where the bytes were delivered or came from, a buffer if PARTS is 0, else an array of so many
 * struct iovec; NULL: cupping does not look at them. Keeps errno. */
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

/* Notes one piece that a CUP_FETCH delivered, BYTES from OFFSET on, in the access extents. Call it
 * after cup_transfer_finish(), once for each piece. Guard held. */
void cup_transfer_piece(const struct cup_transfer *transfer, uint64_t bytes, uint64_t offset);

/* A call that moves a single character, by the own thread of a task. Programs make millions of them
 * and each takes a nanosecond, so they are counted but not timed: their start is 0. */
static inline void cup_transfer_begin_character(struct cup_transfer *transfer, enum cup_call call,
                                                struct cup_descriptor *descriptor)
{
    transfer->call = call;
    transfer->descriptor = descriptor;
    transfer->url = 0;
    transfer->start = 0;
}

static inline bool cup_transfer_is_character(const struct cup_transfer *transfer)
{
    return !transfer->start;
}

/* The character was moved. Keeps errno. */
void cup_transfer_finish_character(struct cup_transfer *transfer);

/* The kernel moves bytes from one descriptor to another: a read and a write with the same owner,
 * whose time counts once. If begin returns true, the copy is recorded: then call end. Both keep
 * errno. */
struct cup_copy {
    struct cup_transfer from, to;
};
bool cup_copy_begin(struct cup_copy *copy, int from, int to);
void cup_copy_end(struct cup_copy *copy, ssize_t bytes, int64_t from_offset, int64_t to_offset);
