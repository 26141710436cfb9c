/* Who is at the other end of a socket. Addresses are texts: "tcp://10.0.0.1:1094",
 * "tcp://[::1]:80", "udp://10.0.0.1:53", "unix:/run/x". All functions: any thread; they change
 * errno, allocate nothing, and need little stack. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

enum { CUP_PEER_LONGEST = 124 }; /* a Unix socket's path takes 108 */

/* Writes the address of FD's peer. Some peers have no address although the socket can be used:
 * "unix:" is the other end of a socketpair(), or a client that has not bound a name; "udp://" is a
 * socket that is not connected, and may send each datagram to another peer. False: not known,
 * because the connection is not established yet. */
bool cup_peer_address(int fd, char text[CUP_PEER_LONGEST]);

/* FD is a stream socket, connected or not. */
bool cup_peer_is_stream(int fd);

/* Writes ADDRESS (BYTES long) of a socket of TYPE (SOCK_STREAM, ...). */
void cup_peer_print(const struct sockaddr_storage *address, socklen_t bytes, int type,
                    char text[CUP_PEER_LONGEST]);

/* From now on connections with ADDRESS ("tcp://10.0.0.1:8786") at either end are Dask's own: it is
 * that of the scheduler or of a worker. Takes the log's lock. */
void cup_dask_address_add(const char *address);

/* True if ADDRESS was added before, with any scheme. Takes no lock. */
bool cup_dask_address_is_known(const char *address);

/* accept() returned FD (< 0: none). If an event loop of Dask's servers called it, writes the
 * address of FD's own end as an INFO record, once for each address. Keeps errno. */
void cup_peer_accepted(int fd);

/* Looks up the peer of SOCKET, whose descriptor is FD, unless it is known: sets SOCKET->peer, and
 * SOCKET->file to the peer's number. Guard held. */
struct cup_descriptor;
void cup_peer_look_up(struct cup_descriptor *socket, int fd);

/* Removes all addresses. Called in a forked child, and when a log is opened. */
void cup_peer_reset(void);
