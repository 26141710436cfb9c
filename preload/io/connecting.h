/* How long it takes to connect to a server: from connect() until the program learns that the
 * connection stands. Most programs do not wait in connect(): they are woken when the socket can be
 * written, and ask for its error (SO_ERROR). That is when they learn it. Written as OPEN records.
 */
#ifndef CUPPING_PRELOAD_IO_CONNECTING_H
#define CUPPING_PRELOAD_IO_CONNECTING_H

#include <stdint.h>
#include <sys/socket.h>

/* A connect() of FD to ADDRESS that began at START (ticks) returned RESULT, and errno, which is
 * kept. */
void cup_connecting(int fd, const struct sockaddr *address, socklen_t bytes, uint64_t start,
                    int result);

/* The program asked for FD's error, and the answer was ERROR (0: none). */
void cup_connecting_noticed_slowly(int fd, int error);

/* FD is closed: if its connection does not stand yet, the program has given it up. */
void cup_connecting_closed_slowly(int fd);

/* Connections under way. While there are none, the two functions below cost one load. Both keep
 * errno. */
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

/* When a log is opened, and in a forked child. */
void cup_connecting_reset(void);

#endif
