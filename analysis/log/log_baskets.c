/* A million tasks that read twenty branches each have about a hundred million numbers here, most of
 * one to three bytes: hence the inlining. */
#include "analysis/log/log_baskets.h"

#include "analysis/log/log_number.h"
#include "include/log_pairs.h"

enum { PLAIN, DELTA };

/* Reads the values of a row, each by code of its own, which is faster than a loop over the set
 * bits. PLAIN values that are left out are 0; DELTA values stay as in the row before. Values that
 * only newer versions know are skipped. False at an impossible value. */
static inline bool take_values(struct cup_basket_row *row, const unsigned char **from,
                               const unsigned char *end, uint64_t bits)
{
    const unsigned char *at = *from; /* stays in a register; *from is in memory */
    uint64_t number, all = 0;
#define X(id, name, kind, text)                                                                    \
    if (!(bits >> CUP_BV_##id & 1))                                                                \
        number = (kind) == DELTA ? row->values[CUP_BV_##id] : 0;                                   \
    else if (!cup_number_next(&at, end, &number))                                                  \
        return false;                                                                              \
    else if ((kind) == DELTA)                                                                      \
        number = cup_pairs_undo(number, row->values[CUP_BV_##id]);                                 \
    all |= row->values[CUP_BV_##id] = number;
    CUP_BASKET_VALUES(X)
#undef X
    for (bits >>= CUP_BV_COUNT; bits; bits &= bits - 1)
        if (!cup_number_next(&at, end, &number))
            return false;
    *from = at;
    return all < CUP_BASKET_VALUE_LIMIT;
}

/* True if the values contradict each other. */
static inline bool is_impossible(const struct cup_basket_row *row)
{
    const uint64_t *v = row->values;
    return v[CUP_BV_AGAIN] > v[CUP_BV_BASKETS] || v[CUP_BV_AGAIN_BYTES] > v[CUP_BV_COMPRESSED] ||
           v[CUP_BV_FIRST_BYTES] > v[CUP_BV_COMPRESSED] ||
           v[CUP_BV_LAST_BYTES] > v[CUP_BV_COMPRESSED] || v[CUP_BV_ALGORITHMS] > UINT32_MAX;
}

/* Reads a row. Returns false at the end of the rows, and at damage. At damage, reader->at stays
 * before the end of the record. */
static inline bool take_row(struct cup_basket_reader *reader)
{
    uint64_t step, bits;
    const unsigned char *start = reader->at;
    if (!cup_number_next(&reader->at, reader->end, &step) || step == 0 ||
        step - 1 > UINT32_MAX - reader->row.branch ||
        !cup_number_next(&reader->at, reader->end, &bits)) {
        reader->at = start;
        return false;
    }
    reader->row.branch += (uint32_t)(step - 1);
    return take_values(&reader->row, &reader->at, reader->end, bits) &&
           !is_impossible(&reader->row);
}

void cup_basket_reader_start(struct cup_basket_reader *reader, const struct cup_record *record)
{
    *reader = (struct cup_basket_reader){.fixed = cup_read_baskets(record)};
    reader->at = cup_record_tail(record);
    reader->end = reader->at + cup_record_tail_bytes(record);
}

bool cup_basket_reader_next(struct cup_basket_reader *reader)
{
    if (reader->count < reader->fixed.rows && take_row(reader)) {
        reader->count++;
        return true;
    }
    reader->damaged =
        reader->count != reader->fixed.rows || (reader->at < reader->end && *reader->at != 0);
    return false;
}
