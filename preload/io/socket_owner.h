/* Whose bytes on a socket or a pipe are. Connections are kept and serve one task after the other,
 * so the task that opened one says little: what counts is who sent on it last. */
#ifndef CUPPING_PRELOAD_IO_SOCKET_OWNER_H
#define CUPPING_PRELOAD_IO_SOCKET_OWNER_H

#include "preload/attribution/helper.h"
#include "preload/io/transfer.h"

#include <stdbool.h>
#include <sys/types.h>

/* What a thread of Dask itself moves for no task is Dask's own. */
static inline bool cup_owner_is_dask(const struct cup_owner *owner)
{
    return __builtin_expect(owner->method == CUP_METHOD_NONE, 0) && cup_helper_is_dask();
}

/* So is what Dask's servers send to each other, whoever opened the connection: a client that a task
 * made keeps it, and the next task uses the same client. */
static inline bool cup_socket_is_dask(const struct cup_transfer *transfer)
{
    return transfer->descriptor->peer == CUP_PEER_DASK || cup_owner_is_dask(&transfer->owner);
}

/* The owner of a call on SOCKET, which is FD, before the call: looks up its peer as well, for that
 * may be gone afterwards. Changes errno; guard held. */
struct cup_owner cup_socket_find_owner(struct cup_descriptor *socket, int fd);

/* After the call, which returned BYTES: corrects the owner of a call on a socket or a pipe. Guard
 * held. */
void cup_socket_correct_owner(struct cup_transfer *transfer, ssize_t bytes);

#endif
