/* Writes the example record, as a room of preload/ would: docs/contributing/add-a-log-record.md. */
#include "tests/howto/example_record.h"
#include "tests/preload/log_records.h"

static void write_temperature(uint32_t core, uint32_t millidegrees)
{
    struct cup_r_temperature *record = cup_log_reserve(sizeof *record, 0);
    if (!record)
        return; /* the log is full: counted in records_dropped */
    record->time_ns = cup_clock_realtime_ns();
    record->core = core;
    record->millidegrees = millidegrees;
    cup_log_commit(record, (enum cup_record_type)CUP_R_TEMPERATURE);
}

Test(howto, writes_a_record)
{
    uint64_t at = 0;
    test_log_open(1 << 20);
    write_temperature(3, 61500);
    const struct cup_r_temperature *record =
        (const struct cup_r_temperature *)test_next(&at, CUP_R_TEMPERATURE);
    cr_assert_not_null(record);
    cr_expect_eq(record->core, 3);
    cr_expect_eq(record->millidegrees, 61500);
    test_log_close();
}
