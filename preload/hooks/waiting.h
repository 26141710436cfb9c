/* How a wrapper measures a call that may block, or that opens a file: begin, call, end. Most
 * wrappers of calls that may block are rows of WAIT_HOOK(); others write it out:
 *
 *     struct cup_wait room, *wait = begin_wait(&room, CUP_WAIT_SLEEP, CUP_WAITS);
 *     return end_wait(wait, CUP_REAL(nanosleep)(time, left));
 *
 * The call is an argument of end_wait(), so it runs after begin_wait() and before the wait ends.
 * ROOM lies on the wrapper's stack; WAIT is NULL if this call is not measured. */
#pragma once

#include "preload/coffea/coffea_calls.h"
#include "preload/dask/clock_calls.h"
#include "preload/io/opening.h"
#include "preload/io/transfer.h"
#include "preload/sys/hook_list.h"
#include "preload/waits/wait.h"

static inline struct cup_wait *begin_wait(struct cup_wait *room, enum cup_wait_class class,
                                          enum cup_wait_kind kind)
{
    return cup_wait_begin(room, class, kind) ? room : NULL;
}

static inline struct cup_wait *begin_lock_wait(struct cup_wait *room)
{
    return begin_wait(room, CUP_WAIT_LOCK, CUP_WAITS);
}

static inline void finish_wait(struct cup_wait *wait)
{
    if (__builtin_expect(wait != NULL, 0))
        cup_wait_end(wait);
}

/* Returns what the call returned. Keeps errno. */
static inline int end_wait(struct cup_wait *wait, int result)
{
    finish_wait(wait);
    return result;
}

/* The wrapper of the function NAME, which makes CALL. */
#define WAIT_HOOK(type, name, parameters, class, kind, call)                                       \
    CUP_HOOK type name parameters                                                                  \
    {                                                                                              \
        struct cup_wait room, *wait = begin_wait(&room, class, kind);                              \
        type result = call;                                                                        \
        finish_wait(wait);                                                                         \
        return result;                                                                             \
    }

/* Looking up a path, changing a directory or closing a file seldom blocks, but a remote file system
 * may take long to answer. */
#define DISK_HOOK(type, name, parameters, call)                                                    \
    WAIT_HOOK(type, name, parameters, CUP_WAIT_IO, CUP_MAY_WAIT, call)

#define LOCK_WAIT_HOOK(name, parameters, call)                                                     \
    WAIT_HOOK(int, name, parameters, CUP_WAIT_LOCK, CUP_WAITS, call)

/* ---- calls that open a file --------------------------------------------------------------- */

/* A call under way, on the stack of its wrapper: its start in ticks, and its wait for the file
 * system. */
struct open_call {
    uint64_t start;
    int by_tsc; /* the unit of the start: see cup_ticks_of() */
    struct cup_wait room, *wait;
};

/* PATH: as the program gives it. */
static inline void begin_open(struct open_call *call, const char *path)
{
    if (cup_coffea_may_look())
        cup_clock_call_before_open(path);
    call->by_tsc = cup_ticks_scale.use_tsc;
    call->start = cup_ticks();
    call->wait = begin_wait(&call->room, CUP_WAIT_IO, CUP_MAY_WAIT);
}

static inline void note_opened(const struct open_call *call, int fd, const char *path)
{
    if (cup_active())
        cup_opening_returned(fd, path, cup_ticks_of(call->start, call->by_tsc));
    else if (fd >= 0 && path)
        cup_child_opened(fd, path, call->start);
}

/* The call returned FD, or -1 and errno. PATH: NULL if the file's path is not known. Returns FD;
 * keeps errno. */
static inline int end_open(struct open_call *call, int fd, const char *path)
{
    end_wait(call->wait, fd);
    note_opened(call, fd, path);
    return fd;
}
