/* Writes a log in which most tasks are summed up by prefix: include/log_format.h, SUM records. */
#pragma once

#include <stdint.h>

#include "analysis/base/error.h"

struct cup_summary_request {
    const char *path;   /* of the log, as in log_bytes.h */
    const char *output; /* a file, which is replaced */
    unsigned tasks;     /* to keep, as in kept_tasks.h */
    uint64_t memory;    /* bytes that the tasks of the log may take */
};

/* Returns 1; 0 if the log has to stay as it is, because it is damaged or old, has no tasks to sum
 * up, or is such a log already; or -1 and *error. Only with 1 the output is there. */
int cup_summary_write(const struct cup_summary_request *request, struct cup_error *error);
