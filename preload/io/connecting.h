/* How long it takes to connect to a server, from connect() until the program learns that the
 * connection is established. Most sockets are non-blocking: connect() returns at once, poll() wakes
 * the program when the socket can be written, and the program reads SO_ERROR. That is the moment
 * when it learns the result. The times are written as OPEN records. */
#pragma once

#include <stdint.h>
#include <sys/socket.h>

/* connect() of FD to ADDRESS (BYTES long) began at START (ticks) and returned RESULT and errno.
 * Keeps errno. */
void cup_connecting(int fd, const struct sockaddr *address, socklen_t bytes, uint64_t start,
                    int result);

/* The program read FD's SO_ERROR, which was ERROR (0: no error). */
void cup_connecting_noticed_slowly(int fd, int error);

/* FD is about to be closed. If its connection is not established yet, it is recorded as given up
 * (ECANCELED). */
void cup_connecting_closed_slowly(int fd);

/* All descriptors from FIRST to LAST are about to be closed. */
void cup_connecting_closed_range_slowly(unsigned first, unsigned last);

/* Number of connections that are being established. While it is 0, the functions below cost one
 * load. They keep errno. */
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
static inline void cup_connecting_closed_range(unsigned first, unsigned last)
{
    if (__builtin_expect(cup_connecting_count != 0, 0))
        cup_connecting_closed_range_slowly(first, last);
}

/* Called when a log is opened, and in a forked child. */
void cup_connecting_reset(void);
