/* Requests to XRootD's client whose answer goes to a handler (XrdCl::ResponseHandler), usually on
 * another thread. The client is given a handler of ours instead: it looks at the answer, counts it,
 * and hands it on to the user's. Until the answer comes, a request counts as a helper of its task
 * that waits for a file: if the task itself waits for a lock, that wait is counted as I/O. */
#pragma once

#include "preload/io/opening.h"
#include "preload/io/server_requests.h"
#include "preload/xrootd/xrootd.h"
#include "preload/xrootd/xrootd_methods.h"

/* Stands in for the user's handler until the answer has come. A forked child keeps the requests of
 * its parent: their answers may still come, and are handed on, but count for no task of the child.
 */
struct request {
    struct handler handler; /* first: it is what XRootD calls */
    uint32_t sequence;      /* odd: in use */
    uint32_t log;           /* in which its task is: cup_xrootd_log() */
    uint8_t method, abi;
    struct handler *users;
    const void *object;         /* XrdCl::File that reads, or opens a file */
    uint64_t bytes, offset;     /* requested */
    struct cup_descriptor file; /* as it was when the request was made */
    struct cup_server_request_out sent;
    uint32_t task, epoch; /* of its owner: see struct cup_owner; task 0: unattributed */
    uint32_t node;        /* the stack that made it; 0: not recorded */
    enum cup_method attribution;
    uint64_t start; /* ticks */
    uint64_t since; /* what cup_helper_wait_enters() returned */
};

/* Returns the handler to pass to the client instead of USERS, and sets *MADE to its request. If the
 * request is not counted, that is USERS itself, and *MADE is NULL. FILE: the file that is read; for
 * an open an empty one; NULL: do not count. OBJECT: the XrdCl::File. Keeps errno. */
struct handler *cup_xrootd_prepare(struct request **made, const struct place *place,
                                   struct cup_descriptor *file, const void *object,
                                   struct handler *users, uint64_t bytes, uint64_t offset);

/* The call that made REQUEST (NULL: none) returned STATUS. SEQUENCE: of the request when it was
 * made: the answer may have come by now, and the request may serve another call. A refused request
 * gets no answer: it is counted as failed. Keeps errno. */
void cup_xrootd_submitted(struct request *request, uint32_t sequence, const struct status *status);

/* The error of a status: the server's error number if the server refused, else the client's code;
 * 0: none. */
uint32_t cup_xrootd_error(const struct status *status);

/* A method that reads OBJECT, an XrdCl::File, and waits for the answer. The first function is
 * called before it, when TRANSFER has begun, the second after it, when TRANSFER has ended. If the
 * method failed or was slow, the client may have gone on to another server: then OBJECT is asked
 * for its server. Both keep errno. */
struct cup_server_request_out cup_xrootd_fetch_begins(const struct cup_transfer *transfer,
                                                      const void *object);
void cup_xrootd_fetch_ended(const struct cup_transfer *transfer, struct cup_server_request_out sent,
                            const struct place *place, const void *object,
                            const struct status *status, ssize_t bytes);

/* The same as the second function for a method that closes OBJECT, or asks for its size. Keeps
 * errno.
 */
void cup_xrootd_asked(const struct cup_transfer *transfer, struct cup_server_request_out sent,
                      const struct status *status);

/* Asks OBJECT, of which PLACE leads to a method, for the server that it is open at. Returns the id
 * of its name; 0: not known. Guard held. */
enum { CUP_XROOTD_HOST = 128 };
uint32_t cup_xrootd_learn_server(const struct place *place, const void *object);

/* OBJECT's open has just ended with STATUS: fills in OPENED, and URL for its path. False: the file
 * is local, and its open() is timed. Guard held. */
bool cup_xrootd_opening(struct cup_opened *opened, const void *object, const struct status *status,
                        char url[CUP_XROOTD_URL]);

/* TRANSFER, which has ended, delivered a piece to DATA: notes it in the access extents, and looks
 * for baskets in it. Guard held. */
void cup_xrootd_piece(const struct cup_transfer *transfer, const void *data, size_t bytes,
                      uint64_t offset);
