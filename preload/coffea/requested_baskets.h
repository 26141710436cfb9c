/* What uproot asks for. All reading of TTrees goes through one function of its, which is handed a
 * list of the baskets to be read, and begins with making a queue: its lock is our chance to look
 * into the list, on the task's own thread, before any byte is read. See docs/baskets.md. */
#ifndef CUPPING_PRELOAD_COFFEA_REQUESTED_BASKETS_H
#define CUPPING_PRELOAD_COFFEA_REQUESTED_BASKETS_H

#include <stdint.h>

/* The calling thread, which works for TASK, made a lock: looks whether it is that one. Keeps errno.
 */
void cup_requested_baskets_lock(uint32_t task);

/* A new log, or a forked child. */
void cup_requested_baskets_reset(void);

#endif
