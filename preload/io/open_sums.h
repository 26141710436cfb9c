/* Opens at one place by one task that ended alike, summed up and written as OPENS records: when the
 * task ends, and every few seconds while it opens. A process that is killed loses those of its
 * running tasks that were not written yet. All functions: any thread, guard held. */
#pragma once

#include "include/log_format.h"

#include <stdint.h>

/* Adds an open that ended at NOW (ticks), as an OPEN record would say it; `path` is its place. */
void cup_open_sums_add(const struct cup_r_open *open, uint64_t now);

/* Rows of the lifecycle table. */
void cup_open_sums_reset(void);
void cup_open_sums_task_ended(uint32_t task);
void cup_open_sums_process_ends(void);
