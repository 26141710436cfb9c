/* Sums over tasks: of all, of a prefix, of a span. */
#ifndef CUPPING_ANALYSIS_METRICS_SUMS_TASK_SUMS_H
#define CUPPING_ANALYSIS_METRICS_SUMS_TASK_SUMS_H

#include "analysis/profile/profile.h"

struct cup_task_sums {
    uint64_t tasks, finished, erred, unfinished;
    uint64_t wall_ns, cpu_ns; /* of ended tasks */
    uint64_t without_cpu;     /* ended tasks whose CPU time is not known: async ones */
    uint64_t with_cpu_ns;     /* wall time of the others */
    uint64_t read_bytes, child_read_bytes, result_bytes;
};

void cup_task_sums_add(struct cup_task_sums *sums, const struct cup_task *task);

/* True if some of the tasks have a CPU clock of their own. */
static inline bool cup_sums_have_cpu(const struct cup_task_sums *sums)
{
    return sums->finished + sums->erred > sums->without_cpu;
}

#endif
