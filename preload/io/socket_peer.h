/* Who is at the other end of a socket. */
#ifndef CUPPING_PRELOAD_IO_SOCKET_PEER_H
#define CUPPING_PRELOAD_IO_SOCKET_PEER_H

#include "preload/io/descriptor.h"

/* Looks up the peer of SOCKET, whose descriptor is FD, unless it is known: sets SOCKET->peer, and
 * SOCKET->file to the peer's number. Any thread, guard held; changes errno. */
void cup_socket_look_up_peer(struct cup_descriptor *socket, int fd);

/* Called in a forked child, and when a log is opened. */
void cup_socket_peer_reset(void);

#endif
