/* Requests that are answered later, usually on another thread: reads and opens through XRootD's
 * client. Until the answer comes, a request counts as a helper of its task that waits for a file:
 * if the task itself waits for a lock, that wait is counted as I/O. */
#ifndef CUPPING_PRELOAD_IO_ASYNC_REQUEST_H
#define CUPPING_PRELOAD_IO_ASYNC_REQUEST_H

#include "preload/io/descriptor.h"
#include "preload/io/opening.h"
#include "preload/io/transfer.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cup_async_request {
    struct cup_descriptor file; /* as it was when the request was made */
    uint32_t task, epoch;       /* of its owner: see struct cup_owner; task 0: unattributed */
    uint32_t node;              /* the stack that made it; 0: not recorded */
    enum cup_method method;
    uint64_t start; /* ticks */
    uint64_t since; /* what cup_helper_wait_enters() returned */
    /* set by cup_async_request_end(): */
    struct cup_block *block; /* block that counted the answer; NULL: it was not counted */
    uint64_t stop;           /* ticks */
};

/* The calling thread requests BYTES of FILE at OFFSET. If this returns true, call
 * cup_async_request_end() or cup_async_request_opened() exactly once, when the answer has come.
 * Keeps errno. */
bool cup_async_request_begin(struct cup_async_request *request, struct cup_descriptor *file,
                             uint64_t bytes, uint64_t offset);

/* The answer has come: BYTES from OFFSET on (< 0: it failed). Returns the task that it is for, 0 if
 * it is unattributed. Any thread; guard held. */
uint32_t cup_async_request_end(struct cup_async_request *request, ssize_t bytes, int64_t offset);

/* The answer to an open has come: sets OPENED's task, and writes its record. Any thread; guard
 * held. */
void cup_async_request_opened(struct cup_async_request *request, struct cup_opened *opened);

/* Notes one piece of an answer, BYTES from OFFSET on, in the access extents. Call it after
 * cup_async_request_end(), on the same thread, once for each piece. Guard held. */
void cup_async_request_piece(const struct cup_async_request *request, uint64_t bytes,
                             uint64_t offset);

#endif
