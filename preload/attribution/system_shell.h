/* libc's system() starts its shell inside libc, where no hook sees it, with `environ` unchanged.
 * This one starts the shell with the environment that a child of a task has; see child_processes.h.
 * popen() has the same problem, but is left alone: its stream belongs to libc, so only `environ`
 * itself could be changed, while other threads use it. */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_SYSTEM_SHELL_H
#define CUPPING_PRELOAD_ATTRIBUTION_SYSTEM_SHELL_H

#include <stdbool.h>

/* COMMAND is to be run by cup_shell_run(). In a process that is to be recorded that is so from the
 * first call to the last: libc's system() and ours do not know of each other, and two that run at
 * the same time would leave SIGINT ignored. */
bool cup_shell_is_ours(const char *command);

/* In a forked child: a lock that another thread of the parent held is free. */
void cup_shell_forked(void);

/* Does what libc's system() does, and returns what that returns. */
int cup_shell_run(const char *command);

#endif
