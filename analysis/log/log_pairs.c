/* A million tasks have about 150 million pairs: a third of the time of a large report is spent
 * here. So numbers of one to five bytes are decoded by unrolled steps that do not check for the
 * end. A counter's values have similar lengths from task to task, which the CPU's branch predictor
 * learns. This takes two thirds of the time of a plain loop; branch-free decoding of whole words
 * was slower. */
#include "analysis/log/log_pairs.h"

#include "analysis/log/log_number.h"
#include "include/log_format.h"

enum { USUAL_NUMBER = 5 };

/* Reads a number of up to USUAL_NUMBER bytes; so many bytes must be readable. Returns its length, 0
 * if it is longer. Unrolled: each step has a branch of its own to predict. */
static inline __attribute__((always_inline)) unsigned read_usual(const unsigned char *at,
                                                                 uint64_t *number)
{
    uint64_t value = 0;
#define STEP(n)                                                                                    \
    value |= (uint64_t)(at[n] & 0x7f) << (7 * (n));                                                \
    if (!(at[n] & 0x80)) {                                                                         \
        *number = value;                                                                           \
        return (n) + 1;                                                                            \
    }
    STEP(0)
    STEP(1)
    STEP(2)
    STEP(3)
    STEP(4)
#undef STEP
    return 0;
}

/* The arrays to which values are added: counters and, for COUNTERS records, the buckets of
 * histograms. */
struct sums {
    uint64_t *counters, *buckets;
    unsigned count;
};

static inline __attribute__((always_inline)) void add_pair(const struct sums *sums, uint64_t index,
                                                           uint64_t value)
{
    enum { BUCKETS = CUP_HISTOGRAM_COUNT * CUP_BUCKETS };
    if (index < sums->count)
        sums->counters[index] += value;
    else if (sums->buckets && index - CUP_PAIR_BUCKETS < BUCKETS)
        sums->buckets[index - CUP_PAIR_BUCKETS] += value;
}

/* Adds one pair of any form. Returns the end of the pair, or NULL at a number that is cut or too
 * long. */
static const unsigned char *add_any(const struct sums *sums, const unsigned char *at,
                                    const unsigned char *end)
{
    uint64_t index, value;
    if (!cup_number_checked(&at, end, &index))
        return NULL;
    if (index == CUP_PAIR_PADDING)
        return at;
    if (!cup_number_checked(&at, end, &value))
        return NULL;
    add_pair(sums, index, value);
    return at;
}

/* Adds the value at AT to the sum of INDEX. Returns the end of the value, or NULL if it is longer
 * than USUAL_NUMBER bytes. */
static inline __attribute__((always_inline)) const unsigned char *
add_usual_value(const struct sums *sums, uint64_t index, const unsigned char *at)
{
    uint64_t value;
    unsigned bytes = read_usual(at, &value);
    if (bytes == 0)
        return NULL;
    add_pair(sums, index, value);
    return at + bytes;
}

/* Adds a pair with an index of one or two bytes and a short value. Returns the end of the pair, or
 * NULL if the pair is of another form; then nothing was added. */
static inline __attribute__((always_inline)) const unsigned char *
add_usual(const struct sums *sums, const unsigned char *at, const unsigned char *end)
{
    if (end - at < 2 + USUAL_NUMBER)
        return NULL;
    if (*at < CUP_PAIR_PADDING)
        return add_usual_value(sums, *at, at + 1);
    if ((at[0] & 0x80) && !(at[1] & 0x80))
        return add_usual_value(sums, (at[0] & 0x7fu) | (unsigned)at[1] << 7, at + 2);
    return NULL;
}

/* Adds all pairs. This is compiled into both callers, so that the copy for FILE_USE records has no
 * code for buckets. */
static inline __attribute__((always_inline)) void
each_pair(const struct sums *sums, const unsigned char *at, const unsigned char *end)
{
    while (at && at < end) {
        const unsigned char *next = add_usual(sums, at, end);
        at = next ? next : add_any(sums, at, end);
    }
}

void cup_pairs_add(const unsigned char *tail, size_t bytes, uint64_t *sums, unsigned count)
{
    const struct sums to = {.counters = sums, .count = count};
    each_pair(&to, tail, tail + bytes);
}

void cup_block_pairs_add(const unsigned char *tail, size_t bytes, uint64_t *counters,
                         uint64_t *buckets)
{
    const struct sums to = {counters, buckets, CUP_COUNTER_COUNT};
    each_pair(&to, tail, tail + bytes);
}

bool cup_pairs_next(const unsigned char **at, const unsigned char *end, uint64_t *index,
                    uint64_t *value)
{
    do
        if (!cup_number_checked(at, end, index))
            return false;
    while (*index == CUP_PAIR_PADDING);
    return cup_number_checked(at, end, value);
}

void cup_pairs_set(const unsigned char *tail, size_t bytes, uint64_t *values, unsigned count)
{
    const unsigned char *at = tail;
    uint64_t index, value;
    while (cup_pairs_next(&at, tail + bytes, &index, &value))
        if (index < count)
            values[index] = value;
}

bool cup_row_next(const unsigned char **at, const unsigned char *end, struct cup_row *row)
{
    uint64_t size;
    if (!cup_number_checked(at, end, &row->worker) || row->worker == 0 ||
        !cup_number_checked(at, end, &size) || size / CUP_ROW_KINDS > (uint64_t)(end - *at))
        return false;
    row->kind = size % CUP_ROW_KINDS;
    row->bytes = size / CUP_ROW_KINDS;
    row->pairs = *at;
    *at += row->bytes;
    return true;
}
