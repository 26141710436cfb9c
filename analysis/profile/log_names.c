#include "analysis/profile/log_names.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/array.h"
#include "analysis/log/log_copies.h"
#include "analysis/log/merged_log.h"
#include "include/log_format.h"

/* ---- the logs of one directory ------------------------------------------------------------ */

static bool is_log_name(const char *name)
{
    size_t length = strlen(name), suffix = strlen(CUP_LOG_SUFFIX);
    return name[0] != '.' && length > suffix && strcmp(name + length - suffix, CUP_LOG_SUFFIX) == 0;
}

void cup_log_names_free(struct cup_log_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
}

/* "DIRECTORY/NAME", allocated. */
static char *join_path(const char *directory, const char *name)
{
    size_t bytes = strlen(directory) + strlen(name) + 2;
    char *path = malloc(bytes);
    if (path)
        snprintf(path, bytes, "%s/%s", directory, name);
    return path;
}

static int add_name(struct cup_log_names *names, const char *directory, const char *name)
{
    if (cup_array_grow(&names->names, &names->room, names->count, sizeof *names->names) != 0 ||
        !(names->names[names->count] = join_path(directory, name)))
        return -1;
    names->count++;
    return 0;
}

/* Adds the logs of a merged log. Returns 0, or -1 and *error. */
static int add_merged(struct cup_log_names *names, const char *path, struct cup_error *error)
{
    struct cup_merged *merged = cup_merged_open(path, error);
    int result = merged ? 0 : -1;
    for (uint32_t i = 0; result == 0 && i < merged->header.log_count; i++) {
        struct cup_text text = cup_merged_name(merged, &merged->logs[i]);
        char *name = strndup(text.bytes, text.length);
        if (!name || add_name(names, path, name) != 0)
            result = cup_error_memory(error, path);
        free(name);
    }
    if (merged)
        cup_merged_close(merged);
    return result;
}

/* True for HOST-PID-STARTNS.cup, the name that the library gives to a log: STARTNS has 19 digits.
 * Other names may be those of merged logs ("run-2026-11-28.cup"); to open each log of a large
 * directory would take long. */
static bool is_library_name(const char *name)
{
    enum { START_DIGITS = 19 };
    const char *at = name + strlen(name) - strlen(CUP_LOG_SUFFIX);
    for (int numbers = 0; numbers < 2; numbers++) {
        const char *end = at;
        while (at > name && at[-1] >= '0' && at[-1] <= '9')
            at--;
        if (at == end || at == name || at[-1] != '-' || (numbers == 0 && end - at != START_DIGITS))
            return false;
        at--;
    }
    return at > name;
}

/* Adds a file of a directory: a log, or the logs of a merged log. A merged log that cannot be read
 * is added as if it were one log, so that loading it says why. Returns 0, or -1 and *error. */
static int add_file(struct cup_log_names *names, const char *directory, const char *name,
                    struct cup_error *error)
{
    struct cup_error damage;
    size_t before = names->count;
    if (!is_library_name(name)) {
        char *path = join_path(directory, name);
        if (!path)
            return cup_error_memory(error, directory);
        bool done = cup_merged_is(path) && add_merged(names, path, &damage) == 0;
        free(path);
        if (done || names->count > before)
            return done ? 0 : cup_error_memory(error, directory);
    }
    return add_name(names, directory, name) == 0 ? 0 : cup_error_memory(error, directory);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* By file name. A log that is a file of the directory has the shorter path, and comes before the
 * one of the same name that is in a merged log there. */
int cup_log_name_order(const void *left, const void *right)
{
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    int order = strcmp(file_name(a), file_name(b));
    size_t a_length = strlen(a), b_length = strlen(b);
    if (order == 0)
        order = (a_length > b_length) - (a_length < b_length);
    return order ? order : strcmp(a, b);
}

/* OTHER, a copy of the log KEPT, holds more than that. One that cannot be read holds nothing. */
static bool holds_more(const char *other, const char *kept)
{
    struct cup_log_copy a = {0}, b = {0};
    struct cup_error error;
    if (cup_log_copy_read(&a, other, &error) != 0)
        return false;
    return cup_log_copy_read(&b, kept, &error) != 0 || cup_log_copy_order(&a, &b) < 0;
}

/* Orders the names. Of a log that was found several times, the copy that holds most is kept: the
 * job may still have run when it was merged. */
static void sort_names(struct cup_log_names *names)
{
    size_t kept = 0;
    if (names->count)
        qsort(names->names, names->count, sizeof *names->names, cup_log_name_order);
    for (size_t i = 0; i < names->count; i++) {
        char *name = names->names[i], **last = kept ? &names->names[kept - 1] : NULL;
        if (!last || strcmp(file_name(*last), file_name(name)) != 0) {
            names->names[kept++] = name;
        } else if (holds_more(name, *last)) {
            free(*last);
            *last = name;
        } else {
            free(name);
        }
    }
    names->count = kept;
}

static int cannot_open(const char *directory, struct cup_error *error)
{
    if (errno == ENOENT)
        return cup_error_set(error, directory, CUP_NO_OFFSET,
                             "no such profile directory; name one, or make one with "
                             "`cupping run -- COMMAND`");
    if (errno == ENOTDIR)
        return cup_error_set(error, directory, CUP_NO_OFFSET,
                             "not a directory or a merged log; name the profile directory "
                             "(`cupping dump` shows a single log)");
    return cup_error_system(error, directory, "open the profile directory");
}

int cup_log_names_list(struct cup_log_names *names, const char *directory, struct cup_error *error)
{
    *names = (struct cup_log_names){0};
    DIR *stream = opendir(directory);
    int result = 0, code = errno;
    if (!stream && code == ENOTDIR && cup_merged_is(directory)) {
        result = add_merged(names, directory, error);
        sort_names(names);
        return result;
    }
    errno = code;
    if (!stream)
        return cannot_open(directory, error);
    for (struct dirent *entry; result == 0 && (entry = readdir(stream)) != NULL;)
        if (is_log_name(entry->d_name))
            result = add_file(names, directory, entry->d_name, error);
    closedir(stream);
    if (result == 0 && names->count == 0)
        return cup_error_set(error, directory, CUP_NO_OFFSET,
                             "holds no logs (*" CUP_LOG_SUFFIX "): " CUP_WHY_NO_LOG
                             "; check that workers elsewhere have LD_PRELOAD and CUPPING_DIR, that "
                             "they can write here, and that CUPPING_DISABLE is not set");
    sort_names(names);
    return result;
}

int cup_merged_list(struct cup_log_names *names, const char *directory)
{
    *names = (struct cup_log_names){0};
    DIR *stream = opendir(directory);
    int result = stream ? 0 : -1;
    for (struct dirent *entry; result == 0 && (entry = readdir(stream)) != NULL;) {
        if (!is_log_name(entry->d_name) || is_library_name(entry->d_name))
            continue;
        result = add_name(names, directory, entry->d_name);
        if (result == 0 && !cup_merged_is(names->names[names->count - 1]))
            free(names->names[--names->count]);
    }
    if (stream)
        closedir(stream);
    sort_names(names);
    return result;
}

size_t cup_log_names_count(const char *directory)
{
    struct cup_log_names names;
    struct cup_error error;
    cup_log_names_list(&names, directory, &error);
    size_t count = names.count;
    cup_log_names_free(&names);
    return count;
}

/* ---- the newest profile ------------------------------------------------------------------- */

struct newest {
    char path[PATH_MAX];
    bool own;
    struct timespec since;
};

static bool is_newer(const struct timespec *one, const struct timespec *other)
{
    return one->tv_sec != other->tv_sec ? one->tv_sec > other->tv_sec
                                        : one->tv_nsec > other->tv_nsec;
}

/* A directory changes when a log is added to it, so that its time is that of its newest log. */
static void consider_profile(struct newest *newest, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode) || cup_log_names_count(path) == 0)
        return;
    bool own = status.st_uid == geteuid();
    if (*newest->path &&
        (own != newest->own ? newest->own : !is_newer(&status.st_mtim, &newest->since)))
        return;
    snprintf(newest->path, sizeof newest->path, "%s", path);
    newest->own = own;
    newest->since = status.st_mtim;
}

/* Where the link ./cupping-latest points to, so that messages name the profile itself. */
static void consider_link(struct newest *newest)
{
    char target[PATH_MAX];
    ssize_t bytes = readlink("cupping-latest", target + 2, sizeof target - 3);
    if (bytes <= 0) {
        consider_profile(newest, "./cupping-latest");
        return;
    }
    target[bytes + 2] = '\0';
    memcpy(target, "./", 2);
    consider_profile(newest, target[2] == '/' ? target + 2 : target);
}

char *cup_newest_profile(void)
{
    struct newest newest = {0};
    char path[PATH_MAX];
    DIR *stream = opendir(".");
    consider_link(&newest);
    for (struct dirent *entry; stream && (entry = readdir(stream)) != NULL;)
        if (strncmp(entry->d_name, "cupping-", 8) == 0 &&
            strcmp(entry->d_name, "cupping-latest") != 0) {
            snprintf(path, sizeof path, "./%s", entry->d_name);
            consider_profile(&newest, path);
        }
    if (stream)
        closedir(stream);
    return *newest.path ? strdup(newest.path) : NULL;
}
