#include <stdlib.h>
#include <string.h>

#include "analysis/compare/compare_write.h"
#include "analysis/compare/inputs.h"
#include "analysis/profile/run_option.h"
#include "analysis/verbs/options.h"
#include "analysis/verbs/verbs.h"

struct request {
    const char *words[CUP_COMPARE_MOST];
    size_t count;
    const char *json, *csv, *only, *run, *baseline_text, *target_text;
    size_t baseline;
    struct cup_target target;
};

/* "B", "2", or the word itself. */
static int find_baseline(struct request *request, struct cup_error *error)
{
    const char *text = request->baseline_text;
    for (size_t i = 0; text && i < request->count; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i + 1);
        bool letter = text[0] == cup_input_letter(i) && !text[1];
        if (letter || strcmp(text, number) == 0 || strcmp(text, request->words[i]) == 0) {
            request->baseline = i;
            return 0;
        }
    }
    return !text ? 0
                 : cup_error_set(error, "compare", CUP_NO_OFFSET,
                                 "--baseline %s: none of the %zu that are compared; give its "
                                 "letter, its number or its name",
                                 text, request->count);
}

static int check_request(struct request *request, struct cup_error *error)
{
    unsigned run;
    if (request->count == 0)
        request->words[request->count++] = CUP_DEFAULT_DIRECTORY;
    if (request->only && !cup_compare_has_section(request->only))
        return cup_error_set(error, "compare", CUP_NO_OFFSET,
                             "--only %s: no such section; see `cupping help compare`",
                             request->only);
    if (request->count == 1 && request->only && strcmp(request->only, "inputs") != 0 &&
        strcmp(request->only, "scaling") != 0)
        return cup_error_set(error, "compare", CUP_NO_OFFSET,
                             "--only %s needs two or more to compare", request->only);
    if (cup_run_option_read("compare", request->run, &run, error) != 0)
        return -1;
    if (request->target_text &&
        cup_target_read(&request->target, request->target_text, "compare", error) != 0)
        return -1;
    return find_baseline(request, error);
}

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    const struct cup_option options[] = {
        {"--json", &request->json},          {"--csv", &request->csv},
        {"--only", &request->only},          {"--run", &request->run},
        {"--target", &request->target_text}, {"--baseline", &request->baseline_text},
    };
    if (cup_options_read_many(argc, argv, options, sizeof options / sizeof *options, request->words,
                              CUP_COMPARE_MOST, &request->count, error) != 0)
        return -1;
    return check_request(request, error);
}

/* ---- writing ---------------------------------------------------------------------------- */

enum format { JSON, CSV, TEXT };

static int write_to(const struct request *request, const struct cup_comparison *comparison,
                    const char *path, enum format format, struct cup_error *error)
{
    struct cup_output output;
    if (cup_output_open(&output, path, error) != 0)
        return -1;
    if (format == JSON)
        cup_compare_json(comparison, request->only, &request->target, &output);
    else if (format == CSV)
        cup_compare_csv(comparison, request->only, &output);
    else
        cup_compare_text(comparison, request->only, &request->target, &output);
    return cup_output_close(&output, error);
}

static int write_all(const struct request *request, struct cup_figures *inputs,
                     struct cup_error *error)
{
    struct cup_comparison comparison;
    int result = 0;
    if (cup_comparison_make(&comparison, inputs, request->count, request->baseline) != 0)
        return cup_error_memory(error, "compare");
    if (request->json)
        result = write_to(request, &comparison, request->json, JSON, error);
    if (request->csv && result == 0)
        result = write_to(request, &comparison, request->csv, CSV, error);
    if (!request->json && !request->csv)
        result = write_to(request, &comparison, "-", TEXT, error);
    cup_comparison_free(&comparison);
    return result;
}

int cup_verb_compare(int argc, char **argv)
{
    struct request request = {.count = 0};
    struct cup_figures inputs[CUP_COMPARE_MOST];
    struct cup_error error;
    size_t opened = 0;
    bool usage = false;
    int result = 0;
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_USAGE);
    bool functions = request.only && strcmp(request.only, "functions") == 0;
    while (result == 0 && opened < request.count) {
        result = cup_input_open(&inputs[opened], request.words[opened], request.run, functions,
                                &usage, &error);
        opened += result == 0;
    }
    if (result == 0)
        result = write_all(&request, inputs, &error);
    for (size_t i = 0; i < opened; i++)
        cup_figures_free(&inputs[i]);
    if (result == 0)
        return CUP_EXIT_DONE;
    return cup_verb_failed(&error, usage ? CUP_EXIT_USAGE : CUP_EXIT_FAILED);
}
