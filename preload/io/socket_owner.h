/* Which task the bytes on a socket or a pipe belong to. Connections are kept and serve one task
 * after the other, so it says little which task opened one: the task that sent on it last counts.
 * exchange.h knows more about those that carry HTTP. */
#pragma once

#include "preload/attribution/helper.h"
#include "preload/io/transfer.h"

#include <stdbool.h>
#include <sys/types.h>

/* Bytes that one of Dask's own threads moves while it works for no task are Dask's own. */
static inline bool cup_owner_is_dask(const struct cup_owner *owner)
{
    return __builtin_expect(owner->method == CUP_METHOD_NONE, 0) && cup_helper_is_dask();
}

/* Bytes that Dask's servers send to each other are Dask's own, too, even on a connection that a
 * task opened: the client keeps it open, and the next task uses the same client. What a task's
 * thread or context received is not Dask's, although the bytes may be unattributed. */
static inline bool cup_socket_is_dask(const struct cup_transfer *transfer)
{
    return transfer->descriptor->peer == CUP_PEER_DASK ||
           (cup_owner_is_dask(&transfer->owner) && !transfer->disputed);
}

/* Call before a call on SOCKET, whose descriptor is FD. Returns the owner of the call. Also looks
 * up the peer, because that may be gone after the call. Changes errno; guard held. */
struct cup_owner cup_socket_find_owner(struct cup_descriptor *socket, int fd);

/* Call after a call on a socket or a pipe, which returned BYTES, moved TO or from the buffers of
 * cup_transfer_finish(): corrects the owner of those from OFFSET on. Returns how many of them
 * belong to that owner: fewer than all only if the call received answers to several requests. Guard
 * held.
 */
size_t cup_socket_correct_owner(struct cup_transfer *transfer, ssize_t bytes, const void *to,
                                int parts, size_t offset);
