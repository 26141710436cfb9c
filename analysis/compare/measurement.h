/* Measurement directories of roastcoffea (format roastcoffea_measurement_v1, as its release 0.1.2
 * writes them): metrics.json, start_end_time.txt, metadata.json. */
#pragma once

#include "analysis/compare/figures.h"

/* A key of metrics.json that has one value, and a metric of ours. One key may be several metrics.
 */
struct cup_roast_key {
    const char *key;
    enum cup_metric_id metric;
    enum {
        CUP_ROAST_NONE,
        CUP_ROAST_OPTIONAL,
        CUP_ROAST_NEEDED, /* roastcoffea's tables fail on null: left out if it is not known */
    } export;             /* whether `cupping export` writes it */
    const char *source;   /* how roastcoffea computes it; NULL: it is not read, only written */
    double factor;        /* our value = theirs x factor; 0: 1 */
    const char *label;    /* where our tables have none */
};
extern const struct cup_roast_key cup_roast_keys[];
extern const size_t cup_roast_key_count;

/* True if the directory is one: it has metrics.json and start_end_time.txt, and no log of ours. */
bool cup_is_roastcoffea(const char *directory);

/* Fills empty figures: every metric of ours, null where the measurement has no such figure.
 * Returns 0, or -1 and *error. */
int cup_figures_from_roastcoffea(struct cup_figures *figures, const char *directory,
                                 struct cup_error *error);
