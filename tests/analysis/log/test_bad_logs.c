/* Damage of all kinds to a small log: every verb that reads it ends, with exit status 0 or 1. The
 * model is loaded in this process, so that sanitizers see it. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/totals.h"
#include "analysis/profile/access_feed.h"
#include "analysis/profile/samples/worker_rows.h"
#include "analysis/report/page/warnings.h"
#include "analysis/tasks/task_columns.h"
#include "tests/analysis/fixture.h"

static void add_dasks_own(void)
{
    uint64_t server[CUP_SV_COUNT] = {1}, values[CUP_WV_COUNT] = {2}, heartbeat[CUP_HV_COUNT] = {3};
    struct cup_r_status status = {.status = 1, .name = 1};
    struct cup_r_span span = {.id = 1, .name = 1};
    struct cup_r_digest_key key = {.key = 1, .server = 1, .span = 1, .activity = 1};
    struct cup_r_digest digest = {.server = 1, .time_ns = at_second(13)};
    struct cup_digest_value value = {.key = 1, .value = 0.5};
    BUILDER_ADD(&builder, CUP_R_STATUS, status);
    builder_worker(&builder, 1, 1, 1, 1);
    builder_row(&builder, 1, 1, values, heartbeat);
    builder_sample(&builder, 1, 1, at_second(12), server);
    values[CUP_WV_EXECUTING]++;
    builder_row(&builder, 2, 1, values, NULL);
    builder_sample(&builder, 2, 1, at_second(13), server);
    BUILDER_ADD(&builder, CUP_R_SPAN, span);
    BUILDER_ADD(&builder, CUP_R_DIGEST_KEY, key);
    builder_record(&builder, CUP_R_DIGEST, &digest, sizeof digest, &value, sizeof value);
}

static void add_extents(void)
{
    const struct cup_read_extent extents[] = {
        {at_second(10), at_second(11), 0, 5000, 5000, 2, 0},
        {at_second(11), at_second(12), 100, 90000, 300, 5, 4},
    };
    struct cup_r_access access = {.task = 1, .file = 1, .set = 1, .sequence = 1};
    builder_access(&builder, &access, extents, 2);
    access.sequence = 2;
    builder_extents(&builder, &access, extents, 2);
}

/* Records and counters that the golden run has none of. */
static void add_the_rest(void)
{
    struct cup_log_header *header = builder_header(&builder);
    struct cup_r_parent parent = {.pid = header->pid, .task = 1, .last_read_ns = at_second(12)};
    struct cup_r_child child = {.pid = header->pid, .task = 2, .time_ns = at_second(0)};
    struct cup_r_file peer = {.id = 3, .path = 1, .class = CUP_FILE_SOCKET};
    BUILDER_ADD(&builder, CUP_R_PARENT, parent);
    BUILDER_ADD(&builder, CUP_R_CHILD, child);
    BUILDER_ADD(&builder, CUP_R_FILE, peer);
    add_extents();
    add_dasks_own();
    header = builder_header(&builder);
    header->health[CUP_H_KERNEL_READ_START] = 1;
    header->health[CUP_H_KERNEL_READ_STOP] = 1000;
    builder_finish(&builder);
}

static void set_up(void)
{
    start_golden_fixture();
    add_the_rest();
}

TestSuite(bad_logs, .init = set_up, .fini = end_fixture, .timeout = 240);

static void read_rows(const struct cup_profile *profile, enum cup_role role)
{
    struct cup_worker_rows rows;
    cup_worker_rows_start(&rows, profile, role);
    while (cup_worker_rows_next(&rows))
        for (size_t i = 0; i < rows.count; i++)
            cr_assert_lt(rows.rows[i]->worker, profile->sampled_worker_count);
    cr_assert_eq(cup_worker_rows_finish(&rows), 0);
}

static void read_extents(const struct cup_profile *profile)
{
    struct cup_access_feed feed;
    cup_access_feed_open(&feed, profile, NULL);
    while (cup_access_feed_next(&feed)) {
        cr_assert_lt(feed.place->file, profile->file_count);
        cr_assert_leq(feed.place->task, profile->task_count);
        for (uint32_t i = 0; i < feed.access.count; i++)
            cr_assert_lt(feed.access.extents[i].low, feed.access.extents[i].high);
    }
    cr_assert_eq(cup_access_feed_close(&feed), 0);
}

/* Loads what the builder holds and computes everything; 0 when something could be read. */
static int load(void)
{
    struct cup_profile profile;
    struct cup_totals totals;
    struct cup_error error;
    struct cup_statistics statistics[CUP_STAT_COUNT];
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    const struct cup_load_options options = {.counters = true, .accesses = true};
    save_log(&builder, scratch, "bad.cup");
    if (cup_profile_load(&profile, scratch, &options, &error) != 0) {
        cr_assert_neq(error.text[0], '\0');
        return 1;
    }
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    cup_chunk_statistics(&totals, statistics);
    cup_warnings_make(&totals, warnings);
    read_rows(&profile, CUP_ROLE_SCHEDULER);
    read_rows(&profile, CUP_ROLE_WORKER);
    read_extents(&profile);
    free(cup_task_attempts(&profile));
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    return 0;
}

/* The regions are large and mostly zero: of them, only the open block is damaged. */
static bool is_worth_damaging(size_t at)
{
    const struct cup_log_header *header = builder_header(&builder);
    return at < sizeof *header + 64 || at >= header->records_offset;
}

Test(bad_logs, every_byte_flipped)
{
    size_t readable = 0;
    for (size_t at = 0; at < builder.size; at++) {
        if (!is_worth_damaging(at))
            continue;
        unsigned char kept = builder.bytes[at];
        builder.bytes[at] = (unsigned char)~kept;
        readable += load() == 0;
        builder.bytes[at] ^= (unsigned char)(0xff ^ (1u << at % 8)); /* leaves one bit flipped */
        readable += load() == 0;
        builder.bytes[at] = kept;
    }
    cr_assert_gt(readable, 1000);
}

Test(bad_logs, every_word_set_to_ones_or_zeros)
{
    size_t readable = 0;
    for (size_t at = 0; at + 4 <= builder.size; at += 4) {
        if (!is_worth_damaging(at))
            continue;
        unsigned char kept[4];
        memcpy(kept, builder.bytes + at, 4);
        memset(builder.bytes + at, 0xff, 4);
        readable += load() == 0;
        memset(builder.bytes + at, 0, 4);
        readable += load() == 0;
        memcpy(builder.bytes + at, kept, 4);
    }
    cr_assert_gt(readable, 500);
}

Test(bad_logs, zeroed_from_any_record_on)
{
    for (size_t at = builder_header(&builder)->records_offset; at < builder.size; at += 8) {
        struct log_builder whole = builder;
        builder.bytes = malloc(whole.size);
        memcpy(builder.bytes, whole.bytes, whole.size);
        memset(builder.bytes + at, 0, whole.size - at);
        cr_assert_eq(load(), 0);
        free(builder.bytes);
        builder = whole;
    }
}

Test(bad_logs, zeroed_altogether)
{
    memset(builder.bytes, 0, builder.size);
    cr_assert_eq(load(), 1);
}

Test(bad_logs, noise_behind_the_header)
{
    unsigned state = 12345;
    for (int round = 0; round < 200; round++) {
        for (size_t at = builder_header(&builder)->records_offset; at < builder.size; at++) {
            state = state * 1103515245 + 12345;
            builder.bytes[at] = (unsigned char)(state >> 16);
        }
        cr_assert_eq(load(), 0);
    }
}
