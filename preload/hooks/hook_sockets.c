/* Wrappers of calls on sockets; read() and write() on them are in hook_files.c. */
#include "preload/hooks/waiting.h"
#include "preload/io/connecting.h"
#include "preload/io/descriptor.h"
#include "preload/io/transfer.h"
#include "preload/sys/hook_list.h"
#include "preload/xrootd/xrootd.h"

#include <string.h>

/* The descriptor to count a receive for: none (-1) if it only peeks at bytes that stay in the
 * queue, or reads the report of an error. */
static int find_receiver(int fd, int flags)
{
    return flags & (MSG_PEEK | MSG_ERRQUEUE) ? -1 : fd;
}

/* With MSG_TRUNC the result is the length of the datagram, even where it did not fit. */
static ssize_t limit_to(ssize_t result, size_t room)
{
    return result > 0 && (size_t)result > room ? (ssize_t)room : result;
}

static ssize_t count_in_message(ssize_t result, const struct msghdr *message)
{
    size_t room = 0;
    for (size_t i = 0; result > 0 && i < message->msg_iovlen; i++)
        room += message->msg_iov[i].iov_len;
    return limit_to(result, room);
}

/* With MSG_TRUNC, TCP throws the bytes away. */
static const void *find_delivered(const void *buffer, int flags)
{
    return flags & MSG_TRUNC ? NULL : buffer;
}

static ssize_t count_in_messages(int count, const struct mmsghdr *messages)
{
    ssize_t bytes = count < 0 ? -1 : 0;
    for (int i = 0; i < count; i++)
        bytes += count_in_message((ssize_t)messages[i].msg_len, &messages[i].msg_hdr);
    return bytes;
}

static inline struct cup_transfer *begin_receive(struct cup_transfer *room, int fd, int flags)
{
    return cup_transfer_begin(room, CUP_RECEIVE, find_receiver(fd, flags));
}

/* For recvmsg() and sendmsg(). MESSAGE may be unreadable if the call failed. */
static inline ssize_t end_message(struct cup_transfer *transfer, ssize_t result,
                                  const struct msghdr *message, bool thrown_away)
{
    if (__builtin_expect(transfer == NULL, 1))
        return result;
    if (result > 0)
        cup_transfer_finish(transfer, count_in_message(result, message), CUP_AT_CURSOR,
                            thrown_away ? NULL : message->msg_iov, (int)message->msg_iovlen);
    else
        cup_transfer_finish(transfer, result, CUP_AT_CURSOR, NULL, 0);
    return result;
}

/* For recvmmsg() and sendmmsg(), which return the number of messages. */
static inline int end_messages(struct cup_transfer *transfer, int count,
                               const struct mmsghdr *messages)
{
    if (__builtin_expect(transfer != NULL, 0))
        cup_transfer_finish(transfer, count_in_messages(count, messages), CUP_AT_CURSOR, NULL, 0);
    return count;
}

/* ---- connected ---------------------------------------------------------------------------- */

/* A program reads SO_ERROR to learn that its connection is established, or why it is not. */
static void note_socket_error(int fd, int level, int name, const void *value, socklen_t bytes)
{
    int error;
    if (level != SOL_SOCKET || name != SO_ERROR || bytes < sizeof error)
        return;
    memcpy(&error, value, sizeof error);
    cup_connecting_noticed(fd, error);
}

CUP_HOOK int getsockopt(int fd, int level, int name, void *restrict value,
                        socklen_t *restrict bytes)
{
    int result = CUP_REAL(getsockopt)(fd, level, name, value, bytes);
    if (!result)
        note_socket_error(fd, level, name, value, *bytes);
    return result;
}

/* The code at CALLER connects FD. What XRootD's client receives is counted where it hands the bytes
 * out (hook_xrootd.c), so its sockets are marked. A process that records nothing and never opened a
 * file through the client does not look for the library that CALLER is in. */
static void mark_socket(int fd, const void *caller)
{
    bool asks = (cup_active() || cup_xrootd_seen) && !cup_self.guard;
    if (asks && cup_xrootd_connects(caller))
        cup_wire_add(fd);
    else
        cup_wire_remove(fd);
}

#define CONNECT_HOOK(name, call)                                                                   \
    CUP_HOOK int name(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes)                       \
    {                                                                                              \
        mark_socket(fd, __builtin_return_address(0));                                              \
        int by_tsc = cup_ticks_scale.use_tsc;                                                      \
        uint64_t start = cup_ticks();                                                              \
        struct cup_wait room, *wait = begin_wait(&room, CUP_WAIT_POLL, CUP_WAITS);                 \
        int result = end_wait(wait, call);                                                         \
        cup_connecting(fd, address.__sockaddr__, bytes, cup_ticks_of(start, by_tsc), result);      \
        return result;                                                                             \
    }

CONNECT_HOOK(connect, CUP_REAL(connect)(fd, address, bytes))
CONNECT_HOOK(__connect, CUP_CALL_OPTIONAL(__connect, fd, address, bytes))

/* ---- received ---------------------------------------------------------------------------- */

#define RECEIVE_HOOK(name, parameters, call)                                                       \
    CUP_HOOK ssize_t name parameters                                                               \
    {                                                                                              \
        struct cup_transfer room, *transfer = begin_receive(&room, fd, flags);                     \
        ssize_t result = call;                                                                     \
        cup_transfer_end(transfer, limit_to(result, bytes), CUP_AT_CURSOR,                         \
                         find_delivered(buffer, flags), 0);                                        \
        return result;                                                                             \
    }

RECEIVE_HOOK(recv, (int fd, void *buffer, size_t bytes, int flags),
             CUP_REAL(recv)(fd, buffer, bytes, flags))
RECEIVE_HOOK(__recv_chk, (int fd, void *buffer, size_t bytes, size_t capacity, int flags),
             CUP_CALL_OPTIONAL(__recv_chk, fd, buffer, bytes, capacity, flags))
RECEIVE_HOOK(recvfrom,
             (int fd, void *buffer, size_t bytes, int flags, __SOCKADDR_ARG address,
              socklen_t *address_bytes),
             CUP_REAL(recvfrom)(fd, buffer, bytes, flags, address, address_bytes))
RECEIVE_HOOK(__recvfrom_chk,
             (int fd, void *buffer, size_t bytes, size_t capacity, int flags,
              __SOCKADDR_ARG address, socklen_t *address_bytes),
             CUP_CALL_OPTIONAL(__recvfrom_chk, fd, buffer, bytes, capacity, flags, address,
                               address_bytes))

CUP_HOOK ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    struct cup_transfer room, *transfer = begin_receive(&room, fd, flags);
    ssize_t result = CUP_REAL(recvmsg)(fd, message, flags);
    return end_message(transfer, result, message, flags & MSG_TRUNC);
}

CUP_HOOK int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                      struct timespec *timeout)
{
    struct cup_transfer room, *transfer = begin_receive(&room, fd, flags);
    int result = CUP_REAL(recvmmsg)(fd, messages, count, flags, timeout);
    return end_messages(transfer, result, messages);
}

/* ---- sent -------------------------------------------------------------------------------- */

#define SEND_HOOK(name, parameters, call)                                                          \
    CUP_HOOK ssize_t name parameters                                                               \
    {                                                                                              \
        struct cup_transfer room, *transfer = cup_transfer_begin(&room, CUP_WRITE, fd);            \
        return cup_transfer_end(transfer, call, CUP_AT_CURSOR, buffer, 0);                         \
    }

SEND_HOOK(send, (int fd, const void *buffer, size_t bytes, int flags),
          CUP_REAL(send)(fd, buffer, bytes, flags))
SEND_HOOK(__send, (int fd, const void *buffer, size_t bytes, int flags),
          CUP_CALL_OPTIONAL(__send, fd, buffer, bytes, flags))
SEND_HOOK(sendto,
          (int fd, const void *buffer, size_t bytes, int flags, __CONST_SOCKADDR_ARG address,
           socklen_t address_bytes),
          CUP_REAL(sendto)(fd, buffer, bytes, flags, address, address_bytes))

CUP_HOOK ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct cup_transfer room, *transfer = cup_transfer_begin(&room, CUP_WRITE, fd);
    return end_message(transfer, CUP_REAL(sendmsg)(fd, message, flags), message, false);
}

CUP_HOOK int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    struct cup_transfer room, *transfer = cup_transfer_begin(&room, CUP_WRITE, fd);
    return end_messages(transfer, CUP_REAL(sendmmsg)(fd, messages, count, flags), messages);
}
