/* What the kernel says this process read (rchar of /proc/self/io): ours is checked against it.
 *
 * The kernel adds what a child read to its parent's count at the moment the parent waits for it,
 * so that is looked at as well. */
#ifndef CUPPING_PRELOAD_LIFECYCLE_KERNEL_COUNT_H
#define CUPPING_PRELOAD_LIFECYCLE_KERNEL_COUNT_H

#include "preload/log/log.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>

/* A row of the lifecycle table. */
void cup_kernel_log_opened(enum cup_log_size size);

/* The process ends: after all else that reads. */
void cup_kernel_end(void);

/* Around a call that waits for a child and reaps it. Begin waits as long as the call would, and
 * leaves the child to it. Where a handler of SIGCHLD might take the child first, it only looks for
 * one that has ended already; what others read is not known. False: a signal interrupted that, and
 * the call has failed (EINTR). End is told which child was reaped. Both keep errno otherwise. */
struct cup_reaping {
    pid_t child;    /* has ended; 0: none was found */
    uint64_t bytes; /* that it read; CUP_UNKNOWN64: the kernel does not tell */
    uint64_t before, own;
};
bool cup_kernel_reaping_begins(struct cup_reaping *reaping, idtype_t type, id_t id, int options);
void cup_kernel_reaping_ends(const struct cup_reaping *reaping, pid_t reaped);

#endif
