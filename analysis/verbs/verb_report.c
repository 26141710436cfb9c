#include "analysis/report/report.h"
#include "analysis/verbs/options.h"
#include "analysis/verbs/run_option.h"
#include "analysis/verbs/verbs.h"

struct request {
    const char *directory, *json, *only, *span, *run, *samples;
    unsigned number; /* of the run: see struct cup_load_options */
};

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    const struct cup_option options[] = {
        {"--json", &request->json}, {"--only", &request->only}, {"--span", &request->span},
        {"--run", &request->run},   {"--coffea-report", NULL},  {"--samples", &request->samples},
    };
    if (cup_options_read(argc, argv, options, sizeof options / sizeof *options, &request->directory,
                         error) != 0)
        return -1;
    if (request->only && !cup_report_has_section(request->only))
        return cup_error_set(error, "report", CUP_NO_OFFSET,
                             "--only %s: no such section; see `cupping help report`",
                             request->only);
    return cup_run_option_read("report", request->run, &request->number, error);
}

/* The samples of a file take the place of the profile's own. */
static int use_samples(const char *path, struct cup_totals *totals, struct cup_samples_file *file,
                       struct cup_error *error)
{
    const struct cup_window run = cup_run_window(totals);
    if (cup_samples_file_read(file, path, run.from_ns, run.to_ns ? run.to_ns : INT64_MAX, error))
        return -1;
    cup_observed_free(&totals->observed);
    if (cup_observed_make_from_file(&totals->observed, totals->profile, run, file) != 0)
        return cup_error_memory(error, path);
    return 0;
}

static int write_totals(const struct request *request, const struct cup_totals *totals,
                        struct cup_error *error)
{
    struct cup_output output;
    if (cup_output_open(&output, request->json ? request->json : "-", error) != 0)
        return -1;
    int result = request->json ? cup_report_json(totals, &output)
                               : cup_report_text(totals, &output, request->only);
    if (result == 0)
        return cup_output_close(&output, error);
    cup_output_abandon(&output);
    return cup_error_memory(error, totals->profile->path);
}

static int write_report(const struct request *request, const struct cup_profile *profile,
                        struct cup_error *error)
{
    struct cup_totals totals;
    struct cup_samples_file file = {0};
    if (cup_totals_make(&totals, profile) != 0)
        return cup_error_memory(error, profile->path);
    int result = 0;
    if (request->samples)
        result = use_samples(request->samples, &totals, &file, error);
    if (result == 0)
        result = write_totals(request, &totals, error);
    cup_totals_free(&totals);
    cup_samples_file_free(&file);
    return result;
}

int cup_verb_report(int argc, char **argv)
{
    struct request request = {0};
    struct cup_profile profile;
    struct cup_error error;
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_USAGE);
    const struct cup_load_options load = {
        .counters = request.json || (request.only && cup_section_needs_counters(request.only)),
        .span = request.span,
        .run = request.number};
    if (cup_verb_load(&profile, request.directory, &load, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_FAILED);
    int status = CUP_EXIT_DONE;
    if (cup_run_option_check(request.number, &profile, &error) != 0)
        status = CUP_EXIT_USAGE;
    else if (write_report(&request, &profile, &error) != 0)
        status = CUP_EXIT_FAILED;
    cup_profile_free(&profile);
    return status == CUP_EXIT_DONE ? status : cup_verb_failed(&error, status);
}
