/* A number that is calculated from a worker's sample. */
#ifndef CUPPING_PLOT_SHARED_QUANTITY_H
#define CUPPING_PLOT_SHARED_QUANTITY_H

#include "plot/figure/ticks.h"
#include "plot/shared/time_bins.h"

struct cup_quantity {
    const char *name; /* of an axis */
    enum cup_axis_unit unit;
    double (*value)(const struct cup_sample_row *row); /* NAN: not known */
    const char *of; /* a sentence for captions that explains it */
};
extern const struct cup_quantity cup_memory_share, cup_cpu_share, cup_busy_share; /* percent */

/* Makes time bins at least as long as the sampling interval: of shorter bins, some would have no
 * sample. */
void cup_sample_bins_make(struct cup_time_bins *time, const struct cup_totals *totals);

#endif
