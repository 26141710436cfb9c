#include "analysis/metrics/functions/installed_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK: a file of that name may be a FIFO. */
static FILE *open_regular(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file =
        fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(fd, "r") : NULL;
    if (!file && fd >= 0)
        close(fd);
    return file;
}

/* Adds "DIRECTORY/NAME/" for the first part of each path in a RECORD, and "DIRECTORY/NAME," for a
 * single module. */
static void list_record(struct cup_installed *installed, const char *directory, const char *record)
{
    FILE *file = open_regular(record);
    char *line = NULL, key[PATH_MAX + 2];
    size_t room = 0;
    while (file && getline(&line, &room, file) > 0) {
        int part = (int)strcspn(line, "/,") + 1;
        int bytes = snprintf(key, sizeof key, "%s/%.*s", directory, part, line);
        if (bytes < (int)sizeof key)
            cup_intern_add(&installed->listed, key, (size_t)bytes);
    }
    free(line);
    if (file)
        fclose(file);
}

/* Lists what packages were installed into a directory, once: "DIRECTORY/" says that it was. */
static void list_directory(struct cup_installed *installed, const char *directory)
{
    static const char ending[] = ".dist-info";
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/", directory);
    if (length >= (int)sizeof path ||
        cup_intern_find(&installed->listed, path, (size_t)length) != 0 ||
        !cup_intern_add(&installed->listed, path, (size_t)length))
        return;
    DIR *stream = opendir(directory);
    for (struct dirent *entry; stream && (entry = readdir(stream)) != NULL;) {
        size_t bytes = strlen(entry->d_name);
        if (bytes < sizeof ending || strcmp(entry->d_name + bytes - strlen(ending), ending) != 0)
            continue;
        int whole = snprintf(path, sizeof path, "%s/%s/RECORD", directory, entry->d_name);
        if (whole < (int)sizeof path)
            list_record(installed, directory, path);
    }
    if (stream)
        closedir(stream);
}

/* Cuts the path at the slash behind the directory that holds the file's package: the innermost one
 * without __init__.py. Returns its length; 0: there is none. */
static size_t cut_to_directory(char path[PATH_MAX])
{
    char *slash = strrchr(path, '/');
    for (; slash && slash > path; slash = strrchr(path, '/')) {
        char init[PATH_MAX];
        *slash = '\0';
        int bytes = snprintf(init, sizeof init, "%s/__init__.py", path);
        if (bytes >= (int)sizeof init || access(init, F_OK) != 0)
            return (size_t)(slash - path);
    }
    return 0;
}

static bool package_is_installed(struct cup_installed *installed, const char *directory,
                                 struct cup_text file)
{
    char key[PATH_MAX + 2];
    const char *slash = memchr(file.bytes, '/', file.length);
    int part = slash ? (int)(slash - file.bytes) : (int)file.length;
    int bytes =
        snprintf(key, sizeof key, "%s/%.*s%c", directory, part, file.bytes, slash ? '/' : ',');
    list_directory(installed, directory);
    return cup_intern_find(&installed->listed, key, (size_t)bytes) != 0;
}

size_t cup_installed_below(struct cup_installed *installed, struct cup_text path)
{
    char directory[PATH_MAX];
    if (path.length == 0 || path.bytes[0] != '/' || path.length >= sizeof directory)
        return 0;
    uint32_t id = cup_intern_add(&installed->asked, path.bytes, path.length);
    uint32_t known = id ? cup_id_map_get(&installed->answers, id) : 0;
    if (known)
        return known - 1;
    memcpy(directory, path.bytes, path.length);
    directory[path.length] = '\0';
    size_t below = cut_to_directory(directory) + 1;
    const struct cup_text file = {path.bytes + below, path.length - below};
    if (below <= 1 || file.length == 0 || !package_is_installed(installed, directory, file))
        below = 0;
    if (id) /* without memory the answer is found again the next time */
        cup_id_map_set(&installed->answers, id, (uint32_t)below + 1);
    return below;
}

void cup_installed_clear(struct cup_installed *installed)
{
    cup_intern_clear(&installed->asked);
    cup_id_map_clear(&installed->answers);
    cup_intern_clear(&installed->listed);
}
