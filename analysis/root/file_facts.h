/* The files of a run, examined when the report is made: each tree once, within bounds, and only
 * where the file is still the one that was read. */
#ifndef CUPPING_ANALYSIS_ROOT_FILE_FACTS_H
#define CUPPING_ANALYSIS_ROOT_FILE_FACTS_H

#include "analysis/base/intern.h"
#include "analysis/root/root_file.h"

/* Beyond these no further file is opened: a report is to come at once. */
enum { CUP_FILES_EXAMINED = 1000, CUP_FILES_SECONDS = 2 };

struct cup_file_fact {
    const char *reason;        /* why nothing is known, after "n/a: "; NULL: it is */
    struct cup_root_tree tree; /* where it is */
};

struct cup_file_facts; /* what was found so far */

/* `directory`: where to look for files that are not at their path (by the longest tail of the path
 * that exists there); NULL: nowhere. `stop_ns`: when the run ended, since the epoch; 0: not known.
 * Returns NULL without memory, or, with a reason in *error, if there is no such directory. */
struct cup_file_facts *cup_file_facts_open(const char *directory, int64_t stop_ns,
                                           struct cup_error *error);

/* Of the tree named `tree` in the file that the log has as `path`: a path or "file://" URL, or,
 * with a directory, any URL. `size` is what the log has; 0: not known, and the file is not
 * examined. The same names get the same answer. Never NULL; it is valid until the facts are freed,
 * and owned by them. */
const struct cup_file_fact *cup_file_facts(struct cup_file_facts *facts, struct cup_text path,
                                           uint64_t size, struct cup_text tree);

/* Files that were not opened because of the bounds. */
uint64_t cup_file_facts_left_out(const struct cup_file_facts *facts);

void cup_file_facts_free(struct cup_file_facts *facts);

#endif
