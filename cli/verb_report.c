#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/compare/compare_write.h"
#include "analysis/compare/inputs.h"
#include "analysis/compare/measurement.h"
#include "analysis/profile/runs.h"
#include "analysis/report/fail_on.h"
#include "analysis/report/report.h"
#include "cli/pager.h"
#include "cli/verbs.h"

struct request {
    const char *directory, *json, *only, *full, *advice, *colour, *span, *run, *coffea, *samples,
        *files, *target_text, *fail_on, *without_tasks, *path;
    struct cup_call_ask ask;
    struct cup_target target;
    unsigned conditions; /* of --fail-on */
    unsigned number;     /* of the run: see struct cup_load_options */
    enum cup_use_colour when;
};

static const char *const colours[] = {
    [CUP_COLOUR_AUTO] = "auto", [CUP_COLOUR_ALWAYS] = "always", [CUP_COLOUR_NEVER] = "never"};
enum { COLOURS = sizeof colours / sizeof *colours };

static const char *colour_name(size_t n)
{
    return n < COLOURS ? colours[n] : NULL;
}

static const struct cup_option rows[] = {
    CUP_OPTION("--json", "FILE", json,
               "write the whole report as JSON instead; without FILE to standard output",
               .otherwise = "-"),
    CUP_OPTION("--without-tasks", NULL, without_tasks,
               "with --json: leave out the tables with a row for each task or chunk"),
    CUP_OPTION("--full", NULL, full, "print all tables, not only the short report"),
    CUP_OPTION("--advice", NULL, advice, "print all findings; the same as --only advice"),
    CUP_OPTION("--only", "SECTION", only, "print only this section",
               .values = cup_report_section_name),
    CUP_ASK_OPTIONS(" (with --only functions)"),
    CUP_OPTION("--color", "WHEN", colour,
               "when to print colours; auto: on a terminal, unless NO_COLOR is set",
               .values = colour_name),
    CUP_OPTION("--span", "NAME", span, "only tasks of the Dask span with this name or id"),
    CUP_OPTION("--run", "N|all", run, CUP_RUN_MEANING),
    CUP_OPTION("--samples", "FILE", samples,
               "use the samples of workers in this JSON file instead of those in the profile"),
    CUP_OPTION("--files", "DIR", files,
               "also look for the ROOT files below this directory, to report which share of them "
               "was read"),
    CUP_OPTION("--target", "RATE", target_text,
               "also print how far the run is from this rate (see --only scaling)" CUP_RATES),
    CUP_OPTION("--fail-on", "LIST", fail_on,
               "exit with status 3 if one of these is found, for scripts; a list such as "
               "losses,failed",
               .values = cup_fail_on_name),
    CUP_OPTION("--coffea-report", "FILE", coffea,
               "the report that Coffea's Runner returned, saved as JSON: print where it differs "
               "from the profile, and use its figures where the profile has none"),
    CUP_OPTION("--path", NULL, path,
               "print only the path of the profile, once it is found to have a log that can be "
               "read"),
};
const struct cup_options cup_report_options = CUP_OPTIONS(rows);

static bool needs(const struct request *request, enum cup_needs what)
{
    bool brief = !request->only && !request->full && !request->json;
    return brief ? what == CUP_NEEDS_STACKS
                 : request->only && cup_report_section(request->only)->needs & what;
}

/* --json, --full, --advice and --only exclude each other. */
static int one_of_several(const struct request *request, struct cup_error *error)
{
    const char *first = NULL;
    const struct {
        const char *value, *name;
    } given[] = {{request->json, "--json"},
                 {request->full, "--full"},
                 {request->advice, "--advice"},
                 {request->only, "--only"}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (!given[i].value)
            continue;
        if (first)
            return cup_error_set(error, "report", CUP_NO_OFFSET, "%s and %s exclude each other%s",
                                 first, given[i].name,
                                 request->json ? "; --json always has all sections" : "");
        first = given[i].name;
    }
    return 0;
}

static int read_colour(struct request *request, struct cup_error *error)
{
    for (int i = 0; i < COLOURS; i++)
        if (!request->colour || strcmp(request->colour, colours[i]) == 0) {
            request->when = (enum cup_use_colour)i;
            return 0;
        }
    return cup_error_set(error, "report", CUP_NO_OFFSET, "--color %s: use always, never or auto",
                         request->colour);
}

/* Text goes to standard output, on a terminal through a pager. */
static int open_output(const struct request *request, struct cup_output *output,
                       struct cup_error *error)
{
    if (request->json)
        return cup_output_open(output, request->json, error);
    cup_pager_open(output);
    output->colour = request->when;
    return 0;
}

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    struct cup_operands operands = {.words = &request->directory, .room = 1};
    if (cup_options_read(argc, argv, &cup_report_options, request, &operands, error) != 0)
        return -1;
    if (one_of_several(request, error) != 0 || read_colour(request, error) != 0)
        return -1;
    if (request->advice)
        request->only = "advice";
    if (request->only && !cup_report_section(request->only))
        return cup_verb_refuse_section("report", request->only, cup_report_section_name, error);
    if ((request->ask.prefix || request->ask.dataset || request->ask.worker) &&
        !(request->only && needs(request, CUP_NEEDS_STACKS)))
        return cup_error_set(error, "report", CUP_NO_OFFSET,
                             "--prefix, --dataset and --worker are for --only functions");
    if (request->path && (request->json || request->full || request->only || request->fail_on))
        return cup_error_set(error, "report", CUP_NO_OFFSET,
                             "--path prints only the path: it excludes --json, --full, --advice, "
                             "--only and --fail-on");
    if (request->without_tasks && !request->json)
        return cup_error_set(error, "report", CUP_NO_OFFSET, "--without-tasks is for --json");
    if (request->target_text &&
        cup_target_read(&request->target, request->target_text, "report", error) != 0)
        return -1;
    if (request->fail_on &&
        cup_fail_on_read(&request->conditions, request->fail_on, "report", error) != 0)
        return -1;
    return cup_run_option_read("report", request->run, &request->number, error);
}

/* Replaces the samples of the profile by those of the file. */
static int use_samples(const char *path, struct cup_totals *totals, struct cup_samples_file *file,
                       struct cup_error *error)
{
    const struct cup_window run = cup_run_window(totals);
    if (cup_samples_file_read(file, path, run.from_ns, run.to_ns ? run.to_ns : INT64_MAX, error))
        return -1;
    return cup_totals_use_samples(totals, file) == 0 ? 0 : cup_error_memory(error, path);
}

static int write_totals(const void *of, struct cup_totals *totals, struct cup_error *error)
{
    const struct request *request = of;
    struct cup_output output;
    if (cup_verb_check_ask(&request->ask, totals, error) != 0 ||
        open_output(request, &output, error) != 0)
        return -1;
    int result =
        request->json
            ? cup_report_json(totals, &request->target, &output, request->without_tasks != NULL)
            : cup_report_text(totals, &request->target, &output, request->only, request->full);
    if (result == 0)
        return cup_pager_close(&output, error);
    cup_output_abandon(&output);
    return cup_error_memory(error, totals->profile->path);
}

/* CALLS: the stacks, or NULL if no section shows them. GIVEN: the report that Coffea returned to
 * the user (--coffea-report), or NULL. Returns the exit status, and *error if it is not 0. */
static int write_report(const struct request *request, const struct cup_profile *profile,
                        const struct cup_call_tree *calls, const struct cup_coffea_file *given,
                        struct cup_error *error)
{
    struct cup_totals totals;
    struct cup_samples_file file = {0};
    if (cup_totals_make(&totals, profile) != 0) {
        cup_error_memory(error, profile->path);
        return CUP_EXIT_FAILED;
    }
    totals.given = given;
    /* Files are read only for sections that show them. */
    const struct cup_extras extras = {.files = request->json || request->files ||
                                               needs(request, CUP_NEEDS_BASKETS),
                                      .files_below = request->files,
                                      .calls = cup_stacks_missing(profile) ? NULL : calls};
    int result = 0;
    if (request->samples)
        result = use_samples(request->samples, &totals, &file, error);
    if (result == 0)
        result = cup_verb_write(write_totals, request, &totals, &extras, error);
    int status = result != 0                                              ? CUP_EXIT_FAILED
                 : cup_fail_on_holds(request->conditions, &totals, error) ? CUP_EXIT_FOUND
                                                                          : CUP_EXIT_DONE;
    cup_totals_free(&totals);
    cup_samples_file_free(&file);
    return status;
}

/* Reports a measurement directory of roastcoffea. */
static int report_measurement(const struct request *request)
{
    struct cup_figures figures = {0};
    struct cup_output output;
    struct cup_error error;
    bool usage = false;
    const char *directory = request->directory;
    const struct {
        const char *given, *option, *what;
    } refused[] = {{request->span, "--span", "spans"},
                   {request->files, "--files", "branches"},
                   {request->fail_on, "--fail-on", "losses"},
                   {request->samples, "--samples", "samples to replace"},
                   {request->coffea, "--coffea-report", "profile to compare it with"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].given) {
            cup_error_set(&error, directory, CUP_NO_OFFSET,
                          "%s: roastcoffea's measurement has no %s", refused[i].option,
                          refused[i].what);
            return cup_verb_end(&error, CUP_EXIT_USAGE);
        }
    if (cup_input_open(&figures, directory, request->run, &usage, &error) != 0)
        return cup_verb_end(&error, usage ? CUP_EXIT_USAGE : CUP_EXIT_FAILED);
    int result = open_output(request, &output, &error);
    if (result == 0 && request->json)
        cup_measurement_json(&figures, &request->target, &output);
    else if (result == 0)
        cup_measurement_text(&figures, request->only, &request->target, &output);
    if (result == 0)
        result = cup_pager_close(&output, &error);
    cup_figures_free(&figures);
    return cup_verb_end(&error, result == 0 ? CUP_EXIT_DONE : CUP_EXIT_FAILED);
}

/* The path is absolute, so that it names the same profile from elsewhere. */
static int print_path(const struct request *request)
{
    struct cup_error error;
    char *path = realpath(request->directory, NULL);
    int status = cup_is_roastcoffea(request->directory) ||
                         cup_profile_check(request->directory, request->number, &error) == 0
                     ? CUP_EXIT_DONE
                     : CUP_EXIT_FAILED;
    if (status == CUP_EXIT_DONE)
        puts(path ? path : request->directory);
    free(path);
    return status == CUP_EXIT_DONE ? cup_verb_end_stdout() : cup_verb_end(&error, status);
}

static int add_given_run(struct cup_profile *profile, const struct cup_coffea_file *given,
                         struct cup_error *error)
{
    if (!given || !given->start_ns || !given->stop_ns)
        return 0;
    return cup_runs_add_given(profile, given->start_ns, given->stop_ns) < 0
               ? cup_error_memory(error, profile->path)
               : 0;
}

static int check_span(const char *span, const struct cup_profile *profile, struct cup_error *error)
{
    if (!span || profile->task_count > 0)
        return 0;
    return cup_error_set(
        error, profile->path, CUP_NO_OFFSET,
        "--span %s: no task belongs to this span; `cupping tasks --csv -` shows the "
        "span of each task",
        span);
}

/* Reports a profile that is loaded. */
static int report_loaded(const struct request *request, struct cup_profile *profile,
                         const struct cup_call_tree *calls, const struct cup_coffea_file *given,
                         struct cup_error *error)
{
    if (check_span(request->span, profile, error) != 0)
        return CUP_EXIT_USAGE;
    if (add_given_run(profile, given, error) != 0)
        return CUP_EXIT_FAILED;
    return write_report(request, profile, calls, given, error);
}

static int report(const struct request *request, const struct cup_coffea_file *given)
{
    struct cup_profile profile;
    struct cup_call_tree calls;
    struct cup_error error;
    /* Stacks are read only for sections that show them. */
    bool stacks = request->json || request->full || needs(request, CUP_NEEDS_STACKS) ||
                  needs(request, CUP_NEEDS_ALL_STACKS);
    const struct cup_load_options load = {
        .counters = request->json || needs(request, CUP_NEEDS_COUNTERS),
        .baskets = request->json || needs(request, CUP_NEEDS_BASKETS),
        .span = request->span,
        .run = request->number};
    int status = cup_verb_load_calls(&profile, request->directory, &load,
                                     stacks ? &request->ask : NULL, &calls, &error);
    if (status == CUP_EXIT_DONE) {
        status = report_loaded(request, &profile, stacks ? &calls : NULL, given, &error);
        cup_profile_free(&profile);
    }
    cup_call_tree_free(&calls);
    return cup_verb_end(&error, status);
}

int cup_verb_report(int argc, char **argv)
{
    struct request request = {0};
    struct cup_coffea_file given = {0};
    struct cup_error error;
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_USAGE);
    request.directory = cup_verb_directory(request.directory);
    if (request.path)
        return print_path(&request);
    if (cup_is_roastcoffea(request.directory))
        return report_measurement(&request);
    if (request.coffea && cup_coffea_file_read(&given, request.coffea, &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_FAILED);
    int status = report(&request, request.coffea ? &given : NULL);
    cup_coffea_file_free(&given);
    return status;
}
