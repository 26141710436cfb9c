/* Rows of CPU_SAMPLES records: what was coded is read, and what no library would write is told from
 * it. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/log/log_stacks.h"
#include "include/cpu_rows.h"
#include "include/log_pairs.h"

static const int64_t START_NS = INT64_C(1700000000000000000);

static union {
    struct cup_r_cpu_samples record;
    unsigned char bytes[4096];
} made;

static void make(const unsigned char *tail, size_t bytes, uint32_t rows)
{
    memset(&made, 0, sizeof made);
    made.record =
        (struct cup_r_cpu_samples){.tid = 77,
                                   .rows = rows,
                                   .start_ns = START_NS,
                                   .period = 119,
                                   .head = {.length = (uint32_t)(sizeof made.record + bytes),
                                            .type = CUP_R_CPU_SAMPLES,
                                            .fixed = sizeof made.record}};
    memcpy(&made.record + 1, tail, bytes);
}

static void make_runs(const struct cup_cpu_run *runs, uint32_t count)
{
    const struct cup_cpu_run none = {0};
    unsigned char tail[1024];
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += cup_cpu_row_code(tail + bytes, &runs[i], i ? &runs[i - 1] : &none);
    make(tail, bytes, count);
}

static struct cup_cpu_reader start(void)
{
    struct cup_cpu_reader reader;
    cup_cpu_start(&reader, &made.record.head);
    return reader;
}

Test(cpu_rows, what_was_coded_is_read)
{
    static const struct cup_cpu_run runs[] = {
        {3, 900, true, 0, 0, 1},
        {3, 17, false, 100, 1100, 9},
        {4, 17, true, 1200, 1200, 1},
        {0, 0, false, 1300, 1301, 2},
        {UINT32_MAX, UINT32_MAX, true, 1u << 29, 1u << 29, 1},
        {1, 1, true, 1u << 29, 1u << 29, 1},
    };
    enum { COUNT = sizeof runs / sizeof *runs };
    make_runs(runs, COUNT);
    struct cup_cpu_reader reader = start();
    cr_expect_eq(reader.fixed.tid, 77);
    cr_expect_eq(reader.period_ns, INT64_C(119) << 20);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert(cup_cpu_next(&reader));
        const struct cup_cpu_row *row = &reader.row;
        cr_expect(row->task == runs[i].task && row->node == runs[i].node &&
                      row->on_core == runs[i].on_core && row->samples == runs[i].samples,
                  "row %zu: %u %u", i, row->task, row->node);
        cr_expect_eq(row->start_ns, START_NS + (int64_t)runs[i].first * CUP_CPU_SAMPLES_NS);
        cr_expect_eq(row->stop_ns, START_NS + (int64_t)runs[i].last * CUP_CPU_SAMPLES_NS);
    }
    cr_expect(!cup_cpu_next(&reader) && !reader.damaged);
}

/* A thread that goes to and fro between two places of one function. */
Test(cpu_rows, a_usual_row_is_short)
{
    unsigned char row[CUP_CPU_ROW_LONGEST];
    const struct cup_cpu_run before = {3, 1000, true, 0, 0, 1}, run = {3, 1030, true, 119, 119, 1};
    cr_expect_eq(cup_cpu_row_code(row, &run, &before), 3);
}

#define TAIL(rows, ...)                                                                            \
    make((const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__}), rows)

static void expect_damage(uint32_t sound)
{
    struct cup_cpu_reader reader = start();
    while (cup_cpu_next(&reader))
        continue;
    cr_expect(reader.damaged);
    cr_expect_eq(reader.count, sound);
}

Test(cpu_rows, rows_that_cannot_be_are_damage)
{
    TAIL(2, CUP_CPU_ROW_ON, 5); /* one is missing */
    expect_damage(1);
    TAIL(1, CUP_CPU_ROW_ON | CUP_CPU_ROW_NODE, 5); /* its node is */
    expect_damage(0);
    TAIL(1, CUP_CPU_ROW_NODE, 0, 1); /* node -1 */
    expect_damage(0);
    TAIL(1, CUP_CPU_ROW_TASK, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 1); /* task 2^34 */
    expect_damage(0);
    TAIL(1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 1); /* hours upon hours */
    expect_damage(0);
    TAIL(1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff); /* no number */
    expect_damage(0);
    TAIL(UINT32_MAX, 0, 0);
    expect_damage(1);
}

Test(cpu_rows, a_time_at_the_end_of_all_is_no_overflow)
{
    TAIL(1, CUP_CPU_ROW_SEVERAL, 100, 1, 100);
    made.record.start_ns = INT64_MAX;
    struct cup_cpu_reader reader = start();
    cr_expect(cup_cpu_next(&reader));
}
