/* The files that each task looks up (stat). Pools of native threads (pyarrow's) open files long
 * after the task looked them up. If only one running task looked a file up, it is opened for that
 * task. */
#ifndef CUPPING_PRELOAD_ATTRIBUTION_LOOKED_UP_PATHS_H
#define CUPPING_PRELOAD_ATTRIBUTION_LOOKED_UP_PATHS_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread looks PATH up, or opens it. NULL is allowed. Keeps errno. */
void cup_path_used(const char *path);

/* The task for which the calling thread, which carries none, opens PATH; 0: not known. */
uint32_t cup_path_task(const char *path);

/* TASK looked PATH up or opened it, or several tasks did. Paths are compared as text: the same file
 * under another name is another one. */
bool cup_path_was_used(const char *path, uint32_t task);

#endif
