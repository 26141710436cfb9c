/* Several runs a side: medians, their spread, and the verdict. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/compare/inputs.h"
#include "analysis/compare/side.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

/* ---- made-up runs ----------------------------------------------------------------------- */

enum { MOST = 3 };
static struct cup_figures sides[2];
static struct cup_comparison comparison;
static bool compared;

static void forget(void)
{
    if (compared)
        cup_comparison_free(&comparison);
    cup_figures_free(&sides[0]);
    cup_figures_free(&sides[1]);
}

TestSuite(sides, .fini = forget);

static void set(struct cup_figures *run, enum cup_metric_id metric, struct cup_value value)
{
    cup_figures_set(run, metric, value, "made up");
}

/* A run of 1,000 events on one worker of `threads` threads. */
static struct cup_figures make_run(double wall_s, double gil_s, double threads)
{
    struct cup_figures run = {.path = "run", .kind = CUP_INPUT_PROFILE, .state = CUP_RUN_COMPLETE};
    set(&run, CUP_METRIC_total_events, cup_count(1000));
    set(&run, CUP_METRIC_peak_workers, cup_count(1));
    set(&run, CUP_METRIC_cores_per_worker, cup_real(threads));
    set(&run, CUP_METRIC_wall_time, cup_seconds((int64_t)(wall_s * 1e9)));
    set(&run, CUP_METRIC_event_rate_wall_khz, cup_real(1 / wall_s));
    set(&run, CUP_METRIC_BUDGET_GIL, cup_seconds((int64_t)(gil_s * 1e9)));
    return run;
}

static void make_side(struct cup_figures *side, const struct cup_figures *made, size_t count)
{
    struct cup_figures *runs = calloc(count, sizeof *runs);
    cr_assert(runs);
    memcpy(runs, made, count * sizeof *runs);
    cr_assert_eq(cup_side_make(side, runs, count), 0);
}

/* Sides of three runs of two threads, with these wall times and waits for the GIL. */
static void compare_sides(const double walls[2][MOST], const double gil[2][MOST])
{
    for (int side = 0; side < 2; side++) {
        struct cup_figures runs[MOST];
        for (int i = 0; i < MOST; i++)
            runs[i] = make_run(walls[side][i], gil[side][i], 2);
        make_side(&sides[side], runs, MOST);
    }
    cr_assert_eq(cup_comparison_make(&comparison, sides, 2, 0), 0);
    compared = true;
}

static void expect_verdict(const char *expected)
{
    char text[CUP_VERDICT_TEXT];
    cr_expect_str_eq(cup_compare_verdict(text, &comparison, 1), expected);
}

/* The mean is 8: the deviations are 2, 1 and 3. */
Test(sides, figures_are_medians_with_the_deviation_of_a_sample)
{
    const struct cup_figures runs[] = {make_run(11, 1, 2), make_run(6, 2, 2), make_run(7, 3, 2)};
    make_side(&sides[0], runs, 3);
    const struct cup_run_figure *wall = cup_figures_find(&sides[0], CUP_METRIC_wall_time);
    cr_expect_float_eq(cup_number(wall->value), 7, 1e-9);
    cr_expect_float_eq(wall->deviation, sqrt(14.0 / 2), 1e-9);
    cr_expect_str_eq(wall->source, "median of 3 runs; each: made up");
    const struct cup_run_figure *events = cup_figures_find(&sides[0], CUP_METRIC_total_events);
    cr_expect_eq(events->value.kind, CUP_VALUE_COUNT);
    cr_expect_eq(events->deviation, 0);
}

Test(sides, a_figure_that_one_run_lacks_is_not_known)
{
    struct cup_figures runs[] = {make_run(1, 1, 2), make_run(2, 2, 2)};
    cup_figures_set(&runs[1], CUP_METRIC_wall_time, cup_null(), "it never ended");
    make_side(&sides[0], runs, 2);
    const struct cup_run_figure *wall = cup_figures_find(&sides[0], CUP_METRIC_wall_time);
    cr_expect_eq(wall->value.kind, CUP_VALUE_NULL);
    cr_expect_str_eq(wall->source, "run 2 of 2: it never ended");
}

static void add_function(struct cup_figures *run, const char *row, double seconds)
{
    cup_figures_add(run, (struct cup_run_figure){.section = "functions",
                                                 .row = row,
                                                 .name = "self_cpu_per_event_s",
                                                 .value = cup_real(seconds),
                                                 .source = "made up"});
}

static struct cup_value median_of_function(const char *row)
{
    const struct cup_run_figure like = {
        .section = "functions", .row = row, .name = "self_cpu_per_event_s"};
    return cup_figures_row_value(&sides[0], &like);
}

Test(sides, a_function_that_no_stack_has_costs_nothing)
{
    struct cup_figures runs[] = {make_run(1, 1, 2), make_run(2, 2, 2)};
    add_function(&runs[0], "f", 4);
    add_function(&runs[0], "g", 1);
    add_function(&runs[1], "f", 6);
    make_side(&sides[0], runs, 2);
    cr_expect_float_eq(cup_number(median_of_function("f")), 5, 1e-9);
    cr_expect_float_eq(cup_number(median_of_function("g")), 0.5, 1e-9);
}

Test(sides, functions_of_a_run_without_stacks_are_not_known)
{
    struct cup_figures runs[] = {make_run(1, 1, 2), make_run(2, 2, 2)};
    add_function(&runs[0], "f", 4);
    make_side(&sides[0], runs, 2);
    cr_expect_eq(median_of_function("f").kind, CUP_VALUE_NULL);
}

Test(sides, chunk_times_that_one_run_lacks_are_not_known)
{
    struct cup_figures runs[] = {make_run(1, 1, 2), make_run(2, 2, 2)};
    double times[] = {1, 2, 3}, others[] = {4, 5};
    runs[0].chunks[CUP_CHUNK_TASK] = cup_spread_of(times, 3);
    runs[0].chunks[CUP_CHUNK_PROCESS] = cup_spread_of(times, 3);
    runs[1].chunks[CUP_CHUNK_TASK] = cup_spread_of(others, 2);
    make_side(&sides[0], runs, 2);
    cr_expect_eq(sides[0].chunks[CUP_CHUNK_TASK].count, 5);
    cr_expect_eq(sides[0].chunks[CUP_CHUNK_PROCESS].count, 0);
}

/* Deviations of 0.1 s each: the standard error of the difference is 0.0816 s, with four degrees of
 * freedom, whose t is 2.776. */
Test(sides, a_difference_beyond_the_spread_is_judged)
{
    compare_sides((const double[2][MOST]){{10, 10.1, 9.9}, {8.1, 8, 7.9}},
                  (const double[2][MOST]){{4, 4.1, 4.2}, {1, 1.1, 1.2}});
    expect_verdict("B is 20 % faster than A (8.00 s against 10.0 s), more than the runs' own "
                   "spread of 2.3 %: less waiting for the GIL (-3.00 s of the threads' time).");
}

Test(sides, a_difference_within_the_spread_is_none)
{
    compare_sides((const double[2][MOST]){{10, 14, 9}, {8.1, 13, 7.9}},
                  (const double[2][MOST]){{4, 4.1, 4.2}, {1, 1.1, 1.2}});
    expect_verdict(
        "No difference between B and A beyond noise: wall time -19.0 % (8.10 s against 10.0 "
        "s), and the runs' own spread is 72 %.");
}

/* Of two runs a side t is larger: 12.7 for one degree of freedom. */
Test(sides, two_runs_a_side_show_little)
{
    const struct cup_figures a[] = {make_run(10, 1, 2), make_run(10.2, 1, 2)};
    const struct cup_figures b[] = {make_run(9, 1, 2), make_run(9.9, 1, 2)};
    make_side(&sides[0], a, 2);
    make_side(&sides[1], b, 2);
    cr_assert_eq(cup_comparison_make(&comparison, sides, 2, 0), 0);
    compared = true;
    expect_verdict(
        "No difference between B and A beyond noise: wall time -6.4 % (9.45 s against 10.1 "
        "s), and the runs' own spread is 58 %.");
}

Test(sides, one_run_against_several_is_not_judged)
{
    const struct cup_figures a[] = {make_run(10, 1, 2), make_run(10.2, 1, 2)};
    make_side(&sides[0], a, 2);
    sides[1] = make_run(5, 1, 2);
    cr_assert_eq(cup_comparison_make(&comparison, sides, 2, 0), 0);
    compared = true;
    expect_verdict("B is 50 % faster than A (5.00 s against 10.1 s). Whether runs of the same job "
                   "differ as much is not known: B is one run.");
}

/* In MB: what tasks and what samples saw. */
static void set_memory(struct cup_figures *side, uint64_t tasks, uint64_t samples)
{
    *side = make_run(10, 1, 2);
    set(side, CUP_METRIC_peak_task_rss_bytes, cup_count(tasks * 1000000));
    set(side, CUP_METRIC_peak_memory_bytes, cup_count(samples * 1000000));
}

static void expect_memory(const char *expected)
{
    char text[CUP_VERDICT_TEXT];
    cr_assert_eq(cup_comparison_make(&comparison, sides, 2, 0), 0);
    cup_compare_verdict(text, &comparison, 1);
    const char *memory = strstr(text, " Memory");
    cr_expect_str_eq(memory ? memory : "", expected, "%s", text);
    cup_comparison_free(&comparison);
    cup_figures_free(&sides[0]);
    cup_figures_free(&sides[1]);
}

Test(sides, the_verdict_says_that_the_memory_changed)
{
    set_memory(&sides[0], 210, 209);
    set_memory(&sides[1], 729, 209);
    expect_memory(" Memory of a worker, at most: 729 MB against 210 MB (+247 %).");
    set_memory(&sides[0], 210, 209);
    set_memory(&sides[1], 231, 209);
    expect_memory("");
}

/* The larger of both, on each side. */
Test(sides, the_memory_of_samples_is_compared_with_that_of_tasks)
{
    set_memory(&sides[0], 400, 200);
    set_memory(&sides[1], 380, 390);
    expect_memory("");
}

Test(sides, an_incomplete_run_is_named)
{
    const struct cup_figures a[] = {make_run(10, 1, 2), make_run(10.1, 1, 2)};
    struct cup_figures b[] = {make_run(5, 1, 2), make_run(5.1, 1, 2)};
    b[1].state = CUP_RUN_ABORTED;
    b[1].completeness = "Aborted at 31 %.";
    make_side(&sides[0], a, 2);
    make_side(&sides[1], b, 2);
    cr_assert_eq(cup_comparison_make(&comparison, sides, 2, 0), 0);
    compared = true;
    char text[CUP_VERDICT_TEXT];
    cup_compare_verdict(text, &comparison, 1);
    cr_expect_not_null(strstr(text, " B: Aborted at 31 %."), "%s", text);
}

/* ---- settings --------------------------------------------------------------------------- */

Test(sides, runs_of_a_side_that_are_not_alike_are_named)
{
    const struct cup_figures a[] = {make_run(10, 1, 2), make_run(10, 1, 4)};
    const struct cup_figures b[] = {make_run(5, 1, 2), make_run(5, 1, 2)};
    make_side(&sides[0], a, 2);
    make_side(&sides[1], b, 2);
    cr_assert_eq(cup_comparison_make(&comparison, sides, 2, 0), 0);
    compared = true;
    const struct cup_setting *threads = cup_setting_find(&comparison, "threads of a worker");
    cr_assert_not_null(threads);
    cr_expect(threads->differs);
    cr_expect_str_eq(threads->texts[0], "2 (A1), 4 (A2)");
    cr_expect_str_eq(threads->texts[1], "2");
    const struct cup_setting *limit = cup_setting_find(&comparison, CUP_FACT_MEMORY_LIMIT);
    cr_assert_not_null(limit);
    cr_expect(limit->unknown && !limit->differs);
}

/* ---- chunks ----------------------------------------------------------------------------- */

Test(sides, spreads_of_few_chunks_are_put_together_exactly)
{
    double one[] = {1, 4, 9}, two[] = {2, 3};
    const struct cup_spread a = cup_spread_of(one, 3), b = cup_spread_of(two, 2);
    const struct cup_spread *const both[] = {&a, &b};
    struct cup_spread merged = cup_spread_merge(both, 2);
    cr_assert_eq(merged.count, 5);
    cr_assert_eq(merged.points, 5);
    const double expected[] = {1, 2, 3, 4, 9};
    for (size_t i = 0; i < 5; i++)
        cr_expect_eq(merged.at[i], expected[i]);
    merged = cup_spread_merge(both, 0);
    cr_expect_eq(merged.count, 0);
}

/* 10,000 numbers from 0 to 1, and 100 of 2. */
Test(sides, spreads_of_many_chunks_keep_their_weights)
{
    static double many[10000], few[100];
    for (int i = 0; i < 10000; i++)
        many[i] = i / 9999.0;
    for (int i = 0; i < 100; i++)
        few[i] = 2;
    const struct cup_spread a = cup_spread_of(many, 10000), b = cup_spread_of(few, 100);
    const struct cup_spread *const both[] = {&a, &b};
    const struct cup_spread merged = cup_spread_merge(both, 2);
    cr_assert_eq(merged.count, 10100);
    cr_expect_float_eq(cup_spread_at(&merged, 0), 0, 1e-9);
    cr_expect_float_eq(cup_spread_at(&merged, 0.5), 0.505, 0.01);
    cr_expect_float_eq(cup_spread_at(&merged, 0.98), 0.99, 0.01);
    cr_expect_float_eq(cup_spread_at(&merged, 1), 2, 1e-9);
}

/* ---- on the command line ---------------------------------------------------------------- */

static char outside[SUPPORT_PATH], runs[4][SUPPORT_PATH + 8];

static void write_text(const char *directory, const char *name, const char *text)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
}

/* Four measurements of roastcoffea: of 10.0, 10.2, 5.0 and 5.1 s. */
static void make_measurements(void)
{
    static const double walls[] = {10, 10.2, 5, 5.1};
    make_scratch(outside);
    for (int i = 0; i < 4; i++) {
        char text[200];
        snprintf(runs[i], sizeof runs[i], "%s/run%d", outside, i);
        cr_assert_eq(mkdir(runs[i], 0700), 0);
        snprintf(text, sizeof text,
                 "{\"total_events\": 5000, \"elapsed_time_seconds\": %g, \"num_chunks\": 3}",
                 walls[i]);
        write_text(runs[i], "metrics.json", text);
        write_text(runs[i], "start_end_time.txt", "1.0,7.0\n");
    }
}

static void remove_measurements(void)
{
    for (int i = 0; i < 4; i++)
        remove_scratch(runs[i]);
    remove_scratch(outside);
}

TestSuite(sides_verb, .init = make_measurements, .fini = remove_measurements);

#define COMPARE(...)                                                                               \
    run_verb(outside, cup_verb_compare, (const char *const[]){"compare", __VA_ARGS__, NULL})
#define PLOT(...) run_verb(outside, cup_verb_plot, (const char *const[]){"plot", __VA_ARGS__, NULL})

static void expect_text(const char *name, const char *part)
{
    char *text = read_text_in(outside, name);
    cr_expect_not_null(strstr(text, part), "no %s in\n%s", part, text);
    free(text);
}

Test(sides_verb, text_opens_with_the_verdict)
{
    cr_assert_eq(COMPARE(runs[0], runs[1], "--", runs[2], runs[3]), CUP_EXIT_DONE);
    expect_text("out", "medians of 2 runs, the baseline");
    expect_text("out", "A2 ");
    expect_text("out",
                "\nB is 50 % faster than A (5.05 s against 10.1 s), more than the runs' own");
    expect_text("out", "Not compared, because an input does not have them: ");
    expect_text("out", "Values are medians of the runs");
    expect_text("out", "better");
}

Test(sides_verb, json_and_csv_have_each_run)
{
    cr_assert_eq(COMPARE(runs[0], runs[1], "--", runs[2], runs[3], "--json", "-"), CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "%s", error.text);
    const json_t *inputs = json_object_get(root, "inputs");
    cr_assert_eq(json_array_size(inputs), 2);
    const json_t *of_b = json_object_get(json_array_get(inputs, 1), "runs");
    cr_assert_eq(json_array_size(of_b), 2);
    const json_t *last = json_array_get(of_b, 1);
    cr_expect_str_eq(json_string_value(json_object_get(last, "name")), "B2");
    cr_expect_str_eq(json_string_value(json_object_get(last, "path")), runs[3]);
    const json_t *wall = json_row(json_object_get(root, "figures"), "name", "wall_time");
    const json_t *values = json_array_get(json_object_get(wall, "run_values"), 1);
    cr_expect_float_eq(json_number_value(json_array_get(values, 1)), 5.1, 1e-9);
    const json_t *deviations = json_object_get(wall, "deviations");
    cr_expect_float_eq(json_number_value(json_array_get(deviations, 0)), 0.2 / sqrt(2), 1e-9);
    json_decref(root);
    free(text);
    cr_assert_eq(COMPARE(runs[0], runs[1], "--", runs[2], runs[3], "--csv", "-"), CUP_EXIT_DONE);
    expect_text("out", "verdict,source,noise,deviation\r\n");
}

Test(sides_verb, without_two_dashes_each_is_a_column_and_the_text_says_so)
{
    cr_assert_eq(COMPARE(runs[0], runs[1], runs[2]), CUP_EXIT_DONE);
    expect_text("out", "Each run is compared with A alone.");
    expect_text("out", "C is 50 % faster than A");
}

Test(sides_verb, pictures_and_page_take_sides)
{
    char page[SUPPORT_PATH + 16];
    snprintf(page, sizeof page, "%s/page.html", outside);
    cr_assert_eq(PLOT(runs[0], runs[1], "--", runs[2], runs[3], "--html", page), CUP_EXIT_DONE);
    expect_text("page.html", "B is 50 % faster than A (5.05 s against 10.1 s)");
    expect_text("page.html", "run0 and 1 more");
    cr_assert_eq(PLOT(runs[0], runs[1], "--", runs[2], runs[3], "compare", "-o", outside),
                 CUP_EXIT_DONE);
    expect_text("out", "compare.png");
    cr_assert_eq(remove(page), 0);
}

static void expect_complaint(int status, const char *part)
{
    cr_assert_eq(status, CUP_EXIT_USAGE);
    expect_text("err", part);
}

Test(sides_verb, complaints)
{
    expect_complaint(COMPARE(runs[0], "--"), "no run after --");
    expect_complaint(COMPARE("--", runs[0]), "no run before --");
    expect_complaint(PLOT(runs[0], "--"), "no run after --");
    expect_complaint(COMPARE(runs[0], runs[0], "--", runs[1]), "given twice on one side");
    expect_complaint(COMPARE(runs[0], "--", runs[1], "--baseline", "C"), "not one of the 2");
    cr_expect_eq(COMPARE(runs[0], runs[1], "--", runs[2], "--baseline", "B"), CUP_EXIT_DONE);
    expect_text("out", "A takes 2.0 times as long as B");
}

/* ---- --fail-on -------------------------------------------------------------------------- */

Test(sides_verb, fail_on_slower_only_beyond_the_spread)
{
    cr_expect_eq(COMPARE(runs[2], runs[3], "--", runs[0], runs[1], "--fail-on", "slower"),
                 CUP_EXIT_FOUND);
    expect_text("err", "--fail-on: B: slower than the baseline (slower)");
    expect_text("out", "B takes 2.0 times as long as A");
    cr_expect_eq(COMPARE(runs[0], runs[1], "--", runs[2], runs[3], "--fail-on", "slower"),
                 CUP_EXIT_DONE);
    cr_expect_eq(COMPARE(runs[0], runs[2], "--", runs[1], runs[3], "--fail-on", "slower,unjudged"),
                 CUP_EXIT_DONE);
    expect_text("out", "No difference between B and A");
}

Test(sides_verb, fail_on_what_is_not_known)
{
    write_text(runs[3], "metrics.json", "{\"total_events\": 5000}");
    cr_expect_eq(COMPARE(runs[0], runs[1], "--", runs[2], runs[3], "--fail-on", "slower"),
                 CUP_EXIT_DONE);
    cr_expect_eq(COMPARE(runs[0], runs[1], "--", runs[2], runs[3], "--fail-on", "unjudged"),
                 CUP_EXIT_FOUND);
    expect_text("err", "B: not known whether slower than the baseline (unjudged)");
    cr_expect_eq(COMPARE(runs[0], runs[1], "--fail-on", "incomplete"), CUP_EXIT_DONE);
    cr_expect_eq(COMPARE(runs[0], runs[1], "--fail-on", "unknown"), CUP_EXIT_FOUND);
    expect_text("err", "A, B: not known whether complete (unknown)");
}

Test(sides_verb, fail_on_that_could_never_hold_is_refused)
{
    expect_complaint(COMPARE(runs[0], runs[1], "--fail-on", "slower"), "name two or more a side");
    expect_complaint(COMPARE(runs[0], runs[1], "--", runs[2], "--fail-on", "slower"),
                     "name two or more a side");
    expect_complaint(COMPARE(runs[0], runs[1], "--fail-on", "slow"), "no such condition");
}
