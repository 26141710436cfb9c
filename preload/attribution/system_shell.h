/* libc's system() starts its shell inside libc, where no hook sees it, with `environ` unchanged. So
 * cupping has its own system(), which starts the shell with the environment that a child of a task
 * needs; see child_processes.h. popen() has the same problem, but is left alone: its stream belongs
 * to libc, so only `environ` itself could be changed, while other threads use it. */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_SYSTEM_SHELL_H
#define CUPPING_PRELOAD_ATTRIBUTION_SYSTEM_SHELL_H

#include <stdbool.h>

/* The hook of system() calls cup_shell_run() for COMMAND, not libc's function. In a process that is
 * to be recorded the answer never changes (except for commands that begin with - or +): each of the
 * two functions ignores SIGINT and restores it without knowing of the other, so if both ran at the
 * same time, SIGINT could stay ignored. */
bool cup_shell_is_ours(const char *command);

/* In a forked child: frees the lock, which another thread of the parent may have held. */
void cup_shell_forked(void);

/* Does what libc's system() does, and returns what that returns. */
int cup_shell_run(const char *command);

#endif
