#include "analysis/compare/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/compare/measurement.h"
#include "analysis/compare/run_stacks.h"
#include "analysis/compare/side.h"
#include "analysis/profile/runs.h"

/* Stacks are read where they are asked for, while the profile is loaded. NULL: they are not, or
 * without memory. */
static struct cup_call_maker *start_stacks(struct cup_figures *figures,
                                           const struct cup_profile *profile,
                                           struct cup_call_tree *calls)
{
    static const struct cup_call_ask all;
    const struct cup_figures_ask *ask = &figures->ask;
    if (!ask->functions && !ask->stacks)
        return NULL;
    struct cup_call_maker *maker =
        cup_call_tree_start(calls, profile, ask->tasks ? ask->tasks : &all);
    figures->short_of_memory |= !maker;
    return maker;
}

static void add_stacks(struct cup_figures *figures, struct cup_totals *totals,
                       const struct cup_call_tree *calls)
{
    figures->stacks_missing = cup_stacks_missing(totals->profile);
    if (figures->stacks_missing || figures->short_of_memory)
        return;
    totals->calls = calls;
    if (figures->ask.functions)
        cup_figures_add_functions(figures, totals);
    if (figures->ask.stacks)
        cup_figures_keep_stacks(figures, totals);
    totals->calls = NULL;
}

static int add_profile(struct cup_figures *figures, const struct cup_profile *profile,
                       const struct cup_call_tree *calls, const char *run, struct cup_error *error)
{
    struct cup_totals totals;
    if (cup_totals_make(&totals, profile) != 0)
        return cup_error_memory(error, profile->path);
    cup_figures_from_totals(figures, &totals);
    if (figures->ask.functions || figures->ask.stacks)
        add_stacks(figures, &totals, calls);
    if (profile->run_count > 1)
        figures->run = run ? cup_figures_keep_string(figures, run) : "last";
    cup_totals_free(&totals);
    return 0;
}

static int read_profile(struct cup_figures *figures, const char *directory, const char *run,
                        bool *usage, struct cup_error *error)
{
    struct cup_profile profile = {0};
    struct cup_call_tree calls = {0};
    struct cup_load_options options = {.baskets = true};
    if (cup_run_option_read(directory, run, &options.run, error) != 0) {
        *usage = true;
        return -1;
    }
    struct cup_call_maker *maker = start_stacks(figures, &profile, &calls);
    options.taker = maker ? cup_call_tree_taker(maker) : NULL;
    int result = cup_profile_load(&profile, directory, &options, error);
    figures->short_of_memory |= maker && cup_call_tree_finish(maker) != 0;
    if (result == 0) {
        for (size_t i = 0; i < profile.damage_count; i++)
            cup_error_print(stderr, &profile.damages[i]);
        result = cup_run_option_check(options.run, &profile, error);
        *usage |= result != 0;
        if (result == 0)
            result = add_profile(figures, &profile, &calls, run, error);
        cup_profile_free(&profile);
    }
    cup_call_tree_free(&calls);
    return result;
}

static double rate(const struct cup_figures *figures, enum cup_metric_id metric, double scale)
{
    double number = cup_figures_number(figures, metric) * scale;
    return isfinite(number) ? number : 0;
}

/* Of the whole run: a target needs no more. */
static void set_rates(struct cup_figures *figures)
{
    enum { BITS = 8 };
    struct cup_ramp *ramp = &figures->ramp;
    ramp->rate_events = rate(figures, CUP_METRIC_event_rate_wall_khz, 1e3);
    ramp->rate_requested = rate(figures, CUP_METRIC_requested_rate_gbps, 1e9 / BITS);
    ramp->rate_read = rate(figures, CUP_METRIC_delivered_rate_gbps, 1e9 / BITS);
}

static int read_path(struct cup_figures *figures, const char *path, const char *run, bool *usage,
                     struct cup_error *error)
{
    struct stat status;
    bool file = stat(path, &status) == 0 && !S_ISDIR(status.st_mode) && !cup_merged_is(path);
    if (!file && !cup_is_roastcoffea(path))
        return read_profile(figures, path, run, usage, error);
    if (run && strcmp(run, "1") != 0 && strcmp(run, "all") != 0) {
        *usage = true;
        return cup_error_set(error, path, CUP_NO_OFFSET,
                             "run %s: it is not a profile and has only one run", run);
    }
    figures->ramp =
        (struct cup_ramp){.best = -1,
                          .bend = -1,
                          .widest = -1,
                          .missing = "only a profile says which threads were busy when"};
    int result = file ? cup_figures_from_report(figures, path, error)
                      : cup_figures_from_roastcoffea(figures, path, error);
    set_rates(figures);
    return result;
}

const char *cup_input_find_run(const char *word)
{
    unsigned number;
    struct cup_error error;
    const char *colon = strrchr(word, ':');
    return colon && colon > word && access(word, F_OK) != 0 &&
                   cup_run_option_read(word, colon + 1, &number, &error) == 0
               ? colon
               : NULL;
}

bool cup_input_is_report(const char *path)
{
    char head[256] = "";
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
    if (!file)
        return false;
    size_t bytes = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    return bytes > 0 && strstr(head, "\"cupping-report\"") != NULL;
}

int cup_input_open(struct cup_figures *figures, const char *word, const char *run, bool *usage,
                   struct cup_error *error)
{
    const char *colon = cup_input_find_run(word);
    *figures = (struct cup_figures){.path = "", .ask = figures->ask};
    size_t length = strlen(word);
    if (colon) {
        length = (size_t)(colon - word);
        run = colon + 1;
    }
    figures->path = cup_figures_keep_string(figures, word);
    const char *path = cup_figures_keep(figures, word, length);
    int result = read_path(figures, path, run, usage, error);
    if (result == 0 && figures->short_of_memory)
        result = cup_error_memory(error, word);
    if (result != 0)
        cup_figures_free(figures);
    return result;
}

/* ---- several ---------------------------------------------------------------------------- */

const char *cup_input_name(size_t input)
{
    static const char names[CUP_COMPARE_MOST][2] = {"A", "B", "C", "D", "E", "F", "G", "H", "I",
                                                    "J", "K", "L", "M", "N", "O", "P", "Q", "R",
                                                    "S", "T", "U", "V", "W", "X", "Y", "Z"};
    return names[input];
}

char cup_input_letter(size_t input)
{
    return (char)('A' + input);
}

char *cup_input_run_name(char to[CUP_RUN_NAME], const struct cup_comparison *comparison,
                         size_t input, size_t run)
{
    if (comparison->inputs[input].run_count)
        snprintf(to, CUP_RUN_NAME, "%c%zu", cup_input_letter(input), run + 1);
    else
        snprintf(to, CUP_RUN_NAME, "%c", cup_input_letter(input));
    return to;
}

size_t cup_input_list_sides(const struct cup_input_list *inputs)
{
    return inputs->split_count ? inputs->split_count + 1 : inputs->word_count;
}

/* The words of a side: [*from, *to). */
static void find_words(const struct cup_input_list *inputs, size_t side, size_t *from, size_t *to)
{
    bool split = inputs->split_count > 0;
    *from = !split ? side : side == 0 ? 0 : inputs->splits[side - 1];
    *to = !split                       ? side + 1
          : side < inputs->split_count ? inputs->splits[side]
                                       : inputs->word_count;
}

bool cup_input_list_is_repeated(const struct cup_input_list *inputs)
{
    size_t from, to;
    bool repeated = inputs->split_count > 0;
    for (size_t side = 0; side < cup_input_list_sides(inputs); side++) {
        find_words(inputs, side, &from, &to);
        repeated &= to > from + 1;
    }
    return repeated;
}

static bool is_same_run(const char *one, const char *other)
{
    char *a = realpath(one, NULL), *b = realpath(other, NULL);
    bool same = strcmp(a ? a : one, b ? b : other) == 0;
    free(a);
    free(b);
    return same;
}

static int check_side(const struct cup_input_list *inputs, size_t side, const char *verb,
                      struct cup_error *error)
{
    size_t from, to;
    find_words(inputs, side, &from, &to);
    if (from == to)
        return cup_error_set(
            error, verb, CUP_NO_OFFSET,
            "no run %s --, which stands between two sides: `cupping %s A1 A2 -- B1 B2`",
            side == 0 ? "before" : "after", verb);
    for (size_t i = from; i < to; i++)
        for (size_t k = from; k < i; k++)
            if (is_same_run(inputs->words[i], inputs->words[k]))
                return cup_error_set(error, verb, CUP_NO_OFFSET,
                                     "%s: given twice on one side, which would show no spread",
                                     inputs->words[i]);
    return 0;
}

int cup_input_list_check(const struct cup_input_list *inputs, const char *verb,
                         struct cup_error *error)
{
    for (size_t side = 0; side < cup_input_list_sides(inputs); side++)
        if (inputs->split_count && check_side(inputs, side, verb, error) != 0)
            return -1;
    return 0;
}

/* By its letter, its number, or one of its words. */
static bool is_named(const struct cup_input_list *inputs, size_t side, const char *text)
{
    char number[24];
    size_t from, to;
    snprintf(number, sizeof number, "%zu", side + 1);
    bool named = (text[0] == cup_input_letter(side) && !text[1]) || strcmp(text, number) == 0;
    find_words(inputs, side, &from, &to);
    for (; from < to; from++)
        named |= strcmp(text, inputs->words[from]) == 0;
    return named;
}

int cup_input_list_baseline(struct cup_input_list *inputs, const char *text, const char *verb,
                            struct cup_error *error)
{
    size_t sides = cup_input_list_sides(inputs);
    inputs->baseline = 0;
    for (size_t i = 0; text && i < sides; i++)
        if (is_named(inputs, i, text)) {
            inputs->baseline = i;
            return 0;
        }
    return !text ? 0
                 : cup_error_set(error, verb, CUP_NO_OFFSET,
                                 "--baseline %s: not one of the %zu inputs; give a letter, a "
                                 "number or a name",
                                 text, sides);
}

static int open_word(const struct cup_input_list *inputs, struct cup_figures *figures, size_t word,
                     bool *usage, struct cup_error *error)
{
    figures->ask = inputs->ask;
    return cup_input_open(figures, inputs->words[word], inputs->run, usage, error);
}

/* Opens the runs of a side, and makes one input of them. */
static int open_runs(const struct cup_input_list *inputs, struct cup_figures *side, size_t from,
                     size_t to, bool *usage, struct cup_error *error)
{
    struct cup_figures *runs = calloc(to - from, sizeof *runs);
    size_t opened = 0;
    int result = 0;
    if (!runs)
        return cup_error_memory(error, inputs->words[from]);
    while (result == 0 && from + opened < to) {
        result = open_word(inputs, &runs[opened], from + opened, usage, error);
        opened += result == 0;
    }
    if (result == 0 && cup_side_make(side, runs, opened) != 0) {
        cup_figures_free(side);
        return cup_error_memory(error, inputs->words[from]);
    }
    if (result == 0) {
        set_rates(side);
        return 0;
    }
    while (opened)
        cup_figures_free(&runs[--opened]);
    free(runs);
    return result;
}

int cup_input_list_open(struct cup_input_list *inputs, bool *usage, struct cup_error *error)
{
    size_t from, to;
    for (inputs->count = 0; inputs->count < cup_input_list_sides(inputs); inputs->count++) {
        struct cup_figures *figures = &inputs->figures[inputs->count];
        find_words(inputs, inputs->count, &from, &to);
        if ((to == from + 1 ? open_word(inputs, figures, from, usage, error)
                            : open_runs(inputs, figures, from, to, usage, error)) != 0)
            return -1;
    }
    return 0;
}

void cup_input_list_close(struct cup_input_list *inputs)
{
    while (inputs->count)
        cup_figures_free(&inputs->figures[--inputs->count]);
}
