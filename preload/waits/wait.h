/* Policy of waits: one begin and one end around every call that may block, whatever the call.
 *
 * What counts is wall time less CPU time less run delay. So the thread's CPU clock is read at both
 * ends (200 ns each), and its run delay where there was any wait to speak of: for calls that do
 * block. Calls that seldom do, which are many, are only held against a clock that costs nothing,
 * and looked at when they took too long: cup_wait_guess(). */
#ifndef CUPPING_PRELOAD_WAITS_WAIT_H
#define CUPPING_PRELOAD_WAITS_WAIT_H

#include "include/log_format.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* A call under way. Lives on the wrapper's stack. */
struct cup_wait {
    struct cup_block *block; /* that pays; NULL: not measured */
    uint64_t start;          /* ticks */
    uint64_t cpu_ns;         /* thread CPU then */
    uint64_t meanwhile;      /* a helper: cup_helper_wait_enters() */
    uint8_t class;           /* enum cup_wait_class */
};

/* How closely a call is looked at. */
enum cup_wait_kind {
    CUP_WAITS,      /* likely to block */
    CUP_WAITS_LOOP, /* likewise, and for whatever comes: says nothing about who waits for the thread
                       if it is a task's own event loop */
    CUP_MAY_WAIT,   /* seldom blocks: its CPU time is not measured, but guessed if it takes long */
};

/* The calling thread may block from now on. True: the caller ends it. Calls within it (of libc's
 * own, of a signal's handler) are part of it. Of threads that work for no task only waits for the
 * interpreter's lock count. */
bool cup_wait_begins(struct cup_wait *wait, enum cup_wait_class class, enum cup_wait_kind kind);

static inline bool cup_wait_begin(struct cup_wait *wait, enum cup_wait_class class,
                                  enum cup_wait_kind kind)
{
    return cup_active() && !cup_self.guard && cup_wait_begins(wait, class, kind);
}

/* It goes on. Keeps errno. */
void cup_wait_end(struct cup_wait *wait);

/* For calls whose owner the caller knows: begin for BLOCK, which must not be that of no task; end
 * at STOP (ticks), for BLOCK, which may be another one by then (NULL: nobody's). Guard held. */
void cup_wait_begin_for(struct cup_wait *wait, enum cup_wait_class class, struct cup_block *block);
void cup_wait_end_for(struct cup_wait *wait, uint64_t stop, struct cup_block *block);

/* A call that seldom blocks took from START to STOP (ticks), of which its CPU time can have been no
 * more than about BUSY_NS: the rest was a wait. Guard held. */
void cup_wait_guess(struct cup_block *block, enum cup_wait_class class, uint64_t start,
                    uint64_t stop, uint64_t busy_ns);

/* Rows of the lifecycle table. A task's system time, page faults and run delay are what the kernel
 * says of its thread at its end, less what it said at the task's begin. */
void cup_wait_log_opened(enum cup_log_size size);
void cup_wait_task_begins(uint32_t task, uint64_t cpu_ns);
void cup_wait_task_ends(uint32_t task, uint64_t cpu_ns);
void cup_wait_thread_ends(void);

#endif
