#include "analysis/profile/requests.h"

#include "analysis/log/log_pairs.h"
#include "analysis/log/log_reader.h"

const char *const cup_request_value_names[CUP_Q_COUNT_OF] = {CUP_REQUEST_VALUES(CUP_NAME_OF)};

static const bool is_largest[CUP_Q_COUNT_OF] = {
#define SUM false
#define LARGEST true
#define X(id, name, kind, text) kind,
    CUP_REQUEST_VALUES(X)
#undef X
#undef SUM
#undef LARGEST
};

bool cup_request_is_fault(const struct cup_request_row *row, bool peer)
{
    const uint64_t long_ns = 1000000000 * row->values[CUP_Q_COUNT];
    if (!peer || !row->error)
        return row->error != 0;
    if (row->error == CUP_REQUEST_GIVEN_UP)
        return row->values[CUP_Q_NS] >= long_ns;
    return row->error < 400 || row->error >= 500;
}

void cup_request_read(const struct cup_record *record, uint64_t *values, uint64_t *buckets,
                      uint64_t *first)
{
    const unsigned char *at = cup_record_tail(record), *end = at + cup_record_tail_bytes(record);
    uint64_t index, value, list = 0;
    while (cup_pairs_next_listed(&at, end, &index, &value, &list))
        if (index < CUP_Q_COUNT_OF)
            values[index] += value;
        else if (index >= CUP_PAIR_BUCKETS && index < CUP_PAIR_BUCKETS + CUP_BUCKETS)
            buckets[index - CUP_PAIR_BUCKETS] += value;
        else if (first && index >= CUP_PAIR_BUCKETS + CUP_BUCKETS &&
                 index < CUP_PAIR_BUCKETS + 2 * CUP_BUCKETS)
            first[index - CUP_PAIR_BUCKETS - CUP_BUCKETS] += value;
}

void cup_request_values_add(uint64_t *sums, const uint64_t *values)
{
    for (int i = 0; i < CUP_Q_COUNT_OF; i++)
        if (!is_largest[i])
            sums[i] += values[i];
        else if (values[i] > sums[i])
            sums[i] = values[i];
}

void cup_request_sum_add(struct cup_request_sum *sum, const struct cup_request_sum *more)
{
    cup_request_values_add(sum->answered, more->answered);
    cup_request_values_add(sum->failed, more->failed);
    for (int i = 0; i < CUP_BUCKETS; i++) {
        sum->buckets[i] += more->buckets[i];
        sum->first_buckets[i] += more->first_buckets[i];
    }
}
