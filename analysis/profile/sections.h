/* Sections and values that the program named (include/cupping.h): sums over all tasks, and a row
 * for each task. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "include/log_format.h"

/* Sums of a section inside a parent, over the tasks of one prefix. */
struct cup_section {
    uint32_t name, parent; /* strings; parent 0: none */
    uint32_t prefix;       /* index in prefixes; CUP_NO_PREFIX: outside of any task */
    uint32_t next;         /* index + 1 of the section with the same names and another prefix */
    uint32_t tasks;        /* that entered it */
    uint64_t values[CUP_SECTION_VALUE_COUNT];
};

/* Sums of a section for one task. */
struct cup_section_row {
    uint32_t section; /* index */
    uint32_t task;    /* index + 1; 0: no task */
    uint64_t entries;
    uint64_t wall_ns, cpu_ns; /* cpu_ns includes helpers, if their CPU time is known */
    uint64_t read_bytes;      /* from files and sockets */
    uint64_t alloc_bytes, peak_bytes;
};

/* Sums of the numbers of one name, over the tasks of one prefix. */
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

/* The profile holds at most so many section rows, and as many value rows. Further rows are left
 * out and counted in section_rows_left_out; the sums include them. */
enum { CUP_SECTION_ROWS_MOST = 1 << 20 };

struct cup_builder;

/* Adds a record of TASK (index + 1, or 0). NAME and PARENT are strings of the profile. */
void cup_builder_section(struct cup_builder *builder, uint32_t name, uint32_t parent,
                         uint32_t prefix, uint32_t task,
                         const uint64_t values[CUP_SECTION_VALUE_COUNT]);
void cup_builder_named_value(struct cup_builder *builder, uint32_t name, uint32_t prefix,
                             uint32_t task, const struct cup_r_value *record);

/* Index + 1 of the section with these names and prefix, which is added if it is new; 0 without
 * memory. */
uint32_t cup_builder_section_of(struct cup_builder *builder, uint32_t name, uint32_t parent,
                                uint32_t prefix);
uint32_t cup_builder_value_of(struct cup_builder *builder, uint32_t name, uint32_t prefix);

/* Adds values to sums; of values of kind LARGEST the larger one is kept. */
void cup_section_add(uint64_t *to, const uint64_t *values);

void cup_named_value_add(struct cup_named_value *to, const struct cup_named_value *more);
