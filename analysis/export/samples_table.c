#include "analysis/export/samples_table.h"

#include <string.h>

#include "analysis/write/csv_writer.h"

/* ---- which samples ------------------------------------------------------------------------ */

bool cup_sample_in_run(const struct cup_totals *totals, const struct cup_sample *sample)
{
    struct cup_stretch run = totals->run;
    return cup_stretch_ns(run) < 0 ||
           (sample->time_ns >= run.start_ns && sample->time_ns <= run.stop_ns);
}

bool cup_sample_by_scheduler(const struct cup_profile *profile, const struct cup_sample *sample)
{
    return sample->server && profile->servers[sample->server - 1].role == CUP_ROLE_SCHEDULER;
}

/* ---- values ------------------------------------------------------------------------------- */

#define X(id, name, text) name,
static const char *const sample_names[] = {CUP_SAMPLE_VALUES(X)};
static const char *const worker_names[] = {CUP_WORKER_VALUES(X)};
static const char *const heartbeat_names[] = {CUP_HEARTBEAT_VALUES(X)};
#undef X

/* "..._ns" as the log has it is "..._s" to others; else 0. */
static size_t time_stem(const char *name)
{
    size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, "_ns") == 0 ? length - 3 : 0;
}

static void put_names(struct cup_csv *csv, const char *prefix, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        char name[96];
        size_t stem = time_stem(names[i]);
        snprintf(name, sizeof name, "%s%.*s%s", prefix, (int)(stem ? stem : strlen(names[i])),
                 names[i], stem ? "_s" : "");
        cup_csv_value(csv, cup_string(name));
    }
}

/* NULL for `values`: none is known. */
static void put_values(struct cup_csv *csv, const char *const *names, const uint64_t *values,
                       int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t value = values ? values[i] : CUP_UNKNOWN64;
        bool is_time = time_stem(names[i]) && value != CUP_UNKNOWN64;
        cup_csv_value(csv, is_time ? cup_seconds((int64_t)value) : cup_known_count(value));
    }
}

/* ---- rows --------------------------------------------------------------------------------- */

static void put_heading(struct cup_csv *csv)
{
    static const char *const names[] = {"time", "by", "worker", "name", "status"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cup_csv_value(csv, cup_string(names[i]));
    put_names(csv, "", worker_names, CUP_WV_COUNT);
    put_names(csv, "heartbeat_", heartbeat_names, CUP_HV_COUNT);
    put_names(csv, "cluster_", sample_names, CUP_SV_COUNT);
    cup_csv_end_line(csv);
}

static void put_row(struct cup_csv *csv, const struct cup_profile *profile,
                    const struct cup_worker_sample *row)
{
    const struct cup_sample *sample = &profile->samples[row->sample];
    bool by_scheduler = cup_sample_by_scheduler(profile, sample);
    cup_csv_value(csv, cup_seconds(sample->time_ns));
    cup_csv_value(csv, cup_string(by_scheduler ? "scheduler" : "worker"));
    cup_csv_value(csv, cup_text(cup_profile_text(profile, row->address)));
    cup_csv_value(csv, cup_text(cup_profile_text(profile, row->name)));
    cup_csv_value(csv, cup_text(cup_profile_text(profile, row->status)));
    put_values(csv, worker_names, row->values, CUP_WV_COUNT);
    put_values(csv, heartbeat_names,
               row->heartbeat ? profile->heartbeats[row->heartbeat - 1].values : NULL,
               CUP_HV_COUNT);
    put_values(csv, sample_names, by_scheduler ? sample->values : NULL, CUP_SV_COUNT);
    cup_csv_end_line(csv);
}

int cup_samples_csv(const struct cup_totals *totals, const struct cup_output *output)
{
    const struct cup_profile *profile = totals->profile;
    struct cup_csv csv = {.out = output->file};
    put_heading(&csv);
    for (size_t i = 0; i < profile->worker_sample_count && !cup_output_failed(output); i++) {
        const struct cup_worker_sample *row = &profile->worker_samples[i];
        if (cup_sample_in_run(totals, &profile->samples[row->sample]))
            put_row(&csv, profile, row);
    }
    return 0;
}
