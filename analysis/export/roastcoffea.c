#include "analysis/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/compare/measurement.h"
#include "analysis/export/roastcoffea.h"

#define MIB (1024.0 * 1024.0)

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
        cup_roast_put(roast, key, cup_real(numbers[i].value / divisor));
    }
}

static void put_statistics(struct cup_roast *roast)
{
    struct cup_statistics statistics[CUP_STAT_COUNT];
    cup_chunk_statistics(roast->totals, statistics);
    double rate_hz = cup_metric_number(CUP_METRIC_event_rate_core_hz, roast->totals);
    cup_roast_put(roast, "event_rate_core_khz", cup_real(rate_hz / 1e3));
    put_numbers(roast, "chunk_duration", "", &statistics[CUP_STAT_PROCESS], 1, true);
    put_numbers(roast, "chunk_mem_delta", "_mb", &statistics[CUP_STAT_RSS_DELTA], MIB, true);
    cup_roast_put(roast, "total_events_from_chunks",
                  cup_metric_value(CUP_METRIC_total_events, roast->totals));
    put_numbers(roast, "chunk_events", "", &statistics[CUP_STAT_EVENTS], 1, false);
}

/* ---- per dataset --------------------------------------------------------------------------- */

static int put_dataset(struct cup_roast *roast, const struct cup_dataset *dataset)
{
    struct cup_text name = cup_profile_text(roast->profile, dataset->name);
    char *key = cup_python_string(name.length ? name : cup_string("unknown").text);
    double chunks = (double)dataset->chunks, process_s = (double)dataset->process_ns / 1e9;
    bool timed = dataset->timed > 0, events_known = dataset->without_events == 0;
    cup_json_row(&roast->json, key ? key : "?");
    cup_roast_put(roast, "num_chunks", cup_count(dataset->chunks));
    if (timed)
        cup_roast_put(roast, "total_duration", cup_real(process_s));
    if (events_known)
        cup_roast_put(roast, "total_events", cup_count(dataset->events));
    if (timed)
        cup_roast_put(roast, "mean_duration", cup_ratio(process_s, (double)dataset->timed));
    if (events_known && dataset->events)
        cup_roast_put(roast, "mean_events_per_chunk", cup_ratio((double)dataset->events, chunks));
    cup_json_end_object(&roast->json);
    free(key);
    return key ? 0 : -1;
}

static int put_datasets(struct cup_roast *roast)
{
    int result = 0;
    cup_json_object(&roast->json, "per_dataset");
    for (size_t i = 0; i < roast->totals->dataset_count && result == 0; i++)
        if (roast->totals->datasets[i].chunks)
            result = put_dataset(roast, &roast->totals->datasets[i]);
    cup_json_end_object(&roast->json);
    return result;
}

/* ---- metrics.json -------------------------------------------------------------------------- */

static void put_figures(struct cup_roast *roast)
{
    for (size_t i = 0; i < cup_roast_key_count; i++) {
        const struct cup_roast_key *key = &cup_roast_keys[i];
        struct cup_value value = cup_metric_value(key->metric, roast->totals);
        if (key->export == CUP_ROAST_OPTIONAL)
            cup_roast_put(roast, key->key, value);
        else if (key->export == CUP_ROAST_NEEDED)
            cup_roast_put_known(roast, key->key, value);
    }
}

static int put_all(struct cup_roast *roast)
{
    put_figures(roast);
    put_statistics(roast);
    return put_datasets(roast) || cup_roast_put_files(roast) || cup_roast_put_tracking(roast) ||
                   cup_roast_put_chunks(roast) || cup_roast_put_spans(roast)
               ? -1
               : 0;
}

static int write_metrics(const struct cup_totals *totals, const struct cup_output *output)
{
    struct cup_roast roast = {.totals = totals, .profile = totals->profile, .output = output};
    int result = cup_roast_files_make(&roast.files, totals);
    cup_json_start(&roast.json, output->file);
    cup_json_object(&roast.json, NULL);
    if (result == 0)
        result = put_all(&roast);
    cup_json_end_object(&roast.json);
    cup_roast_files_free(&roast.files);
    return result;
}

/* ---- the other files ----------------------------------------------------------------------- */

static void write_seconds(FILE *out, int64_t ns, char after)
{
    fprintf(out, "%" PRId64 ".%09d%c", ns / 1000000000, (int)(ns % 1000000000), after);
}

/* Seconds since the epoch; both 0 where there was no task. */
static int write_start_and_end(const struct cup_totals *totals, const struct cup_output *output)
{
    write_seconds(output->file, totals->run.start_ns, ',');
    write_seconds(output->file, totals->run.stop_ns, '\n');
    return 0;
}

static int write_metadata(const struct cup_totals *totals, const struct cup_output *output)
{
    struct timespec now;
    struct cup_json json;
    char written[CUP_PYTHON_TIME_ROOM];
    clock_gettime(CLOCK_REALTIME, &now);
    cup_python_time(written, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    cup_json_start(&json, output->file);
    cup_json_object(&json, NULL);
    cup_json_value(&json, "timestamp", cup_string(written));
    cup_json_value(&json, "elapsed_time_seconds", cup_metric_value(CUP_METRIC_wall_time, totals));
    cup_json_value(&json, "format", cup_string("roastcoffea_measurement_v1"));
    cup_json_value(&json, "written_by", cup_string("cupping " CUP_VERSION));
    cup_json_end_object(&json);
    return 0;
}

static void put_source(struct cup_json *json, const struct cup_totals *totals,
                       const struct cup_roast_key *key)
{
    const struct cup_metric *metric = cup_metric(key->metric);
    char source[600];
    bool known = cup_metric_value(metric->id, totals).kind != CUP_VALUE_NULL;
    snprintf(source, sizeof source, "%s.%s: %s%s", cup_metric_section(metric->id)->name,
             metric->name,
             known ? "" : "n/a: ", known ? metric->source : cup_metric_missing(metric, totals));
    cup_json_value(json, key->key, cup_string(source));
}

static int write_config(const struct cup_totals *totals, const struct cup_output *output)
{
    const struct cup_profile *profile = totals->profile;
    struct cup_json json;
    cup_json_start(&json, output->file);
    cup_json_object(&json, NULL);
    cup_json_value(&json, "profile", cup_string(profile->path));
    cup_json_value(&json, "run", profile->run ? cup_count(profile->run) : cup_string("all"));
    cup_json_object(&json, "sources");
    for (size_t i = 0; i < cup_roast_key_count; i++)
        if (cup_roast_keys[i].export)
            put_source(&json, totals, &cup_roast_keys[i]);
    cup_json_end_object(&json);
    cup_json_end_object(&json);
    return 0;
}

const struct cup_export_file cup_roastcoffea_files[] = {
    {.name = "metrics.json", .write = write_metrics},
    {.name = "start_end_time.txt", .write = write_start_and_end},
    {.name = "config.json", .write = write_config},
    {.name = "metadata.json", .write = write_metadata},
    {0},
};
