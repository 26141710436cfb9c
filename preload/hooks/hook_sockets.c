/* Wrappers of calls on sockets; read() and write() on them are in hook_files.c. */
#include "preload/io/connecting.h"
#include "preload/io/transfer.h"
#include "preload/sys/hook_list.h"
#include "preload/xrootd/xrootd.h"

#include <string.h>

/* A look at what stays in the queue, or at an error's report, delivers nothing new. */
static int receiving(int fd, int flags)
{
    return flags & (MSG_PEEK | MSG_ERRQUEUE) ? -1 : fd;
}

/* With MSG_TRUNC the result is a datagram's length, whatever there was room for. */
static ssize_t within(ssize_t result, size_t room)
{
    return result > 0 && (size_t)result > room ? (ssize_t)room : result;
}

static ssize_t in_message(ssize_t result, const struct msghdr *message)
{
    size_t room = 0;
    for (size_t i = 0; result > 0 && i < message->msg_iovlen; i++)
        room += message->msg_iov[i].iov_len;
    return within(result, room);
}

static ssize_t in_messages(int count, const struct mmsghdr *messages)
{
    ssize_t bytes = count < 0 ? -1 : 0;
    for (int i = 0; i < count; i++)
        bytes += in_message((ssize_t)messages[i].msg_len, &messages[i].msg_hdr);
    return bytes;
}

#define RECEIVE(fd, flags, type, call, bytes)                                                      \
    CUP_TRANSFER(CUP_RECEIVE, receiving(fd, flags), CUP_AT_CURSOR, type, call, bytes, NULL, 0)

#define SEND(fd, type, call, bytes)                                                                \
    CUP_TRANSFER(CUP_WRITE, fd, CUP_AT_CURSOR, type, call, bytes, NULL, 0)

/* ---- connected ---------------------------------------------------------------------------- */

/* That is how a program is told that its connection stands, or why not. */
static int asked(int result, int fd, int level, int name, const void *value, const socklen_t *bytes)
{
    int error;
    if (result || level != SOL_SOCKET || name != SO_ERROR || *bytes < sizeof error)
        return result;
    memcpy(&error, value, sizeof error);
    cup_connecting_noticed(fd, error);
    return result;
}

CUP_HOOK int getsockopt(int fd, int level, int name, void *restrict value,
                        socklen_t *restrict bytes)
{
    return asked(CUP_REAL(getsockopt)(fd, level, name, value, bytes), fd, level, name, value,
                 bytes);
}

/* What XRootD's client receives is counted where it hands it out: hook_xrootd.c. To ask takes the
 * loader's lock: not in a process that never saw the client, which may be a fork of many threads.
 */
static void connects(int fd, const void *place)
{
    bool asks = (cup_active() || cup_xrootd_seen) && !cup_self.guard;
    if (asks && cup_xrootd_connects(place))
        cup_descriptor_wire(fd);
    else
        cup_descriptor_unwire(fd);
}

#define CONNECT(fd, address, bytes, call)                                                          \
    connects(fd, __builtin_return_address(0));                                                     \
    uint64_t start = cup_ticks();                                                                  \
    int result = CUP_WAITING(CUP_WAIT_POLL, CUP_WAITS, call);                                      \
    cup_connecting(fd, address, bytes, start, result);                                             \
    return result

CUP_HOOK int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes)
{
    CONNECT(fd, address.__sockaddr__, bytes, CUP_REAL(connect)(fd, address, bytes));
}

CUP_HOOK int __connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes)
{
    CONNECT(fd, address.__sockaddr__, bytes,
            CUP_HAVE(__connect) ? real___connect(fd, address, bytes) : cup_missing());
}

/* ---- received ---------------------------------------------------------------------------- */

CUP_HOOK ssize_t recv(int fd, void *buffer, size_t bytes, int flags)
{
    RECEIVE(fd, flags, ssize_t, CUP_REAL(recv)(fd, buffer, bytes, flags), within(result, bytes));
}

CUP_HOOK ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags)
{
    RECEIVE(fd, flags, ssize_t,
            CUP_HAVE(__recv_chk) ? real___recv_chk(fd, buffer, bytes, room, flags) : cup_missing(),
            within(result, bytes));
}

CUP_HOOK ssize_t recvfrom(int fd, void *buffer, size_t bytes, int flags, __SOCKADDR_ARG address,
                          socklen_t *address_bytes)
{
    RECEIVE(fd, flags, ssize_t,
            CUP_REAL(recvfrom)(fd, buffer, bytes, flags, address, address_bytes),
            within(result, bytes));
}

CUP_HOOK ssize_t __recvfrom_chk(int fd, void *buffer, size_t bytes, size_t room, int flags,
                                __SOCKADDR_ARG address, socklen_t *address_bytes)
{
    RECEIVE(fd, flags, ssize_t,
            CUP_HAVE(__recvfrom_chk)
                ? real___recvfrom_chk(fd, buffer, bytes, room, flags, address, address_bytes)
                : cup_missing(),
            within(result, bytes));
}

CUP_HOOK ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    RECEIVE(fd, flags, ssize_t, CUP_REAL(recvmsg)(fd, message, flags), in_message(result, message));
}

CUP_HOOK int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                      struct timespec *timeout)
{
    RECEIVE(fd, flags, int, CUP_REAL(recvmmsg)(fd, messages, count, flags, timeout),
            in_messages(result, messages));
}

/* ---- sent -------------------------------------------------------------------------------- */

CUP_HOOK ssize_t send(int fd, const void *buffer, size_t bytes, int flags)
{
    SEND(fd, ssize_t, CUP_REAL(send)(fd, buffer, bytes, flags), result);
}

CUP_HOOK ssize_t __send(int fd, const void *buffer, size_t bytes, int flags)
{
    SEND(fd, ssize_t, CUP_HAVE(__send) ? real___send(fd, buffer, bytes, flags) : cup_missing(),
         result);
}

CUP_HOOK ssize_t sendto(int fd, const void *buffer, size_t bytes, int flags,
                        __CONST_SOCKADDR_ARG address, socklen_t address_bytes)
{
    SEND(fd, ssize_t, CUP_REAL(sendto)(fd, buffer, bytes, flags, address, address_bytes), result);
}

CUP_HOOK ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    SEND(fd, ssize_t, CUP_REAL(sendmsg)(fd, message, flags), result);
}

CUP_HOOK int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    SEND(fd, int, CUP_REAL(sendmmsg)(fd, messages, count, flags), in_messages(result, messages));
}
