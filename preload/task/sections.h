/* Policy of sections and values that a program names itself: see cupping.h. What a task did in a
 * section is the difference of its counters, those of its helpers too, between begin and end; sums
 * are kept by task, name and the section around it, and written as SECTION and VALUE records.
 *
 * All need the guard, and an open log; they keep errno. */
#ifndef CUPPING_PRELOAD_TASK_SECTIONS_H
#define CUPPING_PRELOAD_TASK_SECTIONS_H

#include "include/log_format.h"

/* The calling thread enters section NAME. Returns what ends it, never 0; 0: no room (counted). */
uint32_t cup_section_begin(const char *name);

/* It leaves one; 0: the one that it entered last, if there is any. One that has ended already, or
 * is another thread's, is passed by. */
void cup_section_end(uint32_t section);

void cup_section_value(const char *name, double value);

/* The task ends, on the thread that ran it if any did, and its counters are about to be closed: its
 * sections end with it, and its sums are written. */
void cup_sections_task_ends(uint32_t task);

/* The calling thread ends. */
void cup_sections_thread_ends(void);

/* The process ends: all sums that are left are written. */
void cup_sections_flush(void);

/* When a log is opened, and in a forked child: there are none. */
void cup_sections_reset(void);

#endif
