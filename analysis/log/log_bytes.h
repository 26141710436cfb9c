/* The bytes of one log: of a file, or of a log in a merged log. The path of the latter is that of
 * the merged log, "/" and the name of the log, as if the merged log were a folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/log/merged_log.h"

struct cup_log_bytes {
    int fd;                           /* -1: none is open, or the log is in `merged` */
    struct cup_merged *merged;        /* NULL: a file */
    const struct cup_merged_log *log; /* in `merged` */
    bool damaged;                     /* a block could not be unpacked, and was read as zeros */

    /* Private. */
    struct cup_packer *packer;
    unsigned char *block;  /* owned; unpacked */
    unsigned char *packed; /* owned */
    uint64_t number;       /* of that block; UINT64_MAX: none */
};

/* Returns 0, or -1 and errno, with *error where it says more than that. */
int cup_log_bytes_open(struct cup_log_bytes *bytes, const char *path, struct cup_error *error);

/* The same with *ERROR in any case. */
int cup_log_bytes_open_or_report(struct cup_log_bytes *bytes, const char *path,
                                 struct cup_error *error);

/* *ERROR says that a block could not be unpacked (`damaged`). Returns -1. */
int cup_log_bytes_refuse(const char *path, struct cup_error *error);

/* Finds out the size. Returns 0, or -1 and errno; *regular says whether it is a regular file. */
int cup_log_bytes_size(const struct cup_log_bytes *bytes, uint64_t *size, bool *regular);

/* Reads up to COUNT bytes at OFFSET. Returns the number of bytes read: fewer at the end of the log
 * or if a read failed. */
size_t cup_log_bytes_read(struct cup_log_bytes *bytes, void *to, size_t count, uint64_t offset);

/* How many bytes to read at OFFSET instead of COUNT, so that the next read begins at a block of the
 * merged log and need not unpack this one again: up to a block more. COUNT for a file. */
size_t cup_log_bytes_whole(const struct cup_log_bytes *bytes, uint64_t offset, size_t count);

void cup_log_bytes_close(struct cup_log_bytes *bytes);
