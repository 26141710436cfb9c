/* Flame graphs as pictures and on the page: places of boxes, for stacks worked out by hand
 * (stack_logs.h). */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"
#include "plot/flame/flame.h"
#include "plot/plots.h"
#include "tests/analysis/stack_logs.h"
#include "tests/analysis/support.h"
#include "tests/plot/page_support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH], path[2 * SUPPORT_PATH];
static struct cup_profile profile;
static struct cup_totals totals;
static struct cup_call_tree tree;
static struct cup_arena arena;
static struct cup_plot_input input;

static void set_up(void)
{
    make_scratch(scratch);
    make_scratch(outside);
    snprintf(path, sizeof path, "%s/page.html", outside);
}

static void tear_down(void)
{
    cup_arena_clear(&arena);
    cup_call_tree_free(&tree);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(flame, .init = set_up, .fini = tear_down);

static void load(void)
{
    static const struct cup_load_options options = {.run = CUP_ALL_RUNS};
    static const struct cup_call_ask all;
    struct cup_error error;
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    cr_assert_eq(cup_call_tree_make(&tree, &profile, &all), 0);
    totals.calls = &tree;
    input = (struct cup_plot_input){.totals = &totals, .arena = &arena};
}

static const struct cup_flame *make(const char *name)
{
    const void *data;
    struct cup_error error;
    cr_assert_eq(cup_plot_make(cup_plot_find(&cup_plots, name), &input, &data, &error), 0, "%s",
                 input.reason);
    return data;
}

static const struct cup_flame_box *box_of(const struct cup_flame *flame, const char *name, int row)
{
    for (size_t i = 0; i < flame->count; i++)
        if (flame->boxes[i].row == row && strcmp(flame->boxes[i].name, name) == 0)
            return &flame->boxes[i];
    cr_assert(false, "no box of %s in row %d", name, row);
    return NULL;
}

Test(flame, boxes_lie_below_their_callers_the_widest_first)
{
    save_stack_logs(scratch);
    load();
    const struct cup_flame *flame = make("flame-cpu");
    cr_assert_float_eq(flame->all, 0.68, 1e-9);
    cr_assert_eq(flame->rows, 5);
    cr_assert_eq(flame->count, 10,
                 "all, the work function, process in two lines, select twice, array, decompress, "
                 "open, not known");
    const struct cup_flame_box *work = box_of(flame, "_work_function", 1);
    cr_assert_float_eq(work->to, 0.65, 1e-9);
    cr_assert_float_eq(box_of(flame, "(not known)", 1)->from, 0.65, 1e-9);
    const struct cup_flame_box *process = box_of(flame, "process:12", 2);
    cr_assert_float_eq(process->to - process->from, 0.51, 1e-9);
    cr_assert_float_eq(process->self, 0.05, 1e-9);
    const struct cup_flame_box *other = box_of(flame, "process:14", 2);
    cr_assert_float_eq(other->from, process->to, 1e-9);
    cr_assert_float_eq(other->to, 0.61, 1e-9);
    cr_assert_float_eq(box_of(flame, "open", 2)->from, other->to, 1e-9);
    const struct cup_flame_box *select = box_of(flame, "select:31", 3);
    cr_assert_eq(select->kind, CUP_FLAME_USER);
    cr_assert_str_eq(select->whole, "select (mine.py:31)");
    cr_assert_float_eq(box_of(flame, "select:32", 4)->to, 0.1, 1e-9);
    cr_assert_float_eq(box_of(flame, "array", 3)->from, other->from, 1e-9);
    cr_assert_eq(box_of(flame, "decompress", 4)->kind, CUP_FLAME_READING);
}

/* All bytes were read below the work function. */
Test(flame, what_all_stacks_begin_with_is_left_out)
{
    save_stack_logs(scratch);
    load();
    const struct cup_flame *flame = make("flame-read");
    cr_assert_eq(flame->count, 6);
    cr_assert(box_of(flame, "all", 0)->is_all);
    cr_assert_float_eq(box_of(flame, "process:14", 1)->to, 1007, 1e-9);
    cr_assert_float_eq(box_of(flame, "_fetch", 4)->to, 1007, 1e-9);
    cr_assert_float_eq(box_of(flame, "open", 1)->from, 1007, 1e-9);
    cr_assert(strstr(input.caption, "Left out: 1 function that nearly all stacks begin with"), "%s",
              input.caption);
    make("flame-wait");
    make("flame-alloc");
}

/* Dask's function that runs a tenth of the work has no box, what it calls has; and on a helper
 * thread that reads, threading has none. What Dask does for itself keeps its boxes. */
Test(flame, dask_above_the_tasks_functions_is_left_out)
{
    struct log_builder b;
    build_stack_log(&b);
    static const char *const paths[] = {"/v/lib/python3.11/site-packages/distributed/worker.py",
                                        "/v/lib/python3.11/threading.py"};
    builder_string(&b, 80, paths[0]);
    builder_string(&b, 81, paths[1]);
    builder_code(&b, 60, 80, "execute", 1, NULL, 0);
    builder_code(&b, 61, 81, "Thread.run", 2, NULL, 0);
    builder_code(&b, 62, 80, "dumps", 3, NULL, 0);
    const struct cup_stack_node nodes[] = {{0, 60, CUP_AT_UNKNOWN},
                                           {60, SELECT, CUP_AT_UNKNOWN},
                                           {60, 62, CUP_AT_UNKNOWN},
                                           {N_HELPER, 61, CUP_AT_UNKNOWN},
                                           {63, FETCH, CUP_AT_UNKNOWN}};
    const struct cup_stack_use_row uses[] = {{61, CUP_U_CPU, 1, 0, 500000000},
                                             {62, CUP_U_CPU, 1, 0, 300000000},
                                             {64, CUP_U_CPU, 1, 0, 100000000}};
    builder_stacks(&b, 60, nodes, 5);
    builder_uses(&b, 1, uses, 3);
    builder_finish(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
    load();
    const struct cup_flame *flame = make("flame-cpu");
    cr_assert_float_eq(box_of(flame, "select", 1)->self, 0.5, 1e-9);
    cr_assert_float_eq(box_of(flame, "dumps", 1)->self, 0.3, 1e-9);
    const struct cup_flame_box *helper = box_of(flame, "(helper thread)", 4);
    cr_assert(helper->is_all, "it is no function of a package");
    cr_assert_float_eq(box_of(flame, "_fetch", 5)->from, helper->from, 1e-9);
    cr_assert_str_eq(box_of(flame, "_fetch", 5)->packaged, "fsspec._fetch");
    cr_assert_str_eq(box_of(flame, "_fetch", 5)->qualified, "fsspec.implementations.local._fetch");
    cr_assert(strstr(input.caption, "2 functions above those of the tasks"), "%s", input.caption);
}

/* Five functions of uproot, each calling the next, below the user's: only the first and the last
 * have boxes. */
Test(flame, what_only_passes_on_is_left_out)
{
    struct log_builder b;
    build_stack_log(&b);
    struct cup_stack_node nodes[5];
    for (uint32_t i = 0; i < 5; i++) {
        char name[20];
        snprintf(name, sizeof name, "step_%u", i);
        builder_code(&b, 60 + i, 3, name, i, NULL, 0);
        nodes[i] = (struct cup_stack_node){i ? 59 + i : N_PROCESS, 60 + i, CUP_AT_UNKNOWN};
    }
    const struct cup_stack_use_row use = {64, CUP_U_CPU, 1, 0, 500000000};
    builder_stacks(&b, 60, nodes, 5);
    builder_uses(&b, 1, &use, 1);
    builder_finish(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
    load();
    const struct cup_flame *flame = make("flame-cpu");
    cr_assert_eq(box_of(flame, "step_0", 3)->row, 3);
    cr_assert_eq(box_of(flame, "step_4", 4)->row, 4);
    cr_assert(strstr(input.caption, "3 functions that pass on"), "%s", input.caption);
}

Test(flame, small_boxes_are_left_out_and_counted)
{
    struct log_builder b;
    build_stack_log(&b);
    enum { MANY = 5000 };
    static struct cup_stack_node nodes[MANY];
    static struct cup_stack_use_row uses[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        char name[20];
        snprintf(name, sizeof name, "small_%u", i);
        builder_code(&b, 1000 + i, 2, name, i, NULL, 0);
        nodes[i] = (struct cup_stack_node){N_SELECT, 1000 + i, CUP_AT_UNKNOWN};
        uses[i] = (struct cup_stack_use_row){1000 + i, CUP_U_CPU, 1, 0, 1000};
    }
    builder_stacks(&b, 1000, nodes, MANY);
    builder_uses(&b, 1, uses, MANY);
    builder_finish(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
    load();
    const struct cup_flame *flame = make("flame-cpu");
    cr_assert_eq(flame->count, 10);
    cr_assert(strstr(input.caption, "5,000 boxes below 0.1 %."), "%s", input.caption);
}

#define RUN(...) run_verb(outside, cup_verb_plot, (const char *const[]){"plot", __VA_ARGS__, NULL})

Test(flame, a_run_without_stacks_says_why)
{
    struct log_builder b;
    build_golden_log(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
    cr_assert_eq(RUN(scratch, "-o", outside, "flame-cpu"), CUP_EXIT_FAILED);
    char *error = read_text_in(outside, "err");
    cr_assert(strstr(error, "cannot draw flame-cpu: no process took stacks"), "%s", error);
    free(error);
    cr_assert_eq(RUN(scratch, "--html", path), CUP_EXIT_DONE);
    char *page = read_text(path);
    cr_assert_not(strstr(page, "id=\"functions\""));
    free(page);
}

Test(flame, tasks_can_be_chosen)
{
    save_stack_logs(scratch);
    cr_assert_eq(RUN(scratch, "-o", outside, "flame-cpu", "--prefix", "merge"), CUP_EXIT_DONE);
    cr_assert_eq(RUN(scratch, "-o", outside, "flame-cpu", "--prefix", "none"), CUP_EXIT_FAILED);
}

Test(flame, what_was_asked_for_is_told)
{
    save_stack_logs(scratch);
    cr_assert_eq(RUN(scratch, "--html", path, "--dataset", "TT", "--worker", "two"), CUP_EXIT_DONE);
    char *page = read_text(path);
    cr_expect(strstr(page, "Escape shows all. Only tasks of dataset TT, on worker two."));
    free(page);
    json_t *data = flame_data(path);
    cr_expect_eq(flame_all(data, 0, "cpu"), 60000);
    json_decref(data);
}

/* ---- the page ----------------------------------------------------------------------------- */

static const char *title_of(const json_t *data, size_t slice)
{
    return json_string_value(
        json_object_get(json_array_get(json_object_get(data, "slices"), slice), "title"));
}

Test(flame, the_page_has_slices_of_all_tasks_prefixes_datasets_and_workers)
{
    static const struct {
        const char *title;
        json_int_t cpu, process; /* process: with its callees, at line 12 */
    } expected[] = {{"all tasks", 680000, 510000}, {"chunk", 640000, 510000},
                    {"merge", 40000, 0},           {"TT", 560000, 460000},
                    {"DY", 80000, 50000},          {"one", 620000, 450000},
                    {"two", 60000, 60000}};
    save_stack_logs(scratch);
    cr_assert_eq(RUN(scratch, "--html", path), CUP_EXIT_DONE);
    json_t *data = flame_data(path);
    cr_assert_eq(json_array_size(json_object_get(data, "weights")), 4);
    cr_assert_eq(json_array_size(json_object_get(data, "kinds")), CUP_FLAME_KINDS);
    cr_assert_eq(json_array_size(json_object_get(data, "parents")), 12,
                 "all, the ten nodes, and not known");
    cr_assert_eq(json_array_size(json_object_get(data, "slices")), 7);
    for (size_t i = 0; i < 7; i++) {
        cr_expect_str_eq(title_of(data, i), expected[i].title);
        cr_expect(json_is_true(json_object_get(json_array_get(json_object_get(data, "slices"), i),
                                               "sampled")),
                  "%s", expected[i].title);
        cr_expect_eq(flame_all(data, i, "cpu"), expected[i].cpu, "%s", expected[i].title);
        cr_expect_eq(flame_of(data, i, "cpu", "Processor.process (mine.py:12"), expected[i].process,
                     "%s", expected[i].title);
    }
    cr_expect_eq(flame_all(data, 0, "wait"), 25000);
    cr_expect_eq(flame_all(data, 0, "read"), 1507);
    cr_expect_eq(flame_all(data, 0, "alloc"), 4096);
    cr_expect_eq(flame_all(data, 6, "read"), 500);
    json_decref(data);
}

/* Each task has a dataset of its own. */
Test(flame, the_list_says_how_many_are_left_out)
{
    enum { DATASETS = 11, NAMES = 200 };
    struct log_builder b;
    build_stack_log(&b);
    for (uint32_t i = 0; i < DATASETS; i++) {
        char name[20];
        const struct cup_stack_use_row use = {N_SELECT, CUP_U_CPU, 1, 0, 1000000 * (i + 1)};
        snprintf(name, sizeof name, "set-%u", i);
        builder_string(&b, NAMES + i, name);
        add_stack_task(&b, 10 + i, i + 1, NAMES + i);
        builder_uses(&b, 10 + i, &use, 1);
    }
    builder_finish(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
    cr_assert_eq(RUN(scratch, "--html", path), CUP_EXIT_DONE);
    json_t *data = flame_data(path);
    const json_t *first = json_array_get(json_object_get(data, "slices"), 3);
    cr_expect_str_eq(json_string_value(json_object_get(first, "title")), "set-10",
                     "that of most time");
    cr_expect_str_eq(json_string_value(json_object_get(first, "group")),
                     "datasets: the 8 with the most time, of 13");
    cr_expect_eq(flame_all(data, 3, "cpu"), 11000);
    cr_expect_eq(json_array_size(json_object_get(data, "slices")), 3 + 8, "there is one worker");
    json_decref(data);
}

/* Names of functions may contain any characters. */
Test(flame, names_in_the_page_are_no_markup)
{
    save_log_of_function(scratch, "</pre><script>hack()</script>\"\\", 500000000);
    cr_assert_eq(RUN(scratch, "--html", path), CUP_EXIT_DONE);
    char *page = read_text(path);
    cr_assert_not(strstr(page, "<script>hack"));
    free(page);
    json_t *data = flame_data(path);
    bool found = false;
    size_t i;
    json_t *function;
    json_array_foreach(json_object_get(data, "functions"), i, function) found |=
        strstr(json_string_value(json_array_get(function, 0)),
               "</pre><script>hack()</script>\"\\") != NULL;
    cr_assert(found);
    json_decref(data);
}
