/* Processes that a task started: what they read counts for that task. And processes that have no
 * log yet when they read data.
 *
 * A process that a task started knows its parent task: the pid of the process that ran the task,
 * and the task's number there. A forked child has it in its memory. A program that is started by
 * exec gets it in an environment variable, which the library removes before any code of the program
 * runs. Such a process opens a log only when it first reads data: most (shells, ls, compilers) read
 * none. So does a child that a process with a log forks outside of its tasks.
 *
 * Any other process opens a log when it runs Python and opens a file of events (ROOT, Parquet), or
 * a remote one: the workers of a pool read those before they run a chunk of Coffea, or never run
 * one. */
#pragma once

#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Called once, by the constructor, with the arguments of main(): finds the parent task. */
void cup_child_loaded(int count, char **arguments);

/* A task started this process or one of its ancestors, or a process with a log forked it: when it
 * first reads data, it opens a log. Becomes false if that fails. */
extern bool cup_child_waiting CUP_OURS;

/* The calling thread may open the log: it is not inside the library, and not in a child of vfork,
 * which shares its parent's memory. */
bool cup_child_may_open_log(void);

/* Opens the log of this process. Guard held; changes errno. */
void cup_child_opens_log(void);

/* This process, which has no log, is about to read a file of events: opens its log if it runs
 * Python. True: it has a log. A process that waits for its first read is left to that. Guard held;
 * changes errno. */
bool cup_child_reads_events(void);

/* Rows of the lifecycle table. When a log opens, a PARENT record states the parent task. */
void cup_child_process_forks(void);
void cup_child_begins(void);
void cup_child_log_opened(enum cup_log_size size);

/* The calling thread has just read data for no task of this process. */
void cup_child_read(void);

/* A read delivered BYTES into a buffer. Perhaps this is the answer of multiprocessing's forkserver:
 * the pid of the process that it forked for this task. Then a CHILD record is written. Returns
 * BYTES; keeps errno. */
void cup_child_named(const void *answer);
static inline ssize_t cup_child_answer(ssize_t bytes, const void *buffer)
{
    if (__builtin_expect(bytes == sizeof(int64_t), 0) && cup_active())
        cup_child_named(buffer);
    return bytes;
}

/* ---- exec ---------------------------------------------------------------------------------- */

/* Returns the environment with which to start a program: ENVIRONMENT itself, or a copy of it with
 * the variable. Nothing is allocated, since this may run in a child of vfork: the caller keeps
 * COPY, an array of ROOM pointers (cup_child_room()), and TEXT on its stack until the program runs.
 */
enum { CUP_CHILD_TEXT = 48, CUP_CHILD_MOST_VARIABLES = 1000, CUP_CHILD_MOST_ON_SIGNAL_STACK = 100 };
size_t cup_child_room(char *const environment[]); /* 1: no copy is needed */
char *const *cup_child_environment(char *const environment[], char **copy, size_t room,
                                   char text[CUP_CHILD_TEXT]);

/* ---- system() ------------------------------------------------------------------------------- */

/* libc's system() starts its shell inside libc, where no hook sees it, with `environ` unchanged. So
 * cupping has its own system(), which starts the shell with the environment that a child of a task
 * needs. popen() has the same problem, but is left alone: its stream belongs to libc, so only
 * `environ` itself could be changed, while other threads use it.
 *
 * The hook of system() calls cup_shell_run() for COMMAND, not libc's function. In a process that is
 * to be recorded the answer never changes (except for commands that begin with - or +): each of the
 * two functions ignores SIGINT and restores it without knowing of the other, so if both ran at the
 * same time, SIGINT could stay ignored. */
bool cup_shell_is_ours(const char *command);

/* Does what libc's system() does, and returns what that returns. */
int cup_shell_run(const char *command);
