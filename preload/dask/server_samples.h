/* Samples of Dask's own state, taken at intervals by the server's tick: of every worker in a
 * scheduler, of itself in a worker. With the GIL held, on the server's event loop. */
#ifndef CUPPING_PRELOAD_DASK_SERVER_SAMPLES_H
#define CUPPING_PRELOAD_DASK_SERVER_SAMPLES_H

#include "include/log_format.h"
#include "preload/python/python.h"

#include <stdbool.h>
#include <stdint.h>

enum { CUP_SAMPLES_SERVERS = 64 }; /* in one process */

/* 0: none are taken. Called once, before any tick. */
void cup_samples_every(int64_t interval_ns);
bool cup_samples_wanted(void);

/* A tick on this thread; true if a sample is due. Cheap. */
bool cup_samples_due(int64_t now_ns);

/* The tick of a server, whose SERVER record has this ID (1, 2, ...). */
void cup_samples_tick(cup_object *server, uint32_t id, enum cup_role role, int64_t now_ns);

/* In a forked child. */
void cup_samples_reset(void);

#endif
