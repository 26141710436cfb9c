/* What was done to one file, summed up over prefixes. */
#ifndef CUPPING_ANALYSIS_PROFILE_FILES_H
#define CUPPING_ANALYSIS_PROFILE_FILES_H

#include "analysis/profile/profile.h"

/* All prefixes together; `prefix` and `next` of it mean nothing. */
struct cup_file_sum cup_file_total(const struct cup_profile *profile, uint32_t file);

/* Indexes of the files of a class (0: of all that are files, which peers of sockets are not;
 * of peers: of those that are no Dask servers), by
 * the bytes that came from them, peers also by those sent, the most first; *count of them.
 * Allocated, the caller frees; NULL without memory. */
uint32_t *cup_files_by_bytes(const struct cup_profile *profile, uint32_t class, size_t *count);

/* "data", "import", "spill", ... */
const char *cup_file_class_name(uint32_t class);

/* Names and texts of the counters, as in the log's format. */
extern const char *const cup_file_counter_names[CUP_FILE_COUNTER_COUNT];

#endif
