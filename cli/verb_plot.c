#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/closest.h"
#include "analysis/base/target.h"
#include "analysis/compare/inputs.h"
#include "analysis/compare/measurement.h"
#include "analysis/metrics/functions/call_slices.h"
#include "analysis/profile/runs.h"
#include "analysis/write/output.h"
#include "cli/plot_pictures.h"
#include "cli/verbs.h"
#include "plot/figure/fonts.h"
#include "plot/page/page.h"
#include "plot/plots.h"
#include "plot/shared/runs.h"

#define DEFAULT_OUT "cupping-plots"

enum { MOST_OPERANDS = CUP_COMPARE_MOST + CUP_WANTED_MOST }; /* runs and names of plots */

struct request {
    const char *words[CUP_COMPARE_MOST]; /* the runs */
    struct cup_input_list inputs;        /* used if there are two or more runs */
    const char *out, *format, *width, *height, *run, *html, *title, *files, *baseline, *target_text;
    const char *list, *dark, *all; /* NULL: not given */
    struct cup_call_ask ask;       /* whose stacks the flame graphs show */
    unsigned number;               /* of the run: see struct cup_load_options */
    char directory[PATH_MAX];      /* of the one run "DIR:N" */
    struct cup_wanted wanted;
    struct cup_sheet style;
    struct cup_target target;
};

static const char *format_name(size_t n)
{
    return n <= CUP_FORMAT_PDF ? cup_format_names[n] : NULL;
}

static const struct cup_option rows[] = {
    CUP_OPTION("--list", NULL, list,
               "list the plots: the name, the question that each answers and, given a profile, why "
               "it cannot be drawn"),
    CUP_OPTION("--all", NULL, all,
               "draw every plot that the data allow; default, of one run: time-budget, "
               "task-stream, event-rate, runtime-events and flame-cpu"),
    CUP_OPTION(
        "-o", "OUTDIR", out,
        "write NAME.png into this directory, which is created if needed; default: ./" DEFAULT_OUT),
    CUP_OPTION("--html", "FILE", html,
               "instead of pictures, write one self-contained page with the plots and the tables "
               "of the report (of several runs: of `cupping compare`); - is standard output"),
    CUP_OPTION("--title", "TEXT", title,
               "the title of the page (with --html); default: the name of the run"),
    CUP_OPTION("--format", "FORMAT", format,
               "the format of the pictures (default: png, at 192 pixels an inch)",
               .values = format_name),
    CUP_OPTION("--width", "INCHES", width,
               "the width of a picture; default: 8. Texts and lines scale with it"),
    CUP_OPTION("--height", "INCHES", height,
               "the height of a picture; default: five eighths of the width"),
    CUP_OPTION("--dark", NULL, dark, "light colours on a dark background"),
    CUP_ASK_OPTIONS(" (in the flame graphs)"),
    CUP_OPTION("--files", "DIR", files,
               "also look for the ROOT files below this directory: share-read then uses the sizes "
               "in the files, and share-read-branches can be drawn"),
    CUP_OPTION("--run", "N|all", run, CUP_RUN_MEANING),
    CUP_OPTION("--baseline", "B", baseline,
               "of several runs, the one that the others are compared with: its letter, number or "
               "name; default: the first"),
    CUP_OPTION("--target", "RATE", target_text,
               "of several runs, draw a line at this rate in compare-scaling" CUP_RATES),
};
const struct cup_options cup_plot_options = CUP_OPTIONS(rows);

static bool has_several_runs(const struct request *request)
{
    return cup_input_list_sides(&request->inputs) > 1;
}

/* ---- the request -------------------------------------------------------------------------- */

static int read_format(struct request *request, struct cup_error *error)
{
    request->style.format = CUP_FORMAT_PNG;
    if (!request->format)
        return 0;
    for (int i = CUP_FORMAT_PNG; i <= CUP_FORMAT_PDF; i++)
        if (strcmp(request->format, cup_format_names[i]) == 0) {
            request->style.format = (enum cup_format)i;
            return 0;
        }
    return cup_error_set(error, "plot", CUP_NO_OFFSET,
                         "--format %s: no such format; name png, svg or pdf", request->format);
}

/* Smaller pictures leave no room for texts, and larger ones are likely mistakes. */
static int read_inches(const char *option, const char *text, double *inches,
                       struct cup_error *error)
{
    char *end;
    if (!text)
        return 0;
    *inches = strtod(text, &end);
    if (*end == '\0' && *inches >= 1.5 && *inches <= 50)
        return 0;
    return cup_error_set(error, "plot", CUP_NO_OFFSET,
                         "%s %s: name a number of inches from 1.5 to 50", option, text);
}

static int read_size(struct request *request, struct cup_error *error)
{
    struct cup_sheet *style = &request->style;
    style->pixels = CUP_PIXELS;
    style->dark = request->dark != NULL;
    style->width = 8;
    if (read_inches("--width", request->width, &style->width, error) != 0)
        return -1;
    style->height = style->width < 2.4 ? 1.5 : style->width * 0.625;
    return read_inches("--height", request->height, &style->height, error);
}

/* True if the operand names a run: such a file exists, or DIR of "DIR:N" exists, or a slash shows
 * that it is a path. */
static bool names_run(const char *operand)
{
    const char *colon = strrchr(operand, ':');
    char directory[1024];
    if (strchr(operand, '/') || access(operand, F_OK) == 0)
        return true;
    snprintf(directory, sizeof directory, "%.*s", colon ? (int)(colon - operand) : 0, operand);
    return colon && access(directory, F_OK) == 0;
}

static int add_run(struct request *request, const char *operand, struct cup_error *error)
{
    if (request->inputs.word_count == CUP_COMPARE_MOST)
        return cup_error_set(error, "plot", CUP_NO_OFFSET, "%s: more than %d runs", operand,
                             CUP_COMPARE_MOST);
    request->words[request->inputs.word_count++] = operand;
    return 0;
}

static int refuse_operand(const char *operand, struct cup_error *error)
{
    struct cup_closest closest = {.word = operand};
    for (size_t i = 0; i < cup_plots.count; i++)
        cup_closest_try(&closest, cup_plots.rows[i].name);
    for (size_t i = 0; i < cup_run_plots.count; i++)
        cup_closest_try(&closest, cup_run_plots.rows[i].name);
    return cup_error_set(error, "plot", CUP_NO_OFFSET,
                         "%s: no such plot, and no such profile%s; see `cupping plot --list`",
                         operand, cup_closest_text(&closest));
}

/* An operand is a plot if there is one with this name, otherwise a run. */
static int read_operand(struct request *request, const char *operand, struct cup_error *error)
{
    const struct cup_plot *plot = cup_plot_find(&cup_plots, operand);
    if (!plot)
        plot = cup_plot_find(&cup_run_plots, operand);
    if (!plot && names_run(operand))
        return add_run(request, operand, error);
    if (!plot)
        return refuse_operand(operand, error);
    return cup_wanted_add(&request->wanted, plot, error);
}

/* Checks that the named plots fit the number of runs: some plots show one run, others compare
 * several. */
static int check_plots(const struct request *request, struct cup_error *error)
{
    bool list = request->list != NULL;
    for (size_t i = 0; i < request->wanted.count; i++) {
        const char *name = request->wanted.plots[i]->name;
        bool of_runs = cup_plot_find(&cup_run_plots, name) != NULL;
        if (of_runs && !has_several_runs(request) && !list)
            return cup_error_set(error, "plot", CUP_NO_OFFSET,
                                 "%s: shows two or more runs: `cupping plot A B %s`", name, name);
        if (!of_runs && has_several_runs(request))
            return cup_error_set(error, "plot", CUP_NO_OFFSET,
                                 "%s: shows one run; of several there are compare, "
                                 "compare-budget, compare-runtime, compare-scaling and "
                                 "compare-flame-cpu, -wait, -read and -alloc",
                                 name);
    }
    return 0;
}

static int read_operands(struct request *request, const struct cup_operands *operands,
                         struct cup_error *error)
{
    struct cup_input_list *inputs = &request->inputs;
    for (size_t i = 0; i <= operands->count; i++) {
        /* Names of plots may stand between the runs. */
        while (inputs->split_count < operands->split_count &&
               operands->splits[inputs->split_count] == i)
            inputs->splits[inputs->split_count++] = inputs->word_count;
        if (i < operands->count && read_operand(request, operands->words[i], error) != 0)
            return -1;
    }
    inputs->words = request->words;
    return cup_input_list_check(inputs, "plot", error) != 0 ? -1 : check_plots(request, error);
}

/* Without names and --all, the pictures of one run are the few that answer most. */
static int choose_plots(struct request *request, struct cup_error *error)
{
    bool some = request->wanted.count || request->all || request->list || request->html;
    if (request->all && request->wanted.count)
        return cup_error_set(error, "plot", CUP_NO_OFFSET,
                             "--all draws every plot, also %s: leave out one of the two",
                             request->wanted.plots[0]->name);
    for (size_t i = 0; i < CUP_MAIN_PLOTS && !some && !has_several_runs(request); i++) {
        request->wanted.plots[request->wanted.count++] =
            cup_plot_find(&cup_plots, cup_main_plots[i]);
        request->wanted.by_default = true;
    }
    return 0;
}

/* True if a plot that shows stacks is wanted. */
static bool wants_flame(const struct request *request)
{
    bool wanted = request->wanted.count == 0;
    for (size_t i = 0; i < request->wanted.count && !wanted; i++)
        wanted = strstr(request->wanted.plots[i]->name, "flame-") != NULL;
    return wanted;
}

/* Reads the options that only a comparison of several runs has. */
static int read_comparison(struct request *request, struct cup_error *error)
{
    const char *misplaced = request->baseline      ? "--baseline"
                            : request->target_text ? "--target"
                                                   : NULL;
    if (!has_several_runs(request))
        return misplaced ? cup_error_set(error, "plot", CUP_NO_OFFSET,
                                         "%s is for plots of two or more runs", misplaced)
                         : 0;
    if (request->files)
        return cup_error_set(error, "plot", CUP_NO_OFFSET, "--files is for plots of one run");
    request->inputs.run = request->run;
    request->inputs.ask.chunks = true;
    request->inputs.ask.stacks = wants_flame(request);
    request->inputs.ask.tasks = &request->ask;
    if (request->target_text &&
        cup_target_read(&request->target, request->target_text, "plot", error) != 0)
        return -1;
    return cup_input_list_baseline(&request->inputs, request->baseline, "plot", error);
}

/* Of one run that is given as DIR:N, takes DIR as the profile, and N in the place of --run. A path
 * that is too long stays as it is, and there is no such profile. */
static void split_run(struct request *request)
{
    const char *word = has_several_runs(request) ? NULL : request->words[0];
    const char *colon = word ? cup_input_find_run(word) : NULL;
    if (!colon || (size_t)(colon - word) >= sizeof request->directory)
        return;
    memcpy(request->directory, word, (size_t)(colon - word));
    request->words[0] = request->directory;
    request->run = colon + 1;
}

/* The first option or plot name that --html excludes; NULL if there is none. */
static const char *find_picture_option(const struct request *request)
{
    return request->wanted.count ? request->wanted.plots[0]->name
           : request->out        ? "-o"
           : request->format     ? "--format"
           : request->width      ? "--width"
           : request->height     ? "--height"
           : request->dark       ? "--dark"
           : request->list       ? "--list"
                                 : NULL;
}

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    const char *words[MOST_OPERANDS];
    size_t splits[CUP_COMPARE_MOST];
    struct cup_operands operands = {.words = words,
                                    .room = MOST_OPERANDS,
                                    .splits = splits,
                                    .split_room = CUP_COMPARE_MOST - 1};
    if (cup_options_read(argc, argv, &cup_plot_options, request, &operands, error) != 0 ||
        read_operands(request, &operands, error) != 0 || read_format(request, error) != 0 ||
        read_size(request, error) != 0 || choose_plots(request, error) != 0 ||
        read_comparison(request, error) != 0)
        return -1;
    if (request->html && find_picture_option(request))
        return cup_error_set(error, "plot", CUP_NO_OFFSET,
                             "--html %s: a page has all plots, in its own size and both colours; "
                             "%s is for pictures",
                             request->html, find_picture_option(request));
    if (request->title && !request->html)
        return cup_error_set(error, "plot", CUP_NO_OFFSET,
                             "--title %s: is the title of a page: add --html FILE", request->title);
    if (request->out && strcmp(request->out, "-") == 0)
        return cup_error_set(error, "plot", CUP_NO_OFFSET,
                             "-o -: plots are written to a directory, not standard output");
    split_run(request);
    return cup_run_option_read("plot", request->run, &request->number, error);
}

/* ---- the list ----------------------------------------------------------------------------- */

/* Prints the name and the question of a plot and, given runs, why it cannot be drawn. */
static int print_line(const struct cup_plot *plot, const struct cup_subject *subject, bool of_runs,
                      struct cup_error *error)
{
    struct cup_arena arena = {0};
    struct cup_plot_input input = {
        .totals = subject->totals, .runs = subject->runs, .arena = &arena};
    const void *data;
    int result = 0;
    if (of_runs ? subject->runs != NULL : subject->totals != NULL)
        result = cup_plot_make(plot, &input, &data, error);
    if (result >= 0)
        printf("%-24s %s", plot->name, plot->answers);
    if (result > 0)
        printf(" (not from %s: %s)", of_runs ? "these runs" : "this profile", input.reason);
    if (result >= 0)
        putchar('\n');
    cup_arena_clear(&arena);
    return result < 0 ? -1 : 0;
}

static int print_list(const struct request *request, const struct cup_subject *subject,
                      struct cup_error *error)
{
    const struct cup_plot_table *const tables[] = {&cup_plots, &cup_run_plots};
    struct cup_output output = {.file = stdout};
    for (int of_runs = subject->runs != NULL; of_runs < 2; of_runs++)
        for (size_t i = 0; i < tables[of_runs]->count; i++)
            if (cup_is_wanted(&request->wanted, &tables[of_runs]->rows[i]) &&
                print_line(&tables[of_runs]->rows[i], subject, of_runs, error) != 0)
                return -1;
    return cup_output_close(&output, error);
}

/* ---- the page ------------------------------------------------------------------------------ */

static int write_page(const struct request *request, const struct cup_subject *subject,
                      struct cup_error *error)
{
    struct cup_output output;
    if (cup_output_open(&output, request->html, error) != 0)
        return -1;
    int result =
        subject->runs
            ? cup_page_runs_write(subject->runs, &cup_run_plots, request->title, &output, error)
            : cup_page_write(subject->totals, &cup_plots, request->title, &output, error);
    if (result == 0)
        return cup_output_close(&output, error);
    cup_output_abandon(&output);
    return -1;
}

static int write_answer(const struct request *request, const struct cup_subject *subject,
                        struct cup_error *error)
{
    return request->html ? write_page(request, subject, error)
           : request->list != NULL
               ? print_list(request, subject, error)
               : cup_plot_pictures(subject, &request->wanted, request->out, &request->style, error);
}

/* Writes what the request asks for, of one run. */
static int write_totals(const void *of, struct cup_totals *totals, struct cup_error *error)
{
    const struct request *request = of;
    const struct cup_subject subject = {.totals = totals};
    if (cup_verb_check_ask(&request->ask, totals, error) != 0)
        return -1;
    return write_answer(request, &subject, error);
}

/* ---- the verb ----------------------------------------------------------------------------- */

static int plot_totals(const struct request *request, struct cup_totals *totals,
                       struct cup_error *error)
{
    struct cup_call_slices slices;
    struct cup_call_ask ask = request->ask;
    bool stacks = wants_flame(request) && !cup_stacks_missing(totals->profile);
    const struct cup_extras extras = {.files = request->files != NULL,
                                      .files_below = request->files,
                                      .ask = stacks ? &ask : NULL};
    if (stacks && request->html) {
        if (cup_call_slices_choose(&slices, totals) != 0)
            return cup_error_memory(error, totals->profile->path);
        ask.slices = &slices;
    }
    return cup_verb_write(write_totals, request, totals, &extras, error);
}

/* Of these, only the figures of the whole run are known. */
static int refuse_figures(const char *path, struct cup_error *error)
{
    const char *what = cup_input_is_report(path)  ? "a saved report"
                       : cup_is_roastcoffea(path) ? "a measurement of roastcoffea"
                                                  : NULL;
    return !what
               ? 0
               : cup_error_set(error, path, CUP_NO_OFFSET,
                               "it is %s, whose plots compare two or more runs: `cupping plot A B`",
                               what);
}

static int plot_profile(struct request *request, struct cup_error *error)
{
    struct cup_profile profile;
    struct cup_totals totals;
    const struct cup_load_options load = {.counters = true,
                                          .accesses = true,
                                          .baskets = request->html || request->files,
                                          .run = request->number};
    if (refuse_figures(request->words[0], error) != 0)
        return CUP_EXIT_FAILED;
    int status = cup_verb_load(&profile, request->words[0], &load, error);
    if (status != CUP_EXIT_DONE)
        return status;
    if (cup_totals_make(&totals, &profile) == 0) {
        status = plot_totals(request, &totals, error) == 0 ? CUP_EXIT_DONE : CUP_EXIT_FAILED;
        cup_totals_free(&totals);
    } else {
        cup_error_memory(error, profile.path);
        status = CUP_EXIT_FAILED;
    }
    cup_profile_free(&profile);
    return status;
}

static int plot_comparison(const struct request *request, const struct cup_comparison *comparison,
                           struct cup_error *error)
{
    struct cup_arena arena = {0};
    const struct cup_subject subject = {
        .runs = cup_plot_runs_make(&arena, comparison, &request->target)};
    int result =
        subject.runs ? write_answer(request, &subject, error) : cup_error_memory(error, "plot");
    cup_arena_clear(&arena);
    return result;
}

static int plot_runs(struct request *request, struct cup_error *error)
{
    struct cup_comparison comparison;
    struct cup_input_list *inputs = &request->inputs;
    bool usage = false;
    int result = cup_input_list_open(inputs, &usage, error);
    if (result == 0 &&
        cup_comparison_make(&comparison, inputs->figures, inputs->count, inputs->baseline) != 0)
        result = cup_error_memory(error, "plot");
    else if (result == 0) {
        result = plot_comparison(request, &comparison, error);
        cup_comparison_free(&comparison);
    }
    cup_input_list_close(inputs);
    return result == 0 ? CUP_EXIT_DONE : usage ? CUP_EXIT_USAGE : CUP_EXIT_FAILED;
}

int cup_verb_plot(int argc, char **argv)
{
    struct request request = {0};
    struct cup_error error;
    cup_fonts_find();
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_USAGE);
    if (!request.out)
        request.out = DEFAULT_OUT;
    bool list = request.list != NULL, named = request.words[0] != NULL;
    /* --list needs no profile, but prints more with one. The default profile may be missing or
     * unreadable. */
    request.words[0] = cup_verb_directory(request.words[0]);
    bool has_profile = named || access(request.words[0], R_OK) == 0;
    int status = has_several_runs(&request) ? plot_runs(&request, &error)
                 : list && !has_profile     ? CUP_EXIT_FAILED
                                            : plot_profile(&request, &error);
    if (list && !named && status == CUP_EXIT_FAILED)
        status = print_list(&request, &(struct cup_subject){.totals = NULL}, &error) == 0
                     ? CUP_EXIT_DONE
                     : CUP_EXIT_FAILED;
    return cup_verb_end(&error, status);
}
