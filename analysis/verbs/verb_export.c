#include <string.h>

#include "analysis/export/export.h"
#include "analysis/metrics/file_shares.h"
#include "analysis/profile/run_option.h"
#include "analysis/verbs/options.h"
#include "analysis/verbs/verbs.h"

/* What --to may say. Without `write` it is still to come. */
static const struct format {
    const char *name;
    int (*write)(const struct cup_totals *totals, const char *out, struct cup_error *error);
    bool directory; /* OUT is one */
    bool files;     /* its rows hold what the files say */
} formats[] = {
    {"roastcoffea", cup_export_roastcoffea, true, false},
    {"prometheus", cup_export_prometheus, false, false},
    {"csv", cup_export_csv, true, true},
    {"perfetto", NULL, false, false},
    {"speedscope", NULL, false, false},
    {"collapsed", NULL, true, false},
};

struct request {
    const char *directory, *to, *out, *run;
    unsigned number; /* of the run: see struct cup_load_options */
    const struct format *format;
};

static const struct format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static int check_format(const struct request *request, struct cup_error *error)
{
    if (!request->to)
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "name a format: --to roastcoffea, prometheus or csv");
    if (!request->format)
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "--to %s: no such format; see `cupping help export`", request->to);
    if (!request->format->write)
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "--to %s is not in this version; see `cupping help export`",
                             request->to);
    if (!request->out)
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "say where to: -o %s; see `cupping help export`",
                             request->format->directory ? "DIRECTORY" : "FILE");
    if (request->format->directory && strcmp(request->out, "-") == 0)
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "-o -: --to %s writes a directory, which standard output is not",
                             request->to);
    return 0;
}

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    const struct cup_option options[] = {
        {"--to", &request->to}, {"-o", &request->out}, {"--run", &request->run}};
    if (cup_options_read(argc, argv, options, sizeof options / sizeof *options, &request->directory,
                         error) != 0)
        return -1;
    request->format = request->to ? find_format(request->to) : NULL;
    if (check_format(request, error) != 0)
        return -1;
    return cup_run_option_read("export", request->run, &request->number, error);
}

/* With what the files that were read say of themselves, as the report's rows have it. */
static int write_with_files(const struct request *request, struct cup_totals *totals,
                            struct cup_error *error)
{
    struct cup_file_shares shares;
    int result = cup_file_shares_make(&shares, totals, NULL, error);
    totals->shares = &shares;
    if (result == 0)
        result = request->format->write(totals, request->out, error);
    totals->shares = NULL;
    cup_file_shares_free(&shares);
    return result;
}

static int write_export(const struct request *request, const struct cup_profile *profile,
                        struct cup_error *error)
{
    struct cup_totals totals;
    if (cup_totals_make(&totals, profile) != 0)
        return cup_error_memory(error, profile->path);
    int result = request->format->files ? write_with_files(request, &totals, error)
                                        : request->format->write(&totals, request->out, error);
    cup_totals_free(&totals);
    return result;
}

int cup_verb_export(int argc, char **argv)
{
    struct request request = {0};
    struct cup_profile profile;
    struct cup_error error;
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_USAGE);
    const struct cup_load_options load = {.counters = request.format->write == cup_export_csv,
                                          .baskets = true,
                                          .run = request.number};
    if (cup_verb_load(&profile, request.directory, &load, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_FAILED);
    int status = CUP_EXIT_DONE;
    if (cup_run_option_check(request.number, &profile, &error) != 0)
        status = CUP_EXIT_USAGE;
    else if (write_export(&request, &profile, &error) != 0)
        status = CUP_EXIT_FAILED;
    cup_profile_free(&profile);
    return status == CUP_EXIT_DONE ? status : cup_verb_failed(&error, status);
}
