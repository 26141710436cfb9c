/* What every hook needs to know of its thread and of the process. */
#ifndef CUPPING_PRELOAD_LIFECYCLE_THREAD_H
#define CUPPING_PRELOAD_LIFECYCLE_THREAD_H

#include "include/log_format.h"
#include "preload/sys/clock.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    CUP_HELPED = 8,         /* tasks whose blocks a helper thread keeps open at a time: as many as a
                               worker has threads, or records are written at every turn */
    CUP_THREAD_SLOTS = 256, /* threads at a time that the sampler sees */
};

enum cup_thread_state {
    CUP_THREAD_NEW = 0, /* must be zero: thread-local storage starts so */
    CUP_THREAD_KNOWN = 1,
    CUP_THREAD_GONE = 2, /* its destructor ran: open nothing any more, count nothing */
};

/* What every hook needs of its thread. What only one room needs is a thread-local variable in that
 * room, reset by its row of the lifecycle table. The fields named "of" a room below are its own,
 * too, but stand here because malloc or pread use them at every call: a second variable would cost
 * them a load.
 *
 * All of these variables are initial-exec and trivially destructible. Only their own thread writes
 * them, and its signal handlers: hence counters and no flags. Together they must fit into the C
 * library's reserve for libraries that are loaded late, 512 bytes on an old one; a test of symbols
 * checks that. */
struct cup_thread {
    /* Of counters. */
    struct cup_block *heap;       /* block that pays for allocations; NULL: see task/heap.h */
    struct cup_block *own;        /* block of the task that this thread runs; NULL: none */
    struct cup_block *none;       /* block of task 0, opened when it is first needed */
    struct cup_block *last;       /* block of the task last helped: most helpers stay with one */
    struct cup_block *inheriting; /* block of the task that started it */
    uint16_t helped[CUP_HELPED];  /* index + 1 of a block; 0: none */
    uint8_t next_helped;          /* the entry of helped[] to be closed next */
    uint8_t state;                /* enum cup_thread_state */
    uint8_t origin;               /* enum cup_task_origin of its task: who opened it closes it */
    bool server_loop;             /* runs a Dask server's event loop: never "the sole task" */
    uint32_t guard;               /* > 0: inside the library; hooks only forward */
    uint32_t tid;
    uint32_t task;      /* task that this thread runs; 0: none */
    uint32_t handed;    /* of attribution: task whose job it runs, or ran last; 0: none */
    uint32_t inherited; /* of attribution: task that started it; 0: none, or void */
    uint16_t slot; /* index + 1 in tables of CUP_THREAD_SLOTS; 0: none. Given by the sampler when
                      the thread first works for a task, taken back at its end */
    /* Of counters/series.h: what falls into the current bin of the time series. */
    uint64_t bin_ends; /* ticks */
    int64_t bin_time_ns;
    uint64_t bin_read_bytes, bin_read_ns, bin_write_bytes;
    /* Of stacks/stack_events.h: which events take their stack. */
    int64_t alloc_left;    /* bytes to allocate until the next allocation that does */
    uint32_t event_random; /* 0: none drawn yet */
    uint32_t event_time;   /* of the last transfer that did: ticks / 1024, modulo 2^32 */
    uint32_t characters;   /* to read or write, one by one, until the next that does */
};

extern __thread struct cup_thread cup_self __attribute__((tls_model("initial-exec"))) CUP_OURS;

/* 1 while a log is open in this very process. It lies in a page that a forked child sees as
 * zero, however it was forked: a child never writes into its parent's log. */
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

/* Makes the thread known (tid, clean-up at its end). False once it is gone. */
bool cup_thread_known(void);

/* A row of the lifecycle table: nothing is known of the thread but its guard. */
void cup_thread_child_begins(void);

/* Called once, by the constructor. Returns 0 or -1. */
int cup_thread_init(void);

#endif
