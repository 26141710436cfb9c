/* The roof: the library is loaded, with its settings from the environment; the process forks, and
 * ends. */
#ifndef CUPPING_PRELOAD_PROCESS_H
#define CUPPING_PRELOAD_PROCESS_H

#include "preload/log/log.h"

/* A row of the lifecycle table: facts about the process and its machine go into the log. */
void cup_process_log_opened(enum cup_log_size size);

#endif
