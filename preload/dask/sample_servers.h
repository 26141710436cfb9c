/* The two kinds of samples. With the GIL, on the server's event loop. */
#ifndef CUPPING_PRELOAD_DASK_SAMPLE_SERVERS_H
#define CUPPING_PRELOAD_DASK_SAMPLE_SERVERS_H

#include "preload/dask/sample_record.h"

/* A scheduler, and all its workers as it sees them. */
void cup_sample_scheduler(cup_object *scheduler, struct cup_sampling *sampling);

/* A worker, by itself. */
void cup_sample_worker(cup_object *worker, struct cup_sampling *sampling);

/* In a forked child. */
void cup_sample_scheduler_reset(void);
void cup_sample_worker_reset(void);

#endif
