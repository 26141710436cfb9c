/* The metrics: every figure of the report that is one value. One row of rows_SECTION.h states all
 * about a metric: name, label, unit, value and source, then, where they are needed, other fields of
 * struct cup_metric by name. The id is CUP_METRIC_ and the name, in small letters as in the JSON:
 *
 *     METRIC(wall_time, "wall time", SECONDS, cup_ns_or_null(cup_stretch_ns(t->run)),
 *            "P: t_stop - t_start", LESS_FOR_SAME_WORK)
 *
 * The value is an expression over t, the totals; a formula that needs more than one expression is
 * a function in metrics_SECTION.c. To add a metric, add a row: enum, JSON, report, sources,
 * comparison and schema follow. */
#pragma once

#include "analysis/base/units.h"
#include "analysis/base/value.h"
#include "analysis/metrics/dask/coffea_compare.h"
#include "analysis/metrics/totals.h"
#include "analysis/profile/waits.h"

/* Where two sections have the same name, NAMED_METRIC(id, name, ...) gives one an id of its own. */
#define METRIC(name, ...) NAMED_METRIC(name, #name, __VA_ARGS__)

/* In the order of cup_metric_sections. */
enum cup_metric_id {
#define NAMED_METRIC(id, ...) CUP_METRIC_##id,
/* clang-format off */
#include "analysis/metrics/rows_workflow.h"
#include "analysis/metrics/rows_workers.h"
#include "analysis/metrics/rows_efficiency.h"
#include "analysis/metrics/rows_budget.h"
#include "analysis/metrics/rows_fine.h"
#include "analysis/metrics/rows_branches.h"
#include "analysis/metrics/rows_attribution.h"
#include "analysis/metrics/rows_health.h"
/* clang-format on */
#undef NAMED_METRIC
    CUP_METRIC_COUNT
};

enum cup_better { CUP_BETTER_UNKNOWN, CUP_BETTER_LOWER, CUP_BETTER_HIGHER };

/* Which value is better, for comparisons. Not set where more may be good or bad: delivered bytes
 * and their rate (read-ahead raises them), memory on average, core_efficiency and speedup_factor
 * (waiting for storage raises both), and all that depends on the chunk size, which is a choice. */
struct cup_direction {
    enum cup_better better;
    bool same_work; /* a sum: comparable only between runs that did the same work */
};

struct cup_metric {
    enum cup_metric_id id;
    const char *name;  /* in the JSON; users' programs rely on it: never renamed */
    const char *label; /* in tables; NULL: the metric is in the JSON only */
    enum cup_unit unit;
    struct cup_value (*compute)(const struct cup_totals *totals);
    const char *source;  /* "P: ...", "D: ..." or "C: ..."; cup_metric_source() replaces @ and # */
    uint64_t needs;      /* enum cup_feature; null where no process has all of these */
    const char *missing; /* why the value is null; NULL: the logs have no records for it */
    bool of_all_runs;    /* null if tasks were selected and bytes are unattributed: it has those */
    bool unavailable;    /* always null; the source says why */

    struct cup_direction direction;

    /* Replace the source where the value is from the file of --coffea-report. */
    enum cup_coffea_field coffea_field;
    const char *from_datasets; /* the file has figures for each dataset */
    const char *from_file;     /* the library did not see this figure; NULL: never from a file */
};

/* A section of the report, and an object of its JSON. */
struct cup_metric_section {
    const char *name;
    const struct cup_metric *metrics; /* in the order of their ids, which have no gaps */
    size_t count;
};

/* In the order of the report. */
extern const struct cup_metric_section cup_workflow_metrics, cup_workers_metrics,
    cup_efficiency_metrics, cup_time_budget_metrics, cup_fine_metrics, cup_branches_metrics,
    cup_attribution_metrics, cup_health_metrics;
extern const struct cup_metric_section *const cup_metric_sections[];
extern const size_t cup_metric_section_count;

const struct cup_metric_section *cup_metric_section(enum cup_metric_id id);
const struct cup_metric *cup_metric(enum cup_metric_id id);

/* By the names in a JSON report that a user gave; NULL if there is none. */
const struct cup_metric *cup_metric_find(const char *section, const char *name);

struct cup_value cup_metric_value(enum cup_metric_id id, const struct cup_totals *totals);

/* As a number in its unit; NAN when null. */
static inline double cup_metric_number(enum cup_metric_id id, const struct cup_totals *totals)
{
    return cup_number(cup_metric_value(id, totals));
}

/* Where the value comes from in this profile: the row's source, in which @ becomes the origin of
 * the samples and # that of the number of threads; or the file of --coffea-report. Returns `to`,
 * which has CUP_SOURCE_ROOM. */
enum { CUP_SOURCE_ROOM = 900 };
char *cup_metric_source(const struct cup_metric *metric, const struct cup_totals *totals, char *to);

/* Why the value is null. */
const char *cup_metric_missing(const struct cup_metric *metric, const struct cup_totals *totals);

/* Figures of baskets; null if no basket key was seen. The payload is the bytes without the keys. */
struct cup_value cup_baskets_uncompressed(const struct cup_basket_sums *sums);
struct cup_value cup_baskets_ratio(const struct cup_basket_sums *sums);
struct cup_value cup_baskets_payload(const struct cup_basket_sums *sums, bool compressed);
