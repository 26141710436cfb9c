/* Helper threads: they run no task, but work for one. Besides its context (context.h), two things
 * show for which task a thread works:
 *
 * Handed: the task that submitted the job that the thread runs. concurrent.futures takes the lock
 * inside the job's Future right before the job, and the thread that submitted the job made that
 * lock. If the job takes items from a queue that other tasks use, too, or if another task wakes it,
 * or if it answers another task, it is unattributed.
 *
 * Inherited: the task that started the thread. The thread loses it for good when it runs a job, or
 * when it takes a lock that was not made for that task alone, because other tasks may hand it work
 * through that lock. Locks that hand nothing over do not count, such as those of imports or of the
 * buffer of a file: see hands_nothing_over() and take_others_lock().
 *
 * See docs/contributing/attribution.md. */
#pragma once

#include "preload/attribution/attribution.h"
#include "preload/attribution/lock_origin.h"
#include "preload/lifecycle/thread.h"
#include "preload/python/frames.h"
#include "preload/sys/library_variable.h"

enum { CUP_HELD = 8 };

/* What is known of the calling thread as a helper. Places are instructions of Python code. */
struct cup_helper_thread {
    const void *held[CUP_HELD]; /* locks that it took and has not given back */

    /* A lock that was not made for `inherited` alone, taken and not given back yet. If it is not
     * given back by the place that took it, the thread no longer inherits. */
    const void *others_lock;
    uint64_t others_place;      /* place that took it */
    bool others_lock_is_shared; /* another task made others_lock, or uses it */
    uint8_t next_held;          /* entry of held[] to be reused next, when all are taken */

    bool gives_own; /* 3.14: the lock that it releases, or released last, is one that it took */

    bool pool_is_own;    /* the pool to which it last submitted a job is used by its task alone */
    bool serves_others;  /* it was seen to work for other tasks than the one that started it */
    bool for_dask;       /* Dask itself submitted the job that it runs, or ran last */
    bool job_runs;       /* it runs a job of a task */
    bool after_job;      /* its job has ended; callbacks that run now may be for other tasks */
    bool job_serves;     /* its job turned out to serve other tasks: it is unattributed */
    uint32_t started_by; /* task that started the thread; 0: none. Unlike `inherited`, it stays */
    uint32_t locks_made; /* locks that it made: cup_helper_verify() checks that the hooks see one */
    uint64_t job_cpu_ns; /* thread CPU time up to which HELPER_CPU_NS is counted */
};
extern __thread struct cup_helper_thread cup_helper_self __attribute__((tls_model("initial-exec")))
CUP_OURS; /* in attribution.c */

/* If the calling thread carries no task, it works for Dask itself: it runs a server's event loop,
 * or a job that such a loop submitted. */
static inline bool cup_helper_is_dask(void)
{
    return cup_self.server_loop || cup_helper_self.for_dask;
}

/* False: neither Python's locks are seen, nor the functions that stand for them. Any thread. */
bool cup_helper_sees_jobs(void);

/* The calling thread, one of a native pool, runs a job that was handed to the pool for TASK. False:
 * the thread works for a task already, so the job changes nothing, and cup_helper_job_ended() must
 * not be called. Guard held; changes errno. */
bool cup_helper_job_begins(uint32_t task);
void cup_helper_job_ended(void);

/* The calling thread has taken LOCK; WAITED: it had to wait for it. Returns false, and does
 * nothing, if Python's locks are not seen or the thread has the guard. Any thread; keeps errno. */
bool cup_helper_took(const void *lock, bool waited);

/* The calling thread tried to take LOCK, which another thread has. Any thread; keeps errno. */
void cup_helper_found_busy(const void *lock);

/* The calling thread is about to give LOCK back: call it before the real call. Any thread; keeps
 * errno. */
void cup_helper_gives(const void *lock);

/* The calling thread made a pipe. Returns the task that it made it for; 0: none, or a pipe by which
 * no task hands over work. Keeps errno. */
uint32_t cup_helper_made_pipe(void);

/* The calling thread, which works for TASK (0: for none), read or wrote a pipe that task MAKER made
 * (0: none). If that is another task, which still runs, then the process at the other end serves
 * both, and cup_attribution_void() makes unattributed what MAKER's threads and children did. */
void cup_helper_used_pipe(uint32_t maker, uint32_t task);

/* The calling thread initialised LOCK. Returns the task that it works for; 0: none, or no log is
 * open. Keeps errno. */
uint32_t cup_helper_made(const void *lock);

/* The calling thread is about to start a thread with ROUTINE. Returns the task that the new thread
 * inherits; 0: none. Threads of native pools inherit nothing, since they serve any task; nor do
 * those that an executor starts, since their jobs are handed over one by one. */
uint32_t cup_helper_heir(void *routine);

/* True if the calling thread is starting a process for a pool that its task did not make, or that
 * other tasks use, too: such a process may work for any of them. */
bool cup_helper_shared_pool_grows(void);

/* The calling thread was started by TASK. */
void cup_helper_starts(uint32_t task);

/* What a function of the standard library does with OBJECT, a Future, a queue or a condition. Where
 * Python's locks are not seen (3.14), such an object stands for the lock inside it. */
enum cup_helper_use {
    CUP_USE_MADE,       /* it makes the object */
    CUP_USE_USED,       /* it takes the lock */
    CUP_USE_JOB_BEGINS, /* FRAME: called by the run() of a job, which begins */
    CUP_USE_JOB_ENDS,
    CUP_USE_TAKES_ITEM, /* of a queue */
    CUP_USE_SUBMITS,    /* a job to a pool of processes */
    CUP_USE_ENTERS,     /* a condition */
    CUP_USE_WAITS,      /* begins to wait for a condition; no other thread waits for it */
    CUP_USE_WAITS_TOO,  /* begins to wait for a condition; other threads wait for it, too */
    CUP_USE_WOKEN,      /* has waited for the condition */
    CUP_USE_NOTIFIES,   /* wakes threads that wait for it; there are some */
};
void cup_helper_object(const void *object, struct cup_frame frame, enum cup_helper_use use);

/* From now on, cup_helper_object() is called. */
void cup_helper_watches_objects(void);

/* Makes one lock of Python and checks that the hooks see it, so Python's locks are semaphores.
 * Called once, with the GIL. */
bool cup_helper_verify(void);

/* Rows of the lifecycle table. */
void cup_helper_child_begins(void);
void cup_helper_thread_settles(void);
