/* What was read of a file, beside what the file itself says: a log and a file made to fit. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "analysis/metrics/reads/file_shares.h"
#include "analysis/profile/summed_text.h"
#include "cli/verbs.h"
#include "tests/analysis/root_builder.h"
#include "tests/analysis/support.h"

/* The profile, the data that it read, and what the verbs write. */
static char scratch[SUPPORT_PATH], data[SUPPORT_PATH], outside[SUPPORT_PATH];
static char path[2 * SUPPORT_PATH]; /* of the file, in the run */
static size_t size;

enum { PREFIX = 1, EVENTS, PT, MASS, FILE_A, FILE_B, DATASET };

/* "pt" has 10 baskets of 10 entries, "eta" 5 of 20. */
static void write_file(const char *to)
{
    static const struct built_branch branches[] = {
        {.name = "pt", .baskets = 10}, {.name = "eta", .baskets = 5, .entries_each = 20}};
    const struct built_file file = {.branches = branches, .branch_count = 2};
    const struct utimbuf long_ago = {0};
    struct built_bytes bytes = build_root_file(&file);
    save_bytes(&bytes, bytes.count, to);
    size = bytes.count;
    free(bytes.at);
    cr_assert_eq(utime(to, &long_ago), 0);
}

static void add_chunk(struct log_builder *b, uint32_t task, uint32_t file,
                      const uint64_t (*values)[CUP_BV_COUNT], uint32_t rows)
{
    static const uint32_t numbers[] = {1, 2};
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = 9,
                                     .prefix = PREFIX,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(1)};
    struct cup_r_item item = {.task = task,
                              .kind = CUP_ITEM_WORK,
                              .dataset = DATASET,
                              .file = file,
                              .tree = EVENTS,
                              .entry_stop = 40};
    struct cup_r_task_end end = {
        .task = task, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(2)};
    const struct cup_r_baskets baskets = {
        .task = task, .file = file == FILE_A ? 1 : 2, .source = CUP_BASKETS_REQUESTED};
    char key[16];
    snprintf(key, sizeof key, "chunk-%u", task);
    builder_begin(b, &begin, key);
    BUILDER_ADD(b, CUP_R_ITEM, item);
    BUILDER_ADD(b, CUP_R_TASK_END, end);
    builder_baskets(b, &baskets, numbers, values, rows);
}

/* Of a file here 4 baskets of "pt" and, so that one name is not in the file, one of "mass"; of
 * another one, which is nowhere, one of "pt". */
static void write_log(void)
{
    const char *const texts[] = {
        [PREFIX] = "Processor", [EVENTS] = "Events",     [PT] = "pt",    [MASS] = "mass",
        [FILE_A] = path,        [FILE_B] = "/no/b.root", [DATASET] = "d"};
    const uint64_t first[2][CUP_BV_COUNT] = {
        {[CUP_BV_BASKETS] = 4, 400, 600, 200, 40, 0, 10000, 100, 300, 100},
        {[CUP_BV_BASKETS] = 1, 50, 60, 20, 40, 0, 20000}};
    const uint64_t second[1][CUP_BV_COUNT] = {{[CUP_BV_BASKETS] = 1, 100, 150, 50, 10, 0, 10000}};
    struct log_builder b;
    builder_start(&b);
    builder_header(&b)->features |= CUP_FEATURE_BASKETS | CUP_FEATURE_REQUESTED;
    for (uint32_t id = 1; id < sizeof texts / sizeof *texts; id++)
        builder_string(&b, id, texts[id]);
    for (uint32_t i = 0; i < 2; i++) {
        struct cup_r_file file = {
            .id = i + 1, .path = FILE_A + i, .class = CUP_FILE_DATA, .size = size};
        struct cup_r_branch branch = {.branch = i + 1, .tree = EVENTS, .name = PT + i};
        BUILDER_ADD(&b, CUP_R_FILE, file);
        BUILDER_ADD(&b, CUP_R_BRANCH, branch);
    }
    add_chunk(&b, 1, FILE_A, first, 2);
    add_chunk(&b, 2, FILE_B, second, 1);
    builder_finish(&b);
    save_log(&b, scratch, "a.cup");
    builder_free(&b);
}

static void set_up(void)
{
    make_scratch(scratch);
    make_scratch(data);
    make_scratch(outside);
    snprintf(path, sizeof path, "%s/a.root", data);
    write_file(path);
    write_log();
}

static void tear_down(void)
{
    remove_scratch(scratch);
    remove_scratch(data);
    remove_scratch(outside);
}

TestSuite(file_shares, .init = set_up, .fini = tear_down);

/* The row whose `key` is `value`; borrowed. */
static json_t *row_of(json_t *report, const char *section, const char *key, const char *value)
{
    json_t *rows = json_object_get(json_object_get(report, section), "rows"), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const char *text = json_string_value(json_object_get(row, key));
        if (text && strcmp(text, value) == 0)
            return row;
    }
    cr_assert_fail("%s has no row with %s %s", section, key, value);
    return NULL;
}

static double number(const json_t *row, const char *name)
{
    const json_t *value = json_object_get(row, name);
    cr_assert(json_is_number(value), "%s", name);
    return json_number_value(value);
}

static void expect_examined(json_t *report)
{
    json_t *file = row_of(report, "files", "file", path);
    json_t *pt = row_of(report, "branches", "branch", "pt");
    cr_expect(json_is_null(json_object_get(file, "not_examined")));
    cr_expect_eq(number(file, "file_branches"), 2);
    cr_expect_eq(number(file, "file_baskets_bytes"), 15 * BUILT_BYTES);
    cr_expect_eq(number(file, "share_of_branches_pct"), 100, "pt and mass, of two");
    cr_expect_float_eq(number(file, "share_of_bytes_pct"), 100 * 450. / 1500, 1e-9);
    cr_expect_eq(number(file, "clusters"), 5);
    cr_expect_eq(number(file, "cluster_events"), 20);
    cr_expect_eq(number(pt, "file_baskets"), 10);
    cr_expect_eq(number(pt, "file_bytes"), 10 * BUILT_BYTES);
    cr_expect_eq(number(pt, "share_of_file_pct"), 40);
    json_t *mass = row_of(report, "branches", "branch", "mass");
    cr_expect(json_is_null(json_object_get(mass, "file_bytes")), "the file has none");
}

static void expect_reason(json_t *report, const char *file, const char *reason)
{
    static const char *const unknown[] = {
        "share_of_branches_pct", "share_of_bytes_pct", "file_branches",
        "file_baskets_bytes",    "clusters",           "cluster_events"};
    json_t *row = row_of(report, "files", "file", file);
    const char *text = json_string_value(json_object_get(row, "not_examined"));
    cr_assert(text && strstr(text, reason), "%s", text ? text : "null");
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        cr_expect(json_is_null(json_object_get(row, unknown[i])), "%s", unknown[i]);
}

Test(file_shares, of_a_file_that_is_still_there)
{
    json_t *report = report_json(scratch, outside);
    expect_examined(report);
    expect_reason(report, "/no/b.root", "not at its path");
    json_decref(report);
}

Test(file_shares, of_a_file_that_is_gone_or_another_one)
{
    cr_assert_eq(truncate(path, (off_t)size - 1), 0);
    json_t *report = report_json(scratch, outside);
    expect_reason(report, path, "changed");
    json_decref(report);
    remove(path);
    report = report_json(scratch, outside);
    expect_reason(report, path, "not at its path");
    cr_expect(json_is_null(
        json_object_get(row_of(report, "branches", "branch", "pt"), "share_of_file_pct")));
    json_decref(report);
}

/* Tasks that began when the log was full may have read any part of the file. */
Test(file_shares, with_full_logs_say_why_they_are_not_known)
{
    const struct cup_load_options options = {.counters = true};
    struct cup_profile profile;
    struct cup_totals totals;
    struct cup_file_shares shares;
    struct cup_error error;
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0);
    profile.full_log_tasks = profile.tasks_summed = 1;
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    cr_assert_eq(cup_file_shares_make(&shares, &totals, NULL, &error), 0);
    for (size_t i = 0; i < profile.root_file_count; i++)
        cr_expect_str_eq(shares.files[i].reason, CUP_SUMMED);
    cr_expect_eq(shares.known, 0);
    cup_file_shares_free(&shares);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
}

Test(file_shares, of_a_file_that_was_moved)
{
    char moved[2 * SUPPORT_PATH], written[2 * SUPPORT_PATH];
    snprintf(moved, sizeof moved, "%s/data", outside);
    cr_assert_eq(mkdir(moved, 0700), 0);
    snprintf(written, sizeof written, "%s/report", outside);
    snprintf(moved, sizeof moved, "%s/data/a.root", outside);
    cr_assert_eq(rename(path, moved), 0);
    snprintf(moved, sizeof moved, "%s/data", outside);
    cr_assert_eq(run_verb(outside, cup_verb_report,
                          (const char *const[]){"report", scratch, "--files", moved, "--json",
                                                written, NULL}),
                 0);
    json_error_t error;
    json_t *report = json_load_file(written, 0, &error);
    cr_assert_not_null(report, "%s", error.text);
    expect_examined(report);
    expect_reason(report, "/no/b.root", "neither");
    json_decref(report);
}

Test(file_shares, in_tables)
{
    char out[2 * SUPPORT_PATH], written[3 * SUPPORT_PATH];
    snprintf(out, sizeof out, "%s/tables", outside);
    cr_assert_eq(run_verb(outside, cup_verb_export,
                          (const char *const[]){"export", scratch, "--to", "csv", "-o", out, NULL}),
                 0);
    snprintf(written, sizeof written, "%s/branches.csv", out);
    char *text = read_text(written);
    char *row = strstr(text, "/a.root,Events,pt,"), *end = row ? strstr(row, "\r\n") : NULL;
    cr_assert(row && end, "%s", text);
    *end = '\0';
    cr_expect_not_null(strstr(row, ",asked,10,1000,40"), "%s", row);
    free(text);
}

Test(file_shares, in_the_text)
{
    char written[2 * SUPPORT_PATH];
    snprintf(written, sizeof written, "%s/out", outside);
    cr_assert_eq(run_verb(outside, cup_verb_report,
                          (const char *const[]){"report", scratch, "--only", "branches", NULL}),
                 0);
    char *text = read_text(written);
    cr_expect(strstr(text, "Share of the trees of 1 file (of 2)"), "%s", text);
    cr_expect(strstr(text, "branches, 30.0 % of their bytes."), "%s", text);
    cr_expect(strstr(text, "not examined: 1; the first because"), "%s", text);
    free(text);
}
