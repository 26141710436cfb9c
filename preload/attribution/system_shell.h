/* system() starts its shell inside libc, past every hook, with `environ` as it is. Here it is given
 * the environment that a child of a task is to have; see child.h. (popen() does likewise, and is
 * left alone: its file belongs to libc, so only `environ` itself could be changed, under other
 * threads.)
 */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_SYSTEM_SHELL_H
#define CUPPING_PRELOAD_ATTRIBUTION_SYSTEM_SHELL_H

#include <stdbool.h>

/* This process was started under cupping: its system() is ours from first to last. Two that do not
 * know of each other, at one time, would leave SIGINT ignored. */
bool cup_shell_is_ours(const char *command);

/* In a forked child: what other threads held is free. */
void cup_shell_forked(void);

/* As libc's does, for a thread that works for a task or not. */
int cup_shell_run(const char *command);

#endif
