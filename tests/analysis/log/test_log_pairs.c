#include <criterion/criterion.h>

#include <string.h>

#include "analysis/log/log_pairs.h"
#include "include/log_format.h"
#include "include/log_pairs.h"

enum { COUNT = 20 };

/* Sums of the pairs in `tail`; what stands behind it must not matter. */
static void add(const void *tail, size_t bytes, uint64_t sums[COUNT])
{
    unsigned char room[256];
    memset(room, 0x01, sizeof room);
    memcpy(room, tail, bytes);
    memset(sums, 0, COUNT * sizeof *sums);
    cup_pairs_add(room, bytes, sums, COUNT);
}

#define ADD(sums, ...)                                                                             \
    do {                                                                                           \
        const unsigned char tail_[] = {__VA_ARGS__};                                               \
        add(tail_, sizeof tail_, sums);                                                            \
    } while (0)

Test(log_pairs, one_and_two_bytes)
{
    uint64_t sums[COUNT];
    ADD(sums, 3, 5, 4, 0x80, 0x01);
    cr_assert_eq(sums[3], 5);
    cr_assert_eq(sums[4], 128);
}

Test(log_pairs, the_same_index_adds_up)
{
    uint64_t sums[COUNT];
    ADD(sums, 1, 2, 1, 3);
    cr_assert_eq(sums[1], 5);
}

Test(log_pairs, padding_is_passed_anywhere)
{
    uint64_t sums[COUNT];
    ADD(sums, 127, 2, 9, 127, 127, 3, 7, 127);
    cr_assert_eq(sums[2], 9);
    cr_assert_eq(sums[3], 7);
}

Test(log_pairs, unknown_indexes_are_skipped)
{
    uint64_t sums[COUNT];
    ADD(sums, 20, 1, 0x80, 0x02, 1, 5, 6); /* 20 is one too high, 256 far too high */
    cr_assert_eq(sums[5], 6);
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(sums[i], i == 5 ? 6 : 0);
}

Test(log_pairs, a_cut_value_ends_the_tail)
{
    uint64_t sums[COUNT];
    ADD(sums, 1, 2, 3, 0x80);
    cr_assert_eq(sums[1], 2);
    cr_assert_eq(sums[3], 0);
}

Test(log_pairs, a_cut_index_ends_the_tail)
{
    uint64_t sums[COUNT];
    ADD(sums, 1, 2, 3);
    cr_assert_eq(sums[1], 2);
    cr_assert_eq(sums[3], 0);
}

Test(log_pairs, the_largest_value)
{
    uint64_t sums[COUNT];
    ADD(sums, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 2, 1);
    cr_assert_eq(sums[1], UINT64_MAX);
    cr_assert_eq(sums[2], 1);
}

Test(log_pairs, a_value_beyond_64_bits_ends_the_tail)
{
    uint64_t sums[COUNT];
    ADD(sums, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 2, 1);
    cr_assert_eq(sums[1], 0);
    cr_assert_eq(sums[2], 0);
}

static size_t put(unsigned char *to, uint64_t number)
{
    size_t length = 0;
    for (; number >= 0x80; number >>= 7)
        to[length++] = (unsigned char)(number | 0x80);
    to[length++] = (unsigned char)number;
    return length;
}

/* Every length of value, at every place. */
Test(log_pairs, all_lengths_at_all_places)
{
    for (unsigned bits = 0; bits < 64; bits++) {
        for (unsigned before = 0; before < 70; before++) {
            unsigned char tail[256];
            uint64_t sums[COUNT], value = UINT64_C(1) << bits;
            size_t length = 0;
            for (unsigned i = 0; i < before; i++)
                tail[length++] = i % 2 ? 1 : 0; /* counter 0 gets 1 */
            if (before % 2)
                tail[length++] = 1;
            tail[length++] = 7;
            length += put(tail + length, value);
            tail[length++] = 8;
            tail[length++] = 3;
            add(tail, length, sums);
            cr_assert_eq(sums[0], (before + 1) / 2);
            cr_assert_eq(sums[7], value, "2^%u after %u bytes", bits, before);
            cr_assert_eq(sums[8], 3);
        }
    }
}

/* Indexes from CUP_PAIR_BUCKETS on are buckets, which only those who ask for them get. */
Test(log_pairs, buckets_stand_behind_the_counters)
{
    enum { BUCKETS = CUP_HISTOGRAM_COUNT * CUP_BUCKETS };
    for (unsigned bucket = 0; bucket <= BUCKETS; bucket++) {
        uint64_t counters[CUP_COUNTER_COUNT] = {0}, buckets[BUCKETS + 1] = {0}, sums[COUNT];
        unsigned char tail[64] = {3, 5};
        size_t length = 2 + put(tail + 2, CUP_PAIR_BUCKETS + bucket);
        length += put(tail + length, 300);
        while (length % 8 != 0)
            tail[length++] = CUP_PAIR_PADDING;
        cup_block_pairs_add(tail, length, counters, buckets);
        cr_assert_eq(counters[3], 5);
        for (unsigned i = 0; i <= BUCKETS; i++)
            cr_assert_eq(buckets[i], i == bucket && i < BUCKETS ? 300 : 0);
        cup_block_pairs_add(tail, length, counters, NULL);
        cr_assert_eq(counters[3], 10);
        add(tail, length, sums);
        cr_assert_eq(sums[3], 5);
    }
}

/* A list of buckets: the first one with the marker, then steps and counts. */
static const unsigned char listed[] = {3,    5, CUP_PAIR_LIST, 2, 0 * 8 + 7,    1 * 8 + 0,
                                       0xac, 2, 0x80 | 0x7c,   3, CUP_PAIR_LIST};

Test(log_pairs, a_list_of_buckets_is_read)
{
    uint64_t counters[CUP_COUNTER_COUNT] = {0};
    uint64_t buckets[CUP_HISTOGRAM_COUNT * CUP_BUCKETS] = {0};
    cup_block_pairs_add(listed, sizeof listed, counters, buckets);
    cr_expect_eq(counters[3], 5);
    cr_expect_eq(buckets[2], 7);
    cr_expect_eq(buckets[3], 300);
    cr_expect_eq(buckets[3 + 63], 4);
    cr_expect_eq(buckets[3 + 63 + 15], 6, "the last byte is a bucket, too");
    cup_block_pairs_add(listed, sizeof listed, counters, NULL);
    cr_expect_eq(counters[3], 10);
}

Test(log_pairs, listed_buckets_have_the_indexes_of_older_logs)
{
    const unsigned char *at = listed;
    uint64_t index, value, list = 0, indexes[8], values[8], count = 0;
    while (cup_pairs_next_listed(&at, listed + sizeof listed, &index, &value, &list)) {
        indexes[count] = index;
        values[count++] = value;
    }
    cr_assert_eq(count, 5);
    cr_expect(indexes[0] == 3 && values[0] == 5);
    cr_expect(indexes[1] == CUP_PAIR_BUCKETS + 2 && values[1] == 7);
    cr_expect(indexes[2] == CUP_PAIR_BUCKETS + 3 && values[2] == 300);
    cr_expect(indexes[3] == CUP_PAIR_BUCKETS + 66 && values[3] == 4);
}

Test(log_pairs, a_list_that_is_cut_gives_what_is_whole)
{
    uint64_t counters[CUP_COUNTER_COUNT] = {0};
    uint64_t buckets[CUP_HISTOGRAM_COUNT * CUP_BUCKETS] = {0};
    cup_block_pairs_add(listed, 7, counters, buckets); /* the count of the second is cut */
    cr_expect_eq(buckets[2], 7);
    cr_expect_eq(buckets[3], 0);
}

/* What is written is what is read, and buckets are no values. */
Test(log_pairs, written_buckets_are_read)
{
    static const uint32_t wanted[][2] = {{0, 1},  {1, 7},           {2, 8},
                                         {17, 1}, {18, UINT32_MAX}, {127, 9}};
    unsigned char tail[256] = {0, 4};
    uint64_t counters[CUP_COUNTER_COUNT] = {0}, values[2] = {9, 9};
    uint64_t buckets[CUP_HISTOGRAM_COUNT * CUP_BUCKETS] = {0};
    uint32_t before = CUP_NO_BUCKET;
    size_t bytes = 2;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        bytes += cup_pairs_bucket(tail + bytes, &before, wanted[i][0], wanted[i][1]);
    cup_block_pairs_add(tail, bytes, counters, buckets);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        cr_expect_eq(buckets[wanted[i][0]], wanted[i][1]);
    cup_pairs_set(tail, bytes, values, 2);
    cr_expect(values[0] == 4 && values[1] == 9);
}

/* Behind the counters and the list of buckets are the files that the block used. */
Test(log_pairs, files_stand_behind_the_counters)
{
    static const unsigned char tail[] = {3,
                                         5,
                                         CUP_PAIR_LIST,
                                         2,
                                         7,
                                         0,
                                         0,
                                         CUP_PAIR_FILE,
                                         0x84,
                                         1,
                                         0,
                                         9,
                                         1,
                                         2,
                                         CUP_PAIR_FILE,
                                         6,
                                         CUP_PAIR_FILE,
                                         7,
                                         0,
                                         4};
    static const unsigned char *const end = tail + sizeof tail;
    uint64_t counters[CUP_COUNTER_COUNT] = {0}, file, ids[4], count = 0;
    uint64_t buckets[CUP_HISTOGRAM_COUNT * CUP_BUCKETS] = {0}, uses[4][2] = {{0}};
    const unsigned char *at = cup_block_pairs_add(tail, sizeof tail, counters, buckets);
    cr_expect(counters[3] == 5 && counters[0] == 0 && buckets[2] == 7);
    for (; cup_file_next(&at, end, &file); count++) {
        ids[count] = file;
        at = cup_pairs_add(at, (size_t)(end - at), uses[count], 2);
    }
    cr_assert_eq(count, 3);
    cr_expect(ids[0] == 132 && uses[0][0] == 9 && uses[0][1] == 2);
    cr_expect(ids[1] == 6 && uses[1][0] == 0 && uses[1][1] == 0);
    cr_expect(ids[2] == 7 && uses[2][0] == 4 && uses[2][1] == 0);
    cr_expect_eq(cup_block_pairs_add(tail, sizeof tail, counters, NULL), tail + 7);
    cr_expect_eq(cup_block_pairs_add(tail, 6, counters, NULL), tail + 6, "a list that is cut");
}

/* Values that are set and not summed: the last one counts, 0 is a value. */
Test(log_pairs, values_are_set)
{
    uint64_t values[3] = {9, 9, 9};
    const unsigned char tail[] = {1, 0, 127, 2, 5, 2, 6, 50, 4, 0x90, 0x01, 3, 0, 0x80};
    cup_pairs_set(tail, sizeof tail, values, 3);
    cr_assert_eq(values[0], 9);
    cr_assert_eq(values[1], 0);
    cr_assert_eq(values[2], 6);
}
