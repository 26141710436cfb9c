/* Dask's servers of this process: schedulers, workers and nannies. Each gets one SERVER record, and
 * its ticks show that it lives. A notebook may make and close hundreds of them, so a server takes
 * the place of one that is gone. All functions are called with the guard, and with the GIL unless
 * stated. */
#pragma once

#include "preload/dask/server_slot.h"
#include "preload/python/frames.h"
#include "preload/python/python.h"

#include <stdbool.h>
#include <stdint.h>

/* The id of SERVER's SERVER record, which is written on the first call; 0: the server has no
 * address yet, or CUP_SERVERS others live. */
uint32_t cup_server_find(cup_object *server);

/* The part of WORKER (NULL: none) that has the attributes of a subject: an object NAME of its own,
 * or, in older releases, the worker itself. A new reference. */
cup_object *cup_server_part(cup_object *worker, const char *name);

/* A worker registers with the scheduler, on its event loop: the log opens, although the loop may be
 * blocked for seconds before the first tick. TOP: the frame that read the clock. */
void cup_server_registers(struct cup_frame top);

/* A server's _measure_tick read the clock, on its event loop. */
void cup_server_tick(struct cup_frame top, int64_t now_ns);

/* True if this tick is worth reading: a sample is due, or the thread may have a new server. Cheap;
 * needs no GIL. */
bool cup_server_tick_wanted(int64_t now_ns);

/* Called in a forked child: its log has no server yet, and no server is sampled. */
void cup_servers_reset(void);
