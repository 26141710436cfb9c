/* What every hook needs to know of its thread and of the process. */
#pragma once

#include "include/log_format.h"
#include "preload/sys/clock.h"
#include "preload/sys/library_variable.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    CUP_HELPED = 8, /* tasks for which a helper thread keeps a block open at a time. Should be
                       at least the worker's number of threads: a helper that serves more
                       tasks in turn closes a block, and writes its records, at each turn */
    CUP_THREAD_SLOTS = 256, /* threads that the sampler can see at a time */
};

enum cup_thread_state {
    CUP_THREAD_NEW = 0,   /* must be 0, because thread-local storage starts as zeros */
    CUP_THREAD_KNOWN = 1, /* its tid is known, and end_thread() will run when it ends */
    CUP_THREAD_GONE = 2,  /* end_thread() ran: open no block and count nothing any more */
};

/* What every hook needs of its thread. What only one room needs is a thread-local variable in that
 * room, which its row of the lifecycle table resets. Some fields below belong to one room as well
 * ("of ..."), but are here because malloc or pread use them at every call: with a second
 * thread-local variable these calls would need one more load.
 *
 * All thread-local variables of the library are initial-exec and trivially destructible. Only their
 * own thread and its signal handlers write them. A handler may interrupt any of our code, so
 * `guard` is a counter: with a flag, the handler's release would also end the guard of the
 * interrupted code. Together the variables must fit into the space that the C library reserves for
 * libraries that are loaded late, which is 512 bytes in old versions; a test of symbols checks
 * that. */
struct cup_thread {
    /* Of counters. */
    struct cup_block *heap;       /* block that counts allocations; NULL: see task/heap.h */
    struct cup_block *own;        /* block of the task that this thread runs; NULL: none */
    struct cup_block *none;       /* block of task 0; NULL until it is first needed */
    struct cup_block *last;       /* block of the task that it helped last: often the next, too */
    struct cup_block *inheriting; /* block of the task that started it; NULL until first needed */
    uint16_t helped[CUP_HELPED];  /* blocks of the tasks that it helps: index + 1; 0: none */
    uint8_t next_helped;          /* the entry of helped[] to be closed next */
    uint8_t state;                /* enum cup_thread_state */
    uint8_t origin;               /* enum cup_task_origin of its task: only the code that recognised
                                     its begin (Dask's or Coffea's) may end it */
    bool server_loop;       /* it runs a Dask server's event loop: method SOLE does not apply */
    bool awaits_lock;       /* when this thread takes a lock, its task may have ended,
                               or Dask may have made its message about it */
    uint8_t alloc_step : 2; /* of stacks/stack_events.c: enum alloc_step, */
    uint8_t alloc_bits : 6; /* and the binary logarithm of its mean, by CUP_EVENT_ALLOC_BYTES */
    uint16_t slot;  /* thread slot: index + 1 in tables of CUP_THREAD_SLOTS; 0: none. The sampler
                  assigns it when the thread first works for a task, and frees it when the
                  thread ends */
    uint32_t guard; /* > 0: inside the library; hooks only forward */
    uint32_t tid;
    uint32_t task;       /* task that this thread runs; 0: none */
    uint32_t handed;     /* of attribution: task whose job it runs, or ran last; 0: none */
    uint32_t inherited;  /* of attribution: task that started it; 0: none, or it no longer counts */
    uint32_t characters; /* of stacks/stack_events.h: single characters (getc, putc) until one of
                            them reads its stack */
    /* Of counters/block.h: what falls into the current bin of the time series. */
    uint64_t bin_ends; /* ticks */
    int64_t bin_time_ns;
    uint64_t bin_read_bytes, bin_read_ns, bin_write_bytes;
    /* Of stacks/stack_events.h: at which events the stack is read. */
    int64_t alloc_left;    /* bytes still to be allocated before an allocation reads its stack */
    uint32_t event_random; /* state of the random numbers; 0: none drawn yet */
    uint32_t event_time;   /* last transfer that read its stack: ticks / 1024, modulo 2^32 */
};

extern __thread struct cup_thread cup_self __attribute__((tls_model("initial-exec"))) CUP_OURS;

/* 1 while a log is open in this process. It is in a page of its own, which the kernel clears in a
 * child that gets a copy of this memory, whichever call forked it (before Linux 4.14, only the
 * handler of fork() clears it): so a child never writes into its parent's log. A child of vfork
 * shares this memory and sees 1. Code to which that matters compares the pid. */
extern volatile uint32_t *cup_active_word CUP_OURS;

static inline bool cup_active(void)
{
    return __builtin_expect(*cup_active_word != 0, 0);
}

static inline void cup_guard(void)
{
    cup_self.guard++;
    __asm__ volatile("" ::: "memory");
}

static inline void cup_unguard(void)
{
    __asm__ volatile("" ::: "memory");
    cup_self.guard--;
}

/* The guard around code that may change errno. Returns errno; cup_leave() restores it. */
static inline int cup_enter(void)
{
    int saved = errno;
    cup_guard();
    return saved;
}

static inline void cup_leave(int saved)
{
    cup_unguard();
    errno = saved;
}

/* Notes the calling thread's tid and registers end_thread(), unless that has been done. False: the
 * thread is ending, and end_thread() has run. */
bool cup_thread_known(void);

/* A row of the lifecycle table: clears all that is known of the thread, except its guard. */
void cup_thread_child_begins(void);

/* Called once, by the constructor. Returns 0 or -1. */
int cup_thread_init(void);
