/* Flame graphs of two runs, as pictures and on the page: what grew, shrank or is gone, for stacks
 * worked out by hand (stack_logs.h). */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/inputs.h"
#include "analysis/compare/run_stacks.h"
#include "cli/verbs.h"
#include "plot/flame/flame.h"
#include "plot/plots.h"
#include "plot/shared/runs.h"
#include "tests/analysis/stack_logs.h"
#include "tests/analysis/support.h"
#include "tests/plot/page_support.h"

static char before[SUPPORT_PATH], after[SUPPORT_PATH], outside[SUPPORT_PATH];
static char path[2 * SUPPORT_PATH];
static struct cup_input_list inputs;
static struct cup_comparison comparison;
static struct cup_arena arena;
static struct cup_plot_input input;

static void set_up(void)
{
    make_scratch(before);
    make_scratch(after);
    make_scratch(outside);
    snprintf(path, sizeof path, "%s/page.html", outside);
}

static void tear_down(void)
{
    cup_arena_clear(&arena);
    cup_comparison_free(&comparison);
    cup_input_list_close(&inputs);
    remove_scratch(before);
    remove_scratch(after);
    remove_scratch(outside);
}

TestSuite(flame_runs, .init = set_up, .fini = tear_down);

/* ---- two runs ------------------------------------------------------------------------------ */

enum { MORE = 60, OWN_FILE = 70 };
#define MS(n) ((uint64_t)(n)*1000000)

static void finish(struct log_builder *b, const char *directory)
{
    builder_finish(b);
    save_log(b, directory, "one.cup");
    builder_free(b);
}

static void add_node(struct log_builder *b, uint32_t id, uint32_t parent, uint32_t code)
{
    const struct cup_stack_node node = {parent, code, CUP_AT_UNKNOWN};
    builder_stacks(b, id, &node, 1);
}

static void add_use(struct log_builder *b, uint32_t node, uint32_t use, uint64_t count, uint64_t ns)
{
    const struct cup_stack_use_row row = {node, use, count, 0, ns};
    builder_uses(b, 1, &row, 1);
}

/* 830 ms of CPU time in 2,000 events: 620 ms of stack_logs.h (62 samples), 200 ms in old() (20
 * samples), 10 ms in rare() (one sample). */
static void save_before(void)
{
    struct log_builder b;
    build_stack_log(&b);
    builder_code(&b, MORE, 2, "old", 80, NULL, 0);
    builder_code(&b, MORE + 1, 2, "rare", 90, NULL, 0);
    add_node(&b, MORE, N_PROCESS, MORE);
    add_node(&b, MORE + 1, N_PROCESS, MORE + 1);
    add_use(&b, MORE, CUP_U_CPU, 20, MS(200));
    add_use(&b, MORE + 1, CUP_U_CPU, 1, MS(10));
    finish(&b, before);
}

/* 2,420 ms: the 620 ms, 1,000 ms more in decompress() (100 samples), 300 ms in new(), 400 ms in
 * select(), which is on another line of a moved file, and 100 ms more in open() (one sample). */
static void save_after(void)
{
    struct log_builder b;
    build_stack_log(&b);
    builder_string(&b, OWN_FILE, "/elsewhere/v2/mine.py");
    builder_code(&b, MORE, 2, "new", 80, NULL, 0);
    builder_code(&b, MORE + 1, OWN_FILE, "select", 50, NULL, 0);
    add_node(&b, MORE, N_PROCESS, MORE);
    add_node(&b, MORE + 1, N_PROCESS, MORE + 1);
    add_use(&b, N_DECOMPRESS, CUP_U_CPU, 100, MS(1000));
    add_use(&b, MORE, CUP_U_CPU, 30, MS(300));
    add_use(&b, MORE + 1, CUP_U_CPU, 40, MS(400));
    add_use(&b, N_OPEN, CUP_U_CPU, 1, MS(100));
    add_use(&b, N_ARRAY, CUP_U_LOCK_WAIT, 1, 300000);
    add_use(&b, N_PROCESS, CUP_U_SLEEP, 1, 100000);
    finish(&b, after);
}

static void open_runs(const char *const *words, size_t count, size_t baseline)
{
    static struct cup_target none;
    struct cup_error error;
    bool usage = false;
    inputs = (struct cup_input_list){.words = words,
                                     .word_count = count,
                                     .ask = {.stacks = true, .tasks = inputs.ask.tasks},
                                     .baseline = baseline};
    cr_assert_eq(cup_input_list_open(&inputs, &usage, &error), 0, "%s", error.text);
    cr_assert_eq(cup_comparison_make(&comparison, inputs.figures, inputs.count, baseline), 0);
    input = (struct cup_plot_input){.runs = cup_plot_runs_make(&arena, &comparison, &none),
                                    .arena = &arena};
}

static void open_both(size_t baseline)
{
    static const char *words[2];
    words[0] = before;
    words[1] = after;
    save_before();
    save_after();
    open_runs(words, 2, baseline);
}

static const struct cup_flame *make(const char *name)
{
    const void *data;
    struct cup_error error;
    cr_assert_eq(cup_plot_make(cup_plot_find(&cup_run_plots, name), &input, &data, &error), 0, "%s",
                 input.reason);
    return data;
}

static const struct cup_flame_box *box_of(const struct cup_flame *flame, const char *name)
{
    for (size_t i = 0; i < flame->count; i++)
        if (strcmp(flame->boxes[i].name, name) == 0)
            return &flame->boxes[i];
    cr_assert(false, "no box of %s", name);
    return NULL;
}

static void expect_box(const struct cup_flame *flame, const char *name, double width, double change,
                       int shade)
{
    const struct cup_flame_box *box = box_of(flame, name);
    cr_expect_float_eq(box->to - box->from, width, 1e-12, "%s is %g wide", name,
                       box->to - box->from);
    cr_expect_float_eq(box->change, change, 1e-12, "%s changed by %g", name, box->change);
    cr_expect_eq(box->shade, shade, "%s: %d", name, box->shade);
}

static void expect_said(const char *part)
{
    cr_expect(strstr(input.caption, part), "%s: %s", part, input.caption);
}

/* ---- pictures ------------------------------------------------------------------------------ */

/* Converts the milliseconds of both runs to seconds per event. */
#define EACH(ms) ((ms)*1e-3 / 2000)

Test(flame_runs, boxes_are_as_wide_as_in_the_later_run_and_tell_the_change)
{
    open_both(0);
    const struct cup_flame *flame = make("compare-flame-cpu");
    cr_assert(flame->compared);
    cr_expect_float_eq(flame->all, EACH(2420), 1e-12);
    expect_box(flame, "all", EACH(2420), EACH(2420 - 830), 3);
    expect_box(flame, "decompress", EACH(1100), EACH(1000), 3);
    expect_box(flame, "new", EACH(300), EACH(300), 3);
    expect_said("per event of B (cupping): 1.21 ms; in A 415");
}

/* The file of the function was moved and edited. Its two lines, and its recursive calls, count as
 * one function. */
Test(flame_runs, a_function_is_the_same_elsewhere_and_on_another_line)
{
    open_both(0);
    expect_box(make("compare-flame-cpu"), "select", EACH(800), EACH(400), 3);
}

static void save_cell(const char *directory, const char *file)
{
    struct log_builder b;
    build_stack_log(&b);
    builder_string(&b, OWN_FILE, file);
    builder_code(&b, MORE, OWN_FILE, "fill", 3, NULL, 0);
    add_node(&b, MORE, N_PROCESS, MORE);
    add_use(&b, MORE, CUP_U_CPU, 20, MS(200));
    finish(&b, directory);
}

Test(flame_runs, cells_of_notebooks_are_one_file)
{
    static const char *words[2];
    save_cell(before, "/tmp/ipykernel_71/1234.py");
    save_cell(after, "<ipython-input-3-5678>");
    words[0] = before;
    words[1] = after;
    open_runs(words, 2, 0);
    expect_box(make("compare-flame-cpu"), "fill", EACH(200), 0, 0);
}

/* Ten times as much, but only one sample in each run. */
Test(flame_runs, what_samples_may_make_is_no_change)
{
    open_both(0);
    const struct cup_flame *flame = make("compare-flame-cpu");
    cr_expect_float_eq(box_of(flame, "open")->change, EACH(100), 1e-12);
    cr_expect_eq(box_of(flame, "open")->shade, 0);
    cr_expect_eq(box_of(flame, "(not known)")->shade, 0);
}

/* Waits are measured, not sampled. Of the 25 ms before, 0.1 ms are 0.4 % and 0.3 ms are 1.2 %. */
Test(flame_runs, shades_go_by_shares_of_all_of_the_baseline)
{
    open_both(0);
    const struct cup_flame *flame = make("compare-flame-wait");
    expect_box(flame, "array", EACH(20.3), EACH(0.3), 2);
    expect_box(flame, "all", EACH(25.4), EACH(0.4), 2);
    expect_box(flame, "process", EACH(25.4), EACH(0.4), 2);
    cr_expect_null(strstr(input.caption, "samples"), "%s", input.caption);
}

/* rare() has one sample, which may be chance. */
Test(flame_runs, what_is_gone_is_told)
{
    open_both(0);
    make("compare-flame-cpu");
    expect_said(" 24.1 % of A was in 1 function that B does not have: old (mine.py).");
}

Test(flame_runs, exchanged_it_is_the_other_way_round)
{
    open_both(1);
    const struct cup_flame *flame = make("compare-flame-cpu");
    expect_box(flame, "all", EACH(830), EACH(830 - 2420), -3);
    expect_box(flame, "decompress", EACH(100), EACH(-1000), -3);
    expect_box(flame, "old", EACH(200), EACH(200), 2);
    expect_said(" 12.4 % of B was in 1 function that A does not have: new (mine.py).");
}

Test(flame_runs, where_events_are_not_known_amounts_are_for_each_task)
{
    open_both(0);
    inputs.figures[1].stacks->events = 0;
    cr_expect_float_eq(make("compare-flame-cpu")->all, 2.42 / 3, 1e-12);
    expect_said("per task of B");
}

/* The number of events is that of all tasks. */
Test(flame_runs, some_tasks_are_compared_task_by_task)
{
    static const struct cup_call_ask ask = {.dataset = "DY"};
    inputs.ask.tasks = &ask;
    open_both(0);
    cr_expect_float_eq(make("compare-flame-cpu")->all, 0.08, 1e-12);
    expect_said("per task of B");
    expect_said(" Only tasks of dataset DY.");
}

static void expect_none(const char *name, const char *why)
{
    const void *data;
    struct cup_error error;
    cr_expect_eq(cup_plot_make(cup_plot_find(&cup_run_plots, name), &input, &data, &error), 1);
    cr_expect(strstr(input.reason, why), "%s", input.reason);
}

Test(flame_runs, runs_without_stacks_say_so)
{
    static const char *words[2];
    struct log_builder b;
    build_golden_log(&b);
    finish(&b, after);
    save_before();
    words[0] = before;
    words[1] = after;
    open_runs(words, 2, 0);
    expect_none("compare-flame-read", "B: no process took stacks");
}

Test(flame_runs, three_runs_are_too_many_for_a_picture)
{
    static const char *words[3];
    save_before();
    save_after();
    words[0] = before;
    words[1] = words[2] = after;
    open_runs(words, 3, 0);
    expect_none("compare-flame-read", "shows two runs, not 3");
}

/* The run has no stacks. */
Test(flame_runs, what_the_later_run_has_nothing_of_is_told)
{
    open_both(0);
    inputs.figures[1].stacks->tree.row_count = 0;
    expect_none("compare-flame-wait", "B: no task waited for over 1 ms");
}

/* ---- the page and the verb ----------------------------------------------------------------- */

#define RUN(...) run_verb(outside, cup_verb_plot, (const char *const[]){"plot", __VA_ARGS__, NULL})

static void make_page(void)
{
    save_before();
    save_after();
    cr_assert_eq(RUN(before, after, "--html", path), CUP_EXIT_DONE);
}

Test(flame_runs, the_page_has_both_over_one_tree)
{
    make_page();
    json_t *data = flame_data(path);
    cr_expect_eq(json_integer_value(json_object_get(data, "baseline")), 0);
    cr_expect_str_eq(json_string_value(json_object_get(data, "each")), "event");
    cr_assert_eq(json_array_size(json_object_get(data, "slices")), 2);
    cr_expect_eq(flame_all(data, 0, "cpu"), 830000);
    cr_expect_eq(flame_all(data, 1, "cpu"), 2420000);
    cr_expect_eq(flame_all(data, 1, "samples"), 233, "62, and 171 more");
    cr_expect_eq(flame_of(data, 1, "cpu", "select (mine.py)"), 800000);
    cr_expect_eq(flame_of(data, 0, "cpu", "old (mine.py)"), 200000);
    cr_expect_eq(flame_of(data, 1, "cpu", "old (mine.py)"), 0);
    json_decref(data);
}

/* What is not measured is not the same as none. */
Test(flame_runs, the_page_knows_which_run_has_no_samples)
{
    struct log_builder b;
    save_before();
    build_stack_log(&b);
    builder_header(&b)->features &= ~(uint64_t)CUP_FEATURE_CPU;
    finish(&b, after);
    cr_assert_eq(RUN(before, after, "--html", path), CUP_EXIT_DONE);
    json_t *data = flame_data(path), *slices = json_object_get(data, "slices");
    cr_expect(json_is_true(json_object_get(json_array_get(slices, 0), "sampled")));
    cr_expect(json_is_false(json_object_get(json_array_get(slices, 1), "sampled")));
    json_decref(data);
}

Test(flame_runs, the_page_links_to_the_pictures)
{
    make_page();
    char *page = read_text(path);
    expect_closed(page);
    expect_links(page);
    cr_expect_eq(count_in(page, "href=\"#plot-compare-flame-cpu\""), 3,
                 "contents, functions, and its own");
    free(page);
}

/* The baseline is the last of many runs, and still one of the eight that are shown. */
Test(flame_runs, the_page_of_many_runs_says_which_are_left_out)
{
    save_before();
    save_after();
    cr_assert_eq(RUN(after, after, after, after, after, after, after, after, after, before,
                     "--baseline", "J", "--html", path),
                 CUP_EXIT_DONE);
    json_t *data = flame_data(path);
    cr_expect_eq(json_array_size(json_object_get(data, "slices")), 8);
    cr_expect_eq(json_integer_value(json_object_get(data, "baseline")), 7);
    cr_expect_eq(flame_all(data, 7, "cpu"), 830000);
    json_decref(data);
    char *page = read_text(path);
    cr_expect_eq(count_in(page, " Not shown: "), 2);
    free(page);
}

Test(flame_runs, a_saved_report_has_no_stacks)
{
    char report[2 * SUPPORT_PATH];
    snprintf(report, sizeof report, "%s/report.json", outside);
    save_before();
    cr_assert_eq(run_verb(outside, cup_verb_report,
                          (const char *const[]){"report", before, "--json", report, NULL}),
                 CUP_EXIT_DONE);
    cr_assert_eq(RUN(before, report, "-o", outside, "compare-flame-cpu"), CUP_EXIT_FAILED);
    char *error = read_text_in(outside, "err");
    cr_expect(strstr(error, "compare-flame-cpu: B: a saved report holds no stacks"), "%s", error);
    free(error);
    cr_assert_eq(RUN(before, report, "--html", path), CUP_EXIT_DONE);
    char *page = read_text(path);
    cr_expect_eq(count_in(page, "id=\"functions\""), 0);
    expect_links(page);
    free(page);
}
