/* Every figure of the report that is one value: name, unit, where it comes from, how it is made.
 * To add one, add a line to the table of its section, metrics_SECTION.c. */
#ifndef CUPPING_ANALYSIS_METRICS_METRICS_H
#define CUPPING_ANALYSIS_METRICS_METRICS_H

#include "analysis/base/units.h"
#include "analysis/base/value.h"
#include "analysis/metrics/totals.h"

struct cup_metric {
    const char *name;  /* a contract */
    const char *label; /* for tables; NULL: in the JSON only */
    enum cup_unit unit;
    struct cup_value (*compute)(const struct cup_totals *totals); /* NULL: no source yet */
    const char *source;  /* "P: ...", "D: ...", "C: ..."; without compute: why there is none */
                         /* @ and # in it: see cup_metric_source() */
    uint64_t needs;      /* features (enum cup_feature): null where no process has all of them */
    const char *missing; /* why compute() yields null; NULL: nothing of the kind was seen */
};

/* A section of the report, and an object of its JSON. */
struct cup_metric_section {
    const char *name;
    const struct cup_metric *metrics;
    size_t count;
};

/* One for each metrics_SECTION.c, in the order of the report. */
extern const struct cup_metric_section cup_workflow_metrics, cup_workers_metrics,
    cup_efficiency_metrics, cup_time_budget_metrics, cup_fine_metrics, cup_branches_metrics,
    cup_attribution_metrics, cup_health_metrics;
extern const struct cup_metric_section *const cup_metric_sections[];
extern const size_t cup_metric_section_count;

/* By name; NULL if there is none. */
const struct cup_metric_section *cup_find_metrics(const char *section);

struct cup_value cup_metric_value(const struct cup_metric *metric, const struct cup_totals *totals);

/* Where it comes from in this profile: metric->source, with the samples' origin for @ and that of
 * the number of threads for #, or the file of --coffea-report. Returns `to`, which has
 * CUP_SOURCE_ROOM. */
enum { CUP_SOURCE_ROOM = 900 };
char *cup_metric_source(const struct cup_metric *metric, const struct cup_totals *totals, char *to);

/* Why its value is null. */
const char *cup_metric_missing(const struct cup_metric *metric, const struct cup_totals *totals);

/* Of baskets: null where no key was seen. The payload is what is not key. */
struct cup_value cup_baskets_uncompressed(const struct cup_basket_sums *sums);
struct cup_value cup_baskets_ratio(const struct cup_basket_sums *sums);
struct cup_value cup_baskets_payload(const struct cup_basket_sums *sums, bool compressed);

/* By section and name, which must exist. */
struct cup_value cup_metric_named(const struct cup_totals *totals, const char *section,
                                  const char *name);

#endif
