/* The sampler of CPU time: a thread that looks at those which work for a task, a hundred times a
 * second, where on their stacks they are and how much of the CPU they used. No signals: it reads
 * their stacks from outside (foreign_stack.h). It sleeps for good while no task runs. */
#ifndef CUPPING_PRELOAD_SAMPLER_SAMPLER_H
#define CUPPING_PRELOAD_SAMPLER_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

enum { CUP_SAMPLER_HZ = 100, CUP_SAMPLER_MOST_HZ = 1000 };

/* 0: none are taken. Called once, before any task. */
void cup_sampler_wants(uint32_t hz);

/* A task begins, or goes on: there is something to look at. Starts the thread at need, which
 * allocates: not from where the program's allocator may be at work. Keeps errno. */
void cup_sampler_looks(void);

/* The process is about to fork: the thread ends, since a fork of a process of one thread is another
 * thing to Python than one of several. It starts again at a task, a little later. */
void cup_sampler_pauses(void);

/* The calling thread ends: the CPU time in tasks that it used since its last sample is counted, at
 * the stack where it was last seen in that task, else at an unknown frame. Guard held; before
 * cup_thread_slot_leaves(). */
void cup_sampler_thread_ends(void);

/* The process ends: likewise for all threads, and nothing is counted any more. */
void cup_sampler_stops(void);

/* A forked child has none. */
void cup_sampler_reset(void);

#endif
