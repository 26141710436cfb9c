#define _POSIX_C_SOURCE 200809L

#include "analysis/compare/measurement.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/compare/json_file.h"

#define FORMAT "roastcoffea_measurement_v1"
#define MEASURED "roastcoffea's measurement"

/* ---- its keys and our names ------------------------------------------------------------- */

/* Ours = theirs x factor. One key may be several of ours. */
static const struct key {
    const char *key;
    enum cup_metric_id metric;
    double factor;
    const char *label; /* where our tables have none */
    const char *source;
} keys[] = {
    {"elapsed_time_seconds", CUP_METRIC_WALL_TIME, 1, NULL, "the collector's with block"},
    {"total_events", CUP_METRIC_TOTAL_EVENTS, 1, NULL, "C: entries"},
    {"total_events", CUP_METRIC_TOTAL_EVENTS_COFFEA, 1, NULL, "C: entries"},
    {"total_cpu_time", CUP_METRIC_TOTAL_CPU_TIME, 1, NULL, "C: processtime"},
    {"num_chunks", CUP_METRIC_NUM_CHUNKS, 1, NULL, "decorated chunks, else C: chunks"},
    {"num_failed_chunks", CUP_METRIC_NUM_FAILED_CHUNKS, 1, NULL, "decorated chunks"},
    {"avg_cpu_time_per_chunk", CUP_METRIC_AVG_CPU_TIME_PER_CHUNK, 1, NULL, "C"},
    {"total_bytes_read", CUP_METRIC_TOTAL_BYTES_READ_COFFEA, 1, NULL, "C: bytesread"},
    {"data_rate_gbps", CUP_METRIC_REQUESTED_RATE_GBPS, 1, NULL, "C: bytesread"},
    {"data_rate_gbps", CUP_METRIC_REQUESTED_RATE_MBS, 125, NULL, "C: bytesread"},
    {"event_rate_elapsed_khz", CUP_METRIC_EVENT_RATE_WALL_KHZ, 1, NULL, "C"},
    {"event_rate_cpu_total_khz", CUP_METRIC_EVENT_RATE_AGG_KHZ, 1, NULL, "C"},
    {"event_rate_core_khz", CUP_METRIC_EVENT_RATE_CORE_HZ, 1000, NULL, "C, over total_cores"},
    {"total_bytes_memory_read", CUP_METRIC_TOTAL_BYTES_MEMORY_READ_DASK, 1, NULL, "D"},
    {"avg_workers", CUP_METRIC_AVG_WORKERS, 1, "workers, on average", "D"},
    {"peak_workers", CUP_METRIC_PEAK_WORKERS, 1, "workers, at most", "D"},
    {"cores_per_worker", CUP_METRIC_CORES_PER_WORKER, 1, "cores of a worker", "D"},
    {"total_cores", CUP_METRIC_TOTAL_CORES, 1, "cores", "D: the sum over all workers ever seen"},
    {"peak_memory_bytes", CUP_METRIC_PEAK_MEMORY_BYTES, 1, "memory of a worker, at most", "D"},
    {"avg_memory_per_worker_bytes", CUP_METRIC_AVG_MEMORY_PER_WORKER_BYTES, 1,
     "memory of a worker, on average", "D"},
    {"core_efficiency", CUP_METRIC_CORE_EFFICIENCY, 1, NULL, "C, over total_cores"},
    {"core_efficiency", CUP_METRIC_CPU_EFFICIENCY, 1, NULL, "C, over total_cores"},
    {"speedup_factor", CUP_METRIC_SPEEDUP_FACTOR, 1, NULL, "C"},
    {"speedup_factor", CUP_METRIC_EFFICIENCY_RATIO, 1, NULL, "C"},
    {"processor_cpu_time_seconds", CUP_METRIC_PROCESSOR_CPU_TIME_SECONDS, 1, "CPU of the processor",
     "D"},
    {"processor_io_wait_time_seconds", CUP_METRIC_PROCESSOR_NONCPU_TIME_SECONDS, 1,
     "non-CPU time of the processor", "D: thread-noncpu, which it calls I/O wait"},
    {"processor_cpu_percent", CUP_METRIC_PROCESSOR_CPU_PERCENTAGE, 1, NULL, "D"},
    {"processor_io_wait_percent", CUP_METRIC_PROCESSOR_NONCPU_PERCENTAGE, 1, NULL, "D"},
    {"overhead_cpu_time_seconds", CUP_METRIC_OVERHEAD_CPU_TIME_SECONDS, 1, "CPU of other tasks",
     "D"},
    {"overhead_io_wait_time_seconds", CUP_METRIC_OVERHEAD_NONCPU_TIME_SECONDS, 1,
     "non-CPU time of other tasks", "D"},
    {"total_bytes_memory_read", CUP_METRIC_MEMORY_READ_BYTES, 1, NULL, "D"},
    {"disk_read_bytes", CUP_METRIC_DISK_READ_BYTES, 1, "spilling, read", "D"},
    {"disk_write_bytes", CUP_METRIC_DISK_WRITE_BYTES, 1, "spilling, written", "D"},
    {"compression_time_seconds", CUP_METRIC_COMPRESSION_TIME_SECONDS, 1, NULL, "D"},
    {"compression_time_seconds", CUP_METRIC_COMPRESS_S, 1, NULL, "D"},
    {"decompression_time_seconds", CUP_METRIC_DECOMPRESSION_TIME_SECONDS, 1, NULL, "D"},
    {"decompression_time_seconds", CUP_METRIC_DECOMPRESS_S, 1, NULL, "D"},
    {"total_compression_overhead_seconds", CUP_METRIC_TOTAL_COMPRESSION_OVERHEAD_SECONDS, 1, NULL,
     "D"},
    {"serialization_time_seconds", CUP_METRIC_SERIALIZATION_TIME_SECONDS, 1, NULL, "D"},
    {"serialization_time_seconds", CUP_METRIC_SERIALIZE_S, 1, NULL, "D"},
    {"deserialization_time_seconds", CUP_METRIC_DESERIALIZATION_TIME_SECONDS, 1, NULL, "D"},
    {"deserialization_time_seconds", CUP_METRIC_DESERIALIZE_S, 1, NULL, "D"},
    {"total_serialization_overhead_seconds", CUP_METRIC_TOTAL_SERIALIZATION_OVERHEAD_SECONDS, 1,
     NULL, "D"},
};

#define MIB 1048576.0

/* Over the decorated chunks, inside process(). Its deviation is that of a sample: not ours. */
static const struct {
    const char *key;
    enum cup_chunk_statistic statistic;
    int which; /* in cup_chunk_figure_names */
    double factor;
} statistics[] = {
    {"chunk_duration_min", CUP_STAT_PROCESS, 0, 1},
    {"chunk_duration_mean", CUP_STAT_PROCESS, 1, 1},
    {"chunk_duration_max", CUP_STAT_PROCESS, 3, 1},
    {"chunk_mem_delta_min_mb", CUP_STAT_RSS_DELTA, 0, MIB},
    {"chunk_mem_delta_mean_mb", CUP_STAT_RSS_DELTA, 1, MIB},
    {"chunk_mem_delta_max_mb", CUP_STAT_RSS_DELTA, 3, MIB},
    {"chunk_events_min", CUP_STAT_EVENTS, 0, 1},
    {"chunk_events_mean", CUP_STAT_EVENTS, 1, 1},
    {"chunk_events_max", CUP_STAT_EVENTS, 3, 1},
};

static struct cup_value scaled(const json_t *json, double factor)
{
    struct cup_value value = cup_json_number(json);
    return factor == 1 || value.kind == CUP_VALUE_NULL ? value
                                                       : cup_real(cup_number(value) * factor);
}

static void set_key(struct cup_figures *figures, const json_t *metrics, const struct key *key)
{
    const json_t *member = json_object_get(metrics, key->key);
    char source[160];
    if (!member)
        return;
    if (json_is_number(member))
        snprintf(source, sizeof source, MEASURED ": %s (%s)", key->key, key->source);
    else
        snprintf(source, sizeof source, MEASURED " has no such figure: %s is not a number",
                 key->key);
    struct cup_run_figure *figure =
        cup_figures_set(figures, key->metric, scaled(member, key->factor),
                        cup_figures_keep_string(figures, source));
    if (figure && !figure->label && key->label)
        figure->label = key->label;
}

static void set_statistics(struct cup_figures *figures, const json_t *metrics)
{
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++) {
        const json_t *member = json_object_get(metrics, statistics[i].key);
        if (member)
            cup_figures_add_statistic(figures, statistics[i].statistic, statistics[i].which,
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
        cup_figures_set(figures, CUP_METRIC_COMPRESSION_RATIO, cup_ratio(uncompressed, compressed),
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
        for (size_t i = 0; i < cup_dataset_figure_count; i++)
            cup_figures_add(
                figures, (struct cup_run_figure){
                             .section = "datasets",
                             .row = row,
                             .name = cup_dataset_figures[i].name,
                             .label = cup_dataset_figures[i].label,
                             .unit = cup_dataset_figures[i].unit,
                             .direction = cup_dataset_figures[i].direction,
                             .value = i < sizeof values / sizeof *values ? values[i] : cup_null(),
                             .source = i < sizeof values / sizeof *values
                                           ? MEASURED ": per_dataset, decorated chunks"
                                           : MEASURED " has no such figure",
                         });
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

static bool has_file(const char *directory, const char *name)
{
    char path[PATH_ROOM];
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
    return has_file(directory, "metrics.json") && has_file(directory, "start_end_time.txt") &&
           !has_logs(directory);
}

/* Its own loader does without metadata.json; what is there must be of the format. */
static int check_format(const char *directory, struct cup_error *error)
{
    char path[PATH_ROOM];
    if (!has_file(directory, "metadata.json") || !join(path, directory, "metadata.json"))
        return 0;
    json_t *root = cup_json_file_read(path, NULL, 0, error);
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
    cup_figures_set(figures, CUP_METRIC_T_START,
                    epoch ? cup_time((int64_t)(from * 1e9)) : cup_null(), source);
    cup_figures_set(figures, CUP_METRIC_T_STOP,
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
    const struct cup_json_rows chunks = {NULL, "raw_chunk_metrics", members, take_chunk, times};
    json_t *metrics = cup_json_file_read_rows(path, unwanted, sizeof unwanted / sizeof *unwanted,
                                              figures->with_chunks ? &chunks : NULL, error);
    cup_figures_set_chunks(figures, times);
    if (!metrics)
        return -1;
    figures->kind = CUP_INPUT_ROASTCOFFEA;
    figures->ramp =
        (struct cup_ramp){.best = -1,
                          .bend = -1,
                          .widest = -1,
                          .missing = "only a profile says which threads were busy when"};
    cup_figures_add_unknown(figures, MEASURED " has no such figure");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        set_key(figures, metrics, &keys[i]);
    set_statistics(figures, metrics);
    set_compression(figures, metrics);
    set_datasets(figures, metrics);
    set_files(figures, metrics);
    read_times(figures, directory);
    double peak = cup_figures_number(figures, CUP_METRIC_PEAK_WORKERS);
    figures->workers = peak > 0 ? (uint64_t)peak : 0;
    json_decref(metrics);
    return 0;
}
