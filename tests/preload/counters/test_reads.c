/* READS records: rows as the head of log_format.h describes them, whoever appends them. */
#include "tests/preload/log_records.h"

#include "preload/counters/reads.h"

enum { TASK = 5, FILE_ID = 3, ROOM = 64 << 10 };

static const struct cup_block block = {.task = TASK, .own = CUP_BLOCK_RUNS};

static void set_up(void)
{
    test_log_open(16 << 20);
    cup_reads_reset();
    cup_reads_want(ROOM);
}

static void tear_down(void)
{
    cup_reads_thread_ends();
    test_log_close();
}

TestSuite(reads, .init = set_up, .fini = tear_down);

static const unsigned char *tail_of_next(uint64_t *at)
{
    const struct cup_record *record = test_next(at, CUP_R_READS);
    return record ? (const unsigned char *)record + record->fixed : NULL;
}

/* The numbers of a row behind its bits. */
static void expect_row(const unsigned char **at, unsigned bits, const uint64_t *numbers, int count)
{
    cr_assert_eq(**at, CUP_READS_ROW | bits);
    ++*at;
    for (int i = 0; i < count; i++) {
        uint64_t number = test_number(at);
        cr_expect_eq(number, numbers[i], "number %d: %lu, not %lu", i, number, numbers[i]);
    }
}

Test(reads, differences_to_the_row_before)
{
    uint64_t at = 0, now = cup_ticks(), later = now + cup_ns_ticks(6400000);
    cup_reads_add(&block, FILE_ID, 1000, 100, now, now);
    cup_reads_add(&block, FILE_ID, 1100, 50, later, later);
    cup_reads_add(&block, FILE_ID + 1, 150, 7, later, later + 1);
    const unsigned char *row = tail_of_next(&at);
    cr_assert_not_null(row);
    expect_row(&row, CUP_READS_TASK | CUP_READS_FILE,
               (uint64_t[]){TASK << 2 | CUP_BLOCK_RUNS, FILE_ID, 2000, 100}, 4);
    test_number(&row); /* since the record began */
    cr_expect_eq(test_number(&row), 0);
    expect_row(&row, 0, (uint64_t[]){0, 50}, 2);
    uint64_t apart = test_number(&row);
    cr_expect(apart >= 2 * 99900 && apart <= 2 * 100100, "%lu units", apart / 2);
    cr_expect_eq(test_number(&row), 0);
    expect_row(&row, CUP_READS_FILE, (uint64_t[]){FILE_ID + 1, 2 * 1000 - 1, 7, 0, 0}, 5);
    cr_expect_eq(*row, 0);
}

Test(reads, parts_of_one_request_have_its_times)
{
    uint64_t at = 0, now = cup_ticks();
    for (uint64_t i = 0; i < 3; i++)
        cup_reads_add(&block, FILE_ID, 100 * i, 10, now, now + 1000);
    const unsigned char *row = tail_of_next(&at);
    cr_assert_eq(*row++, CUP_READS_ROW | CUP_READS_TASK | CUP_READS_FILE);
    for (int i = 0; i < 6; i++)
        test_number(&row);
    expect_row(&row, CUP_READS_PART, (uint64_t[]){2 * 90, 10}, 2);
    expect_row(&row, CUP_READS_PART, (uint64_t[]){2 * 90, 10}, 2);
    cr_expect_eq(*row, 0);
}

/* The next thread goes on in the record, so that short threads do not waste the log. */
Test(reads, a_record_outlives_its_thread)
{
    uint64_t at = 0;
    cup_reads_add(&block, FILE_ID, 0, 10, 0, 0);
    cup_reads_thread_ends();
    cup_reads_add(&block, FILE_ID, 10, 10, 0, 0);
    cr_expect_not_null(tail_of_next(&at));
    cr_expect_null(tail_of_next(&at));
}

Test(reads, bounded_and_counted)
{
    uint64_t at = 0;
    int records = 0;
    for (uint64_t i = 0; i < 20000; i++)
        cup_reads_add(&block, FILE_ID, i << 30, i, 0, 0);
    while (tail_of_next(&at))
        records++;
    cr_expect_eq(records, ROOM / 4096);
    uint64_t dropped = cup_log_header()->health[CUP_H_READS_DROPPED];
    cr_expect(dropped > 10000 && dropped < 20000, "%lu dropped", dropped);
}
