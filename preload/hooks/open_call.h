/* How a wrapper of open(), fopen() and their siblings records what was opened: begin, call, end. */
#ifndef CUPPING_PRELOAD_HOOKS_OPEN_CALL_H
#define CUPPING_PRELOAD_HOOKS_OPEN_CALL_H

#include "preload/hooks/waiting.h"
#include "preload/io/opening.h"

/* A call under way, on the stack of its wrapper: its start in ticks, and its wait for the file
 * system. */
struct open_call {
    uint64_t start;
    struct cup_wait room, *wait;
};

static inline void begin_open(struct open_call *call)
{
    call->start = cup_ticks();
    call->wait = begin_wait(&call->room, CUP_WAIT_IO, CUP_MAY_WAIT);
}

/* The call returned FD, or -1 and errno. PATH: NULL if the file's path is not known. Returns FD;
 * keeps errno. */
static inline int end_open(struct open_call *call, int fd, const char *path)
{
    end_wait(call->wait, fd);
    if (cup_active())
        cup_opening_returned(fd, path, call->start);
    return fd;
}

#endif
