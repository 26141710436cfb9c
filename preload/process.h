/* This process and its log: off, wanted, open. */
#ifndef CUPPING_PRELOAD_PROCESS_H
#define CUPPING_PRELOAD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* A profile directory is set and the library is not disabled. */
bool cup_process_wanted(void);

/* Opens the log if it is not: called at the first task, server tick or chunk. False: there is
 * none and will be none. */
bool cup_process_log(void);

/* Likewise, when a process that a task started first reads data: a small one. Needs no GIL. */
bool cup_process_child_log(void);

/* Features found and remarks made before the log is open are kept for it. */
void cup_process_feature(uint64_t bits);
void cup_process_remark(const char *what, const char *why);

/* What was taken to be there is not, after all. */
void cup_process_lacks(uint64_t bits, const char *note);

/* The process ends: marks the log. */
void cup_process_ends(void);

#endif
