/* How many bytes this process read according to the kernel (rchar in /proc/self/io). The report
 * compares cupping's own count with it.
 *
 * When a process waits for a child that has ended, the kernel adds what the child read to the
 * process's count. So the bytes of children are recorded, too. */
#pragma once

#include "preload/log/log.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>

/* A row of the lifecycle table. */
void cup_kernel_log_opened(enum cup_log_size size);

/* The process ends. Called after everything else that reads. */
void cup_kernel_end(void);

/* Called before and after a call that waits for a child and reaps it (the wait() family).
 *
 * cup_kernel_reaping_begins() itself waits for the child, as long as the call would, but does not
 * reap it, so that the child's count can still be read. If the program has a handler of SIGCHLD
 * that might reap the child first, it does not wait, and only finds a child that has ended already:
 * the bytes of children that end later stay unknown. It returns false, with errno EINTR, if a
 * signal interrupted it; then the wrapped call must fail in the same way. Otherwise it keeps errno.
 *
 * REAPED: the child that the call reaped. cup_kernel_reaping_ends() keeps errno. */
struct cup_reaping {
    pid_t child;    /* a child that has ended; 0: none was found */
    uint64_t bytes; /* that the child read; CUP_UNKNOWN64: its /proc entry is not readable */
    /* Set only if `bytes` is unknown: */
    uint64_t before; /* this process's count before the call */
    uint64_t own;    /* bytes that the library itself had read before the call */
};
bool cup_kernel_reaping_begins(struct cup_reaping *reaping, idtype_t type, id_t id, int options);
void cup_kernel_reaping_ends(const struct cup_reaping *reaping, pid_t reaped);
