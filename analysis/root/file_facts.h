/* Reads the trees of the files of a run when the report is made: each tree once, only up to the
 * limits below, and only from files that have not changed since the run. */
#pragma once

#include "analysis/base/intern.h"
#include "analysis/root/root_file.h"

/* A report should not take long: it opens at most so many files, and none after so many seconds. */
enum { CUP_FILES_EXAMINED = 1000, CUP_FILES_SECONDS = 2 };

struct cup_file_fact {
    const char
        *reason; /* why nothing is known, to be printed after "n/a: "; NULL: `tree` is known */
    struct cup_root_tree tree; /* valid if there is no reason */
};

struct cup_file_facts; /* all files that were looked up so far */

/* DIRECTORY: where to search for files that are not at their path. For /a/b/c.root this tries
 * DIRECTORY/a/b/c.root, then DIRECTORY/b/c.root, then DIRECTORY/c.root. NULL: no search. STOP_NS:
 * end of the run, since the epoch; 0: not known. Returns NULL with *error set if there is no such
 * directory, or without memory. */
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
