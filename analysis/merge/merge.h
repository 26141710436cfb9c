/* Merges logs into one file, see include/merged_log.h. Each log is kept byte for byte, or with most
 * of its tasks summed up. The memory that this needs does not depend on the size of the logs; to
 * sum up tasks, it depends on how many one log has. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/error.h"

#define CUP_MERGE_LEAST_MEMORY (UINT64_C(32) << 20)
#define CUP_MERGE_USUAL_MEMORY (UINT64_C(512) << 20)

struct cup_merge_request {
    const char *const *inputs; /* logs, merged logs, and directories that hold such */
    size_t count;
    const char *output;
    uint64_t memory; /* bytes; at least CUP_MERGE_LEAST_MEMORY */
    unsigned tasks;  /* tasks of each kind that are kept when others are summed up (kept_tasks.h);
                        0: no task is summed up */
};

struct cup_merge_result {
    uint32_t logs;      /* in the merged log */
    uint32_t living;    /* of these: their processes still run here, so more will come */
    uint32_t summed;    /* of these: tasks are summed up in them now */
    uint32_t again;     /* logs that were found a second time, with the same name */
    uint64_t log_bytes; /* of all logs */
    uint64_t bytes;     /* of the merged log */
};

/* Replaces the output when all is written. Returns 0; or -1 and *error, and the output is as it
 * was. */
int cup_merge(const struct cup_merge_request *request, struct cup_merge_result *result,
              struct cup_error *error);
