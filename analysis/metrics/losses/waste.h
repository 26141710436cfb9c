/* Tasks whose result was not used, by reason. */
#ifndef CUPPING_ANALYSIS_METRICS_LOSSES_WASTE_H
#define CUPPING_ANALYSIS_METRICS_LOSSES_WASTE_H

#include "analysis/profile/profile.h"

struct cup_totals;

struct cup_waste {
    uint64_t tasks, wall_ns, cpu_ns, read_bytes;
};

/* Of two successes of one key the later one counts: Dask computes a key again only when it has lost
 * the first result. */
struct cup_waste_reasons {
    struct cup_waste failed; /* erred */
    struct cup_waste
        retried;             /* succeeded and computed again although its worker was still there: as
                                a rule another worker was lost with what was made of the result */
    struct cup_waste lost;   /* succeeded, and computed again after its worker was lost */
    struct cup_waste killed; /* never ended; wall_ns: until the last sign of the process; cpu_ns is
                                not known: a thread's clock is read when its task ends */
};

/* Adds a task that did not succeed. */
void cup_waste_add_failure(struct cup_waste_reasons *reasons, const struct cup_profile *profile,
                           const struct cup_task *task);

/* Adds tasks that succeeded more than once. Needs totals->outcomes. Returns 0, or -1 without
 * memory. */
int cup_waste_add_done_again(struct cup_waste_reasons *reasons, const struct cup_totals *totals);

/* All reasons together. */
struct cup_waste cup_waste_sum(const struct cup_waste_reasons *reasons);

#endif
