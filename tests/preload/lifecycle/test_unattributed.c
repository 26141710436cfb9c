/* What a process read for no known task is in the record of each task that ran at the time. */
#include "preload/lifecycle/unattributed.h"

#include "tests/preload/log_records.h"

static void open_log(void)
{
    test_log_open(1 << 20);
}

TestSuite(unattributed, .init = open_log, .fini = test_log_close);

static void expect_record(uint64_t *at, uint32_t task, uint64_t threads, uint64_t mixed)
{
    const struct cup_r_unattributed *record =
        (const struct cup_r_unattributed *)test_next(at, CUP_R_UNATTRIBUTED);
    cr_assert_not_null(record);
    cr_expect_eq(record->task, task);
    cr_expect_eq(record->bytes[CUP_UNATTRIBUTED_THREAD], threads);
    cr_expect_eq(record->bytes[CUP_UNATTRIBUTED_MIXED], mixed);
    cr_expect_eq(record->bytes[CUP_UNATTRIBUTED_SENDER], 0);
}

Test(unattributed, counts_for_each_task_that_ran)
{
    uint64_t at = 0;
    cup_unattributed_add(CUP_UNATTRIBUTED_THREAD, 1000);
    cup_unattributed_task_begins(7, 0);
    cup_unattributed_add(CUP_UNATTRIBUTED_THREAD, 5);
    cup_unattributed_task_begins(8, 0);
    cup_unattributed_add(CUP_UNATTRIBUTED_MIXED, 20);
    cup_unattributed_task_ends(8, 0);
    cup_unattributed_add(CUP_UNATTRIBUTED_MIXED, 300);
    cup_unattributed_task_ends(7, 0);
    expect_record(&at, 8, 0, 20);
    expect_record(&at, 7, 5, 320);
}

Test(unattributed, without_such_bytes_there_is_no_record)
{
    uint64_t at = 0;
    cup_unattributed_task_begins(7, 0);
    cup_unattributed_add(CUP_UNATTRIBUTED_REASON_COUNT, 5); /* of a task that has ended */
    cup_unattributed_task_ends(7, 0);
    cr_expect_null(test_next(&at, CUP_R_UNATTRIBUTED));
}
