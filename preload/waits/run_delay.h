/* How long the calling thread waited for a CPU core: the second figure of
 * /proc/self/task/TID/schedstat, which the kernel updates whenever the thread gets a core. */
#ifndef CUPPING_PRELOAD_WAITS_RUN_DELAY_H
#define CUPPING_PRELOAD_WAITS_RUN_DELAY_H

#include <stdint.h>

/* Nanoseconds since the thread began; CUP_UNKNOWN64: the kernel has no such file. Changes errno. */
uint64_t cup_run_delay_ns(void);

/* Rows of the lifecycle table. */
void cup_run_delay_thread_ends(void);
void cup_run_delay_child_begins(void);

#endif
