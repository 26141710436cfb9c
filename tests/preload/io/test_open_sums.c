/* Sums of opens: what OPENS records say of them. */
#include "tests/preload/log_records.h"

#include "preload/io/open_sums.h"

enum { TASK = 7, OTHER = 8, MISSING = 2, PLACE = 3, ELSEWHERE = 9 };

struct found {
    struct cup_r_opens record;
    uint64_t values[CUP_O_COUNT_OF];
    uint64_t buckets[CUP_OPEN_BUCKETS];
};

static void set_up(void)
{
    test_log_open(4 << 20);
    cup_open_sums_reset();
}

TestSuite(open_sums, .init = set_up, .fini = test_log_close);

/* The next record from *AT on. False: there is none. */
static bool next(uint64_t *at, struct found *found)
{
    const struct cup_record *record = test_next(at, CUP_R_OPENS);
    if (!record)
        return false;
    *found = (struct found){.values = {0}};
    memcpy(&found->record, record, sizeof found->record);
    const unsigned char *pair = (const unsigned char *)record + sizeof found->record;
    const unsigned char *end = (const unsigned char *)record + record->length;
    test_pairs_and_buckets(pair, end, found->values, found->buckets);
    return true;
}

static void add(uint32_t task, uint32_t error, uint64_t ns, uint64_t at_ms)
{
    const struct cup_r_open open = {.task = task,
                                    .path = error ? ELSEWHERE : PLACE,
                                    .kind = CUP_OPEN_LOCAL,
                                    .error = error,
                                    .start_ns = (int64_t)at_ms,
                                    .ns = ns,
                                    .redirects = 2};
    cup_open_sums_add(&open, UINT64_C(1) << 40 | cup_ns_ticks(at_ms * 1000000));
}

Test(open_sums, are_written_when_their_task_ends)
{
    uint64_t at = 0;
    struct found found;
    for (uint64_t i = 0; i < 30; i++)
        add(TASK, 0, 10000 + i, i);
    add(OTHER, 0, 5, 3);
    add(TASK, MISSING, 70, 4);
    cr_expect_not(next(&at, &found));
    cup_open_sums_task_ended(TASK);
    at = 0;
    cr_assert(next(&at, &found));
    cr_expect(found.record.task == TASK && found.record.place == PLACE);
    cr_expect(found.record.kind == CUP_OPEN_LOCAL && found.record.error == 0);
    cr_expect_eq(found.record.start_ns, 0);
    cr_expect_eq(found.values[CUP_O_COUNT], 30);
    cr_expect_eq(found.values[CUP_O_NS], 30 * 10000 + 29 * 30 / 2);
    cr_expect_eq(found.values[CUP_O_SHORTEST_NS], 10000);
    cr_expect_eq(found.values[CUP_O_LONGEST_NS], 10029);
    cr_expect_eq(found.values[CUP_O_REDIRECTS], 60);
    cr_expect_eq(found.buckets[cup_open_bucket(10000)], 30);
    cr_assert(next(&at, &found));
    cr_expect(found.record.error == MISSING && found.record.place == ELSEWHERE);
    cr_expect_eq(found.values[CUP_O_COUNT], 1);
    cr_expect_not(next(&at, &found));
    cup_open_sums_process_ends();
    cr_assert(next(&at, &found));
    cr_expect(found.record.task == OTHER && found.values[CUP_O_NS] == 5);
}

/* Durations of every length, of many tasks at a time, over some minutes. */
Test(open_sums, add_up_to_what_was_opened)
{
    enum { OPENS = 100000 };
    static uint32_t expected[CUP_OPEN_BUCKETS], seen[CUP_OPEN_BUCKETS];
    uint64_t ns = 0, count = 0, seen_ns = 0, at = 0;
    struct found found;
    for (uint32_t i = 0; i < OPENS; i++) {
        uint64_t one = (UINT64_C(256) << i % 7) + i % 1000;
        add(i % 60, 0, one, i);
        ns += one;
        expected[cup_open_bucket(one)]++;
    }
    cup_open_sums_process_ends();
    while (next(&at, &found)) {
        count += found.values[CUP_O_COUNT];
        seen_ns += found.values[CUP_O_NS];
        for (unsigned i = 0; i < CUP_OPEN_BUCKETS; i++)
            seen[i] += found.buckets[i];
        if (found.values[CUP_O_COUNT] == 1)
            seen[cup_open_bucket(found.values[CUP_O_NS])]++;
    }
    cr_expect_eq(count, OPENS);
    cr_expect_eq(seen_ns, ns);
    cr_expect_arr_eq(seen, expected, sizeof seen);
}

/* A process that is killed keeps them. */
Test(open_sums, of_a_long_task_are_written_while_it_opens)
{
    uint64_t at = 0, count = 0, records = 0;
    struct found found;
    for (uint64_t ms = 0; ms < 10000; ms += 10)
        add(TASK, 0, 20000, ms);
    for (; next(&at, &found); records++)
        count += found.values[CUP_O_COUNT];
    cr_expect(records >= 2 && records <= 6 && count >= 600, "%lu records of %lu opens",
              (unsigned long)records, (unsigned long)count);
}
