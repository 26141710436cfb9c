/* Packed fixed parts of records. */
#include "include/packed_fixed.h"

#include <criterion/criterion.h>

#include "analysis/log/log_reader.h"

enum { WORDS = 14 };

static size_t pack(unsigned char *at, const uint32_t *words)
{
    size_t bytes = cup_fixed_pack(at, words, WORDS);
    cr_assert_leq(bytes, 5 * WORDS);
    return bytes;
}

Test(packed_fixed, every_size_of_a_word_comes_back)
{
    static const uint32_t sizes[] = {0, 1, 0xff, 0x100, 0xffff, 0x10000, UINT32_MAX};
    for (uint32_t seed = 0; seed < 5000; seed++) {
        uint32_t words[WORDS], read[WORDS];
        unsigned char packed[128];
        for (uint32_t i = 0; i < WORDS; i++)
            words[i] = sizes[(seed * 31 + i * (seed % 13 + 1)) % (sizeof sizes / sizeof *sizes)];
        size_t bytes = pack(packed, words);
        memset(packed + bytes, 0xff, sizeof packed - bytes); /* the tail */
        for (size_t readable = bytes; readable < bytes + 20; readable++) {
            memset(read, 0x55, sizeof read);
            cup_fixed_unpack(packed, bytes, readable, read, WORDS);
            cr_assert_arr_eq(read, words, sizeof words);
        }
    }
}

/* A reader that knows more words, or fewer. Zeros behind the packed part are padding. */
Test(packed_fixed, words_that_are_not_there_are_0)
{
    uint32_t words[WORDS] = {1, 2, 300, 70000, 5}, read[WORDS + 3];
    unsigned char packed[128] = {0};
    size_t bytes = pack(packed, words);
    memset(read, 0x55, sizeof read);
    cup_fixed_unpack(packed, bytes + 7, bytes + 7, read, WORDS + 3);
    cr_expect_arr_eq(read, words, sizeof words);
    cr_expect(read[WORDS] == 0 && read[WORDS + 1] == 0 && read[WORDS + 2] == 0);
    read[2] = 7;
    cup_fixed_unpack(packed, bytes, bytes, read, 2);
    cr_expect(read[0] == 1 && read[1] == 2 && read[2] == 7);
}

Test(packed_fixed, damaged_bytes_are_not_read_beyond_their_end)
{
    unsigned char *packed = malloc(3);
    uint32_t read[WORDS];
    memset(packed, 0xff, 3); /* four words of four bytes, and there are two */
    cup_fixed_unpack(packed, 3, 3, read, WORDS);
    cr_expect_eq(read[0], 0xffffu);
    cr_expect_eq(read[1], 0);
    free(packed);
}

Test(packed_fixed, a_record_is_read_as_without_packing)
{
    struct {
        struct cup_record head;
        unsigned char bytes[120];
    } record = {.head = {.length = 128, .type = CUP_R_TASK_BEGIN}};
    const struct cup_r_task_begin begin = {.task = 70000,
                                           .tid = 4711,
                                           .start_ns = INT64_C(1750000000123456789),
                                           .rss = CUP_UNKNOWN64,
                                           .run_id = -1,
                                           .key_bytes = 9};
    size_t bytes = cup_fixed_pack(record.bytes, &begin.head + 1, WORDS);
    record.head.fixed = (uint16_t)(CUP_FIXED_PACKED | (sizeof record.head + bytes));
    memcpy(record.bytes + bytes, "some key", 9);
    cr_assert(cup_record_is_sound(&record.head));
    struct cup_r_task_begin read = cup_read_task_begin(&record.head);
    cr_expect_arr_eq(&read.head + 1, &begin.head + 1, sizeof begin - sizeof begin.head);
    cr_expect_eq(cup_record_tail_bytes(&record.head), 120 - bytes);
    cr_expect_str_eq((const char *)cup_record_tail(&record.head), "some key");
    record.head.fixed = CUP_FIXED_PACKED | 129;
    cr_expect_not(cup_record_is_sound(&record.head));
    record.head.fixed = CUP_FIXED_PACKED | 7;
    cr_expect_not(cup_record_is_sound(&record.head));
}
