#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/profile/files.h"
#include "analysis/profile/roles.h"
#include "analysis/tasks/task_columns.h"
#include "tests/analysis/support.h"

static struct cup_profile profile;

static void tear_down(void)
{
    cup_profile_free(&profile);
}

TestSuite(profile, .fini = tear_down);

static void expect_text(struct cup_text text, const char *expected)
{
    cr_assert_eq(text.length, strlen(expected));
    cr_assert_eq(memcmp(text.bytes, expected, text.length), 0, "%.*s is not %s", (int)text.length,
                 text.bytes, expected);
}

/* Loads a directory that holds the builder's log under each of the names. */
static int load_named(const struct log_builder *builder, const char *const *names, size_t count,
                      const struct cup_load_options *options, struct cup_error *error)
{
    char scratch[SUPPORT_PATH];
    make_scratch(scratch);
    for (size_t i = 0; i < count; i++)
        save_log(builder, scratch, names[i]);
    int result = cup_profile_load(&profile, scratch, options, error);
    remove_scratch(scratch);
    return result;
}

static void load_builder(const struct log_builder *builder)
{
    const char *const name[] = {"a.cup"};
    const struct cup_load_options options = {.counters = true};
    struct cup_error error;
    cr_assert_eq(load_named(builder, name, 1, &options, &error), 0, "%s", error.text);
}

Test(profile, holds_what_the_log_says)
{
    load_golden(&profile);
    cr_assert_eq(profile.task_count, 6);
    cr_assert_eq(profile.item_count, 4);
    cr_assert_eq(profile.process_count, 1);
    cr_assert_eq(profile.server_count, 1);
    cr_assert_eq(profile.servers[0].tasks, 6);
    cr_assert_eq(profile.processes[0].task_threads, 2);
    cr_assert_eq(profile.orphan_records, 0);
    const struct cup_task *task = &profile.tasks[0];
    cr_assert_eq(task->start_ns, at_second(10));
    cr_assert_eq(task->stop_ns, at_second(14));
    cr_assert_eq(task->status, CUP_STATUS_FINISHED);
    cr_assert_eq(task->read_bytes, 400);
    expect_text(cup_profile_text(&profile, profile.prefixes[cup_task_prefix(&profile, task)].name),
                "Dimuon");
    expect_text(cup_profile_text(&profile, cup_task_server(&profile, task)->address),
                "tcp://10.0.0.1:40000");
    const struct cup_item *item = cup_task_item(&profile, task);
    expect_text(cup_profile_text(&profile, item->file), "/data/a.root");
    cr_assert_eq(cup_item_events(item), 1000);
    cr_assert_eq(item->tic_ns, at_second(11));
}

Test(profile, adds_up_the_blocks_of_a_task)
{
    load_golden(&profile);
    cr_assert_eq(profile.counters[0][CUP_C_READ_OWN_BYTES], 100);
    cr_assert_eq(profile.counters[0][CUP_C_READ_CONTEXT_BYTES], 300);
    cr_assert_eq(profile.counters[0][CUP_C_READ_CALLS], 5);
    cr_assert_eq(profile.counters[0][CUP_C_ALLOC_BYTES], 1050);
    cr_assert_eq(profile.counters[0][CUP_C_PEAK_LIVE_BYTES], 525); /* the sum: an upper bound */
    cr_assert_eq(profile.prefixes[cup_task_prefix(&profile, &profile.tasks[0])]
                     .counters[CUP_C_READ_OWN_BYTES],
                 100 + 600 + 50 + 100);
}

Test(profile, keeps_what_an_unfinished_task_has_so_far)
{
    load_golden(&profile);
    cr_assert_eq(profile.tasks[5].status, 0);
    cr_assert_eq(profile.tasks[5].read_bytes, 7);
    cr_assert_eq(cup_task_wall_ns(&profile.tasks[5]), CUP_UNKNOWN64);
    cr_assert_str_eq(cup_task_status_name(&profile, &profile.tasks[5]), "unfinished");
}

Test(profile, counts_what_no_task_is_known_for_apart)
{
    load_golden(&profile);
    cr_assert_eq(profile.processes[0].without_task[CUP_C_READ_NONE_BYTES], 57);
    cr_assert_eq(profile.processes[0].without_task[CUP_C_IMPORT_BYTES], 20);
    cr_assert_eq(profile.processes[0].with_task[CUP_C_READ_OWN_BYTES], 857);
}

Test(profile, counts_each_task_of_a_file_once)
{
    load_golden(&profile);
    size_t count;
    uint32_t *files = cup_files_by_bytes(&profile, CUP_FILE_DATA, &count);
    cr_assert_eq(count, 2);
    expect_text(cup_profile_text(&profile, profile.files[files[0]].path), "/data/b.root");
    struct cup_file_sum a = cup_file_total(&profile, files[1]);
    cr_assert_eq(a.tasks, 2); /* tasks 1 and 4; task 1 came twice */
    cr_assert_eq(a.counters[CUP_F_READ_BYTES], 500);
    cr_assert_eq(a.counters[CUP_F_READ_CALLS], 6);
    cr_assert_eq(a.counters[CUP_F_SEQUENTIAL_CALLS], 3);
    free(files);
}

Test(profile, a_written_block_is_not_counted_twice)
{
    struct log_builder builder;
    uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 7};
    struct cup_r_counters written = {.task = 6, .block = 0, .sequence = 9, .own = 1};
    build_golden_log(&builder);
    builder_counters(&builder, &written, values);
    builder_finish(&builder);
    load_builder(&builder);
    builder_free(&builder);
    cr_assert_eq(profile.tasks[5].read_bytes, 7);
}

Test(profile, an_open_block_adds_to_earlier_records_of_its_task)
{
    struct log_builder builder;
    uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = 5};
    struct cup_r_counters earlier = {.task = 6, .block = 0, .sequence = 8, .own = 1};
    build_golden_log(&builder);
    builder_counters(&builder, &earlier, values);
    builder_finish(&builder);
    load_builder(&builder);
    builder_free(&builder);
    cr_assert_eq(profile.tasks[5].read_bytes, 12);
}

Test(profile, open_file_entries_count_unless_they_were_written)
{
    struct log_builder builder;
    uint64_t values[CUP_FILE_COUNTER_COUNT] = {[CUP_F_READ_BYTES] = 3};
    build_golden_log(&builder);
    struct cup_block *block = builder_block(&builder, 0);
    block->file_sequence[0] = block->file_sequence[1] = 2;
    block->files[0].file = block->files[1].file = 1;
    block->files[0].counters[CUP_F_READ_BYTES] = 1000;
    block->files[1].counters[CUP_F_READ_BYTES] = 3;
    struct cup_r_file_use written = {
        .task = 6, .file = 1, .block = 0, .entry = 1, .file_sequence = 2};
    builder_file_use(&builder, &written, values);
    builder_finish(&builder);
    load_builder(&builder);
    builder_free(&builder);
    struct cup_file_sum a = cup_file_total(&profile, 0);
    cr_assert_eq(a.counters[CUP_F_READ_BYTES], 500 + 1000 + 3);
    cr_assert_eq(a.tasks, 3);
}

Test(profile, tells_attempts_of_a_key_apart)
{
    load_golden(&profile);
    uint32_t *attempts = cup_task_attempts(&profile);
    cr_assert_eq(attempts[0], 1);
    cr_assert_eq(attempts[2], 1);
    cr_assert_eq(attempts[3], 2);
    cr_assert_eq(attempts[4], 1);
    free(attempts);
}

Test(profile, several_logs_share_texts_files_and_prefixes)
{
    struct log_builder builder;
    const char *const names[] = {"a.cup", "b.cup", "c.cup"};
    const struct cup_load_options options = {.counters = true};
    struct cup_error error;
    build_golden_log(&builder);
    cr_assert_eq(load_named(&builder, names, 3, &options, &error), 0);
    builder_free(&builder);
    cr_assert_eq(profile.task_count, 18);
    cr_assert_eq(profile.process_count, 3);
    cr_assert_eq(profile.server_count, 3);
    cr_assert_eq(profile.prefix_count, 3); /* not known, Dimuon, reduce */
    cr_assert_eq(profile.file_count, 2);
    cr_assert_eq(profile.files[0].processes, 3);
    cr_assert_eq(cup_file_total(&profile, 0).tasks, 6);
    cr_assert_eq(cup_file_total(&profile, 0).counters[CUP_F_READ_BYTES], 1500);
    cr_assert_eq(profile.prefixes[1].tasks, 12);
    cr_assert_eq(profile.note_count, 3);
    for (size_t i = 0; i < profile.task_count; i++) {
        const struct cup_task *task = &profile.tasks[i];
        cr_assert_eq(cup_task_process(&profile, task), i / 6);
        cr_assert_eq(cup_task_server(&profile, task)->process, i / 6);
        cr_assert_eq(task->read_bytes, profile.tasks[i % 6].read_bytes);
        if (task->item)
            cr_assert_eq(cup_task_item(&profile, task)->task, i);
        cr_assert_eq(
            memcmp(profile.counters[i], profile.counters[i % 6], sizeof profile.counters[i]), 0);
    }
}

Test(profile, reads_keys_back_from_the_log)
{
    char scratch[SUPPORT_PATH], long_key[2001];
    struct log_builder builder;
    struct cup_r_task_begin begin = {.task = 7, .tid = 1, .start_ns = at_second(30)};
    const struct cup_load_options options = {.counters = false};
    struct cup_error error;
    struct cup_record_reader keys;
    memset(long_key, 'k', sizeof long_key - 1);
    long_key[sizeof long_key - 1] = '\0';
    make_scratch(scratch);
    build_golden_log(&builder);
    builder_begin(&builder, &begin, long_key);
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0);
    cup_record_reader_open(&keys, &profile);
    expect_text(cup_key_read(&keys, &profile.tasks[3]), "Dimuon-3");
    expect_text(cup_key_read(&keys, &profile.tasks[6]), long_key);
    cup_record_reader_close(&keys);
    builder_free(&builder);
    remove_scratch(scratch);
}

Test(profile, reads_more_at_once_where_keys_are_read_in_the_order_of_the_log)
{
    enum { TASKS = 400 };
    char scratch[SUPPORT_PATH], key[256];
    struct log_builder builder;
    const struct cup_load_options options = {.counters = false};
    struct cup_error error;
    struct cup_record_reader keys;
    make_scratch(scratch);
    builder_start(&builder);
    for (uint32_t i = 1; i <= TASKS; i++) {
        struct cup_r_task_begin begin = {.task = i, .tid = 1, .start_ns = at_second(i)};
        snprintf(key, sizeof key, "key-%0200u", i);
        builder_begin(&builder, &begin, key);
    }
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0);
    cup_record_reader_open(&keys, &profile);
    cr_assert_eq(cup_key_read(&keys, &profile.tasks[0]).length, 204);
    cr_assert_eq(keys.count, 4096);
    for (uint32_t i = 0; i < TASKS; i++) {
        snprintf(key, sizeof key, "key-%0200u", i + 1);
        expect_text(cup_key_read(&keys, &profile.tasks[i]), key);
    }
    cr_assert_gt(keys.room, 4 * 4096);
    snprintf(key, sizeof key, "key-%0200u", 1u);
    expect_text(cup_key_read(&keys, &profile.tasks[0]), key);
    cr_assert_eq(keys.count, 4096);
    cup_record_reader_close(&keys);
    builder_free(&builder);
    remove_scratch(scratch);
}

static void count_logs(void *context, size_t done, size_t logs)
{
    size_t *calls = context;
    cr_assert_eq(done, ++*calls);
    cr_assert_eq(logs, 3);
}

Test(profile, reports_how_many_logs_have_been_loaded)
{
    struct log_builder builder;
    const char *const names[] = {"a.cup", "b.cup", "c.cup"};
    size_t calls = 0;
    const struct cup_load_options options = {.progress = count_logs, .progress_context = &calls};
    struct cup_error error;
    build_golden_log(&builder);
    builder_finish(&builder);
    cr_assert_eq(load_named(&builder, names, 3, &options, &error), 0);
    cr_assert_eq(calls, 3);
    builder_free(&builder);
}

Test(profile, loads_only_the_tasks_of_a_span)
{
    struct log_builder builder;
    const char *const name[] = {"a.cup"};
    const struct cup_load_options options = {.counters = true, .span = "elsewhere"};
    struct cup_error error;
    struct cup_r_task_begin begin = {.task = 7, .span = 20, .start_ns = at_second(30)};
    build_golden_log(&builder);
    builder_string(&builder, 20, "elsewhere");
    builder_begin(&builder, &begin, "other-1");
    builder_finish(&builder);
    cr_assert_eq(load_named(&builder, name, 1, &options, &error), 0);
    builder_free(&builder);
    cr_assert_eq(profile.task_count, 1);
    cr_assert_eq(profile.tasks[0].start_ns, at_second(30));
    cr_assert_eq(profile.orphan_records, 0);
    cr_assert_eq(cup_file_total(&profile, 0).counters[CUP_F_READ_BYTES], 0);
}

Test(profile, reads_the_good_logs_beside_bad_ones)
{
    char scratch[SUPPORT_PATH];
    struct log_builder builder;
    struct cup_error error;
    const struct cup_load_options options = {.counters = true};
    make_scratch(scratch);
    build_golden_log(&builder);
    save_log(&builder, scratch, "a.cup");
    builder.bytes[0] = 'X';
    save_log(&builder, scratch, "b.cup");
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0);
    cr_assert_eq(profile.logs_read, 1);
    cr_assert_eq(profile.logs_unreadable, 1);
    cr_assert_eq(profile.damage_count, 1);
    cr_assert_not_null(strstr(profile.damages[0].text, "not a cupping log"));
    builder_free(&builder);
    remove_scratch(scratch);
}

/* Its process was killed between making the file and writing the header. */
Test(profile, a_log_without_a_header_is_not_damaged)
{
    char scratch[SUPPORT_PATH];
    struct log_builder builder;
    struct cup_error error;
    const struct cup_load_options options = {.counters = true};
    make_scratch(scratch);
    build_golden_log(&builder);
    save_log(&builder, scratch, "a.cup");
    memset(builder.bytes, 0, builder.size);
    save_log(&builder, scratch, "b.cup");
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0);
    cr_expect_eq(profile.logs_read, 1);
    cr_expect_eq(profile.logs_unopened, 1);
    cr_expect_eq(profile.logs_unreadable, 0);
    cr_expect_eq(profile.damage_count, 0);
    cup_profile_free(&profile);
    save_log(&builder, scratch, "a.cup");
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), -1);
    cr_expect_not_null(strstr(error.text, "killed before they recorded anything"));
    builder_free(&builder);
    remove_scratch(scratch);
}

/* Its process ran as another user, or with a strict umask. */
Test(profile, a_log_without_read_permission_is_not_damaged)
{
    char scratch[SUPPORT_PATH], log[2 * SUPPORT_PATH];
    struct log_builder builder;
    struct cup_error error;
    const struct cup_load_options options = {.counters = true};
    make_scratch(scratch);
    build_golden_log(&builder);
    save_log(&builder, scratch, "a.cup");
    save_log(&builder, scratch, "b.cup");
    builder_free(&builder);
    snprintf(log, sizeof log, "%s/b.cup", scratch);
    cr_assert_eq(chmod(scratch, 0755) | chmod(log, 0), 0);
    if (geteuid() == 0) /* who may read everything */
        cr_assert_eq(seteuid(65534), 0);
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0);
    cr_expect_eq(profile.logs_read, 1);
    cr_expect_eq(profile.logs_forbidden, 1);
    cr_expect_eq(profile.logs_damaged, 0);
    cr_expect_not_null(strstr(profile.damages[0].text, "permission denied"));
    cr_assert_eq(seteuid(getuid()), 0);
    remove_scratch(scratch);
}

Test(profile, says_why_nothing_can_be_read)
{
    char scratch[SUPPORT_PATH], missing[2 * SUPPORT_PATH];
    struct cup_error error;
    const struct cup_load_options options = {.counters = true};
    make_scratch(scratch);
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), -1);
    cr_assert_not_null(strstr(error.text, "holds no logs"));
    snprintf(missing, sizeof missing, "%s/none", scratch);
    cr_assert_eq(cup_profile_load(&profile, missing, &options, &error), -1);
    cr_assert_not_null(strstr(error.text, "no such profile directory"));
    fclose(fopen(missing, "w"));
    cr_assert_eq(cup_profile_load(&profile, missing, &options, &error), -1);
    cr_assert_not_null(strstr(error.text, "not a directory"));
    remove_scratch(scratch);
}

Test(profile, names_roles)
{
    load_golden(&profile);
    cr_assert_eq(cup_process_role(&profile.processes[0]), CUP_ROLE_WORKER);
    struct cup_process other = {.roles = 1u << CUP_ROLE_SCHEDULER};
    cr_assert_eq(cup_process_role(&other), CUP_ROLE_SCHEDULER);
    other = (struct cup_process){.header = {.parent_task = 3}};
    cr_assert_eq(cup_process_role(&other), CUP_ROLE_CHILD);
    other = (struct cup_process){0};
    cr_assert_eq(cup_process_role(&other), CUP_ROLE_OTHER);
    other.without_task[CUP_C_READ_NONE_BYTES] = 1;
    cr_assert_eq(cup_process_role(&other), CUP_ROLE_READER);
    other.roles = 1u << CUP_ROLE_CLIENT;
    cr_assert_eq(cup_process_role(&other), CUP_ROLE_CLIENT);
}

/* The profile has 32 bits for the resident memory of a process. */
Test(profile, resident_memory_of_whole_pages_is_exact)
{
    const uint64_t page = 4096, gib = UINT64_C(1) << 30;
    const uint64_t exact[] = {0, 25, page, 2 * gib - 1, 2 * gib, 3 * gib + page, 2047 * gib};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        cr_expect_eq(cup_rss_bytes(cup_rss_pack(exact[i])), exact[i], "%zu", i);
    cr_expect_eq(cup_rss_bytes(cup_rss_pack(CUP_UNKNOWN64)), CUP_UNKNOWN64);
    cr_expect_eq(cup_rss_bytes(cup_rss_pack(2048 * gib)), CUP_UNKNOWN64);
}
