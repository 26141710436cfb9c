/* A million tasks have about 150 million pairs: a quarter of the time of a large report is spent
 * here. So 8 bytes are loaded at once, and numbers of one to five bytes are decoded from them by
 * unrolled steps. A counter's values have similar lengths from task to task, which the CPU's branch
 * predictor learns. This takes half of the time of a plain loop; decoding without branches was
 * slower. */
#include "analysis/log/log_pairs.h"

#include "analysis/log/log_number.h"
#include "include/log_format.h"

enum { USUAL_NUMBER = 5, BUCKETS = CUP_HISTOGRAM_COUNT * CUP_BUCKETS };

/* The arrays to which values are added: counters and, for COUNTERS records, the buckets of
 * histograms. */
struct sums {
    uint64_t *counters, *buckets;
    unsigned count;
    const unsigned char **stop; /* set to where the next file begins, or left as it is */
};

static inline __attribute__((always_inline)) void add_pair(const struct sums *sums, uint64_t index,
                                                           uint64_t value)
{
    if (index < sums->count)
        sums->counters[index] += value;
    else if (sums->buckets && index - CUP_PAIR_BUCKETS < BUCKETS)
        sums->buckets[index - CUP_PAIR_BUCKETS] += value;
}

/* Reads the next bucket of a list. *BUCKET: the one before it. Most buckets take one byte. False at
 * the end of the list, or at a number that is cut. */
static inline bool next_in_list(const unsigned char **at, const unsigned char *end,
                                uint64_t *bucket, uint64_t *count)
{
    enum { COUNTS = 8 };
    uint64_t number;
    if (!cup_number_checked(at, end, &number))
        return false;
    *bucket += number / COUNTS;
    *count = number % COUNTS;
    return *count || (cup_number_checked(at, end, count) && *count);
}

/* Returns the end of the list. */
static const unsigned char *add_list(uint64_t *buckets, uint64_t bucket, const unsigned char *at,
                                     const unsigned char *end)
{
    uint64_t count;
    while (next_in_list(&at, end, &bucket, &count))
        if (buckets && bucket < BUCKETS)
            buckets[bucket] += count;
    return at;
}

/* Adds one pair of any form, or all buckets. Returns the end of the pair, or NULL at a file, or at
 * a number that is cut or too long. */
static const unsigned char *add_any(const struct sums *sums, const unsigned char *at,
                                    const unsigned char *end)
{
    const unsigned char *start = at;
    uint64_t index, value;
    if (!cup_number_checked(&at, end, &index))
        return NULL;
    if (index == CUP_PAIR_PADDING)
        return at;
    if (index == CUP_PAIR_FILE) {
        *sums->stop = start;
        return NULL;
    }
    if (!cup_number_checked(&at, end, &value))
        return NULL;
    if (index == CUP_PAIR_LIST)
        return add_list(sums->buckets, value, at, end);
    add_pair(sums, index, value);
    return at;
}

/* Adds a pair whose index was decoded; its value begins at the lowest byte of WORD. Returns the
 * length of the value, or 0 if it is longer than USUAL_NUMBER bytes; then nothing was added. */
static inline __attribute__((always_inline)) unsigned add_usual_value(const struct sums *sums,
                                                                      uint64_t index, uint64_t word)
{
    uint64_t value;
    unsigned bytes = cup_number_in(word, USUAL_NUMBER, &value);
    if (bytes)
        add_pair(sums, index, value);
    return bytes;
}

/* Adds the pair that begins at the lowest byte of WORD, if its index has one or two bytes and its
 * value is short. Returns its length, or 0 if it has another form; then nothing was added. */
static inline __attribute__((always_inline)) unsigned add_usual(const struct sums *sums,
                                                                uint64_t word)
{
    if ((word & 0xff) < CUP_PAIR_FILE) {
        unsigned bytes = add_usual_value(sums, word & 0xff, word >> 8);
        return bytes ? bytes + 1 : 0;
    }
    if ((word & 0x8080) == 0x80) {
        uint64_t index = (word & 0x7f) | (word >> 1 & 0x3f80);
        unsigned bytes = add_usual_value(sums, index, word >> 16);
        return bytes ? bytes + 2 : 0;
    }
    return 0;
}

/* Adds all pairs. This is compiled into both callers, so that the copy for FILE_USE records has no
 * code for buckets. */
static inline __attribute__((always_inline)) void
each_pair(const struct sums *sums, const unsigned char *at, const unsigned char *end)
{
    uint64_t word;
    while (at && end - at >= (ptrdiff_t)sizeof word) {
        memcpy(&word, at, sizeof word);
        unsigned bytes = add_usual(sums, word);
        at = bytes ? at + bytes : add_any(sums, at, end);
    }
    while (at && at < end)
        at = *at == CUP_PAIR_PADDING ? at + 1 : add_any(sums, at, end);
}

const unsigned char *cup_pairs_add(const unsigned char *tail, size_t bytes, uint64_t *sums,
                                   unsigned count)
{
    const unsigned char *stop = tail + bytes;
    const struct sums to = {.counters = sums, .count = count, .stop = &stop};
    each_pair(&to, tail, tail + bytes);
    return stop;
}

const unsigned char *cup_block_pairs_add(const unsigned char *tail, size_t bytes,
                                         uint64_t *counters, uint64_t *buckets)
{
    const unsigned char *stop = tail + bytes;
    const struct sums to = {counters, buckets, CUP_COUNTER_COUNT, &stop};
    each_pair(&to, tail, tail + bytes);
    return stop;
}

bool cup_file_next(const unsigned char **at, const unsigned char *end, uint64_t *file)
{
    uint64_t index;
    return cup_number_checked(at, end, &index) && index == CUP_PAIR_FILE &&
           cup_number_checked(at, end, file);
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

bool cup_pairs_next_listed(const unsigned char **at, const unsigned char *end, uint64_t *index,
                           uint64_t *value, uint64_t *list)
{
    if (*list == 0) {
        if (!cup_pairs_next(at, end, index, value))
            return false;
        if (*index != CUP_PAIR_LIST)
            return true;
        *list = CUP_PAIR_BUCKETS + *value;
    }
    bool found = next_in_list(at, end, list, value);
    *index = *list;
    return found;
}

void cup_pairs_set(const unsigned char *tail, size_t bytes, uint64_t *values, unsigned count)
{
    const unsigned char *at = tail;
    uint64_t index, value;
    while (cup_pairs_next(&at, tail + bytes, &index, &value) && index != CUP_PAIR_LIST)
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
