/* Sets of access extents of counter blocks, in a log: when they are written, and what a reader
 * finds after a kill. */
#include "tests/preload/basket_records.h"

#include "preload/counters/access.h"
#include "preload/counters/block.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"

enum { TASK = 5, OTHER = 6, FILE_ID = 3, MIB = 1 << 20 };

static struct cup_block *block;

static void set_up(void)
{
    test_log_open(16 << 20);
    cup_running_reset();
    cup_block_reset();
    block = cup_block_open(TASK, CUP_BLOCK_RUNS);
}

TestSuite(access, .init = set_up, .fini = test_log_close);

static void read_by(struct cup_block *by, uint32_t file, uint64_t offset, uint64_t bytes)
{
    uint64_t now = cup_ticks();
    cup_access_read(by, cup_block_file(by, file), offset, bytes, now, now + 1000);
}

/* Reads that jump, so that each makes an extent. */
static void jump_about(struct cup_block *by, uint32_t file, int times)
{
    for (int i = 0; i < times; i++)
        read_by(by, file, (uint64_t)(times - i) * MIB, 100);
}

static const struct cup_r_access *next_access(uint64_t *at)
{
    return (const struct cup_r_access *)test_next(at, CUP_R_ACCESS);
}

static const struct cup_r_extents *sets(uint64_t *at)
{
    return (const struct cup_r_extents *)test_next(at, CUP_R_EXTENTS);
}

static uint32_t count_told(void)
{
    uint64_t at = 0;
    uint32_t count = 0;
    while (next_access(&at))
        count++;
    return count;
}

static uint32_t count_sets(bool in_use)
{
    uint64_t at = 0;
    uint32_t count = 0;
    const struct cup_r_extents *set;
    while ((set = sets(&at)))
        count += !in_use || set->file;
    return count;
}

Test(access, a_block_that_closes_tells)
{
    uint64_t at = 0;
    read_by(block, FILE_ID, 0, 10);
    read_by(block, FILE_ID, 10, 10);
    cr_expect_eq(count_told(), 0);
    cup_block_close(block);
    const struct cup_r_access *record = next_access(&at);
    cr_assert_not_null(record);
    cr_expect_eq(record->task, TASK);
    cr_expect_eq(record->file, FILE_ID);
    cr_expect_eq(record->own, CUP_BLOCK_RUNS);
    cr_expect_eq(record->extents, 1);
    cr_expect_null(next_access(&at));
}

Test(access, what_a_killed_process_leaves)
{
    uint64_t at = 0;
    jump_about(block, FILE_ID, 3);
    const struct cup_r_extents *set = sets(&at);
    cr_assert_not_null(set);
    cr_expect_eq(set->task, TASK);
    cr_expect_eq(set->file, FILE_ID);
    uint32_t found = 0;
    for (int i = 0; i < CUP_EXTENT_ROOM; i++)
        found += set->extents[i].calls;
    cr_expect_eq(found, 3);
    int64_t now = cup_clock_realtime_ns(), then = cup_extents_time_ns(set, set->extents[0].start);
    cr_expect(then > now - INT64_C(60000000000) && then < now + INT64_C(60000000000));
}

Test(access, a_set_that_was_told_has_another_sequence)
{
    uint64_t at = 0, first = 0;
    jump_about(block, FILE_ID, 2);
    const struct cup_r_extents *set = sets(&first);
    uint32_t before = set->sequence;
    cup_block_close(block);
    cr_expect_eq(next_access(&at)->sequence, before);
    cr_expect_eq(set->sequence, before + 1);
    cr_expect_eq(set->file, 0);
    block = cup_block_open(OTHER, CUP_BLOCK_RUNS);
    read_by(block, FILE_ID, 0, 1);
    cr_expect_eq(count_sets(false), 1, "it is used again");
    cr_expect_eq(set->task, OTHER);
}

Test(access, files_that_take_turns_keep_their_extents)
{
    for (int i = 0; i < 50; i++)
        for (uint32_t file = 1; file <= 10; file++)
            read_by(block, file, (uint64_t)i * 10, 10);
    cup_block_close(block);
    cr_expect_eq(count_told(), 10, "not one for each time that its counters gave way");
    uint64_t at = 0;
    const struct cup_r_access *record;
    while ((record = next_access(&at)))
        cr_expect_eq(record->extents, 1);
}

/* The record of a block that read as many places as there is room for. */
static const struct cup_r_access *jumps_of(struct cup_block *closes)
{
    uint64_t at = 0;
    jump_about(closes, FILE_ID, CUP_EXTENT_ROOM);
    cup_block_close(closes);
    return next_access(&at);
}

Test(access, the_task_s_own_thread_writes_all_extents)
{
    cr_expect_eq(jumps_of(block)->extents, CUP_EXTENT_ROOM);
}

Test(access, helpers_write_half_as_many)
{
    struct cup_block *none = cup_block_open(0, CUP_BLOCK_HELPS); /* no task: written at once */
    const struct cup_r_access *record = jumps_of(none);
    cr_assert_eq(record->extents, CUP_EXTENT_ROOM / 2);
    uint64_t calls = 0, values[CUP_KV_COUNT];
    const unsigned char *at = (const unsigned char *)(record + 1);
    for (int i = 0; i < record->extents; i++) {
        memset(values, 0, sizeof values);
        for (unsigned bits = *at++, k = 0; k < CUP_KV_COUNT; k++)
            values[k] = bits >> k & 1 ? test_number(&at) : 0;
        calls += values[CUP_KV_CALLS] + 1;
    }
    cr_expect_eq(calls, CUP_EXTENT_ROOM);
}

/* A reader takes what a set in use has for more extents. */
Test(access, nothing_that_was_written_is_left_in_the_set)
{
    struct cup_block *none = cup_block_open(0, CUP_BLOCK_HELPS);
    jumps_of(none);
    for (uint32_t i = 0; i < CUP_EXTENT_ROOM; i++)
        cr_expect_eq(cup_access_sets[1].record->extents[i].calls, 0, "extent %u", i);
}

Test(access, a_task_of_very_many_files_is_bounded)
{
    for (uint32_t file = 1; file <= 200; file++)
        read_by(block, file, 0, 10);
    cr_expect_eq(count_sets(true), CUP_ACCESS_OF_BLOCK);
    cr_expect_eq(count_told(), 200 - CUP_ACCESS_OF_BLOCK);
    cup_block_close(block);
    cr_expect_eq(count_told(), 200);
    cr_expect_eq(count_sets(true), 0);
}

Test(access, an_oldest_set_that_gives_way_is_found_no_more)
{
    struct cup_file_use *use = cup_block_file(block, 1);
    read_by(block, 1, 0, 10);
    for (uint32_t file = 2; file <= CUP_ACCESS_OF_BLOCK + 1; file++) {
        struct cup_file_use other = {.file = file};
        cup_access_read(block, &other, 0, 10, 1, 2);
    }
    cr_expect_eq(use->access, 0);
    read_by(block, 1, 10, 10);
    cup_block_close(block);
    cr_expect_eq(count_told(), CUP_ACCESS_OF_BLOCK + 2);
}

Test(access, helpers_of_a_task_are_told_together)
{
    struct cup_block *one = cup_block_open(TASK, CUP_BLOCK_HELPS);
    struct cup_block *two = cup_block_open(TASK, CUP_BLOCK_HELPS);
    jump_about(one, FILE_ID, 4);
    jump_about(two, FILE_ID, 5);
    jump_about(two, FILE_ID + 1, 2);
    cup_block_close(one);
    cup_block_close(two);
    cr_expect_eq(count_told(), 0);
    cr_expect_eq(count_sets(true), 2);
    uint64_t at = 0;
    uint32_t calls = 0;
    const struct cup_r_extents *set;
    while ((set = sets(&at)))
        for (int i = 0; set->file == FILE_ID && i < CUP_EXTENT_ROOM; i++)
            calls += set->extents[i].calls;
    cr_expect_eq(calls, 9);
}

Test(access, sets_run_out)
{
    struct cup_block *blocks[100];
    for (int i = 0; i < 100; i++) {
        blocks[i] = cup_block_open(TASK, CUP_BLOCK_RUNS);
        for (uint32_t file = 1; blocks[i] && file <= CUP_ACCESS_OF_BLOCK; file++)
            read_by(blocks[i], file, 0, 10);
    }
    cr_expect_eq(count_sets(true), CUP_ACCESS_SETS);
    for (int i = 0; i < 100; i++)
        cup_block_close(blocks[i]);
    cr_expect_eq(count_told(), CUP_ACCESS_SETS);
    cr_expect_eq(count_sets(true), 0);
}

Test(access, a_log_without_room)
{
    test_log_close();
    strcpy(test_directory, "/tmp/cupping-baskets-XXXXXX");
    test_log_open(400 << 10);
    cup_block_reset();
    block = cup_block_open(TASK, CUP_BLOCK_RUNS);
    for (uint32_t file = 1; file <= 9000; file++)
        read_by(block, file, 0, 10);
    cup_block_close(block);
    cr_expect_lt(count_told(), 9000);
    cr_expect_gt(cup_log_header()->health[CUP_H_RECORDS_DROPPED], 0);
}

Test(access, a_long_task_records_extents_before_its_end)
{
    uint64_t long_ago = cup_ticks() - cup_ns_ticks(UINT64_C(20000000000));
    cup_access_read(block, cup_block_file(block, FILE_ID), 5 * MIB, 1, long_ago, long_ago + 1);
    jump_about(block, FILE_ID, CUP_EXTENT_ROOM - 1);
    cr_expect_eq(count_told(), 0);
    read_by(block, FILE_ID, 900 * (uint64_t)MIB, 1);
    cr_expect_eq(count_told(), 1);
    cup_block_close(block);
    uint64_t at = 0;
    cr_expect_eq(next_access(&at)->extents, CUP_EXTENT_ROOM);
    cr_expect_eq(next_access(&at)->extents, 1);
}

Test(access, a_few_bytes_an_extent)
{
    uint64_t at = 0;
    jump_about(block, FILE_ID, CUP_EXTENT_ROOM);
    cup_block_close(block);
    const struct cup_r_access *record = next_access(&at);
    uint32_t bytes = record->head.length - (uint32_t)sizeof *record;
    cr_expect_leq(bytes, 14 * CUP_EXTENT_ROOM, "%u bytes", bytes);
}

Test(access, a_forked_child_has_none)
{
    jump_about(block, FILE_ID, 3);
    cup_block_reset();
    struct cup_block *fresh = cup_block_open(OTHER, CUP_BLOCK_RUNS);
    memset(fresh->files, 0, sizeof fresh->files); /* its own log has none */
    read_by(fresh, FILE_ID, 0, 1);
    cup_access_close(fresh);
    uint64_t at = 0;
    cr_expect_eq(next_access(&at)->extents, 1);
}
