/* A million tasks have some eighty million pairs: a fifth of the time of a large report is spent
 * here. The plain loop is the fastest: a counter's values have much the same length from task to
 * task, which processors learn; decoding whole words without branches took 1.6 times as long. */
#include "analysis/log_pairs.h"

#include "preload/log_format.h"

/* Reads one number at *at; returns 0, or -1 where it is cut or too long. */
static inline int read_number(const unsigned char **at, const unsigned char *end, uint64_t *number)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned char byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *number = value;
            return 0;
        }
    }
    return -1;
}

/* Inlined into both callers, so that files pay nothing for buckets. */
static inline __attribute__((always_inline)) void each_pair(const unsigned char *tail, size_t bytes,
                                                            uint64_t *sums, unsigned count,
                                                            uint64_t *buckets)
{
    enum { BUCKETS = CUP_HISTOGRAM_COUNT * CUP_BUCKETS };
    const unsigned char *end = tail + bytes;
    uint64_t index, value;
    while (tail < end) {
        if (read_number(&tail, end, &index) != 0)
            return;
        if (index == CUP_PAIR_PADDING)
            continue;
        if (read_number(&tail, end, &value) != 0)
            return;
        if (index < count)
            sums[index] += value;
        else if (buckets && index - CUP_PAIR_BUCKETS < BUCKETS)
            buckets[index - CUP_PAIR_BUCKETS] += value;
    }
}

void cup_pairs_add(const unsigned char *tail, size_t bytes, uint64_t *sums, unsigned count)
{
    each_pair(tail, bytes, sums, count, NULL);
}

void cup_block_pairs_add(const unsigned char *tail, size_t bytes, uint64_t *counters,
                         uint64_t *buckets)
{
    each_pair(tail, bytes, counters, CUP_COUNTER_COUNT, buckets);
}
