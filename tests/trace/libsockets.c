/* Every hook of sockets by its own name (see try.h), and what connections of each kind carry. */
#include "tests/trace/try.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { BUFFER = 4096 };
static char buffer[BUFFER];

static void quiet_pair(int type, int ends[2])
{
    if (syscall(SYS_socketpair, AF_UNIX, type, 0, ends))
        abort();
}

/* Fills the buffer with 'a', 'b', ... and sends it past all hooks. */
static void quiet_send(int fd, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buffer[i] = (char)('a' + i % 26);
    if (syscall(SYS_write, fd, buffer, bytes) != bytes)
        abort();
    memset(buffer, 0, sizeof buffer);
}

static void quiet_drain(int fd)
{
    char drain[BUFFER];
    while (syscall(SYS_recvfrom, fd, drain, sizeof drain, MSG_DONTWAIT, NULL, NULL) > 0)
        ;
}

/* ---- received ----------------------------------------------------------------------------------
 */

/* Of 150 bytes 100 that are looked at first, then 50; nothing more; the end; no socket. */
#define TRY_RECEIVE(name, ...)                                                                     \
    TRY(name)                                                                                      \
    {                                                                                              \
        int ends[2], flags = MSG_PEEK;                                                             \
        struct iovec parts[2] = {{buffer, 40}, {buffer + 1000, 60}};                               \
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};                               \
        (void)message;                                                                             \
        quiet_pair(SOCK_STREAM, ends);                                                             \
        int fd = ends[0];                                                                          \
        quiet_send(ends[1], 150);                                                                  \
        SAY(trace, call(__VA_ARGS__));                                                             \
        flags = MSG_DONTWAIT;                                                                      \
        expect_receive(trace, SAY(trace, call(__VA_ARGS__)));                                      \
        say_bytes(trace, buffer, sizeof buffer);                                                   \
        expect_receive(trace, SAY(trace, call(__VA_ARGS__)));                                      \
        SAY(trace, call(__VA_ARGS__));                                                             \
        quiet_close(ends[1]);                                                                      \
        expect_receive(trace, SAY(trace, call(__VA_ARGS__)));                                      \
        close(fd);                                                                                 \
        SAY(trace, call(__VA_ARGS__));                                                             \
        fd = quiet_open(trace->file, O_RDONLY);                                                    \
        SAY(trace, call(__VA_ARGS__));                                                             \
        close(fd);                                                                                 \
    }
TRY_RECEIVE(recv, fd, buffer, 100, flags)
TRY_RECEIVE(__recv_chk, fd, buffer, 100, BUFFER, flags)
TRY_RECEIVE(recvfrom, fd, buffer, 100, flags, NULL, NULL)
TRY_RECEIVE(__recvfrom_chk, fd, buffer, 100, BUFFER, flags, NULL, NULL)
TRY_RECEIVE(recvmsg, fd, &message, flags)

/* Three datagrams, of which two fit and the last is longer than its room. */
TRY(recvmmsg)
{
    int ends[2];
    struct iovec parts[3] = {{buffer, 100}, {buffer + 100, 100}, {buffer + 200, 20}};
    struct mmsghdr messages[3] = {0};
    for (int i = 0; i < 3; i++)
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
    quiet_pair(SOCK_DGRAM, ends);
    for (int i = 0; i < 3; i++)
        quiet_send(ends[1], 30 + i);
    SAY(trace, call(ends[0], messages, 2, MSG_PEEK | MSG_DONTWAIT, NULL));
    SAY(trace, call(ends[0], messages, 3, MSG_DONTWAIT | MSG_TRUNC, NULL));
    expect_receive(trace, 30 + 31 + 20);
    say_bytes(trace, buffer, 300);
    say(trace, "%u %u %u\n", messages[0].msg_len, messages[1].msg_len, messages[2].msg_len);
    SAY(trace, call(ends[0], messages, 3, MSG_DONTWAIT, NULL));
    SAY(trace, call(ends[0], NULL, 3, MSG_DONTWAIT, NULL));
    close(ends[0]);
    close(ends[1]);
    SAY(trace, call(-1, messages, 3, 0, NULL));
}

/* ---- sent --------------------------------------------------------------------------------------
 */

#define TRY_SEND(name, ...)                                                                        \
    TRY(name)                                                                                      \
    {                                                                                              \
        int ends[2], flags = MSG_NOSIGNAL;                                                         \
        struct iovec parts[2] = {{buffer, 40}, {buffer + 1000, 60}};                               \
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};                               \
        (void)message;                                                                             \
        quiet_pair(SOCK_STREAM, ends);                                                             \
        int fd = ends[0];                                                                          \
        expect_send(trace, SAY(trace, call(__VA_ARGS__)));                                         \
        expect_send(trace, SAY(trace, call(__VA_ARGS__)));                                         \
        quiet_drain(ends[1]);                                                                      \
        quiet_close(ends[1]);                                                                      \
        SAY(trace, call(__VA_ARGS__));                                                             \
        close(fd);                                                                                 \
        SAY(trace, call(__VA_ARGS__));                                                             \
        fd = quiet_open(trace->file, O_RDONLY);                                                    \
        SAY(trace, call(__VA_ARGS__));                                                             \
        close(fd);                                                                                 \
    }
TRY_SEND(send, fd, buffer, 100, flags)
TRY_SEND(__send, fd, buffer, 100, flags)
TRY_SEND(sendto, fd, buffer, 100, flags, NULL, 0)
TRY_SEND(sendmsg, fd, &message, flags)

TRY(sendmmsg)
{
    int ends[2];
    struct iovec parts[2] = {{buffer, 40}, {buffer + 1000, 60}};
    struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = parts, .msg_iovlen = 2}},
                                  {.msg_hdr = {.msg_iov = parts, .msg_iovlen = 1}}};
    quiet_pair(SOCK_DGRAM, ends);
    SAY(trace, call(ends[0], messages, 2, 0));
    expect_send(trace, 140);
    say(trace, "%u %u\n", messages[0].msg_len, messages[1].msg_len);
    SAY(trace, call(ends[0], NULL, 2, 0));
    quiet_close(ends[1]);
    SAY(trace, call(ends[0], messages, 2, MSG_NOSIGNAL));
    close(ends[0]);
    SAY(trace, call(-1, messages, 2, 0));
}

/* ---- connections -------------------------------------------------------------------------------
 */

union address {
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
    struct sockaddr_un local;
    struct sockaddr_storage room;
};

static union address loopback(int family)
{
    union address address = {.any = {.sa_family = (sa_family_t)family}};
    if (family == AF_INET)
        address.ipv4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else
        address.ipv6.sin6_addr = in6addr_loopback;
    return address;
}

/* A bound socket of the kind, and its address. */
static int bound(int type, union address *address, socklen_t bytes)
{
    int fd = socket(address->any.sa_family, type, 0);
    if (fd < 0 || bind(fd, &address->any, bytes))
        return -1;
    getsockname(fd, &address->any, &bytes);
    return fd;
}

/* A connection from ENDS[0] to ENDS[1] over a listening socket; false if it cannot be had. */
static bool connected(union address address, socklen_t bytes, int ends[2])
{
    int listening = bound(SOCK_STREAM, &address, bytes);
    ends[0] = socket(address.any.sa_family, SOCK_STREAM, 0);
    if (listening < 0 || listen(listening, 1) || connect(ends[0], &address.any, bytes))
        return false;
    ends[1] = accept(listening, NULL, NULL);
    close(listening);
    return ends[1] >= 0;
}

/* Everything that a program may do to a connection; 1,000 bytes in 5 calls each way. */
static void use_connection(struct trace *trace, const int ends[2])
{
    struct iovec parts[3] = {{buffer, 10}, {buffer + 100, 20}, {buffer + 200, 170}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
    memset(buffer, 'x', sizeof buffer);
    expect_send(trace, SAY(trace, send(ends[0], buffer, 200, 0)));
    SAY(trace, dup2(ends[0], ends[0]) - ends[0]); /* still the same connection */
    expect_send(trace, SAY(trace, write(ends[0], buffer, 200)));
    expect_send(trace, SAY(trace, writev(ends[0], parts, 3)));
    expect_send(trace, SAY(trace, sendmsg(ends[0], &message, 0)));
    expect_send(trace, SAY(trace, sendto(ends[0], buffer, 200, 0, NULL, 0)));
    SAY(trace, recv(ends[1], buffer, 1000, MSG_PEEK | MSG_WAITALL));
    expect_receive(trace, SAY(trace, recv(ends[1], buffer, 200, MSG_WAITALL)));
    expect_receive(trace, SAY(trace, read(ends[1], buffer, 200)));
    expect_receive(trace, SAY(trace, readv(ends[1], parts, 3)));
    expect_receive(trace, SAY(trace, recvmsg(ends[1], &message, MSG_WAITALL)));
    expect_receive(trace, SAY(trace, recvfrom(ends[1], buffer, 200, MSG_WAITALL, NULL, NULL)));
    trace->socket_read_bytes += 400;
    close(ends[0]);
    close(ends[1]);
}

/* Prints what became of a connect() on a non-blocking socket: connected, or refused because no
 * program listens there. */
static void ask(struct trace *trace, __typeof__(getsockopt) *call, bool listens)
{
    union address address = loopback(AF_INET);
    int server = bound(SOCK_STREAM, &address, sizeof address.ipv4), error = 77;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    socklen_t bytes = sizeof error, none = 0, two = 2;
    if (listens)
        listen(server, 1);
    SAY(trace, connect(fd, &address.any, sizeof address.ipv4));
    SAY(trace, poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, 5000));
    SAY(trace, call(fd, SOL_SOCKET, SO_ERROR, NULL, &none));
    SAY(trace, call(fd, SOL_SOCKET, SO_ERROR, NULL, &bytes));
    SAY(trace, call(fd, SOL_SOCKET, SO_ERROR, &error, &bytes));
    say(trace, "%d of %u bytes\n", error, bytes);
    SAY(trace, call(fd, SOL_SOCKET, SO_ERROR, &error, &two));
    SAY(trace, call(fd, SOL_SOCKET, SO_TYPE, &error, &bytes));
    SAY(trace, connect(fd, &address.any, sizeof address.ipv4));
    close(fd);
    close(server);
    SAY(trace, call(fd, SOL_SOCKET, SO_ERROR, &error, &bytes));
}

/* A client that waits until it can send, and never asks whether the connection was made. */
void connection_whose_outcome_is_not_asked_for(struct trace *trace)
{
    union address address = loopback(AF_INET);
    int server = bound(SOCK_STREAM, &address, sizeof address.ipv4);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    listen(server, 1);
    SAY(trace, connect(fd, &address.any, sizeof address.ipv4));
    SAY(trace, poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, 5000));
    expect_send(trace, SAY(trace, send(fd, "12345", 5, 0)));
    close(fd);
    close(server);
}

TRY(getsockopt)
{
    ask(trace, call, true);
    ask(trace, call, false);
}

void tcp_over_ipv4(struct trace *trace)
{
    int ends[2];
    if (connected(loopback(AF_INET), sizeof(struct sockaddr_in), ends))
        use_connection(trace, ends);
}

void tcp_over_ipv6(struct trace *trace)
{
    int ends[2];
    if (connected(loopback(AF_INET6), sizeof(struct sockaddr_in6), ends))
        use_connection(trace, ends);
    else
        say(trace, "no IPv6 here\n");
}

/* The client names itself nothing, the server is known by its path. */
void unix_connection(struct trace *trace)
{
    int ends[2];
    union address address = {.local = {.sun_family = AF_UNIX}};
    snprintf(address.local.sun_path, sizeof address.local.sun_path, "%s/s", trace->scratch);
    if (connected(address, sizeof(struct sockaddr_un), ends))
        use_connection(trace, ends);
    else
        say(trace, "no Unix sockets here\n");
    unlink(address.local.sun_path);
}

/* A hundred pairs, as event loops make them to wake themselves up. */
void many_unix_pairs(struct trace *trace)
{
    for (int i = 0; i < 100; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
            return;
        expect_send(trace, send(ends[0], "", 1, 0));
        expect_receive(trace, recv(ends[1], buffer, 4096, 0));
        close(ends[0]);
        close(ends[1]);
    }
}

/* One end is connected, the other takes what comes. A datagram longer than its room is delivered as
 * far as it goes. */
void datagrams(struct trace *trace)
{
    union address address = loopback(AF_INET), from;
    socklen_t bytes = sizeof from;
    int server = bound(SOCK_DGRAM, &address, sizeof address.ipv4);
    int client = socket(AF_INET, SOCK_DGRAM, 0);
    if (connect(client, &address.any, sizeof address.ipv4))
        return;
    expect_send(trace, SAY(trace, send(client, buffer, 300, 0)));
    expect_receive(trace, SAY(trace, recvfrom(server, buffer, 1000, 0, &from.any, &bytes)));
    expect_send(trace, SAY(trace, sendto(server, buffer, 500, 0, &from.any, bytes)));
    SAY(trace, recv(client, buffer, 200, MSG_TRUNC));
    expect_receive(trace, 200);
    close(client);
    close(server);
}

/* To nobody: a datagram of one byte to each of 1,100 ports. */
void more_peers_than_places(struct trace *trace)
{
    union address address = loopback(AF_INET);
    for (int port = 20000; port < 21100; port++) {
        int fd = socket(AF_INET, SOCK_DGRAM, 0);
        address.ipv4.sin_port = htons((uint16_t)port);
        if (connect(fd, &address.any, sizeof address.ipv4))
            say(trace, "port %d: errno %d\n", port, errno);
        expect_send(trace, send(fd, "", 1, 0));
        close(fd);
    }
}

/* ---- copies ------------------------------------------------------------------------------------
 */

static void expect_copy(struct trace *trace, long bytes)
{
    expect_read(trace, bytes);
    trace->copied_bytes += bytes;
}

void sendfile_to_a_socket(struct trace *trace)
{
    int ends[2], fd = quiet_open(trace->file, O_RDONLY);
    off_t at = 1600;
    if (!connected(loopback(AF_INET), sizeof(struct sockaddr_in), ends))
        return;
    expect_copy(trace, SAY(trace, sendfile(ends[0], fd, &at, 1000)));
    expect_send(trace, 1000);
    expect_copy(trace, SAY(trace, sendfile(ends[0], fd, NULL, 500)));
    expect_send(trace, 500);
    say(trace, "offset %ld\n", (long)at);
    expect_receive(trace, SAY(trace, recv(ends[1], buffer, 1500, MSG_WAITALL)));
    say_bytes(trace, buffer, 1500);
    close(ends[0]);
    close(ends[1]);
    close(fd);
}

/* File, pipe, socket; and from the socket through the pipe into a file. */
void splice_to_a_socket(struct trace *trace)
{
    int ends[2], through[2], fd = quiet_open(trace->file, O_RDONLY);
    int copy = quiet_open(scratch_file(trace, "spliced"), O_RDWR | O_CREAT | O_TRUNC);
    if (!connected(loopback(AF_INET), sizeof(struct sockaddr_in), ends) || pipe(through))
        return;
    expect_copy(trace, SAY(trace, splice(fd, NULL, through[1], NULL, 1000, 0)));
    trace->pipe_bytes += SAY(trace, splice(through[0], NULL, ends[0], NULL, 1000, 0));
    expect_send(trace, 1000);
    SAY(trace, poll(&(struct pollfd){.fd = ends[1], .events = POLLIN}, 1, 5000));
    expect_receive(trace, SAY(trace, splice(ends[1], NULL, through[1], NULL, 1000, 0)));
    trace->pipe_bytes += SAY(trace, splice(through[0], NULL, copy, NULL, 1000, 0));
    expect_write(trace, 1000);
    expect_read(trace, SAY(trace, pread(copy, buffer, BUFFER, 0)));
    say_bytes(trace, buffer, 1000);
    for (int i = 0; i < 2; i++) {
        close(ends[i]);
        close(through[i]);
    }
    close(copy);
    close(fd);
}

/* ---- streams -----------------------------------------------------------------------------------
 */

/* What stdio hands out of a socket is received, but libc's refill is what the kernel sees. */
void stream_of_a_socket(struct trace *trace)
{
    int ends[2];
    quiet_pair(SOCK_STREAM, ends);
    quiet_send(ends[1], 100);
    FILE *stream = fdopen(ends[0], "r");
    expect_receive(trace, SAY(trace, fread(buffer, 1, 60, stream)));
    expect_receive(trace, SAY(trace, getc(stream)) != EOF);
    trace->stdio_read_bytes += 61;
    fclose(stream);
    close(ends[1]);
}
