/* Samples over time: which looks are kept, the rows of CPU_SAMPLES records, and their size. */
#include "tests/preload/log_records.h"

#include "preload/sampler/cpu_samples.h"

static const uint64_t LOOK_NS = 10000000;

static uint64_t now; /* ticks */

static void set_up(void)
{
    test_log_open(64 << 20);
    cup_cpu_samples_reset();
    now = cup_ticks();
}

TestSuite(cpu_samples, .init = set_up, .fini = test_log_close);

/* One look 10 ms later; returns true if it is kept. */
static bool look(void)
{
    now += cup_ns_ticks(LOOK_NS);
    return cup_cpu_samples_begin(now, LOOK_NS);
}

struct sums {
    uint64_t records, rows, samples, bytes, on_core;
    int64_t last_ns;
};

static void skip_if(const unsigned char **at, uint64_t bits, uint64_t bit)
{
    if (bits & bit)
        test_number(at);
}

static void add_record(struct sums *sums, const struct cup_r_cpu_samples *record)
{
    const unsigned char *at = (const unsigned char *)(record + 1);
    uint64_t units = 0;
    for (uint32_t i = 0; i < record->rows; i++) {
        uint64_t bits = test_number(&at);
        units += test_number(&at);
        skip_if(&at, bits, CUP_CPU_ROW_TASK);
        skip_if(&at, bits, CUP_CPU_ROW_NODE);
        sums->samples += 1 + (bits & CUP_CPU_ROW_SEVERAL ? test_number(&at) : 0);
        units += bits & CUP_CPU_ROW_SEVERAL ? test_number(&at) : 0;
        sums->on_core += (bits & CUP_CPU_ROW_ON) != 0;
    }
    cr_assert_leq(at, (const unsigned char *)record + record->head.length);
    sums->records++;
    sums->rows += record->rows;
    sums->bytes += record->head.length;
    sums->last_ns = record->start_ns + (int64_t)units * CUP_CPU_SAMPLES_NS;
}

static struct sums sum_up(void)
{
    struct sums sums = {0};
    const struct cup_record *record;
    for (uint64_t at = 0; (record = test_next(&at, CUP_R_CPU_SAMPLES));)
        add_record(&sums, (const struct cup_r_cpu_samples *)record);
    return sums;
}

Test(cpu_samples, an_hour_of_four_busy_threads_stays_small)
{
    uint64_t kept = 0;
    for (uint32_t i = 0; i < 360000; i++) {
        if (!look())
            continue;
        for (uint32_t slot = 0; slot < 4; slot++, kept++)
            cup_cpu_samples_keep(slot, 100 + slot, 1 + i / 5000, 1 + (uint32_t)(kept * 7919 % 4000),
                                 true);
    }
    cup_cpu_samples_flush();
    struct sums sums = sum_up();
    cr_expect_eq(sums.samples, kept);
    cr_expect(kept > 4 * 3600 * 7 && kept < 4 * 3600 * 9, "%lu samples", kept);
    cr_expect_lt(sums.bytes, 700000, "%lu bytes", sums.bytes);
}

Test(cpu_samples, those_alike_are_one_row)
{
    uint64_t kept = 0;
    for (int i = 0; i < 300; i++)
        if (look()) {
            cup_cpu_samples_keep(3, 100, 7, 9, false);
            kept++;
        }
    cup_cpu_samples_flush();
    struct sums sums = sum_up();
    cr_expect_eq(sums.rows, 1);
    cr_expect_eq(sums.samples, kept);
    cr_expect_eq(sums.on_core, 0);
}

/* A pause in which the thread worked for no task begins a new row. */
Test(cpu_samples, a_gap_ends_a_row)
{
    for (int i = 0; i < 200; i++)
        if (look() && (i < 60 || i > 160))
            cup_cpu_samples_keep(3, 100, 7, 9, true);
    cup_cpu_samples_flush();
    cr_expect_eq(sum_up().rows, 2);
}

Test(cpu_samples, another_thread_on_a_seat_has_records_of_its_own)
{
    for (uint32_t i = 0; i < 100; i++)
        if (look())
            cup_cpu_samples_keep(3, i < 50 ? 100 : 101, 7, 9, true);
    cup_cpu_samples_flush();
    cr_expect_eq(sum_up().records, 2);
}

/* A killed process loses at most this. */
Test(cpu_samples, what_is_some_seconds_old_is_written)
{
    uint64_t began = now;
    for (int i = 0; i < 6000; i++)
        if (look())
            cup_cpu_samples_keep(0, 100, 7, (uint32_t)i, true);
    int64_t lost = cup_ticks_realtime_ns(now) - sum_up().last_ns;
    cr_expect_lt(lost, INT64_C(5000000000));
    cr_expect_gt(cup_ticks_ns(now - began), UINT64_C(59000000000));
}

Test(cpu_samples, what_finds_no_room_is_counted)
{
    uint64_t kept = 0;
    for (size_t bytes = 60000; bytes; bytes /= 4)
        while (cup_log_reserve(sizeof(struct cup_r_cpu_samples), bytes))
            continue;
    for (uint32_t i = 0; i < 5000; i++)
        if (look()) {
            cup_cpu_samples_keep(0, 100, 7, i, true);
            kept++;
        }
    cup_cpu_samples_flush();
    uint64_t dropped = cup_log_header()->health[CUP_H_CPU_SAMPLES_DROPPED];
    cr_expect_gt(dropped, 0);
    cr_expect_eq(sum_up().samples + dropped, kept);
}
