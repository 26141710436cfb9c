#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/log/log_reader.h"
#include "tests/analysis/fixture.h"
#include "tests/analysis/open_hook.h"

static char path[2 * SUPPORT_PATH];

static void set_up(void)
{
    start_golden_fixture();
    snprintf(path, sizeof path, "%s/one.cup", scratch);
}

TestSuite(log_reader, .init = set_up, .fini = end_fixture);

static void open_log(struct cup_log *log)
{
    struct cup_error error;
    builder_save(&builder, path, builder.size);
    cr_assert_eq(cup_log_open(log, path, &error), 0, "%s", error.text);
}

static size_t count_records(struct cup_log *log, unsigned type)
{
    size_t count = 0;
    for (const struct cup_record *record; (record = cup_log_next(log)) != NULL;)
        count += type == 0 || record->type == type;
    return count;
}

/* Opens what the builder holds, which must be refused with a text that says so. */
static void expect_refusal(const char *part)
{
    struct cup_log log;
    struct cup_error error = {{0}, 0, {0}};
    builder_save(&builder, path, builder.size);
    cr_assert_eq(cup_log_open(&log, path, &error), -1, "expected: %s", part);
    cr_assert_not_null(strstr(error.text, part), "\"%s\" lacks \"%s\"", error.text, part);
    cr_assert_null(strchr(error.text, '\n'));
}

Test(log_reader, hands_out_all_records_of_a_sound_log)
{
    struct cup_log log;
    open_log(&log);
    cr_assert_eq(count_records(&log, CUP_R_TASK_BEGIN), 6);
    cr_assert_eq(log.damage.text[0], '\0');
    cr_assert_eq(log.skipped_bytes, 0);
    cr_assert_eq(log.unfinished_records, 0);
    cup_log_close(&log);
}

Test(log_reader, refuses_a_foreign_file)
{
    memcpy(builder.bytes, "%PDF-1.4", 8);
    expect_refusal("not a cupping log");
}

Test(log_reader, refuses_an_empty_file)
{
    builder.size = 0;
    expect_refusal("killed before it recorded anything");
}

Test(log_reader, refuses_a_file_without_a_header)
{
    memset(builder.bytes, 0, builder.size);
    expect_refusal("killed before it recorded anything");
}

/* The magic is written last. */
Test(log_reader, refuses_a_header_that_was_being_written)
{
    struct cup_log_header *header = builder_header(&builder);
    memset(header->magic, 0, sizeof header->magic);
    header->records_end = header->records_offset;
    expect_refusal("killed before it recorded anything");
    header->records_end = 0; /* one of both was written */
    expect_refusal("killed before it recorded anything");
    header->records_end = header->records_offset;
    header->records_offset = 0;
    expect_refusal("killed before it recorded anything");
}

Test(log_reader, refuses_a_log_whose_magic_was_overwritten)
{
    memset(builder_header(&builder)->magic, 0, 8);
    expect_refusal("not a cupping log");
}

Test(log_reader, refuses_a_cut_header)
{
    builder.size = 500;
    expect_refusal("truncated in its header");
}

Test(log_reader, refuses_a_newer_format_and_names_both_versions)
{
    builder_header(&builder)->version = 10;
    builder_header(&builder)->min_reader = 10;
    expect_refusal("needs a reader of format 10");
}

Test(log_reader, refuses_a_format_that_it_no_longer_reads)
{
    builder_header(&builder)->version = 1;
    builder_header(&builder)->min_reader = 1;
    expect_refusal(
        "written in log format 1, which this cupping does not read any more (it reads 2 to 8)");
}

Test(log_reader, reads_a_newer_format_that_says_it_can_be_read)
{
    struct cup_log log;
    builder_header(&builder)->version = 10;
    open_log(&log);
    cr_assert_eq(count_records(&log, CUP_R_TASK_BEGIN), 6);
    cup_log_close(&log);
}

Test(log_reader, refuses_the_other_byte_order)
{
    builder_header(&builder)->byte_order = 0x04030201;
    expect_refusal("other byte order");
}

Test(log_reader, refuses_a_header_that_is_too_short)
{
    builder_header(&builder)->header_size = 1000;
    expect_refusal("header size");
}

Test(log_reader, refuses_records_outside_of_the_file)
{
    builder_header(&builder)->records_offset = builder.size + 8;
    expect_refusal("records should begin");
}

Test(log_reader, refuses_a_directory)
{
    struct cup_log log;
    struct cup_error error;
    cr_assert_eq(cup_log_open(&log, scratch, &error), -1);
    cr_assert_not_null(strstr(error.text, "not a regular file"));
}

Test(log_reader, refuses_what_is_not_there)
{
    struct cup_log log;
    struct cup_error error;
    cr_assert_eq(cup_log_open(&log, path, &error), -1);
    cr_assert_not_null(strstr(error.text, "No such file"));
}

Test(log_reader, passes_over_a_region_that_lies_outside)
{
    struct cup_log log;
    builder_header(&builder)->regions[0].count = UINT32_MAX;
    open_log(&log);
    cr_assert_not_null(strstr(log.damage.text, "region"));
    cr_assert_eq(count_records(&log, CUP_R_TASK_BEGIN), 6);
    cr_assert_eq(log.block_count, 0);
    cup_log_close(&log);
}

/* A megabyte in which each place could be the begin of a record, but for its length. */
Test(log_reader, searches_behind_damage_without_reading_bytes_again)
{
    enum { DAMAGE = 1 << 20 };
    static const char zeros[4088];
    struct cup_log log;
    size_t at = builder.size;
    for (int i = 0; i < DAMAGE / 4096; i++)
        builder_record(&builder, 1, &(struct cup_record){0}, sizeof(struct cup_record), zeros,
                       sizeof zeros);
    memset(builder.bytes + at, 0xff, sizeof(struct cup_record));
    for (size_t i = sizeof(struct cup_record); i < DAMAGE; i += sizeof(struct cup_record)) {
        const struct cup_record long_one = {DAMAGE / 2, CUP_R_STRING, sizeof long_one};
        memcpy(builder.bytes + at + i, &long_one, sizeof long_one);
    }
    builder_string(&builder, 100, "a");
    builder_string(&builder, 101, "b");
    builder_finish(&builder);
    open_log(&log);
    unsigned long before = count_preads();
    cr_expect_eq(count_records(&log, CUP_R_TASK_BEGIN), 6);
    cr_expect_eq(log.skipped_bytes, DAMAGE);
    cr_expect_lt(count_preads() - before, 100, "%lu", count_preads() - before);
    cup_log_close(&log);
}

Test(log_reader, passes_over_blocks_that_are_too_small)
{
    struct cup_log log;
    struct cup_region *region = &builder_header(&builder)->regions[0];
    region->count *= (uint32_t)(region->entry_size / 8);
    region->entry_size = 8;
    open_log(&log);
    cr_assert_not_null(strstr(log.damage.text, "impossible blocks"), "%s", log.damage.text);
    cr_assert_eq(count_records(&log, CUP_R_TASK_BEGIN), 6);
    cr_assert_eq(log.block_room, 0);
    cup_log_close(&log);
}

Test(log_reader, passes_over_more_blocks_than_a_process_can_have)
{
    enum { BLOCKS = 40000, BYTES = 128 };
    struct cup_log log;
    struct cup_error error;
    struct cup_log_header *header = builder_header(&builder);
    for (int i = 0; i < 2; i++)
        header->regions[header->region_count++] =
            (struct cup_region){CUP_REGION_BLOCKS, BLOCKS, header->records_offset, BYTES};
    builder_save(&builder, path, builder.size);
    cr_assert_eq(truncate(path, (off_t)(builder.size + BLOCKS * BYTES)), 0);
    cr_assert_eq(cup_log_open(&log, path, &error), 0, "%s", error.text);
    cr_assert_not_null(strstr(log.damage.text, "impossible blocks"), "%s", log.damage.text);
    cr_assert_eq(log.block_room, BUILDER_BLOCKS + BLOCKS);
    cup_log_close(&log);
}

Test(log_reader, reads_on_when_the_end_is_cut_off)
{
    struct cup_log log;
    builder.size -= 100;
    open_log(&log);
    cr_assert_not_null(strstr(log.damage.text, "truncated"));
    cr_assert_geq(count_records(&log, CUP_R_TASK_BEGIN), 5);
    cup_log_close(&log);
}

Test(log_reader, a_file_larger_than_its_records_is_sound)
{
    struct cup_log log;
    const uint64_t zeros[512] = {0};
    size_t end = builder.size;
    builder_record(&builder, 0, zeros, sizeof zeros, NULL, 0);
    memset(builder.bytes + end, 0, builder.size - end);
    open_log(&log);
    cr_assert_eq(count_records(&log, CUP_R_TASK_BEGIN), 6);
    cr_assert_eq(log.damage.text[0], '\0');
    cup_log_close(&log);
}

/* Offset of the n-th record of a type, from 1. */
static uint64_t find_record(unsigned type, unsigned number)
{
    uint64_t offset = builder_header(&builder)->records_offset;
    for (;;) {
        const struct cup_record *record = (struct cup_record *)(builder.bytes + offset);
        if (record->type == type && --number == 0)
            return offset;
        offset += record->length;
    }
}

Test(log_reader, goes_on_behind_a_record_whose_length_is_wrong)
{
    struct cup_log log;
    uint64_t offset = find_record(CUP_R_TASK_BEGIN, 3);
    ((struct cup_record *)(builder.bytes + offset))->length = 12345;
    open_log(&log);
    cr_assert_eq(count_records(&log, CUP_R_TASK_BEGIN), 5);
    cr_assert_not_null(strstr(log.damage.text, "damaged"));
    cr_assert_eq(log.damage.offset, offset);
    cr_assert_gt(log.skipped_bytes, 0);
    cup_log_close(&log);
}

Test(log_reader, goes_on_behind_a_hole)
{
    struct cup_log log;
    uint64_t offset = find_record(CUP_R_TASK_BEGIN, 2);
    memset(builder.bytes + offset, 0, 72);
    open_log(&log);
    cr_assert_eq(count_records(&log, CUP_R_TASK_BEGIN), 5);
    cr_assert_eq(log.skipped_bytes, 72);
    cup_log_close(&log);
}

Test(log_reader, a_hole_left_by_a_killed_process_is_no_damage)
{
    struct cup_log log;
    uint64_t offset = find_record(CUP_R_TASK_BEGIN, 2);
    memset(builder.bytes + offset, 0, 72);
    builder_header(&builder)->log_stop_ns = 0;
    open_log(&log);
    cr_assert_eq(count_records(&log, CUP_R_TASK_BEGIN), 5);
    cr_assert_eq(log.damage.text[0], '\0');
    cr_assert_eq(log.unfinished_records, 1);
    cr_assert_eq(log.skipped_bytes, 0);
    cup_log_close(&log);
}

Test(log_reader, a_record_that_was_never_finished_is_skipped)
{
    struct cup_log log;
    ((struct cup_record *)(builder.bytes + find_record(CUP_R_TASK_BEGIN, 2)))->type = 0;
    open_log(&log);
    cr_assert_eq(count_records(&log, CUP_R_TASK_BEGIN), 5);
    cr_assert_eq(log.unfinished_records, 1);
    cr_assert_eq(log.damage.text[0], '\0');
    cup_log_close(&log);
}

Test(log_reader, unknown_types_are_handed_out_whole)
{
    struct cup_log log;
    struct cup_r_note newer = {.text = 1};
    builder_record(&builder, 999, &newer, sizeof newer, "tail", 4);
    builder_finish(&builder);
    open_log(&log);
    cr_assert_eq(count_records(&log, 999), 1);
    cr_assert_eq(log.damage.text[0], '\0');
    cup_log_close(&log);
}

Test(log_reader, a_longer_fixed_part_is_read_as_far_as_known)
{
    struct {
        struct cup_r_note note;
        uint64_t newer;
    } longer = {.note = {.text = 12, .pad = 34}, .newer = UINT64_MAX};
    struct cup_r_note note;
    builder_record(&builder, CUP_R_NOTE, &longer, sizeof longer, "tail", 4);
    const struct cup_record *record =
        (struct cup_record *)(builder.bytes + find_record(CUP_R_NOTE, 2));
    cup_record_fixed(record, &note, sizeof note);
    cr_assert_eq(note.text, 12);
    cr_assert_eq(note.pad, 34);
    cr_assert_eq(memcmp(cup_record_tail(record), "tail", 4), 0);
}

Test(log_reader, a_shorter_fixed_part_is_filled_with_zeros)
{
    struct cup_record bare = {8, CUP_R_NOTE, 8};
    struct cup_r_note note;
    memset(&note, 0xff, sizeof note);
    cup_record_fixed(&bare, &note, sizeof note);
    cr_assert_eq(note.text, 0);
    cr_assert_eq(note.pad, 0);
}

Test(log_reader, tells_the_blocks_that_are_open)
{
    struct cup_log log;
    open_log(&log);
    cr_assert_eq(log.block_count, 1);
    cr_assert_eq(log.blocks[0].block.task, 6);
    cr_assert_eq(log.blocks[0].block.counters[CUP_C_READ_OWN_BYTES], 7);
    count_records(&log, 0);
    cr_assert_not(log.blocks[0].written);
    cup_log_close(&log);
}

Test(log_reader, a_record_with_the_blocks_sequence_replaces_it)
{
    struct cup_log log;
    uint64_t values[CUP_COUNTER_COUNT] = {8};
    struct cup_r_counters written = {.task = 6, .block = 0, .sequence = 9};
    builder_counters(&builder, &written, values);
    builder_finish(&builder);
    open_log(&log);
    count_records(&log, 0);
    cr_assert(log.blocks[0].written);
    cup_log_close(&log);
}

Test(log_reader, a_record_with_an_earlier_sequence_does_not)
{
    struct cup_log log;
    uint64_t values[CUP_COUNTER_COUNT] = {8};
    struct cup_r_counters written = {.task = 6, .block = 0, .sequence = 8};
    builder_counters(&builder, &written, values);
    builder_finish(&builder);
    open_log(&log);
    count_records(&log, 0);
    cr_assert_not(log.blocks[0].written);
    cup_log_close(&log);
}

Test(log_reader, file_entries_have_sequences_of_their_own)
{
    struct cup_log log;
    uint64_t values[CUP_FILE_COUNTER_COUNT] = {8};
    struct cup_block *block = builder_block(&builder, 0);
    block->file_sequence[0] = 4;
    block->file_sequence[1] = 4;
    struct cup_r_file_use same = {.task = 6, .file = 1, .block = 0, .entry = 0, .file_sequence = 4};
    struct cup_r_file_use other = {
        .task = 6, .file = 1, .block = 0, .entry = 1, .file_sequence = 3};
    builder_file_use(&builder, &same, values);
    builder_file_use(&builder, &other, values);
    builder_finish(&builder);
    open_log(&log);
    count_records(&log, 0);
    cr_assert(log.blocks[0].file_written[0]);
    cr_assert_not(log.blocks[0].file_written[1]);
    cr_assert_not(log.blocks[0].written);
    cup_log_close(&log);
}

Test(log_reader, names_of_blocks_beyond_the_region_do_no_harm)
{
    struct cup_log log;
    uint64_t values[CUP_COUNTER_COUNT] = {8};
    struct cup_r_counters far = {.task = 6, .block = UINT16_MAX, .sequence = 9};
    struct cup_r_file_use use = {.task = 6, .file = 1, .block = 0, .entry = UINT8_MAX};
    builder_counters(&builder, &far, values);
    builder_file_use(&builder, &use, values);
    builder_finish(&builder);
    open_log(&log);
    cr_assert_gt(count_records(&log, 0), 0);
    cup_log_close(&log);
}

Test(log_reader, gives_the_series_unless_it_is_being_doubled)
{
    struct cup_log log;
    static struct cup_series series;
    size_t at = builder_header(&builder)->regions[1].offset;
    struct cup_series *stored = (struct cup_series *)(builder.bytes + at);
    stored->bin_ns = 100000000;
    stored->values[CUP_S_TASKS][3] = 5;
    open_log(&log);
    cr_assert_eq(cup_log_series(&log, &series), 0);
    cr_assert_eq(series.values[CUP_S_TASKS][3], 5);
    cup_log_close(&log);
    stored->doubling = 1;
    open_log(&log);
    cr_assert_eq(cup_log_series(&log, &series), -1);
    cup_log_close(&log);
}

/* Whatever is left of a log, reading it ends, and hands out no more records than there are. */
Test(log_reader, every_length_of_a_truncated_log, .timeout = 60)
{
    size_t whole = builder.size, first = builder_header(&builder)->records_offset;
    for (size_t bytes = 0; bytes < whole; bytes += bytes < first - 64 ? 97 : 1) {
        struct cup_log log;
        struct cup_error error;
        builder_save(&builder, path, bytes);
        if (cup_log_open(&log, path, &error) != 0) {
            cr_assert_neq(error.text[0], '\0');
            continue;
        }
        cr_assert_leq(count_records(&log, 0), (bytes - first) / 8);
        cr_assert_neq(log.damage.text[0], '\0', "%zu bytes of %zu", bytes, whole);
        cup_log_close(&log);
    }
}
