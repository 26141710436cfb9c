/* Whether this process records, and its log: off, wanted, open. The log opens late, at the first
 * thing that there is to record. */
#ifndef CUPPING_PRELOAD_LIFECYCLE_RECORDING_H
#define CUPPING_PRELOAD_LIFECYCLE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

/* Called by the constructor, if a log is wanted: one in DIRECTORY (made absolute here, since the
 * program may change its directory) of at most MAX_BYTES. HOOKS: how many functions are wrapped.
 * VERBOSE: one line on the standard error output when the log opens. False: the path is too long,
 * and nothing will be recorded. */
bool cup_recording_want(const char *directory, uint64_t max_bytes, uint32_t hooks, bool verbose);
bool cup_recording_wanted(void);

/* Opens the log if it is not open yet: at the first task, server tick, chunk or section. False:
 * there is none, and there will be none. May be called by several threads. Guard held; changes
 * errno. */
bool cup_recording_open(void);

/* The same in a process that a task started, when it first reads data: a small log. No GIL is
 * needed. */
bool cup_recording_open_for_child(void);

/* What this process can record, in the header of its log: added and taken away before the log
 * opens, or while it is open. */
void cup_recording_add_feature(uint64_t bits);
void cup_recording_drop_feature(uint64_t bits, const char *what, const char *why);

/* A remark for the user, "WHAT: WHY": in every log that this process or a forked child opens from
 * now on, and in the one that is open. At most eight are kept. */
void cup_recording_note(const char *what, const char *why);

/* The process ends: what is left is written, and the log is marked as complete. Any thread, with or
 * without the guard; keeps errno. Does nothing in a child of vfork. */
void cup_recording_end(void);

/* Rows of the lifecycle table. */
void cup_recording_process_forks(void);
void cup_recording_child_begins(void);

#endif
