/* The files that a task looks up (stat). Pools of native threads (pyarrow's) open files long after
 * the task named them: a file that one running task alone looked up is opened for that task. */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_LOOKED_UP_PATHS_H
#define CUPPING_PRELOAD_ATTRIBUTION_LOOKED_UP_PATHS_H

#include <stdbool.h>
#include <stdint.h>

/* This thread looks PATH up, or opens it. Keeps errno. */
void cup_path_used(const char *path);

/* The task for which this thread, which carries none, opens PATH; 0: not known. */
uint32_t cup_path_task(const char *path);

/* TASK opened PATH, written just so. */
bool cup_path_was_used(const char *path, uint32_t task);

#endif
