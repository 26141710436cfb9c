/* A million tasks that read twenty branches each have about a hundred million numbers here, most of
 * one to three bytes: hence the inlining. */
#include "analysis/log/log_baskets.h"

#include "analysis/log/log_number.h"
#include "include/log_pairs.h"

enum { PLAIN, DELTA };

/* A bit for each value of kind DELTA. */
static inline unsigned delta_bits(void)
{
    unsigned bits = 0;
#define X(id, name, kind, text) bits |= (kind) == DELTA ? 1u << CUP_BV_##id : 0;
    CUP_BASKET_VALUES(X)
#undef X
    return bits;
}

/* Decodes a value; values that only newer versions know are skipped. False for an impossible one.
 */
static inline bool take_value(struct cup_basket_row *row, unsigned index, uint64_t written)
{
    if (index >= CUP_BV_COUNT)
        return true;
    row->values[index] =
        delta_bits() >> index & 1 ? cup_pairs_undo(written, row->values[index]) : written;
    return row->values[index] < CUP_BASKET_VALUE_LIMIT;
}

/* In a new row, PLAIN values that are left out are 0; DELTA values stay as in the row before. */
static inline void clear_plain(struct cup_basket_row *row)
{
#define X(id, name, kind, text)                                                                    \
    if ((kind) == PLAIN)                                                                           \
        row->values[CUP_BV_##id] = 0;
    CUP_BASKET_VALUES(X)
#undef X
}

/* Reads the values of a row at *at. A local copy of the place stays in a register: as a field of
 * the reader it would be written to memory after each number. */
static inline bool take_values(struct cup_basket_row *row, const unsigned char **from,
                               const unsigned char *end, uint64_t bits)
{
    const unsigned char *at = *from;
    bool sound = true;
    clear_plain(row);
    for (; bits && sound; bits &= bits - 1) {
        uint64_t written;
        sound = cup_number_next(&at, end, &written) &&
                take_value(row, (unsigned)__builtin_ctzll(bits), written);
    }
    *from = at;
    return sound;
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
