/* What the files that write the report as JSON share: every part is written from one struct. */
#ifndef CUPPING_ANALYSIS_REPORT_PAGE_JSON_PAGE_H
#define CUPPING_ANALYSIS_REPORT_PAGE_JSON_PAGE_H

#include <stdio.h>
#include <string.h>

#include "analysis/base/target.h"
#include "analysis/metrics/metrics.h"
#include "analysis/write/json_writer.h"
#include "analysis/write/output.h"

struct report {
    const struct cup_totals *totals;
    const struct cup_profile *profile;
    const struct cup_output *output;
    const struct cup_target *target;
    const uint32_t *attempts; /* per task */
    struct cup_json json;
};

static inline struct cup_value text_of(const struct report *report, uint32_t string)
{
    return cup_text(cup_profile_text(report->profile, string));
}

static inline void put(struct report *report, const char *name, struct cup_value value)
{
    cup_json_value(&report->json, name, value);
}

static inline void put_ns(struct report *report, const char *name, uint64_t ns)
{
    put(report, name, cup_seconds((int64_t)ns));
}

/* All metrics of a section, as keys of the object that is open. */
static inline void put_metrics(struct report *report, const struct cup_metric_section *section)
{
    for (size_t i = 0; i < section->count; i++)
        put(report, section->metrics[i].name,
            cup_metric_value(section->metrics[i].id, report->totals));
}

static inline void put_metric_section(struct report *report,
                                      const struct cup_metric_section *section)
{
    cup_json_object(&report->json, section->name);
    put_metrics(report, section);
    cup_json_end_object(&report->json);
}

static inline void open_rows(struct report *report, const char *section)
{
    cup_json_object(&report->json, section);
    cup_json_array(&report->json, "rows");
}

static inline void close_rows(struct report *report)
{
    cup_json_end_array(&report->json);
    cup_json_end_object(&report->json);
}

/* A counter under its name; a time, which the log holds in *_ns, as *_s. Null if not measured. */
static inline void put_counter(struct report *report, const char *counter, uint64_t value,
                               bool known)
{
    char name[64];
    size_t length = strlen(counter);
    bool is_time = length > 3 && strcmp(counter + length - 3, "_ns") == 0;
    snprintf(name, sizeof name, "%.*s%s", (int)(is_time ? length - 3 : length), counter,
             is_time ? "_s" : "");
    if (!known)
        put(report, name, cup_null());
    else
        put(report, name, is_time ? cup_seconds((int64_t)value) : cup_count(value));
}

/* Keys of a row that is open: waits of tasks and of their helpers; durations of a prefix. */
void cup_report_put_waits(struct report *report, const struct cup_wait_sums *sums,
                          const struct cup_measured_waits *helpers);
void cup_report_put_histograms(struct report *report, const struct cup_prefix *prefix);

/* Worker, host and pid. */
void cup_report_put_who(struct report *report, uint32_t process);
/* Likewise: how many tasks, their times, what they read and made. */
void cup_report_put_task_sums(struct report *report, const struct cup_task_sums *sums);

/* Of the only Dask worker in that process; null where there are several, or none. */
struct cup_value cup_report_address(const struct report *report, uint32_t process);

/* Keys of the object that is open, under the names that Coffea's own report has. */
void cup_report_put_coffea_sums(struct report *report, const struct cup_coffea_sums *sums);

/* Likewise: what was read of ROOT files, of a file (index in profile->files) and of tasks. */
void cup_report_put_file_baskets(struct report *report, uint32_t index);
void cup_report_put_task_baskets(struct report *report, const struct cup_task_baskets *baskets,
                                 bool measured);

/* For tables: of each task what it had of the program's own sections, and of its values. */
int cup_report_put_sections_by_task(struct report *report);
int cup_report_put_values_by_task(struct report *report);
/* Likewise: of each native function what all tasks did in it. */
int cup_report_put_natives(struct report *report);

/* Sections. */
int cup_report_put_stages(struct report *report); /* these seven return 0, or -1 without memory */
int cup_report_put_branches(struct report *report);
int cup_report_put_functions(struct report *report);
int cup_report_put_workers(struct report *report);
int cup_report_put_coffea(struct report *report);
int cup_report_put_files(struct report *report);
int cup_report_put_servers(struct report *report);
int cup_report_put_sections(struct report *report); /* that the program named */
int cup_report_put_opens(struct report *report);
void cup_report_put_runs(struct report *report);
void cup_report_put_efficiency(struct report *report);
void cup_report_put_chunks(struct report *report);
void cup_report_put_datasets(struct report *report);
void cup_report_put_losses(struct report *report);
void cup_report_put_waste(struct report *report); /* part of efficiency */
void cup_report_put_fits(struct report *report);  /* part of chunks */
void cup_report_put_hosts(struct report *report);
void cup_report_put_merge(struct report *report);
void cup_report_put_tasks_by_worker(struct report *report);
void cup_report_put_attribution(struct report *report);
void cup_report_put_time_budget(struct report *report);
void cup_report_put_fine(struct report *report);
void cup_report_put_health(struct report *report);

#endif
