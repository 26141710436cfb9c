/* Reads the trees of a run's files when the report is made: each tree once, only so many files, and
 * only files that have not changed since they were read. */
#ifndef CUPPING_ANALYSIS_ROOT_FILE_FACTS_H
#define CUPPING_ANALYSIS_ROOT_FILE_FACTS_H

#include "analysis/base/intern.h"
#include "analysis/root/root_file.h"

/* Limits of files and time: a report should not take long. Further files are not opened. */
enum { CUP_FILES_EXAMINED = 1000, CUP_FILES_SECONDS = 2 };

struct cup_file_fact {
    const char
        *reason; /* why nothing is known, to be printed after "n/a: "; NULL: `tree` is known */
    struct cup_root_tree tree; /* valid if there is no reason */
};

struct cup_file_facts; /* all files so far */

/* DIRECTORY: where files are searched for that are not at their path, by the longest end of the
 * path that exists there; NULL: nowhere. STOP_NS: end of the run, since the epoch; 0: not known.
 * Returns NULL without memory, or if there is no such directory; *error says which. */
struct cup_file_facts *cup_file_facts_open(const char *directory, int64_t stop_ns,
                                           struct cup_error *error);

/* The facts of a tree in a file. PATH is as in the log: a path, a "file://" URL, or, with a
 * directory, any URL. SIZE is as in the log; 0: not known, and the file is not opened. Equal
 * arguments get the same answer. Never NULL; owned by FACTS and valid until they are freed. */
const struct cup_file_fact *cup_file_facts(struct cup_file_facts *facts, struct cup_text path,
                                           uint64_t size, struct cup_text tree);

/* Number of files that were not opened because of the limits. */
uint64_t cup_file_facts_left_out(const struct cup_file_facts *facts);

void cup_file_facts_free(struct cup_file_facts *facts);

#endif
