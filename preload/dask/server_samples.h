/* Samples of Dask's own state, taken at intervals when a server ticks: of all workers in a
 * scheduler, and of itself in a worker. The tick runs on the server's event loop, which holds the
 * GIL. */
#pragma once

#include "include/log_format.h"
#include "preload/python/python.h"
#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stdint.h>

/* Time between samples; 0: take no samples. Set once, before any tick. */
extern int64_t cup_samples_interval_ns CUP_OURS;

/* Called at each tick of the calling thread's event loop; cheap. True if a sample is due. */
bool cup_samples_due(int64_t now_ns);

/* A server ticked. ID: that of its SERVER record. Takes a sample if it is due. */
void cup_samples_tick(cup_object *server, uint32_t id, enum cup_role role, int64_t now_ns);

/* The server is gone, and another one takes its slot: drops what is known of it. False: that is in
 * use now. Needs the GIL. */
bool cup_samples_evict(uint32_t id);

/* Called in a forked child: no server is watched. Also resets digests.h, sample_rows.h
 * and sample_record.h. */
void cup_samples_reset(void);
