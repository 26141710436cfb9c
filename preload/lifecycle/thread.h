/* What the library knows of one thread, and of the process as far as every hook needs it. */
#ifndef CUPPING_PRELOAD_LIFECYCLE_THREAD_H
#define CUPPING_PRELOAD_LIFECYCLE_THREAD_H

#include "include/log_format.h"
#include "preload/sys/clock.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stddef.h>

enum { CUP_HELD = 8, CUP_JOB_SUMS = 8 };
enum {
    CUP_HELPED = 8
}; /* tasks whose blocks a helper thread keeps open at a time: as many as a
      worker has threads, or records are written at every turn */

enum { CUP_THREAD_SLOTS = 256 }; /* threads at a time that the sampler sees */

enum cup_thread_state {
    CUP_THREAD_NEW = 0, /* must be zero: thread-local storage starts so */
    CUP_THREAD_KNOWN = 1,
    CUP_THREAD_GONE = 2, /* its destructor ran: open nothing any more, count nothing */
};

/* What the kernel says of a thread, since it began. */
struct cup_thread_usage {
    uint64_t delay_ns; /* run delay; CUP_UNKNOWN64: not known */
    uint64_t system_ns;
    uint32_t minor_faults, major_faults; /* modulo 2^32: only differences are used */
};

/* Initial-exec, trivially destructible, touched by its own thread only (and by its signal
 * handlers, hence counters and no flags). */
struct cup_thread {
    struct cup_block *heap;       /* block that pays for allocations; NULL: see cup_heap_*_slow */
    struct cup_block *own;        /* block of the task that this thread runs; NULL: none */
    struct cup_block *none;       /* block of task 0, opened at need */
    struct cup_block *last;       /* block of the task last helped: most helpers stay with one */
    uint16_t helped[CUP_HELPED];  /* index + 1 of a block; 0: none */
    struct cup_block *inheriting; /* block of the task that started it */
    uint32_t guard;               /* > 0: inside the library; hooks only forward */
    uint32_t tid;
    uint32_t task;  /* task that this thread runs; 0: none */
    uint32_t ticks; /* server ticks seen: looked at often at first, then seldom */
    /* calls of Coffea's Runner: run.h */
    int64_t run_next_ns, run_next_monotonic_ns; /* nothing to be learned of them until then */
    int64_t run_outside_ns;       /* when the thread was last seen outside of any; 0: never */
    uint32_t run_call;            /* index + 1 of its call; 0: none */
    uint8_t run_woken;            /* looks left since it last waited */
    uint8_t state;                /* enum cup_thread_state */
    uint8_t origin;               /* enum cup_task_origin of its task: who opened it closes it */
    uint8_t waits_class;          /* enum cup_wait_class */
    uint8_t next_helped;          /* slot of helped[] that gives way next */
    uint8_t next_held, last_held; /* places of held[] */
    bool run_parents;             /* forked: a call below us on the stack is not ours */
    /* flags of all kinds, side by side: see the assertion below */
    bool server_loop;           /* runs a Dask server's event loop: never "the sole task" */
    bool no_schedstat;          /* the kernel does not tell run delays */
    bool item_known;            /* the work item of the task that it runs is recorded */
    bool others_lock_is_shared; /* another task made foreign_lock, or uses it */
    bool pool_is_own;   /* last it submitted a job to a pool that its task made for itself */
    bool serves_others; /* besides the task that started it */
    /* the task that this thread helps: helper.h */
    bool for_dask;   /* its job was submitted by Dask itself */
    bool job_runs;   /* a job that it was handed has begun, and not ended */
    bool after_job;  /* it has ended, and what follows may be for others */
    bool job_serves; /* and turned out to serve other tasks: it is nobody's */
    uint16_t slot;   /* index + 1 in tables of CUP_THREAD_SLOTS (sampler, native_thread); 0: none */
    uint32_t handed; /* task whose job it runs, or ran last; 0: none */
    uint32_t inherited;         /* task that started it; 0: none, or void */
    uint32_t started_by;        /* likewise, and never void */
    uint32_t locks_made;        /* counts: so that cup_helper_verify() sees one */
    const void *held[CUP_HELD]; /* locks taken and not given back */
    uint64_t held_place; /* instruction that took the last of them, if it is known who made that */
    const void *others_lock;     /* taken, and not given back yet: may make inherited void */
    uint64_t others_place;       /* instruction that took it */
    struct cup_block *job_block; /* of its task when it began, and what stood in it then */
    uint64_t job_start[CUP_JOB_SUMS];
    uint64_t job_cpu_ns; /* thread CPU when the job, or the thread, began */
    uint32_t job_sequence;
    /* waits: wait.h */
    uint32_t waits_for;  /* a helper's: the task that can see it wait; 0: none */
    uintptr_t waiting;   /* address of the wait under way; 0: none */
    uint32_t schedstat;  /* entry of own_fd.h; 0: not open */
    uint32_t characters; /* events.h: read or written until the next takes its stack */
    uint64_t delay_ns;   /* run delay when it was last read, and when that was: */
    uint64_t delay_ticks, delay_cpu_ns;
    uint64_t gil_ns, gil_stop;     /* last wait for the GIL, and when it ended (ticks) */
    struct cup_thread_usage usage; /* when the task began */
    /* what falls into the current bin of the time series: series.h */
    uint64_t bin_ends; /* ticks */
    int64_t bin_time_ns;
    uint64_t bin_read_bytes, bin_read_ns, bin_write_bytes;
    /* which events take their stack: events.h */
    int64_t alloc_left;    /* bytes allocated until the next that does */
    uint32_t event_random; /* 0: none drawn yet */
    uint32_t event_time;   /* of the last one that did: ticks / 1024, modulo 2^32 */
    /* the task that this thread runs */
    struct cup_moment start;
    struct cup_moment tic; /* Coffea's clock before process(); 0: not between tic and toc */
    uint32_t prefix;       /* its prefix, a string of the log */
    uint16_t section;      /* of the program's own that it is in: index + 1; 0: none. sections.h */
    bool unwinds;          /* is within libunwind: native.h */
    void *token;           /* PyObject: what resets the context variable */
};

/* With what child.c keeps, a thread has no more than the C library's reserve for libraries that
 * come late: 512 bytes on an old one. */
_Static_assert(sizeof(struct cup_thread) <= 496, "thread-local storage is scarce");

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

/* Works for Dask itself when it carries no task: an event loop, or a job that one submitted. */
static inline bool cup_thread_is_dask(const struct cup_thread *thread)
{
    return thread->server_loop || thread->for_dask;
}

/* Makes the thread known (tid, clean-up at its end). False once it is gone. */
bool cup_thread_known(void);

/* A row of the lifecycle table: nothing is known of the thread but its guard. */
void cup_thread_child_begins(void);

/* Called once, by the constructor. Returns 0 or -1. */
int cup_thread_init(void);

#endif
