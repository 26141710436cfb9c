/* What the tasks assigned to a worker would take, as Dask's `WorkerState.occupancy` has it: that is
 * a Python property, this asks the same dicts and slots without running Python code. With the GIL.
 */
#ifndef CUPPING_PRELOAD_DASK_OCCUPANCY_H
#define CUPPING_PRELOAD_DASK_OCCUPANCY_H

#include "preload/python/python.h"

#include <stdint.h>

enum { CUP_OCCUPANCY_PREFIXES = 64 };

/* Of one sample of a scheduler. */
struct cup_occupancy {
    struct {
        cup_object *name;  /* a reference is held: nobody else gets its address meanwhile */
        double duration_s; /* that Dask expects of a task */
    } prefixes[CUP_OCCUPANCY_PREFIXES];
    int count;        /* prefixes with tasks on workers; -1: too many, or not known */
    double bandwidth; /* bytes/s between workers */
};

/* May run Python code in a Dask to come, unlike the following. */
void cup_occupancy_begin(struct cup_occupancy *occupancy, cup_object *scheduler);
void cup_occupancy_end(struct cup_occupancy *occupancy);

/* In nanoseconds; CUP_UNKNOWN64 if it is not known. What is borrowed of a worker: its count of
 * tasks by prefix, what they still have to receive, and the value that Dask keeps while it
 * rebalances; each may be NULL. */
uint64_t cup_occupancy_of(const struct cup_occupancy *occupancy, cup_object *prefix_count,
                          cup_object *network_bytes, cup_object *kept);

#endif
