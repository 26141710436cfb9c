/* Opens merged logs (include/merged_log.h), for log_bytes.h and for those who list logs. Readers of
 * one file share its index and dictionary. No number in the file is trusted. All functions may be
 * called by several threads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/error.h"
#include "analysis/base/intern.h"
#include "analysis/log/packed_block.h"
#include "include/merged_log.h"

struct cup_merged {
    int fd;
    struct cup_merged_header header;
    const struct cup_merged_log *logs; /* in the order of their names */
    const struct cup_merged_block *blocks;
    const char *names;
    struct cup_text collected; /* JSON; empty: nothing was collected */
    struct cup_dictionary dictionary;

    /* Private. */
    char *path;
    unsigned char *index;   /* owned; logs, blocks and names */
    uint64_t device, inode; /* of the file that was opened */
    int64_t changed_ns;
    unsigned users;
    struct cup_merged *next;
};

/* True if the file at PATH begins like a merged log. */
bool cup_merged_is(const char *path);

/* Opens a merged log, or another time what is open already. NULL and *error if it is no sound one.
 */
struct cup_merged *cup_merged_open(const char *path, struct cup_error *error);
void cup_merged_close(struct cup_merged *merged);

/* The file name of a log, not NUL-terminated. */
struct cup_text cup_merged_name(const struct cup_merged *merged, const struct cup_merged_log *log);

/* NULL if no log has this name. */
const struct cup_merged_log *cup_merged_find(const struct cup_merged *merged, const char *name);

/* The number of bytes in block I of a log. */
size_t cup_merged_block_bytes(const struct cup_merged *merged, const struct cup_merged_log *log,
                              uint64_t i);
