/* How runs scale, between each other and within themselves, and targets: worked out by hand. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/compare_write.h"
#include "analysis/compare/inputs.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH];
static struct log_builder builder;
static uint32_t tasks;

enum { PROCESSOR = 1, DATASET, PATH, TREE };

static void set_up(void)
{
    static const char *const texts[] = {"Processor", "data", "/f.root", "Events"};
    make_scratch(scratch);
    make_scratch(outside);
    builder_start(&builder);
    for (uint32_t i = 0; i < 4; i++)
        builder_string(&builder, i + 1, texts[i]);
    tasks = 0;
}

static void tear_down(void)
{
    builder_free(&builder);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(scaling, .init = set_up, .fini = tear_down);

static void add_task(double start, double stop, bool erred, const char *key)
{
    struct cup_r_task_begin begin = {.task = ++tasks,
                                     .tid = 100 + tasks,
                                     .prefix = PROCESSOR,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(start),
                                     .run_id = -1};
    struct cup_r_task_end end = {.task = tasks,
                                 .status = erred ? CUP_STATUS_ERRED : CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(stop),
                                 .cpu_ns = 1000};
    builder_begin(&builder, &begin, key);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static void add_item(int64_t start, int64_t events)
{
    struct cup_r_item item = {.task = tasks,
                              .kind = CUP_ITEM_WORK,
                              .dataset = DATASET,
                              .file = PATH,
                              .tree = TREE,
                              .entry_start = start,
                              .entry_stop = start + events};
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
}

/* A chunk of a key of its own. */
static void add_chunk(double start, double stop, int64_t events)
{
    char key[40];
    snprintf(key, sizeof key, "Processor-%u", tasks + 1);
    add_task(start, stop, false, key);
    add_item(10000 * tasks, events);
}

static struct cup_ramp ramp_of_log(void)
{
    struct cup_profile profile;
    struct cup_totals totals;
    struct cup_error error;
    const struct cup_load_options options = {0};
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    struct cup_ramp ramp = cup_ramp_make(&totals);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    return ramp;
}

static void expect(double value, double expected)
{
    cr_expect(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected)), "%.17g, not %.17g", value,
              expected);
}

/* 10 s with one thread at 100 events/s, 10 s with two at 91 each, 20 s with four at 50 each. */
static void add_ramp(void)
{
    add_chunk(0, 10, 1000);
    for (int i = 0; i < 2; i++)
        add_chunk(10, 20, 910);
    for (int i = 0; i < 4; i++)
        add_chunk(20, 40, 1000);
}

/* ---- within a run ----------------------------------------------------------------------- */

Test(scaling, the_rate_per_thread_bends_where_threads_get_in_each_others_way)
{
    add_ramp();
    struct cup_ramp ramp = ramp_of_log();
    cr_assert_null(ramp.missing, "%s", ramp.missing);
    cr_assert_eq(ramp.bins, 100);
    expect(ramp.bin_s, 0.4);
    cr_assert_eq(ramp.count, 3);
    const double busy[] = {1, 2, 4}, seconds[] = {10, 10, 20}, rates[] = {100, 91, 50};
    for (int i = 0; i < 3; i++) {
        expect(cup_ramp_busy(&ramp.steps[i]), busy[i]);
        expect(ramp.steps[i].seconds, seconds[i]);
        expect(cup_ramp_rate_per_thread(&ramp, &ramp.steps[i]), rates[i]);
        expect(cup_ramp_rate(&ramp, &ramp.steps[i]), rates[i] * busy[i]);
    }
    cr_expect_eq(ramp.best, 0);
    cr_expect_eq(ramp.bend, 1);
    cr_expect_eq(ramp.widest, 2);
    expect(ramp.rate_events, 6820 / 40.0);
}

/* One that failed held a thread and gave nothing: 50 events/s for each of two. */
Test(scaling, attempts_in_vain_are_busy_and_yield_nothing)
{
    add_chunk(0, 10, 1000);
    add_task(0, 10, true, "Processor-x");
    add_item(0, 5000);
    add_chunk(10, 20, 1000);
    struct cup_ramp ramp = ramp_of_log();
    cr_assert_eq(ramp.count, 2);
    expect(cup_ramp_rate_per_thread(&ramp, &ramp.steps[0]), 100);
    expect(cup_ramp_rate_per_thread(&ramp, &ramp.steps[1]), 50);
    cr_expect_eq(ramp.bend, 0);
}

/* 24 threads: steps of 5. Half a second of 1 thread in 40 s is too short to tell. */
Test(scaling, many_threads_make_few_steps_and_short_ones_do_not_count)
{
    for (int i = 0; i < 24; i++)
        add_chunk(0, 20, 100);
    for (int i = 0; i < 10; i++)
        add_chunk(20, 39.6, 98);
    add_chunk(39.6, 40, 1000);
    struct cup_ramp ramp = ramp_of_log();
    cr_assert_eq(ramp.count, 3);
    expect(cup_ramp_busy(&ramp.steps[0]), 1);
    cr_expect_not(ramp.steps[0].sustained);
    expect(cup_ramp_busy(&ramp.steps[1]), 10);
    expect(cup_ramp_busy(&ramp.steps[2]), 24);
    expect(cup_ramp_rate_per_thread(&ramp, &ramp.steps[1]), 5);
    expect(cup_ramp_rate_per_thread(&ramp, &ramp.steps[2]), 5);
    cr_expect_eq(ramp.bend, 2);
}

Test(scaling, without_variation_there_is_no_answer)
{
    add_chunk(0, 10, 1000);
    struct cup_ramp ramp = ramp_of_log();
    cr_assert_str_eq(ramp.missing, "the number of busy threads did not vary for long enough");
    cr_expect_eq(ramp.bend, -1);
}

Test(scaling, a_run_without_chunks_or_of_no_duration_has_no_answer)
{
    struct cup_ramp ramp = ramp_of_log();
    cr_assert_str_eq(ramp.missing, "no chunk ended whose result was used");
    add_chunk(5, 5, 10);
    ramp = ramp_of_log();
    cr_assert_str_eq(ramp.missing, "no chunk ended whose result was used");
    expect(ramp.rate_events, 0);
}

/* ---- between runs ----------------------------------------------------------------------- */

static void set(struct cup_figures *figures, const char *section, const char *name, double value)
{
    cup_figures_set_named(figures, section, name, cup_real(value), "by hand");
}

static void make_run(struct cup_figures *figures, double workers, double cores, double khz,
                     double gbps)
{
    *figures = (struct cup_figures){.path = "by hand"};
    set(figures, "workers", "avg_workers", workers);
    set(figures, "workers", "avg_cores", cores);
    set(figures, "workflow", "event_rate_wall_khz", khz);
    set(figures, "workflow", "delivered_rate_gbps", gbps);
}

static void free_runs(struct cup_figures *figures, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cup_figures_free(&figures[i]);
}

Test(scaling, efficiency_is_throughput_over_that_of_the_baseline_times_n)
{
    struct cup_figures runs[3];
    make_run(&runs[0], 4, 8, 18, 2);
    make_run(&runs[1], 2, 4, 10, 1);
    make_run(&runs[2], 8, 12, 28, 3);
    struct cup_scaling scaling = cup_scaling_make(runs, 3, 1);
    cr_assert_null(scaling.missing);
    cr_assert_eq(scaling.reference[CUP_BY_WORKERS], 1);
    cr_assert_eq(scaling.reference[CUP_BY_CORES], 1);
    expect(scaling.rows[0].efficiency[CUP_OF_EVENTS][CUP_BY_WORKERS], 18.0 / (10 * 2));
    expect(scaling.rows[1].efficiency[CUP_OF_EVENTS][CUP_BY_WORKERS], 1);
    expect(scaling.rows[2].efficiency[CUP_OF_EVENTS][CUP_BY_WORKERS], 28.0 / (10 * 4));
    expect(scaling.rows[2].efficiency[CUP_OF_EVENTS][CUP_BY_CORES], 28.0 / (10 * 3));
    expect(scaling.rows[0].efficiency[CUP_OF_BYTES][CUP_BY_WORKERS], 1);
    expect(scaling.rows[2].efficiency[CUP_OF_BYTES][CUP_BY_CORES], 1);
    expect(cup_scaling_efficiency(&scaling, 2), 28.0 / 30);
    scaling = cup_scaling_make(runs, 3, 2); /* the largest run is the baseline */
    expect(cup_scaling_efficiency(&scaling, 2), 1);
    expect(cup_scaling_efficiency(&scaling, 1), 30.0 / 28);
    free_runs(runs, 3);
}

/* A run whose last samples miss a worker has an average below the number that was there. */
Test(scaling, sizes_are_those_that_were_there_not_averages)
{
    struct cup_figures runs[2];
    for (int i = 0; i < 2; i++) {
        make_run(&runs[i], i ? 1 : 0.976, i ? 2 : 0.976, 10 * (i + 1), NAN);
        set(&runs[i], "workers", "peak_workers", 1);
        set(&runs[i], "workers", "cores_per_worker", i + 1);
    }
    struct cup_scaling scaling = cup_scaling_make(runs, 2, 0);
    expect(scaling.rows[0].size[CUP_BY_CORES], 1);
    expect(scaling.rows[1].size[CUP_BY_CORES], 2);
    expect(cup_scaling_efficiency(&scaling, 0), 1);
    expect(cup_scaling_efficiency(&scaling, 1), 1);
    cr_expect_eq(scaling.reference[CUP_BY_WORKERS], -1, "one worker each");
    free_runs(runs, 2);
}

Test(scaling, equal_sizes_and_rates_of_zero_are_no_division)
{
    struct cup_figures runs[2];
    make_run(&runs[0], 2, 4, 0, NAN);
    make_run(&runs[1], 2, 4, 10, NAN);
    struct cup_scaling scaling = cup_scaling_make(runs, 2, 0);
    cr_assert_not_null(scaling.missing);
    cr_expect(isnan(cup_scaling_efficiency(&scaling, 1)));
    free_runs(runs, 2);
    make_run(&runs[0], 2, 4, 0, NAN);
    make_run(&runs[1], 4, 8, 10, NAN);
    scaling = cup_scaling_make(runs, 2, 0);
    cr_expect(isnan(scaling.rows[1].efficiency[CUP_OF_EVENTS][CUP_BY_WORKERS]));
    cr_expect(isnan(scaling.rows[0].efficiency[CUP_OF_EVENTS][CUP_BY_CORES]));
    cr_expect_not_null(cup_scaling_make(runs, 1, 0).missing);
    free_runs(runs, 2);
}

/* ---- targets ---------------------------------------------------------------------------- */

Test(scaling, targets_in_all_units)
{
    static const struct {
        const char *text;
        double rate; /* bytes or events per second */
        bool events;
    } good[] = {
        {"200Gbps", 25e9, false},  {"200 gbps", 25e9, false},   {"8bps", 1, false},
        {"8kbit/s", 1e3, false},   {"1Tbps", 125e9, false},     {"25GB/s", 25e9, false},
        {"2.5MB/s", 2.5e6, false}, {"3B/s", 3, false},          {"1Mb/s", 125e3, false},
        {"50kHz", 50e3, true},     {"1e6 events/s", 1e6, true}, {"7Hz", 7, true},
    };
    static const char *const bad[] = {"",        "Gbps",    "200",      "200Gbp",
                                      "0Gbps",   "-1Gbps",  "nanGbps",  "infGbps",
                                      "1e999Hz", "0x1Gbps", "5 apples", "1kkHz"};
    struct cup_target target;
    struct cup_error error;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_assert_eq(cup_target_read(&target, good[i].text, "report", &error), 0, "%s",
                     good[i].text);
        expect(target.rate, good[i].rate);
        cr_expect_eq(target.events, good[i].events, "%s", good[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(cup_target_read(&target, bad[i], "report", &error), -1, "%s", bad[i]);
}

static char *report(const char *target)
{
    char path[2 * SUPPORT_PATH];
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
    int status = run_verb(
        outside, cup_verb_report,
        (const char *const[]){"report", scratch, "--only", "scaling", "--target", target, NULL});
    cr_assert_eq(status, 0);
    snprintf(path, sizeof path, "%s/out", outside);
    return read_text(path);
}

/* 170.5 events/s in all: 17.05 kHz is 100 times that; 100 events/s a thread at best, 50 at most. */
Test(scaling, the_report_tells_how_far_a_target_is)
{
    add_ramp();
    char *text = report("17.05kHz");
    cr_expect_not_null(strstr(text, "It bends beyond 2.00 busy threads: with 4.00"), "%s", text);
    cr_expect_not_null(strstr(text, "Target 17.05kHz: 100 times what the whole run"), "%s", text);
    cr_expect_not_null(strstr(text, "It takes 171 busy threads"), "%s", text);
    cr_expect_not_null(strstr(text, "341 at"), "%s", text);
    free(text);
    text = report("200Gbps");
    cr_expect_not_null(strstr(text, "no bytes are known"), "%s", text);
    cr_expect_null(strstr(text, "nan"));
    cr_expect_null(strstr(text, "inf "));
    free(text);
}

Test(scaling, the_report_as_json_holds_it)
{
    add_ramp();
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
    json_t *root = report_json(scratch, outside), *scaling = json_object_get(root, "scaling");
    cr_assert(json_is_null(json_object_get(scaling, "missing")));
    cr_assert(json_is_null(json_object_get(scaling, "target")));
    cr_assert(json_is_true(json_object_get(scaling, "bends")));
    expect(json_number_value(json_object_get(scaling, "bend_busy_threads")), 2);
    expect(json_number_value(json_object_get(scaling, "most_busy_threads")), 4);
    const json_t *step = json_array_get(json_object_get(scaling, "steps"), 2);
    expect(json_number_value(json_object_get(step, "events_per_thread_s")), 50);
    expect(json_number_value(json_object_get(step, "share_of_best")), 0.5);
    json_decref(root);
}
