/* The other end of a socket, as an address to read: "tcp://10.0.0.1:1094", "tcp://[::1]:80",
 * "udp://10.0.0.1:53", "unix:/run/x". */
#ifndef CUPPING_PRELOAD_IO_PEER_H
#define CUPPING_PRELOAD_IO_PEER_H

#include <stdbool.h>
#include <sys/socket.h>

enum { CUP_PEER_LONGEST = 124 }; /* a Unix socket's path takes 108 */

/* Writes the address of FD's peer. Sockets that have none, though they are ready for use: "unix:"
 * (a pair, or a client that did not name itself), "udp://" (every datagram may have another).
 * False: not known yet, as before a connection stands. Changes errno; allocates nothing, and needs
 * little stack. */
bool cup_peer_address(int fd, char text[CUP_PEER_LONGEST]);

/* A connection, or what may become one. Changes errno. */
bool cup_peer_is_stream(int fd);

/* FD's own end, likewise. */
bool cup_peer_own(int fd, char text[CUP_PEER_LONGEST]);

/* The same of an address at hand; TYPE: SOCK_STREAM, ... */
void cup_peer_print(const struct sockaddr_storage *address, socklen_t bytes, int type,
                    char text[CUP_PEER_LONGEST]);

#endif
