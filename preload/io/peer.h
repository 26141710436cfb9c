/* Addresses of sockets as text: "tcp://10.0.0.1:1094", "tcp://[::1]:80", "udp://10.0.0.1:53",
 * "unix:/run/x". All functions: any thread; they change errno, allocate nothing, and need little
 * stack. */
#ifndef CUPPING_PRELOAD_IO_PEER_H
#define CUPPING_PRELOAD_IO_PEER_H

#include <stdbool.h>
#include <sys/socket.h>

enum { CUP_PEER_LONGEST = 124 }; /* a Unix socket's path takes 108 */

/* Writes the address of FD's peer. Some sockets are ready for use and their peer has no address:
 * "unix:" is a pair, or a client that did not name itself; "udp://" may send every datagram to
 * another peer. False: not known yet, because the connection does not stand. */
bool cup_peer_address(int fd, char text[CUP_PEER_LONGEST]);

/* FD is a stream socket, connected or not. */
bool cup_peer_is_stream(int fd);

/* The same for FD's own end. */
bool cup_peer_own(int fd, char text[CUP_PEER_LONGEST]);

/* The same for ADDRESS, which has BYTES, and the socket TYPE (SOCK_STREAM, ...). */
void cup_peer_print(const struct sockaddr_storage *address, socklen_t bytes, int type,
                    char text[CUP_PEER_LONGEST]);

#endif
