#include "analysis/profile/collected.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/log/log_copies.h"
#include "analysis/log/merged_log.h"
#include "include/log_format.h"

static const char *const reason_names[CUP_PART_REASONS] = {[CUP_PART_STOPPED] = "stopped",
                                                           [CUP_PART_LOST] = "lost",
                                                           [CUP_PART_FULL] = "full",
                                                           [CUP_PART_REFUSED] = "refused"};

/* 0: it is not there. */
static int64_t read_time_ns(const json_t *object, const char *name)
{
    double seconds = json_number_value(json_object_get(object, name));
    return seconds > 0 && seconds < 9e9 ? (int64_t)(seconds * 1e9) : 0;
}

static char *copy_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? strdup(text) : NULL;
}

static void read_log(struct cup_collected *collected, const json_t *log)
{
    const char *why = json_string_value(json_object_get(log, "why"));
    int64_t until_ns = read_time_ns(log, "until");
    for (int i = 0; i < CUP_PART_REASONS; i++) {
        if (!why || strcmp(why, reason_names[i]) != 0)
            continue;
        collected->logs[i]++;
        if (until_ns < collected->until_ns[i])
            collected->until_ns[i] = until_ns;
    }
}

static bool is_refused(json_t *refused, const char *worker)
{
    size_t i;
    json_t *row;
    json_array_foreach(refused, i, row)
    {
        const char *other = json_string_value(json_object_get(row, "worker"));
        if (other && strcmp(other, worker) == 0)
            return true;
    }
    return false;
}

/* Without memory, workers are left out. */
static void read_ended(struct cup_collected *collected, json_t *ended, json_t *refused)
{
    const char *worker;
    json_t *tasks;
    collected->ended = calloc(json_object_size(ended) + 1, sizeof *collected->ended);
    json_object_foreach(ended, worker, tasks)
    {
        json_int_t number = json_integer_value(tasks);
        char *copy = number > 0 && !is_refused(refused, worker) ? strdup(worker) : NULL;
        if (copy && collected->ended)
            collected->ended[collected->ended_count++] =
                (struct cup_tasks_ended){copy, (uint64_t)number};
        else
            free(copy);
    }
}

static void read_all(struct cup_collected *collected, json_t *root)
{
    const char *name;
    json_t *log, *full = json_object_get(root, "full"), *refused = json_object_get(root, "refused");
    json_object_foreach(json_object_get(root, "logs"), name, log)
    {
        read_log(collected, log);
    }
    collected->full = copy_text(full, "why");
    collected->full_ns = read_time_ns(full, "at");
    collected->refused = json_array_size(refused);
    collected->refused_worker = copy_text(json_array_get(refused, 0), "worker");
    collected->refused_why = copy_text(json_array_get(refused, 0), "why");
    read_ended(collected, json_object_get(root, "tasks_ended"), refused);
}

/* ---- where it is written ----------------------------------------------------------------------
 */

/* O_NONBLOCK: to open a FIFO of this name would wait for a writer. */
static json_t *read_file_in(const char *directory)
{
    char *path = NULL;
    struct stat status;
    if (asprintf(&path, "%s/collected.json", directory) < 0)
        return NULL;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    free(path);
    if (fd < 0)
        return NULL;
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    FILE *file = regular ? fdopen(fd, "r") : NULL;
    if (!file) {
        close(fd);
        return NULL;
    }
    json_t *root = json_loadf(file, 0, NULL); /* json_loadfd() would read each byte by a call */
    fclose(file);
    return root;
}

/* NAME: a file CUP_LOG_REFUSED. NULL: it is none. */
static json_t *read_refused(const char *name)
{
    size_t bytes = strlen(name), suffix = strlen(CUP_LOG_SUFFIX CUP_LOG_REFUSED);
    if (bytes <= suffix || strcmp(name + bytes - suffix, CUP_LOG_SUFFIX CUP_LOG_REFUSED) != 0)
        return NULL;
    char *log = strndup(name, bytes - strlen(CUP_LOG_REFUSED));
    json_t *one =
        log ? json_pack("{s:{s:{s:s}}}", "logs", log, "why", reason_names[CUP_PART_REFUSED]) : NULL;
    free(log);
    return one;
}

static json_t *read_merged(const char *path)
{
    struct cup_error error;
    struct cup_merged *merged = cup_merged_open(path, &error);
    if (!merged)
        return NULL;
    json_t *root = json_loadb(merged->collected.bytes, merged->collected.length, 0, NULL);
    cup_merged_close(merged);
    return root;
}

/* What the log's directory knows of this one log. */
static json_t *read_beside(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *directory = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    json_t *root = directory ? read_file_in(directory) : NULL;
    json_t *log = json_object_get(json_object_get(root, "logs"), name);
    json_t *one = log ? json_pack("{s:{s:O}}", "logs", name, log) : NULL;
    char *refused = NULL;
    if (!one && asprintf(&refused, "%s" CUP_LOG_REFUSED, path) >= 0 && access(refused, F_OK) == 0)
        one = read_refused(slash ? refused + (slash + 1 - path) : refused);
    free(refused);
    json_decref(root);
    free(directory);
    return one;
}

/* ---- joining ----------------------------------------------------------------------------------
 */

/* Of two descriptions, which one is kept does not depend on their order: that with the greater
 * number NAME, else the one whose text is greater. */
static bool replaces(const json_t *more, const json_t *known, const char *name)
{
    double a = json_number_value(json_object_get(more, name));
    double b = json_number_value(json_object_get(known, name));
    if (a != b)
        return a > b;
    char *a_text = json_dumps(more, JSON_SORT_KEYS), *b_text = json_dumps(known, JSON_SORT_KEYS);
    bool greater = a_text && b_text && strcmp(a_text, b_text) > 0;
    free(a_text);
    free(b_text);
    return greater;
}

/* Adds the rows of a list that INTO lacks, in the order of their texts. */
static void join_rows(json_t *into, const json_t *more)
{
    size_t i, at;
    json_t *row;
    json_array_foreach(more, i, row)
    {
        for (at = 0; at < json_array_size(into) && replaces(row, json_array_get(into, at), "");)
            at++;
        if (!json_equal(row, json_array_get(into, at)))
            json_array_insert(into, at, row);
    }
}

static void join_part(json_t *into, const json_t *more, const char *part, const char *number)
{
    json_t *one = json_object_get(more, part), *known = json_object_get(into, part);
    if (json_is_object(one) && (!known || replaces(one, known, number)))
        json_object_set(into, part, one);
}

/* Of two counts of one worker, the greater one is the later one. */
static void join_ended(json_t *into, json_t *more)
{
    const char *worker;
    json_t *tasks;
    json_object_foreach(more, worker, tasks)
    {
        if (json_integer_value(tasks) > json_integer_value(json_object_get(into, worker)))
            json_object_set(into, worker, tasks);
    }
}

/* The copy of the log NAME that is read; NULL: there is none. */
static const char *find_copy(const struct cup_log_names *logs, const char *name)
{
    for (size_t low = 0, high = logs->count; low < high;) {
        size_t middle = (low + high) / 2;
        const char *slash = strrchr(logs->names[middle], '/');
        int order = strcmp(name, slash ? slash + 1 : logs->names[middle]);
        if (order == 0)
            return logs->names[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* True if the copy of the log in FOLDER, a directory or a merged log, lacks its end, but another
 * copy is read, which has it. A copy of which a part is missing may have the end, so it cannot
 * speak for itself. */
static bool is_whole_elsewhere(const struct cup_log_names *logs, const char *folder,
                               const char *name, const json_t *log)
{
    struct cup_log_copy copy;
    struct cup_error error;
    const char *why = json_string_value(json_object_get(log, "why"));
    const char *path = logs ? find_copy(logs, name) : NULL;
    size_t length = strlen(folder);
    bool unfinished = why && (strcmp(why, reason_names[CUP_PART_STOPPED]) == 0 ||
                              strcmp(why, reason_names[CUP_PART_LOST]) == 0);
    const char *slash = path ? strrchr(path, '/') : NULL;
    bool is_that_copy = path && (slash ? (size_t)(slash - path) : 0) == length &&
                        (length == 0 || memcmp(path, folder, length) == 0);
    return path && unfinished && !is_that_copy && cup_log_copy_read(&copy, path, &error) == 0 &&
           copy.stop_ns != 0;
}

/* What is joined, and for what. */
struct joining {
    json_t *into;
    const struct cup_log_names *logs;
};

/* Takes over MORE, which may be NULL, of FOLDER. */
static void join(const struct joining *joining, const char *folder, json_t *more)
{
    const char *name;
    json_t *into = joining->into, *log, *logs = json_object_get(into, "logs");
    json_object_foreach(json_object_get(more, "logs"), name, log)
    {
        if (json_is_object(log) && !is_whole_elsewhere(joining->logs, folder, name, log))
            join_part(logs, json_object_get(more, "logs"), name, "until");
    }
    join_part(into, more, "full", "at");
    join_rows(json_object_get(into, "refused"), json_object_get(more, "refused"));
    join_ended(json_object_get(into, "tasks_ended"), json_object_get(more, "tasks_ended"));
    json_decref(more);
}

static void join_refused(const struct joining *joining, const char *directory)
{
    DIR *stream = opendir(directory);
    for (struct dirent *entry; stream && (entry = readdir(stream)) != NULL;)
        join(joining, directory, read_refused(entry->d_name));
    if (stream)
        closedir(stream);
}

static void join_directory(const struct joining *joining, const char *directory)
{
    struct cup_log_names merged;
    join(joining, directory, read_file_in(directory));
    join_refused(joining, directory);
    if (cup_merged_list(&merged, directory) == 0)
        for (size_t i = 0; i < merged.count; i++)
            join(joining, merged.names[i], read_merged(merged.names[i]));
    cup_log_names_free(&merged);
}

static void join_log(const struct joining *joining, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = strndup(path, slash ? (size_t)(slash - path) : 0);
    join(joining, folder ? folder : "", read_beside(path));
    free(folder);
}

static json_t *join_all(const char *const *paths, size_t count, const struct cup_log_names *logs)
{
    json_t *all = json_pack("{s:{}, s:[], s:{}}", "logs", "refused", "tasks_ended");
    const struct joining joining = {all, logs};
    for (size_t i = 0; all && i < count; i++) {
        struct stat status;
        if (stat(paths[i], &status) == 0 && S_ISDIR(status.st_mode))
            join_directory(&joining, paths[i]);
        else if (cup_merged_is(paths[i]))
            join(&joining, paths[i], read_merged(paths[i]));
        else
            join_log(&joining, paths[i]);
    }
    return all;
}

static bool knows_nothing(json_t *all)
{
    return json_object_size(json_object_get(all, "logs")) == 0 &&
           json_array_size(json_object_get(all, "refused")) == 0 &&
           json_object_size(json_object_get(all, "tasks_ended")) == 0 &&
           !json_object_get(all, "full");
}

int cup_collected_join(const char *const *paths, size_t count, const struct cup_log_names *logs,
                       char **text)
{
    json_t *all = join_all(paths, count, logs);
    *text = all && !knows_nothing(all) ? json_dumps(all, JSON_SORT_KEYS | JSON_COMPACT) : NULL;
    int result = all && (*text || knows_nothing(all)) ? 0 : -1;
    json_decref(all);
    return result;
}

void cup_collected_read(struct cup_collected *collected, const char *directory,
                        const struct cup_log_names *logs)
{
    *collected = (struct cup_collected){0};
    for (int i = 0; i < CUP_PART_REASONS; i++)
        collected->until_ns[i] = INT64_MAX;
    json_t *all = join_all(&directory, 1, logs);
    if (all)
        read_all(collected, all);
    json_decref(all);
}

void cup_collected_free(struct cup_collected *collected)
{
    free(collected->full);
    free(collected->refused_worker);
    free(collected->refused_why);
    for (size_t i = 0; i < collected->ended_count; i++)
        free(collected->ended[i].worker);
    free(collected->ended);
    *collected = (struct cup_collected){0};
}
