#include <string.h>

#include "analysis/options.h"
#include "analysis/report.h"
#include "analysis/verbs.h"

struct request {
    const char *directory, *json, *only, *span, *run;
};

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    const struct cup_option options[] = {
        {"--json", &request->json}, {"--only", &request->only}, {"--span", &request->span},
        {"--run", &request->run},   {"--coffea-report", NULL},  {"--samples", NULL},
    };
    if (cup_options_read(argc, argv, options, sizeof options / sizeof *options, &request->directory,
                         error) != 0)
        return -1;
    if (request->only && !cup_report_has_section(request->only))
        return cup_error_set(error, "report", CUP_NO_OFFSET,
                             "--only %s: no such section; see `cupping help report`",
                             request->only);
    if (request->run && strcmp(request->run, "all") != 0 && strcmp(request->run, "1") != 0)
        return cup_error_set(error, "report", CUP_NO_OFFSET,
                             "--run %s: runs are not told apart by this version: the whole "
                             "profile is run 1",
                             request->run);
    return 0;
}

static int write_report(const struct request *request, const struct cup_profile *profile,
                        struct cup_error *error)
{
    struct cup_totals totals;
    struct cup_output output;
    if (cup_totals_make(&totals, profile) != 0)
        return cup_error_memory(error, profile->path);
    if (cup_output_open(&output, request->json ? request->json : "-", error) != 0) {
        cup_totals_free(&totals);
        return -1;
    }
    int result = request->json ? cup_report_json(&totals, &output)
                               : cup_report_text(&totals, &output, request->only);
    cup_totals_free(&totals);
    if (result == 0)
        return cup_output_close(&output, error);
    cup_output_abandon(&output);
    return cup_error_memory(error, profile->path);
}

int cup_verb_report(int argc, char **argv)
{
    struct request request = {0};
    struct cup_profile profile;
    struct cup_error error;
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_USAGE);
    const struct cup_load_options load = {.counters = request.json != NULL, .span = request.span};
    if (cup_verb_load(&profile, request.directory, &load, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_FAILED);
    int result = write_report(&request, &profile, &error);
    cup_profile_free(&profile);
    return result == 0 ? CUP_EXIT_DONE : cup_verb_failed(&error, CUP_EXIT_FAILED);
}
