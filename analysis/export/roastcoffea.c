#define _POSIX_C_SOURCE 200809L

#include "analysis/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/base/version.h"
#include "analysis/export/export_directory.h"
#include "analysis/export/roastcoffea.h"
#include "analysis/metrics/metrics.h"

/* ---- metrics.json -------------------------------------------------------------------------- */

static void put_figures(struct cup_roast *roast)
{
    for (size_t i = 0; i < cup_roast_figure_count; i++) {
        const struct cup_roast_figure *figure = &cup_roast_figures[i];
        struct cup_value value = cup_metric_value(figure->metric, roast->totals);
        if (value.kind != CUP_VALUE_NULL || !figure->needed)
            cup_json_value(&roast->json, figure->key, value);
    }
}

static int put_all(struct cup_roast *roast)
{
    put_figures(roast);
    if (cup_roast_put_statistics(roast) != 0 || cup_roast_put_datasets(roast) != 0 ||
        cup_roast_put_files(roast) != 0 || cup_roast_put_tracking(roast) != 0 ||
        cup_roast_put_chunks(roast) != 0 || cup_roast_put_spans(roast) != 0)
        return -1;
    return roast->key.failed ? -1 : 0;
}

static int write_metrics(const struct cup_totals *totals, const struct cup_output *output)
{
    struct cup_roast roast = {.totals = totals, .profile = totals->profile, .output = output};
    if (cup_roast_files_make(&roast.files, totals) != 0)
        return -1;
    cup_json_start(&roast.json, output->file);
    cup_json_object(&roast.json, NULL);
    int result = put_all(&roast);
    cup_json_end_object(&roast.json);
    cup_roast_files_free(&roast.files);
    free(roast.key.bytes);
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
    cup_json_value(&json, "elapsed_time_seconds", cup_metric_value(CUP_METRIC_WALL_TIME, totals));
    cup_json_value(&json, "format", cup_string("roastcoffea_measurement_v1"));
    cup_json_value(&json, "written_by", cup_string("cupping " CUP_VERSION));
    cup_json_end_object(&json);
    return 0;
}

static void put_source(struct cup_json *json, const struct cup_totals *totals,
                       const struct cup_roast_figure *figure)
{
    const struct cup_metric *metric = cup_metric(figure->metric);
    char source[600];
    bool known = cup_metric_value(metric->id, totals).kind != CUP_VALUE_NULL;
    snprintf(source, sizeof source, "%s.%s: %s%s", cup_metric_section(metric->id)->name,
             metric->name,
             known ? "" : "n/a: ", known ? metric->source : cup_metric_missing(metric, totals));
    cup_json_value(json, figure->key, cup_string(source));
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
    for (size_t i = 0; i < cup_roast_figure_count; i++)
        put_source(&json, totals, &cup_roast_figures[i]);
    cup_json_end_object(&json);
    cup_json_end_object(&json);
    return 0;
}

int cup_export_roastcoffea(const struct cup_totals *totals, const char *directory,
                           struct cup_error *error)
{
    static const struct cup_export_file files[] = {
        {"metrics.json", write_metrics, NULL},
        {"start_end_time.txt", write_start_and_end, NULL},
        {"config.json", write_config, NULL},
        {"metadata.json", write_metadata, NULL},
    };
    return cup_export_files(totals, directory, files, sizeof files / sizeof *files, error);
}
