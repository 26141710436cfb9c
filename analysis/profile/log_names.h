/* The logs of a profile directory, by their names, and which profile directory is the newest. */
#pragma once

#include <stddef.h>

#include "analysis/base/error.h"

struct cup_log_names {
    char **names; /* owned, and so are the paths in it, sorted */
    size_t count, room;
};

/* Lists the logs of DIRECTORY, which may be a merged log; a directory may hold merged logs, too.
 * The paths are those of log_bytes.h. Of a log that is there several times, the copy that holds
 * most is listed. Returns 0, or -1 and *error if there is none or the directory cannot be read. The
 * caller frees the names in both cases. */
int cup_log_names_list(struct cup_log_names *names, const char *directory, struct cup_error *error);

/* The order of `names`, for bsearch(): both arguments point to a path. */
int cup_log_name_order(const void *left, const void *right);

/* Lists the merged logs in DIRECTORY. Returns 0; or -1 if it cannot be read, or without memory. The
 * caller frees the names in both cases. */
int cup_merged_list(struct cup_log_names *names, const char *directory);
void cup_log_names_free(struct cup_log_names *names);

/* Why a profile directory may hold no log. */
#define CUP_WHY_NO_LOG                                                                             \
    "no process with the library ran a Dask server, a task, a section, or a chunk or call of "     \
    "Coffea's Runner, or opened a ROOT or Parquet file, or any file over XRootD, in Python"

/* How many logs DIRECTORY holds; 0 also if it cannot be read. */
size_t cup_log_names_count(const char *directory);

/* Finds the profile that a verb reads if none is named: of the directories ./cupping-* that hold
 * logs, the one whose newest log began last. Those of this user come first. Returns its path,
 * allocated; NULL if there is none. What ./cupping-latest points to is found under its own name. */
char *cup_newest_profile(void);
