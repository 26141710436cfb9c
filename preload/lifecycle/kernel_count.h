/* How many bytes this process read according to the kernel (rchar in /proc/self/io). The report
 * compares cupping's own count with it.
 *
 * When a process waits for a child that has ended, the kernel adds what the child read to the
 * process's count. So the bytes of children are recorded, too. */
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

/* Around a call that waits for a child and reaps it. Begin waits as long as the call would, but
 * does not reap the child. Where a handler of SIGCHLD might reap the child first, begin only looks
 * for one that has ended already; then the bytes of children that end later stay unknown. Begin
 * returns false if a signal interrupted it: the call has failed with EINTR. REAPED: the child that
 * the call reaped. Both keep errno otherwise. */
struct cup_reaping {
    pid_t child;     /* one that has ended; 0: none was found */
    uint64_t bytes;  /* that it read; CUP_UNKNOWN64: its /proc entry may not be read, then: */
    uint64_t before; /* the count of this process before the call */
    uint64_t own;    /* what the library itself had read then */
};
bool cup_kernel_reaping_begins(struct cup_reaping *reaping, idtype_t type, id_t id, int options);
void cup_kernel_reaping_ends(const struct cup_reaping *reaping, pid_t reaped);

#endif
