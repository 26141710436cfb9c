/* Threads that work for a task: what the sampler knows of each. A thread takes a seat when it first
 * works for one, and leaves it when it ends. */
#ifndef CUPPING_PRELOAD_SAMPLER_THREAD_SLOTS_H
#define CUPPING_PRELOAD_SAMPLER_THREAD_SLOTS_H

#include "preload/sampler/remote_stack.h"

#include <stdbool.h>
#include <stdint.h>

enum { CUP_THREAD_SLOTS = 256 };

struct cup_thread;

struct cup_thread_slot {
    uint32_t lock; /* of all that follows */
    uint32_t tid;  /* 0: free */
    struct cup_remote_stack thread;
    uint32_t task;                 /* that it works for, as far as it says so itself; 0: none */
    bool runs;                     /* it is its own thread, of this task or the last one */
    uint64_t cpu_ns;               /* its CPU clock when that was last looked at */
    uint64_t owed_ns;              /* CPU time in tasks that no sample stands for yet */
    uint32_t owed_task;            /* the last of those tasks */
    const struct cup_thread *self; /* there as long as the seat is taken */
    uint32_t node_task; /* task for which it worked when it was last looked at; 0: none */
    uint32_t node;      /* where it was then */
    bool stays;         /* it was blocked then, and that is the whole of its stack */
};

/* The calling thread works for TASK from now on, its own if it RUNS it, or for none (0): until now
 * it has used CPU_NS. Takes a seat at need. Guard held. */
void cup_thread_slot_works(uint32_t task, bool runs, uint64_t cpu_ns);

/* Likewise, where it is not known when that began: it may work for tasks by its context. */
void cup_thread_slot_helps(void);

/* The calling thread's, locked; NULL: it has none. */
struct cup_thread_slot *cup_thread_slot_own(void);

/* The calling thread ends. */
void cup_thread_slot_leaves(void);

/* Seats up to here have been used. */
uint32_t cup_thread_slots_used(void);

/* A taken one, locked; NULL: it is free. */
struct cup_thread_slot *cup_thread_slot_lock(uint32_t index);
void cup_thread_slot_unlock(struct cup_thread_slot *seat);

/* A forked child, or a new log: all are free. */
void cup_thread_slots_reset(void);

#endif
