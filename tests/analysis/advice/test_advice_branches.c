/* Advice on branches and baskets, on both sides of each threshold. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/metrics/reads/clusters.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

enum { PREFIX = 1, TREE, FILE_A, FILE_B, DATASET_A, DATASET_B, SHORT_A, SHORT_B, NAMES, MOST = 8 };

/* Chunks of one file follow each other; each reads all branches. */
struct job {
    unsigned chunks;
    uint64_t events;        /* of a chunk */
    double cpu_s, io_s;     /* of a task of 10 s */
    double open_s;          /* before process(); 0: its clock calls are not known */
    bool short_names;       /* items name the ends of paths */
    bool opens_another;     /* each chunk reads the first branch of the second file, too */
    bool from_a_copy;       /* only the first chunk reads the file that its item names */
    bool some_by_half;      /* the last branch is read by every second chunk */
    bool two_datasets;      /* a file each, chunks in turn */
    unsigned baskets;       /* of each branch, that a chunk reads */
    unsigned shared;        /* of those, that the chunk before had read */
    uint64_t again;         /* of those, that it reads twice */
    uint64_t entries;       /* of a basket */
    int64_t auto_flush;     /* 0: there is no TREE record */
    bool tree_of_one_file;  /* the second file has none */
    uint32_t tree_branches; /* that it tells */
    uint64_t tree_bytes;
    uint64_t passed_bytes; /* incidental, of a chunk */
    uint32_t source;
    unsigned branches;
    struct {
        uint64_t bytes; /* compressed, of a basket */
        double ratio;
        uint32_t algorithm;
    } branch[MOST];
};

static struct job job;
static char scratch[SUPPORT_PATH];
static struct log_builder builder;
static struct cup_profile profile;
static struct cup_totals totals;
static struct cup_advice advice[CUP_ADVICE_MOST];
static size_t count;

/* Of which nothing is to be said. */
static void set_up(void)
{
    make_scratch(scratch);
    job = (struct job){.chunks = 20,
                       .events = 40000,
                       .cpu_s = 9,
                       .baskets = 4,
                       .entries = 10000,
                       .auto_flush = 10000,
                       .tree_branches = 10,
                       .tree_bytes = 60000000,
                       .source = CUP_BASKETS_REQUESTED,
                       .branches = 4};
    for (unsigned i = 0; i < MOST; i++) {
        job.branch[i].bytes = 100000;
        job.branch[i].ratio = 2;
        job.branch[i].algorithm = CUP_ALGORITHM_ZSTD;
    }
    builder_start(&builder);
}

static void tear_down(void)
{
    builder_free(&builder);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    remove_scratch(scratch);
}

TestSuite(advice_branches, .init = set_up, .fini = tear_down);

static void add_names(void)
{
    builder_header(&builder)->log_start_ns = at_second(0);
    builder_header(&builder)->log_stop_ns = at_second(1000);
    builder_header(&builder)->features |=
        CUP_FEATURE_WAITS | CUP_FEATURE_GIL | CUP_FEATURE_RUN_DELAY | CUP_FEATURE_BASKETS |
        (job.source == CUP_BASKETS_BY_PLACE ? 0 : CUP_FEATURE_REQUESTED);
    builder_string(&builder, PREFIX, "Dimuon");
    builder_string(&builder, TREE, "Events");
    builder_string(&builder, FILE_A, "/data/a.root");
    builder_string(&builder, FILE_B, "/data/b.root");
    builder_string(&builder, SHORT_A, "data/a.root");
    builder_string(&builder, SHORT_B, "data/b.root");
    builder_string(&builder, DATASET_A, "DrellYan");
    builder_string(&builder, DATASET_B, "TTbar");
    for (unsigned i = 1; i <= job.branches; i++) {
        const struct cup_r_branch branch = {.branch = i, .tree = TREE, .name = NAMES + i};
        char name[20];
        snprintf(name, sizeof name, "branch_%u", i);
        builder_string(&builder, branch.name, name);
        BUILDER_ADD(&builder, CUP_R_BRANCH, branch);
    }
    struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .threads = 1};
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
}

static void add_files(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct cup_r_file file = {.id = i + 1, .path = FILE_A + i, .class = CUP_FILE_DATA};
        struct cup_r_tree tree = {.file = i + 1,
                                  .tree = TREE,
                                  .branches = job.tree_branches,
                                  .entries = job.chunks * job.events,
                                  .compressed_bytes = job.tree_bytes,
                                  .uncompressed_bytes = 2 * job.tree_bytes,
                                  .auto_flush = job.auto_flush};
        BUILDER_ADD(&builder, CUP_R_FILE, file);
        if (job.auto_flush && !(i && job.tree_of_one_file))
            BUILDER_ADD(&builder, CUP_R_TREE, tree);
    }
}

/* Baskets of one branch stand next to each other, a megabyte apart. */
static void fill(uint64_t *values, unsigned branch, unsigned chunk)
{
    uint64_t first = (uint64_t)chunk * (job.baskets - job.shared);
    uint64_t baskets = job.baskets + job.again, bytes = job.branch[branch].bytes;
    values[CUP_BV_BASKETS] = baskets;
    values[CUP_BV_COMPRESSED] = baskets * bytes;
    if (job.source == CUP_BASKETS_REQUESTED) {
        values[CUP_BV_UNCOMPRESSED] =
            (uint64_t)((double)(baskets * bytes) * job.branch[branch].ratio);
        values[CUP_BV_ENTRIES] = baskets * job.entries;
        values[CUP_BV_ALGORITHMS] = job.branch[branch].algorithm;
    }
    values[CUP_BV_FIRST] = 1000 + ((uint64_t)branch * 1000 + first) * 1000000;
    values[CUP_BV_FIRST_BYTES] = bytes;
    values[CUP_BV_LAST] = (uint64_t)(job.baskets - 1) * 1000000;
    values[CUP_BV_LAST_BYTES] = bytes;
    values[CUP_BV_AGAIN] = job.again;
    values[CUP_BV_AGAIN_BYTES] = job.again * bytes;
}

static void add_baskets(uint32_t task, unsigned file, unsigned chunk)
{
    uint32_t branches[MOST];
    uint64_t values[MOST][CUP_BV_COUNT] = {0};
    const struct cup_r_baskets baskets = {.task = task,
                                          .file = file + 1,
                                          .source = job.source,
                                          .incidental = job.passed_bytes > 0,
                                          .incidental_bytes = job.passed_bytes};
    for (unsigned i = 0; i < job.branches; i++) {
        branches[i] = i + 1;
        fill(values[i], i, chunk);
    }
    builder_baskets(&builder, &baskets, branches, (const uint64_t(*)[CUP_BV_COUNT])values,
                    job.branches - (job.some_by_half && task % 2));
}

/* All chunks read the same four baskets of the first branch of a file that no item names. */
static void add_same_baskets(uint32_t task)
{
    const uint32_t branch = 1;
    uint64_t values[1][CUP_BV_COUNT] = {{0}};
    const struct cup_r_baskets baskets = {.task = task, .file = 2, .source = job.source};
    fill(values[0], 0, 0);
    builder_baskets(&builder, &baskets, &branch, (const uint64_t(*)[CUP_BV_COUNT])values, 1);
}

static void add_chunk(unsigned number)
{
    uint32_t task = number + 1;
    unsigned file = job.two_datasets ? number % 2 : 0;
    unsigned chunk = job.two_datasets ? number / 2 : number;
    char key[20];
    const struct cup_r_task_begin begin = {.task = task,
                                           .tid = 1,
                                           .prefix = PREFIX,
                                           .server = 1,
                                           .origin = CUP_ORIGIN_DASK,
                                           .start_ns = at_second(number * 10)};
    const struct cup_r_item item = {.task = task,
                                    .kind = CUP_ITEM_WORK,
                                    .dataset = DATASET_A + file,
                                    .file = (job.short_names ? SHORT_A : FILE_A) + file,
                                    .tree = TREE,
                                    .entry_start = (int64_t)(chunk * job.events),
                                    .entry_stop = (int64_t)((chunk + 1) * job.events)};
    const struct cup_r_counters block = {
        .task = task, .tid = 1, .block = 1, .sequence = task, .own = CUP_BLOCK_RUNS};
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_IO_WAIT_NS] = (uint64_t)(job.io_s * 1e9)};
    const struct cup_r_task_end end = {.task = task,
                                       .status = CUP_STATUS_FINISHED,
                                       .stop_ns = at_second(number * 10 + 10),
                                       .cpu_ns = (uint64_t)(job.cpu_s * 1e9)};
    const struct cup_r_chunk chunk_times = {.task = task,
                                            .tic_ns = at_second(number * 10 + job.open_s),
                                            .toc_ns = at_second(number * 10 + 10),
                                            .cpu_ns = 1000};
    snprintf(key, sizeof key, "key-%u", number);
    builder_begin(&builder, &begin, key);
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    if (job.baskets && !(job.from_a_copy && number > 0))
        add_baskets(task, file, chunk);
    if (job.opens_another)
        add_same_baskets(task);
    builder_counters(&builder, &block, counters);
    if (job.open_s > 0)
        BUILDER_ADD(&builder, CUP_R_CHUNK, chunk_times);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static void make(void)
{
    const struct cup_load_options options = {.counters = false};
    struct cup_error error;
    add_names();
    add_files();
    for (unsigned i = 0; i < job.chunks; i++)
        add_chunk(i);
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    count = cup_advice_make(&totals, advice);
}

/* The run of the test once more, of another job. */
static void start_over(void)
{
    tear_down();
    struct job kept = job;
    set_up();
    job = kept;
}

static const char *text_of(const char *rule)
{
    return advice_text(advice, count, rule);
}

static void expect(const char *rule, const char *const *parts)
{
    expect_advice(advice, count, rule, parts);
    const char *text = text_of(rule);
    cr_expect(!text || strstr(text, "threshold"), "%s", text);
}

#define EXPECT(rule, ...) expect(rule, (const char *const[]){__VA_ARGS__, NULL})

Test(advice_branches, nothing_is_said_of_what_is_well)
{
    make();
    cr_expect_eq(totals.branches->all.baskets, 20 * 4 * 4);
    cr_expect_eq(totals.branches->total.rereads.bytes, 0);
    for (size_t i = 0; i < count; i++)
        cr_expect_str_eq(advice[i].rule->name, "cpu_bound");
}

Test(advice_branches, without_baskets_nothing_is_said)
{
    job.baskets = 0;
    make();
    for (size_t i = 0; i < count; i++)
        cr_expect_str_eq(advice[i].rule->name, "cpu_bound");
}

/* A worker whose interpreter does not show what uproot requests: every basket that came with a
 * request counts, some of them again and again. */
Test(advice_branches, baskets_found_by_their_place_are_not_judged)
{
    char why[CUP_NOT_JUDGED];
    job.source = CUP_BASKETS_BY_PLACE;
    job.again = 3;
    job.shared = 1;
    job.passed_bytes = 10000000;
    make();
    cr_expect_null(text_of("read_twice"));
    cr_expect_null(text_of("shared_baskets"));
    cr_expect_null(text_of("incidental_baskets"));
    unsigned silent = 0;
    for (size_t i = 0; i < cup_rule_count; i++) {
        if (!cup_rule_not_judged(&cup_rules[i], &totals, why) || !strstr(why, "asked"))
            continue;
        silent++;
        cr_expect_str_eq(why, "needs asked");
    }
    cr_expect_eq(silent, 10);
}

Test(advice_branches, baskets_that_were_requested_are_judged)
{
    char why[CUP_NOT_JUDGED];
    make();
    for (size_t i = 0; i < cup_rule_count; i++)
        cr_expect(!(cup_rules[i].needs & CUP_FEATURE_REQUESTED) ||
                  !cup_rule_not_judged(&cup_rules[i], &totals, why));
}

/* ---- clusters --------------------------------------------------------------------------- */

/* 19 borders of 80 baskets. */
Test(advice_branches, baskets_that_chunks_share)
{
    job.shared = 1;
    job.events = 33000;
    make();
    EXPECT("shared_baskets", "7.60 MB of 32.0 MB", "24 % (threshold 10 %)",
           "Chunks have 33,000 events, clusters 10,000 (fAutoFlush of the trees)",
           "Use chunks of 30,000, or Coffea's Runner(align_clusters=True)");
    cr_expect_null(strstr(text_of("shared_baskets"), "in part estimated"));
    cr_expect_null(strstr(text_of("shared_baskets"), "% of that in"));
    cr_expect_null(text_of("over_read"));
    cr_expect_null(text_of("chunks_cut_clusters"));
}

/* Two datasets have the file, for instance. */
Test(advice_branches, whole_clusters_that_chunks_share)
{
    job.shared = 1;
    make();
    EXPECT("shared_baskets", "Chunks end where clusters end", "processed more than once");
    cr_expect_null(strstr(text_of("shared_baskets"), "Use chunks of"));
}

/* 24 % of the bytes: a fifth of that share of the threads' 200 s. */
Test(advice_branches, the_time_of_bytes_is_a_rough_estimate)
{
    char outside[SUPPORT_PATH];
    job.shared = 1;
    job.events = 33000;
    make();
    make_scratch(outside);
    const char *const words[] = {"report", scratch, "--advice", NULL};
    cr_assert_eq(run_verb(outside, cup_verb_report, words), 0);
    char *text = read_text_in(outside, "out");
    cr_expect_not_null(strstr(text, "by a rough estimate"), "%s", text);
    cr_expect_not_null(strstr(text, "9.50 s"), "%s", text);
    free(text);
    remove_scratch(outside);
}

Test(advice_branches, the_dataset_that_shares_most_is_named)
{
    job.shared = 1;
    job.two_datasets = true;
    make();
    EXPECT("shared_baskets", "50 % of that in DrellYan");
}

/* 19 times 400 kB; the second file is in no work item. */
Test(advice_branches, a_file_that_every_chunk_reads_is_named_with_branch_and_line)
{
    struct cup_call_tree calls;
    job.opens_another = true;
    make();
    EXPECT(
        "shared_baskets", "by branch, most is Events/branch_1 with 7.60 MB;",
        "by file, most is /data/b.root with 7.60 MB, which 20 tasks read. No chunk is of that file",
        "Read b.root once in each worker");
    cr_expect_null(strstr(text_of("shared_baskets"), "Runner"));
    start_calls(&calls, &profile);
    uint32_t other = add_user_line(&calls, 0, "/home/me/processor.py", 4);
    uint32_t line = add_user_line(&calls, 0, "/home/me/processor.py", 8);
    cr_assert_eq(cup_call_add_branch(&calls, other, 0, 4, 300000), 0);
    cr_assert_eq(cup_call_add_branch(&calls, line, 0, 80, 8000000), 0);
    totals.calls = &calls;
    count = cup_advice_make(&totals, advice);
    EXPECT("shared_baskets", "Events/branch_1 with 7.60 MB (me/processor.py:8);");
    cup_call_tree_free(&calls);
    totals.calls = NULL;
}

/* As if every chunk but the first had read its file from a cache, under another name. */
Test(advice_branches, a_copy_of_the_chunks_own_file_is_not_called_another_file)
{
    job.opens_another = true;
    job.from_a_copy = true;
    make();
    EXPECT("shared_baskets", "is /data/b.root", "look for files that are processed more than once");
    cr_expect_null(strstr(text_of("shared_baskets"), "No chunk is of that file"));
}

/* As if two calls of the Runner had processed the file. */
Test(advice_branches, a_file_of_chunks_that_is_read_again)
{
    job.opens_another = true;
    job.two_datasets = true;
    make();
    EXPECT("shared_baskets", "is /data/b.root", "Chunks end where clusters end",
           "look for files that are processed more than once");
}

Test(advice_branches, a_file_of_chunks_that_is_read_again_apart_from_their_edges)
{
    job.opens_another = true;
    job.two_datasets = true;
    job.events = 33000;
    make();
    EXPECT("shared_baskets", "Most of that is not at the edges of chunks");
}

Test(advice_branches, items_may_name_files_by_the_ends_of_their_paths)
{
    job.shared = 1;
    job.two_datasets = true;
    job.short_names = true;
    make();
    EXPECT("shared_baskets", "50 % of that in DrellYan");
}

Test(advice_branches, few_shared_baskets_are_no_matter)
{
    job.baskets = 11;
    job.shared = 1; /* 19 of 220 */
    job.events = 105000;
    make();
    cr_expect_gt(totals.branches->total.rereads.border, 0);
    cr_expect_null(text_of("shared_baskets"));
    job.baskets = 9; /* 19 of 180 */
    job.events = 85000;
    start_over();
    make();
    EXPECT("shared_baskets", "11 %");
}

Test(advice_branches, chunks_smaller_than_a_cluster)
{
    job.baskets = 1;
    job.shared = 0;
    job.events = 2500;
    job.auto_flush = 0;
    make();
    EXPECT("over_read", "4.0 entries for each event", "threshold 1.5",
           "Chunks have 2,500 events, clusters 10,000 (estimated from the baskets)",
           "Use chunks of 10,000");
}

Test(advice_branches, baskets_hold_a_little_more_than_chunks_need)
{
    job.events = 28000;
    make();
    cr_expect_null(text_of("over_read"));
    job.events = 26000;
    start_over();
    make();
    EXPECT("over_read", "1.5 entries");
}

Test(advice_branches, branches_that_some_chunks_read_say_nothing_of_all)
{
    job.events = 28000;
    job.some_by_half = true;
    job.branch[3].bytes = 9000000;
    make();
    cr_assert_eq(totals.branches->rows[0].chunks, 10);
    totals.branches->rows[0].sums.entries *= 3;
    count = cup_advice_make(&totals, advice);
    cr_expect_null(text_of("over_read"));
}

/* Chunks open for 4 of 10 s. */
Test(advice_branches, chunks_that_open_files_for_long_are_told_of_clusters)
{
    job.open_s = 4;
    job.events = 2500;
    job.baskets = 1;
    make();
    EXPECT("opening", "40 % of their time", "Use larger chunks",
           "the present ones have 2,500 events, clusters 10,000.");
    job.events = 40000;
    job.baskets = 4;
    start_over();
    make();
    EXPECT("opening", "which open files less often.");
}

/* Where rereads are not known, the borders alone tell. */
Test(advice_branches, clusters_that_are_cut)
{
    job.events = 35000;
    make();
    struct cup_branches branches = *totals.branches;
    branches.rereads_known = false;
    totals.branches = &branches;
    count = cup_advice_make(&totals, advice);
    EXPECT("chunks_cut_clusters", "3.5 clusters long", "Use chunks of 40,000");
    totals.chunks_without_events = 0;
    totals.events = 20 * 40000;
    count = cup_advice_make(&totals, advice);
    cr_expect_null(text_of("chunks_cut_clusters"));
}

Test(advice_branches, trees_that_differ_tell_no_cluster)
{
    job.two_datasets = true;
    make();
    cr_expect_float_eq(cup_cluster_find(&totals).events, 10000, 1e-9);
    cr_expect(cup_cluster_find(&totals).from_trees);
    profile.ttrees[0].auto_flush = 7000;
    cr_expect_not(cup_cluster_find(&totals).from_trees);
    cr_expect_float_eq(cup_cluster_find(&totals).events, 10000, 1e-9);
    profile.ttrees[0].auto_flush = profile.ttrees[1].auto_flush = -30000000;
    cr_expect_not(cup_cluster_find(&totals).from_trees);
}

Test(advice_branches, baskets_read_twice_by_a_task)
{
    job.again = 1;
    make();
    EXPECT("read_twice", "80 of 400", "20 %", "threshold 5 %", "array_cache");
    cr_expect_null(text_of("shared_baskets"));
}

Test(advice_branches, baskets_read_twice_now_and_then)
{
    job.baskets = 20;
    job.again = 1; /* of 21 */
    job.events = 200000;
    make();
    cr_expect_null(text_of("read_twice"));
}

/* ---- bytes ------------------------------------------------------------------------------ */

Test(advice_branches, a_branch_that_dominates)
{
    job.branch[2].bytes = 310000;
    make();
    EXPECT("heavy_branch", "One branch of 4", "51 %", "threshold 50 %", "Events/branch_3",
           "compressed 2.00 times");
}

Test(advice_branches, a_branch_that_does_not)
{
    job.branch[2].bytes = 290000;
    make();
    cr_expect_null(text_of("heavy_branch"));
    job.branches = 2;
    job.branch[1].bytes = 900000;
    start_over();
    make(); /* of two, one is larger */
    cr_expect_null(text_of("heavy_branch"));
}

static void use_algorithm(uint32_t algorithm)
{
    for (unsigned i = 0; i < MOST; i++)
        job.branch[i].algorithm = algorithm;
}

/* 32 MB: 1.6 s of 20 x cpu_s. */
Test(advice_branches, lzma_that_rules_the_cpu)
{
    use_algorithm(CUP_ALGORITHM_LZMA);
    job.branch[1].algorithm = CUP_ALGORITHM_LZMA | CUP_ALGORITHM_NONE;
    job.cpu_s = 0.3;
    make();
    EXPECT("lzma", "32.0 MB of baskets", "about 1.60 s", "27 % of the tasks' CPU time of 6.00 s",
           "threshold 25 %", "ZSTD 5", "20 MB of compressed bytes per CPU second");
}

Test(advice_branches, lzma_that_does_not)
{
    use_algorithm(CUP_ALGORITHM_LZMA);
    job.cpu_s = 0.34;
    make();
    cr_expect_null(text_of("lzma"));
}

Test(advice_branches, other_algorithms_are_fast)
{
    job.cpu_s = 0.1;
    make();
    cr_expect_null(text_of("lzma"));
    job.branch[1].algorithm = CUP_ALGORITHM_LZMA;
    start_over();
    make(); /* how much of the file is LZMA is not known */
    cr_expect_null(text_of("lzma"));
}

Test(advice_branches, baskets_that_pass_by)
{
    job.passed_bytes = 540000; /* beside 1.6 MB */
    make();
    EXPECT("incidental_baskets", "10.8 MB, against 32.0 MB", "25 % of both", "threshold 25 %");
    job.passed_bytes = 520000;
    start_over();
    make();
    cr_expect_null(text_of("incidental_baskets"));
}

/* ---- storage ---------------------------------------------------------------------------- */

Test(advice_branches, branches_that_hardly_compress)
{
    job.branch[0].ratio = job.branch[3].ratio = 1.05;
    make();
    EXPECT("poor_compression", "2 branches with 16.0 MB, 50 %", "threshold 30 %",
           "their ratio is below 1.1", "Events/branch_1, has 1.05");
}

Test(advice_branches, one_that_hardly_compresses_is_no_matter)
{
    job.branch[0].ratio = 1.05;
    make();
    cr_expect_null(text_of("poor_compression"));
    job.branch[3].ratio = 1.12;
    start_over();
    make();
    cr_expect_null(text_of("poor_compression"));
}

Test(advice_branches, what_is_stored_as_it_is_was_meant_so)
{
    for (unsigned i = 0; i < MOST; i++)
        job.branch[i].ratio = 1;
    use_algorithm(CUP_ALGORITHM_NONE);
    make();
    cr_expect_null(text_of("poor_compression"));
}

static void use_bytes(uint64_t bytes)
{
    for (unsigned i = 0; i < MOST; i++)
        job.branch[i].bytes = bytes;
}

Test(advice_branches, baskets_that_are_tiny)
{
    use_bytes(4000);
    job.baskets = 13; /* 20 x 4 x 13 */
    job.events = 130000;
    make();
    EXPECT("tiny_baskets", "4.00 kB", "threshold 4.1 kB", "1,040 of them");
}

Test(advice_branches, baskets_that_are_not)
{
    use_bytes(4100);
    job.baskets = 13;
    job.events = 130000;
    make();
    cr_expect_null(text_of("tiny_baskets"));
    use_bytes(4000);
    job.baskets = 12;
    start_over();
    make(); /* too few to matter */
    cr_expect_null(text_of("tiny_baskets"));
}

Test(advice_branches, few_branches_of_many_over_a_slow_line)
{
    job.cpu_s = 7;
    job.io_s = 3;
    job.tree_branches = 1000;
    job.tree_bytes = UINT64_C(1000000000);
    make();
    EXPECT("few_branches", "4 of 1000 in a file", "threshold 10 %", "3.2 %", "30 %",
           "threshold 20 %");
    job.io_s = 1.9;
    start_over();
    make();
    cr_expect_null(text_of("few_branches"));
    job.io_s = 3;
    job.tree_branches = 39;
    start_over();
    make();
    cr_expect_null(text_of("few_branches"));
}

/* The second file has no TREE record: its branches are not counted. */
Test(advice_branches, few_branches_of_the_trees_that_are_known)
{
    job.cpu_s = 7;
    job.io_s = 3;
    job.tree_branches = 1000;
    job.tree_bytes = UINT64_C(1000000000);
    job.two_datasets = job.tree_of_one_file = true;
    make();
    EXPECT("few_branches", "4 of 1000 in a file", "of the trees in 1 of 2 files");
}

/* Remote over TLS: only baskets and compressed bytes are known. */
Test(advice_branches, bytes_that_nobody_saw)
{
    job.source = CUP_BASKETS_UNSEEN;
    job.auto_flush = 0;
    job.branch[2].bytes = 500000;
    make();
    EXPECT("heavy_branch", "One branch of 4", "62 %");
    cr_expect_null(strstr(text_of("heavy_branch"), "compressed 0"));
    cr_expect_null(text_of("poor_compression"));
    cr_expect_null(text_of("over_read"));
    cr_expect_null(text_of("lzma"));
}
