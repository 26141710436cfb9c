/* Seconds that the tasks assigned to a worker are expected to take: Dask's WorkerState.occupancy.
 * That is a property implemented in Python; this code computes it from the same dicts and slots
 * without running Python code. All functions need the GIL. */
#ifndef CUPPING_PRELOAD_DASK_OCCUPANCY_H
#define CUPPING_PRELOAD_DASK_OCCUPANCY_H

#include "preload/python/python.h"

#include <stdint.h>

enum { CUP_OCCUPANCY_PREFIXES = 64 };

/* What occupancies are computed from, read once per sample of a scheduler. */
struct cup_occupancy {
    struct {
        cup_object *name;  /* a reference is held, so no other object can take this address */
        double duration_s; /* Dask's estimate for one task; negative: unknown */
    } prefixes[CUP_OCCUPANCY_PREFIXES];
    int count;        /* prefixes with tasks on workers; -1: too many, or unknown */
    double bandwidth; /* bytes/s between workers */
};

/* begin() may run Python code (in versions of Dask where these attributes are properties); of()
 * never does. */
void cup_occupancy_begin(struct cup_occupancy *occupancy, cup_object *scheduler);
void cup_occupancy_end(struct cup_occupancy *occupancy);

/* A worker's occupancy in nanoseconds; CUP_UNKNOWN64 if unknown. All three objects are borrowed
 * from the worker and may be NULL: its dict of tasks by prefix, the bytes that they still have to
 * receive, and the occupancy that Dask caches while it rebalances. Formula:
 * distributed/scheduler.py, SchedulerState._calc_occupancy. */
uint64_t cup_occupancy_of(const struct cup_occupancy *occupancy, cup_object *prefix_count,
                          cup_object *network_bytes, cup_object *kept);

#endif
