/* The table of `cupping export --to replay`, in memory: requests in the order of time, each on a
 * stream. A stream is what one thread of a process can repeat: requests that follow each other. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analysis/base/error.h"
#include "analysis/base/intern.h"

struct cup_replay_part {
    uint64_t offset, bytes;
};

struct cup_replay_request {
    int64_t start_ns, ns;   /* as recorded; the first request of a table may begin later than 0 */
    uint64_t bytes;         /* of all parts */
    uint32_t file, process; /* texts of `files` and `processes` */
    uint32_t parts;         /* at least 1; more: a vector read */
    size_t first_part;
    uint32_t stream; /* index in `streams` */
    size_t next;     /* index + 1 of the stream's next request; 0: none */
};

struct cup_replay_stream {
    uint32_t process;
    size_t first, last; /* requests */
    int64_t stop_ns;    /* of the last one */
};

struct cup_replay_table {
    struct cup_intern files, processes;
    struct cup_replay_request *requests; /* owned */
    struct cup_replay_part *parts;       /* owned */
    struct cup_replay_stream *streams;   /* owned */
    size_t request_count, request_room, part_count, part_room, stream_count, stream_room;
};

/* Reads a table. Returns 0, or -1 and *error, with nothing to free. */
int cup_replay_table_read(struct cup_replay_table *table, const char *path,
                          struct cup_error *error);

void cup_replay_table_free(struct cup_replay_table *table);
