#include "analysis/compare/inputs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/compare/measurement.h"
#include "analysis/compare/run_stacks.h"
#include "analysis/profile/runs.h"

/* Stacks are read where they are asked for. */
static void add_stacks(struct cup_figures *figures, struct cup_totals *totals)
{
    static const struct cup_call_ask all;
    const struct cup_figures_ask *ask = &figures->ask;
    struct cup_call_tree calls;
    figures->stacks_missing = cup_stacks_missing(totals->profile);
    if (figures->stacks_missing)
        return;
    totals->calls = &calls;
    if (cup_call_tree_make(&calls, totals->profile, ask->tasks ? ask->tasks : &all) != 0)
        figures->short_of_memory = true;
    else if (ask->functions)
        cup_figures_add_functions(figures, totals);
    if (ask->stacks && !figures->short_of_memory)
        cup_figures_keep_stacks(figures, totals);
    totals->calls = NULL;
    cup_call_tree_free(&calls);
}

static int read_profile(struct cup_figures *figures, const char *directory, const char *run,
                        bool *usage, struct cup_error *error)
{
    struct cup_profile profile;
    struct cup_totals totals;
    struct cup_load_options options = {.baskets = true};
    if (cup_run_option_read(directory, run, &options.run, error) != 0) {
        *usage = true;
        return -1;
    }
    if (cup_profile_load(&profile, directory, &options, error) != 0)
        return -1;
    for (size_t i = 0; i < profile.damage_count; i++)
        cup_error_print(stderr, &profile.damages[i]);
    int result = cup_run_option_check(options.run, &profile, error);
    if (result != 0)
        *usage = true;
    else if (cup_totals_make(&totals, &profile) != 0)
        result = cup_error_memory(error, directory);
    if (result == 0) {
        cup_figures_from_totals(figures, &totals);
        if (figures->ask.functions || figures->ask.stacks)
            add_stacks(figures, &totals);
        if (profile.run_count > 1)
            figures->run = run ? cup_figures_keep_string(figures, run) : "last";
        cup_totals_free(&totals);
    }
    cup_profile_free(&profile);
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
    bool file = stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
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

int cup_input_open(struct cup_figures *figures, const char *word, const char *run, bool *usage,
                   struct cup_error *error)
{
    unsigned number;
    const char *colon = strrchr(word, ':');
    *figures = (struct cup_figures){.path = "", .ask = figures->ask};
    size_t length = strlen(word);
    if (colon && colon > word && access(word, F_OK) != 0 &&
        cup_run_option_read(word, colon + 1, &number, error) == 0) {
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

static bool is_named(const struct cup_input_list *inputs, size_t input, const char *text)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", input + 1);
    return (text[0] == cup_input_letter(input) && !text[1]) || strcmp(text, number) == 0 ||
           strcmp(text, inputs->words[input]) == 0;
}

int cup_input_list_baseline(struct cup_input_list *inputs, const char *text, const char *verb,
                            struct cup_error *error)
{
    inputs->baseline = 0;
    for (size_t i = 0; text && i < inputs->word_count; i++)
        if (is_named(inputs, i, text)) {
            inputs->baseline = i;
            return 0;
        }
    return !text ? 0
                 : cup_error_set(error, verb, CUP_NO_OFFSET,
                                 "--baseline %s: not one of the %zu inputs; give a letter, a "
                                 "number or a name",
                                 text, inputs->word_count);
}

int cup_input_list_open(struct cup_input_list *inputs, bool *usage, struct cup_error *error)
{
    for (inputs->count = 0; inputs->count < inputs->word_count; inputs->count++) {
        struct cup_figures *figures = &inputs->figures[inputs->count];
        figures->ask = inputs->ask;
        if (cup_input_open(figures, inputs->words[inputs->count], inputs->run, usage, error) != 0)
            return -1;
    }
    return 0;
}

void cup_input_list_close(struct cup_input_list *inputs)
{
    while (inputs->count)
        cup_figures_free(&inputs->figures[--inputs->count]);
}
