/* Shared by all files that write the report as JSON: the state of the writer, and helpers for keys
 * and values. */
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

/* Writes all metrics of a section as keys of the JSON object that is open. */
static inline void put_metrics(struct report *report, const struct cup_metric_section *section)
{
    for (size_t i = 0; i < section->count; i++)
        put(report, section->metrics[i].name,
            cup_metric_value(section->metrics[i].id, report->totals));
}

/* Times, which the log counts in *_ns, are *_s in the report. */
static inline bool is_time_counter(const char *counter)
{
    size_t length = strlen(counter);
    return length > 3 && strcmp(counter + length - 3, "_ns") == 0;
}

/* The counter's key in the report: NAME_s for NAME_ns, otherwise its own name. */
static inline const char *counter_key(const char *counter, char *room, size_t bytes)
{
    if (!is_time_counter(counter))
        return counter;
    snprintf(room, bytes, "%.*s_s", (int)strlen(counter) - 3, counter);
    return room;
}

/* Null if not `known`; nanoseconds become seconds. */
static inline struct cup_value counter_value(const char *counter, uint64_t value, bool known)
{
    if (!known)
        return cup_null();
    return is_time_counter(counter) ? cup_seconds((int64_t)value) : cup_count(value);
}

static inline void put_counter(struct report *report, const char *counter, uint64_t value,
                               bool known)
{
    char key[64];
    put(report, counter_key(counter, key, sizeof key), counter_value(counter, value, known));
}

#endif
