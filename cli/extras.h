/* What some outputs need in addition to the totals of a run: the ROOT files that were read, and the
 * stacks. Each is made before the output is written and freed after it. */
#ifndef CUPPING_CLI_EXTRAS_H
#define CUPPING_CLI_EXTRAS_H

#include "analysis/metrics/functions/call_tree.h"
#include "analysis/metrics/reads/file_shares.h"

/* Writes what a verb's REQUEST asks for. Returns 0, or -1 and *error. */
typedef int cup_request_writer(const void *request, struct cup_totals *totals,
                               struct cup_error *error);

/* Calls WRITE with totals->shares: the files of the run that are found at their own paths or below
 * DIRECTORY (NULL: at their own paths only). Returns as above. */
int cup_write_with_files(cup_request_writer *write, const void *request, struct cup_totals *totals,
                         const char *directory, struct cup_error *error);

/* Calls WRITE with totals->calls: the stacks of the tasks that ASK selects. Returns as above. */
int cup_write_with_stacks(cup_request_writer *write, const void *request, struct cup_totals *totals,
                          const struct cup_call_ask *ask, struct cup_error *error);

#endif
