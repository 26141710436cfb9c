/* BASKETS records of the log that is open in the test, read back by what log_format.h says. */
#pragma once

#include "tests/preload/log_records.h"

struct test_row {
    uint32_t task, file, path, source, branch;
    uint64_t values[CUP_BV_COUNT];
};

/* Rows of one record behind those in ROWS; returns how many there are then. */
static inline size_t test_record_rows(const struct cup_record *head, struct test_row *rows,
                                      size_t count, size_t most)
{
    static const bool is_delta[] = {
#define PLAIN false
#define DELTA true
#define X(id, name, kind, text) kind,
        CUP_BASKET_VALUES(X)
#undef X
#undef PLAIN
#undef DELTA
    };
    const struct cup_r_baskets *record = (const struct cup_r_baskets *)head;
    const unsigned char *at = (const unsigned char *)(record + 1);
    const unsigned char *end = (const unsigned char *)head + head->length;
    uint64_t before[CUP_BV_COUNT] = {0};
    uint32_t branch = 0, found = 0;
    for (; at < end && *at; count++, found++) {
        cr_assert_lt(count, most);
        struct test_row *row = &rows[count];
        branch += (uint32_t)test_number(&at) - 1;
        *row = (struct test_row){record->task,   record->file, record->path,
                                 record->source, branch,       {0}};
        uint64_t which = test_number(&at);
        for (int i = 0; i < CUP_BV_COUNT; i++) {
            uint64_t number = which >> i & 1 ? test_number(&at) : 0;
            uint64_t change = number & 1 ? UINT64_MAX - number / 2 : number / 2;
            before[i] = row->values[i] = is_delta[i] ? before[i] + change : number;
        }
    }
    cr_assert_eq(found, record->rows);
    return count;
}

/* All rows of the log. */
static inline size_t test_rows(struct test_row *rows, size_t most)
{
    uint64_t at = 0;
    size_t count = 0;
    const struct cup_record *record;
    while ((record = test_next(&at, CUP_R_BASKETS)))
        count = test_record_rows(record, rows, count, most);
    return count;
}
