/* Processes that a task started: what they read is read for that task.
 *
 * Each has a root: the process that ran the task, and the task's number there. It is handed on by
 * fork in memory, and by exec in one more environment variable, which is taken away again before
 * any code of the program runs. Such a process opens a log when it first reads data, never
 * before: most (shells, ls, compilers) read none. */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_CHILD_PROCESSES_H
#define CUPPING_PRELOAD_ATTRIBUTION_CHILD_PROCESSES_H

#include "preload/lifecycle/thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Called once, by the constructor: who started this process? */
void cup_child_loaded(int count, char **arguments);

/* Around a fork. */
void cup_child_before_fork(void);
void cup_child_forked(void);

/* This process descends from a task: if it has no log, it may need one. */
extern bool cup_child_waiting CUP_OURS;

/* This process was started to be recorded. Set once, at load. */
bool cup_child_follows(void);

/* Before a call on FD, which READS it or not, in a process that may have no log: for a data file
 * that is read there must be one now. Keeps errno. */
void cup_child_reads(int fd);
static inline void cup_child_before(bool reads, int fd)
{
    if (__builtin_expect(cup_child_waiting, 0) && reads && !cup_active())
        cup_child_reads(fd);
}

/* The same before a read of a file to which no descriptor leads. */
void cup_child_fetches(void);

/* The log was opened: says in it whose child this is. */
void cup_child_log_opened(void);

/* Data were read for no task of this process, just now. */
void cup_child_read(void);

/* A read delivered BYTES: perhaps multiprocessing's forkserver tells which process it forked for
 * this task. Returns BYTES; keeps errno. */
void cup_child_named(const void *answer);
static inline ssize_t cup_child_answer(ssize_t bytes, const void *buffer)
{
    if (__builtin_expect(bytes == sizeof(int64_t), 0) && cup_active())
        cup_child_named(buffer);
    return bytes;
}

/* ---- exec ---------------------------------------------------------------------------------- */

/* The environment with which a program is to be started: ENVIRONMENT itself, or a copy with the
 * variable. Nothing is allocated, since it may be called in a child of vfork: the caller has ROOM
 * pointers and a text on its stack until the program runs. */
enum { CUP_CHILD_TEXT = 48, CUP_CHILD_MOST_VARIABLES = 1000 };
size_t cup_child_room(char *const environment[]); /* 1: no copy is needed */
char *const *cup_child_environment(char *const environment[], char **copy, size_t room,
                                   char text[CUP_CHILD_TEXT]);

#endif
