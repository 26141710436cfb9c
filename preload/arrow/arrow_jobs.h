/* Jobs of Arrow's pools of threads (libarrow, C++; pyarrow reads Parquet and S3 with them). Any of
 * a pool's threads runs any job, for all tasks. The thread that hands a job to the pool works for
 * a task, or runs a job for one; the new job is for the same task (method HANDOFF).
 *
 * A pool takes jobs by a virtual method. The library puts a function of its own into the table of
 * such methods that libarrow has in its memory. A job is a C++ object with one method, which the
 * pool calls once: it is replaced by an object of ours, which calls the method of Arrow's object.
 * See docs/contributing/attribution.md. */
#pragma once

#include "preload/log/log.h"

/* Rows of the lifecycle table.
 *
 * cup_arrow_look(): if libarrow has been loaded since the last call, its jobs are followed from now
 * on. A release older than those that were tried is left alone; a newer one, too, and a NOTE record
 * says so.
 *
 * cup_arrow_reset(): jobs that wait in the pools are for no task any more. In a forked child, the
 * parent's tasks do not run. */
void cup_arrow_look(void);
void cup_arrow_log_opened(enum cup_log_size size);
void cup_arrow_reset(void);
