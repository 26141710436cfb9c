/* Requests to XRootD's client that have a handler, which is told of the answer: an object of our
 * own goes in its place, looks at the answer, counts it, and hands it on. */
#ifndef CUPPING_PRELOAD_XROOTD_XROOTD_REQUESTS_H
#define CUPPING_PRELOAD_XROOTD_XROOTD_REQUESTS_H

#include "preload/io/async_request.h"
#include "preload/io/opening.h"
#include "preload/xrootd/xrootd.h"
#include "preload/xrootd/xrootd_abi.h"
#include "preload/xrootd/xrootd_methods.h"

/* Takes the place of the user's handler until the answer has come. In a forked child those of its
 * parent stay as they are: their answers may still come, and count for no task of the child. */
struct request {
    struct handler handler; /* first: it is what XRootD calls */
    uint32_t sequence;      /* odd: in use */
    uint32_t log;           /* that its task is of: cup_xrootd_log() */
    uint8_t method, abi;
    struct handler *users;
    const void *object;     /* that was to open a file */
    uint64_t bytes, offset; /* asked for */
    struct cup_async_request async;
};

/* What goes in place of USERS: itself, if the request is not to be counted; then *MADE is NULL.
 * FILE: NULL then; else that which is read, or an empty one for OBJECT, which is to be opened. */
struct handler *cup_xrootd_prepare(struct request **made, const struct place *place,
                                   struct cup_descriptor *file, const void *object,
                                   struct handler *users, uint64_t bytes, uint64_t offset);

/* The call is back with that status. SEQUENCE: that of the request when it was made. One that was
 * refused has no answer, and its handler stays the user's. */
void cup_xrootd_submitted(struct request *request, uint32_t sequence, const struct status *status);

/* Fills in what is known of OBJECT's opening, which has just ended. False: it is not timed here. */
bool cup_xrootd_opening(struct cup_opened *opened, const void *object, const struct status *status,
                        char url[CUP_XROOTD_URL]);

#endif
