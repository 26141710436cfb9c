/* `cupping replay`: repeats the reads of a table that `cupping export --to replay` wrote. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/replay/replay_client.h"
#include "analysis/replay/replay_report.h"
#include "cli/verbs.h"

struct request {
    const char *table, *root, *strip, *speed, *client, *json;
    double factor;
};

static const struct cup_option rows[] = {
    CUP_OPTION(
        "--root", "URL|DIR", root,
        "read the files below this directory or root:// URL, by their whole paths; without it, "
        "where they were"),
    CUP_OPTION("--strip", "DIR", strip, "remove these leading directories from the paths"),
    CUP_OPTION("--speed", "N", speed,
               "begin reads N times faster than recorded, as far as those before them have ended; "
               "without it 1"),
    CUP_OPTION("--client", "LIB", client, "libXrdPosix of the XRootD client to use"),
    CUP_OPTION("--json", "FILE", json, "write the result as JSON; without FILE to standard output",
               .otherwise = "-"),
};
const struct cup_options cup_replay_options = CUP_OPTIONS(rows);

static int read_speed(struct request *request, struct cup_error *error)
{
    char *end = NULL;
    request->factor = request->speed ? strtod(request->speed, &end) : 1;
    if (end && (*end || !(request->factor >= 0.001 && request->factor <= 1e6)))
        return cup_error_set(error, "replay", CUP_NO_OFFSET,
                             "--speed %s: name a number from 0.001 to 1000000", request->speed);
    return 0;
}

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    struct cup_operands operands = {.words = &request->table, .room = 1};
    if (cup_options_read(argc, argv, &cup_replay_options, request, &operands, error) != 0)
        return -1;
    if (!request->table)
        return cup_error_set(error, "replay", CUP_NO_OFFSET,
                             "name a table that `cupping export --to replay -o FILE` wrote");
    if (request->root && strstr(request->root, "://") && !cup_replay_is_remote(request->root))
        return cup_error_set(error, "replay", CUP_NO_OFFSET,
                             "--root %s: only directories and root:// URLs can be read",
                             request->root);
    return read_speed(request, error);
}

/* ---- where files are read ----------------------------------------------------------------- */

/* Of a URL; NULL: NAME is a path, such as that of a cache, whose directories are named like URLs.
 */
static const char *find_host(const char *name)
{
    return name[0] == '/' ? NULL : strstr(name, "://");
}

/* The path of a path or URL, with one slash at its begin. */
static const char *path_of(const char *name)
{
    const char *host = find_host(name);
    const char *path = host ? strchr(host + 3, '/') : name;
    while (path && path[0] == '/' && path[1] == '/')
        path++;
    return path ? path : "/";
}

/* PATH without the leading directories DIR; NULL: it does not begin with them. */
static const char *strip_path(const char *path, const char *dir)
{
    size_t length = dir ? strlen(dir) : 0;
    while (length && dir[length - 1] == '/')
        length--;
    if (strncmp(path, dir ? dir : "", length) != 0 || (length && path[length] != '/'))
        return NULL;
    return path + length;
}

static char *join_target(const char *root, const char *path)
{
    size_t length = strlen(root);
    while (length > 1 && root[length - 1] == '/')
        length--;
    char *target = malloc(length + strlen(path) + 2);
    if (target)
        sprintf(target, "%.*s%s%s", (int)length, root,
                cup_replay_is_remote(root) || *path != '/' ? "/" : "", path);
    return target;
}

/* Allocated; NULL and *error. */
static char *find_target(const struct request *request, const char *name, struct cup_error *error)
{
    char *target = NULL;
    const char *path = strip_path(path_of(name), request->strip);
    if (!path)
        cup_error_set(error, name, CUP_NO_OFFSET, "does not begin with --strip %s", request->strip);
    else if (!request->root && find_host(name) && !cup_replay_is_remote(name))
        cup_error_set(error, name, CUP_NO_OFFSET,
                      "cannot be read here: name another place with --root");
    else if (!(target = request->root ? join_target(request->root, path) : strdup(name)))
        cup_error_memory(error, request->table);
    return target;
}

static void free_targets(char **targets, size_t count)
{
    for (size_t i = 0; targets && i < count; i++)
        free(targets[i]);
    free(targets);
}

/* None of the local files is there: a wrong --root, most likely. */
static int check_places(const char *const *targets, size_t count, struct cup_error *error)
{
    for (size_t i = 1; i < count; i++)
        if (cup_replay_is_remote(targets[i]) || access(targets[i], F_OK) == 0)
            return 0;
    return cup_error_set(
        error, targets[1], CUP_NO_OFFSET,
        "is not there, nor is any other file of the table: see --root and --strip");
}

static char **find_targets(const struct request *request, const struct cup_replay_table *table,
                           struct cup_error *error)
{
    size_t count = table->files.count;
    char **targets = calloc(count, sizeof *targets);
    if (!targets)
        cup_error_memory(error, request->table);
    for (size_t i = 1; targets && i < count; i++) {
        char *name = strndup(table->files.texts[i].bytes, table->files.texts[i].length);
        targets[i] = name ? find_target(request, name, error) : NULL;
        if (!name)
            cup_error_memory(error, request->table);
        free(name);
        if (targets[i])
            continue;
        free_targets(targets, count);
        return NULL;
    }
    return targets;
}

/* ---- the replay --------------------------------------------------------------------------- */

static int write_result(const struct request *request, const struct cup_replay_table *table,
                        const struct cup_replay_options *options,
                        const struct cup_replay_outcome *outcome, struct cup_error *error)
{
    struct cup_output output;
    if (cup_output_open(&output, request->json ? request->json : "-", error) != 0)
        return -1;
    if ((request->json ? cup_replay_write_json : cup_replay_print)(table, options, outcome,
                                                                   &output) != 0) {
        cup_output_abandon(&output);
        return cup_error_memory(error, request->table);
    }
    return cup_output_close(&output, error);
}

static int replay(const struct request *request, const struct cup_replay_table *table,
                  const struct cup_replay_options *options, struct cup_error *error)
{
    struct cup_replay_outcome outcome;
    if (check_places(options->targets, table->files.count, error) != 0)
        return cup_verb_end(error, CUP_EXIT_FAILED);
    if (cup_replay_run(table, options, &outcome, error) != 0)
        return cup_verb_end(error, CUP_EXIT_FAILED);
    int status = write_result(request, table, options, &outcome, error) == 0 ? CUP_EXIT_DONE
                                                                             : CUP_EXIT_FAILED;
    cup_verb_end(error, status);
    if (cup_replay_print_failures(table, options, &outcome))
        status = CUP_EXIT_FAILED;
    cup_replay_outcome_free(&outcome);
    return status;
}

int cup_verb_replay(int argc, char **argv)
{
    struct request request = {0};
    struct cup_replay_table table;
    struct cup_error error;
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_USAGE);
    if (cup_replay_table_read(&table, request.table, &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_FAILED);
    char **targets = find_targets(&request, &table, &error);
    const struct cup_replay_options options = {
        .targets = (const char *const *)targets, .speed = request.factor, .client = request.client};
    int status =
        targets ? replay(&request, &table, &options, &error) : cup_verb_end(&error, CUP_EXIT_USAGE);
    free_targets(targets, table.files.count);
    cup_replay_table_free(&table);
    return status;
}
