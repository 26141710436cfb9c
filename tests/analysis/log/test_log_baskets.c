/* Rows of BASKETS records: as they are written, and as nobody would write them. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/log/log_baskets.h"
#include "tests/analysis/log_builder.h"

/* A record with this tail, told to have ROWS rows. The caller frees. */
static struct cup_record *record_of(uint32_t rows, const void *tail, size_t bytes)
{
    size_t length = (sizeof(struct cup_r_baskets) + bytes + 7) / 8 * 8;
    struct cup_r_baskets *told = calloc(1, length);
    *told = (struct cup_r_baskets){
        .head = {.length = (uint32_t)length, .type = CUP_R_BASKETS, .fixed = sizeof *told},
        .task = 7,
        .rows = rows};
    memcpy(told + 1, tail, bytes);
    return &told->head;
}

/* How many sound rows the tail has. */
static uint32_t count_rows(uint32_t told, const void *tail, size_t bytes, bool *damaged)
{
    struct cup_basket_reader reader;
    struct cup_record *record = record_of(told, tail, bytes);
    cup_basket_reader_start(&reader, record);
    while (cup_basket_reader_next(&reader))
        ;
    *damaged = reader.damaged;
    free(record);
    return reader.count;
}

#define COUNT(told, ...)                                                                           \
    count_rows(told, (const unsigned char[]){__VA_ARGS__},                                         \
               sizeof(const unsigned char[]){__VA_ARGS__}, &damaged)

Test(log_baskets, rows_come_back_as_they_were_written)
{
    struct log_builder builder;
    struct cup_basket_reader reader;
    const uint32_t branches[] = {0, 3, 70000, UINT32_MAX};
    const uint64_t values[4][CUP_BV_COUNT] = {
        {[CUP_BV_BASKETS] = 1, [CUP_BV_COMPRESSED] = 500, [CUP_BV_FIRST] = 1u << 30},
        {[CUP_BV_BASKETS] = 4,
         [CUP_BV_COMPRESSED] = 4000000000000,
         [CUP_BV_UNCOMPRESSED] = CUP_BASKET_VALUE_LIMIT - 1,
         [CUP_BV_KEYS] = 300,
         [CUP_BV_ENTRIES] = 16384,
         [CUP_BV_ALGORITHMS] = CUP_ALGORITHM_LZ4 | CUP_ALGORITHM_NONE,
         [CUP_BV_FIRST] = 100,
         [CUP_BV_FIRST_BYTES] = 128,
         [CUP_BV_LAST] = 20000,
         [CUP_BV_LAST_BYTES] = 129,
         [CUP_BV_AGAIN] = 2,
         [CUP_BV_AGAIN_BYTES] = 127,
         [CUP_BV_INCIDENTAL] = 5,
         [CUP_BV_INCIDENTAL_BYTES] = 6},
        {[CUP_BV_KEYS] = 300, [CUP_BV_ENTRIES] = 16384, [CUP_BV_INCIDENTAL] = 1},
        {[CUP_BV_FIRST] = CUP_BASKET_VALUE_LIMIT - 1},
    };
    builder_start(&builder);
    size_t at = builder.size;
    const struct cup_r_baskets fixed = {.task = 9, .file = 2, .source = CUP_BASKETS_REQUESTED};
    builder_baskets(&builder, &fixed, branches, values, 4);
    cup_basket_reader_start(&reader, (struct cup_record *)(builder.bytes + at));
    cr_assert_eq(reader.fixed.task, 9);
    for (int i = 0; i < 4; i++) {
        cr_assert(cup_basket_reader_next(&reader));
        cr_assert_eq(reader.row.branch, branches[i]);
        cr_assert_arr_eq(reader.row.values, values[i], sizeof values[i]);
    }
    cr_assert_not(cup_basket_reader_next(&reader));
    cr_assert_not(reader.damaged);
    builder_free(&builder);
}

/* Row: branch 1 (step 2), bit 0 (baskets), value. */
Test(log_baskets, a_row_that_is_cut_is_damage)
{
    bool damaged;
    cr_assert_eq(COUNT(1, 2, 1, 5), 1);
    cr_assert_not(damaged);
    cr_assert_eq(COUNT(2, 2, 1, 5), 1, "a row is missing");
    cr_assert(damaged);
    cr_assert_eq(COUNT(1, 2, 1, 5, 2, 1, 5), 1, "a row too many");
    cr_assert(damaged);
    cr_assert_eq(COUNT(2, 2, 1, 5, 0, 2, 1), 1, "nothing follows a step of 0");
    cr_assert(damaged);
    cr_assert_eq(COUNT(1, 2, 3, 5, 0x80, 0x80, 0x80, 0x80, 0x80), 0, "the second value has no end");
    cr_assert(damaged);
    cr_assert_eq(COUNT(0, 0), 0);
    cr_assert_not(damaged);
}

Test(log_baskets, numbers_that_cannot_be_are_damage)
{
    bool damaged;
    cr_assert_eq(COUNT(1, 2, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02), 0,
                 "more than 64 bits");
    cr_assert(damaged);
    cr_assert_eq(COUNT(1, 2, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x10), 0,
                 "beyond the limit");
    cr_assert(damaged);
    cr_assert_eq(COUNT(1, 2, 0x40, 1), 0, "read before what the file begins with");
    cr_assert(damaged);
    cr_assert_eq(COUNT(2, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 5, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 5),
                 1, "branches beyond 32 bits");
    cr_assert(damaged);
    cr_assert_eq(COUNT(1, 2, 0x81, 0x08, 1, 2), 0, "more read again than read");
    cr_assert(damaged);
}

/* Bit 20 is of a newer writer. */
Test(log_baskets, values_of_newer_writers_are_passed_over)
{
    bool damaged;
    struct cup_basket_reader reader;
    const unsigned char tail[] = {2, 0x81, 0x80, 0xc0, 0, 5, 9, 2, 1, 6};
    struct cup_record *record = record_of(2, tail, sizeof tail);
    cup_basket_reader_start(&reader, record);
    cr_assert(cup_basket_reader_next(&reader));
    cr_assert_eq(reader.row.values[CUP_BV_BASKETS], 5);
    cr_assert(cup_basket_reader_next(&reader));
    cr_assert_eq(reader.row.values[CUP_BV_BASKETS], 6);
    cr_assert_eq(reader.row.branch, 2);
    free(record);
    cr_assert_eq(COUNT(2, 2, 0x81, 0x80, 0xc0, 0, 5, 9, 2, 1, 6), 2);
    cr_assert_not(damaged);
}

/* Random bytes: rows or damage, never a byte beyond the record (which ASAN would see). */
Test(log_baskets, random_tails_end)
{
    unsigned char tail[200];
    bool damaged;
    srand(3);
    for (int round = 0; round < 20000; round++) {
        size_t bytes = (size_t)rand() % sizeof tail;
        for (size_t i = 0; i < bytes; i++)
            tail[i] = (unsigned char)(rand() & (rand() % 2 ? 0xff : 0x0f));
        uint32_t rows = count_rows((uint32_t)rand() % 40, tail, bytes, &damaged);
        cr_assert_leq(rows, 40);
    }
}
