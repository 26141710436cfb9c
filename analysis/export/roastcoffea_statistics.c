/* Numbers over chunks, per dataset and per file, as that tool has them. */
#include <stdlib.h>

#include "analysis/export/roastcoffea.h"
#include "analysis/metrics/metrics.h"

#define MIB (1024.0 * 1024.0)

static void put(struct cup_roast *roast, const char *name, struct cup_value value)
{
    cup_json_value(&roast->json, name, value);
}

static void put_ns(struct cup_roast *roast, const char *name, uint64_t ns)
{
    put(roast, name, cup_seconds((int64_t)ns));
}

/* ---- over chunks --------------------------------------------------------------------------- */

/* Of a sample: divided by count - 1; 0 of one number. */
static double sample_stdev(const struct cup_statistics *statistics)
{
    double count = (double)statistics->count;
    if (statistics->count == 1)
        return 0;
    return statistics->stdev * sqrt(count / (count - 1));
}

static void put_numbers(struct cup_roast *roast, const char *stem, const char *unit,
                        const struct cup_statistics *statistics, double divisor, bool with_stdev)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"mean", statistics->mean},
                   {"min", statistics->min},
                   {"max", statistics->max},
                   {"std", sample_stdev(statistics)}};
    for (int i = 0; i < (with_stdev ? 4 : 3); i++) {
        char key[64];
        snprintf(key, sizeof key, "%s_%s%s", stem, numbers[i].name, unit);
        put(roast, key, cup_real(numbers[i].value / divisor));
    }
}

static void put_event_rate(struct cup_roast *roast)
{
    double events = cup_metric_number(CUP_METRIC_TOTAL_EVENTS, roast->totals);
    double wall = cup_metric_number(CUP_METRIC_WALL_TIME, roast->totals);
    double cores = cup_metric_number(CUP_METRIC_TOTAL_CORES, roast->totals);
    put(roast, "event_rate_core_khz", cup_ratio(events / 1e3, wall * cores));
}

int cup_roast_put_statistics(struct cup_roast *roast)
{
    struct cup_statistics statistics[CUP_STAT_COUNT];
    cup_chunk_statistics(roast->totals, statistics);
    put_event_rate(roast);
    put_numbers(roast, "chunk_duration", "", &statistics[CUP_STAT_PROCESS], 1, true);
    put_numbers(roast, "chunk_mem_delta", "_mb", &statistics[CUP_STAT_RSS_DELTA], MIB, true);
    put(roast, "total_events_from_chunks",
        cup_metric_value(CUP_METRIC_TOTAL_EVENTS, roast->totals));
    put_numbers(roast, "chunk_events", "", &statistics[CUP_STAT_EVENTS], 1, false);
    return 0;
}

/* ---- per dataset --------------------------------------------------------------------------- */

static const char *key_of(struct cup_roast *roast, struct cup_text text)
{
    cup_python_clear(&roast->key);
    cup_python_add_text(&roast->key, text.length ? text : cup_string("unknown").text);
    return roast->key.failed ? "?" : roast->key.bytes;
}

static void put_dataset(struct cup_roast *roast, const struct cup_dataset *dataset)
{
    cup_json_row(&roast->json, key_of(roast, cup_profile_text(roast->profile, dataset->name)));
    put(roast, "num_chunks", cup_count(dataset->chunks));
    put_ns(roast, "total_duration", dataset->process_ns);
    put(roast, "total_events", cup_count(dataset->events));
    put(roast, "mean_duration",
        cup_ratio((double)dataset->process_ns / 1e9, (double)dataset->chunks));
    if (dataset->events)
        put(roast, "mean_events_per_chunk",
            cup_ratio((double)dataset->events, (double)dataset->chunks));
    cup_json_end_object(&roast->json);
}

int cup_roast_put_datasets(struct cup_roast *roast)
{
    cup_json_object(&roast->json, "per_dataset");
    for (size_t i = 0; i < roast->totals->dataset_count; i++)
        if (roast->totals->datasets[i].chunks)
            put_dataset(roast, &roast->totals->datasets[i]);
    cup_json_end_object(&roast->json);
    return roast->key.failed ? -1 : 0;
}

/* ---- per file ------------------------------------------------------------------------------ */

struct cup_value cup_roast_read_percent(const struct cup_roast_file *file)
{
    return file->requested ? cup_ratio(100.0 * (double)file->requested_bytes,
                                       (double)cup_roast_tree_bytes(file))
                           : cup_null();
}

/* The tool's way round: compressed over uncompressed. */
static struct cup_value compression_of(const struct cup_roast_file *file)
{
    return cup_ratio((double)file->compressed_bytes, (double)file->uncompressed_bytes);
}

static struct cup_value tree_bytes_of(const struct cup_roast_file *file)
{
    uint64_t bytes = cup_roast_tree_bytes(file);
    return bytes ? cup_count(bytes) : cup_null();
}

static void put_file_metadata(struct cup_roast *roast, const struct cup_roast_file *file)
{
    struct cup_text path = cup_profile_text(roast->profile, file->path);
    cup_json_row(&roast->json, key_of(roast, path));
    put(roast, "filename", cup_text(path));
    put(roast, "compression_ratio", compression_of(file));
    put(roast, "total_tree_bytes", tree_bytes_of(file));
    cup_json_end_object(&roast->json);
}

/* What is not known is left out: the tool's plots then take 0. */
static void put_file_reads(struct cup_roast *roast, const struct cup_roast_file *file)
{
    struct cup_value percent = cup_roast_read_percent(file);
    cup_json_row(&roast->json, key_of(roast, cup_profile_text(roast->profile, file->path)));
    if (cup_roast_tree_bytes(file))
        put(roast, "total_tree_bytes", tree_bytes_of(file));
    if (file->requested)
        put(roast, "bytes_read", cup_count(file->requested_bytes));
    if (percent.kind != CUP_VALUE_NULL)
        put(roast, "bytes_read_percent", percent);
    cup_json_end_object(&roast->json);
}

static void put_percents(struct cup_roast *roast)
{
    double sum = 0, known = 0;
    cup_json_array(&roast->json, "bytes_read_percent_per_file");
    for (size_t i = 0; i < roast->files.count; i++) {
        double percent = cup_number(cup_roast_read_percent(&roast->files.files[i]));
        if (!isfinite(percent))
            continue;
        put(roast, NULL, cup_real(percent));
        sum += percent;
        known++;
    }
    cup_json_end_array(&roast->json);
    put(roast, "avg_bytes_read_percent", cup_ratio(sum, known));
}

static void put_each_file(struct cup_roast *roast, const char *name,
                          void (*put_file)(struct cup_roast *, const struct cup_roast_file *))
{
    cup_json_object(&roast->json, name);
    for (size_t i = 0; i < roast->files.count; i++)
        put_file(roast, &roast->files.files[i]);
    cup_json_end_object(&roast->json);
}

static void put_ratios(struct cup_roast *roast)
{
    cup_json_array(&roast->json, "compression_ratios");
    for (size_t i = 0; i < roast->files.count; i++)
        if (roast->files.files[i].uncompressed_bytes)
            put(roast, NULL, compression_of(&roast->files.files[i]));
    cup_json_end_array(&roast->json);
}

/* Mean over files: different branches of their trees that were read. */
static struct cup_value branches_percent(const struct cup_totals *totals)
{
    double sum = 0, known = 0;
    for (size_t i = 0; i < totals->profile->root_file_count; i++) {
        const struct cup_branches_file *file = &totals->branches->files[i];
        if (file->tree_branches == 0)
            continue;
        sum += 100.0 * (double)file->branches_of_trees / (double)file->tree_branches;
        known++;
    }
    return cup_ratio(sum, known);
}

int cup_roast_put_files(struct cup_roast *roast)
{
    put_each_file(roast, "file_metadata", put_file_metadata);
    put_each_file(roast, "file_read_metrics", put_file_reads);
    put_percents(roast);
    put(roast, "avg_branches_read_percent", branches_percent(roast->totals));
    put_ratios(roast);
    return roast->key.failed ? -1 : 0;
}
