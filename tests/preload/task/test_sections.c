/* What the library keeps of sections and values before it writes them. */
#include "tests/preload/log_records.h"

#include "preload/counters/block.h"
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

/* ---- counters and peaks ---------------------------------------------------------------------- */

static uint64_t section_value(const struct cup_record *record, unsigned index)
{
    uint64_t values[CUP_SECTION_VALUE_COUNT] = {0};
    const unsigned char *tail = (const unsigned char *)record + sizeof(struct cup_r_section);
    test_pairs_and_buckets(tail, (const unsigned char *)record + record->length, values, NULL);
    return values[index];
}

/* Another thread may just be taking both back from a job that served other tasks. */
Test(kept_values, bytes_read_do_not_wrap_if_less_was_read_than_servers_sent)
{
    uint64_t at = 0, *counters = cup_block_none()->counters;
    uint32_t section = cup_section_begin("io");
    counters[CUP_C_READ_OWN_BYTES] += 500;
    counters[CUP_C_SERVER_READ_BYTES] += 1000;
    cup_section_end(section);
    cup_sections_process_ends();
    const struct cup_record *record = test_next(&at, CUP_R_SECTION);
    cr_assert_not_null(record);
    cr_expect_eq(section_value(record, CUP_V_ENTRIES), 1);
    cr_expect_eq(section_value(record, CUP_V_READ_BYTES), 0);
}

static uint64_t value_of(const char *name, unsigned index)
{
    uint64_t at = 0, id = cup_log_cstring(name);
    const struct cup_record *record;
    do
        record = test_next(&at, CUP_R_SECTION);
    while (record && ((const struct cup_r_section *)record)->name != id);
    cr_assert_not_null(record, "no section %s", name);
    return section_value(record, index);
}

/* From C, a section is ended without its number. */
Test(kept_values, a_section_without_room_ends_no_other_one)
{
    for (int i = 0; i < 1023; i++)
        cup_section_begin("many");
    cup_section_begin("last");
    uint32_t from_python = cup_section_begin("no room");
    cr_expect_eq(from_python, CUP_SECTION_DROPPED);
    cup_section_begin("no room");
    cup_section_end(0);
    cup_section_end(from_python);
    cup_section_end(from_python);
    cup_sections_process_ends();
    cr_expect_eq(value_of("last", CUP_V_UNENDED), 1);
    cr_expect_not(cup_section_any());
}

/* "outer" takes the last room, so a section inside it cannot begin. Then another one ends, and
 * there is room for "inner". */
Test(kept_values, a_section_inside_of_one_without_room_has_its_own_end)
{
    uint32_t of_another_thread = cup_section_begin("first");
    for (int i = 0; i < 1022; i++)
        cup_section_begin("many");
    cup_section_begin("outer");
    cup_section_begin("no room");
    cup_section_end(of_another_thread);
    cup_section_begin("inner");
    cup_section_begin("no room");
    cup_section_end(0);
    cup_section_end(0); /* "inner" */
    cr_expect_eq(cup_section_begin("again") & 0xffff, of_another_thread & 0xffff);
    cup_section_end(0);
    cup_section_end(0); /* the first one without room */
    cup_sections_process_ends();
    cr_expect_eq(value_of("inner", CUP_V_UNENDED), 0);
    cr_expect_eq(value_of("outer", CUP_V_UNENDED), 1);
}

static void allocate(uint64_t bytes)
{
    uint64_t *peak = &cup_self.own->counters[CUP_C_PEAK_LIVE_BYTES];
    cup_self.own->live_bytes += bytes;
    if (cup_self.own->live_bytes > *peak)
        *peak = cup_self.own->live_bytes;
}

/* The first one ends while the second one is open: nothing says what its own peak was. */
Test(kept_values, peaks_of_sections_that_overlap)
{
    cup_self.task = 5;
    cup_self.own = cup_block_open(5, CUP_BLOCK_RUNS);
    cr_assert_not_null(cup_self.own);
    uint32_t around = cup_section_begin("around");
    allocate(9000);
    cup_self.own->live_bytes = 0;
    uint32_t first = cup_section_begin("first");
    allocate(500);
    uint32_t second = cup_section_begin("second");
    cup_section_end(first);
    allocate(70);
    cup_section_end(second);
    cup_section_end(around);
    cup_sections_process_ends();
    cr_expect_eq(value_of("first", CUP_V_PEAK_LIVE_BYTES), 0);
    cr_expect_eq(value_of("second", CUP_V_PEAK_LIVE_BYTES), 70, "%lu",
                 value_of("second", CUP_V_PEAK_LIVE_BYTES));
    cr_expect_eq(value_of("around", CUP_V_PEAK_LIVE_BYTES), 9000, "%lu",
                 value_of("around", CUP_V_PEAK_LIVE_BYTES));
}
