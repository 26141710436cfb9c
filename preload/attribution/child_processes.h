/* Processes that a task started: what they read counts for that task.
 *
 * Each has a root: the pid of the process that ran the task, and the task's number there. A forked
 * child has it in memory; a program that is started by exec gets it in an environment variable,
 * which is removed before any code of the program runs. Such a process opens a log only when it
 * first reads data: most (shells, ls, compilers) read none. */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_CHILD_PROCESSES_H
#define CUPPING_PRELOAD_ATTRIBUTION_CHILD_PROCESSES_H

#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Called once, by the constructor, with the arguments of main(): finds the root. */
void cup_child_loaded(int count, char **arguments);

/* This process descends from a task: if it has no log yet, it may need one. */
extern bool cup_child_waiting CUP_OURS;

/* This process was loaded with recording on, so its children are to be recorded as well. */
bool cup_child_follows(void);

/* The calling thread is not inside the library, nor in a child of vfork, which has its parent's
 * memory. Then it may open the log: with the guard held; errno is not kept. */
bool cup_child_may_open_log(void);
void cup_child_opens_log(void);

/* Rows of the lifecycle table. A new log says whose child this process is. */
void cup_child_process_forks(void);
void cup_child_begins(void);
void cup_child_log_opened(enum cup_log_size size);

/* The calling thread has just read data for no task of this process. */
void cup_child_read(void);

/* A read delivered BYTES: perhaps the answer of multiprocessing's forkserver, with the number of
 * the process that it forked for this task. Returns BYTES; keeps errno. */
void cup_child_named(const void *answer);
static inline ssize_t cup_child_answer(ssize_t bytes, const void *buffer)
{
    if (__builtin_expect(bytes == sizeof(int64_t), 0) && cup_active())
        cup_child_named(buffer);
    return bytes;
}

/* ---- exec ---------------------------------------------------------------------------------- */

/* The environment with which a program is to be started: ENVIRONMENT itself, or a copy with the
 * variable. Nothing is allocated, since this may run in a child of vfork: the caller keeps COPY, an
 * array of ROOM pointers (cup_child_room()), and TEXT on its stack until the program runs. */
enum { CUP_CHILD_TEXT = 48, CUP_CHILD_MOST_VARIABLES = 1000 };
size_t cup_child_room(char *const environment[]); /* 1: no copy is needed */
char *const *cup_child_environment(char *const environment[], char **copy, size_t room,
                                   char text[CUP_CHILD_TEXT]);

#endif
