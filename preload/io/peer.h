/* Addresses of sockets as text: "tcp://10.0.0.1:1094", "tcp://[::1]:80", "udp://10.0.0.1:53",
 * "unix:/run/x". All functions: any thread; they change errno, allocate nothing, and need little
 * stack. */
#ifndef CUPPING_PRELOAD_IO_PEER_H
#define CUPPING_PRELOAD_IO_PEER_H

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

/* Writes the address of FD's own end. False: it cannot be read. */
bool cup_peer_own(int fd, char text[CUP_PEER_LONGEST]);

/* Writes ADDRESS (BYTES long) of a socket of TYPE (SOCK_STREAM, ...). */
void cup_peer_print(const struct sockaddr_storage *address, socklen_t bytes, int type,
                    char text[CUP_PEER_LONGEST]);

#endif
