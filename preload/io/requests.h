/* Requests to servers: which connection has one out, whose it is, and when its answer arrives. A
 * request begins with the first send after the last answer. Whether more of an answer is to come is
 * not known in general (TLS), so each part that arrives shows that the request was out until then.
 * Until then its task waited for the server, as far as its own thread was blocked: see
 * helper_wait.h. */
#pragma once

#include "preload/io/transfer.h"

/* A call on a socket, whose owner is known and whose wait has ended, returned BYTES; if they are <
 * 0, ERROR. Guard held. */
void cup_request_moved(const struct cup_transfer *transfer, ssize_t bytes, int error);

/* SOCKET is about to be closed, or refers to another file from now on. Keeps errno. */
void cup_request_closed(struct cup_descriptor *socket);

/* Rows of the lifecycle table. */
void cup_request_reset(void);
void cup_request_task_ended(uint32_t task);
void cup_request_process_ends(void);
