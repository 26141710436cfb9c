/* Writes anonymous copies of logs: hosts, users, paths, keys, datasets and texts of errors become
 * aliases (aliases.h). Sizes, times, counters, and names in code, trees and branches stay. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analysis/base/error.h"

struct cup_anonymous_copy {
    const char *const *inputs; /* logs, merged logs, and directories that hold such */
    size_t count;
    const char
        *directory; /* must exist and be empty; gets a log for each log, and collected.json */
};

struct cup_anonymous_result {
    uint32_t unreadable; /* logs that were left out */
    uint32_t living;     /* logs whose processes still run here */
    uint32_t again;      /* logs that were found a second time, with the same name */
};

/* Logs that cannot be read are left out; so are damaged parts, and records of newer versions. All
 * names are in memory at once. Returns 0, or -1 and *error. */
int cup_anonymize(const struct cup_anonymous_copy *copy, struct cup_anonymous_result *result,
                  struct cup_error *error);
