/* What a file is for, by its path: data, part of a program, spilled by a Dask worker, or a log. */
#pragma once

#include "include/log_format.h"

#include <stdbool.h>
#include <sys/stat.h>

enum { CUP_PATH_LONGEST = 4096 };

/* Class of FD, whose fstat() gave STATUS. PATH is set only where the class depends on it: for
 * regular files, and for character devices, because terminals count as pipes. Any thread; changes
 * errno. */
enum cup_file_class cup_file_classify(int fd, const struct stat *status,
                                      char path[CUP_PATH_LONGEST]);

/* Class of a regular file: IMPORT, SPILL or DATA; OTHER for logs of the job, /proc, /sys and memory
 * files. Any thread. */
enum cup_file_class cup_file_class_of(const char *path);

/* From now on files below DIRECTORY, a Dask worker's own, are spilled data. Takes the log's lock.
 */
void cup_file_class_add_spill_directory(const char *directory);

/* Removes all spill directories. Called in a forked child, and when a log is opened. */
void cup_file_class_reset(void);

/* PATH, as a program gives it to open(), is certain to be a regular file that is IMPORT: it ends in
 * .pyc. A worker opens some thousand of these when it starts. */
bool cup_file_is_compiled(const char *path);

/* PATH ends in .pyc or .py: where no compiled file can be written, Python reads the source. */
bool cup_file_is_module(const char *path);

/* PATH, as a program gives it to open(), is certain to be a file of the kernel, below /proc or
 * /sys, and no link there to a file of a process: OTHER. */
bool cup_file_is_of_kernel(const char *path);

/* PATH ends in .root. */
bool cup_file_is_called_root(const char *path);

/* How the paths of files of events end. */
#define CUP_EVENT_FILE_ENDINGS ".root", ".parquet"

/* PATH ends in one of them. */
bool cup_file_is_called_events(const char *path);
