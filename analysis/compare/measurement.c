#include "analysis/compare/measurement.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/compare/json_file.h"

#define FORMAT "roastcoffea_measurement_v1"
#define MEASURED "roastcoffea's measurement"

/* ---- its keys and our names ------------------------------------------------------------- */

#define KEY(name, id, exported, from, ...)                                                         \
    {.key = (name),                                                                                \
     .metric = CUP_METRIC_##id,                                                                    \
     .export = CUP_ROAST_##exported,                                                               \
     .source = (from),                                                                             \
     __VA_ARGS__},

/* clang-format off */
const struct cup_roast_key cup_roast_keys[] = {
    KEY("data_rate_gbps", requested_rate_gbps, NEEDED, "C: bytesread")
    KEY("data_rate_gbps", requested_rate_mbs, NONE, "C: bytesread", .factor = 125)
    KEY("total_events", total_events, NEEDED, "C: entries")
    KEY("total_events", total_events_coffea, NONE, "C: entries")
    KEY("event_rate_elapsed_khz", event_rate_wall_khz, NEEDED, "C")
    KEY("event_rate_cpu_total_khz", event_rate_agg_khz, NEEDED, "C")
    KEY("elapsed_time_seconds", wall_time, NEEDED, "the collector's with block")
    KEY("total_cpu_time", total_cpu_time, NEEDED, "C: processtime")
    KEY("num_chunks", num_chunks, NEEDED, "decorated chunks, else C: chunks")
    KEY("avg_cpu_time_per_chunk", avg_cpu_time_per_chunk, NEEDED, "C")
    KEY("total_bytes_read", total_bytes_read_coffea, OPTIONAL, "C: bytesread")
    KEY("num_successful_chunks", num_chunks, OPTIONAL, NULL)
    KEY("num_failed_chunks", num_failed_chunks, NEEDED, "decorated chunks")
    KEY("avg_workers", avg_workers, OPTIONAL, "D", .label = "workers, on average")
    KEY("peak_workers", peak_workers, OPTIONAL, "D", .label = "workers, at most")
    KEY("total_cores", total_cores, OPTIONAL, "D: the sum over all workers ever seen", .label = "cores")
    KEY("cores_per_worker", cores_per_worker, OPTIONAL, "D", .label = "cores of a worker")
    KEY("peak_memory_bytes", peak_memory_bytes, OPTIONAL, "D", .label = "memory of a worker, at most")
    KEY("avg_memory_per_worker_bytes", avg_memory_per_worker_bytes, OPTIONAL, "D", .label = "memory of a worker, on average")
    KEY("core_efficiency", core_efficiency, OPTIONAL, "C, over total_cores")
    KEY("core_efficiency", cpu_efficiency, NONE, "C, over total_cores")
    KEY("speedup_factor", speedup_factor, OPTIONAL, "C")
    KEY("speedup_factor", efficiency_ratio, NONE, "C")
    KEY("processor_cpu_time_seconds", processor_cpu_time_seconds, OPTIONAL, "D", .label = "CPU of the processor")
    KEY("processor_io_wait_time_seconds", processor_noncpu_time_seconds, OPTIONAL, "D: thread-noncpu, which it calls I/O wait", .label = "non-CPU time of the processor")
    KEY("processor_cpu_percent", processor_cpu_percentage, OPTIONAL, "D")
    KEY("processor_io_wait_percent", processor_noncpu_percentage, OPTIONAL, "D")
    KEY("overhead_cpu_time_seconds", overhead_cpu_time_seconds, OPTIONAL, "D", .label = "CPU of other tasks")
    KEY("overhead_io_wait_time_seconds", overhead_noncpu_time_seconds, OPTIONAL, "D", .label = "non-CPU time of other tasks")
    KEY("total_bytes_memory_read", memory_read_bytes, OPTIONAL, "D")
    KEY("total_bytes_memory_read", total_bytes_memory_read_dask, NONE, "D")
    KEY("disk_read_bytes", disk_read_bytes, OPTIONAL, "D", .label = "spilling, read")
    KEY("disk_write_bytes", disk_write_bytes, OPTIONAL, "D", .label = "spilling, written")
    KEY("decompression_time_seconds", decompression_time_seconds, OPTIONAL, "D")
    KEY("decompression_time_seconds", decompress_s, NONE, "D")
    KEY("compression_time_seconds", compression_time_seconds, OPTIONAL, "D")
    KEY("compression_time_seconds", compress_s, NONE, "D")
    KEY("total_compression_overhead_seconds", total_compression_overhead_seconds, OPTIONAL, "D")
    KEY("deserialization_time_seconds", deserialization_time_seconds, OPTIONAL, "D")
    KEY("deserialization_time_seconds", deserialize_s, NONE, "D")
    KEY("serialization_time_seconds", serialization_time_seconds, OPTIONAL, "D")
    KEY("serialization_time_seconds", serialize_s, NONE, "D")
    KEY("total_serialization_overhead_seconds", total_serialization_overhead_seconds, OPTIONAL, "D")
    KEY("event_rate_core_khz", event_rate_core_hz, NONE, "C, over total_cores", .factor = 1000)
};
/* clang-format on */
const size_t cup_roast_key_count = sizeof cup_roast_keys / sizeof *cup_roast_keys;

static struct cup_value scaled(const json_t *json, double factor)
{
    struct cup_value value = cup_json_number(json);
    return factor == 1 || value.kind == CUP_VALUE_NULL ? value
                                                       : cup_real(cup_number(value) * factor);
}

static void set_key(struct cup_figures *figures, const json_t *metrics,
                    const struct cup_roast_key *key)
{
    const json_t *member = json_object_get(metrics, key->key);
    char source[160];
    if (!member || !key->source)
        return;
    if (json_is_number(member))
        snprintf(source, sizeof source, MEASURED ": %s (%s)", key->key, key->source);
    else
        snprintf(source, sizeof source, MEASURED " has no such figure: %s is not a number",
                 key->key);
    struct cup_run_figure *figure =
        cup_figures_set(figures, key->metric, scaled(member, key->factor ? key->factor : 1),
                        cup_figures_keep_string(figures, source));
    if (figure && !figure->label && key->label)
        figure->label = key->label;
}

/* Over the decorated chunks, inside process(). Its deviation is that of a sample: not ours. */
static void set_statistics(struct cup_figures *figures, const json_t *metrics)
{
    static const struct {
        const char *stem, *unit;
        enum cup_chunk_statistic statistic;
        double factor;
    } statistics[] = {{"chunk_duration", "", CUP_STAT_PROCESS, 1},
                      {"chunk_mem_delta", "_mb", CUP_STAT_RSS_DELTA, 1 << 20},
                      {"chunk_events", "", CUP_STAT_EVENTS, 1}};
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        for (int k = 0; k < CUP_CHUNK_FIGURES; k++) {
            char key[64];
            snprintf(key, sizeof key, "%s_%s%s", statistics[i].stem, cup_chunk_figure_names[k],
                     statistics[i].unit);
            const json_t *member = json_object_get(metrics, key);
            if (member)
                cup_figures_add_statistic(figures, statistics[i].statistic, k,
                                          scaled(member, statistics[i].factor),
                                          MEASURED ": decorated chunks");
        }
}

/* Per file it has compressed over uncompressed bytes of the whole tree; ours is the reverse. The
 * files count by their compressed size. */
static void set_compression(struct cup_figures *figures, const json_t *metrics)
{
    double compressed = 0, uncompressed = 0;
    const char *name;
    json_t *file;
    json_object_foreach(json_object_get(metrics, "file_metadata"), name, file)
    {
        double bytes = json_number_value(json_object_get(file, "total_tree_bytes"));
        double ratio = json_number_value(json_object_get(file, "compression_ratio"));
        if (!(bytes > 0) || !(ratio > 0))
            continue;
        compressed += bytes;
        uncompressed += bytes / ratio;
    }
    if (compressed > 0)
        cup_figures_set(figures, CUP_METRIC_compression_ratio, cup_ratio(uncompressed, compressed),
                        MEASURED ": file_metadata, over whole trees, read or not");
}

static void set_datasets(struct cup_figures *figures, const json_t *metrics)
{
    const char *name;
    json_t *dataset;
    json_object_foreach(json_object_get(metrics, "per_dataset"), name, dataset)
    {
        const struct cup_value values[] = {
            cup_json_number(json_object_get(dataset, "num_chunks")),
            cup_json_number(json_object_get(dataset, "total_events")),
            cup_json_number(json_object_get(dataset, "total_duration")),
        };
        const char *row = cup_figures_keep_string(figures, name);
        for (size_t i = 0; i < cup_dataset_figure_count; i++) {
            bool known = i < sizeof values / sizeof *values;
            cup_figures_add_of_row(figures, "datasets", row, &cup_dataset_figures[i],
                                   known ? values[i] : cup_null(),
                                   known ? MEASURED ": per_dataset, decorated chunks"
                                         : MEASURED " has no such figure");
        }
    }
}

static void set_files(struct cup_figures *figures, const json_t *metrics)
{
    const char *name;
    json_t *file;
    json_object_foreach(json_object_get(metrics, "file_metadata"), name, file)
    {
        cup_figures_add_file(figures, cup_figures_keep_string(figures, name), CUP_UNKNOWN64);
    }
    cup_figures_sort_files(figures);
}

/* ---- the directory ---------------------------------------------------------------------- */

enum { PATH_ROOM = 4096 };

static bool join(char path[PATH_ROOM], const char *directory, const char *name)
{
    return snprintf(path, PATH_ROOM, "%s/%s", directory, name) < PATH_ROOM;
}

/* The path of the file, if there is one. */
static bool find_file(char path[PATH_ROOM], const char *directory, const char *name)
{
    struct stat status;
    return join(path, directory, name) && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool has_logs(const char *directory)
{
    DIR *stream = opendir(directory);
    bool found = false;
    for (const struct dirent *entry; stream && !found && (entry = readdir(stream)) != NULL;) {
        size_t length = strlen(entry->d_name);
        found = length > 4 && strcmp(entry->d_name + length - 4, ".cup") == 0;
    }
    if (stream)
        closedir(stream);
    return found;
}

bool cup_is_roastcoffea(const char *directory)
{
    char path[PATH_ROOM];
    return find_file(path, directory, "metrics.json") &&
           find_file(path, directory, "start_end_time.txt") && !has_logs(directory);
}

/* Its own loader does without metadata.json; what is there must be of the format. */
static int check_format(const char *directory, struct cup_error *error)
{
    char path[PATH_ROOM];
    if (!find_file(path, directory, "metadata.json"))
        return 0;
    json_t *root = cup_json_file_read(path, NULL, 0, NULL, error);
    if (!root)
        return -1;
    const char *format = json_string_value(json_object_get(root, "format"));
    int result = 0;
    if (!format || strcmp(format, FORMAT) != 0)
        result = cup_error_set(error, path, CUP_NO_OFFSET, "format %s; " FORMAT " can be read",
                               format ? format : "missing");
    json_decref(root);
    return result;
}

/* Release 0.1.2 writes readings of a clock that counts from the machine's start: no time of day. */
static void read_times(struct cup_figures *figures, const char *directory)
{
    char path[PATH_ROOM];
    double from = 0, until = 0;
    FILE *file = join(path, directory, "start_end_time.txt") ? fopen(path, "r") : NULL;
    int numbers = file ? fscanf(file, "%lf,%lf", &from, &until) : 0;
    if (file)
        fclose(file);
    bool epoch = numbers == 2 && from > 1e9 && until >= from && until < 9e9;
    const char *source =
        epoch ? MEASURED ": start_end_time.txt" : "start_end_time.txt holds no times of day";
    cup_figures_set(figures, CUP_METRIC_t_start,
                    epoch ? cup_time((int64_t)(from * 1e9)) : cup_null(), source);
    cup_figures_set(figures, CUP_METRIC_t_stop,
                    epoch ? cup_time((int64_t)(until * 1e9)) : cup_null(), source);
}

/* Ours says where it timed the whole task instead. */
static void take_chunk(void *closure, const json_t *row)
{
    struct cup_numbers *times = closure;
    const char *timed = json_string_value(json_object_get(row, "timed"));
    bool task = timed && strcmp(timed, "task") == 0;
    cup_numbers_add(&times[task ? CUP_CHUNK_TASK : CUP_CHUNK_PROCESS],
                    cup_number(cup_json_number(json_object_get(row, "duration"))));
}

int cup_figures_from_roastcoffea(struct cup_figures *figures, const char *directory,
                                 struct cup_error *error)
{
    static const struct cup_json_unwanted unwanted[] = {
        {NULL, "raw_chunk_metrics"}, {NULL, "raw_span_metrics"},  {NULL, "chunk_info"},
        {NULL, "tracking_data"},     {NULL, "file_read_metrics"}, {NULL, "raw_section_metrics"},
    };
    char path[PATH_ROOM];
    if (check_format(directory, error) != 0)
        return -1;
    if (!join(path, directory, "metrics.json"))
        return cup_error_set(error, directory, CUP_NO_OFFSET, "the name is too long");
    struct cup_numbers times[CUP_CHUNK_TIMES] = {{0}};
    static const char *const members[] = {"timed", "duration", NULL};
    const struct cup_json_rows chunks = {members, take_chunk, times};
    json_t *metrics = cup_json_file_read(path, unwanted, sizeof unwanted / sizeof *unwanted,
                                         figures->ask.chunks ? &chunks : NULL, error);
    cup_figures_set_chunks(figures, times);
    if (!metrics)
        return -1;
    figures->kind = CUP_INPUT_ROASTCOFFEA;
    figures->losses = CUP_UNKNOWN64;
    cup_figures_add_unknown(figures, MEASURED " has no such figure");
    for (size_t i = 0; i < cup_roast_key_count; i++)
        set_key(figures, metrics, &cup_roast_keys[i]);
    set_statistics(figures, metrics);
    set_compression(figures, metrics);
    set_datasets(figures, metrics);
    set_files(figures, metrics);
    read_times(figures, directory);
    double peak = cup_figures_number(figures, CUP_METRIC_peak_workers);
    figures->workers = peak > 0 ? (uint64_t)peak : 0;
    json_decref(metrics);
    return 0;
}
