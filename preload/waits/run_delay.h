/* Run delay: how long the calling thread was ready to run, but waited for a CPU core. The kernel
 * reports it as the second figure of /proc/self/task/TID/schedstat, and updates it whenever the
 * thread gets a core. */
#ifndef CUPPING_PRELOAD_WAITS_RUN_DELAY_H
#define CUPPING_PRELOAD_WAITS_RUN_DELAY_H

#include <stdint.h>

/* The run delay since the thread began, in nanoseconds; CUP_UNKNOWN64: the file cannot be read.
 * Changes errno. */
uint64_t cup_run_delay_ns(void);

/* Rows of the lifecycle table. */
void cup_run_delay_thread_ends(void);
void cup_run_delay_child_begins(void);

#endif
