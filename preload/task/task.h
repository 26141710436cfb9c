/* A task of this process begins and ends: writes its records, opens and closes its counter block,
 * and sets the thread's state. All functions need the guard and may change errno. Those that begin
 * or end a task of the calling thread need the GIL, because its context names the task. */
#pragma once

#include "include/log_format.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"

#include <stdint.h>

/* A task begins. BEGIN states what is known of it: prefix, server, span, span_id (0: not known),
 * run_id (-1: not known), origin, start_ns and the length of its KEY. CPU_NS: the thread's CPU time
 * when it began. The calling thread runs the task from now on, unless its origin is
 * CUP_ORIGIN_ASYNC: what is done for an async task is attributed by its context. Returns the task's
 * number (never 0). */
uint32_t cup_task_begin(struct cup_r_task_begin begin, const char *key, uint64_t cpu_ns);

/* An async task ends at STOP_NS (CLOCK_REALTIME). Does nothing if TASK does not run. */
void cup_task_end_async(uint32_t task, enum cup_task_status status, int64_t stop_ns,
                        uint64_t result_bytes, uint32_t error);

/* The calling thread's task ends, if it runs one. RESULT_BYTES: CUP_UNKNOWN64 if not known. ERROR:
 * a string id; 0: none. Returns what was recorded; its task is 0 if the thread runs none. */
struct cup_r_task_end cup_task_end(enum cup_task_status status, struct cup_moment stop,
                                   uint64_t result_bytes, uint32_t error);

/* END, which cup_task_end() returned, with what is known by now. It replaces the first one. */
void cup_task_end_again(const struct cup_r_task_end *end);

/* The prefix of the task that the calling thread runs, or ran last: a string id. */
uint32_t cup_task_prefix(void);

/* Coffea read the clock right before process() (tic), or right after it (toc). Toc writes the CHUNK
 * record. */
void cup_task_tic(struct cup_moment now);
void cup_task_toc(struct cup_moment now);

/* At the end of the calling thread's task: it called process() once, which did not return. It
 * failed, and perhaps Coffea skips that chunk (skipbadfiles). If there were several calls (a Runner
 * inside of the task), the others may have been good. */
bool cup_task_failed_in_process(void);

/* Resident set of the process in bytes, measured at most half a millisecond ago; CUP_UNKNOWN64:
 * /proc cannot be read. */
uint64_t cup_task_rss(void);

/* A row of the lifecycle table. */
void cup_task_log_opened(enum cup_log_size size);
