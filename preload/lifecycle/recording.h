/* Whether this process records. If it does, its log opens late: when there is something to record
 * for the first time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Called by the constructor if this process is to be recorded. The log will be in DIRECTORY, of at
 * most MAX_BYTES. A relative DIRECTORY is made absolute now, since the program may change its
 * working directory before the log opens. HOOKS: how many functions are wrapped. VERBOSE: print one
 * line to standard error when the log opens. If no log can be opened, one line says so in any case,
 * when there is something to record. */
void cup_recording_want(const char *directory, uint64_t max_bytes, uint32_t hooks, bool verbose);
bool cup_recording_wanted(void);

/* Opens the log unless it is open. Called at each task, server tick, chunk and section. False:
 * there is no log, and there will be none. Several threads may call this at the same time. Guard
 * held; changes errno. */
bool cup_recording_open(void);

/* Opens a small log (CUP_LOG_CHILD) in a process that a task started, when it first reads data.
 * Otherwise as cup_recording_open(). Needs no GIL. */
bool cup_recording_open_for_child(void);

/* Adds to, and removes from, the features that this process can record (enum cup_feature), before
 * the log opens or while it is open. They are in the header of the log. Removing one leaves a note,
 * "WHAT: WHY". */
void cup_recording_add_feature(uint64_t bits);
void cup_recording_drop_feature(uint64_t bits, const char *what, const char *why);

/* Writes a NOTE record for the user, "WHAT: WHY", into the log that is open and into every log that
 * this process or a forked child opens later. A process keeps at most 31 notes, and none twice;
 * after those a last one says that there were more. */
void cup_recording_note(const char *what, const char *why);

/* The process ends: writes what is left to record, and marks the log as complete. Called by any
 * thread, with or without the guard; keeps errno. Does nothing in a child of vfork. */
void cup_recording_end(void);

/* Rows of the lifecycle table. */
void cup_recording_process_forks(void);
void cup_recording_child_begins(void);
