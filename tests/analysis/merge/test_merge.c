/* Merged logs: each log comes back byte for byte, in any order of merges; damage costs one line. */
#include <criterion/criterion.h>

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/log/log_reader.h"
#include "analysis/merge/merge.h"
#include "analysis/profile/log_names.h"
#include "cli/verbs.h"
#include "tests/analysis/fixture.h"
#include "tests/analysis/open_hook.h"

enum { LOGS = 5, PATH = 2 * SUPPORT_PATH };

TestSuite(merge, .init = start_fixture, .fini = end_fixture);

static const char *path_in(const char *directory, const char *name)
{
    static char paths[64][PATH];
    static unsigned next;
    char path[PATH];
    int bytes = snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_lt(bytes, PATH);
    return memcpy(paths[next++ % 64], path, (size_t)bytes + 1);
}

static const char *log_name(int i)
{
    static char names[LOGS][64];
    snprintf(names[i], sizeof names[i], "node-%d-175000000000000000%d.cup", 100 + i, i);
    return names[i];
}

static void add_run(struct log_builder *log)
{
    struct cup_r_run run = {.run = 1, .start_ns = at_second(19), .stop_ns = at_second(30)};
    BUILDER_ADD(log, CUP_R_RUN, run);
    builder_header(log)->health[CUP_H_RUNS]++;
}

/* Saves LOGS logs. They have what the golden log has, and each has some tasks of its own, so that
 * it takes several blocks. The process of the first one called Coffea's Runner; that of the last
 * one was killed. */
static void save_logs(void)
{
    for (int i = 0; i < LOGS; i++) {
        struct log_builder log;
        build_golden_log(&log);
        builder_header(&log)->pid = 4000000 + (uint32_t)i;
        for (uint32_t task = 0; task < 3000; task++) {
            struct cup_r_task_begin begin = {.task = 100 + task,
                                             .tid = 7,
                                             .prefix = 1,
                                             .start_ns = at_second(20 + i + task / 1e3),
                                             .rss = CUP_UNKNOWN64};
            char key[64];
            snprintf(key, sizeof key, "work-%d-%u", i, task * 2654435761u);
            builder_begin(&log, &begin, key);
        }
        if (i == 0)
            add_run(&log);
        if (i == LOGS - 1)
            builder_header(&log)->log_stop_ns = 0;
        builder_finish(&log);
        save_log(&log, scratch, log_name(i));
        builder_free(&log);
    }
}

static void merge(const char *output, const char *const *inputs)
{
    struct cup_merge_request request = {
        .inputs = inputs, .output = output, .memory = CUP_MERGE_LEAST_MEMORY};
    struct cup_merge_result result;
    struct cup_error error;
    while (inputs[request.count])
        request.count++;
    cr_assert_eq(cup_merge(&request, &result, &error), 0, "%s: %s", error.source, error.text);
}

#define MERGE(output, ...) merge(output, (const char *const[]){__VA_ARGS__, NULL})

static unsigned char *read_whole(const char *path, size_t *bytes)
{
    struct cup_log_bytes log;
    struct cup_error error;
    uint64_t size;
    bool regular;
    cr_assert_eq(cup_log_bytes_open(&log, path, &error), 0, "%s", path);
    cr_assert_eq(cup_log_bytes_size(&log, &size, &regular), 0);
    unsigned char *whole = malloc(size + 1);
    *bytes = cup_log_bytes_read(&log, whole, size + 1, 0);
    cr_assert_eq(*bytes, size);
    cr_assert_not(log.damaged);
    cup_log_bytes_close(&log);
    return whole;
}

static void expect_equal_files(const char *one, const char *other)
{
    size_t bytes, other_bytes;
    unsigned char *a = read_whole(one, &bytes), *b = read_whole(other, &other_bytes);
    cr_expect_eq(bytes, other_bytes, "%s, %s: %zu, %zu bytes", one, other, bytes, other_bytes);
    cr_expect(bytes == other_bytes && memcmp(a, b, bytes) == 0, "%s, %s", one, other);
    free(a);
    free(b);
}

static off_t size_of(const char *path)
{
    struct stat status;
    cr_assert_eq(stat(path, &status), 0, "%s", path);
    return status.st_size;
}

Test(merge, gives_back_each_log_byte_for_byte)
{
    off_t sum = 0;
    save_logs();
    const char *merged = path_in(outside, "all.cup");
    MERGE(merged, scratch);
    for (int i = 0; i < LOGS; i++) {
        expect_equal_files(path_in(scratch, log_name(i)), path_in(merged, log_name(i)));
        sum += size_of(path_in(scratch, log_name(i)));
    }
    if (cup_can_compress)
        cr_expect_lt(size_of(merged), sum / 4, "%ld of %ld", (long)size_of(merged), (long)sum);
}

Test(merge, the_bytes_are_the_same_in_any_order_of_merges)
{
    char a[PATH], b[PATH], ab[PATH], ba[PATH], all[PATH];
    save_logs();
    snprintf(a, PATH, "%s", path_in(outside, "a.cup"));
    snprintf(b, PATH, "%s", path_in(outside, "b.cup"));
    snprintf(ab, PATH, "%s", path_in(outside, "ab.cup"));
    snprintf(ba, PATH, "%s", path_in(outside, "ba.cup"));
    snprintf(all, PATH, "%s", path_in(outside, "all.cup"));
    MERGE(all, scratch);
    MERGE(a, path_in(scratch, log_name(3)), path_in(scratch, log_name(0)));
    MERGE(b, path_in(scratch, log_name(1)), path_in(scratch, log_name(2)),
          path_in(scratch, log_name(4)), path_in(scratch, log_name(3)));
    MERGE(ab, a, b);
    MERGE(ba, b, a);
    expect_equal_files(ab, all);
    expect_equal_files(ba, all);
    MERGE(a, all, all, scratch);
    expect_equal_files(a, all);
}

/* The first log as it was before its first record: in the folder `outside`. */
static const char *save_early_copy(void)
{
    size_t bytes;
    const char *whole = path_in(scratch, log_name(0)), *early = path_in(outside, log_name(0));
    unsigned char *log = read_whole(whole, &bytes);
    struct cup_log_header *header = (struct cup_log_header *)log;
    header->records_end = header->records_offset;
    header->log_stop_ns = 0;
    FILE *file = fopen(early, "w");
    cr_assert_eq(fwrite(log, 1, bytes, file), bytes);
    fclose(file);
    free(log);
    return early;
}

Test(merge, of_two_logs_of_one_process_the_longer_one_is_kept)
{
    save_logs();
    const char *whole = path_in(scratch, log_name(0)), *early = save_early_copy();
    const char *merged = path_in(outside, "one.cup");
    MERGE(merged, early, whole);
    expect_equal_files(path_in(merged, log_name(0)), whole);
}

/* ---- verbs ---------------------------------------------------------------------------------- */

/* Removes the member "profile", which is the path that was asked for. */
static json_t *report_of(const char *profile_path)
{
    json_t *report = report_json(profile_path, outside);
    json_object_del(json_object_get(report, "run_info"), "profile");
    json_object_del(report, "profile");
    return report;
}

static void expect_equal_reports(const char *one, const char *other)
{
    json_t *a = report_of(one), *b = report_of(other);
    const char *key;
    json_t *value;
    cr_expect_eq(json_object_size(a), json_object_size(b));
    json_object_foreach(a, key, value)
        cr_expect(json_equal(value, json_object_get(b, key)), "%s, %s: %s", one, other, key);
    json_decref(a);
    json_decref(b);
}

Test(merge, the_report_of_a_merged_log_is_that_of_its_logs)
{
    save_logs();
    const char *merged = path_in(outside, "all.cup");
    MERGE(merged, scratch);
    expect_equal_reports(scratch, merged);
}

Test(merge, a_directory_may_hold_logs_and_merged_logs_that_have_them_too)
{
    char folder[PATH];
    save_logs();
    snprintf(folder, PATH, "%s/some", outside);
    cr_assert_eq(mkdir(folder, 0700), 0);
    MERGE(path_in(folder, "a.cup"), save_early_copy());
    MERGE(path_in(folder, "first.cup"), path_in(scratch, log_name(0)),
          path_in(scratch, log_name(1)), path_in(scratch, log_name(2)));
    MERGE(path_in(folder, "second-2026-11-28.cup"), path_in(scratch, log_name(2)),
          path_in(scratch, log_name(3)));
    cr_assert_eq(link(path_in(scratch, log_name(4)), path_in(folder, log_name(4))), 0);
    cr_assert_eq(link(path_in(scratch, log_name(3)), path_in(folder, log_name(3))), 0);
    expect_equal_reports(scratch, folder);
    char command[2 * PATH];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_assert_eq(system(command), 0);
}

#define RUN(verb, ...)                                                                             \
    run_verb(outside, cup_verb_##verb, (const char *const[]){#verb, __VA_ARGS__, NULL})

static void expect_one_line(int status, const char *part)
{
    char *err = read_text_in(outside, "err");
    cr_expect_eq(status, CUP_EXIT_FAILED, "%d: %s", status, err);
    cr_expect_eq(lines_of(err), 1, "%s", err);
    cr_expect_not_null(strstr(err, part), "%s", err);
    free(err);
}

Test(merge, every_verb_reads_a_merged_log)
{
    save_logs();
    const char *merged = path_in(outside, "all.cup");
    cr_expect_eq(RUN(merge, scratch, "-o", merged, "--memory", "64"), 0);
    cr_expect_eq(RUN(report, merged), 0);
    cr_expect_eq(RUN(tasks, merged, "--csv", path_in(outside, "tasks.csv")), 0);
    char *csv = read_text_in(outside, "tasks.csv");
    cr_expect_not_null(strstr(csv, "work-0-0"));
    free(csv);
    cr_expect_eq(RUN(compare, merged, scratch), 0);
    cr_expect_eq(RUN(export, merged, "--to", "prometheus", "-o", path_in(outside, "prom")), 0);
    cr_expect_eq(RUN(plot, merged, "-o", path_in(outside, "plots"), "task-stream"), 0);
    cr_expect_eq(RUN(dump, path_in(merged, log_name(2))), 0);
    cr_expect_eq(RUN(dump, merged), 0);
    char *dump = read_text_in(outside, "out");
    cr_expect_not_null(strstr(dump, "work-0-0"));
    free(dump);
    expect_one_line(RUN(dump, path_in(merged, "other.cup")), "has no log of this name");
}

Test(merge, a_log_that_cannot_be_opened_does_not_keep_the_others_back)
{
    const char *merged = path_in(outside, "all.cup");
    save_logs();
    FILE *empty = fopen(path_in(scratch, log_name(0)), "w");
    cr_assert(empty && ftruncate(fileno(empty), 4096) == 0 && fclose(empty) == 0);
    MERGE(merged, scratch);
    cr_expect_eq(RUN(dump, merged), CUP_EXIT_FAILED);
    char *dump = read_text_in(outside, "out"), *err = read_text_in(outside, "err");
    cr_expect_not_null(strstr(dump, "work-1-0"));
    cr_expect_not_null(strstr(err, log_name(0)), "%s", err);
    cr_expect_not_null(strstr(err, "1 of its 5 logs cannot be opened"), "%s", err);
    free(dump);
    free(err);
}

Test(merge, wrong_usage_and_inputs_that_cannot_be_read)
{
    const char *merged = path_in(outside, "all.cup");
    cr_expect_eq(RUN(merge, scratch), CUP_EXIT_USAGE);
    cr_expect_eq(RUN(merge, "-o", merged), CUP_EXIT_USAGE);
    cr_expect_eq(RUN(merge, scratch, "-o", merged, "--memory", "1"), CUP_EXIT_USAGE);
    expect_one_line(RUN(merge, scratch, "-o", merged), "holds no logs");
    expect_one_line(RUN(merge, path_in(scratch, "none.cup"), "-o", merged), "no such");
    cr_expect_neq(access(merged, F_OK), 0);
    save_logs();
    expect_one_line(RUN(merge, scratch, "-o", path_in(outside, "none/all.cup")), "write");
    expect_one_line(RUN(merge, scratch, "-o", path_in(scratch, "anon.cup"), "--anonymize"),
                    "another directory");
    expect_one_line(RUN(merge, path_in(scratch, log_name(1)), "-o", path_in(scratch, "anon.cup"),
                        "--anonymize"),
                    "another directory");
    cr_expect_neq(access(path_in(scratch, "anon.cup"), F_OK), 0);
    cr_expect_eq(RUN(merge, scratch, "-o", merged), 0);
    cr_expect_eq(RUN(merge, merged, "-o", path_in(outside, "anon.cup"), "--anonymize"), 0);
}

/* ---- signals -------------------------------------------------------------------------------- */

static void end_by_signal(void)
{
    kill(getpid(), SIGTERM);
    for (;;)
        pause();
}

/* The process gets SIGTERM before it opens the log number 2 for the NUMBERth time. */
static void expect_no_files_left(unsigned number, const char *const *words)
{
    glob_t found;
    before_open(path_in(scratch, log_name(2)), number, end_by_signal);
    cr_expect_eq(run_verb(outside, cup_verb_merge, words), 128 + SIGTERM);
    int result = glob(path_in(outside, "all.cup*"), 0, NULL, &found);
    cr_expect_eq(result, GLOB_NOMATCH, "%s", result == 0 ? found.gl_pathv[0] : "");
    globfree(&found);
}

Test(merge, a_signal_leaves_no_temporary_files)
{
    const char *merged = path_in(outside, "all.cup");
    save_logs();
    expect_no_files_left(3, (const char *const[]){"merge", scratch, "-o", merged, NULL});
    expect_no_files_left(
        3, (const char *const[]){"merge", scratch, "-o", merged, "--per-prefix", NULL});
    expect_no_files_left(
        3, (const char *const[]){"merge", scratch, "-o", merged, "--anonymize", NULL});
}

/* ---- what is known of the logs ----------------------------------------------------------------
 */

/* The log of this process, as if it had begun at START_NS. */
static void save_own_log(int64_t start_ns)
{
    struct log_builder log;
    build_golden_log(&log);
    struct cup_log_header *header = builder_header(&log);
    header->pid = (uint32_t)getpid();
    header->log_start_ns = start_ns;
    header->log_stop_ns = 0;
    cr_assert_eq(gethostname(header->host, sizeof header->host - 1), 0);
    builder_finish(&log);
    save_log(&log, scratch, log_name(0));
    builder_free(&log);
}

Test(merge, a_process_that_runs_is_merged_as_far_as_its_log_is_written)
{
    const char *merged = path_in(outside, "all.cup"), *line = "1 of these processes still runs";
    save_own_log(time(NULL) * INT64_C(1000000000));
    cr_expect_eq(RUN(merge, scratch, "-o", merged), 0);
    char *err = read_text_in(outside, "err");
    cr_expect_not_null(strstr(err, line), "%s", err);
    free(err);
    expect_equal_reports(scratch, merged);
    save_own_log(at_second(0)); /* before this process began: it has the number of another one */
    cr_expect_eq(RUN(merge, scratch, "-o", merged), 0);
    err = read_text_in(outside, "err");
    cr_expect_null(strstr(err, line), "%s", err);
    free(err);
}

static void save_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void expect_warnings(const char *profile_path)
{
    struct cup_profile loaded;
    struct cup_error error;
    cr_assert_eq(cup_profile_load(&loaded, profile_path, &(struct cup_load_options){0}, &error), 0);
    cr_expect_eq(loaded.collected.logs[CUP_PART_LOST], 2, "%s", profile_path);
    cr_expect_eq(loaded.collected.until_ns[CUP_PART_LOST], INT64_C(100) * 1000000000);
    cr_expect_eq(loaded.collected.refused, 2);
    cr_expect_str_eq(loaded.collected.refused_worker, "tcp://a");
    cup_profile_free(&loaded);
}

Test(merge, knows_which_of_its_logs_came_home_in_part)
{
    char text[512], other[PATH], ab[PATH], ba[PATH];
    save_logs();
    snprintf(other, PATH, "%s/other", outside);
    cr_assert_eq(mkdir(other, 0700), 0);
    cr_assert_eq(rename(path_in(scratch, log_name(0)), path_in(other, log_name(0))), 0);
    snprintf(text, sizeof text,
             "{\"collecting\": false, \"full\": null, \"refused\": [{\"worker\": \"tcp://b\", "
             "\"why\": \"noexec\"}], \"logs\": {\"%s\": {\"why\": \"lost\", \"until\": 100}}}",
             log_name(1));
    save_text(path_in(scratch, "collected.json"), text);
    snprintf(text, sizeof text,
             "{\"refused\": [{\"worker\": \"tcp://a\", \"why\": \"noexec\"}], \"logs\": "
             "{\"%s\": {\"why\": \"lost\", \"until\": 200}}}",
             log_name(0));
    save_text(path_in(other, "collected.json"), text);
    snprintf(ab, PATH, "%s", path_in(outside, "ab.cup"));
    snprintf(ba, PATH, "%s", path_in(outside, "ba.cup"));
    MERGE(ab, scratch, other);
    MERGE(path_in(outside, "b.cup"), other);
    MERGE(ba, path_in(outside, "b.cup"), scratch, path_in(outside, "b.cup"));
    expect_equal_files(ab, ba);
    expect_warnings(ab);
    MERGE(path_in(other, "first.cup"), scratch);
    expect_warnings(other);
    struct cup_collected collected;
    MERGE(path_in(outside, "one.cup"), path_in(scratch, log_name(1)),
          path_in(scratch, log_name(2)));
    cup_collected_read(&collected, path_in(outside, "one.cup"), NULL);
    cr_expect_eq(collected.logs[CUP_PART_LOST], 1);
    cr_expect_eq(collected.refused, 0);
    cup_collected_free(&collected);
    char command[2 * PATH];
    snprintf(command, sizeof command, "rm -r '%s'", other);
    cr_assert_eq(system(command), 0);
}

static uint64_t count_lost(const char *profile_path)
{
    struct cup_profile loaded;
    struct cup_error error;
    cr_assert_eq(cup_profile_load(&loaded, profile_path, &(struct cup_load_options){0}, &error), 0);
    uint64_t lost = loaded.collected.logs[CUP_PART_LOST] + loaded.collected.logs[CUP_PART_STOPPED];
    cup_profile_free(&loaded);
    return lost;
}

/* The folder `outside` has the begins of two logs; the first one is whole in `scratch`. */
Test(merge, a_log_that_is_whole_elsewhere_is_not_incomplete)
{
    char text[512];
    char folder[PATH];
    snprintf(folder, sizeof folder, "%s/merged", scratch);
    cr_assert_eq(mkdir(folder, 0700), 0);
    const char *merged = path_in(folder, "all.cup"), *anonymous = path_in(folder, "anon.cup");
    save_logs();
    save_early_copy();
    cr_assert_eq(rename(path_in(scratch, log_name(1)), path_in(outside, log_name(1))), 0);
    snprintf(text, sizeof text,
             "{\"logs\": {\"%s\": {\"why\": \"stopped\", \"until\": 100},"
             " \"%s\": {\"why\": \"lost\", \"until\": 200}}}",
             log_name(0), log_name(1));
    save_text(path_in(outside, "collected.json"), text);
    cr_expect_eq(count_lost(outside), 2);
    MERGE(merged, outside, scratch);
    cr_expect_eq(count_lost(merged), 1);
    cr_expect_eq(RUN(merge, outside, scratch, "-o", anonymous, "--anonymize"), 0);
    cr_expect_eq(count_lost(anonymous), 1);
    MERGE(path_in(scratch, "some.cup"), outside);
    cr_expect_eq(count_lost(scratch), 1);
    char command[2 * PATH];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_assert_eq(system(command), 0);
}

/* ---- damage --------------------------------------------------------------------------------- */

static void write_file(const char *path, const unsigned char *bytes, size_t count)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

/* Loads a file that may be damaged. Returns whether it could be loaded. */
static bool load_any(const char *path)
{
    struct cup_profile any;
    struct cup_error error = {0};
    if (cup_profile_load(&any, path, &(struct cup_load_options){.counters = true}, &error) != 0) {
        cr_expect(error.text[0] && !strchr(error.text, '\n'), "%s", error.text);
        return false;
    }
    for (size_t i = 0; i < any.damage_count; i++)
        cr_expect(any.damages[i].text[0] && !strchr(any.damages[i].text, '\n'));
    cup_profile_free(&any);
    return true;
}

Test(merge, a_truncated_merged_log_costs_one_line)
{
    size_t bytes;
    save_logs();
    const char *merged = path_in(outside, "all.cup"), *cut = path_in(outside, "cut.cup");
    MERGE(merged, scratch);
    unsigned char *whole = read_whole(merged, &bytes);
    for (size_t kept = 8; kept < bytes; kept += bytes / 50) {
        write_file(cut, whole, kept);
        cr_expect_not(load_any(cut), "%zu of %zu", kept, bytes);
    }
    expect_one_line(RUN(report, cut), "truncated");
    free(whole);
}

Test(merge, a_byte_that_was_changed_is_found)
{
    size_t bytes;
    save_logs();
    const char *merged = path_in(outside, "all.cup"), *changed = path_in(outside, "changed.cup");
    MERGE(merged, scratch);
    unsigned char *whole = read_whole(merged, &bytes);
    for (size_t at = 8; at < bytes; at += 1 + bytes / 300) {
        whole[at] ^= 0x41;
        write_file(changed, whole, bytes);
        load_any(changed);
        whole[at] ^= 0x41;
    }
    struct cup_merged_header header;
    memcpy(&header, whole, sizeof header);
    whole[header.index_at + 8] ^= 1;
    write_file(changed, whole, bytes);
    expect_one_line(RUN(report, changed), "its index is not what was written");
    free(whole);
}

/* A block in the middle of a log: what it held is lost, and the rest is read. */
Test(merge, a_damaged_block_loses_what_it_held)
{
    struct cup_error error;
    save_logs();
    const char *merged = path_in(outside, "all.cup");
    MERGE(merged, scratch);
    struct cup_merged *opened = cup_merged_open(merged, &error);
    cr_assert_not_null(opened, "%s", error.text);
    const struct cup_merged_log *log = cup_merged_find(opened, log_name(1));
    cr_assert_not_null(log);
    uint64_t blocks = log->bytes / opened->header.block_bytes;
    cr_assert_geq(blocks, 2);
    struct cup_merged_block block = opened->blocks[log->first_block + blocks - 1];
    cup_merged_close(opened);
    FILE *file = fopen(merged, "r+");
    fseek(file, (long)(block.at + block.packed / 2), SEEK_SET);
    int byte = fgetc(file);
    fseek(file, -1, SEEK_CUR);
    fputc(byte ^ 0x5a, file);
    fclose(file);
    load_fixture_profile(&(struct cup_load_options){0});
    size_t tasks = profile.task_count;
    cup_profile_free(&profile);
    const struct cup_load_options options = {.counters = true}; /* reads blocks */
    cr_assert_eq(cup_profile_load(&profile, merged, &options, &error), 0);
    if (cup_can_compress) {
        cr_expect_eq(profile.damage_count, 1);
        cr_expect_eq(profile.logs_read, LOGS);
        cr_expect_lt(profile.task_count, tasks);
        cr_expect_gt(profile.task_count, tasks * 3 / 4);
    }
}

static void set_version(const char *path, uint16_t version)
{
    FILE *file = fopen(path, "r+");
    cr_assert(file && fseek(file, offsetof(struct cup_merged_header, version), SEEK_SET) == 0);
    cr_assert_eq(fwrite(&version, sizeof version, 1, file), 1);
    cr_assert_eq(fclose(file), 0);
}

Test(merge, version_1_is_read_and_later_ones_are_refused)
{
    save_logs();
    const char *merged = path_in(outside, "all.cup");
    MERGE(merged, scratch);
    set_version(merged, 1);
    cr_expect(load_any(merged));
    set_version(merged, CUP_MERGED_VERSION + 1);
    expect_one_line(RUN(report, merged), "use a newer cupping");
}

/* This build does not know which records of a newer log it may change. */
Test(merge, a_log_that_needs_a_newer_reader_is_refused)
{
    struct log_builder log;
    build_golden_log(&log);
    builder_header(&log)->version = builder_header(&log)->min_reader = CUP_LOG_SUMMED + 1;
    builder_finish(&log);
    save_log(&log, scratch, log_name(0));
    builder_free(&log);
    const char *merged = path_in(outside, "all.cup"), *copy = path_in(outside, "copy");
    expect_one_line(RUN(merge, scratch, "-o", merged), "use a newer cupping");
    expect_one_line(RUN(merge, scratch, "-o", copy, "--anonymize"), "use a newer cupping");
    cr_expect_neq(access(merged, F_OK), 0);
}
