/* Prepares the logs of a merged log for reports: see analysis/profile/load/prepared_log.h. */
#pragma once

#include <stdio.h>

#include "analysis/merge/sources.h"
#include "include/merged_log.h"

/* The merged log that is being written. It is complete but for its prepared logs. */
struct cup_prepare_request {
    const char *merged; /* path */
    const struct cup_merge_sources *sources;
    bool summed;                 /* tasks of logs were summed up: sources are not what was merged */
    struct cup_merged_log *logs; /* in the order of the sources */
};

/* Prepares all logs, on several threads. Writes their prepared forms to OUT, one after the other in
 * the order of the logs, and fills in where they are, from the beginning of OUT on. A log that
 * cannot be prepared gets none. */
void cup_prepare_logs(const struct cup_prepare_request *request, FILE *out);
