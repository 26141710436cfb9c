/* Where files were read, and when: as it is written, as nobody would write it, and whose it is. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/log/log_access.h"
#include "analysis/profile/access_feed.h"
#include "tests/analysis/fixture.h"

#define TIME(n) (INT64_C(1700000000) * 1000000000 / 1024 * 1024 + (n)*INT64_C(1024))

static const struct cup_read_extent some[] = {
    {TIME(0), TIME(5), 100, 200, 100, 1, 0},
    {TIME(3), TIME(9), 0, 50, 40, 2, 0}, /* began before the one before had ended */
    {TIME(9), TIME(9), INT64_C(1) << 50, (INT64_C(1) << 50) + 7, 70, 10, 9},
    {TIME(4000000000), TIME(8000000000), 0, INT64_C(1) << 59, INT64_C(1) << 58, UINT32_MAX,
     UINT32_MAX - 1},
};
enum { SOME = sizeof some / sizeof *some };

static void expect_same(const struct cup_read_extent *one, const struct cup_read_extent *other)
{
    cr_expect_eq(one->start_ns, other->start_ns);
    cr_expect_eq(one->stop_ns, other->stop_ns);
    cr_expect_eq(one->low, other->low);
    cr_expect_eq(one->high, other->high);
    cr_expect_eq(one->bytes, other->bytes);
    cr_expect_eq(one->calls, other->calls);
    cr_expect_eq(one->jumps, other->jumps);
}

Test(log_access, extents_are_read_as_they_were_written)
{
    struct log_builder builder;
    static struct cup_access access;
    const struct cup_r_access fixed = {.task = 7, .file = 3, .set = 4, .sequence = 5, .own = 1};
    builder_start(&builder);
    size_t at = builder.size;
    builder_access(&builder, &fixed, some, SOME);
    cup_access_decode(&access, (const struct cup_record *)(builder.bytes + at));
    cr_assert_eq(access.count, SOME);
    cr_expect_not(access.damaged);
    cr_expect_eq(access.task, 7);
    cr_expect_eq(access.file, 3);
    cr_expect_eq(access.set, 4);
    cr_expect_eq(access.sequence, 5);
    for (int i = 0; i < SOME; i++)
        expect_same(&access.extents[i], &some[i]);
    builder_free(&builder);
}

Test(log_access, a_set_gives_them_in_the_order_of_time)
{
    struct log_builder builder;
    static struct cup_access access;
    const struct cup_r_access fixed = {.task = 7, .file = 3, .set = 4, .sequence = 5};
    builder_start(&builder);
    size_t at = builder.size;
    builder_extents(&builder, &fixed, some, SOME);
    cup_access_decode(&access, (const struct cup_record *)(builder.bytes + at));
    cr_assert_eq(access.count, SOME);
    cr_expect_not(access.damaged);
    for (int i = 0; i < SOME; i++)
        expect_same(&access.extents[i], &some[i]);
    struct cup_r_extents *set = (struct cup_r_extents *)(builder.bytes + at);
    set->extents[CUP_EXTENT_ROOM - 1].high = 0;
    cup_access_decode(&access, &set->head);
    cr_expect_eq(access.count, SOME - 1);
    cr_expect(access.damaged);
    set->file = 0;
    cup_access_decode(&access, &set->head);
    cr_expect_eq(access.count, 0, "it is not in use");
    builder_free(&builder);
}

/* Number of sound extents in TAIL, whose record says that it has CLAIMED of them. */
static uint32_t count_extents(uint8_t claimed, const void *tail, size_t bytes, bool *damaged)
{
    static struct cup_access access;
    size_t length = (sizeof(struct cup_r_access) + bytes + 7) / 8 * 8;
    struct cup_r_access *record = calloc(1, length);
    *record = (struct cup_r_access){
        .head = {.length = (uint32_t)length, .type = CUP_R_ACCESS, .fixed = sizeof *record},
        .start_ns = TIME(0),
        .extents = claimed};
    memcpy(record + 1, tail, bytes);
    cup_access_decode(&access, &record->head);
    *damaged = access.damaged;
    free(record);
    return access.count;
}

#define COUNT(claimed, ...)                                                                        \
    count_extents(claimed, (const unsigned char[]){__VA_ARGS__},                                   \
                  sizeof(const unsigned char[]){__VA_ARGS__}, &damaged)

/* Bit 1 is the extent: all else is 0. */
Test(log_access, damaged_tails)
{
    bool damaged;
    cr_expect_eq(COUNT(1, 2, 5), 1);
    cr_expect_not(damaged);
    cr_expect_eq(COUNT(2, 2, 5, 2, 6), 2);
    cr_expect_not(damaged);
    cr_expect_eq(COUNT(3, 2, 5, 2, 6), 2, "one less than claimed");
    cr_expect(damaged);
    cr_expect_eq(COUNT(1, 2, 5, 2, 6), 1, "one more");
    cr_expect(damaged);
    cr_expect_eq(COUNT(0, 0), 0);
    cr_expect_not(damaged);
    cr_expect_eq(COUNT(1, 1, 5), 0, "no extent");
    cr_expect(damaged);
    cr_expect_eq(COUNT(1, 3, 3, 5), 0, "before the file");
    cr_expect(damaged);
    cr_expect_eq(COUNT(1, 66, 5, 1), 0, "more jumps than calls");
    cr_expect(damaged);
    cr_expect_eq(COUNT(1, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1), 0, "too long");
    cr_expect(damaged);
    cr_expect_eq(COUNT(1, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255), 0, "no number");
    cr_expect(damaged);
    cr_expect_eq(COUNT(1, 18, 5, 11), 0, "fewer bytes than none");
    cr_expect(damaged);
    cr_expect_eq(COUNT(1, 130, 1, 5, 9), 1, "a value of a newer writer");
    cr_expect_not(damaged);
}

/* ---- whose they are ----------------------------------------------------------------------- */

TestSuite(access_feed, .init = start_fixture, .fini = end_fixture);

enum { PATH = 50 };

static void start(struct log_builder *builder, uint32_t tasks)
{
    struct cup_r_file file = {.id = 1, .path = PATH, .class = CUP_FILE_DATA, .size = 1000};
    builder_start(builder);
    builder_string(builder, PATH, "/data/x.root");
    BUILDER_ADD(builder, CUP_R_FILE, file);
    for (uint32_t task = 1; task <= tasks; task++) {
        struct cup_r_task_begin begin = {
            .task = task, .origin = CUP_ORIGIN_DASK, .start_ns = TIME(0), .run_id = -1};
        builder_begin(builder, &begin, "work-1");
    }
}

static void load(struct log_builder *builder, bool accesses)
{
    const struct cup_load_options options = {.accesses = accesses, .run = CUP_ALL_RUNS};
    builder_finish(builder);
    save_log(builder, scratch, "a.cup");
    builder_free(builder);
    load_fixture_profile(&options);
}

/* Extents of TASK (index + 1; 0: unattributed). */
static size_t count_of(uint32_t task)
{
    struct cup_access_feed feed;
    size_t count = 0;
    cup_access_feed_open(&feed, &profile, NULL);
    while (cup_access_feed_next(&feed))
        count += feed.place->task == task ? feed.access.count : 0;
    cr_expect_eq(feed.lost, 0);
    cr_expect_eq(cup_access_feed_close(&feed), 0);
    return count;
}

Test(access_feed, only_where_it_is_asked_for)
{
    struct log_builder builder;
    const struct cup_r_access access = {.task = 1, .file = 1};
    start(&builder, 1);
    builder_access(&builder, &access, some, SOME);
    load(&builder, false);
    cr_expect_eq(profile.access_place_count, 0);
}

Test(access_feed, each_extent_is_returned_once)
{
    struct log_builder builder;
    start(&builder, 3);
    builder_extents(&builder, &(struct cup_r_access){.task = 1, .file = 1, .set = 1, .sequence = 4},
                    some, 3);
    builder_extents(&builder, &(struct cup_r_access){.task = 2, .file = 1, .set = 2, .sequence = 4},
                    some, 2);
    builder_access(&builder, &(struct cup_r_access){.task = 1, .file = 1, .set = 1, .sequence = 4},
                   some, 3); /* killed before the set was emptied */
    builder_access(&builder, &(struct cup_r_access){.task = 2, .file = 1, .set = 2, .sequence = 3},
                   some, 1);
    builder_access(&builder, &(struct cup_r_access){.file = 1, .set = 3, .sequence = 1}, some, 4);
    load(&builder, true);
    cr_expect_eq(count_of(1), 3);
    cr_expect_eq(count_of(2), 3);
    cr_expect_eq(count_of(3), 0);
    cr_expect_eq(count_of(0), 4);
}

Test(access_feed, what_a_pool_read_is_nobodys)
{
    struct log_builder builder;
    struct cup_r_void all = {.task = 1};
    start(&builder, 2);
    builder_access(
        &builder, &(struct cup_r_access){.task = 1, .file = 1, .own = CUP_BLOCK_INHERITS}, some, 3);
    builder_access(&builder, &(struct cup_r_access){.task = 1, .file = 1, .own = CUP_BLOCK_HELPS},
                   some, 2);
    builder_access(
        &builder, &(struct cup_r_access){.task = 2, .file = 1, .own = CUP_BLOCK_INHERITS}, some, 1);
    BUILDER_ADD(&builder, CUP_R_VOID, all);
    builder_header(&builder)->health[CUP_H_THREADS_VOIDED] = 1;
    load(&builder, true);
    cr_expect_eq(count_of(0), 3);
    cr_expect_eq(count_of(1), 2);
    cr_expect_eq(count_of(2), 1);
}

Test(access_feed, a_file_that_nobody_introduced)
{
    struct log_builder builder;
    start(&builder, 1);
    builder_access(&builder, &(struct cup_r_access){.task = 1, .file = 9}, some, 3);
    load(&builder, true);
    cr_expect_eq(profile.access_place_count, 0);
    cr_expect_eq(profile.orphan_records, 1);
}

Test(access_feed, a_log_that_is_gone_is_counted)
{
    struct log_builder builder;
    struct cup_access_feed feed;
    start(&builder, 1);
    builder_access(&builder, &(struct cup_r_access){.task = 1, .file = 1}, some, 3);
    load(&builder, true);
    cr_assert_eq(remove(profile.processes[0].log_path), 0);
    cup_access_feed_open(&feed, &profile, NULL);
    cr_expect_not(cup_access_feed_next(&feed));
    cr_expect_eq(feed.lost, 1);
    cr_expect_eq(cup_access_feed_close(&feed), 0);
}
