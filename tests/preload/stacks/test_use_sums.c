/* Joining rows: what a kind has in all stays exact, and what a stack gets is right on average. */
#include "preload/stacks/use_sums.h"

#include <criterion/criterion.h>

enum { ROWS = 120, WANTED = 16 };

static struct cup_use_sum sums[ROWS];

/* Reads, CPU samples and requested baskets by turns. */
static void fill(void)
{
    static const uint16_t uses[] = {CUP_U_READ, CUP_U_CPU, CUP_USE_BRANCHES + 3};
    for (uint32_t i = 0; i < ROWS; i++) {
        uint64_t size = 1 + i * 7919 % 97;
        sums[i] = (struct cup_use_sum){.node = i / 3, .use = uses[i % 3], .taken = 1};
        sums[i].is[CUP_USE_COUNT] = 1 + i % 5;
        sums[i].is[CUP_USE_BYTES] = sums[i].use == CUP_U_CPU ? 0 : 1000 * size;
        sums[i].is[CUP_USE_NS] = 100000 / size;
    }
    sums[30].is[CUP_USE_BYTES] = 2000000;
}

static uint64_t sum_of(size_t count, uint16_t use, enum cup_use_measure measure)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += sums[i].use == use ? sums[i].is[measure] : 0;
    return sum;
}

static size_t rows_of(size_t count, uint16_t use)
{
    size_t rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += sums[i].use == use;
    return rows;
}

Test(use_sums, kinds_keep_their_sums_and_branches_their_rows)
{
    static const uint16_t uses[] = {CUP_U_READ, CUP_U_CPU, CUP_USE_BRANCHES + 3};
    uint64_t before[3][CUP_USE_MEASURES], given = 0;
    fill();
    for (int use = 0; use < 3; use++)
        for (int i = 0; i < CUP_USE_MEASURES; i++)
            before[use][i] = sum_of(ROWS, uses[use], (enum cup_use_measure)i);
    size_t count = cup_use_sums_join(sums, ROWS, WANTED, &given);
    for (int use = 0; use < 3; use++)
        for (int i = 0; i < CUP_USE_MEASURES; i++)
            cr_expect_eq(sum_of(count, uses[use], (enum cup_use_measure)i), before[use][i]);
    cr_expect_eq(rows_of(count, CUP_USE_BRANCHES + 3), ROWS / 3);
    cr_expect_leq(rows_of(count, CUP_U_READ) + rows_of(count, CUP_U_CPU), 3 * WANTED);
    cr_expect(given > 0 && given <= before[0][CUP_USE_COUNT]);
    for (size_t i = 1; i < count; i++)
        cr_expect(sums[i - 1].node < sums[i].node || sums[i - 1].use < sums[i].use);
}

Test(use_sums, a_large_row_stays_by_itself)
{
    uint64_t given = 0;
    fill();
    size_t count = cup_use_sums_join(sums, ROWS, WANTED, &given), large = 0;
    for (size_t i = 0; i < count; i++)
        large +=
            sums[i].node == 10 && sums[i].use == CUP_U_READ && sums[i].is[CUP_USE_BYTES] == 2000000;
    cr_expect_eq(large, 1);
}

Test(use_sums, few_rows_stay_as_they_are)
{
    uint64_t given = 0;
    fill();
    cr_expect_eq(cup_use_sums_join(sums, ROWS, ROWS, &given), ROWS);
    cr_expect_eq(given, 0);
}

/* The mean of many joins, of each row and measure: the error of a row is what its group has at
 * most, some 1/16 of its kind. */
Test(use_sums, a_stack_gets_on_average_what_it_had)
{
    enum { TIMES = 20000 };
    static double got[ROWS][CUP_USE_MEASURES];
    uint64_t given = 0;
    for (int time = 0; time < TIMES; time++) {
        fill();
        size_t count = cup_use_sums_join(sums, ROWS, WANTED, &given);
        for (size_t i = 0; i < count; i++)
            for (int measure = 0; measure < CUP_USE_MEASURES; measure++)
                got[sums[i].node * 3 + (sums[i].use == CUP_U_CPU    ? 1
                                        : sums[i].use == CUP_U_READ ? 0
                                                                    : 2)][measure] +=
                    (double)sums[i].is[measure];
    }
    fill();
    for (size_t i = 0; i < ROWS; i++)
        for (int measure = 0; measure < CUP_USE_MEASURES; measure++) {
            uint64_t all = sum_of(ROWS, sums[i].use, (enum cup_use_measure)measure);
            double had = (double)sums[i].is[measure], mean = got[i][measure] / TIMES;
            /* At most half a group is given at a time: 5 standard errors of that. */
            cr_expect_float_eq(mean, had, 5 * 0.5 * (double)all / (WANTED / 2) / 141 + 1e-9,
                               "row %zu, measure %d: %f instead of %f of %lu", i, measure, mean,
                               had, all);
        }
}
