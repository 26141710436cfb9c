/* Finds attempts of other processes at one work item of Coffea in runs without Dask (Parsl). */
#pragma once

#include "analysis/profile/profile.h"

/* Gives all attempts at one item the same key_hash. Without Dask, cupping makes the keys itself,
 * and they do not identify an item across processes, because every call of a Runner works on the
 * same items. But if a task failed or never ended (its worker was killed), and later in the same
 * call another process runs a task on the same item, that task is the next attempt.
 *
 * Needs all tasks and items, and the runs in their order. Returns 0, or -1 without memory. */
int cup_item_attempts_link(struct cup_profile *profile);
