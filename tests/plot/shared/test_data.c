/* The data of plots of the golden run (tests/analysis/support.c), against figures worked out by
 * hand: three used chunks of 4, 8 and 2 s with 1000, 3000 and 1000 events, in two files. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "plot/io/io_plots.h"
#include "plot/plots.h"
#include "plot/shared/curves.h"
#include "plot/tasks/task_plots.h"
#include "plot/time/time_plots.h"
#include "tests/plot/loaded.h"

enum { TREE = 500, PT, ETA, RUNS };
enum { FILE_A_ID = 1, FILE_B_ID };

static struct log_builder builder;
static struct loaded run;

static void put_branch(struct log_builder *builder, uint32_t branch, uint32_t name,
                       const char *text)
{
    struct cup_r_branch record = {.branch = branch, .tree = TREE, .name = name};
    builder_string(builder, name, text);
    BUILDER_ADD(builder, CUP_R_BRANCH, record);
}

static void put_tree(struct log_builder *builder, uint32_t file)
{
    struct cup_r_tree tree = {.file = file,
                              .tree = TREE,
                              .branches = 8,
                              .entries = 3000,
                              .compressed_bytes = 4000,
                              .uncompressed_bytes = 9000};
    BUILDER_ADD(builder, CUP_R_TREE, tree);
}

/* Adds 2 baskets of branch 1, each of 100 compressed and 300 uncompressed bytes, and, if wanted, 1
 * of branch 2, of 50 and 50. */
static void put_baskets(struct log_builder *builder, uint32_t task, uint32_t file, uint32_t rows)
{
    const uint32_t branches[] = {1, 2};
    const uint64_t values[2][CUP_BV_COUNT] = {
        {[CUP_BV_BASKETS] = 2,
         [CUP_BV_COMPRESSED] = 200,
         [CUP_BV_UNCOMPRESSED] = 600,
         [CUP_BV_ENTRIES] = 3000,
         [CUP_BV_ALGORITHMS] = CUP_ALGORITHM_ZSTD,
         [CUP_BV_FIRST] = 1000 + task * 1000,
         [CUP_BV_FIRST_BYTES] = 100,
         [CUP_BV_LAST] = 100,
         [CUP_BV_LAST_BYTES] = 100},
        {[CUP_BV_BASKETS] = 1,
         [CUP_BV_COMPRESSED] = 50,
         [CUP_BV_UNCOMPRESSED] = 50,
         [CUP_BV_ENTRIES] = 3000,
         [CUP_BV_ALGORITHMS] = CUP_ALGORITHM_NONE,
         [CUP_BV_FIRST] = 1500 + task * 1000},
    };
    struct cup_r_baskets record = {
        .task = task, .file = file, .source = CUP_BASKETS_REQUESTED, .rows = rows};
    builder_baskets(builder, &record, branches, values, rows);
}

static void build(bool with_baskets)
{
    build_golden_log(&builder);
    if (with_baskets) {
        builder_string(&builder, TREE, "Events");
        put_branch(&builder, 1, PT, "Muon_pt");
        put_branch(&builder, 2, ETA, "Muon_eta");
        put_tree(&builder, FILE_A_ID);
        put_baskets(&builder, 1, FILE_A_ID, 2);
        put_baskets(&builder, 2, FILE_B_ID, 1);
        put_baskets(&builder, 4, FILE_A_ID, 1);
    }
}

static void load(bool with_baskets)
{
    build(with_baskets);
    load_run(&run, &builder, false);
}

static void tear_down(void)
{
    unload_run(&run);
    builder_free(&builder);
}

TestSuite(data, .fini = tear_down);

Test(data, the_fit_is_that_of_the_report)
{
    load(false);
    struct cup_chunk_fits fits = *run.totals.fits;
    run.totals.fits = &fits;
    fits.all.time = (struct cup_line_fit){
        .robust = {.mean_x = 2000, .at_mean = 5.5, .slope = 0.0025, .slope_error = 1e-4}};
    const struct cup_runtime_events *plot = make_plot(&run, "runtime-events");
    cr_expect_eq(plot->chunks.count, 3);
    cr_expect_eq(plot->chunks.group_count, 2);
    cr_assert(plot->fitted);
    cr_expect_float_eq(plot->slope_s, 0.0025, 1e-9);
    cr_expect_float_eq(plot->offset_s, 0.5, 1e-9);
    cr_expect_float_eq(plot->offset_error_s, 0.2, 1e-9);
    cr_expect_float_eq(plot->most_s, 8, 1e-9);
    cr_expect_null(plot->density.cells);
    cr_expect_eq(plot->outlier_count, 0);
    cr_expect_not_null(strstr(run.input.caption, "3 chunks"));
    cr_expect_not_null(
        strstr(run.input.caption,
               "Fit: 500 ms \u00b1 200 ms + (2.50 ms \u00b1 100 \u00b5s) per event."),
        "%s", run.input.caption);
}

Test(data, a_fit_to_conclude_nothing_from_is_left_out)
{
    load(false);
    const struct cup_runtime_events *plot = make_plot(&run, "runtime-events");
    cr_expect_not(plot->fitted);
    cr_expect_not_null(strstr(run.input.caption, "No fit: fewer than 8"), "%s", run.input.caption);
}

/* All chunks have the same size: the median replaces the fit; 8 s are 12 spreads above it. */
Test(data, the_slowest_chunk_is_named)
{
    load(false);
    struct cup_chunk_fits fits = *run.totals.fits;
    run.totals.fits = &fits;
    fits.all.time = (struct cup_line_fit){
        .count = 8,
        .missing = "all have the same size",
        .robust = {.mean_x = 2000, .at_mean = 2, .slope = NAN, .spread = 0.5}};
    const struct cup_runtime_events *plot = make_plot(&run, "runtime-events");
    cr_assert(plot->with_median);
    cr_expect_not(plot->fitted);
    cr_expect_float_eq(plot->offset_s, 2, 0);
    cr_assert_eq(plot->outlier_count, 1);
    cr_expect_float_eq(plot->outliers[0].wall_s, 8, 1e-9);
    cr_expect_str_eq(plot->outliers[0].name, "b.root 0 to 3k");
    cr_expect_not_null(strstr(run.input.caption, "Median 2.00 s; no fit: all have the same size"),
                       "%s", run.input.caption);
}

Test(data, chunk_times)
{
    load(false);
    const struct cup_chunk_runtime *plot = make_plot(&run, "chunk-runtime");
    double sum = 0;
    for (size_t i = 0; i < plot->times.count; i++)
        sum += plot->times.counts[i];
    cr_expect_float_eq(sum, 3, 0);
    cr_expect_float_eq(plot->median_s, 4, 1e-9);
    cr_expect_float_eq(plot->p90_s, 7.2, 1e-9);
    cr_expect_float_eq(plot->p99_s, 7.92, 1e-9);
}

/* The log has no series and there are no samples: the workers are counted by their logs. */
Test(data, workers_by_their_logs)
{
    load(false);
    const struct cup_curves *plot = make_plot(&run, "worker-count");
    cr_assert_eq(plot->count, 2, "workers, threads, and no rate");
    cr_expect_eq(plot->curves[0].count, 2);
    cr_expect_float_eq(plot->curves[0].values[0], 1, 0);
    cr_expect_float_eq(plot->curves[1].values[1], 2, 0);
    cr_expect_null(plot->right_name);
    cr_expect_not_null(strstr(run.input.caption, "When data files were read is not recorded"));
}

/* The parts follow each other without a gap and add up to the whole. */
Test(data, the_time_budget_adds_up)
{
    load(false);
    const struct cup_time_budget *plot = make_plot(&run, "time-budget");
    double sum = 0;
    for (size_t i = 1; i < plot->count; i++) {
        cr_expect_float_eq(plot->rows[i].from, i > 1 ? plot->rows[i - 1].to : 0, 1e-9);
        sum += plot->rows[i].seconds;
    }
    cr_expect_float_eq(sum, plot->rows[0].seconds, 1e-6);
    cr_expect_float_eq(plot->rows[plot->count - 1].to, 100, 1e-6);
    cr_expect_float_eq(plot->rows[0].seconds, (double)cup_budget_total_ns(&run.totals.budget) / 1e9,
                       1e-9);
}

/* 1000 events end at 14 s, 3000 at 18, 1000 at 21; the run begins with the first task, at 10. */
Test(data, progress)
{
    load(false);
    const struct cup_progress *plot = make_plot(&run, "progress");
    cr_expect(plot->by_events);
    cr_expect_float_eq(plot->reached_s[0], 8, 1e-9);
    cr_expect_float_eq(plot->reached_s[1], 11, 1e-9);
    cr_expect_float_eq(plot->reached_s[2], 11, 1e-9);
    cr_expect_float_eq(plot->percent[1], 20, 1e-9);
    cr_expect_float_eq(plot->percent[plot->count - 1], 100, 1e-9);
}

/* Makes the plot of a run of which this is known. The caller ends with `run` as it is. */
static const struct cup_progress *progress_of(const struct cup_completeness *completeness)
{
    run.totals.completeness = completeness;
    return make_plot(&run, "progress");
}

Test(data, progress_ends_as_the_report_says)
{
    struct cup_completeness c = {.state = CUP_RUN_ABORTED,
                                 .planned_chunks = 10001,
                                 .planned_events = 5001,
                                 .done_chunks = 10000,
                                 .done_events = 5000};
    load(false);
    cr_expect_str_eq(progress_of(&c)->end, "aborted at 99.9 %");
    c.state = CUP_RUN_SKIPPED;
    cr_expect_str_eq(progress_of(&c)->end, "");
    c.state = CUP_RUN_UNKNOWN;
    cr_expect_str_eq(progress_of(&c)->end, "");
    c = (struct cup_completeness){.state = CUP_RUN_FAILED,
                                  .planned_chunks = 12,
                                  .planned_events = CUP_UNKNOWN64,
                                  .done_chunks = 3,
                                  .done_events = 5000};
    const struct cup_progress *plot = progress_of(&c);
    cr_expect_not(plot->by_events);
    cr_expect_str_eq(plot->end, "failed at 25 %");
    cr_expect_float_eq(plot->percent[plot->count - 1], 25, 1e-9);
    c.planned_events = 20000;
    c.done_events = CUP_UNKNOWN64;
    plot = progress_of(&c);
    cr_expect_str_eq(plot->end, "failed at 25 %");
    cr_expect_float_eq(plot->percent[plot->count - 1], 25, 1e-9);
}

/* The first two chunks run side by side for 4 s: 250 and 375 events/s. */
Test(data, event_rate)
{
    load(false);
    const struct cup_curves *plot = make_plot(&run, "event-rate");
    const struct cup_curve *rate = &plot->curves[0], *per_busy = &plot->curves[1];
    double sum = 0;
    for (size_t i = 0; i + 1 < rate->count; i++)
        sum += rate->values[i] * (rate->time_s[i + 1] - rate->time_s[i]);
    cr_expect_float_eq(sum, 5000, 1e-3);
    cr_expect_float_eq(rate->values[1], 625, 1e-6);
    cr_expect(per_busy->right);
    cr_expect_float_eq(per_busy->values[1], 312.5, 1e-6);
    cr_expect_float_eq(plot->right_share, 2, 0, "both are busy: the lines meet");
}

Test(data, each_task_is_in_its_lane)
{
    load(false);
    const struct cup_task_stream *plot = make_plot(&run, "task-stream");
    cr_expect_null(plot->density);
    cr_expect_eq(plot->task_count, 5); /* the sixth never ended */
    for (size_t i = 0; i < plot->task_count; i++) {
        double sum = 0;
        cr_expect_lt(plot->tasks[i].lane, plot->lane_count);
        for (int part = 0; part < CUP_SHOWN_COUNT; part++)
            sum += plot->tasks[i].shares[part];
        cr_expect(fabs(sum - 1) < 1e-9 || sum == 0);
    }
    cr_expect_eq(plot->failed_count, 1);
    cr_expect_float_eq(plot->tasks[0].from_s, 0, 1e-9);
    cr_expect_float_eq(plot->tasks[0].to_s, 4, 1e-9);
    cr_expect_float_eq(plot->tasks[0].shares[CUP_SHOWN_CPU], 0.5, 1e-9);
}

/* The Runner's call began 30 s before the first task: the idle time is a part of the picture. */
Test(data, the_tasks_on_the_threads_begin_with_the_run)
{
    const struct cup_r_run call = {.run = 1, .start_ns = at_second(-20), .stop_ns = at_second(25)};
    build(false);
    BUILDER_ADD(&builder, CUP_R_RUN, call);
    builder_header(&builder)->health[CUP_H_RUNS]++;
    load_run(&run, &builder, false);
    const struct cup_task_stream *plot = make_plot(&run, "task-stream");
    cr_expect_float_eq(plot->seconds, 45, 1e-9);
    cr_expect_float_eq(plot->tasks[0].from_s, 30, 1e-9);
    cr_expect_null(strstr(run.input.caption, "axis begins"), "%s", run.input.caption);
}

Test(data, times_by_prefix)
{
    load(false);
    const struct cup_prefix_times *plot = make_plot(&run, "task-cpu");
    cr_assert_eq(plot->count, 2);
    cr_expect_eq(memcmp(plot->names[0].bytes, "Dimuon", 6), 0);
    cr_expect_float_eq(plot->rows[0].whole, 15, 1e-9);
    cr_expect_float_eq(plot->rows[0].parts[CUP_SHOWN_CPU], 9.5, 1e-9);
    cr_expect_eq(plot->rows[0].tasks, 4);
}

Test(data, branches_per_chunk)
{
    load(true);
    const struct cup_branches_per_chunk *plot = make_plot(&run, "branches-per-chunk");
    cr_assert_eq(plot->branches.bins.count, 2);
    cr_expect_float_eq(plot->branches.bins.edges[0], 0.5, 1e-9);
    cr_expect_float_eq(plot->branches.bins.counts[0], 2, 0);
    cr_expect_float_eq(plot->branches.bins.counts[1], 1, 0);
    cr_expect_float_eq(plot->mean, 4 / 3.0, 1e-9);
}

Test(data, bytes_per_chunk)
{
    load(true);
    const struct cup_bytes_per_chunk *plot = make_plot(&run, "bytes-per-chunk");
    const struct cup_bins *bins = &plot->compressed.bins;
    double compressed = 0, delivered = 0;
    for (size_t i = 0; i < bins->count; i++) {
        compressed += cup_grouped_height(&plot->compressed, i);
        delivered += plot->delivered[i];
    }
    cr_expect_float_eq(compressed, 3, 0);
    cr_expect_float_eq(delivered, 3, 0);
    cr_expect_gt(cup_grouped_height(&plot->compressed, cup_bin_of(bins, 250)), 0);
    cr_expect_gt(plot->delivered[cup_bin_of(bins, 600)], 0);
}

Test(data, compression_by_branch)
{
    load(true);
    const struct cup_ratios *plot = make_plot(&run, "compression-ratio");
    cr_assert_eq(plot->count, 2);
    cr_expect_eq(memcmp(plot->names[0].bytes, "Muon_pt", 7), 0);
    cr_expect_float_eq(plot->rows[0].ratio, 3, 1e-9);
    cr_expect_float_eq(plot->rows[0].bytes, 600, 0);
    cr_expect_float_eq(plot->rows[0].saved, 1200, 0);
    cr_expect_float_eq(plot->rows[1].saved, 0, 0);
    cr_expect_eq(plot->rows[0].algorithms, CUP_ALGORITHM_ZSTD);
    cr_expect_float_eq(plot->rows[1].ratio, 1, 1e-9);
    cr_expect_float_eq(plot->all, 1850 / 650.0, 1e-9);
}

Test(data, compression_by_file)
{
    load(true);
    const struct cup_ratios *plot = make_plot(&run, "compression-ratio-files");
    cr_assert_eq(plot->count, 2);
    cr_expect_float_eq(plot->rows[0].ratio, 1250 / 450.0, 1e-9);
    cr_expect_float_eq(plot->rows[1].ratio, 3, 1e-9);
    cr_expect_eq(plot->bins.count, 0);
}

/* The tree is known for the first file only. */
Test(data, share_read)
{
    load(true);
    const struct cup_shares *plot = make_plot(&run, "share-read");
    cr_assert_eq(plot->count, 1);
    cr_expect_float_eq(plot->rows[0].bytes, 100 * 450 / 4000.0, 1e-9);
    cr_expect_float_eq(plot->rows[0].branches, 25, 1e-9);
    cr_expect_not_null(strstr(run.input.caption, "1 file (of 2),"));
}

/* What the first file's other tree holds is not known: its branch is no part of the share. */
Test(data, share_read_of_the_trees_that_are_known)
{
    const struct cup_r_branch other = {.branch = 3, .tree = RUNS, .name = PT};
    const struct cup_r_baskets record = {
        .task = 1, .file = FILE_A_ID, .source = CUP_BASKETS_REQUESTED, .rows = 1};
    const uint64_t values[CUP_BV_COUNT] = {[CUP_BV_BASKETS] = 1,
                                           [CUP_BV_COMPRESSED] = 70,
                                           [CUP_BV_UNCOMPRESSED] = 70,
                                           [CUP_BV_FIRST] = 90000,
                                           [CUP_BV_FIRST_BYTES] = 70};
    build(true);
    builder_string(&builder, RUNS, "Runs");
    BUILDER_ADD(&builder, CUP_R_BRANCH, other);
    builder_baskets(&builder, &record, &other.branch, &values, 1);
    load_run(&run, &builder, false);
    const struct cup_shares *plot = make_plot(&run, "share-read");
    cr_assert_eq(plot->count, 1);
    cr_expect_float_eq(plot->rows[0].branches, 25, 1e-9);
}

Test(data, what_cannot_be_drawn_says_why)
{
    static const char *const names[] = {"branches-per-chunk", "bytes-per-chunk",
                                        "compression-ratio", "compression-ratio-files",
                                        "share-read"};
    load(false);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const void *data;
        struct cup_error error;
        cr_expect_eq(cup_plot_make(cup_plot_find(&cup_plots, names[i]), &run.input, &data, &error),
                     1, "%s", names[i]);
        cr_expect_neq(run.input.reason[0], '\0');
    }
}

/* With an empty run, every plot gives a reason and none fails. */
Test(data, an_empty_run)
{
    struct cup_error error;
    builder_start(&builder);
    load_run(&run, &builder, false);
    for (size_t i = 0; i < cup_plots.count; i++) {
        const void *data;
        cr_expect_eq(cup_plot_make(&cup_plots.rows[i], &run.input, &data, &error), 1, "%s",
                     cup_plots.rows[i].name);
    }
}

Test(data, paths_lose_what_they_share)
{
    struct cup_text paths[] = {
        {"/eos/a/x1.root", 14}, {"/eos/a/x22.root", 15}, {"/eos/b.root", 11}};
    cup_paths_shorten(paths, 3);
    cr_expect_eq(memcmp(paths[0].bytes, "a/x1.root", paths[0].length), 0);
    cr_expect_eq(memcmp(paths[2].bytes, "b.root", paths[2].length), 0);
    struct cup_text one = {"/eos/a/x1.root", 14}, none = {NULL, 0};
    cup_paths_shorten(&one, 1);
    cr_expect_eq(memcmp(one.bytes, "x1.root", one.length), 0);
    cup_paths_shorten(&none, 1);
    cr_expect_eq(none.length, 0);
    cup_paths_shorten(NULL, 0);
}
