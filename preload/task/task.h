/* A task of this process begins and ends: writes its records, opens and closes its counter block,
 * and sets the thread's state. All functions need the guard and may change errno. Those that begin
 * or end a task of the calling thread need the GIL, because its context names the task. */
#ifndef CUPPING_PRELOAD_TASK_TASK_H
#define CUPPING_PRELOAD_TASK_TASK_H

#include "include/log_format.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"

#include <stddef.h>
#include <stdint.h>

struct cup_task_info {
    const char *key;
    size_t key_bytes;
    uint32_t prefix, server, span, span_id; /* ids in the log; 0: not known */
    enum cup_task_origin origin;
    int64_t run_id; /* -1: not known */
    struct cup_moment start;
};

/* The calling thread runs a task from now on. Returns the task's number (never 0). */
uint32_t cup_task_begin(const struct cup_task_info *info);

/* An async task begins. No thread runs it: what is done for it is attributed by its context.
 * Returns its number (never 0). */
uint32_t cup_task_begin_async(const struct cup_task_info *info);

/* An async task ends at STOP_NS (CLOCK_REALTIME). Does nothing if TASK does not run. */
void cup_task_end_async(uint32_t task, enum cup_task_status status, int64_t stop_ns,
                        uint64_t result_bytes, uint32_t error);

/* The calling thread's task ends, if it runs one. RESULT_BYTES: CUP_UNKNOWN64 if not known. ERROR:
 * a string id; 0: none. */
void cup_task_end(enum cup_task_status status, struct cup_moment stop, uint64_t result_bytes,
                  uint32_t error);

/* The prefix of the task that the calling thread runs, or ran last: a string id. */
uint32_t cup_task_prefix(void);

/* Coffea read the clock right before process() (tic), or right after it (toc). Toc writes the CHUNK
 * record. */
void cup_task_tic(struct cup_moment now);
void cup_task_toc(struct cup_moment now);

/* Resident set of the process in bytes, measured at most half a millisecond ago; CUP_UNKNOWN64:
 * /proc cannot be read. */
uint64_t cup_task_rss(void);

/* A row of the lifecycle table. */
void cup_task_log_opened(enum cup_log_size size);

#endif
