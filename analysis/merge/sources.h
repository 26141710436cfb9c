/* The logs that a merge reads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/error.h"
#include "analysis/log/log_bytes.h"
#include "analysis/log/log_copies.h"
#include "analysis/profile/log_names.h"
#include "include/log_format.h"

struct cup_merge_source {
    char *path;       /* owned; as in log_bytes.h */
    const char *name; /* its last part */
    struct cup_log_copy copy;
};

struct cup_merge_sources {
    struct cup_merge_source *sources; /* owned; in the order of their names */
    size_t count, room;
    size_t again; /* logs that were left out, because there is one of the same name */
};

/* Finds the logs of INPUTS. Of several with the same name it keeps the one that holds most. Returns
 * 0; or -1 and *error if an input has no log or cannot be read. The caller frees the sources in
 * both cases. */
int cup_merge_sources_find(struct cup_merge_sources *sources, const char *const *inputs,
                           size_t count, struct cup_error *error);
void cup_merge_sources_free(struct cup_merge_sources *sources);

/* The paths of the sources. Returns 0, or -1 without memory. Free only the array `names`. */
int cup_merge_sources_list(const struct cup_merge_sources *sources, struct cup_log_names *list);

/* Reads a log from its begin to its end. */
struct cup_merge_stream {
    const struct cup_merge_source *source;
    struct cup_log_bytes bytes;
    uint64_t offset;
    uint64_t size; /* when it was opened */

    /* Private. What a process that may still run changes in place, as it was when the log was
     * opened: what comes before the records, and the regions inside ROOM records. */
    struct cup_merge_part {
        unsigned char *bytes; /* owned */
        uint64_t offset, count;
    } parts[1 + CUP_REGION_ROOM];
    size_t part_count; /* 0: the log cannot change any more */
};

/* Returns 0, or -1 and *error. */
int cup_merge_stream_open(struct cup_merge_stream *stream, const struct cup_merge_source *source,
                          struct cup_error *error);

/* Reads the next COUNT bytes. Returns 0; or -1 and *error if the log has become shorter. */
int cup_merge_stream_read(struct cup_merge_stream *stream, void *to, size_t count,
                          struct cup_error *error);
void cup_merge_stream_close(struct cup_merge_stream *stream);

/* Copies the log PATH into a new file if its process may still write it, so that it can be read
 * more than once. Returns 1; 0 if there is nothing to copy, because the log cannot change any more
 * or cannot be opened; or -1 and *error. */
int cup_merge_freeze(const char *path, const char *output, struct cup_error *error);
