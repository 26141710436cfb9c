/* Finds tasks that have the key of an earlier one, but are no further attempts at its result. Dask
 * gives the same key to the same work, so a graph that is computed twice (`x.compute()` again in a
 * notebook, `client.map` of the same files) has the same keys twice. Within one computation, a task
 * that had succeeded runs again only if its result was lost. */
#pragma once

#include "analysis/profile/profile.h"

/* Gives a task another key_hash than an earlier one of its key that had succeeded, unless the
 * result may have been lost: a worker ended between the two, and neither a scheduler nor a client
 * began. Keys stay as they are for tasks that started within a Runner's call, because Coffea names
 * each chunk of a call differently, and in profiles with tasks that a merge summed up, because it
 * is not known when these ran.
 *
 * Needs all tasks, the life of the processes, and the runs in their order. Returns 0, or -1 without
 * memory. */
int cup_computations_separate(struct cup_profile *profile);
