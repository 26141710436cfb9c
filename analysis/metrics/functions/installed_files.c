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

/* True if a line of the RECORD begins with NAME. */
static bool record_lists(const char *record, struct cup_text name)
{
    FILE *file = open_regular(record);
    bool found = false;
    char *line = NULL;
    size_t room = 0;
    while (file && !found && getline(&line, &room, file) > 0)
        found = strncmp(line, name.bytes, name.length) == 0;
    free(line);
    if (file)
        fclose(file);
    return found;
}

/* True if a package that was installed into DIRECTORY has files whose names begin with NAME. */
static bool directory_lists(const char *directory, struct cup_text name)
{
    static const char ending[] = ".dist-info";
    char record[PATH_MAX];
    bool found = false;
    DIR *stream = opendir(directory);
    for (struct dirent *entry; stream && !found && (entry = readdir(stream)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length < sizeof ending || strcmp(entry->d_name + length - strlen(ending), ending) != 0)
            continue;
        int bytes = snprintf(record, sizeof record, "%s/%s/RECORD", directory, entry->d_name);
        found = bytes < (int)sizeof record && record_lists(record, name);
    }
    if (stream)
        closedir(stream);
    return found;
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

/* The answer + 1 that was found for TEXT before; 0: none. *id: for keep_answer(). */
static uint32_t find_answer(struct cup_installed *installed, struct cup_text text, uint32_t *id)
{
    *id = cup_intern_add(&installed->asked, text.bytes, text.length);
    return *id ? cup_id_map_get(&installed->answers, *id) : 0;
}

/* Without memory the answer is found again the next time. */
static size_t keep_answer(struct cup_installed *installed, uint32_t id, size_t answer)
{
    if (id)
        cup_id_map_set(&installed->answers, id, (uint32_t)answer + 1);
    return answer;
}

/* All files of a package have the same answer. Its key has the slash behind the package's name, or
 * the comma that follows the name of a single module in a RECORD. */
static bool package_is_installed(struct cup_installed *installed, const char *directory,
                                 struct cup_text file)
{
    char key[PATH_MAX + 2];
    const char *slash = memchr(file.bytes, '/', file.length);
    size_t length = strlen(directory) + 1,
           part = slash ? (size_t)(slash - file.bytes) : file.length;
    uint32_t id;
    int bytes =
        snprintf(key, sizeof key, "%s/%.*s%c", directory, (int)part, file.bytes, slash ? '/' : ',');
    const struct cup_text name = {key + length, (size_t)bytes - length};
    uint32_t known = find_answer(installed, (struct cup_text){key, (size_t)bytes}, &id);
    return known ? known - 1 : keep_answer(installed, id, directory_lists(directory, name));
}

size_t cup_installed_below(struct cup_installed *installed, struct cup_text path)
{
    char directory[PATH_MAX];
    uint32_t id;
    if (path.length == 0 || path.bytes[0] != '/' || path.length >= sizeof directory)
        return 0;
    uint32_t known = find_answer(installed, path, &id);
    if (known)
        return known - 1;
    memcpy(directory, path.bytes, path.length);
    directory[path.length] = '\0';
    size_t below = cut_to_directory(directory) + 1;
    const struct cup_text file = {path.bytes + below, path.length - below};
    bool installed_there =
        below > 1 && file.length > 0 && package_is_installed(installed, directory, file);
    return keep_answer(installed, id, installed_there ? below : 0);
}

void cup_installed_clear(struct cup_installed *installed)
{
    cup_intern_clear(&installed->asked);
    cup_id_map_clear(&installed->answers);
}
