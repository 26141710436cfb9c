/* Sections and values that the program named itself (include/cupping.h): sums over all tasks, and
 * what each task had of them. */
#ifndef CUPPING_ANALYSIS_PROFILE_SECTIONS_H
#define CUPPING_ANALYSIS_PROFILE_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "include/log_format.h"

/* One name within another one, in the tasks of one prefix. */
struct cup_section {
    uint32_t name, parent; /* strings; parent 0: none */
    uint32_t prefix;       /* index in prefixes; CUP_NO_PREFIX: outside of any task */
    uint32_t next;         /* index + 1 of the one with the same names and another prefix */
    uint32_t tasks;        /* that were in it; of those left out of the rows each record counts */
    uint64_t values[CUP_SECTION_VALUE_COUNT];
};

/* Of one task. */
struct cup_section_row {
    uint32_t section; /* index */
    uint32_t task;    /* index + 1; 0: no task */
    uint64_t entries;
    uint64_t wall_ns, cpu_ns; /* cpu_ns: with that of helpers, as far as it is known */
    uint64_t read_bytes;      /* of files and sockets */
    uint64_t alloc_bytes, peak_bytes;
};

/* Likewise of values. */
struct cup_named_value {
    uint32_t name, prefix;
    uint32_t next;
    uint32_t tasks;
    uint64_t count;
    double sum, least, most;
};

struct cup_value_row {
    uint32_t value; /* index in named_values */
    uint32_t task;  /* index + 1; 0: no task */
    uint64_t count;
    double sum, last;
};

/* Rows of either kind beyond that many are left out, and counted: sums have them all. */
enum { CUP_SECTION_ROWS_MOST = 1 << 20 };

struct cup_builder;

/* What one record holds, of TASK (index + 1, or 0). NAME and PARENT are strings of the profile. */
void cup_builder_section(struct cup_builder *builder, uint32_t name, uint32_t parent,
                         uint32_t prefix, uint32_t task,
                         const uint64_t values[CUP_SECTION_VALUE_COUNT]);
void cup_builder_named_value(struct cup_builder *builder, uint32_t name, uint32_t prefix,
                             uint32_t task, const struct cup_r_value *told);

/* The entry of those names and prefix: index + 1, made at need with no values; 0 without memory.
 */
uint32_t cup_builder_section_of(struct cup_builder *builder, uint32_t name, uint32_t parent,
                                uint32_t prefix);
uint32_t cup_builder_value_of(struct cup_builder *builder, uint32_t name, uint32_t prefix);

/* Adds values of either kind: sums, and the largest of those that are no sums. */
void cup_section_add(uint64_t *to, const uint64_t *values);

#endif
