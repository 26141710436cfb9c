/* Rows of BASKETS records: coded as log_format.h says, and written a few KiB at a time. */
#ifndef CUPPING_PRELOAD_ROOT_BASKET_ROWS_H
#define CUPPING_PRELOAD_ROOT_BASKET_ROWS_H

#include "include/log_format.h"

#include <stddef.h>

enum { CUP_BASKET_ROWS_BYTES = 4096 };

/* Rows of one task, file and source. They come in the order of branches, as often as need be from
 * the first one on: what the log holds of them adds up. */
struct cup_basket_rows {
    uint32_t task, file, path;
    enum cup_baskets_source source;
    uint32_t rows;    /* in bytes */
    uint64_t baskets; /* in those rows */
    uint64_t before[CUP_BV_COUNT];
    uint32_t branch; /* of the last row */
    size_t used;
    unsigned char bytes[CUP_BASKET_ROWS_BYTES];
};

void cup_basket_rows_begin(struct cup_basket_rows *rows, uint32_t task, uint32_t file,
                           uint32_t path, enum cup_baskets_source source);

/* VALUES are CUP_BV_COUNT. */
void cup_basket_rows_add(struct cup_basket_rows *rows, uint32_t branch, const uint64_t *values);

/* Writes what is left, if there is anything. */
void cup_basket_rows_end(struct cup_basket_rows *rows);

/* A record without rows: baskets that passed by, of branches that are in no row. */
void cup_basket_rows_passed(const struct cup_basket_rows *rows, uint32_t baskets, uint64_t bytes);

/* Codes one row to AT, which has CUP_BASKET_ROW_LONGEST bytes; returns its length. BEFORE, the
 * values of the row before, becomes this row's. */
enum { CUP_BASKET_ROW_LONGEST = 10 * (CUP_BV_COUNT + 2) };
size_t cup_basket_row_code(unsigned char *at, uint32_t branch_step, const uint64_t *values,
                           uint64_t *before);

#endif
