/* The tails of BASKETS records: a row for each branch. See log_format.h. */
#ifndef CUPPING_ANALYSIS_LOG_LOG_BASKETS_H
#define CUPPING_ANALYSIS_LOG_LOG_BASKETS_H

#include "analysis/log/log_reader.h"

/* A value of a sound row is below this: sums of very many still fit. */
#define CUP_BASKET_VALUE_LIMIT (UINT64_C(1) << 53)

struct cup_basket_row {
    uint32_t branch;               /* number in its process; 0: not known */
    uint64_t values[CUP_BV_COUNT]; /* those that are not told are 0 */
};

/* The rows of one record, from first to last. */
struct cup_basket_reader {
    struct cup_r_baskets fixed;
    struct cup_basket_row row; /* the last one that was handed out */
    uint32_t count;            /* of those */
    bool damaged;              /* rows are missing: cut, impossible, or not as many as told */

    const unsigned char *at, *end; /* the iterator's own */
};

/* The record stays where it is until the last row was handed out. */
void cup_basket_reader_start(struct cup_basket_reader *reader, const struct cup_record *record);

/* The next one into reader->row; false after the last sound one: then `damaged` is settled. */
bool cup_basket_reader_next(struct cup_basket_reader *reader);

#endif
