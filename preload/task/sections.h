/* Sections and values that a program names itself: see cupping.h. What a task did in a section is
 * the difference of its counters, and of its helpers' counters, between begin and end of the
 * section. The differences are added up by task, name and enclosing section, and written as SECTION
 * and VALUE records.
 *
 * All functions need the guard and an open log, but may be called without the GIL; errno is not
 * kept. */
#pragma once

#include "include/log_format.h"

#include <stdbool.h>

/* Number of a section for which there was no room (counted). */
#define CUP_SECTION_DROPPED UINT32_MAX

/* The calling thread enters section NAME. Returns the number to pass to cup_section_end(). */
uint32_t cup_section_begin(const char *name);

/* The calling thread leaves SECTION, a number that cup_section_begin() returned; 0: the section
 * that it entered last, first those without room. Does nothing if the section has ended already or
 * is another thread's. */
void cup_section_end(uint32_t section);

/* The calling thread is in a section, or in one without room. Needs no guard, and no log. */
bool cup_section_any(void);

/* Records VALUE under NAME for the task that the calling thread works for. NaN is dropped
 * (counted). */
void cup_section_value(const char *name, double value);

/* Rows of the lifecycle table. Sections end with their task, or with the thread that entered them.
 * A task's sums are written when it ends, all others when the process ends. */
void cup_sections_reset(void);
void cup_sections_task_ends(uint32_t task, uint64_t cpu_ns);
void cup_sections_thread_settles(void);
void cup_sections_process_ends(void);
