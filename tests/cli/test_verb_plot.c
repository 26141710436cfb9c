/* `cupping plot`: what it writes, what it lists, and one line for each complaint. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/compare/compare.h"
#include "cli/verbs.h"
#include "plot/plots.h"
#include "tests/analysis/stack_logs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH]; /* the profile */
static char outside[SUPPORT_PATH]; /* what the verb writes and prints */
static char pictures[2 * SUPPORT_PATH];

static void set_up(void)
{
    make_golden(scratch, outside);
    snprintf(pictures, sizeof pictures, "%s/pictures", outside);
}

static void tear_down(void)
{
    remove_scratch(pictures);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(verb_plot, .init = set_up, .fini = tear_down);

#define RUN(...) run_verb(outside, cup_verb_plot, (const char *const[]){"plot", __VA_ARGS__, NULL})

static void expect_printed(const char *name, size_t count, const char *part)
{
    char *text = read_text_in(outside, name);
    cr_expect_eq(lines_of(text), count, "%s: %s", name, text);
    cr_expect(!part || strstr(text, part), "%s: %s", part, text);
    free(text);
}

static bool begins(const char *file, const char *magic)
{
    char path[3 * SUPPORT_PATH], head[8] = "";
    snprintf(path, sizeof path, "%s/%s", pictures, file);
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return false;
    size_t count = fread(head, 1, sizeof head, stream);
    fclose(stream);
    return count == sizeof head && memcmp(head, magic, strlen(magic)) == 0;
}

/* Named in a line of those that were left out, alone or among others. */
static bool is_left_out(const char *err, const char *name)
{
    for (const char *at = err; (at = strstr(at, name)) != NULL; at++) {
        char end = at[strlen(name)];
        if (at > err && at[-1] == ' ' && (end == ',' || end == ':'))
            return true;
    }
    return false;
}

Test(verb_plot, without_a_name_those_that_answer_most)
{
    cr_assert_eq(RUN(scratch, "-o", pictures), CUP_EXIT_DONE);
    char *out = read_text_in(outside, "out"), *err = read_text_in(outside, "err");
    for (size_t i = 0; i < CUP_MAIN_PLOTS; i++) {
        char path[64];
        cr_expect_not_null(cup_plot_find(&cup_plots, cup_main_plots[i]));
        snprintf(path, sizeof path, "/pictures/%s.png\n", cup_main_plots[i]);
        cr_expect_neq(strstr(out, path) != NULL, is_left_out(err, cup_main_plots[i]), "%s", path);
    }
    cr_expect_leq(lines_of(out), CUP_MAIN_PLOTS);
    cr_expect_not_null(strstr(out, "/pictures/runtime-events.png\n"));
    cr_expect_not_null(strstr(err, " more plots with --all; `cupping plot --list`"), "%s", err);
    free(out);
    free(err);
}

Test(verb_plot, all_that_the_data_allow)
{
    cr_assert_eq(RUN(scratch, "--all", "-o", pictures), CUP_EXIT_DONE);
    cr_expect(begins("worker-count.png", "\x89PNG"));
    cr_expect(begins("runtime-events.png", "\x89PNG"));
    cr_expect(begins("chunk-runtime.png", "\x89PNG"));
    char *out = read_text_in(outside, "out"), *err = read_text_in(outside, "err");
    size_t reported = 0;
    for (size_t i = 0; i < cup_plots.count; i++)
        reported += is_left_out(err, cup_plots.rows[i].name);
    cr_expect_eq(lines_of(out) + reported, cup_plots.count, "each is drawn or reported: %s", err);
    cr_expect_not_null(strstr(out, "/pictures/runtime-events.png\n"));
    cr_expect(is_left_out(err, "compression-ratio"));
    cr_expect_lt(lines_of(err), reported, "one line for each reason: %s", err);
    for (const char *line = err; *line; line = strchr(line, '\n') + 1)
        cr_expect_eq(strncmp(line, "cupping: plot: cannot draw ", 27), 0, "%s", line);
    free(out);
    free(err);
}

Test(verb_plot, a_prefix_that_no_task_has_is_refused)
{
    char stacks[SUPPORT_PATH];
    make_scratch(stacks);
    save_stack_logs(stacks);
    cr_expect_eq(RUN(stacks, "flame-cpu", "-o", pictures), CUP_EXIT_DONE);
    cr_expect_eq(RUN(stacks, "flame-cpu", "-o", pictures, "--prefix", "Dimoun"), CUP_EXIT_FAILED);
    expect_printed("out", 0, NULL);
    expect_printed("err", 1, "no task with a stack matches --prefix Dimoun");
    remove_scratch(stacks);
}

Test(verb_plot, formats_and_names)
{
    cr_assert_eq(RUN(scratch, "chunk-runtime", "-o", pictures, "--format", "svg", "--dark"),
                 CUP_EXIT_DONE);
    cr_assert_eq(RUN(scratch, "chunk-runtime", "-o", pictures, "--format=pdf", "--width", "12"),
                 CUP_EXIT_DONE);
    cr_expect(begins("chunk-runtime.svg", "<?xml"));
    cr_expect(begins("chunk-runtime.pdf", "%PDF"));
    cr_expect_not(begins("runtime-events.svg", "<?xml"));
}

static char *expect_listed(char *line, const struct cup_plot *plots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(strncmp(line, plots[i].name, strlen(plots[i].name)), 0);
        cr_expect_eq(line[strlen(plots[i].name)], ' ');
        line = strchr(line, '\n') + 1;
    }
    return line;
}

Test(verb_plot, the_list_has_a_line_for_each)
{
    const size_t listed = cup_plots.count + cup_run_plots.count;
    cr_assert_eq(RUN("--list", scratch), CUP_EXIT_DONE);
    char *out = read_text_in(outside, "out"), *line = out;
    cr_expect_eq(lines_of(out), listed);
    line = expect_listed(line, cup_plots.rows, cup_plots.count);
    expect_listed(line, cup_run_plots.rows, cup_run_plots.count);
    cr_expect_not_null(strstr(out, "(not from this profile: "));
    free(out);
}

/* No profile at hand: the list is there all the same. */
Test(verb_plot, the_list_needs_no_profile)
{
    const size_t listed = cup_plots.count + cup_run_plots.count;
    cr_assert_eq(chdir(outside), 0);
    cr_assert_eq(RUN("--list"), CUP_EXIT_DONE);
    expect_printed("out", listed, "worker-count");
    cr_assert_eq(chdir("/"), 0);
}

Test(verb_plot, wrong_usage_is_one_line)
{
    static const struct {
        const char *arguments[4], *part;
    } wrong[] = {
        {{"no-such-plot"}, "no such plot, and no such profile"},
        {{"worker-count", "no-such-plot"}, "no-such-plot: no such plot"},
        {{"--format", "gif"}, "name png, svg or pdf"},
        {{"--width", "0"}, "inches"},
        {{"--width", "nan"}, "inches"},
        {{"--height", "3in"}, "inches"},
        {{"--dark=yes"}, "takes no value"},
        {{"--frob"}, "is not an option"},
        {{"-o", "-"}, "a directory"},
        {{"--run", "x"}, "--run"},
        {{"compare"}, "compare: shows two or more runs"},
        {{"/tmp", "/usr", "task-stream"}, "task-stream: shows one run; of several"},
        {{"--all", "task-stream"}, "--all draws every plot, also task-stream"},
        {{"--baseline", "B"}, "--baseline is for plots of two or more runs"},
        {{"--target", "1GB/s"}, "--target is for plots of two or more runs"},
        {{"/tmp", "/usr", "--baseline=C"}, "--baseline C: not one of the 2"},
        {{"/tmp", "/usr", "--target=5"}, "--target 5: not a unit"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const arguments[] = {"plot", wrong[i].arguments[0], wrong[i].arguments[1],
                                         wrong[i].arguments[2], NULL};
        cr_expect_eq(run_verb(outside, cup_verb_plot, arguments), CUP_EXIT_USAGE, "%s",
                     arguments[1]);
        expect_printed("err", 1, wrong[i].part);
        expect_printed("out", 0, NULL);
    }
}

Test(verb_plot, what_cannot_be_done_is_one_line)
{
    char file[2 * SUPPORT_PATH];
    snprintf(file, sizeof file, "%s/a.cup", scratch);
    cr_expect_eq(RUN("/no/such/profile", "-o", pictures), CUP_EXIT_FAILED);
    expect_printed("err", 1, "/no/such/profile");
    cr_expect_eq(RUN(scratch, "-o", "/no/such/place", "chunk-runtime"), CUP_EXIT_FAILED);
    expect_printed("err", 1, "/no/such/place");
    cr_expect_eq(RUN(scratch, "-o", file, "chunk-runtime"), CUP_EXIT_FAILED);
    expect_printed("err", 1, "is not a directory");
}

/* Of one saved report or measurement there is nothing to draw. */
Test(verb_plot, one_input_without_tasks_is_one_line)
{
    char report[2 * SUPPORT_PATH], roast[2 * SUPPORT_PATH];
    snprintf(report, sizeof report, "%s/report.json", outside);
    snprintf(roast, sizeof roast, "%s/roast", outside);
    cr_assert_eq(run_verb(outside, cup_verb_report,
                          (const char *const[]){"report", scratch, "--json", report, NULL}),
                 CUP_EXIT_DONE);
    cr_assert_eq(run_verb(outside, cup_verb_export,
                          (const char *const[]){"export", scratch, "--to", "roastcoffea", "-o",
                                                roast, NULL}),
                 CUP_EXIT_DONE);
    cr_expect_eq(RUN(report, "-o", pictures), CUP_EXIT_FAILED);
    expect_printed("err", 1, "it is a saved report, whose plots compare two or more runs");
    cr_expect_eq(RUN(roast, "-o", pictures), CUP_EXIT_FAILED);
    expect_printed("err", 1, "it is a measurement of roastcoffea, whose plots compare");
    remove_scratch(roast);
}

Test(verb_plot, one_run_of_a_profile)
{
    char run[SUPPORT_PATH + 8];
    snprintf(run, sizeof run, "%s:1", scratch);
    cr_expect_eq(RUN(run, "chunk-runtime", "-o", pictures), CUP_EXIT_DONE);
    expect_printed("out", 1, "chunk-runtime.png");
    snprintf(run, sizeof run, "%s:7", scratch);
    cr_expect_eq(RUN(run, "chunk-runtime", "-o", pictures, "--run", "1"), CUP_EXIT_USAGE);
    expect_printed("err", 1, "--run 7: it holds 1 run");
}

/* Asked for by name, a plot that cannot be drawn is a failure that says why. */
Test(verb_plot, a_named_plot_that_cannot_be_drawn)
{
    cr_expect_eq(RUN(scratch, "-o", pictures, "share-read", "chunk-runtime"), CUP_EXIT_FAILED);
    cr_expect(begins("chunk-runtime.png", "\x89PNG"));
    expect_printed("out", 1, "chunk-runtime.png");
    expect_printed("err", 2, "cannot draw share-read: ");
}

/* ---- several runs ------------------------------------------------------------------------- */

/* A profile, a run of it, a report saved as JSON and a measurement of another tool. */
Test(verb_plot, runs_of_every_kind_beside_each_other)
{
    char report[2 * SUPPORT_PATH], run[SUPPORT_PATH + 8], roast[2 * SUPPORT_PATH];
    snprintf(report, sizeof report, "%s/report.json", outside);
    snprintf(run, sizeof run, "%s:all", scratch);
    snprintf(roast, sizeof roast, "%s/roast", outside);
    cr_assert_eq(run_verb(outside, cup_verb_report,
                          (const char *const[]){"report", scratch, "--json", report, NULL}),
                 CUP_EXIT_DONE);
    cr_assert_eq(run_verb(outside, cup_verb_export,
                          (const char *const[]){"export", scratch, "--to", "roastcoffea", "-o",
                                                roast, NULL}),
                 CUP_EXIT_DONE);
    cr_assert_eq(RUN(scratch, report, roast, run, "-o", pictures), CUP_EXIT_DONE);
    cr_expect(begins("compare.png", "\x89PNG"));
    cr_expect(begins("compare-budget.png", "\x89PNG"));
    cr_expect(begins("compare-runtime.png", "\x89PNG"));
    cr_expect_not(begins("worker-count.png", "\x89PNG"));
    expect_printed("out", 3, "/pictures/compare.png");
    expect_printed(
        "err", 2, "cannot draw compare-scaling: all runs whose size is known have the same number");
    expect_printed("err", 2, "compare-flame-alloc: shows two runs, not 4");
    remove_scratch(roast);
}

Test(verb_plot, a_plot_of_several_runs_by_its_name)
{
    cr_assert_eq(RUN("compare-budget", scratch, scratch, "-o", pictures, "--format", "svg"),
                 CUP_EXIT_DONE);
    cr_expect(begins("compare-budget.svg", "<?xml"));
    cr_expect_not(begins("compare.svg", "<?xml"));
    cr_expect_eq(RUN(scratch, scratch, "-o", pictures, "compare-scaling"), CUP_EXIT_FAILED);
    expect_printed("err", 2, "cannot draw compare-scaling: all runs whose size is known");
}

Test(verb_plot, a_list_of_what_can_be_drawn_of_several_runs)
{
    cr_assert_eq(RUN("--list", scratch, scratch), CUP_EXIT_DONE);
    expect_printed("out", cup_run_plots.count,
                   "(not from these runs: all runs whose size is known");
}

Test(verb_plot, one_of_several_runs_is_missing)
{
    cr_expect_eq(RUN(scratch, "/no/such/profile", "-o", pictures), CUP_EXIT_FAILED);
    expect_printed("err", 1, "/no/such/profile");
    cr_expect_eq(RUN(scratch, scratch, "-o", pictures, "--run", "7"), CUP_EXIT_USAGE);
    expect_printed("err", 1, "7");
}

/* More than letters can be given to. */
Test(verb_plot, too_many_runs)
{
    const char *arguments[CUP_COMPARE_MOST + 3] = {"plot"};
    for (int i = 0; i <= CUP_COMPARE_MOST; i++)
        arguments[i + 1] = scratch;
    cr_expect_eq(run_verb(outside, cup_verb_plot, arguments), CUP_EXIT_USAGE);
    expect_printed("err", 1, "more than 26 runs");
}
