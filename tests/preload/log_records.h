/* A log that is open in the test, and its records. */
#pragma once

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "tests/preload/unpacked_record.h"

static char test_directory[] = "/tmp/cupping-records-XXXXXX";

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

/* Writes records until the log is full. */
static inline void test_log_fill(void)
{
    static const char tail[1000];
    struct cup_r_note note = {.text = 0};
    while (cup_log_write(CUP_R_NOTE, &note, tail, sizeof tail))
        ;
    while (cup_log_write(CUP_R_NOTE, &note, NULL, 0))
        ;
}

/* The log's file may not grow beyond its records until test_log_gets_room(). */
static inline void test_log_limit(void)
{
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = cup_log_header()->records_end;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    test_log_fill();
}

static inline void test_log_gets_room(void)
{
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    while (!cup_log_write(CUP_R_NOTE, &(struct cup_r_note){.text = 0}, NULL, 0))
        usleep(10000);
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
            return test_unpacked(record);
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

/* The pairs of a tail into VALUES, and the list of buckets behind them into BUCKETS. */
static inline void test_pairs_and_buckets(const unsigned char *at, const unsigned char *end,
                                          uint64_t *values, uint64_t *buckets)
{
    uint64_t index = 0, bucket = 0;
    while (at < end && index != CUP_PAIR_LIST) {
        index = test_number(&at);
        if (index == CUP_PAIR_PADDING)
            continue;
        uint64_t value = test_number(&at);
        if (index == CUP_PAIR_LIST)
            bucket = value;
        else
            values[index] = value;
    }
    while (at < end) {
        uint64_t number = test_number(&at);
        bucket += number / 8;
        buckets[bucket] = number % 8 ? number % 8 : test_number(&at);
    }
}
