/* `cupping merge --per-prefix`: sums in reports are those of all tasks, in any order of merges. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/log/log_reader.h"
#include "analysis/merge/merge.h"
#include "analysis/merge/summary.h"
#include "cli/verbs.h"
#include "tests/analysis/fixture.h"
#include "tests/analysis/open_hook.h"

enum { LOGS = 4, TASKS = 400, KEPT = 3, PATH = 2 * SUPPORT_PATH };
enum {
    PREFIX = 50,
    OTHER_PREFIX,
    DATASET,
    PATH_STRING,
    TREE,
    ERROR,
    BRANCH,
    CODE,
    ADDRESS,
    TLS,
    URL
};

TestSuite(summary, .init = start_fixture, .fini = end_fixture);

static const char *path_in(const char *directory, const char *name)
{
    static char paths[16][PATH];
    static unsigned next;
    char path[PATH];
    int bytes = snprintf(path, sizeof path, "%s/%s", directory, name);
    cr_assert_lt(bytes, PATH);
    return memcpy(paths[next++ % 16], path, (size_t)bytes + 1);
}

static const char *log_name(int i)
{
    static char names[LOGS][64];
    snprintf(names[i], sizeof names[i], "node-%d-175000000000000000%d.cup", 100 + i, i);
    return names[i];
}

/* ---- logs ----------------------------------------------------------------------------------- */

/* Some tasks read their file over TLS, where only the work item names it. */
static bool over_tls;

static void put_introduction(struct log_builder *log)
{
    static const unsigned char lines[] = {0xe8, 0};
    static const struct cup_stack_node nodes[] = {{0, 1, 0}, {1, 1, 0}};
    struct cup_r_server server = {
        .id = 3, .role = CUP_ROLE_WORKER, .address = ADDRESS, .name = ADDRESS, .threads = 2};
    struct cup_r_file file = {.id = 1,
                              .path = PATH_STRING,
                              .class = CUP_FILE_DATA,
                              .flags = CUP_FILE_IS_ROOT,
                              .size = 100000};
    builder_string(log, PREFIX, "process");
    builder_string(log, OTHER_PREFIX, "merge");
    builder_string(log, DATASET, "ZZ");
    builder_string(log, PATH_STRING, "/data/zz.root");
    builder_string(log, TREE, "Events");
    builder_string(log, ERROR, "OSError()");
    builder_string(log, BRANCH, "Muon_pt");
    builder_string(log, CODE, "/home/me/higgs.py");
    builder_string(log, ADDRESS, "tcp://10.0.0.7:1");
    builder_string(log, TLS, "https://store.org:443/");
    builder_string(log, URL, "https://store.org:443/zz.root");
    BUILDER_ADD(log, CUP_R_SERVER, server);
    BUILDER_ADD(log, CUP_R_FILE, file);
    struct cup_r_file tls = {
        .id = 2, .path = TLS, .class = CUP_FILE_SOCKET, .flags = CUP_FILE_IS_REMOTE};
    if (over_tls)
        BUILDER_ADD(log, CUP_R_FILE, tls);
    struct cup_r_branch branch = {.branch = 1, .tree = TREE, .name = BRANCH};
    BUILDER_ADD(log, CUP_R_BRANCH, branch);
    builder_code(log, 1, CODE, "work", 10, lines, sizeof lines);
    builder_stacks(log, 1, nodes, 2);
}

/* Different for each task, and without an order. */
static uint64_t vary(uint32_t task, uint64_t most)
{
    return task * UINT64_C(2654435761) % most;
}

/* Every fifth task is no chunk; every fiftieth one fails. */
static bool is_chunk(uint32_t task)
{
    return task % 5 != 0;
}

static bool fails(uint32_t task)
{
    return task % 50 == 1;
}

static void put_begin(struct log_builder *log, int i, uint32_t task, const char *key)
{
    char own[64];
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = 7 + task % 2,
                                     .prefix = is_chunk(task) ? PREFIX : OTHER_PREFIX,
                                     .server = 3,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(20 + task / 2 * 0.05),
                                     .rss = 1000000 + task,
                                     .run_id = task};
    snprintf(own, sizeof own, "%s-%d-%u", is_chunk(task) ? "process" : "merge", i, task);
    builder_begin(log, &begin, key ? key : own);
}

static bool is_encrypted(uint32_t task)
{
    return over_tls && task % 5 == 2;
}

static void put_item(struct log_builder *log, uint32_t task)
{
    struct cup_r_item item = {.task = task,
                              .kind = CUP_ITEM_WORK,
                              .dataset = DATASET,
                              .file = is_encrypted(task) ? URL : PATH_STRING,
                              .tree = TREE,
                              .entry_start = task * 100,
                              .entry_stop = task * 100 + 90 + task % 7};
    struct cup_r_chunk chunk = {.task = task,
                                .tic_ns = at_second(20 + task / 2 * 0.05) + 1000000,
                                .toc_ns = at_second(20 + task / 2 * 0.05) + 2000000 + task,
                                .cpu_ns = 500000};
    struct cup_r_chunk_report report = {
        .task = task, .requested_bytes = 1000 + task, .entries = 90 + task % 7};
    BUILDER_ADD(log, CUP_R_ITEM, item);
    BUILDER_ADD(log, CUP_R_CHUNK, chunk);
    BUILDER_ADD(log, CUP_R_CHUNK_REPORT, report);
}

static void put_reads(struct log_builder *log, uint32_t task, uint32_t own)
{
    uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_CALLS] = 2 + own,
                                          [CUP_C_IO_WAIT_NS] = vary(task, 900000),
                                          [CUP_C_LOCK_WAIT_NS] = 3000,
                                          [CUP_C_READ_LONGEST_NS] = vary(task, 70000)};
    uint64_t uses[CUP_FILE_COUNTER_COUNT] = {
        [CUP_F_READ_BYTES] = 100 + vary(task, 5000), [CUP_F_READ_CALLS] = 2};
    struct cup_r_counters block = {
        .task = task, .tid = 7 + task % 2, .block = own ? 1 : 2, .own = own, .sequence = task};
    struct cup_r_file_use use = {.task = task,
                                 .tid = 7,
                                 .file = is_encrypted(task) ? 2 : 1,
                                 .own = own,
                                 .block = 1,
                                 .file_sequence = task};
    values[own ? CUP_C_READ_OWN_BYTES : CUP_C_READ_CONTEXT_BYTES] = 100 + vary(task, 5000);
    builder_counters(log, &block, values);
    builder_file_use(log, &use, uses);
}

static void put_rest(struct log_builder *log, uint32_t task)
{
    const struct cup_stack_use_row uses[] = {{1, CUP_U_CPU, 3, 0, vary(task, 100000)},
                                             {2, CUP_U_READ, 1, vary(task, 5000), 50}};
    struct cup_r_open open = {.task = task, .file = 1, .kind = CUP_OPEN_LOCAL, .ns = task * 1000};
    const unsigned char section[] = {CUP_V_ENTRIES, 1, CUP_V_WALL_NS, task % 100};
    struct cup_r_section named = {.task = task, .name = CODE};
    builder_uses(log, task, uses, 2);
    BUILDER_ADD(log, CUP_R_OPEN, open);
    builder_record(log, CUP_R_SECTION, &named, sizeof named, section, sizeof section);
}

static void put_end(struct log_builder *log, uint32_t task)
{
    struct cup_r_task_end end = {.task = task,
                                 .status = fails(task) ? CUP_STATUS_ERRED : CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(20 + task / 2 * 0.05) + 5000000 +
                                            (int64_t)vary(task, 40000000),
                                 .cpu_ns = task % 7 ? 3000000 : 100000000, /* of at most 45 ms */
                                 .rss = 2000000,
                                 .result_bytes = 100 + task,
                                 .error = fails(task) ? ERROR : 0};
    BUILDER_ADD(log, CUP_R_TASK_END, end);
}

static void put_task(struct log_builder *log, int i, uint32_t task, const char *key)
{
    put_begin(log, i, task, key);
    if (is_chunk(task))
        put_item(log, task);
    put_reads(log, task, CUP_BLOCK_RUNS);
    put_rest(log, task);
    put_end(log, task);
    put_reads(log, task, CUP_BLOCK_HELPS);
}

/* A thread that TASK started read for other tasks, too: each task that ran then may have read
 * more. */
static bool threads_serve_others;

static void put_thread(struct log_builder *log, uint32_t task)
{
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_INHERITED_BYTES] = 90000};
    struct cup_r_counters block = {
        .task = task, .tid = 99, .block = 3, .own = CUP_BLOCK_INHERITS, .sequence = 1};
    builder_counters(log, &block, values);
    BUILDER_ADD(log, CUP_R_VOID, ((struct cup_r_void){.task = task}));
    builder_header(log)->health[CUP_H_THREADS_VOIDED] = 1;
    builder_header(log)->features |= CUP_FEATURE_FILES | CUP_FEATURE_UNATTRIBUTED;
}

/* So many chunks of the first log ended in the last one, too. */
static uint32_t ended_twice;

/* The last log has second attempts at the chunks that failed in the first one, and at one that
 * succeeded there last. It ends without notice, with an unfinished task. */
static void build_log_number(struct log_builder *log, int i)
{
    char key[64];
    builder_start(log);
    struct cup_log_header *header = builder_header(log);
    header->pid = 4000000 + (uint32_t)i;
    header->features |= CUP_FEATURE_WAITS | CUP_FEATURE_GIL | CUP_FEATURE_STACKS | CUP_FEATURE_CPU |
                        CUP_FEATURE_OPENS;
    header->log_start_ns = header->process_start_ns = at_second(19);
    header->log_stop_ns = i == LOGS - 1 ? 0 : at_second(60);
    header->health[CUP_H_TASKS_BEGUN] = TASKS;
    put_introduction(log);
    for (uint32_t task = 1; task <= TASKS; task++) {
        snprintf(key, sizeof key, "process-0-%u", task == 399 ? 399 : task - 1);
        bool again = fails(task - 1) || task == 399;
        if (task > 110 && task <= 110 + ended_twice) {
            snprintf(key, sizeof key, "process-0-%u", task);
            again = true;
        }
        put_task(log, i, task, again && i == LOGS - 1 ? key : NULL);
    }
    if (threads_serve_others)
        put_thread(log, 216);
    if (i == LOGS - 1)
        put_begin(log, i, TASKS + 1, NULL);
}

static void save_log_number(int i)
{
    struct log_builder log;
    build_log_number(&log, i);
    builder_finish(&log);
    save_log(&log, scratch, log_name(i));
    builder_free(&log);
}

static void save_logs(void)
{
    for (int i = 0; i < LOGS; i++)
        save_log_number(i);
}

/* ---- merges --------------------------------------------------------------------------------- */

static void merge(const char *output, const char *const *inputs)
{
    struct cup_merge_request request = {
        .inputs = inputs, .output = output, .memory = CUP_MERGE_LEAST_MEMORY, .tasks = KEPT};
    struct cup_merge_result result;
    struct cup_error error;
    while (inputs[request.count])
        request.count++;
    cr_assert_eq(cup_merge(&request, &result, &error), 0, "%s: %s", error.source, error.text);
}

#define MERGE(output, ...) merge(output, (const char *const[]){__VA_ARGS__, NULL})

static void expect_equal_files(const char *one, const char *other)
{
    char command[3 * PATH];
    snprintf(command, sizeof command, "cmp '%s' '%s'", one, other);
    cr_expect_eq(system(command), 0, "%s, %s", one, other);
}

Test(summary, the_bytes_are_the_same_in_any_order_of_merges)
{
    save_logs();
    const char *all = path_in(outside, "all.cup"), *a = path_in(outside, "a.cup");
    const char *b = path_in(outside, "b.cup"), *ab = path_in(outside, "ab.cup");
    MERGE(all, scratch);
    MERGE(a, path_in(scratch, log_name(3)), path_in(scratch, log_name(0)));
    MERGE(b, path_in(scratch, log_name(1)), path_in(scratch, log_name(2)),
          path_in(scratch, log_name(3)));
    MERGE(ab, b, a);
    expect_equal_files(ab, all);
    MERGE(ab, all, scratch);
    expect_equal_files(ab, all);
}

#define RUN(verb, ...)                                                                             \
    run_verb(outside, cup_verb_##verb, (const char *const[]){#verb, __VA_ARGS__, NULL})

/* ---- reports -------------------------------------------------------------------------------- */

/* Sections that consist of sums. */
static const char *const sums[] = {
    "attribution", "time_budget", "coffea", "datasets", "tasks_by_worker", "files",   "opens",
    "functions",   "losses",      "hosts",  "workers",  "completeness",    "servers",
};

static void expect_equal_sections(const json_t *all, const json_t *summed)
{
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        char *one = json_dumps(json_object_get(all, sums[i]), JSON_ENCODE_ANY | JSON_SORT_KEYS);
        char *other =
            json_dumps(json_object_get(summed, sums[i]), JSON_ENCODE_ANY | JSON_SORT_KEYS);
        cr_expect(json_object_get(all, sums[i]) != NULL, "%s", sums[i]);
        cr_expect_str_eq(one ? one : "", other ? other : "", "%s:\n%s\n%s", sums[i], one, other);
        free(one);
        free(other);
    }
}

static json_t *load_report(const char *profile_path)
{
    json_error_t error;
    const char *path = path_in(outside, "report.json");
    cr_assert_eq(RUN(report, profile_path, "--json", path), 0);
    json_t *report = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(report, "%s at line %d", error.text, error.line);
    return report;
}

Test(summary, sums_in_the_report_are_those_of_all_tasks)
{
    save_logs();
    const char *merged = path_in(outside, "all.cup");
    MERGE(merged, scratch);
    json_t *all = load_report(scratch), *summed = load_report(merged);
    expect_equal_sections(all, summed);
    json_decref(all);
    json_decref(summed);
}

static void expect_equal_files_section(const char *one, const char *other)
{
    json_t *a = load_report(one), *b = load_report(other);
    json_t *files = json_object_get(a, "files");
    char *text = json_dumps(files, JSON_ENCODE_ANY);
    cr_expect_not_null(strstr(text, "https://store.org:443/zz.root"), "%s", text);
    cr_expect(json_equal(files, json_object_get(b, "files")), "%s", text);
    free(text);
    json_decref(a);
    json_decref(b);
}

Test(summary, files_that_only_work_items_name_are_still_files_of_data)
{
    over_tls = true;
    save_logs();
    over_tls = false;
    MERGE(path_in(outside, "all.cup"), scratch);
    expect_equal_files_section(scratch, path_in(outside, "all.cup"));
}

Test(summary, totals_are_those_of_all_tasks)
{
    struct cup_error error;
    struct cup_profile merged;
    struct cup_totals t;
    threads_serve_others = true;
    save_logs();
    threads_serve_others = false;
    const char *path = path_in(outside, "all.cup");
    MERGE(path, scratch);
    load_fixture(&(struct cup_load_options){0});
    cr_assert_eq(cup_profile_load(&merged, path, &(struct cup_load_options){0}, &error), 0, "%s",
                 error.text);
    cr_assert_eq(cup_totals_make(&t, &merged), 0);
    cr_expect_eq(t.all.partly, 2 * LOGS);
    cr_expect_gt(merged.tasks_summed, LOGS * TASKS * 3 / 4);
    cr_expect_eq(merged.tasks_summed + merged.task_count, profile.task_count);
    cr_expect_eq(memcmp(&t.all, &totals.all, sizeof t.all), 0);
    cr_expect_eq(memcmp(&t.budget, &totals.budget, sizeof t.budget), 0);
    cr_expect_eq(memcmp(&t.waits, &totals.waits, sizeof t.waits), 0);
    cr_expect_eq(memcmp(&t.run, &totals.run, sizeof t.run), 0);
    cr_expect_eq(memcmp(&t.chunks, &totals.chunks, sizeof t.chunks), 0);
    cr_expect_eq(memcmp(t.counters, totals.counters, sizeof t.counters), 0);
    cr_expect_eq(t.used_chunks, totals.used_chunks);
    cr_expect_eq(t.repeated_chunks, totals.repeated_chunks);
    cr_expect_eq(t.repeated_chunks, 1);
    cr_expect_eq(t.retried_chunks, totals.retried_chunks);
    cr_expect_eq(t.failed_chunks, totals.failed_chunks);
    cr_expect_eq(t.events, totals.events);
    cr_expect_eq(memcmp(&t.losses->sums, &totals.losses->sums, sizeof t.losses->sums), 0);
    cr_expect_eq(t.losses->events_all, totals.losses->events_all);
    cup_totals_free(&t);
    cup_profile_free(&merged);
}

Test(summary, the_report_names_chunks_that_two_processes_ended)
{
    struct cup_error error;
    struct cup_profile merged;
    struct cup_totals t;
    ended_twice = 20;
    save_logs();
    ended_twice = 0;
    const char *path = path_in(outside, "all.cup");
    MERGE(path, scratch);
    load_fixture(&(struct cup_load_options){0});
    cr_expect_eq(totals.chunks_counted_twice, 0);
    cr_assert_eq(cup_profile_load(&merged, path, &(struct cup_load_options){0}, &error), 0, "%s",
                 error.text);
    cr_assert_eq(cup_totals_make(&t, &merged), 0);
    cr_expect_gt(t.chunks_counted_twice, 0);
    cr_expect_eq(t.used_chunks, totals.used_chunks + t.chunks_counted_twice);
    cr_expect_eq(t.retried_chunks, totals.retried_chunks);
    cup_totals_free(&t);
    cup_profile_free(&merged);
    cr_expect_eq(RUN(report, path), 0);
    char *out = read_text_in(outside, "out");
    cr_expect_not_null(strstr(out, "counted twice"), "%s", out);
    free(out);
}

/* ---- the verb ------------------------------------------------------------------------------- */

static void expect_text(const char *file, const char *text)
{
    char *found = read_text_in(outside, file);
    cr_expect_not_null(strstr(found, text), "%s: %s", text, found);
    free(found);
}

Test(summary, the_report_says_how_many_tasks_are_summed_up)
{
    save_logs();
    const char *merged = path_in(outside, "all.cup");
    cr_expect_eq(RUN(merge, scratch, "-o", merged, "--per-prefix", "--tasks", "2"), 0);
    expect_text("err", "most tasks are summed up by prefix");
    cr_expect_eq(RUN(report, merged), 0);
    expect_text("out", "are summed up by prefix");
    cr_expect_eq(RUN(tasks, merged), 0);
    expect_text("err", "lists of single tasks have only the others");
    cr_expect_eq(RUN(export, merged, "--to", "csv", "-o", path_in(outside, "csv")), 0);
    expect_text("err", "lists of single tasks have only the others");
    cr_expect_eq(RUN(dump, path_in(merged, log_name(0))), 0);
    expect_text("out", "of=prefix");
}

Test(summary, wrong_options_are_refused)
{
    save_logs();
    const char *merged = path_in(outside, "all.cup");
    cr_expect_eq(RUN(merge, scratch, "-o", merged, "--tasks", "2"), CUP_EXIT_USAGE);
    cr_expect_eq(RUN(merge, scratch, "-o", merged, "--per-prefix", "--tasks", "0"), CUP_EXIT_USAGE);
    cr_expect_eq(RUN(merge, scratch, "-o", merged, "--per-prefix"), 0);
    cr_expect_eq(RUN(report, merged, "--span", "none"), CUP_EXIT_FAILED);
    expect_text("err", "cannot be selected");
}

/* ---- many groups ------------------------------------------------------------------------------
 */

enum { MANY = 70000, WITH_USES = 1000 };

/* Each task has a span of its own, so each is a group. */
static void put_task_with_span(struct log_builder *log, uint32_t task)
{
    char text[32];
    const struct cup_stack_use_row use = {1, CUP_U_CPU, 3, 0, 100};
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = 7,
                                     .prefix = PREFIX,
                                     .span = 1000 + task,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(20 + task * 1e-4),
                                     .rss = CUP_UNKNOWN64};
    struct cup_r_task_end end = {.task = task,
                                 .status = CUP_STATUS_FINISHED,
                                 .stop_ns = begin.start_ns + 50000,
                                 .cpu_ns = 3000};
    snprintf(text, sizeof text, "span-%u", task);
    builder_string(log, begin.span, text);
    builder_begin(log, &begin, text);
    if (task <= WITH_USES || task > MANY - 5 * WITH_USES)
        builder_uses(log, task, &use, 1);
    BUILDER_ADD(log, CUP_R_TASK_END, end);
}

static size_t count_records(const char *path, unsigned type)
{
    struct cup_log log;
    struct cup_error error;
    const struct cup_record *record;
    size_t count = 0;
    cr_assert_eq(cup_log_open(&log, path, &error), 0, "%s", error.text);
    while ((record = cup_log_next(&log)) != NULL)
        count += record->type == type;
    cup_log_close(&log);
    return count;
}

Test(summary, stacks_of_many_groups_are_not_mixed)
{
    struct cup_error error;
    const struct cup_summary_request request = {.path = path_in(scratch, log_name(0)),
                                                .output = path_in(outside, "sums"),
                                                .tasks = KEPT,
                                                .memory = UINT64_C(1) << 32};
    builder_header(&builder)->features |= CUP_FEATURE_STACKS | CUP_FEATURE_CPU;
    builder_header(&builder)->health[CUP_H_TASKS_BEGUN] = MANY;
    put_introduction(&builder);
    for (uint32_t task = 1; task <= MANY; task++)
        put_task_with_span(&builder, task);
    save_fixture(log_name(0));
    cr_assert_eq(cup_summary_write(&request, &error), 1, "%s", error.text);
    cr_expect_eq(count_records(request.output, CUP_R_STACK_USE),
                 count_records(request.path, CUP_R_STACK_USE));
}

/* ---- a process that still runs ----------------------------------------------------------------
 */

enum { UNFINISHED = TASKS + 1, OPEN_BYTES = 777 };

static const char *growing;

/* The block of the unfinished task. */
static void close_block(void)
{
    FILE *file = fopen(growing, "r+");
    uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = OPEN_BYTES};
    const struct cup_r_counters record = {.task = UNFINISHED, .tid = 7, .sequence = 9, .own = 1};
    *builder_block(&builder, 0) = (struct cup_block){0};
    builder_counters(&builder, &record, values);
    builder_finish(&builder);
    cr_assert(file && fwrite(builder.bytes, 1, builder.size, file) == builder.size);
    cr_assert_eq(fclose(file), 0);
}

Test(summary, counters_of_a_task_that_runs_are_not_lost_if_its_block_is_closed_in_between)
{
    struct cup_error error;
    uint64_t before = 0, after = 0;
    builder_free(&builder);
    build_log_number(&builder, LOGS - 1);
    struct cup_block *block = builder_block(&builder, 0);
    *block = (struct cup_block){.used = 1, .task = UNFINISHED, .tid = 7, .sequence = 9, .own = 1};
    block->counters[CUP_C_READ_OWN_BYTES] = OPEN_BYTES;
    save_fixture(log_name(0));
    growing = path_in(scratch, log_name(0));
    load_fixture(&(struct cup_load_options){.counters = true});
    before = totals.counters[CUP_C_READ_OWN_BYTES];
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    const struct cup_summary_request request = {.path = growing,
                                                .output = path_in(scratch, log_name(1)),
                                                .tasks = KEPT,
                                                .memory = CUP_MERGE_LEAST_MEMORY};
    before_open(growing, 2, close_block);
    cr_assert_eq(cup_summary_write(&request, &error), 1, "%s", error.text);
    cr_assert_eq(remove(growing), 0);
    load_fixture(&(struct cup_load_options){.counters = true});
    after = totals.counters[CUP_C_READ_OWN_BYTES];
    cr_expect_eq(before, after, "%lu, %lu", before, after);
}
