/* What samples say of one worker, as one number. */
#ifndef CUPPING_PLOT_SHARED_QUANTITY_H
#define CUPPING_PLOT_SHARED_QUANTITY_H

#include "plot/figure/ticks.h"
#include "plot/shared/time_bins.h"

struct cup_quantity {
    const char *name; /* of an axis */
    enum cup_axis_unit unit;
    double (*value)(const struct cup_sample_row *row); /* NAN: not known */
    const char *of;                                    /* for captions: what it is, in a sentence */
};
extern const struct cup_quantity cup_memory_share, cup_cpu_share, cup_busy_share; /* percent */

/* Bins of the run that are never shorter than samples are apart: there would be gaps between them.
 */
void cup_sample_bins_make(struct cup_time_bins *time, const struct cup_totals *totals);

#endif
