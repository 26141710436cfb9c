/* Rows of BASKETS records: reading them gives back what was written, and they are short. */
#include "tests/preload/basket_records.h"

#include "preload/root/basket_rows.h"

enum { MOST = 4000 };
static struct test_row found[MOST];
static struct cup_basket_rows rows;

static void set_up(void)
{
    test_log_open(4 << 20);
}

TestSuite(basket_rows, .init = set_up, .fini = test_log_close);

static uint64_t tail_bytes(void)
{
    uint64_t at = 0, bytes = 0;
    const struct cup_record *record;
    while ((record = test_next(&at, CUP_R_BASKETS)))
        bytes += record->length - sizeof(struct cup_r_baskets);
    return bytes;
}

Test(basket_rows, every_value_comes_back)
{
    uint64_t values[3][CUP_BV_COUNT];
    cup_basket_rows_begin(&rows, 7, 3, 9, CUP_BASKETS_REQUESTED);
    for (uint32_t row = 0; row < 3; row++) {
        for (int i = 0; i < CUP_BV_COUNT; i++)
            values[row][i] = (row == 1 ? UINT64_C(1) << (60 - i) : (uint64_t)i * row) + row;
        cup_basket_rows_add(&rows, row * 100, values[row]);
    }
    cup_basket_rows_end(&rows);
    cr_assert_eq(test_rows(found, MOST), 3);
    for (uint32_t row = 0; row < 3; row++) {
        cr_expect_eq(found[row].branch, row * 100);
        cr_expect_eq(found[row].task, 7);
        cr_expect_eq(found[row].file, 3);
        cr_expect_eq(found[row].path, 0, "a file that is known needs no path");
        cr_expect_eq(found[row].source, CUP_BASKETS_REQUESTED);
        cr_expect_arr_eq(found[row].values, values[row], sizeof values[row]);
    }
}

Test(basket_rows, a_file_without_a_record_has_a_path)
{
    uint64_t values[CUP_BV_COUNT] = {[CUP_BV_BASKETS] = 1};
    cup_basket_rows_begin(&rows, 7, 0, 9, CUP_BASKETS_UNSEEN);
    cup_basket_rows_add(&rows, 0, values);
    cup_basket_rows_end(&rows);
    cr_assert_eq(test_rows(found, MOST), 1);
    cr_expect_eq(found[0].path, 9);
    cr_expect_eq(found[0].branch, 0);
}

Test(basket_rows, nothing_is_no_record)
{
    cup_basket_rows_begin(&rows, 7, 3, 0, CUP_BASKETS_REQUESTED);
    cup_basket_rows_end(&rows);
    uint64_t at = 0;
    cr_expect_null(test_next(&at, CUP_R_BASKETS));
}

Test(basket_rows, what_passed_by_needs_no_row)
{
    cup_basket_rows_begin(&rows, 7, 3, 0, CUP_BASKETS_REQUESTED);
    cup_basket_rows_passed(&rows, 12, 34567);
    cup_basket_rows_end(&rows);
    uint64_t at = 0;
    const struct cup_r_baskets *record = (const void *)test_next(&at, CUP_R_BASKETS);
    cr_assert_not_null(record);
    cr_expect_eq(record->rows, 0);
    cr_expect_eq(record->incidental, 12);
    cr_expect_eq(record->incidental_bytes, 34567);
    cr_expect_eq(record->head.length, sizeof *record);
}

Test(basket_rows, what_passed_by_is_in_the_record_of_the_rows)
{
    const uint64_t values[CUP_BV_COUNT] = {[CUP_BV_BASKETS] = 1, [CUP_BV_COMPRESSED] = 100};
    cup_basket_rows_begin(&rows, 7, 3, 0, CUP_BASKETS_REQUESTED);
    cup_basket_rows_passed(&rows, 12, 34567);
    cup_basket_rows_add(&rows, 5, values);
    cup_basket_rows_end(&rows);
    cup_basket_rows_end(&rows);
    uint64_t at = 0;
    const struct cup_r_baskets *record = (const void *)test_next(&at, CUP_R_BASKETS);
    cr_assert_not_null(record);
    cr_expect_eq(record->rows, 1);
    cr_expect_eq(record->incidental, 12);
    cr_expect_eq(record->incidental_bytes, 34567);
    cr_expect_null(test_next(&at, CUP_R_BASKETS));
}

/* 1,500 branches as in a file with clusters of one basket of each branch. */
static void add_branches(uint64_t baskets)
{
    cup_basket_rows_begin(&rows, 7, 3, 0, CUP_BASKETS_REQUESTED);
    for (uint32_t branch = 1; branch <= 1500; branch++) {
        uint64_t bytes = 2000 + branch * 7919 % 3000, place = 10000 + branch * UINT64_C(3500);
        uint64_t values[CUP_BV_COUNT] = {[CUP_BV_BASKETS] = baskets,
                                         [CUP_BV_COMPRESSED] = baskets * bytes,
                                         [CUP_BV_UNCOMPRESSED] = baskets * 2 * bytes,
                                         [CUP_BV_KEYS] = baskets * (70 + branch % 5),
                                         [CUP_BV_ENTRIES] = baskets * 20000,
                                         [CUP_BV_ALGORITHMS] = CUP_ALGORITHM_ZSTD,
                                         [CUP_BV_FIRST] = place};
        if (baskets > 1) {
            values[CUP_BV_FIRST_BYTES] = values[CUP_BV_LAST_BYTES] = bytes;
            values[CUP_BV_LAST] = (baskets - 1) * UINT64_C(6000000);
        }
        cup_basket_rows_add(&rows, branch, values);
    }
    cup_basket_rows_end(&rows);
}

Test(basket_rows, many_rows_take_several_records_and_few_bytes)
{
    add_branches(1);
    cr_assert_eq(test_rows(found, MOST), 1500);
    for (uint32_t i = 0; i < 1500; i++) {
        cr_assert_eq(found[i].branch, i + 1);
        cr_assert_eq(found[i].values[CUP_BV_FIRST], 10000 + (i + 1) * UINT64_C(3500));
        cr_assert_eq(found[i].values[CUP_BV_ENTRIES], 20000);
    }
    cr_expect_leq(tail_bytes(), 1500 * 16, "%lu", tail_bytes());
}

Test(basket_rows, several_baskets_of_a_branch_take_few_more_bytes)
{
    add_branches(5);
    cr_assert_eq(test_rows(found, MOST), 1500);
    cr_expect_eq(found[1499].values[CUP_BV_LAST], 24000000);
    cr_expect_leq(tail_bytes(), 1500 * 25, "%lu", tail_bytes());
}
