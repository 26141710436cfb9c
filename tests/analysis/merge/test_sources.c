/* Logs whose processes still write them are merged as they are at one moment. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/merge/sources.h"
#include "tests/analysis/fixture.h"

TestSuite(sources, .init = start_golden_fixture, .fini = end_fixture);

static char path[2 * SUPPORT_PATH], copy[2 * SUPPORT_PATH];

static void save_again(void)
{
    FILE *file = fopen(path, "r+");
    cr_assert_not_null(file);
    builder_finish(&builder);
    cr_assert_eq(fwrite(builder.bytes, 1, builder.size, file), builder.size);
    cr_assert_eq(fclose(file), 0);
}

static void save_growing(void)
{
    builder_header(&builder)->log_stop_ns = 0;
    save_fixture("a-1-1.cup");
    snprintf(path, sizeof path, "%s/a-1-1.cup", scratch);
    snprintf(copy, sizeof copy, "%s/copy", outside);
}

/* The process closes a block at AT, and appends its record. */
static void close_block(size_t at)
{
    uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 7};
    const struct cup_r_counters record = {.task = 6, .tid = 100, .sequence = 9, .own = 1};
    memset(builder.bytes + at, 0, sizeof(struct cup_block));
    builder_counters(&builder, &record, values);
    save_again();
}

/* Opens the log, closes the block at AT, and reads the log. */
static void expect_the_log_of_before(size_t at)
{
    struct cup_merge_source source = {.path = path};
    struct cup_merge_stream stream;
    struct cup_error error;
    size_t bytes = builder.size;
    unsigned char *before = malloc(bytes), *after = malloc(bytes);
    memcpy(before, builder.bytes, bytes);
    cr_assert_eq(cup_merge_stream_open(&stream, &source, &error), 0, "%s", error.text);
    close_block(at);
    for (size_t from = 0, part = 1000; from < bytes; from += part) {
        part = bytes - from < part ? bytes - from : part;
        cr_assert_eq(cup_merge_stream_read(&stream, after + from, part, &error), 0);
    }
    cup_merge_stream_close(&stream);
    cr_expect_eq(memcmp(before, after, bytes), 0);
    free(before);
    free(after);
}

Test(sources, blocks_before_the_records_are_those_of_one_moment)
{
    save_growing();
    expect_the_log_of_before((size_t)((unsigned char *)builder_block(&builder, 0) - builder.bytes));
}

Test(sources, blocks_that_the_process_added_later_are_those_of_one_moment)
{
    struct cup_r_room room = {.head = {0}};
    struct cup_block *first = builder_block(&builder, 0), block = *first;
    first->used = 0;
    builder_record(&builder, CUP_R_ROOM, &room, sizeof room, &block, sizeof block);
    size_t at = builder.size - sizeof block;
    struct cup_log_header *header = builder_header(&builder);
    header->regions[header->region_count++] =
        (struct cup_region){CUP_REGION_BLOCKS, 1, at, sizeof block};
    save_growing();
    expect_the_log_of_before(at);
}

Test(sources, only_a_log_that_may_grow_is_frozen)
{
    struct cup_error error;
    save_growing();
    cr_expect_eq(cup_merge_freeze(path, copy, &error), 1);
    cr_expect_eq(cup_merge_freeze(path, copy, &error), -1, "the copy is there already");
    builder_header(&builder)->log_stop_ns = at_second(30);
    save_again();
    cr_expect_eq(cup_merge_freeze(path, copy, &error), 0);
    cr_expect_eq(cup_merge_freeze("/none", copy, &error), 0);
}
