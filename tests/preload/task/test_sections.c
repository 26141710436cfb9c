/* What the library keeps of sections and values before it writes them. */
#include "tests/preload/log_records.h"

#include "preload/lifecycle/thread.h"
#include "preload/task/sections.h"

static void set_up(void)
{
    cr_assert_eq(cup_thread_init(), 0);
    test_log_open(64 << 20);
    *cup_active_word = 1;
    cup_sections_reset();
}

static void tear_down(void)
{
    *cup_active_word = 0;
    test_log_close();
}

TestSuite(kept_values, .init = set_up, .fini = tear_down, .timeout = 60);

/* The process may be killed. So what a task, or no task, gives for long is not kept until the end.
 */
Test(kept_values, are_written_while_more_are_given)
{
    uint64_t at = 0, given = 0, recorded = 0;
    double sum = 0;
    const struct cup_record *record;
    while (!(record = test_next(&at, CUP_R_VALUE))) {
        cup_section_value("events", 2);
        given++;
        usleep(1000);
    }
    cup_section_value("events", 2);
    given++;
    cup_sections_process_ends();
    for (; record; record = test_next(&at, CUP_R_VALUE)) {
        const struct cup_r_value *value = (const struct cup_r_value *)record;
        recorded += value->count;
        sum += value->sum;
        cr_expect(value->name && value->least == 2 && value->most == 2 && value->last == 2);
    }
    cr_expect_eq(recorded, given);
    cr_expect_eq(sum, 2.0 * (double)given);
}
