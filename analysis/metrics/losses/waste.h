/* Work whose result was not used, by the reason. */
#ifndef CUPPING_ANALYSIS_METRICS_LOSSES_WASTE_H
#define CUPPING_ANALYSIS_METRICS_LOSSES_WASTE_H

#include "analysis/profile/profile.h"

struct cup_totals;

struct cup_waste {
    uint64_t tasks, wall_ns, cpu_ns, read_bytes;
};

/* Of two runs of one key that both succeeded the later one counts: nothing would have asked for it
 * again while the first one's result was there. */
struct cup_waste_reasons {
    struct cup_waste failed;  /* erred */
    struct cup_waste retried; /* succeeded, done again, its worker still being there: as a rule what
                                 was made of it was lost with another one */
    struct cup_waste lost;    /* succeeded, done again after its worker was gone with the result */
    struct cup_waste killed;  /* never ended; wall_ns: until the last sign of its process; cpu_ns is
                                 not known: a thread's clock is read when its task ends */
};

/* Adds a task that did not succeed. */
void cup_waste_add_failure(struct cup_waste_reasons *reasons, const struct cup_profile *profile,
                           const struct cup_task *task);

/* Adds what succeeded more than once, from totals whose chunks are settled. Returns 0, or -1
 * without memory. */
int cup_waste_add_done_again(struct cup_waste_reasons *reasons, const struct cup_totals *totals);

/* All reasons together. */
struct cup_waste cup_waste_sum(const struct cup_waste_reasons *reasons);

#endif
