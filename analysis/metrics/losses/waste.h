/* Tasks whose result was not used, by reason. */
#ifndef CUPPING_ANALYSIS_METRICS_LOSSES_WASTE_H
#define CUPPING_ANALYSIS_METRICS_LOSSES_WASTE_H

#include "analysis/profile/profile.h"

struct cup_totals;

struct cup_waste {
    uint64_t tasks, wall_ns, cpu_ns, read_bytes;
};

/* If two attempts at one key succeed, the later one is used: Dask computes a key again only if it
 * has lost the first result. */
struct cup_waste_reasons {
    struct cup_waste failed; /* erred */
    /* Chunks that succeeded and were computed again although their worker was still there. Usually
     * another worker was lost, with what had been made of the result. */
    struct cup_waste retried;
    struct cup_waste lost;   /* succeeded; its worker was lost, and another computed it again */
    struct cup_waste killed; /* never ended. wall_ns is up to the last sign of the process; cpu_ns
                                is 0, because a thread's clock is read when its task ends */
};

/* Adds a task that failed or never ended. */
void cup_waste_add_failure(struct cup_waste_reasons *reasons, const struct cup_profile *profile,
                           const struct cup_task *task);

/* Adds tasks that succeeded and were computed again. Needs totals->outcomes. Returns 0, or -1
 * without memory. */
int cup_waste_add_done_again(struct cup_waste_reasons *reasons, const struct cup_totals *totals);

/* All reasons together. */
struct cup_waste cup_waste_sum(const struct cup_waste_reasons *reasons);

#endif
