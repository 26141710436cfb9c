/* Thread slots: what the sampler knows about each thread that works for tasks. A thread takes a
 * slot when it first works for a task, and frees it when it ends. */
#pragma once

#include "preload/lifecycle/thread.h"
#include "preload/sampler/remote_stack.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_thread_slot {
    uint32_t lock; /* protects the following fields; a slot is taken and freed by tid, atomically */
    uint32_t tid;  /* 0: the slot is free */
    struct cup_remote_stack thread;
    uint32_t task;            /* the task that the thread says it works for; 0: none */
    bool runs;                /* the thread runs that task (or ran the last one) itself */
    uint64_t cpu_ns;          /* the thread's CPU clock when it was last read */
    uint64_t owed_ns;         /* CPU time in tasks that no sample accounts for yet */
    uint32_t owed_task;       /* the last of those tasks */
    const uintptr_t *waiting; /* the thread's cup_wait_self.waiting: not 0 while the thread is in a
                                 call that blocks. Valid as long as the slot is taken */
    /* at the last look of the sampler: */
    uint32_t node_task; /* the task that the thread worked for; 0: none */
    uint32_t node;      /* its stack */
    bool stays;         /* it was blocked, and its whole stack was read */
};

/* From now on the calling thread works for TASK (0: for none). RUNS: it runs the task itself; else
 * it helps. CPU_NS: its CPU time until now. Takes a slot if it has none. The guard is held. */
void cup_thread_slot_works(uint32_t task, bool runs, uint64_t cpu_ns);

/* The calling thread may work for the task in its Python context from some unknown time on: takes a
 * slot, so that the sampler looks at it. The guard is held. */
void cup_thread_slot_helps(void);

/* The calling thread's slot, locked (the caller unlocks SLOT->lock); NULL: it has none. */
struct cup_thread_slot *cup_thread_slot_own(void);

/* The calling thread ends: frees its slot. */
void cup_thread_slot_leaves(void);

/* Slots from this index on were never taken. */
uint32_t cup_thread_slots_used(void);

/* The slot at INDEX, locked; NULL: it is free. */
struct cup_thread_slot *cup_thread_slot_lock(uint32_t index);

/* A forked child, or a new log: all slots are free. */
void cup_thread_slots_reset(void);
