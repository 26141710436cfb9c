/* `cupping merge`: the logs of several processes in one file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ftw.h>

#include "analysis/anonymize/anonymize.h"
#include "analysis/base/units.h"
#include "analysis/log/merged_log.h"
#include "analysis/merge/merge.h"
#include "analysis/write/temporary.h"
#include "cli/verbs.h"

struct request {
    const char *output, *memory, *per_prefix, *tasks, *anonymize;
};

static const struct cup_option rows[] = {
    CUP_OPTION("-o", "LOG", output, "the merged log; its name should end in .cup"),
    CUP_OPTION("--memory", "MB", memory,
               "the most memory to use, in megabytes; default: 512, at least 34"),
    CUP_OPTION("--per-prefix", NULL, per_prefix,
               "keep few tasks of each log, and sum up the others by the prefix of their keys"),
    CUP_OPTION("--tasks", "N", tasks,
               "with --per-prefix: keep, of each log and prefix, the N tasks that took longest, as "
               "many that read most, waited longest, and ended last; default: 10. Tasks that "
               "failed or never ended are always kept"),
    CUP_OPTION("--anonymize", NULL, anonymize,
               "replace hosts, users, paths, keys, datasets and texts of errors by aliases such as "
               "host-1, for a log that you send to others"),
};
const struct cup_options cup_merge_options = CUP_OPTIONS(rows);

static int read_memory(const char *text, uint64_t *bytes, struct cup_error *error)
{
    char *end = NULL;
    *bytes = CUP_MERGE_USUAL_MEMORY;
    if (!text)
        return 0;
    unsigned long value = strtoul(text, &end, 10);
    *bytes = (uint64_t)value * 1000000;
    if (*text < '0' || *text > '9' || *end || value > UINT32_MAX || *bytes < CUP_MERGE_LEAST_MEMORY)
        return cup_error_set(error, "merge", CUP_NO_OFFSET,
                             "--memory %s: name a number of megabytes from 34 on", text);
    return 0;
}

enum { USUAL_TASKS = 10, MOST_TASKS = 1000000 };

static int read_tasks(const struct request *request, unsigned *tasks, struct cup_error *error)
{
    const char *text = request->tasks;
    char *end = NULL;
    unsigned long value = text ? strtoul(text, &end, 10) : USUAL_TASKS;
    *tasks = request->per_prefix ? (unsigned)value : 0;
    if (!text)
        return 0;
    if (!request->per_prefix)
        return cup_error_set(error, "merge", CUP_NO_OFFSET, "--tasks needs --per-prefix");
    if (*text < '0' || *text > '9' || *end || value < 1 || value > MOST_TASKS)
        return cup_error_set(error, "merge", CUP_NO_OFFSET,
                             "--tasks %s: name a number from 1 to %d", text, MOST_TASKS);
    return 0;
}

static void print_bytes(char room[CUP_HUMAN_READABLE_ROOM], uint64_t bytes)
{
    cup_print_human_readable(room, cup_count(bytes), CUP_UNIT_BYTES);
}

static void print_result(const char *output, const struct cup_merge_result *result)
{
    char logs[CUP_HUMAN_READABLE_ROOM], merged[CUP_HUMAN_READABLE_ROOM];
    print_bytes(logs, result->log_bytes);
    print_bytes(merged, result->bytes);
    fprintf(stderr, "cupping: merged %" PRIu32 " log%s, %s, into %s: %s\n", result->logs,
            cup_plural(result->logs), logs, output, merged);
    if (result->summed)
        fprintf(stderr,
                "cupping: in %" PRIu32 " log%s, most tasks are summed up by prefix: what reports "
                "say of single tasks is said of the kept ones\n",
                result->summed, cup_plural(result->summed));
    if (result->living)
        fprintf(stderr,
                "cupping: %" PRIu32 " of these processes still run%s: their logs are merged as far "
                "as they are written\n",
                result->living, result->living == 1 ? "s" : "");
    if (result->again)
        fprintf(stderr,
                "cupping: %" PRIu32 " log%s found again under the same name; the one that holds "
                "most was taken\n",
                result->again, result->again == 1 ? " was" : "s were");
}

/* ---- anonymous copies ----------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static int merge_copies(const struct cup_merge_request *merge, char *directory,
                        struct cup_merge_result *result, struct cup_error *error)
{
    const struct cup_anonymous_copy copy = {merge->inputs, merge->count, directory};
    struct cup_merge_request request = *merge;
    struct cup_anonymous_result copied;
    request.inputs = (const char *const *)&directory;
    request.count = 1;
    if (cup_anonymize(&copy, &copied, error) != 0 || cup_merge(&request, result, error) != 0)
        return -1;
    result->again = copied.again;
    result->living = copied.living;
    if (copied.unreadable)
        fprintf(stderr, "cupping: %" PRIu32 " log%s cannot be read, and %s left out\n",
                copied.unreadable, cup_plural(copied.unreadable),
                copied.unreadable == 1 ? "is" : "are");
    return 0;
}

/* The directory that FILE is in; NULL: there is none. Allocated. */
static char *folder_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    return real;
}

/* A profile directory with the anonymous log would have each process twice, under two names. */
static bool is_in_input(const struct cup_merge_request *merge)
{
    char *output = folder_of(merge->output);
    bool found = false;
    for (size_t i = 0; i < merge->count && !found; i++) {
        struct stat status;
        bool is_folder = stat(merge->inputs[i], &status) == 0 && S_ISDIR(status.st_mode);
        bool is_merged = !is_folder && cup_merged_is(merge->inputs[i]);
        char *input = is_folder ? realpath(merge->inputs[i], NULL) : folder_of(merge->inputs[i]);
        found = input && output && !is_merged && strcmp(input, output) == 0;
        free(input);
    }
    free(output);
    return found;
}

/* Merges anonymous copies of the logs, which are next to the output until then. */
static int merge_anonymous(const struct cup_merge_request *merge, struct cup_merge_result *result,
                           struct cup_error *error)
{
    char *directory = NULL;
    if (is_in_input(merge))
        return cup_error_set(error, merge->output, CUP_NO_OFFSET,
                             "would be in the profile directory that it is made of, where each "
                             "process would count twice: write it to another directory");
    if (asprintf(&directory, "%s.XXXXXX", merge->output) < 0)
        return cup_error_memory(error, merge->output);
    bool made = mkdtemp(directory) != NULL;
    if (made)
        cup_temporary_add(directory);
    int done = made ? merge_copies(merge, directory, result, error)
                    : cup_error_system(error, directory, "create");
    nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    cup_temporary_drop(directory);
    free(directory);
    return done;
}

/* Returns 0, or -1 and *error: wrong usage. */
static int read_request(int argc, char **argv, struct cup_operands *operands,
                        struct cup_merge_request *merge, bool *anonymize, struct cup_error *error)
{
    struct request request = {0};
    if (cup_options_read(argc, argv, &cup_merge_options, &request, operands, error) != 0)
        return -1;
    if (operands->count == 0 || !request.output)
        return cup_error_set(error, "merge", CUP_NO_OFFSET,
                             "name logs or directories, and -o with the file to write; see "
                             "`cupping help merge`");
    merge->inputs = operands->words;
    merge->count = operands->count;
    merge->output = request.output;
    *anonymize = request.anonymize != NULL;
    if (read_tasks(&request, &merge->tasks, error) != 0)
        return -1;
    return read_memory(request.memory, &merge->memory, error);
}

int cup_verb_merge(int argc, char **argv)
{
    struct cup_error error;
    struct cup_merge_request merge = {0};
    struct cup_merge_result result;
    const char **inputs = calloc((size_t)argc, sizeof *inputs);
    struct cup_operands operands = {.words = inputs, .room = (size_t)argc};
    bool anonymize = false;
    int status = CUP_EXIT_DONE;
    if (!inputs) {
        cup_error_memory(&error, "merge");
        return cup_verb_end(&error, CUP_EXIT_FAILED);
    }
    cup_temporary_remove_at_signals();
    if (read_request(argc, argv, &operands, &merge, &anonymize, &error) != 0)
        status = CUP_EXIT_USAGE;
    else if ((anonymize ? merge_anonymous : cup_merge)(&merge, &result, &error) != 0)
        status = CUP_EXIT_FAILED;
    else
        print_result(merge.output, &result);
    free(inputs);
    return cup_verb_end(&error, status);
}
