/* The two kinds of samples. Both need the GIL and run on the server's event loop. */
#ifndef CUPPING_PRELOAD_DASK_SAMPLE_SERVERS_H
#define CUPPING_PRELOAD_DASK_SAMPLE_SERVERS_H

#include "preload/dask/sample_record.h"

/* A scheduler, and all its workers as the scheduler sees them. */
void cup_sample_scheduler(cup_object *scheduler, struct cup_sampling *sampling);

/* A worker, as it sees itself. */
void cup_sample_worker(cup_object *worker, struct cup_sampling *sampling);

/* Called in a forked child: no worker is known, and its log has no row yet. */
void cup_sample_scheduler_reset(void);
void cup_sample_worker_reset(void);

#endif
