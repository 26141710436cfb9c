/* Measurement directories of roastcoffea (format roastcoffea_measurement_v1, as its release 0.1.2
 * writes them): metrics.json, start_end_time.txt, metadata.json. */
#ifndef CUPPING_ANALYSIS_COMPARE_MEASUREMENT_H
#define CUPPING_ANALYSIS_COMPARE_MEASUREMENT_H

#include "analysis/compare/figures.h"

/* True if the directory is one: it has metrics.json and start_end_time.txt, and no log of ours. */
bool cup_is_roastcoffea(const char *directory);

/* Fills empty figures: every metric of ours, null where the measurement has no such figure.
 * Returns 0, or -1 and *error. */
int cup_figures_from_roastcoffea(struct cup_figures *figures, const char *directory,
                                 struct cup_error *error);

#endif
