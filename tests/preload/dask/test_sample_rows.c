/* Rows of samples: a reader of the log gets the right values even if records were lost. */
#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "include/log_pairs.h"
#include "preload/dask/sample_rows.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"

static char directory[] = "/tmp/cupping-rows-XXXXXX";
static struct cup_rows rows;
static struct cup_last_written written;
static uint64_t values[CUP_WV_COUNT], heartbeat[CUP_HV_COUNT];
static uint64_t first; /* where the records under test begin */

static void open_log(uint64_t most)
{
    const char *why = "";
    cr_assert_not_null(mkdtemp(directory));
    cup_clock_calibrate(false);
    cr_assert_eq(cup_log_open(directory, most, 0, CUP_LOG_FULL, &why), 0, "%s", why);
    rows = (struct cup_rows){.server = 1};
    written = (struct cup_last_written){0};
    memset(values, 0, sizeof values);
    memset(heartbeat, 0, sizeof heartbeat);
    cup_rows_reset();
    first = cup_log_header()->records_offset;
}

static void tear_down(void)
{
    char command[128];
    cup_log_forget();
    snprintf(command, sizeof command, "rm -r %s", directory);
    cr_expect_eq(system(command), 0);
}

TestSuite(rows, .fini = tear_down);

static bool take(const uint64_t *beat)
{
    uint64_t server[CUP_SV_COUNT] = {0};
    struct cup_rows_batch batch;
    cup_rows_begin(&batch, &rows);
    if (written.worker || cup_rows_add_worker(&rows, &written, 1, 2))
        cup_rows_add(&batch, &written, values, beat);
    return cup_rows_end(&batch, 5, server);
}

/* The first record of that type at *AT or later; NULL: none. */
static const struct cup_record *find(uint64_t *at, unsigned type)
{
    const struct cup_log_header *header = cup_log_header();
    while (*at < header->records_end) {
        const struct cup_record *record = (const struct cup_record *)((const char *)header + *at);
        *at += record->length;
        if (record->type == type)
            return record;
    }
    return NULL;
}

static int count(unsigned type)
{
    uint64_t at = first;
    int found = 0;
    while (find(&at, type))
        found++;
    return found;
}

/* The tail of the last ROWS record; its only row is of worker 1. */
static const unsigned char *last_row(unsigned *kind, size_t *bytes)
{
    uint64_t at = first;
    const struct cup_record *record, *last = NULL;
    while ((record = find(&at, CUP_R_ROWS)) != NULL)
        last = record;
    cr_assert(last, "no rows");
    const unsigned char *tail = (const unsigned char *)last + last->fixed;
    cr_assert_eq(tail[0], 1);
    unsigned size = tail[1] & 0x7f, head = 2;
    if (tail[1] & 0x80)
        size |= (unsigned)tail[head++] << 7;
    *kind = size % CUP_ROW_KINDS;
    *bytes = size / CUP_ROW_KINDS;
    return tail + head;
}

static void expect_row(enum cup_row_kind expected, size_t bytes, const void *pairs)
{
    unsigned kind;
    size_t size;
    const unsigned char *at = last_row(&kind, &size);
    cr_expect_eq(kind, expected);
    cr_assert_eq(size, bytes, "%zu bytes", size);
    cr_expect_arr_eq(at, pairs, bytes);
}

Test(rows, an_unchanged_worker_has_none)
{
    open_log(1 << 24);
    for (int i = 0; i < 10; i++)
        cr_expect(take(i ? NULL : heartbeat));
    cr_expect_eq(count(CUP_R_WORKER), 1);
    cr_expect_eq(count(CUP_R_ROWS), 1);
    cr_expect_eq(count(CUP_R_SAMPLE), 10);
}

Test(rows, tell_by_how_much_values_changed)
{
    open_log(1 << 24);
    values[CUP_WV_EXECUTING] = 5;
    heartbeat[CUP_HV_RSS] = 1000;
    cr_expect(take(heartbeat));
    values[CUP_WV_EXECUTING] = 3;
    heartbeat[CUP_HV_RSS] = 1001;
    cr_expect(take(heartbeat));
    const unsigned char pairs[] = {CUP_WV_EXECUTING, 3 /* -2 */, CUP_PAIR_HEARTBEAT + CUP_HV_RSS,
                                   2 /* +1 */};
    expect_row(CUP_ROW_CHANGED, sizeof pairs, pairs);
}

Test(rows, differences_of_any_values_are_undone)
{
    static const uint64_t some[] = {0, 1, 127, 128, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        for (size_t j = 0; j < sizeof some / sizeof *some; j++)
            cr_expect_eq(cup_pairs_undo(cup_pairs_difference(some[i], some[j]), some[j]), some[i]);
    open_log(1 << 24);
}

Test(rows, all_is_told_again_from_time_to_time)
{
    open_log(1 << 24);
    cr_expect(take(heartbeat));
    for (int i = 1; i < 3 * CUP_ROWS_WHOLE_EVERY; i++)
        cr_expect(take(NULL));
    cr_expect(count(CUP_R_ROWS) >= 3 && count(CUP_R_ROWS) <= 4, "%d", count(CUP_R_ROWS));
    unsigned kind;
    size_t bytes;
    last_row(&kind, &bytes);
    cr_expect_eq(kind, CUP_ROW_WHOLE);
}

/* Files of this process can have BYTES from now on. */
static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A lost row does not count, and later rows do not refer to it. */
Test(rows, after_a_loss_all_is_told_in_full)
{
    uint64_t at;
    open_log(1 << 24);
    limit_files(1 << 20);
    cr_expect(take(heartbeat));
    values[CUP_WV_HAS] = 1;
    while (cup_log_reserve(4096, 0))
        ;
    while (cup_log_reserve(sizeof(struct cup_record), 0))
        ;
    cr_expect_not(take(NULL));
    cr_expect_eq(cup_log_header()->health[CUP_H_SAMPLES_DROPPED], 1);
    cr_expect_eq(cup_log_header()->health[CUP_H_SAMPLES_TAKEN], 2);
    cr_expect_eq(rows.losses, 1);
    cr_expect_eq(rows.rows, 2);
    limit_files(RLIM_INFINITY);
    while (!cup_log_has_room()) /* the library tries it again once a second */
        usleep(10000);
    first = at = cup_log_header()->records_end;
    cr_expect(take(NULL));
    const struct cup_r_rows *record = (const void *)find(&at, CUP_R_ROWS);
    cr_assert_not_null(record);
    cr_expect_eq(record->rows, 3);
    unsigned kind;
    size_t bytes;
    last_row(&kind, &bytes);
    cr_expect_eq(kind, CUP_ROW_WHOLE);
    values[CUP_WV_HAS] = 2;
    cr_expect(take(NULL));
    const unsigned char pairs[] = {CUP_WV_HAS, 2};
    expect_row(CUP_ROW_CHANGED, sizeof pairs, pairs);
}

Test(rows, many_workers_take_several_records)
{
    enum { WORKERS = 300 };
    static struct cup_last_written all[WORKERS];
    struct cup_rows_batch batch;
    uint64_t server[CUP_SV_COUNT] = {0};
    open_log(1 << 24);
    for (int i = 0; i < WORKERS; i++)
        cr_assert(cup_rows_add_worker(&rows, &all[i], 1, 2));
    for (int sample = 0; sample < 2; sample++) {
        cup_rows_begin(&batch, &rows);
        for (int i = 0; i < WORKERS; i++) {
            values[CUP_WV_HAS]++;
            cup_rows_add(&batch, &all[i], values, sample ? NULL : heartbeat);
        }
        cr_expect(cup_rows_end(&batch, 5, server));
    }
    cr_expect_gt(count(CUP_R_ROWS), 5);
    cr_expect_eq(rows.rows, (uint32_t)count(CUP_R_ROWS));
    cr_expect_eq(count(CUP_R_SAMPLE), 2);
}

Test(rows, one_that_is_gone_is_told)
{
    struct cup_rows_batch batch;
    uint64_t server[CUP_SV_COUNT] = {0};
    open_log(1 << 24);
    cr_expect(take(heartbeat));
    cup_rows_begin(&batch, &rows);
    cup_rows_add_gone(&batch, &written);
    cr_expect(cup_rows_end(&batch, 5, server));
    expect_row(CUP_ROW_GONE, 0, "");
}
