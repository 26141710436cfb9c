/* How long it takes to connect to a server: from connect() until the program was told that the
 * connection stands. Most connect without waiting, are woken when the socket can be written, and
 * ask for its error (SO_ERROR): that is when they are told. OPEN records. */
#ifndef CUPPING_PRELOAD_IO_CONNECTING_H
#define CUPPING_PRELOAD_IO_CONNECTING_H

#include <stdint.h>
#include <sys/socket.h>

/* FD was asked at START (ticks) to connect to ADDRESS; the call returned RESULT, and errno, which
 * is kept. */
void cup_connecting(int fd, const struct sockaddr *address, socklen_t bytes, uint64_t start,
                    int result);

/* The program asked for FD's error, and was told it. */
void cup_connecting_noticed_slowly(int fd, int error);

/* FD is closed: a connection that did not stand yet was given up. */
void cup_connecting_closed_slowly(int fd);

/* Connections that were asked for and do not stand yet. Without any the two cost a load. */
extern uint32_t cup_connecting_count;
static inline void cup_connecting_noticed(int fd, int error)
{
    if (__builtin_expect(cup_connecting_count != 0, 0))
        cup_connecting_noticed_slowly(fd, error);
}
static inline void cup_connecting_closed(int fd)
{
    if (__builtin_expect(cup_connecting_count != 0, 0))
        cup_connecting_closed_slowly(fd);
}

/* A new log, or a forked child. */
void cup_connecting_reset(void);

#endif
