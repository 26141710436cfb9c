/* BASKETS records of the log that is open in the test, read back by what log_format.h says. */
#ifndef CUPPING_TESTS_BASKET_RECORDS_H
#define CUPPING_TESTS_BASKET_RECORDS_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/clock.h"
#include "preload/log.h"

static char test_directory[] = "/tmp/cupping-baskets-XXXXXX";

static inline void test_log_open(uint64_t most)
{
    const char *why = "";
    cr_assert_not_null(mkdtemp(test_directory));
    cup_clock_calibrate(false);
    cr_assert_eq(cup_log_open(test_directory, most, 0, CUP_LOG_FULL, &why), 0, "%s", why);
}

static inline void test_log_close(void)
{
    char command[128];
    cup_log_forget();
    snprintf(command, sizeof command, "rm -r %s", test_directory);
    cr_expect_eq(system(command), 0);
}

/* The next record of TYPE from *AT on (0: the first); NULL at the end. */
static inline const struct cup_record *test_next(uint64_t *at, unsigned type)
{
    const struct cup_log_header *header = cup_log_header();
    if (!*at)
        *at = header->records_offset;
    while (*at < header->records_end) {
        const struct cup_record *record = (const struct cup_record *)((const char *)header + *at);
        *at += record->length;
        if (record->type == type)
            return record;
    }
    return NULL;
}

static inline uint64_t test_number(const unsigned char **at)
{
    uint64_t number = 0;
    int shift = 0;
    do {
        number |= (uint64_t)(**at & 0x7f) << shift;
        shift += 7;
    } while (*(*at)++ & 0x80);
    return number;
}

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

#endif
