/* Helper threads: they run no task, but work for one. Besides its context (context.h), two things
 * show for which task a thread works:
 *
 * Handed: the task whose job it runs. concurrent.futures takes the lock inside the job's Future
 * right before the job, and the thread that submitted the job made that lock. A job that takes
 * items from a queue which other tasks use, too, does not count for its submitter any more.
 *
 * Inherited: the task that started the thread. Void for good as soon as the thread runs a job, or
 * takes a lock that was not made for that task alone: other tasks may have handed it work through
 * that lock.
 *
 * See docs/contributing/attribution.md. */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_HELPER_H
#define CUPPING_PRELOAD_ATTRIBUTION_HELPER_H

#include "preload/attribution/attribution.h"
#include "preload/attribution/lock_origin.h"
#include "preload/lifecycle/thread.h"
#include "preload/sys/library_variable.h"

enum { CUP_HELD = 8 };

/* The calling thread's. */
struct cup_helper_thread {
    const void *held[CUP_HELD];   /* locks that it took and did not give back */
    uint8_t next_held, last_held; /* indexes of held[]: to be reused next, used last */
    uint64_t
        held_place; /* instruction that took the last of them, if its origin is known; else 0 */
    const void
        *others_lock; /* of another task, taken and not given back yet: may make `inherited` void */
    uint64_t others_place;      /* instruction that took it */
    bool others_lock_is_shared; /* another task made others_lock, or uses it */
    bool pool_is_own;           /* its last job went to a pool that its task made for itself */
    bool serves_others;         /* tasks other than the one that started it */
    bool for_dask;              /* its job was submitted by Dask itself */
    bool job_runs;              /* a job that it was handed has begun, and not ended */
    bool after_job;             /* it has ended, and what follows may be for others */
    bool job_serves;     /* it turned out to serve other tasks: what it does is unattributed */
    uint32_t started_by; /* task that started the thread; 0: none. Never void */
    uint32_t locks_made; /* so that cup_helper_verify() sees one */
    uint64_t job_cpu_ns; /* thread CPU when the job, or the thread, began */
};
extern __thread struct cup_helper_thread cup_helper_self __attribute__((tls_model("initial-exec")))
CUP_OURS; /* in attribution.c */

/* The calling thread works for Dask itself when it carries no task: an event loop, or a job that
 * one submitted. */
static inline bool cup_helper_is_dask(void)
{
    return cup_self.server_loop || cup_helper_self.for_dask;
}

/* A thread has taken LOCK, perhaps after it WAITED, or gives it back (before the real call). Any
 * thread; keep errno. Took is false if Python's locks are not seen, or the thread has the guard. */
bool cup_helper_took(const void *lock, bool waited);
void cup_helper_gives(const void *lock);

/* The calling thread, which works for TASK (0: for none), read or wrote a pipe. If the pipe's
 * stream was made by another task that still runs, the process at its other end serves both. */
void cup_helper_used_pipe(uint32_t task);

/* This thread initialised LOCK. Returns the task that it works for; 0: none, or no log is open.
 * Keeps errno. */
uint32_t cup_helper_made(const void *lock);

/* The calling thread is about to start a thread with ROUTINE. Returns the task that it will
 * inherit; 0: none. Only threads of Python inherit: those of native pools serve any task. */
uint32_t cup_helper_heir(void *routine);

/* The process that the calling thread starts now belongs to a pool that its task did not make, or
 * that other tasks use, too: it works for any of them. */
bool cup_helper_pool_grows(void);

/* The calling thread was started by TASK. */
void cup_helper_starts(uint32_t task);

/* Tries once, with the GIL, whether Python's locks are semaphores, which the hooks see. */
bool cup_helper_verify(void);

/* Rows of the lifecycle table. */
void cup_helper_child_begins(void);
void cup_helper_thread_settles(void);

#endif
