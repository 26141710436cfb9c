/* Every figure of the report that is one value: name, unit, where it comes from, how it is made.
 * To add one, add a line to the table in metrics.c. */
#ifndef CUPPING_METRICS_H
#define CUPPING_METRICS_H

#include "analysis/totals.h"
#include "analysis/units.h"
#include "analysis/value.h"

struct cup_metric {
    const char *section; /* of the report, and key of the JSON object */
    const char *name;    /* a contract */
    const char *label;   /* for tables; NULL: in the JSON only */
    enum cup_unit unit;
    struct cup_value (*compute)(const struct cup_totals *totals); /* NULL: no source yet */
    const char *source; /* "P: ...", "D: ...", "C: ..."; without compute: why there is none */
    uint64_t needs;     /* features (enum cup_feature): null where no process has all of them */
};

extern const struct cup_metric cup_metrics[];
extern const size_t cup_metric_count;

struct cup_value cup_metric_value(const struct cup_metric *metric, const struct cup_totals *totals);

/* Why its value is null. */
const char *cup_metric_missing(const struct cup_metric *metric, const struct cup_totals *totals);

/* By section and name, which must exist. */
struct cup_value cup_metric_named(const struct cup_totals *totals, const char *section,
                                  const char *name);

#endif
