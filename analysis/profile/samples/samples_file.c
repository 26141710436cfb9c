#include "analysis/profile/samples/samples_file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/base/iso_time.h"

/* The place in the file that an error message is about. */
struct place {
    struct cup_samples_file *file;
    struct cup_error *error;
    const char *name;   /* of the timeline */
    const char *worker; /* NULL: a timeline of no worker */
    int value;          /* enum cup_seen_value; COUNTS */
    uint32_t number;    /* index + 1 of the worker */
};
enum { COUNTS = -1 };

static int report_place(const struct place *place, const char *what)
{
    return cup_error_set(place->error, place->file->path, CUP_NO_OFFSET, "%s%s%s: %s", place->name,
                         place->worker ? " of " : "", place->worker ? place->worker : "", what);
}

static int wrong_at(const struct place *place, const char *what, const json_t *at)
{
    char *text = json_dumps(at, JSON_ENCODE_ANY | JSON_COMPACT), line[200];
    snprintf(line, sizeof line, "%s: %.100s", what, text ? text : "?");
    free(text);
    return report_place(place, line);
}

/* ---- points ----------------------------------------------------------------------------- */

static int no_memory(const struct place *place)
{
    return cup_error_memory(place->error, place->file->path);
}

static int add_value(const struct place *place, int64_t time_ns, double number)
{
    struct cup_samples_file *file = place->file;
    if (cup_array_grow(&file->values, &file->value_room, file->value_count, sizeof *file->values))
        return no_memory(place);
    file->values[file->value_count++] =
        (struct cup_file_value){time_ns, number, place->number, (uint32_t)place->value};
    return 0;
}

static int add_count(const struct place *place, int64_t time_ns, double workers)
{
    struct cup_samples_file *file = place->file;
    if (cup_array_grow(&file->counts, &file->count_room, file->count_count, sizeof *file->counts))
        return no_memory(place);
    file->counts[file->count_count++] = (struct cup_file_count){time_ns, workers};
    return 0;
}

/* Seconds since the epoch, up to the year 2262. */
static int number_time(const struct place *place, const json_t *time, int64_t *time_ns)
{
    double seconds = json_number_value(time);
    if (!(seconds >= 0 && seconds < 9.2e9))
        return wrong_at(place, "no time in seconds since the epoch", time);
    *time_ns = (int64_t)(seconds * 1e6 + 0.5) * 1000;
    return 0;
}

static int text_time(const struct place *place, const char *time, int64_t *time_ns)
{
    bool zoned;
    char line[160];
    if (cup_iso_time(time, time_ns, &zoned) != 0) {
        snprintf(line, sizeof line, "no time in ISO 8601: \"%.80s\"", time);
        return report_place(place, line);
    }
    place->file->zoneless += !zoned;
    *time_ns = *time_ns / 2 * 2 +
               !zoned; /* until settle_times() runs, the lowest bit marks a time without a zone */
    return 0;
}

static int add_point(const struct place *place, int64_t time_ns, const json_t *value)
{
    if (json_is_null(value))
        return 0;
    if (!json_is_number(value) || !isfinite(json_number_value(value)))
        return wrong_at(place, "no number", value);
    double number = json_number_value(value);
    if (number < 0)
        return wrong_at(place, "a number below zero", value);
    if (place->value == COUNTS)
        return add_count(place, time_ns, number);
    return add_value(place, time_ns, number);
}

static int add_timed(const struct place *place, const json_t *time, const json_t *value)
{
    int64_t time_ns = 0;
    int result = json_is_string(time) ? text_time(place, json_string_value(time), &time_ns)
                 : json_is_number(time)
                     ? number_time(place, time, &time_ns)
                     : report_place(place, "a point has neither a time in ISO 8601 nor "
                                           "one in seconds");
    return result == 0 ? add_point(place, time_ns, value) : -1;
}

/* ---- timelines -------------------------------------------------------------------------- */

/* Reads a point of the form {"timestamp": TIME, NAME: VALUE}. NAME is "value", or any name if the
 * point has only these two. */
static int read_object_point(const struct place *place, json_t *point)
{
    json_t *time = json_object_get(point, "timestamp"), *value = json_object_get(point, "value");
    const char *name;
    json_t *each;
    json_object_foreach(point, name, each)
    {
        if (!value && json_object_size(point) == 2 && strcmp(name, "timestamp") != 0)
            value = each;
    }
    if (!time || !value)
        return wrong_at(place, "a point without \"timestamp\" or \"value\"", point);
    return add_timed(place, time, value);
}

static int read_list(const struct place *place, json_t *list)
{
    size_t i;
    json_t *point;
    json_array_foreach(list, i, point)
    {
        int result;
        if (json_is_array(point) && json_array_size(point) == 2)
            result = add_timed(place, json_array_get(point, 0), json_array_get(point, 1));
        else if (json_is_object(point))
            result = read_object_point(place, point);
        else
            result = wrong_at(place, "neither {\"timestamp\", \"value\"} nor [time, value]", point);
        if (result != 0)
            return -1;
    }
    return 0;
}

static int read_mapping(const struct place *place, json_t *mapping)
{
    const char *time;
    json_t *value;
    json_object_foreach(mapping, time, value)
    {
        int64_t time_ns;
        if (text_time(place, time, &time_ns) != 0 || add_point(place, time_ns, value) != 0)
            return -1;
    }
    return 0;
}

static int read_timeline(const struct place *place, json_t *timeline)
{
    if (json_is_array(timeline))
        return read_list(place, timeline);
    if (json_is_object(timeline))
        return read_mapping(place, timeline);
    return wrong_at(place, "neither a list nor a mapping of times to values", timeline);
}

/* ---- the file --------------------------------------------------------------------------- */

/* Index + 1 in the file's workers; 0 without memory. */
static uint32_t number_worker(struct cup_samples_file *file, const char *name)
{
    uint32_t string = cup_intern_add(&file->strings, name, strlen(name));
    for (size_t i = file->worker_count; string && i-- > 0;)
        if (file->workers[i] == string)
            return (uint32_t)i + 1;
    if (!string || cup_array_grow(&file->workers, &file->worker_room, file->worker_count,
                                  sizeof *file->workers) != 0)
        return 0;
    file->workers[file->worker_count++] = string;
    return (uint32_t)file->worker_count;
}

static int read_workers(struct place *place, json_t *workers)
{
    const char *name;
    json_t *timeline;
    if (!json_is_object(workers))
        return wrong_at(place, "no object of workers", workers);
    json_object_foreach(workers, name, timeline)
    {
        uint32_t number = number_worker(place->file, name);
        if (number == 0)
            return no_memory(place);
        place->worker = name;
        place->number = number - 1;
        if (read_timeline(place, timeline) != 0)
            return -1;
    }
    return 0;
}

static int find_value(const char *name)
{
    for (int i = 0; i < CUP_SEEN_COUNT; i++)
        if (cup_seen_names[i] && strcmp(cup_seen_names[i], name) == 0)
            return i;
    return CUP_SEEN_COUNT;
}

static int read_timelines(struct cup_samples_file *file, json_t *data, struct cup_error *error)
{
    const char *name;
    json_t *each;
    bool any = false;
    json_object_foreach(data, name, each)
    {
        bool counts = strcmp(name, "worker_counts") == 0;
        struct place place = {file, error, name, NULL, counts ? COUNTS : find_value(name), 0};
        if (place.value == CUP_SEEN_COUNT || json_is_null(each))
            continue;
        any = true;
        if ((counts ? read_timeline(&place, each) : read_workers(&place, each)) != 0)
            return -1;
    }
    if (any)
        return 0;
    return cup_error_set(error, file->path, CUP_NO_OFFSET,
                         "no samples in it: neither worker_counts nor worker_memory, worker_cores "
                         "or another timeline of workers");
}

static json_t *timelines_of(json_t *root)
{
    json_t *workers = json_object_get(root, "workers");
    json_t *data = json_object_get(root, "tracking_data");
    if (!data)
        data = json_object_get(workers, "tracking_data");
    return json_is_object(data) ? data : root;
}

/* ---- times ------------------------------------------------------------------------------ */

static int64_t settle_time(int64_t time_ns, bool local)
{
    bool zoneless = time_ns & 1;
    return zoneless && local ? cup_local_time(time_ns - 1) : time_ns - zoneless;
}

static bool any_within(const struct cup_samples_file *file, bool local, int64_t from_ns,
                       int64_t to_ns)
{
    for (size_t i = 0; i < file->value_count + file->count_count; i++) {
        int64_t time_ns = i < file->value_count ? file->values[i].time_ns
                                                : file->counts[i - file->value_count].time_ns;
        time_ns = settle_time(time_ns, local);
        if (time_ns >= from_ns && time_ns <= to_ns)
            return true;
    }
    return false;
}

static void settle_times(struct cup_samples_file *file, int64_t from_ns, int64_t to_ns)
{
    file->local =
        any_within(file, true, from_ns, to_ns) || !any_within(file, false, from_ns, to_ns);
    for (size_t i = 0; i < file->value_count; i++)
        file->values[i].time_ns = settle_time(file->values[i].time_ns, file->local);
    for (size_t i = 0; i < file->count_count; i++)
        file->counts[i].time_ns = settle_time(file->counts[i].time_ns, file->local);
}

/* ---- order ------------------------------------------------------------------------------ */

static int value_order(const void *left, const void *right)
{
    const struct cup_file_value *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return (a->worker > b->worker) - (a->worker < b->worker);
}

static int count_order(const void *left, const void *right)
{
    const struct cup_file_count *a = left, *b = right;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* ---- are all workers sampled at the same times? ------------------------------------------- */

struct presence {
    /* Number of the first and of the last moment with a sample, from 1 on; 0: none. */
    size_t from, to;
    size_t samples; /* number of moments with a sample of the worker */
};

static void count_moments(const struct cup_samples_file *file, struct presence *presences)
{
    size_t moment = 0;
    for (size_t i = 0; i < file->value_count; i++) {
        moment += i == 0 || file->values[i].time_ns != file->values[i - 1].time_ns;
        struct presence *presence = &presences[file->values[i].worker];
        presence->samples += presence->to != moment;
        presence->from = presence->from ? presence->from : moment;
        presence->to = moment;
    }
}

/* Sets file->together: true if each worker has, on average, samples at nine of ten moments or more
 * between its first and its last sample. A moment is a time at which the file has any sample. */
static int find_together(struct cup_samples_file *file)
{
    struct presence *presences = calloc(file->worker_count + 1, sizeof *presences);
    double samples = 0, moments = 0;
    if (!presences)
        return -1;
    count_moments(file, presences);
    for (size_t i = 0; i < file->worker_count; i++) {
        samples += (double)presences[i].samples;
        moments += presences[i].from ? (double)(presences[i].to - presences[i].from + 1) : 0;
    }
    file->together = samples >= 0.9 * moments;
    free(presences);
    return 0;
}

static int sort_samples(struct cup_samples_file *file, int64_t from_ns, int64_t to_ns,
                        struct cup_error *error)
{
    settle_times(file, from_ns, to_ns);
    if (file->value_count)
        qsort(file->values, file->value_count, sizeof *file->values, value_order);
    if (file->count_count)
        qsort(file->counts, file->count_count, sizeof *file->counts, count_order);
    return find_together(file) == 0 ? 0 : cup_error_memory(error, file->path);
}

static json_t *load_json(const char *path, struct cup_error *error)
{
    json_error_t problem;
    FILE *stream = fopen(path, "r");
    if (!stream) {
        cup_error_system(error, path, "open");
        return NULL;
    }
    json_t *root = json_loadf(stream, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        cup_error_set(
            error, path, CUP_NO_OFFSET,
            "line %d, column %d is no JSON: %s; docs/reading-a-report.md shows what it may "
            "hold",
            problem.line, problem.column, problem.text);
    fclose(stream);
    return root;
}

int cup_samples_file_read(struct cup_samples_file *file, const char *path, int64_t from_ns,
                          int64_t to_ns, struct cup_error *error)
{
    *file = (struct cup_samples_file){.path = strdup(path)};
    if (!file->path)
        return cup_error_memory(error, path);
    json_t *root = load_json(path, error);
    int result = -1;
    if (root && !json_is_object(root))
        cup_error_set(error, path, CUP_NO_OFFSET, "no object of timelines (worker_counts, ...)");
    else if (root && read_timelines(file, timelines_of(root), error) == 0)
        result = sort_samples(file, from_ns, to_ns, error);
    json_decref(root);
    if (result != 0)
        cup_samples_file_free(file);
    return result;
}

void cup_samples_file_free(struct cup_samples_file *file)
{
    free(file->path);
    free(file->workers);
    free(file->values);
    free(file->counts);
    cup_intern_clear(&file->strings);
    *file = (struct cup_samples_file){0};
}
