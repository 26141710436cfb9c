/* Which branches were read, and what of them twice: two workers' logs, worked out by hand. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/metrics/reads/file_branches.h"
#include "analysis/profile/profile_builder.h"
#include "analysis/report/page/warnings.h"
#include "analysis/tasks/task_columns.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH];
static struct cup_profile profile;
static struct cup_totals totals;

static void set_up(void)
{
    make_scratch(scratch);
}

static void tear_down(void)
{
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    remove_scratch(scratch);
}

TestSuite(branches, .init = set_up, .fini = tear_down);

/* ---- what was read twice ------------------------------------------------------------------ */

#define VISIT(from, to, of, size)                                                                  \
    {                                                                                              \
        .first = from, .last = to, .baskets = of, .bytes = size                                    \
    }

Test(branches, tasks_that_meet_share_a_basket)
{
    struct cup_branch_visit visits[] = {VISIT(500, 700, 2, 150), VISIT(100, 500, 3, 180)};
    visits[0].first_bytes = 70;
    struct cup_rereads rereads = cup_rereads_of(visits, 2);
    cr_assert_eq(rereads.baskets, 1);
    cr_assert_eq(rereads.bytes, 70);
    cr_assert_eq(rereads.border, 1);
    cr_assert_eq(rereads.border_bytes, 70);
    cr_assert_eq(rereads.estimated, 0);
}

Test(branches, tasks_within_one_basket_read_it_each)
{
    struct cup_branch_visit visits[] = {VISIT(100, 100, 1, 40), VISIT(100, 100, 1, 40),
                                        VISIT(100, 100, 1, 40)};
    struct cup_rereads rereads = cup_rereads_of(visits, 3);
    cr_assert_eq(rereads.baskets, 2);
    cr_assert_eq(rereads.bytes, 80);
    cr_assert_eq(rereads.border, 2);
}

Test(branches, what_others_cover_is_all_reread)
{
    struct cup_branch_visit visits[] = {VISIT(300, 400, 2, 50), VISIT(100, 500, 5, 180),
                                        VISIT(100, 200, 2, 60), VISIT(900, 900, 1, 7)};
    struct cup_rereads rereads = cup_rereads_of(visits, 4);
    cr_assert_eq(rereads.baskets, 4);
    cr_assert_eq(rereads.bytes, 110);
    cr_assert_eq(rereads.border, 0);
    cr_assert_eq(rereads.estimated, 0);
}

/* 11 baskets from 300 to 800, of which the others end at 500: two fifths of ten steps, and the
 * first; 10 bytes each. */
Test(branches, what_overlaps_in_part_is_estimated)
{
    struct cup_branch_visit visits[] = {VISIT(100, 500, 5, 180), VISIT(300, 800, 11, 110)};
    struct cup_rereads rereads = cup_rereads_of(visits, 2);
    cr_assert_eq(rereads.baskets, 5);
    cr_assert_eq(rereads.bytes, 50);
    cr_assert_eq(rereads.estimated, 5);
    cr_assert_eq(rereads.estimated_bytes, 50);
}

/* Of two the first is theirs, and the second is not. */
Test(branches, an_overlap_of_two_baskets_is_exact)
{
    struct cup_branch_visit visits[] = {VISIT(100, 500, 5, 180), VISIT(300, 800, 2, 110)};
    visits[1].first_bytes = 30;
    struct cup_rereads rereads = cup_rereads_of(visits, 2);
    cr_assert_eq(rereads.bytes, 30);
    cr_assert_eq(rereads.estimated, 0);
}

Test(branches, attempts_without_use_are_told_apart)
{
    struct cup_branch_visit visits[] = {VISIT(100, 500, 3, 180), VISIT(500, 700, 2, 150),
                                        VISIT(500, 700, 2, 150)};
    visits[1].first_bytes = visits[2].first_bytes = 70;
    visits[1].wasted = true;
    struct cup_rereads rereads = cup_rereads_of(visits, 3);
    cr_assert_eq(rereads.baskets, 3);
    cr_assert_eq(rereads.bytes, 70 + 150);
    cr_assert_eq(rereads.wasted, 2);
    cr_assert_eq(rereads.wasted_bytes, 150);
}

#define NUMBERED(from, to, of, size)                                                               \
    {                                                                                              \
        .first = from, .last = to, .baskets = of, .bytes = size, .by_number = true                 \
    }

/* Baskets 3, 4 and 5 of which 3 and 4 are others': all but the last. */
Test(branches, with_numbers_all_but_the_last_basket_are_exact)
{
    struct cup_branch_visit visits[] = {NUMBERED(3, 5, 3, 100), NUMBERED(0, 4, 5, 180)};
    visits[0].last_bytes = 20;
    struct cup_rereads rereads = cup_rereads_of(visits, 2);
    cr_assert_eq(rereads.baskets, 2);
    cr_assert_eq(rereads.bytes, 80);
    cr_assert_eq(rereads.estimated, 0);
}

/* Four of ten, 10 bytes each: their number is sure, their bytes are not. */
Test(branches, with_numbers_a_part_is_counted)
{
    struct cup_branch_visit visits[] = {NUMBERED(6, 15, 10, 100), NUMBERED(0, 9, 10, 180)};
    struct cup_rereads rereads = cup_rereads_of(visits, 2);
    cr_assert_eq(rereads.baskets, 4);
    cr_assert_eq(rereads.bytes, 40);
    cr_assert_eq(rereads.estimated_bytes, 40);
}

Test(branches, numbers_and_places_are_not_compared)
{
    struct cup_branch_visit visits[] = {NUMBERED(300, 300, 1, 40), VISIT(300, 300, 1, 40)};
    cr_assert_eq(cup_rereads_of(visits, 2).baskets, 0);
}

/* Task 7 told 1 and 3, then 2: nothing of it twice; task 8 begins with its last. */
Test(branches, parts_of_a_task_are_one_visit)
{
    struct cup_branch_visit visits[] = {NUMBERED(1, 3, 2, 30), NUMBERED(3, 4, 2, 40),
                                        NUMBERED(2, 2, 1, 20)};
    visits[0].task = visits[2].task = 7;
    visits[1].task = 8;
    visits[0].first_bytes = 10;
    visits[0].last_bytes = visits[1].first_bytes = 20;
    size_t count = cup_visits_merge(visits, 3);
    cr_assert_eq(count, 2);
    cr_assert_eq(visits[0].baskets, 3);
    cr_assert_eq(visits[0].first_bytes, 10);
    cr_assert_eq(visits[0].last_bytes, 20);
    struct cup_rereads rereads = cup_rereads_of(visits, count);
    cr_assert_eq(rereads.baskets, 1);
    cr_assert_eq(rereads.bytes, 20);
}

Test(branches, what_no_task_is_known_of_is_not_put_together)
{
    struct cup_branch_visit visits[] = {VISIT(100, 100, 1, 30), VISIT(500, 500, 1, 30)};
    cr_assert_eq(cup_visits_merge(visits, 2), 2);
}

/* ---- two workers -------------------------------------------------------------------------- */

enum { PREFIX = 1, EVENTS, DIRECTORY, PT, ETA, FILE_A, FILE_B, DATASET, SPAN, OTHER };

static void start_log(struct log_builder *b, uint32_t pid)
{
    static const char *const texts[] = {
        [PREFIX] = "Processor", [EVENTS] = "Events",      [DIRECTORY] = "dir/Events;1",
        [PT] = "Muon_pt",       [ETA] = "Muon_eta",       [FILE_A] = "/data/a.root",
        [DATASET] = "ZToMuMu",  [FILE_B] = "root://x//b", [SPAN] = "span",
        [OTHER] = "other"};
    builder_start(b);
    builder_header(b)->pid = pid;
    builder_header(b)->features |= CUP_FEATURE_BASKETS | CUP_FEATURE_REQUESTED;
    for (uint32_t id = 1; id < sizeof texts / sizeof *texts; id++)
        builder_string(b, id, texts[id]);
}

static void save(struct log_builder *b, const char *name)
{
    builder_finish(b);
    save_log(b, scratch, name);
    builder_free(b);
}

/* A finished chunk of a file. */
static void add_chunk(struct log_builder *b, uint32_t task, const char *key, uint32_t file,
                      int64_t from, int64_t to, double stop)
{
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = 100 + task,
                                     .prefix = PREFIX,
                                     .span = task == 3 ? OTHER : SPAN,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(1),
                                     .rss = 100};
    struct cup_r_item item = {.task = task,
                              .kind = CUP_ITEM_WORK,
                              .dataset = DATASET,
                              .file = file,
                              .tree = DIRECTORY,
                              .entry_start = from,
                              .entry_stop = to};
    struct cup_r_chunk chunk = {.task = task, .tic_ns = at_second(1), .toc_ns = at_second(1.5)};
    struct cup_r_task_end end = {.task = task,
                                 .status = CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(stop),
                                 .cpu_ns = 1000,
                                 .result_bytes = 64};
    builder_begin(b, &begin, key);
    BUILDER_ADD(b, CUP_R_ITEM, item);
    BUILDER_ADD(b, CUP_R_CHUNK, chunk);
    BUILDER_ADD(b, CUP_R_TASK_END, end);
}

static void add_branch(struct log_builder *b, uint32_t number, uint32_t name)
{
    struct cup_r_branch branch = {.branch = number, .tree = EVENTS, .name = name};
    BUILDER_ADD(b, CUP_R_BRANCH, branch);
}

static void add_file(struct log_builder *b, uint32_t id)
{
    struct cup_r_file file = {
        .id = id, .path = FILE_A, .class = CUP_FILE_DATA, .flags = CUP_FILE_IS_ROOT, .size = 2000};
    BUILDER_ADD(b, CUP_R_FILE, file);
}

enum { N = CUP_BV_BASKETS, COMPRESSED, UNCOMPRESSED, KEYS, ENTRIES, ALGORITHMS, FIRST };
enum { FIRST_BYTES = FIRST + 1, LAST, LAST_BYTES, AGAIN, AGAIN_BYTES };

static void add_baskets(struct log_builder *b, const struct cup_r_baskets *baskets,
                        const uint64_t one[CUP_BV_COUNT], const uint64_t two[CUP_BV_COUNT])
{
    const uint32_t numbers[] = {1, 2};
    uint64_t values[2][CUP_BV_COUNT];
    memcpy(values[0], one, sizeof values[0]);
    memcpy(values[1], two ? two : one, sizeof values[1]);
    builder_baskets(b, baskets, numbers, (const uint64_t(*)[CUP_BV_COUNT])values, two ? 2 : 1);
}

#define ROW(...) ((const uint64_t[CUP_BV_COUNT]){__VA_ARGS__})
#define ZSTD CUP_ALGORITHM_ZSTD

/* Chunk 0 to 100: Muon_pt at 100 (50 bytes), 300 (60) and 500 (70), Muon_eta at 200. Chunk 100 to
 * 200: Muon_pt at 500 and 700 (80), Muon_eta at 200 again. */
static void write_first(void)
{
    struct log_builder b;
    const struct cup_r_baskets one = {.task = 1,
                                      .file = 1,
                                      .source = CUP_BASKETS_REQUESTED,
                                      .incidental = 2,
                                      .incidental_bytes = 25};
    const struct cup_r_baskets two = {.task = 2, .file = 1, .source = CUP_BASKETS_REQUESTED};
    const struct cup_r_root_file head = {
        .file = 1, .version = 62400, .compression = 505, .end = 2000};
    const struct cup_r_tree tree = {.file = 1,
                                    .tree = EVENTS,
                                    .branches = 4,
                                    .entries = 400,
                                    .compressed_bytes = 1000,
                                    .uncompressed_bytes = 3000,
                                    .auto_flush = 40};
    start_log(&b, 1);
    add_file(&b, 1);
    add_branch(&b, 1, PT);
    add_branch(&b, 2, ETA);
    BUILDER_ADD(&b, CUP_R_ROOT_FILE, head);
    BUILDER_ADD(&b, CUP_R_TREE, tree);
    add_chunk(&b, 1, "chunk-1", FILE_A, 0, 100, 2);
    add_baskets(&b, &one, ROW(3, 180, 400, 30, 120, ZSTD, 100, 50, 400, 70),
                ROW(1, 40, 100, 10, 120, ZSTD, 200));
    add_chunk(&b, 2, "chunk-2", FILE_A, 100, 200, 2);
    add_baskets(&b, &two, ROW(2, 150, 300, 20, 80, ZSTD, 500, 70, 200, 80),
                ROW(1, 40, 100, 10, 120, ZSTD, 200));
    save(&b, "1.cup");
}

/* The same file and branches under other numbers. Chunk 100 to 200 once more, whose result counts,
 * and which reads Muon_eta twice; a chunk of a remote file, of which no key is seen; chunk 200 to
 * 400, which reads only 100 entries. */
static void write_second(void)
{
    struct log_builder b;
    const struct cup_r_baskets again = {.task = 1, .file = 7, .source = CUP_BASKETS_REQUESTED};
    const struct cup_r_baskets remote = {.task = 2, .path = FILE_B, .source = CUP_BASKETS_UNSEEN};
    const struct cup_r_baskets fewer = {.task = 3, .file = 7, .source = CUP_BASKETS_BY_PLACE};
    start_log(&b, 2);
    add_file(&b, 7);
    add_branch(&b, 1, ETA);
    add_branch(&b, 2, PT);
    add_chunk(&b, 1, "chunk-2", FILE_A, 100, 200, 5);
    add_baskets(&b, &again, ROW(2, 80, 200, 20, 240, ZSTD, 200, 40, 0, 40, 1, 40),
                ROW(2, 150, 300, 20, 80, ZSTD, 500, 70, 200, 80));
    add_chunk(&b, 2, "chunk-3", FILE_B, 0, 50, 6);
    add_baskets(&b, &remote, ROW(0), ROW(2, 90, 0, 0, 0, 0, 1000, 45, 200, 45));
    add_chunk(&b, 3, "chunk-4", FILE_A, 200, 400, 7);
    add_baskets(&b, &fewer, ROW(0), ROW(1, 20, 50, 10, 100, CUP_ALGORITHM_LZMA, 900));
    save(&b, "2.cup");
}

static void load(const struct cup_load_options *options)
{
    struct cup_error error;
    cr_assert_eq(cup_profile_load(&profile, scratch, options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
}

static void load_both(void)
{
    const struct cup_load_options options = {.counters = true};
    write_first();
    write_second();
    load(&options);
}

static void expect(const char *name, double value)
{
    double found = cup_number(named_metric(&totals, "branches", name));
    cr_expect_float_eq(found, value, 1e-12, "%s is %.12g, not %.12g", name, found, value);
}

static void expect_null(const char *name)
{
    cr_expect_eq(named_metric(&totals, "branches", name).kind, CUP_VALUE_NULL, "%s", name);
}

Test(branches, totals_are_those_worked_out)
{
    load_both();
    expect("baskets", 14);
    expect("compressed_bytes", 750);
    expect("uncompressed_bytes", 1450);
    expect("compression_ratio", 1450.0 / 660);
    expect("compressed_payload_bytes", 540);
    expect("uncompressed_payload_bytes", 1330);
    expect("payload_compression_ratio", 1330.0 / 540);
    expect("branches_read", 2);
    expect("files_read", 2);
    expect("unseen_baskets", 2);
    expect("unseen_compressed_bytes", 90);
    expect("by_place_baskets", 1);
    expect("by_place_bytes", 20);
    expect("incidental_baskets", 2);
    expect("incidental_bytes", 25);
    expect("page_blocks", 0);
    expect("without_task_baskets", 0);
    expect("records_damaged", 0);
    cr_expect_eq(totals.branches->all.algorithms, ZSTD | CUP_ALGORITHM_LZMA);
}

/* Muon_pt: 70 bytes at the border, and all 150 of chunk-2 once more. Muon_eta: the one basket four
 * times, twice by the same task. */
Test(branches, rereads_are_those_worked_out)
{
    load_both();
    cr_assert(totals.branches->rereads_known);
    expect("reread_baskets", 6);
    expect("reread_bytes", 70 + 150 + 3 * 40);
    expect("reread_same_task_baskets", 1);
    expect("reread_same_task_bytes", 40);
    expect("reread_border_baskets", 3);
    expect("reread_border_bytes", 70 + 2 * 40);
    expect("reread_estimated_baskets", 0);
    expect("reread_wasted_baskets", 3);
    expect("reread_wasted_bytes", 150 + 40);
    expect("distinct_baskets", 8);
    expect("distinct_bytes", 410);
}

/* The remote file has none of known size. */
Test(branches, shares_are_of_the_trees_that_were_told)
{
    char room[CUP_LINE_ROOM];
    load_both();
    expect("sized_files", 1);
    cr_expect_str_eq(cup_branches_of_files(room, totals.branches), " in 1 of 2 files");
    expect("tree_branches", 4);
    expect("branches_share", 0.5);
    expect("tree_compressed_bytes", 1000);
    expect("bytes_share", (260 + 20 + 40) / 1000.0);
}

Test(branches, workflow_has_the_totals)
{
    load_both();
    cr_expect_eq(named_metric(&totals, "workflow", "bytes_read_compressed").count, 750);
    cr_expect_eq(named_metric(&totals, "workflow", "bytes_read_uncompressed").count, 1450);
    cr_expect_float_eq(named_metric(&totals, "workflow", "compression_ratio").real, 1450.0 / 660,
                       1e-12);
}

/* chunk-1 read 120 of 100 entries of Muon_pt; chunk-2 had 80 of Muon_pt, but 120 of Muon_eta, in
 * spite of reading it twice; chunk-4 100 of 200; of the remote one nothing is known. */
Test(branches, events_are_checked_against_entries)
{
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    bool told = false;
    load_both();
    expect("events_checked", 3);
    expect("events_unsupported", 1);
    for (size_t i = cup_warnings_make(&totals, warnings); i > 0; i--)
        told = told || strstr(warnings[i - 1].text, "1 of 3 chunks read fewer entries");
    cr_expect(told);
}

static const struct cup_branch_row *row_of(const char *name)
{
    for (size_t i = 0; i < totals.branches->count; i++) {
        struct cup_text text = cup_profile_text(&profile, totals.branches->rows[i].name);
        if (text.length == strlen(name) && memcmp(text.bytes, name, text.length) == 0)
            return &totals.branches->rows[i];
    }
    cr_assert_fail("%s", name);
    return NULL;
}

Test(branches, rows_over_files)
{
    load_both();
    const struct cup_branch_row *pt = row_of("Muon_pt"), *eta = row_of("Muon_eta");
    cr_assert_eq(totals.branches->count, 2);
    cr_expect_eq(&totals.branches->rows[0], pt, "more bytes come first");
    cr_expect_eq(pt->sums.baskets, 10);
    cr_expect_eq(pt->sums.compressed, 590);
    cr_expect_eq(pt->sums.uncompressed, 1050);
    cr_expect_eq(pt->tasks, 5);
    cr_expect_eq(pt->chunks, 5);
    cr_expect_eq(pt->files, 2);
    cr_expect_eq(pt->rereads.bytes, 220);
    cr_expect_eq(eta->sums.baskets, 4);
    cr_expect_eq(eta->tasks, 3);
    cr_expect_eq(eta->files, 1);
    cr_expect_eq(eta->rereads.bytes, 120);
}

/* Of two workers that saw no list of uproot's, one had read baskets. */
Test(branches, asking_is_off_where_baskets_were_read)
{
    struct cup_feature_off off[CUP_FEATURE_COUNT];
    uint64_t processes = 0;
    load_both();
    for (uint32_t i = 0; i < 2; i++)
        profile.processes[i].header.features &= ~(uint64_t)CUP_FEATURE_REQUESTED;
    profile.processes[1].header.health[CUP_H_BASKETS_SEEN] = 4;
    size_t count = cup_features_off(&profile, off);
    for (size_t i = 0; i < count; i++)
        if (strcmp(off[i].name, "asked") == 0)
            processes = off[i].processes;
    cr_expect_eq(processes, 1);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *report(void)
{
    char outside[SUPPORT_PATH];
    make_scratch(outside);
    json_t *json = report_json(scratch, outside);
    remove_scratch(outside);
    return json;
}

static json_t *row_at(json_t *report, const char *section, size_t index)
{
    return json_array_get(json_object_get(json_object_get(report, section), "rows"), index);
}

static double number(json_t *row, const char *name)
{
    json_t *value = json_object_get(row, name);
    cr_assert(value, "%s", name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text(json_t *row, const char *name)
{
    return json_string_value(json_object_get(row, name));
}

/* In the order of files, and in them of names. */
Test(branches, rows_of_the_json_are_by_file)
{
    write_first();
    write_second();
    json_t *json = report(), *branches = json_object_get(json, "branches");
    json_t *eta = row_at(json, "branches", 0), *pt = row_at(json, "branches", 1);
    json_t *remote = row_at(json, "branches", 2);
    cr_assert_eq(json_array_size(json_object_get(branches, "rows")), 3);
    cr_expect(json_is_true(json_object_get(branches, "rows_by_file")));
    cr_expect_str_eq(text(eta, "branch"), "Muon_eta");
    cr_expect_eq(number(eta, "reread_bytes"), 120);
    cr_expect_str_eq(text(pt, "file"), "/data/a.root");
    cr_expect_str_eq(text(pt, "tree"), "Events");
    cr_expect_str_eq(text(pt, "branch"), "Muon_pt");
    cr_expect_eq(number(pt, "baskets"), 8);
    cr_expect_eq(number(pt, "compressed_bytes"), 500);
    cr_expect_eq(number(pt, "uncompressed_bytes"), 1050);
    cr_expect_eq(number(pt, "reread_bytes"), 220);
    cr_expect_eq(number(pt, "reread_wasted_bytes"), 150);
    cr_expect_eq(number(pt, "chunks"), 4);
    cr_expect_str_eq(text(pt, "algorithms"), "lzma, zstd");
    cr_expect_str_eq(text(pt, "source"), "asked, by_place");
    cr_expect_str_eq(text(remote, "file"), "root://x//b");
    cr_expect_eq(number(remote, "compressed_bytes"), 90);
    cr_expect(isnan(number(remote, "uncompressed_bytes")), "nobody saw their keys");
    cr_expect_str_eq(text(remote, "source"), "unseen");
    json_decref(json);
}

Test(branches, rows_of_chunks_files_and_datasets)
{
    write_first();
    write_second();
    json_t *json = report();
    json_t *chunk = row_at(json, "chunks", 0), *remote = row_at(json, "chunks", 3);
    json_t *file = row_at(json, "files", 0), *dataset = row_at(json, "datasets", 0);
    cr_expect_eq(number(chunk, "bytes_read_compressed"), 220);
    cr_expect_eq(number(chunk, "bytes_read_uncompressed"), 500);
    cr_expect_float_eq(number(chunk, "compression_ratio"), 500.0 / 220, 1e-12);
    cr_expect_eq(number(chunk, "branches_read"), 2);
    cr_expect_eq(number(chunk, "incidental_bytes"), 25);
    cr_expect_str_eq(text(chunk, "entries_read"), "all");
    cr_expect_eq(number(remote, "bytes_read_compressed"), 90);
    cr_expect(isnan(number(remote, "bytes_read_uncompressed")));
    cr_expect_null(text(remote, "entries_read"));
    cr_expect_eq(number(file, "compressed_bytes"), 660);
    cr_expect_eq(number(file, "baskets"), 12);
    cr_expect_eq(number(file, "reread_bytes"), 340);
    cr_expect_eq(number(file, "branches_read"), 2);
    cr_expect_float_eq(number(file, "bytes_share"), 0.32, 1e-12);
    cr_expect_str_eq(text(file, "compression_algorithm"), "zstd");
    cr_expect_eq(number(file, "compression_level"), 5);
    cr_expect_eq(number(dataset, "bytes_read_compressed"), 220 + 230 + 90 + 20, "used ones");
    json_decref(json);
}

Test(branches, columns_of_tasks)
{
    load_both();
    const struct cup_task_row first = {.profile = &profile, .task = &profile.tasks[0]};
    const struct cup_task_row remote = {.profile = &profile, .task = &profile.tasks[3]};
    cr_expect_eq(cup_task_value(&first, "bytes_read_compressed").count, 220);
    cr_expect_eq(cup_task_value(&first, "bytes_read_uncompressed").count, 500);
    cr_expect_eq(cup_task_value(&first, "baskets_read").count, 4);
    cr_expect_eq(cup_task_value(&first, "branches_read").count, 2);
    cr_expect_eq(cup_task_value(&first, "incidental_bytes").count, 25);
    cr_expect_eq(cup_task_value(&remote, "bytes_read_compressed").count, 90);
    cr_expect_eq(cup_task_value(&remote, "bytes_read_uncompressed").kind, CUP_VALUE_NULL);
}

/* ---- what is not so plain ----------------------------------------------------------------- */

/* With a span, only its tasks; what has no task is then nobody's. */
Test(branches, of_one_span)
{
    const struct cup_load_options options = {.span = "other"};
    write_first();
    write_second();
    load(&options);
    expect("baskets", 1);
    expect("compressed_bytes", 20);
    expect("reread_bytes", 0);
}

static void add_alone(const struct cup_r_baskets *baskets, const uint64_t *values)
{
    struct log_builder b;
    start_log(&b, 1);
    add_file(&b, 1);
    add_branch(&b, 1, PT);
    add_chunk(&b, 1, "chunk-1", FILE_A, 0, 100, 2);
    add_baskets(&b, baskets, values, NULL);
    save(&b, "1.cup");
}

Test(branches, without_a_task_they_count_all_the_same)
{
    const struct cup_load_options options = {0};
    const struct cup_r_baskets baskets = {.file = 1, .source = CUP_BASKETS_BY_PLACE};
    add_alone(&baskets, ROW(2, 90, 200, 10, 100, ZSTD, 100, 45, 100, 45));
    load(&options);
    expect("baskets", 2);
    expect("without_task_baskets", 2);
    expect("without_task_bytes", 90);
    cr_expect_eq(row_of("Muon_pt")->tasks, 0);
}

/* A worker that read baskets, and whose interpreter does not show uproot's lists. */
Test(branches, places_alone_give_upper_bounds)
{
    const struct cup_load_options options = {0};
    const struct cup_r_baskets baskets = {.task = 1, .file = 1, .source = CUP_BASKETS_BY_PLACE};
    struct log_builder b;
    start_log(&b, 1);
    builder_header(&b)->features &= ~(uint64_t)CUP_FEATURE_REQUESTED;
    builder_header(&b)->health[CUP_H_BASKETS_SEEN] = 2;
    add_file(&b, 1);
    add_branch(&b, 1, PT);
    add_chunk(&b, 1, "chunk-1", FILE_A, 0, 100, 2);
    add_baskets(&b, &baskets, ROW(2, 90, 200, 10, 100, ZSTD, 100, 45, 100, 45), NULL);
    save(&b, "1.cup");
    load(&options);
    cr_expect(totals.branches->at_most);
}

Test(branches, pages_have_no_names)
{
    const struct cup_load_options options = {0};
    const struct cup_r_baskets pages = {.task = 1, .file = 1, .source = CUP_BASKETS_PAGES};
    const uint32_t none = 0;
    const uint64_t values[1][CUP_BV_COUNT] = {{5, 90, 300, 45, 0, ZSTD, 100, 10, 500, 10}};
    struct log_builder b;
    start_log(&b, 1);
    add_file(&b, 1);
    add_chunk(&b, 1, "chunk-1", FILE_A, 0, 100, 2);
    builder_baskets(&b, &pages, &none, values, 1);
    save(&b, "1.cup");
    load(&options);
    expect("page_blocks", 5);
    expect("page_bytes", 90);
    expect("compression_ratio", 300.0 / 90);
    expect("branches_read", 0);
    expect("events_checked", 0);
    expect_null("events_unsupported");
    cr_expect_eq(totals.branches->count, 1);
    cr_expect_eq(totals.branches->rows[0].name, 0);
    cr_expect_not(totals.branches->rows[0].rereads_known);
}

Test(branches, where_nothing_was_read_nothing_is_known)
{
    const struct cup_load_options options = {0};
    struct log_builder b;
    start_log(&b, 1);
    add_chunk(&b, 1, "chunk-1", FILE_A, 0, 100, 2);
    save(&b, "1.cup");
    load(&options);
    expect_null("baskets");
    expect_null("compressed_bytes");
    expect_null("compression_ratio");
    expect_null("reread_bytes");
    expect("incidental_baskets", 0);
}

Test(branches, an_older_library_measured_nothing)
{
    load_golden(&profile);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    expect_null("baskets");
    expect_null("incidental_baskets");
    expect_null("events_checked");
}

/* A record that is cut: its first row counts, and the damage is counted. */
Test(branches, damage_is_counted)
{
    const struct cup_load_options options = {0};
    const struct cup_r_baskets told = {
        .task = 1, .file = 1, .source = CUP_BASKETS_REQUESTED, .rows = 2};
    const unsigned char tail[] = {2, 3, 5, 90, 2, 3, 5, 0x80};
    struct log_builder b;
    start_log(&b, 1);
    add_file(&b, 1);
    add_branch(&b, 1, PT);
    add_chunk(&b, 1, "chunk-1", FILE_A, 0, 100, 2);
    builder_record(&b, CUP_R_BASKETS, &told, sizeof told, tail, sizeof tail);
    save(&b, "1.cup");
    load(&options);
    expect("baskets", 5);
    expect("compressed_bytes", 90);
    expect("records_damaged", 1);
}

/* Records that name what no record introduced. */
Test(branches, orphans_have_no_names)
{
    const struct cup_load_options options = {0};
    const struct cup_r_baskets baskets = {.task = 9, .file = 5, .source = CUP_BASKETS_REQUESTED};
    struct log_builder b;
    start_log(&b, 1);
    add_baskets(&b, &baskets, ROW(1, 90), NULL);
    save(&b, "1.cup");
    load(&options);
    expect("baskets", 1);
    expect("branches_read", 0);
    cr_expect_eq(profile.orphan_records, 3, "task, file, branch");
}

/* BRANCH records of 1, 2 and 4 are lost. */
Test(branches, numbers_need_not_follow_each_other)
{
    const struct cup_load_options options = {0};
    const struct cup_r_baskets baskets = {.file = 1, .source = CUP_BASKETS_REQUESTED};
    const uint32_t numbers[] = {3, 4, 7};
    const uint64_t values[3][CUP_BV_COUNT] = {{1, 10}, {1, 20}, {1, 40}};
    struct log_builder b;
    start_log(&b, 1);
    add_file(&b, 1);
    add_branch(&b, 3, PT);
    add_branch(&b, 7, ETA);
    builder_baskets(&b, &baskets, numbers, values, 3);
    save(&b, "1.cup");
    load(&options);
    cr_assert(totals.branches->rereads_known);
    cr_expect_eq(totals.branches->file_rows, 3);
    cr_expect_eq(row_of("Muon_pt")->files, 1);
    cr_expect_eq(row_of("Muon_pt")->sums.compressed, 10);
    cr_expect_eq(row_of("Muon_eta")->files, 1);
    cr_expect_eq(row_of("Muon_eta")->sums.compressed, 40);
}

/* Then what was read twice is looked for on request. */
Test(branches, too_many_rows_are_not_kept)
{
    struct cup_builder builder;
    const struct cup_basket_place place = {.at = 100};
    cup_builder_start(&builder, &profile);
    uint32_t file = cup_builder_root_file(&builder, 0);
    cup_builder_basket_place(&builder, file - 1, &place);
    cr_expect_eq(profile.basket_place_count, 1);
    profile.basket_rows = CUP_BASKET_ROWS_MOST + 1;
    cup_builder_basket_place(&builder, file - 1, &place);
    cr_expect(profile.basket_places_dropped);
    cr_expect_eq(profile.basket_place_count, 0);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    cr_expect_not(totals.branches->rereads_known);
    cup_builder_finish(&builder);
}

/* What tasks read that began when their log was full is not known, so shares would be too low. */
Test(branches, with_full_logs_shares_of_the_trees_are_not_known)
{
    static const char *const unknown[] = {"reread_bytes", "distinct_bytes", "bytes_share",
                                          "branches_share", "read_amplification"};
    const struct cup_load_options options = {.counters = true};
    struct cup_error error;
    write_first();
    write_second();
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0);
    profile.full_log_tasks = profile.tasks_summed = 1;
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    expect("compressed_bytes", 750);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        expect_null(unknown[i]);
    cr_expect_not(totals.branches->rereads_known);
}

/* A log that went after it was loaded. */
Test(branches, records_that_are_gone_are_counted)
{
    const struct cup_load_options options = {0};
    struct cup_error error;
    char path[2 * SUPPORT_PATH];
    write_first();
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0);
    snprintf(path, sizeof path, "%s/1.cup", scratch);
    remove(path);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    expect("compressed_bytes", 410);
    expect_null("reread_bytes");
    expect("records_damaged", 2);
}
