/* Makes the totals of a run: the sums, and what every room of metrics/ computes from them. Includes
 * the headers of all these rooms. */
#pragma once

#include "analysis/metrics/chunks/chunk_fits.h"
#include "analysis/metrics/dask/coffea_file.h"
#include "analysis/metrics/dask/fine.h"
#include "analysis/metrics/losses/completeness.h"
#include "analysis/metrics/losses/losses.h"
#include "analysis/metrics/reads/branches.h"
#include "analysis/metrics/sums/sums.h"
#include "analysis/metrics/time/merge.h"
#include "analysis/metrics/time/stages.h"
#include "analysis/metrics/workers/hosts.h"
#include "analysis/metrics/workers/kernel_check.h"
#include "analysis/metrics/workers/observed.h"

/* Returns 0; or -1 without memory, with nothing to free. The profile must outlive the totals. */
int cup_totals_make(struct cup_totals *totals, const struct cup_profile *profile);
void cup_totals_free(struct cup_totals *totals);

/* Replaces the profile's own samples of workers by those of a file, which must outlive the totals.
 * Returns 0, or -1 without memory. */
int cup_totals_use_samples(struct cup_totals *totals, const struct cup_samples_file *file);

/* True if the times of all tasks of all workers are known, from their logs. */
static inline bool cup_tasks_known(const struct cup_totals *totals)
{
    return totals->workers > 0 && !totals->tasks_lost && cup_workers_all_logged(totals->observed);
}

/* The time of the run, as a window for samples; 0 to 0, which means all samples, if there are no
 * tasks. */
static inline struct cup_window cup_run_window(const struct cup_totals *totals)
{
    return (struct cup_window){totals->run.start_ns, totals->run.stop_ns};
}
