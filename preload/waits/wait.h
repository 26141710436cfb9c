/* How waits are measured: one begin and one end around every call that may block.
 *
 * A wait is the wall time of a call less its CPU time less its run delay. For calls that often
 * block, the thread's CPU clock is read at both ends, and its run delay if it was off the CPU for
 * long enough. These readings are slow (docs/waits.md), so a clock is read only where it can show
 * something new: see thread_cpu.h and may_count_later(). Calls that seldom block are made so often
 * that only their time stamps are read; if one took too long, cup_wait_guess() estimates its wait
 * afterwards.
 */
#pragma once

#include "include/log_format.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stdint.h>

/* What the kernel reports about a thread, since it began. */
struct cup_kernel_usage {
    uint64_t delay_ns; /* run delay; CUP_UNKNOWN64: not known */
    uint64_t system_ns;
    uint32_t minor_faults, major_faults; /* modulo 2^32: only differences are used */
};

/* What is known of the calling thread's waits. Time off the CPU: the clock of ticks, in
 * nanoseconds, less the thread's CPU time. Only differences have a meaning. */
struct cup_wait_thread {
    uintptr_t waiting; /* address of the wait under way; 0: none. The sampler reads it, too */
    uint32_t
        helped_task; /* a helper's wait under way is noted for this task (helper_wait.h); 0: none */
    uint8_t class : 4;       /* enum cup_wait_class of that wait */
    uint8_t quick_reads : 4; /* waits for files in a row that were none; QUICK_READS at most */
    bool is_loop : 1;        /* the thread has waited by epoll: it runs an event loop */
    bool is_calm : 1;      /* when last read, run delay was a small part of the time off the CPU */
    uint16_t short_block;  /* the block that counted short_ns: its index + 1; 0: none */
    uint64_t delay_ns;     /* run delay when it was last read; CUP_UNKNOWN64: not known */
    uint64_t delay_off_ns; /* time off the CPU when it was read; 0: never */
    uint64_t
        gil_start;   /* of gil_wait.h: when the wait for the GIL under way began, ticks; 0: none */
    uint64_t gil_ns; /* the last wait for the GIL: how long it took */
    uint32_t gil_mutex; /* of gil_wait.c: which mutex the wait under way is for */
    uint32_t gil_stop;  /* and when it ended: ticks / 1024, modulo 2^32 */
    uint32_t short_ns;  /* waits for the GIL since the run delay was read, which is still in them */
    uint32_t short_sequence;       /* that block's sequence */
    struct cup_kernel_usage usage; /* when the task began */
};
extern __thread struct cup_wait_thread cup_wait_self __attribute__((tls_model("initial-exec")))
CUP_OURS;

/* A call under way that may block. It is on the stack of the wrapper. */
struct cup_wait {
    struct cup_block *block; /* counts the wait; NULL: it is not measured */
    uint64_t start;          /* when the call began, ticks */
    uint64_t cpu_ns;         /* thread CPU time then; CUP_UNKNOWN64: not measured (CUP_MAY_WAIT) */
    uint64_t since;          /* if a helper waits: what cup_helper_wait_enters() returned */
    uint8_t class;           /* enum cup_wait_class */
};

/* How closely a call is measured. */
enum cup_wait_kind {
    CUP_WAITS,      /* likely to block */
    CUP_WAITS_LOOP, /* likely to block until any event comes, as event loops do. In a thread that a
                       task started, this does not show what the task waits for: it is no helper
                       wait */
    CUP_MAY_WAIT, /* seldom blocks: its CPU time is not measured, but estimated if it takes long */
};

/* The calling thread may block from now on. True: the caller must call cup_wait_end(). Calls inside
 * the wait (made by libc or a signal handler) are part of it: for them this returns false. In
 * threads that work for no task, only waits for the GIL count. Keeps errno. */
bool cup_wait_begins(struct cup_wait *wait, enum cup_wait_class class, enum cup_wait_kind kind);

static inline bool cup_wait_begin(struct cup_wait *wait, enum cup_wait_class class,
                                  enum cup_wait_kind kind)
{
    return cup_active() && !cup_self.guard && cup_wait_begins(wait, class, kind);
}

/* The call that cup_wait_begins() announced has returned. Keeps errno. */
void cup_wait_end(struct cup_wait *wait);

/* The same for calls whose task the caller knows. BLOCK at the begin: a block of that task. The
 * wait ends at STOP (ticks) and counts in BLOCK, which may be another one than at the begin; NULL:
 * the call is unattributed, and the wait does not count. Guard held. */
void cup_wait_begin_for(struct cup_wait *wait, enum cup_wait_class class, struct cup_block *block);
void cup_wait_end_for(struct cup_wait *wait, uint64_t stop, struct cup_block *block);

/* A call that seldom blocks took from START to STOP (ticks). Its CPU time is taken to be BUSY_NS;
 * if the rest is long enough, it counts as a wait. Guard held. */
void cup_wait_guess(struct cup_block *block, enum cup_wait_class class, uint64_t start,
                    uint64_t stop, uint64_t busy_ns);

/* The calling thread waited for the GIL from START to STOP (ticks), and has it now or gave it up.
 * Its CPU clock was not read at the begin: the CPU time of the wait is estimated. Guard held. */
void cup_wait_count_gil(uint64_t start, uint64_t stop);

/* The sums of the calling thread's block are about to be read, or its blocks are about to be
 * closed: reads the run delay, and subtracts its part of the last waits for the GIL (of 50 ms
 * together at most), which are in the sums already. Adds them to the time series. Guard held. */
void cup_wait_count_short(void);

/* Run delay: how long the calling thread was ready to run, but waited for a CPU core, since it
 * began, in nanoseconds; CUP_UNKNOWN64: it cannot be read. The kernel reports it as the second
 * figure of /proc/self/task/TID/schedstat, and updates it whenever the thread gets a core. Changes
 * errno. */
uint64_t cup_run_delay_ns(void);

/* Rows of the lifecycle table. A task's system time, page faults and run delay are what the kernel
 * reports about its thread when the task ends, less what it reported when the task began. */
void cup_wait_child_begins(void);
void cup_wait_log_opened(enum cup_log_size size);
void cup_wait_task_begins(uint32_t task, uint64_t cpu_ns);
void cup_wait_task_ends(uint32_t task, uint64_t cpu_ns);
void cup_wait_thread_ends(void);
