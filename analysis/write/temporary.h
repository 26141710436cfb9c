/* Temporary files and directories, which must not stay if a signal ends the program. */
#pragma once

/* A path that is being used, and one that is not any more. Any thread may call them. */
void cup_temporary_add(const char *path);
void cup_temporary_drop(const char *path);

/* From now on, SIGINT, SIGTERM and SIGHUP remove them before they end the process, unless it
 * ignores these signals. Call it before other threads start. */
void cup_temporary_remove_at_signals(void);
