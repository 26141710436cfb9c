/* The baskets that uproot is about to read. All reading of TTrees goes through one function of
 * uproot, _ranges_or_baskets_to_arrays, whose arguments include the list of baskets. The function
 * begins by creating a queue.Queue, and with it a lock. The hook of that lock's creation reads the
 * list: on the task's own thread, with the GIL, before any byte is read. From CPython 3.14 on locks
 * are not seen; there the interpreter calls the library when the function begins
 * (preload/python/monitored.h). See docs/baskets.md. */
#pragma once

#include "preload/python/frames.h"

#include <stdint.h>

/* The calling thread, which works for TASK, has created a lock: if it is that one, records the
 * list. Keeps errno. */
void cup_requested_baskets_lock(uint32_t task);

/* The function that reads baskets begins; FRAME is its frame. */
void cup_requested_baskets_begin(struct cup_frame frame);

/* The calling process works with uproot: from now on, baskets that are read without a request are
 * known to be unrequested. Needs the GIL. */
void cup_requested_baskets_expect(void);

/* A new log, or a forked child: no tree is described yet. */
void cup_requested_baskets_reset(void);
