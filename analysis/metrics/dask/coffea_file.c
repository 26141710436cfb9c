#include "analysis/metrics/dask/coffea_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/log_format.h"

/* What is being read, and where to report errors. */
struct source {
    struct cup_coffea_file *file;
    struct cup_error *error;
    const char *dataset; /* NULL: the report itself */
};

static const char *type_name(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",   [JSON_STRING] = "a text",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "not known",
    };
    return names[json_typeof(value)];
}

static int set_error(const struct source *source, const char *name, const char *what)
{
    return cup_error_set(source->error, source->file->path, CUP_NO_OFFSET, "%s%s%s%s is %s",
                         source->dataset ? "dataset " : "", source->dataset ? source->dataset : "",
                         source->dataset ? ": " : "", name, what);
}

/* ---- numbers ---------------------------------------------------------------------------- */

/* Reads a JSON number, or a string that is nothing but a number. */
static bool read_number(const json_t *value, double *number)
{
    const char *text = json_string_value(value);
    char *end = NULL;
    if (json_is_number(value))
        *number = json_number_value(value);
    else if (text && *text)
        *number = strtod(text, &end);
    else
        return false;
    return (!end || !*end) && isfinite(*number);
}

/* Reads a member into *number, times `scale`; leaves *number as it is if there is none. `scale` is
 * 1e9 for seconds. */
static int read_field(const struct source *source, const json_t *object, const char *name,
                      double scale, uint64_t *number)
{
    const json_t *value = json_object_get(object, name);
    char what[100];
    double read;
    if (!value || json_is_null(value))
        return 0;
    if (!read_number(value, &read)) {
        snprintf(what, sizeof what, "%s, not a number", type_name(value));
        return set_error(source, name, what);
    }
    if (read < 0 || read * scale >= 9e18)
        return set_error(source, name, read < 0 ? "negative" : "too large");
    if (scale == 1 && read != floor(read))
        return set_error(source, name, "no whole number");
    *number = json_is_integer(value) && scale == 1 ? (uint64_t)json_integer_value(value)
                                                   : (uint64_t)llround(read * scale);
    return 0;
}

static const struct cup_coffea_figures unknown = {
    {CUP_UNKNOWN64, CUP_UNKNOWN64, CUP_UNKNOWN64, CUP_UNKNOWN64}};

static int read_report(const struct source *source, const json_t *object)
{
    uint64_t *report = source->file->report.of;
    uint64_t start_ns = 0, stop_ns = 0;
    source->file->report = unknown;
    if (read_field(source, object, "bytesread", 1, &report[CUP_COFFEA_BYTES]) != 0 ||
        read_field(source, object, "entries", 1, &report[CUP_COFFEA_ENTRIES]) != 0 ||
        read_field(source, object, "chunks", 1, &report[CUP_COFFEA_CHUNKS]) != 0 ||
        read_field(source, object, "processtime", 1e9, &report[CUP_COFFEA_PROCESS]) != 0 ||
        read_field(source, object, "t_start", 1e9, &start_ns) != 0 ||
        read_field(source, object, "t_stop", 1e9, &stop_ns) != 0)
        return -1;
    if (start_ns && stop_ns && stop_ns < start_ns)
        return set_error(source, "t_stop", "before t_start");
    source->file->start_ns = (int64_t)start_ns;
    source->file->stop_ns = (int64_t)stop_ns;
    return 0;
}

static void read_columns(struct cup_coffea_file *file, json_t *object)
{
    json_t *columns = json_object_get(object, "columns"), *name;
    size_t i;
    if (!columns || json_is_null(columns))
        return;
    bool names = json_is_array(columns);
    json_array_foreach(columns, i, name) names = names && json_is_string(name);
    file->columns = names ? columns : NULL;
    file->columns_unreadable = !names;
}

/* ---- datasets --------------------------------------------------------------------------- */

static bool is_dataset(const json_t *value)
{
    return json_object_get(value, "performance_counters") || json_object_get(value, "duration");
}

static int read_dataset(struct source *source, const char *name, const json_t *value)
{
    const json_t *counters = json_object_get(value, "performance_counters");
    struct cup_coffea_dataset *dataset = &source->file->datasets[source->file->dataset_count++];
    *dataset = (struct cup_coffea_dataset){.name = name, .figures = unknown};
    uint64_t *figures = dataset->figures.of;
    source->dataset = name;
    if (counters && !json_is_object(counters))
        return set_error(source, "performance_counters", "no object");
    if (read_field(source, value, "entries", 1, &figures[CUP_COFFEA_ENTRIES]) != 0 ||
        read_field(source, value, "duration", 1e9, &figures[CUP_COFFEA_PROCESS]) != 0 ||
        read_field(source, counters, "num_requested_bytes", 1, &figures[CUP_COFFEA_BYTES]) != 0)
        return -1;
    source->dataset = NULL;
    return 0;
}

static void add_datasets(struct cup_coffea_file *file)
{
    file->dataset_sums = unknown;
    for (int field = 0; field < CUP_COFFEA_FIGURES; field++) {
        uint64_t sum = 0;
        bool known = file->dataset_count > 0; /* in every dataset */
        for (size_t i = 0; i < file->dataset_count; i++) {
            uint64_t number = file->datasets[i].figures.of[field];
            known &= number != CUP_UNKNOWN64;
            sum += known ? number : 0;
        }
        if (known)
            file->dataset_sums.of[field] = sum;
    }
}

static bool is_known(const char *name)
{
    static const char *const names[] = {"bytesread", "entries", "processtime", "chunks",
                                        "columns",   "t_start", "t_stop"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static int read_members(struct source *source)
{
    struct cup_coffea_file *file = source->file;
    const char *name;
    json_t *value;
    size_t known = 0;
    file->datasets = calloc(json_object_size(file->root) + 1, sizeof *file->datasets);
    if (!file->datasets)
        return cup_error_memory(source->error, file->path);
    json_object_foreach(file->root, name, value)
    {
        if (is_known(name))
            known++;
        else if (!is_dataset(value))
            file->ignored++;
        else if (read_dataset(source, name, value) != 0)
            return -1;
    }
    add_datasets(file);
    if (known + file->dataset_count > 0)
        return 0;
    return cup_error_set(source->error, file->path, CUP_NO_OFFSET,
                         "no Coffea report: it has none of bytesread, entries, processtime, "
                         "chunks, columns; save what the Runner returns beside the output");
}

/* ---- the file --------------------------------------------------------------------------- */

static int load_file(struct cup_coffea_file *file, struct cup_error *error)
{
    json_error_t wrong;
    FILE *stream = fopen(file->path, "re");
    if (!stream)
        return cup_error_system(error, file->path, "open");
    errno = 0;
    file->root = json_loadf(stream, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &wrong);
    int failure = ferror(stream) ? errno : 0;
    fclose(stream);
    errno = failure;
    if (failure)
        return cup_error_system(error, file->path, "read");
    if (!file->root)
        return cup_error_set(error, file->path, CUP_NO_OFFSET,
                             "line %d, column %d: %s; a report is written with "
                             "json.dump(report, file, default=str)",
                             wrong.line, wrong.column, wrong.text);
    if (!json_is_object(file->root))
        return cup_error_set(error, file->path, CUP_NO_OFFSET,
                             "line 1: %s, not an object; save the report alone, without the output",
                             type_name(file->root));
    return 0;
}

int cup_coffea_file_read(struct cup_coffea_file *file, const char *path, struct cup_error *error)
{
    *file = (struct cup_coffea_file){.path = strdup(path)};
    struct source source = {.file = file, .error = error};
    if (!file->path)
        return cup_error_memory(error, path);
    if (load_file(file, error) != 0 || read_report(&source, file->root) != 0 ||
        read_members(&source) != 0) {
        cup_coffea_file_free(file);
        return -1;
    }
    read_columns(file, file->root);
    return 0;
}

void cup_coffea_file_free(struct cup_coffea_file *file)
{
    json_decref(file->root);
    free(file->datasets);
    free(file->path);
    *file = (struct cup_coffea_file){0};
}
