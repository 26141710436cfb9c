/* Traced functions: called by tests/workloads/traced.py inside a task, once with the library and
 * once without. Each says in `text` all that a program can notice (results, errno, bytes), which
 * must be the same both times, and in `expected` what the library must have counted. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The file that is read: LINES lines "line 0000000000\n" of 16 bytes. */
enum { TRACE_LINE = 16, TRACE_LINES = 65536, TRACE_BYTES = TRACE_LINE * TRACE_LINES };

/* Names as in `cupping tasks --json`; traced.py prints them in this order. A value that stays -1
 * is not compared. ALLOC_BYTES and the calls are lower bounds: Python allocates as well. */
#define TRACE_EXPECTED(X)                                                                          \
    X(read_bytes)                                                                                  \
    X(read_calls)                                                                                  \
    X(write_bytes)                                                                                 \
    X(write_calls)                                                                                 \
    X(open_calls)                                                                                  \
    X(pipe_bytes)                                                                                  \
    X(recv_bytes)                                                                                  \
    X(recv_calls)                                                                                  \
    X(send_bytes)                                                                                  \
    X(send_calls)                                                                                  \
    X(socket_read_bytes)                                                                           \
    X(other_read_bytes)                                                                            \
    X(stdio_read_bytes)                                                                            \
    X(copied_bytes)                                                                                \
    X(alloc_bytes)                                                                                 \
    X(alloc_calls)                                                                                 \
    X(freed_bytes)                                                                                 \
    X(mapped_bytes)

/* How long the task's own thread was blocked, by class; traced.py sets them to -1. */
#define TRACE_WAITS(X)                                                                             \
    X(io_wait_ns)                                                                                  \
    X(gil_wait_ns)                                                                                 \
    X(lock_wait_ns)                                                                                \
    X(sleep_ns)                                                                                    \
    X(poll_wait_ns)

struct trace {
    const char *file;    /* to read */
    const char *scratch; /* a directory to write in */
    char *text;
    long room, used;
#define X(name) long name;
    TRACE_EXPECTED(X)
    TRACE_WAITS(X)
#undef X
};

enum { ERRNO_BEFORE = 4242 }; /* no call sets it */

static inline void say(struct trace *trace, const char *format, ...)
{
    int saved = errno;
    va_list arguments;
    va_start(arguments, format);
    trace->used += vsnprintf(trace->text + trace->used, (size_t)(trace->room - trace->used), format,
                             arguments);
    va_end(arguments);
    errno = saved;
}

/* Evaluates CALL with a known errno, and says its result and errno. */
#define SAY(trace, call)                                                                           \
    ({                                                                                             \
        errno = ERRNO_BEFORE;                                                                      \
        __auto_type result_ = (call);                                                              \
        say(trace, "%s: %ld errno %d\n", #call, (long)result_, errno);                             \
        result_;                                                                                   \
    })

/* The same for pointers, whose value differs from run to run. */
#define SAY_POINTER(trace, call)                                                                   \
    ({                                                                                             \
        errno = ERRNO_BEFORE;                                                                      \
        void *result_ = (call);                                                                    \
        say(trace, "%s: %s errno %d\n", #call, result_ ? "pointer" : "NULL", errno);               \
        result_;                                                                                   \
    })

/* Says the sum of the bytes that a call delivered. */
static inline void say_bytes(struct trace *trace, const void *buffer, size_t bytes)
{
    unsigned long sum = 5381;
    for (size_t i = 0; i < bytes; i++)
        sum = sum * 33 + ((const unsigned char *)buffer)[i];
    say(trace, "  bytes %lx\n", sum);
}

/* Descriptors and streams that the hooks did not see coming. */
static inline int quiet_open(const char *path, int flags)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0644);
}

static inline void quiet_close(int fd)
{
    syscall(SYS_close, fd);
}

/* What a counted read or write adds. */
static inline void expect_read(struct trace *trace, long bytes)
{
    trace->read_bytes += bytes;
    trace->read_calls++;
}

static inline void expect_get(struct trace *trace, long bytes)
{
    expect_read(trace, bytes);
    trace->stdio_read_bytes += bytes;
}

static inline void expect_receive(struct trace *trace, long bytes)
{
    trace->recv_bytes += bytes;
    trace->recv_calls++;
}

static inline void expect_send(struct trace *trace, long bytes)
{
    trace->send_bytes += bytes;
    trace->send_calls++;
}

static inline void expect_write(struct trace *trace, long bytes)
{
    trace->write_bytes += bytes;
    trace->write_calls++;
}
