#include <stdlib.h>
#include <string.h>

#include "analysis/profile/runs.h"
#include "analysis/report/report.h"
#include "analysis/verbs/options.h"
#include "analysis/verbs/verbs.h"

struct request {
    const char *directory, *json, *only, *span, *run, *coffea, *samples;
    unsigned number; /* of the run: see struct cup_load_options */
};

static int read_run(struct request *request, struct cup_error *error)
{
    char *end = NULL;
    unsigned long number = request->run ? strtoul(request->run, &end, 10) : 0;
    if (!request->run)
        request->number = 0;
    else if (strcmp(request->run, "all") == 0)
        request->number = CUP_ALL_RUNS;
    else if (*request->run < '0' || *request->run > '9' || *end || number < 1 || number > 1000000)
        return cup_error_set(error, "report", CUP_NO_OFFSET,
                             "--run %s: neither a number from 1 on nor `all`", request->run);
    else
        request->number = (unsigned)number;
    return 0;
}

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    const struct cup_option options[] = {
        {"--json", &request->json},
        {"--only", &request->only},
        {"--span", &request->span},
        {"--run", &request->run},
        {"--coffea-report", &request->coffea},
        {"--samples", &request->samples},
    };
    if (cup_options_read(argc, argv, options, sizeof options / sizeof *options, &request->directory,
                         error) != 0)
        return -1;
    if (request->only && !cup_report_has_section(request->only))
        return cup_error_set(error, "report", CUP_NO_OFFSET,
                             "--only %s: no such section; see `cupping help report`",
                             request->only);
    return read_run(request, error);
}

/* Without Runner calls all that there is is run 1. */
static int check_run(const struct request *request, const struct cup_profile *profile,
                     struct cup_error *error)
{
    size_t runs = profile->run_count ? profile->run_count : 1;
    if (request->number == CUP_ALL_RUNS || request->number <= runs)
        return 0;
    return cup_error_set(error, profile->path, CUP_NO_OFFSET,
                         "--run %u: it holds %zu run%s; `--only runs` lists them", request->number,
                         runs, runs == 1 ? "" : "s");
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

/* `given`: Coffea's report, or NULL. */
static int write_report(const struct request *request, const struct cup_profile *profile,
                        const struct cup_coffea_file *given, struct cup_error *error)
{
    struct cup_totals totals;
    struct cup_samples_file file = {0};
    if (cup_totals_make(&totals, profile) != 0)
        return cup_error_memory(error, profile->path);
    totals.given = given;
    int result = 0;
    if (request->samples)
        result = use_samples(request->samples, &totals, &file, error);
    if (result == 0)
        result = write_totals(request, &totals, error);
    cup_totals_free(&totals);
    cup_samples_file_free(&file);
    return result;
}

static int give(struct cup_profile *profile, const struct cup_coffea_file *given,
                struct cup_error *error)
{
    if (!given || !given->start_ns || !given->stop_ns)
        return 0;
    return cup_runs_give(profile, given->start_ns, given->stop_ns) < 0
               ? cup_error_memory(error, profile->path)
               : 0;
}

static int report(const struct request *request, const struct cup_coffea_file *given)
{
    struct cup_profile profile;
    struct cup_error error;
    const struct cup_load_options load = {
        .counters = request->json || (request->only && cup_section_needs_counters(request->only)),
        .span = request->span,
        .run = request->number};
    if (cup_verb_load(&profile, request->directory, &load, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_FAILED);
    int status = CUP_EXIT_DONE;
    if (check_run(request, &profile, &error) != 0)
        status = CUP_EXIT_USAGE;
    else if (give(&profile, given, &error) != 0 ||
             write_report(request, &profile, given, &error) != 0)
        status = CUP_EXIT_FAILED;
    cup_profile_free(&profile);
    return status == CUP_EXIT_DONE ? status : cup_verb_failed(&error, status);
}

int cup_verb_report(int argc, char **argv)
{
    struct request request = {0};
    struct cup_coffea_file given = {0};
    struct cup_error error;
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_USAGE);
    if (request.coffea && cup_coffea_file_read(&given, request.coffea, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_FAILED);
    int status = report(&request, request.coffea ? &given : NULL);
    cup_coffea_file_free(&given);
    return status;
}
