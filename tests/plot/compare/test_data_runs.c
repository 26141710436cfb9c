/* The data of plots of several runs, from made-up figures, against results worked out by hand. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/side.h"
#include "plot/compare/compared.h"
#include "plot/plots.h"
#include "plot/shared/rows.h"
#include "plot/shared/runs.h"

enum { MOST = 4 };
static char paths[MOST][16] = {"/x/one/p", "/x/two/p", "/x/three/p", "/x/four/p"};
static struct cup_figures figures[MOST];
static struct cup_comparison comparison;
static struct cup_arena arena;
static struct cup_plot_input input;
static struct cup_target target;
static size_t count;

static void tear_down(void)
{
    cup_comparison_free(&comparison);
    cup_arena_clear(&arena);
    while (count)
        cup_figures_free(&figures[--count]);
}

TestSuite(data_runs, .fini = tear_down);

/* ---- making runs -------------------------------------------------------------------------- */

static void set(const char *section, const char *name, struct cup_value value)
{
    cup_figures_set_named(&figures[count - 1], section, name, value, "made up");
}

/* A run of 1,000 events. */
static void add_run(double wall_s, double cores)
{
    figures[count] = (struct cup_figures){.path = paths[count]};
    count++;
    set("workflow", "total_events", cup_count(1000));
    set("workflow", "num_chunks", cup_count(101));
    set("workflow", "wall_time", cup_seconds((int64_t)(wall_s * 1e9)));
    set("workflow", "event_rate_wall_khz", cup_real(1 / wall_s));
    set("workers", "avg_cores", cup_real(cores));
}

/* The standard deviations of the chunks' times, as a share of their means. */
static void set_deviations(double share)
{
    set("chunks", "time_per_event_s_mean", cup_real(1e-3));
    set("chunks", "time_per_event_s_stdev", cup_real(share * 1e-3));
    set("chunks", "cpu_s_mean", cup_real(1));
    set("chunks", "cpu_s_stdev", cup_real(share));
}

static void add_chunks(enum cup_chunk_time time, double first, double last)
{
    struct cup_numbers times[CUP_CHUNK_TIMES] = {{0}};
    for (int i = 0; i <= 100; i++)
        cup_numbers_add(&times[time], first + (last - first) * i / 100);
    cup_figures_set_chunks(&figures[count - 1], times);
}

static const void *make(const struct cup_plot *plot)
{
    struct cup_error error;
    const void *data;
    cr_assert_eq(cup_comparison_make(&comparison, figures, count, 0), 0);
    input = (struct cup_plot_input){.arena = &arena,
                                    .runs = cup_plot_runs_make(&arena, &comparison, &target)};
    cr_assert_geq(cup_plot_make(plot, &input, &data, &error), 0);
    return data;
}

static const void *make_named(const char *name)
{
    return make(cup_plot_find(&cup_run_plots, name));
}

/* ---- compare ------------------------------------------------------------------------------ */

static size_t row_of(const struct cup_compared_shown *plot, const char *name)
{
    for (size_t i = 0; i < plot->count; i++)
        if (strcmp(plot->names[i].bytes, name) == 0)
            return i;
    cr_assert(false, "no row %s", name);
    return 0;
}

Test(data_runs, ratios_and_verdicts)
{
    add_run(10, 4);
    set("workflow", "total_bytes_read", cup_count(100));
    set("efficiency", "thread_cpu_efficiency", cup_real(0.5));
    set_deviations(0);
    add_run(5, 8);
    set("workflow", "total_bytes_read", cup_count(150));
    set("efficiency", "thread_cpu_efficiency", cup_real(0.4));
    set_deviations(0);
    const struct cup_compared_shown *plot = make_named("compare");
    cr_assert_eq(plot->run_count, 2);
    const struct cup_compared_cell *cell = &plot->cells[row_of(plot, "wall time")][1];
    cr_expect_float_eq(cell->ratio, 0.5, 1e-12);
    cr_expect_str_eq(cell->change, "-50.0 %");
    cr_expect_eq(cell->verdict, CUP_VERDICT_BETTER);
    cell = &plot->cells[row_of(plot, "bytes read")][1];
    cr_expect_str_eq(cell->value, "150 B");
    cr_expect_str_eq(cell->change, "+50.0 %");
    cr_expect_eq(cell->verdict, CUP_VERDICT_NONE, "more bytes are neither good nor bad");
    cell = &plot->cells[row_of(plot, "CPU share of the threads")][1];
    cr_expect_str_eq(cell->change, "-10.0 pt");
    cr_expect_eq(cell->verdict, CUP_VERDICT_WORSE);
}

/* Rows without information are left out. A figure that one of three runs lacks is n/a there. */
Test(data_runs, what_is_not_known_of_some)
{
    add_run(10, 4);
    set("workflow", "tail_s", cup_seconds(2000000000));
    set("workflow", "num_failed_chunks", cup_count(0));
    add_run(10, 4);
    set("workflow", "num_failed_chunks", cup_count(0));
    set("workers", "peak_memory_bytes", cup_count(7));
    add_run(10, 4);
    set("workflow", "tail_s", cup_seconds(1000000000));
    const struct cup_compared_shown *plot = make_named("compare");
    cr_expect_eq(plot->count, 3, "wall time, rate, tail: %zu", plot->count);
    const struct cup_compared_cell *cells = plot->cells[row_of(plot, "tail after 90 % of chunks")];
    cr_expect_str_eq(cells[1].value, "n/a");
    cr_expect(isnan(cells[1].ratio));
    cr_expect_float_eq(cells[2].ratio, 0.5, 1e-12);
}

/* A run measured with another tool has other figures. */
Test(data_runs, figures_that_stand_for_others)
{
    add_run(10, 4);
    set("workflow", "requested_rate_gbps", cup_real(2));
    add_run(10, 4);
    set("workflow", "requested_rate_gbps", cup_real(4));
    set("workflow", "delivered_rate_gbps", cup_real(9));
    const struct cup_compared_shown *plot = make_named("compare");
    cr_expect_float_eq(plot->cells[row_of(plot, "data rate, requested")][1].ratio, 2, 1e-12);
}

/* 101 chunks with a mean of 1 ms per event and a deviation of 0.5 ms, against 2 ms without a
 * deviation. Two standard errors of the first are 2 x 0.5 / 10: a tenth. */
Test(data_runs, noise_between_chunks)
{
    add_run(10, 4);
    set("chunks", "time_per_event_s_mean", cup_real(1e-3));
    set("chunks", "time_per_event_s_stdev", cup_real(0.5e-3));
    add_run(10, 4);
    set("chunks", "time_per_event_s_mean", cup_real(2e-3));
    set("chunks", "time_per_event_s_stdev", cup_real(0));
    const struct cup_compared_shown *plot = make_named("compare");
    const struct cup_compared_cell *cell =
        &plot->cells[row_of(plot, "time per event, mean of chunks")][1];
    cr_expect_float_eq(cell->ratio, 2, 1e-12);
    cr_expect_float_eq(cell->least, 1.9, 1e-12);
    cr_expect_float_eq(cell->most, 2.1, 1e-12);
    cell = &plot->cells[row_of(plot, "wall time")][1];
    cr_expect_float_eq(cell->most, 1.1, 1e-12, "it is made from the same chunks");
}

/* 6 % is less than two standard errors of both runs, 0.5 x 2 / 10 each: 14 %. 30 % is more, but
 * what changes for all chunks alike is not in it. */
Test(data_runs, the_noise_of_the_chunks_is_the_least)
{
    const double walls[] = {10, 10.6, 13};
    for (int i = 0; i < 3; i++) {
        add_run(walls[i], 4);
        set_deviations(0.5);
        set("efficiency", "io_wait_pct", cup_real(i + 1));
        set("workflow", "num_failed_chunks", cup_count((uint64_t)i));
    }
    const struct cup_compared_shown *plot = make_named("compare");
    const struct cup_compared_cell *cells = plot->cells[row_of(plot, "wall time")];
    cr_expect_eq(cells[1].verdict, CUP_VERDICT_NONE);
    cr_expect_eq(cells[2].verdict, CUP_VERDICT_NONE);
    char text[CUP_VERDICT_TEXT];
    cr_expect_str_eq(cup_compare_verdict(text, &comparison, 1),
                     "No difference between B and A beyond noise: wall time +6.0 % (10.6 s against "
                     "10.0 s), and the noise of the chunks is 15 %.");
    cr_expect_str_eq(
        cup_compare_verdict(text, &comparison, 2),
        "C is 30 % slower than A (13.0 s against 10.0 s). Whether runs of the same job "
        "differ as much is not known: there is one run a side.");
    cells = plot->cells[row_of(plot, "I/O wait of tasks")];
    cr_expect_eq(cells[2].verdict, CUP_VERDICT_NONE, "one run does not show its noise");
    cells = plot->cells[row_of(plot, "failed attempts")];
    cr_expect_eq(cells[2].verdict, CUP_VERDICT_WORSE, "counts have none");
}

/* ---- names -------------------------------------------------------------------------------- */

Test(data_runs, names_as_short_as_tell_them_apart)
{
    static char link[] = "/x/one/p";
    add_run(10, 4);
    add_run(10, 4);
    make_named("compare");
    cr_expect_str_eq(input.runs->names[0].bytes, "A: one/p");
    cr_expect_str_eq(input.runs->names[1].bytes, "B: two/p");
    cup_comparison_free(&comparison);
    figures[1].path = link;
    make_named("compare");
    cr_expect_str_eq(input.runs->names[1].bytes, "B: p", "the same one twice");
    cr_expect_not_null(strstr(input.runs->heading, "A: p; B: p"));
}

/* ---- compare-budget ----------------------------------------------------------------------- */

Test(data_runs, budgets_of_the_same_work_are_times_and_others_shares)
{
    for (int i = 0; i < 3; i++) {
        add_run(10, 4);
        if (i == 1)
            continue;
        set("time_budget", "task_cpu_s", cup_seconds(30000000000));
        set("time_budget", "sleep_s", cup_seconds(4000000000));
        set("time_budget", "poll_wait_s", cup_seconds(6000000000));
    }
    const struct cup_rows *plot = make_named("compare-budget");
    cr_assert_eq(plot->count, 2);
    cr_expect_float_eq(plot->rows[0].parts[0], 30, 1e-9);
    cr_expect_float_eq(plot->rows[1].parts[5], 10, 1e-9);
    cr_expect_str_eq(plot->rows[1].text, "40.0 s, CPU 75 %");
    cr_expect_not_null(strstr(input.caption, " n/a: B."));
    cup_comparison_free(&comparison);
    set("workflow", "total_events", cup_count(999));
    plot = make_named("compare-budget");
    cr_expect_float_eq(plot->rows[0].parts[0], 75, 1e-9);
    cr_expect_eq(plot->whole, 100);
}

/* As if its log was full: what it has would look like all of the threads' time. */
Test(data_runs, a_run_without_its_idle_time_has_no_budget)
{
    for (int i = 0; i < 3; i++) {
        add_run(10, 4);
        set("time_budget", "threads_s", cup_seconds(40000000000));
        set("time_budget", "task_cpu_s", cup_seconds(30000000000));
        if (i != 1)
            set("time_budget", "idle_s", cup_seconds(10000000000));
    }
    const struct cup_rows *plot = make_named("compare-budget");
    cr_assert_eq(plot->count, 2);
    cr_expect_not_null(strstr(input.caption, " n/a: B."));
}

/* Medians of the parts would be 30 and 4 s. */
Test(data_runs, the_budget_of_a_side_is_that_of_one_run)
{
    static const double walls[] = {10, 12, 11}, cpu[] = {30, 40, 20}, idle[] = {4, 3, 9};
    struct cup_figures *runs = calloc(3, sizeof *runs);
    cr_assert(runs);
    for (int i = 0; i < 3; i++) {
        add_run(walls[i], 4);
        set("time_budget", "task_cpu_s", cup_seconds((int64_t)cpu[i] * 1000000000));
        set("time_budget", "idle_s", cup_seconds((int64_t)idle[i] * 1000000000));
        runs[i] = figures[--count];
    }
    cr_assert_eq(cup_side_make(&figures[count++], runs, 3), 0);
    add_run(10, 4);
    set("time_budget", "task_cpu_s", cup_seconds(1000000000));
    const struct cup_rows *plot = make_named("compare-budget");
    cr_assert_eq(plot->count, 2);
    cr_expect_str_eq(plot->rows[0].text, "29.0 s, CPU 69 %");
    cr_expect_not_null(strstr(input.caption, "the one with the median wall time"));
    cr_expect_str_eq(input.runs->names[0].bytes, "A: one/p and 2 more");
}

/* ---- compare-runtime ---------------------------------------------------------------------- */

Test(data_runs, quantiles_of_chunks)
{
    add_run(10, 4);
    add_chunks(CUP_CHUNK_TASK, 1, 3);
    add_run(10, 4);
    add_chunks(CUP_CHUNK_TASK, 2, 10);
    add_run(10, 4);
    add_chunks(CUP_CHUNK_PROCESS, 2, 10);
    const struct cup_compared_runtime *plot = make_named("compare-runtime");
    cr_assert_eq(plot->count, 2);
    cr_expect_float_eq(cup_spread_at(plot->spreads[0], 0.5), 2, 1e-9);
    cr_expect_float_eq(cup_spread_at(plot->spreads[1], 0.25), 4, 1e-9);
    cr_expect_float_eq(plot->low_s, 1, 1e-9);
    cr_expect_float_eq(plot->high_s, 10, 1e-9);
    cr_expect_not_null(strstr(input.caption, " n/a: C."));
}

Test(data_runs, times_of_one_kind_in_one_plot)
{
    add_run(10, 4);
    add_chunks(CUP_CHUNK_PROCESS, 1, 3);
    add_run(10, 4);
    add_chunks(CUP_CHUNK_PROCESS, 1, 3);
    const struct cup_compared_runtime *plot = make_named("compare-runtime");
    cr_expect_not_null(strstr(plot->name, "process()"));
    cr_expect_not_null(strstr(input.caption, "(Coffea)"));
}

Test(data_runs, no_chunks_no_times)
{
    add_run(10, 4);
    add_run(10, 4);
    cr_expect_null(make_named("compare-runtime"));
    cr_expect_not_null(strstr(input.reason, "fewer than two"));
}

/* ---- compare-scaling ---------------------------------------------------------------------- */

/* 100 events a second with four threads, 160 with eight, the baseline: 125 % of its rate. */
Test(data_runs, throughput_against_size)
{
    target = (struct cup_target){.rate = 500, .events = true, .text = "500Hz"};
    add_run(1000 / 160.0, 8);
    add_run(10, 4);
    const struct cup_compared_scaling *plot = make_named("compare-scaling");
    cr_assert_eq(plot->count, 2);
    cr_expect_float_eq(plot->size[0], 4, 1e-9);
    cr_expect_float_eq(plot->rate[0], 100, 1e-6);
    cr_expect_float_eq(plot->ideal, 20, 1e-6);
    cr_expect_str_eq(plot->texts[0], "B  125 %");
    cr_expect_str_eq(plot->texts[1], "A  100 %");
    cr_expect(plot->joined);
    cr_expect_eq(plot->target, 500);
    cr_expect_str_eq(plot->target_name, "target 500Hz");
}

Test(data_runs, no_line_joins_runs_of_one_size)
{
    add_run(10, 4);
    add_run(9, 4);
    add_run(5, 8);
    const struct cup_compared_scaling *plot = make_named("compare-scaling");
    cr_assert_eq(plot->count, 3);
    cr_expect_not(plot->joined);
}

Test(data_runs, a_target_says_what_is_shown_where_that_is_known)
{
    target = (struct cup_target){.rate = 1e9, .text = "1GB/s"};
    add_run(10, 4);
    set("workflow", "delivered_rate_gbps", cup_real(1));
    add_run(5, 8);
    set("workflow", "delivered_rate_gbps", cup_real(3));
    const struct cup_compared_scaling *plot = make_named("compare-scaling");
    cr_expect_not(plot->by_events);
    cr_expect_float_eq(plot->rate[1], 3e9, 1);
    cr_expect_float_eq(plot->target, 8e9, 1);
    cr_expect_str_eq(plot->texts[1], "B  150 %");
}

Test(data_runs, a_target_of_another_kind)
{
    target = (struct cup_target){.rate = 1e9, .text = "1GB/s"};
    add_run(10, 4);
    add_run(5, 8);
    const struct cup_compared_scaling *plot = make_named("compare-scaling");
    cr_expect_eq(plot->target, 0);
    cr_expect_not_null(strstr(input.caption, "target is not in the unit of this axis"));
}

Test(data_runs, equal_sizes_do_not_scale)
{
    add_run(10, 4);
    add_run(5, 4);
    cr_expect_null(make_named("compare-scaling"));
    cr_expect_not_null(strstr(input.reason, "the same number"));
}
