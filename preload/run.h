/* Calls of Coffea's Runner, in the client: when they began and ended, learned from any clock call
 * inside of them. Nothing is wrapped: a look at the main thread's frames, once a millisecond at
 * most and only where Coffea is imported. */
#ifndef CUPPING_RUN_H
#define CUPPING_RUN_H

#include "preload/thread.h"

#include <stdbool.h>
#include <stdint.h>

/* CLOCK_REALTIME from which on it is worth looking again. */
extern int64_t cup_run_next_ns;

static inline bool cup_run_due(int64_t now_ns)
{
    return now_ns >= __atomic_load_n(&cup_run_next_ns, __ATOMIC_RELAXED) && cup_self.is_main != 2;
}

/* The program read the clock. GIL, no exception pending. */
void cup_run_look(int64_t now_ns);

/* In a forked child: the call below us on the stack is the parent's. */
void cup_run_reset(void);

#endif
