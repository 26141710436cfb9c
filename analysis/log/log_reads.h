/* Reads READS records: single reads, one after the other. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/log/log_reader.h"

struct cup_read_row {
    uint32_t task; /* 0: none */
    uint32_t own;  /* enum cup_block_kind */
    uint32_t file; /* FILE record */
    bool is_part;  /* of the vector read of the row before, with the same times */
    uint64_t offset, bytes;
    int64_t start_ns;
    uint64_t ns;
};

struct cup_read_rows {
    struct cup_read_row row; /* the current one */
    bool damaged;            /* rows that follow could not be read */

    /* The rest is private. */
    const unsigned char *at, *end;
    int64_t start_ns; /* of the record */
    uint64_t units;   /* the begin of the current row since then */
};

void cup_read_rows_start(struct cup_read_rows *rows, const struct cup_record *record);

/* Reads the next row; false after the last one, or at damage. */
bool cup_read_rows_next(struct cup_read_rows *rows);
