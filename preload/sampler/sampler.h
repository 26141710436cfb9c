/* The CPU sampler: a thread that looks at all threads that work for tasks, a hundred times per
 * second, and records where on their stacks they are and how much CPU time they used. A "look" is
 * one pass over all these threads. It sends no
 * signals: it reads their stacks from outside (remote_stack.h). While no task runs it sleeps. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CUP_SAMPLER_HZ = 100, CUP_SAMPLER_MOST_HZ = 1000 };

/* Sets the sampling rate; 0: no samples. ASKED: the user has chosen it, so it may cost more. Called
 * once, before any task. */
void cup_sampler_wants(uint32_t hz, bool asked);

/* Rows of the lifecycle table.
 *
 * A task that begins, or goes on after a wait for the GIL, is something to sample: the sampler's
 * thread is started or woken. Starting it allocates, so this must not be called from inside the
 * program's allocator or a signal handler. Keeps errno.
 *
 * Before a fork the thread ends, because from 3.12 on Python warns when a process with several
 * threads forks. It starts again at a task, 0.2 s later or more.
 *
 * When a thread ends, or the process, the CPU time that it used in tasks since its last sample is
 * accounted for, at the stack where it was last seen in that task, else at an unknown frame. */
void cup_sampler_task_begins(uint32_t task, uint64_t cpu_ns);
void cup_sampler_task_goes_on(void);
void cup_sampler_task_ends(uint32_t task, uint64_t cpu_ns);
void cup_sampler_thread_works(uint32_t task, uint64_t cpu_ns);
void cup_sampler_thread_ends(void);
void cup_sampler_process_forks(void);
void cup_sampler_child_begins(void);
void cup_sampler_process_ends(void);
