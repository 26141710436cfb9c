#include <stddef.h>
#include <string.h>

#include "analysis/base/conditions.h"
#include "analysis/compare/compare_fail_on.h"
#include "analysis/compare/compare_write.h"
#include "analysis/compare/inputs.h"
#include "analysis/profile/runs.h"
#include "cli/verbs.h"

struct request {
    const char *words[CUP_COMPARE_MOST];
    struct cup_input_list inputs;
    const char *json, *csv, *only, *baseline, *target_text, *fail_on;
    unsigned conditions; /* of --fail-on */
    struct cup_target target;
};

static const struct cup_option rows[] = {
    CUP_OPTION(
        "--baseline", "B", baseline,
        "the run or side that the others are compared with: its letter, number or name; default: "
        "the first"),
    CUP_OPTION("--only", "SECTION", only, "print only this section",
               .values = cup_compare_section_name),
    CUP_OPTION("--run", "N|all", inputs.run,
               "which call of Coffea's Runner to show, for profiles that are not given as DIR:N"),
    CUP_OPTION("--target", "RATE", target_text,
               "also print how far each run is from this rate" CUP_RATES),
    CUP_OPTION("--json", "FILE", json,
               "write everything as JSON instead; without FILE to standard output",
               .otherwise = "-"),
    CUP_OPTION("--csv", "FILE", csv,
               "write everything as CSV instead: one row for each figure and input"),
    CUP_OPTION("--fail-on", "LIST", fail_on,
               "exit with status 3 if one of these is found, for scripts; a list such as "
               "slower,incomplete",
               .values = cup_compare_fail_on_name),
};
const struct cup_options cup_compare_options = CUP_OPTIONS(rows);

/* A gate that can never close would look like one that holds. */
static int read_conditions(struct request *request, struct cup_error *error)
{
    struct cup_input_list *inputs = &request->inputs;
    if (request->fail_on && cup_conditions_read(&request->conditions, request->fail_on,
                                                cup_compare_fail_on_name, "compare", error) != 0)
        return -1;
    if (cup_compare_fail_on_needs_runs(request->conditions) && !cup_input_list_is_repeated(inputs))
        return cup_error_set(error, "compare", CUP_NO_OFFSET,
                             "--fail-on %s: one run does not show how far runs of the same job "
                             "differ; name two or more a side: `cupping compare A1 A2 -- B1 B2`",
                             request->fail_on);
    return 0;
}

static int check_request(struct request *request, struct cup_error *error)
{
    unsigned run;
    if (request->inputs.word_count == 0)
        request->words[request->inputs.word_count++] = cup_verb_directory(NULL);
    if (request->only && !cup_compare_has_section(request->only))
        return cup_verb_refuse_section("compare", request->only, cup_compare_section_name, error);
    if (cup_input_list_check(&request->inputs, "compare", error) != 0)
        return -1;
    if (cup_input_list_sides(&request->inputs) == 1 && request->only &&
        strcmp(request->only, "inputs") != 0 && strcmp(request->only, "scaling") != 0)
        return cup_error_set(error, "compare", CUP_NO_OFFSET, "--only %s needs two or more runs",
                             request->only);
    if (cup_run_option_read("compare", request->inputs.run, &run, error) != 0)
        return -1;
    if (request->target_text &&
        cup_target_read(&request->target, request->target_text, "compare", error) != 0)
        return -1;
    return read_conditions(request, error) != 0
               ? -1
               : cup_input_list_baseline(&request->inputs, request->baseline, "compare", error);
}

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    struct cup_operands operands = {.words = request->words,
                                    .room = CUP_COMPARE_MOST,
                                    .splits = request->inputs.splits,
                                    .split_room = CUP_COMPARE_MOST - 1};
    if (cup_options_read(argc, argv, &cup_compare_options, request, &operands, error) != 0)
        return -1;
    request->inputs.words = request->words;
    request->inputs.word_count = operands.count;
    request->inputs.split_count = operands.split_count;
    if (request->csv && request->json && strcmp(request->csv, request->json) == 0)
        return cup_error_set(error, "compare", CUP_NO_OFFSET,
                             "--csv and --json both write %s; name two files", request->csv);
    return check_request(request, error);
}

/* ---- writing ---------------------------------------------------------------------------- */

typedef void writer(const struct cup_comparison *comparison, const char *only,
                    const struct cup_target *target, const struct cup_output *output);

/* A report at PATH is most likely one that was to be compared, in
 * `cupping compare --json A.json B.json`. */
static int write_to(const struct request *request, const struct cup_comparison *comparison,
                    const char *path, writer *write, struct cup_error *error)
{
    struct cup_output output;
    if (cup_input_is_report(path))
        return cup_error_set(error, path, CUP_NO_OFFSET,
                             "is a report, and is not overwritten; name another file for the "
                             "comparison, or - for standard output");
    if (cup_output_open(&output, path, error) != 0)
        return -1;
    write(comparison, request->only, &request->target, &output);
    return cup_output_close(&output, error);
}

/* Returns the exit status. */
static int write_all(struct request *request, struct cup_error *error)
{
    struct cup_comparison comparison;
    struct cup_input_list *inputs = &request->inputs;
    int result = 0;
    if (cup_comparison_make(&comparison, inputs->figures, inputs->count, inputs->baseline) != 0) {
        cup_error_memory(error, "compare");
        return CUP_EXIT_FAILED;
    }
    if (cup_compare_fail_on_check(request->conditions, &comparison, error) != 0) {
        cup_comparison_free(&comparison);
        return CUP_EXIT_USAGE;
    }
    if (request->json)
        result = write_to(request, &comparison, request->json, cup_compare_json, error);
    if (request->csv && result == 0)
        result = write_to(request, &comparison, request->csv, cup_compare_csv, error);
    if (!request->json && !request->csv)
        result = write_to(request, &comparison, "-", cup_compare_text, error);
    int status = result != 0 ? CUP_EXIT_FAILED
                 : cup_compare_fail_on_holds(request->conditions, &comparison, error)
                     ? CUP_EXIT_FOUND
                     : CUP_EXIT_DONE;
    cup_comparison_free(&comparison);
    return status;
}

int cup_verb_compare(int argc, char **argv)
{
    struct request request = {.json = NULL};
    struct cup_error error;
    bool usage = false;
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_USAGE);
    request.inputs.ask.functions = request.only && strcmp(request.only, "functions") == 0;
    int status = cup_input_list_open(&request.inputs, &usage, &error) == 0
                     ? write_all(&request, &error)
                 : usage ? CUP_EXIT_USAGE
                         : CUP_EXIT_FAILED;
    cup_input_list_close(&request.inputs);
    return cup_verb_end(&error, status);
}
