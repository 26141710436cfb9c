/* The CPU sampler: a thread that looks at all threads that work for tasks, a hundred times per
 * second, and records where on their stacks they are and how much CPU time they used. It sends no
 * signals: it reads their stacks from outside (remote_stack.h). While no task runs it sleeps. */
#ifndef CUPPING_PRELOAD_SAMPLER_SAMPLER_H
#define CUPPING_PRELOAD_SAMPLER_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

enum { CUP_SAMPLER_HZ = 100, CUP_SAMPLER_MOST_HZ = 1000 };

/* Sets the sampling rate; 0: no samples. Called once, before any task. */
void cup_sampler_wants(uint32_t hz);

/* A task begins, or a wait for the GIL ended: there is something to sample. Starts or wakes the
 * sampler's thread. Starting it allocates, so this must not be called from inside the program's
 * allocator or a signal handler. Keeps errno. */
void cup_sampler_looks(void);

/* The process is about to fork: ends the sampler's thread, because from 3.12 on Python warns when
 * a process with several threads forks. The thread starts again at a task, 0.2 s later or more. */
void cup_sampler_pauses(void);

/* The calling thread ends: accounts for the CPU time that it used in tasks since its last sample,
 * at the stack where it was last seen in that task, else at an unknown frame. The guard is held.
 * Must come before cup_thread_slot_leaves(). */
void cup_sampler_thread_ends(void);

/* The process ends: the same for all threads. Nothing is sampled afterwards. */
void cup_sampler_stops(void);

/* A forked child: it has no sampler's thread. */
void cup_sampler_reset(void);

#endif
