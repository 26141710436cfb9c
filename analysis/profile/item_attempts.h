/* Without Dask, an item of Coffea that another process tries again. */
#pragma once

#include "analysis/profile/profile.h"

/* Gives the attempts at an item the same key_hash. Keys that cupping makes without Dask do not
 * identify a task across processes, because every call of a Runner works on the same items. But if
 * a task failed or never ended, and later in the same call a task of another process works on the
 * same item, that is the next attempt: of Parsl, for instance, whose worker was killed.
 *
 * Needs all tasks and items, and the runs in their order. Returns 0, or -1 without memory. */
int cup_item_attempts_link(struct cup_profile *profile);
