#include "analysis/export/export.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/report/page/rows.h"
#include "analysis/write/column_writer.h"

/* ---- before writing ----------------------------------------------------------------------- */

enum { TEMPORARY = 7 }; /* ".XXXXXX": what a killed export leaves */

static bool is_ours(const char *entry, const struct cup_export_file *files)
{
    if (strcmp(entry, ".") == 0 || strcmp(entry, "..") == 0)
        return true;
    for (; files->name; files++) {
        size_t length = strlen(files->name), rest = strlen(entry);
        bool begins = rest >= length && memcmp(entry, files->name, length) == 0;
        if (begins && (rest == length || (rest == length + TEMPORARY && entry[length] == '.')))
            return true;
    }
    return false;
}

/* readdir() returns NULL at the end and on errors: only errno differs. */
static int check_entries(DIR *stream, const char *directory, const struct cup_export_file *files,
                         struct cup_error *error)
{
    const struct dirent *entry;
    while (errno = 0, (entry = readdir(stream)) != NULL)
        if (!is_ours(entry->d_name, files))
            return cup_error_set(error, directory, CUP_NO_OFFSET,
                                 "holds %.200s, which no such export writes: name a new or an "
                                 "empty directory",
                                 entry->d_name);
    return errno ? cup_error_system(error, directory, "read the directory") : 0;
}

static int open_directory(const char *directory, const struct cup_export_file *files,
                          struct cup_error *error)
{
    if (mkdir(directory, 0777) == 0)
        return 0;
    if (errno != EEXIST)
        return cup_error_system(error, directory, "make the directory");
    DIR *stream = opendir(directory);
    if (!stream)
        return cup_error_system(error, directory, "write into it");
    int result = check_entries(stream, directory, files, error);
    closedir(stream);
    return result;
}

/* ---- files -------------------------------------------------------------------------------- */

static int write_table(const struct cup_totals *totals, const struct cup_output *output,
                       const struct cup_export_file *file)
{
    return file->write ? file->write(totals, output) : cup_write_rows(totals, output, file->table);
}

static int write_columns(const struct cup_totals *totals, struct cup_output *output,
                         const struct cup_export_file *file)
{
    output->columns = cup_columns_open(output->file);
    if (!output->columns)
        return -1;
    int result = write_table(totals, output, file);
    return cup_columns_close(output->columns) == 0 ? result : -1;
}

static int write_file(const struct cup_totals *totals, const char *path,
                      const struct cup_export_file *file, struct cup_error *error)
{
    struct cup_output output;
    if (cup_output_open(&output, path, error) != 0)
        return -1;
    int result =
        file->columns ? write_columns(totals, &output, file) : write_table(totals, &output, file);
    if (result == 0)
        return cup_output_close(&output, error);
    cup_output_abandon(&output);
    return cup_error_memory(error, path);
}

int cup_export_file(const struct cup_totals *totals, const char *path, cup_export_writer write,
                    struct cup_error *error)
{
    return write_file(totals, path, &(struct cup_export_file){.write = write}, error);
}

static int write_into(const struct cup_totals *totals, const char *directory,
                      const struct cup_export_file *file, struct cup_error *error)
{
    char *path;
    if (asprintf(&path, "%s/%s", directory, file->name) < 0)
        return cup_error_memory(error, directory);
    int result = write_file(totals, path, file, error);
    free(path);
    return result;
}

int cup_export_files(const struct cup_totals *totals, const char *directory,
                     const struct cup_export_file *files, const struct cup_export_file *only,
                     struct cup_error *error)
{
    if (open_directory(directory, files, error) != 0)
        return -1;
    if (only)
        return write_into(totals, directory, only, error);
    for (; files->name; files++)
        if (write_into(totals, directory, files, error) != 0)
            return -1;
    return 0;
}
