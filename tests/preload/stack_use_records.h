/* STACK_USE records of the log that is open in the test, read back by what log_format.h says. */
#pragma once

#include "tests/preload/log_records.h"

struct test_use {
    uint32_t task, node, use;
    uint64_t count, bytes, ns;
};

/* Rows of one record behind those in USES; returns how many there are then. */
static inline size_t test_record_uses(const struct cup_r_stack_use *record, struct test_use *uses,
                                      size_t count, size_t most)
{
    const unsigned char *at = (const unsigned char *)(record + 1);
    const unsigned char *end = (const unsigned char *)record + record->head.length;
    struct test_use before = {0};
    cr_assert(record->rows & CUP_USE_ROWS_SHORT);
    for (uint32_t i = 0; i < (record->rows & ~CUP_USE_ROWS_SHORT); i++, count++) {
        cr_assert_lt(count, most);
        struct test_use *row = &uses[count];
        uint64_t number = test_number(&at), follow;
        row->task = record->task;
        row->node = before.node + (uint32_t)(number & 1 ? 0 : number >> 1);
        follow = number & 1 ? number >> 1 : test_number(&at);
        row->use = (uint32_t)(follow >> 3) + (number & 1 ? before.use : 0);
        row->count = follow & 1 ? test_number(&at) : 1;
        row->bytes = follow & 2 ? test_number(&at) : 0;
        row->ns = follow & 4 ? test_number(&at) : 0;
        before = *row;
        bool follows = i == 0 || row[-1].node < row->node || row[-1].use < row->use;
        cr_expect(follows, "rows are in order");
        cr_expect_lt(row->use, CUP_STACK_USE_COUNT);
    }
    cr_assert_leq(at, end);
    return count;
}

/* All rows of the log, and how many records they are in. */
static inline size_t test_uses(struct test_use *uses, size_t most, size_t *records)
{
    uint64_t at = 0;
    size_t count = 0;
    const struct cup_record *record;
    for (*records = 0; (record = test_next(&at, CUP_R_STACK_USE)); ++*records)
        count = test_record_uses((const struct cup_r_stack_use *)record, uses, count, most);
    return count;
}
