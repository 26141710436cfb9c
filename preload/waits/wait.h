/* Policy of waits: one begin and one end around every call that may block.
 *
 * A wait is wall time less CPU time less run delay. For calls that often block, the thread's CPU
 * clock is read at both ends (200 ns each), and its run delay where it was off the CPU for long
 * enough. Calls that seldom block are many: only their time stamps are compared, and one that took
 * too long is examined afterwards, by cup_wait_guess(). */
#ifndef CUPPING_PRELOAD_WAITS_WAIT_H
#define CUPPING_PRELOAD_WAITS_WAIT_H

#include "include/log_format.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stdint.h>

/* What the kernel says of a thread, since it began. */
struct cup_kernel_usage {
    uint64_t delay_ns; /* run delay; CUP_UNKNOWN64: not known */
    uint64_t system_ns;
    uint32_t minor_faults, major_faults; /* modulo 2^32: only differences are used */
};

/* The calling thread's. */
struct cup_wait_thread {
    uintptr_t waiting;    /* address of the wait under way; 0: none. The sampler reads it, too */
    uint32_t helped_task; /* of a helper: the task that is shown its wait; 0: none */
    uint8_t class;        /* enum cup_wait_class, of that wait */
    uint64_t delay_ns;    /* run delay when it was last read, and when that was: */
    uint64_t delay_ticks, delay_cpu_ns;
    uint64_t gil_ns, gil_stop;     /* the last wait for the GIL: how long, and its end in ticks */
    struct cup_kernel_usage usage; /* when the task began */
};
extern __thread struct cup_wait_thread cup_wait_self __attribute__((tls_model("initial-exec")))
CUP_OURS;

/* A call under way. Lives on the wrapper's stack. */
struct cup_wait {
    struct cup_block *block; /* counts it; NULL: not measured */
    uint64_t start;          /* ticks */
    uint64_t cpu_ns;         /* thread CPU then */
    uint64_t since;          /* of a helper: what cup_helper_wait_enters() returned */
    uint8_t class;           /* enum cup_wait_class */
};

/* How closely a call is measured. */
enum cup_wait_kind {
    CUP_WAITS,      /* likely to block */
    CUP_WAITS_LOOP, /* likely to block, for any event. In a thread that a task started as its event
                       loop this does not show what the task waits for */
    CUP_MAY_WAIT, /* seldom blocks: its CPU time is not measured, but estimated if it takes long */
};

/* The calling thread may block from now on. True: the caller calls cup_wait_end(). Calls inside the
 * wait (from libc, from a signal handler) are part of it. In threads that work for no task, only
 * waits for the GIL count. Keeps errno. */
bool cup_wait_begins(struct cup_wait *wait, enum cup_wait_class class, enum cup_wait_kind kind);

static inline bool cup_wait_begin(struct cup_wait *wait, enum cup_wait_class class,
                                  enum cup_wait_kind kind)
{
    return cup_active() && !cup_self.guard && cup_wait_begins(wait, class, kind);
}

/* The call came back. Keeps errno. */
void cup_wait_end(struct cup_wait *wait);

/* For calls whose task the caller knows: begins for BLOCK, a block of a task; ends at STOP (ticks),
 * for BLOCK, which may be another one by then (NULL: unattributed). Guard held. */
void cup_wait_begin_for(struct cup_wait *wait, enum cup_wait_class class, struct cup_block *block);
void cup_wait_end_for(struct cup_wait *wait, uint64_t stop, struct cup_block *block);

/* A call that seldom blocks took from START to STOP (ticks). It uses about BUSY_NS of CPU at most,
 * so the rest was a wait. Guard held. */
void cup_wait_guess(struct cup_block *block, enum cup_wait_class class, uint64_t start,
                    uint64_t stop, uint64_t busy_ns);

/* Rows of the lifecycle table. A task's system time, page faults and run delay are what the kernel
 * says of its thread at its end, less what it said at the task's begin. */
void cup_wait_child_begins(void);
void cup_wait_log_opened(enum cup_log_size size);
void cup_wait_task_begins(uint32_t task, uint64_t cpu_ns);
void cup_wait_task_ends(uint32_t task, uint64_t cpu_ns);
void cup_wait_thread_ends(void);

#endif
