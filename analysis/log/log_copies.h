/* Copies of one log: the file that a process wrote, and what merged logs have of it. They have the
 * same name. Which of them holds most is decided by their headers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/base/error.h"

struct cup_log_copy {
    uint64_t tasks; /* begun and ended */
    uint64_t records_end;
    int64_t stop_ns; /* 0: the process lives or was killed */
    uint64_t bytes;
    bool summed; /* its tasks are summed up */
    bool living; /* a file whose process still runs on this machine */
};

/* Reads what there is to know of the copy at PATH (log_bytes.h). A file that is no log has none of
 * it. Returns 0; or -1 and *error if it cannot be read or is a damaged merged log. */
int cup_log_copy_read(struct cup_log_copy *copy, const char *path, struct cup_error *error);

/* Negative: A holds more than B; positive: B holds more; 0: they hold the same. Compared in this
 * order: tasks; single tasks before tasks summed up; length of the records; time of the end; size
 * of the file. */
int cup_log_copy_order(const struct cup_log_copy *a, const struct cup_log_copy *b);
