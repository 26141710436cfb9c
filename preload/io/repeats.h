/* What tasks try again: requests that failed before, and connections to servers. Task 0 stands for
 * all that is attributed to no task. All functions: any thread; they keep errno, and take no other
 * lock. If a table is full, its oldest entries make room, so that some repeats are not counted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A request of TASK for KEY (0: not known what it asks for) has ended; FAILED: without success.
 * Returns true if the task's last request for KEY failed. */
bool cup_repeats_request(uint32_t task, uint32_t key, bool failed);

/* TASK has connected to a server, the FILE record PEER. Returns true if this is a
 * reconnection: TASK had at least as many connections to PEER open at once before, so this one
 * replaces one that ended. */
bool cup_repeats_connection(uint32_t task, uint32_t peer);

/* Such a connection has ended. */
void cup_repeats_disconnected(uint32_t task, uint32_t peer);

/* Functions of the lifecycle table: reset, and TASK has ended. */
void cup_repeats_reset(void);
void cup_repeats_task_ended(uint32_t task);
