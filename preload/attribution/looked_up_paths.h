/* The files that a task looks up (stat). Pools of native threads (pyarrow's) open files long after
 * the task looked them up: a file that only one running task looked up is opened for that task. */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_LOOKED_UP_PATHS_H
#define CUPPING_PRELOAD_ATTRIBUTION_LOOKED_UP_PATHS_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread looks PATH up, or opens it. NULL is allowed. Keeps errno. */
void cup_path_used(const char *path);

/* The task for which the calling thread, which carries none, opens PATH; 0: not known. */
uint32_t cup_path_task(const char *path);

/* TASK looked PATH up, or several tasks did. The same file under another name does not count. */
bool cup_path_was_used(const char *path, uint32_t task);

#endif
