#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "analysis/base/closest.h"
#include "analysis/export/export.h"
#include "analysis/profile/runs.h"
#include "cli/verbs.h"

/* What a format needs: of CUP_FROM_... (analysis/export/export.h), and */
enum needs {
    COUNTERS = 256, /* the counters of every task */
    STACKS = 512,   /* stacks: without any, nothing can be written */
    READS = 1024,   /* single reads: without any, nothing can be written */
    TOTALS = CUP_FROM_TOTALS | CUP_FROM_ROWS,
    TABLES = TOTALS | CUP_FROM_FILES | CUP_FROM_CALLS | COUNTERS,
};

/* The formats of --to. */
static const struct format {
    const char *name;
    const struct cup_export_file *files; /* OUT is a directory, with these; NULL: OUT is a file */
    cup_export_writer *write;            /* of that file */
    unsigned needs;                      /* enum needs */
} formats[] = {
    {"roastcoffea", cup_roastcoffea_files, NULL, TOTALS},
    {"prometheus", NULL, cup_export_prometheus, TOTALS},
    {"csv", cup_csv_files, NULL, TABLES},
    {"columns", cup_column_files, NULL, TABLES},
    {"perfetto", NULL, cup_export_perfetto, TOTALS | COUNTERS},
    {"speedscope", NULL, cup_export_speedscope, TOTALS | STACKS},
    {"collapsed", cup_collapsed_files, NULL, TOTALS | STACKS},
    {"replay", NULL, cup_export_replay, TOTALS | READS},
};

struct request {
    const char *directory, *to, *out, *run, *only;
    unsigned number; /* of the run: see struct cup_load_options */
    const struct format *format;
    const struct cup_export_file *table; /* the only one to write; NULL: all */
    struct cup_call_ask ask;             /* whose stacks are exported */
};

static const char *format_name(size_t n)
{
    return n < sizeof formats / sizeof *formats ? formats[n].name : NULL;
}

static const struct cup_option rows[] = {
    CUP_OPTION("--to", "FORMAT", to, "the format", .values = format_name),
    CUP_OPTION("-o", "OUT", out,
               "the directory, or the file (- is standard output). A directory must be new, empty, "
               "or hold an earlier export in this format"),
    CUP_OPTION("--only", "TABLE", only, "write only this table (csv, columns)",
               .values = cup_table_name),
    CUP_OPTION("--run", "N|all", run, CUP_RUN_MEANING),
    CUP_ASK_OPTIONS(" (speedscope, collapsed)"),
};
const struct cup_options cup_export_options = CUP_OPTIONS(rows);

static const struct format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static int refuse_format(const char *name, struct cup_error *error)
{
    struct cup_closest closest = {.word = name};
    cup_closest_try_all(&closest, format_name);
    return cup_error_set(error, "export", CUP_NO_OFFSET,
                         "--to %s: no such format%s; see `cupping help export`", name,
                         cup_closest_text(&closest));
}

static int read_table(struct request *request, struct cup_error *error)
{
    const struct cup_export_file *files = request->format ? request->format->files : NULL;
    struct cup_closest closest = {.word = request->only};
    if (files != cup_csv_files && files != cup_column_files)
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "--only %s: only --to csv and --to columns write tables",
                             request->only);
    for (size_t i = 0; cup_table_name(i); i++)
        if (strcmp(cup_table_name(i), request->only) == 0)
            request->table = &files[i];
    if (request->table)
        return 0;
    cup_closest_try_all(&closest, cup_table_name);
    return cup_error_set(error, "export", CUP_NO_OFFSET,
                         "--only %s: no such table%s; see `cupping help export`", request->only,
                         cup_closest_text(&closest));
}

static unsigned needs_of(const struct request *request)
{
    return request->table ? request->table->needs | COUNTERS : request->format->needs;
}

static int check_format(const struct request *request, struct cup_error *error)
{
    if (!request->to)
        return cup_error_set(
            error, "export", CUP_NO_OFFSET,
            "name a format: --to roastcoffea, prometheus, csv, columns, perfetto, speedscope, "
            "collapsed or replay");
    if (!request->format)
        return refuse_format(request->to, error);
    if (!request->out)
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "say where to: -o %s; see `cupping help export`",
                             request->format->files ? "DIRECTORY" : "FILE");
    if (request->format->files && strcmp(request->out, "-") == 0)
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "-o -: --to %s writes a directory, not standard output", request->to);
    if ((request->ask.prefix || request->ask.dataset || request->ask.worker) &&
        !(request->format->needs & STACKS))
        return cup_error_set(error, "export", CUP_NO_OFFSET,
                             "--to %s always exports all tasks: --prefix, --dataset and --worker "
                             "are for --to speedscope and collapsed",
                             request->to);
    return 0;
}

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    struct cup_operands operands = {.words = &request->directory, .room = 1};
    if (cup_options_read(argc, argv, &cup_export_options, request, &operands, error) != 0)
        return -1;
    request->format = request->to ? find_format(request->to) : NULL;
    if (check_format(request, error) != 0 || (request->only && read_table(request, error) != 0))
        return -1;
    return cup_run_option_read("export", request->run, &request->number, error);
}

static int write_format(const void *of, struct cup_totals *totals, struct cup_error *error)
{
    const struct request *request = of;
    const struct format *format = request->format;
    if (cup_verb_check_ask(&request->ask, totals, error) != 0)
        return -1;
    return format->files
               ? cup_export_files(totals, request->out, format->files, request->table, error)
               : cup_export_file(totals, request->out, format->write, error);
}

static void warn_of_lost_reads(const struct cup_profile *profile)
{
    uint64_t lost = profile->health[CUP_H_READS_DROPPED];
    if (lost)
        fprintf(stderr,
                "cupping: %s: %" PRIu64 " reads are missing: they may take a quarter of a log, see "
                "CUPPING_MAX_BYTES\n",
                profile->path, lost);
}

/* Only what is needed: a million tasks take time. */
static int make_totals(struct cup_totals *totals, const struct cup_profile *profile, unsigned needs)
{
    if (needs & CUP_FROM_TOTALS)
        return cup_totals_make(totals, profile);
    *totals = (struct cup_totals){.profile = profile};
    if (!(needs & CUP_FROM_SUMS) || cup_sums_make(totals, profile) == 0)
        return 0;
    cup_totals_free(totals);
    return -1;
}

static int write_export(const struct request *request, const struct cup_profile *profile,
                        struct cup_error *error)
{
    const char *missing = cup_stacks_missing(profile);
    unsigned needs = needs_of(request);
    struct cup_totals totals;
    if (needs & READS && cup_replay_missing(profile))
        return cup_error_set(error, profile->path, CUP_NO_OFFSET, "%s",
                             cup_replay_missing(profile));
    if (needs & READS)
        warn_of_lost_reads(profile);
    if (missing && needs & STACKS)
        return cup_error_set(error, profile->path, CUP_NO_OFFSET, "%s", missing);
    if (make_totals(&totals, profile, needs) != 0)
        return cup_error_memory(error, profile->path);
    const struct cup_extras extras = {
        .files = needs & CUP_FROM_FILES,
        .ask = !missing && needs & (STACKS | CUP_FROM_CALLS) ? &request->ask : NULL};
    int result = cup_verb_write(write_format, request, &totals, &extras, error);
    cup_totals_free(&totals);
    return result;
}

int cup_verb_export(int argc, char **argv)
{
    struct request request = {0};
    struct cup_profile profile;
    struct cup_error error;
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_USAGE);
    unsigned needs = needs_of(&request);
    const struct cup_load_options load = {.counters = (needs & COUNTERS) != 0,
                                          .baskets = (needs & CUP_FROM_ROWS) != 0,
                                          .reads = (needs & READS) != 0,
                                          .run = request.number};
    int status = cup_verb_load(&profile, request.directory, &load, &error);
    if (status != CUP_EXIT_DONE)
        return cup_verb_end(&error, status);
    cup_verb_warn_of_summed(&profile);
    status = write_export(&request, &profile, &error) == 0 ? CUP_EXIT_DONE : CUP_EXIT_FAILED;
    cup_profile_free(&profile);
    return cup_verb_end(&error, status);
}
