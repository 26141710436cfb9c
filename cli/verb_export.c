#include <string.h>

#include "analysis/export/export.h"
#include "analysis/metrics/functions/call_tree.h"
#include "analysis/metrics/reads/file_shares.h"
#include "analysis/profile/run_option.h"
#include "cli/options.h"
#include "cli/verbs.h"

/* What is loaded for a format, besides what all need. */
enum needs {
    FILES = 1,    /* what the files that were read say of themselves */
    COUNTERS = 2, /* of every task */
    STACKS = 4,   /* without which there is nothing to write */
    CALLS = 8,    /* stacks, if there are any */
};

/* What --to may say. */
static const struct format {
    const char *name;
    int (*write)(const struct cup_totals *totals, const char *out, struct cup_error *error);
    bool directory; /* OUT is one */
    unsigned needs; /* enum needs */
} formats[] = {
    {"roastcoffea", cup_export_roastcoffea, true, 0},
    {"prometheus", cup_export_prometheus, false, 0},
    {"csv", cup_export_csv, true, FILES | COUNTERS | CALLS},
    {"perfetto", cup_export_perfetto, false, COUNTERS},
    {"speedscope", cup_export_speedscope, false, STACKS},
    {"collapsed", cup_export_collapsed, true, STACKS},
};

struct request {
    const char *directory, *to, *out, *run;
    unsigned number; /* of the run: see struct cup_load_options */
    const struct format *format;
    struct cup_call_ask ask; /* of which tasks' stacks */
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
        return cup_error_set(
            error, "export", CUP_NO_OFFSET,
            "name a format: --to roastcoffea, prometheus, csv, perfetto, speedscope or "
            "collapsed");
    if (!request->format)
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "--to %s: no such format; see `cupping help export`", request->to);
    if (!request->out)
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "say where to: -o %s; see `cupping help export`",
                             request->format->directory ? "DIRECTORY" : "FILE");
    if (request->format->directory && strcmp(request->out, "-") == 0)
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "-o -: --to %s writes a directory, which standard output is not",
                             request->to);
    if ((request->ask.prefix || request->ask.dataset || request->ask.worker) &&
        !(request->format->needs & STACKS))
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "--to %s is of all tasks: --prefix, --dataset and --worker are for "
                             "--to speedscope and collapsed",
                             request->to);
    return 0;
}

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    const struct cup_option options[] = {
        {"--to", &request->to},
        {"-o", &request->out},
        {"--run", &request->run},
        {"--prefix", &request->ask.prefix},
        {"--dataset", &request->ask.dataset},
        {"--worker", &request->ask.worker},
    };
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

static int write_totals(const struct request *request, struct cup_totals *totals,
                        struct cup_error *error)
{
    return request->format->needs & FILES ? write_with_files(request, totals, error)
                                          : request->format->write(totals, request->out, error);
}

static int write_with_stacks(const struct request *request, struct cup_totals *totals,
                             struct cup_error *error)
{
    struct cup_call_tree calls;
    int result = cup_call_tree_make(&calls, totals->profile, &request->ask);
    totals->calls = &calls;
    result = result == 0 ? write_totals(request, totals, error)
                         : cup_error_memory(error, totals->profile->path);
    totals->calls = NULL;
    cup_call_tree_free(&calls);
    return result;
}

static int write_export(const struct request *request, const struct cup_profile *profile,
                        struct cup_error *error)
{
    struct cup_totals totals;
    if (cup_totals_make(&totals, profile) != 0)
        return cup_error_memory(error, profile->path);
    const char *missing = cup_stacks_missing(profile);
    unsigned needs = request->format->needs;
    int result = 0;
    if (missing && needs & STACKS)
        result = cup_error_set(error, profile->path, CUP_NO_OFFSET, "%s", missing);
    else if (!missing && needs & (STACKS | CALLS))
        result = write_with_stacks(request, &totals, error);
    else
        result = write_totals(request, &totals, error);
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
    const struct cup_load_options load = {.counters = (request.format->needs & COUNTERS) != 0,
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
