/* Rows of BASKETS records: encoded as log_format.h says, and written to the log a few KiB at a
 * time. */
#pragma once

#include "include/log_format.h"

#include <stddef.h>

enum { CUP_BASKET_ROWS_BYTES = 4096 };

/* Rows of one task, file and source, in the order of branches. Further series of rows of the same
 * task, file and source may follow: a reader of the log adds them up. */
struct cup_basket_rows {
    uint32_t task, file, path;
    enum cup_baskets_source source;
    uint32_t rows;       /* encoded in BYTES */
    uint32_t incidental; /* as in struct cup_r_baskets */
    uint64_t incidental_bytes;
    uint64_t baskets; /* that the record counts */
    uint64_t before[CUP_BV_COUNT];
    uint32_t branch; /* of the last row */
    size_t used;
    unsigned char bytes[CUP_BASKET_ROWS_BYTES];
};

void cup_basket_rows_begin(struct cup_basket_rows *rows, uint32_t task, uint32_t file,
                           uint32_t path, enum cup_baskets_source source);

/* Adds the row of BRANCH. VALUES: CUP_BV_COUNT of them. */
void cup_basket_rows_add(struct cup_basket_rows *rows, uint32_t branch, const uint64_t *values);

/* Writes the rows that are not written yet. */
void cup_basket_rows_end(struct cup_basket_rows *rows);

/* Adds baskets that were read ahead, of branches that have no row, to the record that is written
 * next; if there is no row, this is all that it has. */
void cup_basket_rows_passed(struct cup_basket_rows *rows, uint32_t baskets, uint64_t bytes);

/* Encodes one row to AT, which has room for CUP_BASKET_ROW_LONGEST bytes. BEFORE: the values of the
 * row before; they become this row's. Returns the length of the encoded row. */
enum { CUP_BASKET_ROW_LONGEST = 10 * (CUP_BV_COUNT + 2) };
size_t cup_basket_row_code(unsigned char *at, uint32_t branch_step, const uint64_t *values,
                           uint64_t *before);
