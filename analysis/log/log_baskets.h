/* Reads the rows of BASKETS records, one for each branch. See log_format.h. */
#pragma once

#include "analysis/log/log_reader.h"

/* Values of sound rows are below this limit, so that sums over many rows do not overflow. */
#define CUP_BASKET_VALUE_LIMIT (UINT64_C(1) << 53)

struct cup_basket_row {
    uint32_t branch;               /* number in the process; 0: not known */
    uint64_t values[CUP_BV_COUNT]; /* values that the row does not have are 0 */
};

/* Iterates over the rows of one record. */
struct cup_basket_reader {
    struct cup_r_baskets fixed;
    struct cup_basket_row row; /* the current one */
    uint32_t count;            /* rows read so far */
    bool damaged; /* rows are missing: cut, impossible, or fewer than the record says */

    const unsigned char *at, *end; /* private */
};

/* The record must stay valid until the last row was read. */
void cup_basket_reader_start(struct cup_basket_reader *reader, const struct cup_record *record);

/* Reads the next row into reader->row. False after the last sound row; then `damaged` is final. */
bool cup_basket_reader_next(struct cup_basket_reader *reader);
