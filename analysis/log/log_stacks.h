/* Reads CODE, MODULE, STACKS, NODES, STACK_USE and CPU_SAMPLES records, and checks them. See
 * log_format.h.
 */
#pragma once

#include "analysis/base/intern.h"
#include "analysis/log/line_table.h"
#include "analysis/log/log_reader.h"
#include "include/stack_use_rows.h"

/* Amounts in sound rows are below this limit, so that sums over many rows do not overflow. */
#define CUP_STACK_VALUE_LIMIT (UINT64_C(1) << 53)

/* The parts of a CODE record, which must stay valid. Parts that the tail does not have are empty.
 */
struct cup_code {
    struct cup_r_code fixed;
    struct cup_text name;
    struct cup_line_table lines;
};
void cup_code_read(struct cup_code *code, const struct cup_record *record);

/* The parts of a MODULE record, which must stay valid. */
struct cup_module_written {
    struct cup_r_module fixed;
    struct cup_text build_id;
};
void cup_module_read(struct cup_module_written *module, const struct cup_record *record);

/* Iterates over the nodes of one STACKS or NODES record. */
struct cup_nodes_reader {
    struct cup_stack_node node; /* the current one */
    uint32_t id;                /* its number */
    bool damaged;               /* nodes are missing */

    /* private */
    bool packed;
    uint32_t left;
    const unsigned char *at, *end;
};

/* The record must stay valid until the last node was read. */
void cup_nodes_start(struct cup_nodes_reader *reader, const struct cup_record *record);

/* Reads the next node, whose parent may be any number. False after the last one; then `damaged` is
 * final. */
bool cup_nodes_next(struct cup_nodes_reader *reader);

/* Iterates over the rows of one STACK_USE record. */
struct cup_stack_use_reader {
    struct cup_r_stack_use fixed; /* its `rows` without CUP_USE_ROWS_SHORT */
    struct cup_stack_use_row row; /* the current one */
    uint32_t count;               /* rows read so far */
    bool damaged; /* rows are missing: cut, impossible, or fewer than the record says */

    bool is_short; /* private, as are the next two */
    const unsigned char *at, *end;
};

/* The record must stay valid until the last row was read. */
void cup_stack_use_start(struct cup_stack_use_reader *reader, const struct cup_record *record);

/* Reads the next row into reader->row. False after the last sound row; then `damaged` is final. */
bool cup_stack_use_next(struct cup_stack_use_reader *reader);

/* One or more successive samples that found a thread in the same state. */
struct cup_cpu_row {
    int64_t start_ns,
        stop_ns;      /* first and last sample, since the epoch, accurate to CUP_CPU_SAMPLES_NS */
    uint64_t samples; /* at least one */
    uint32_t task;    /* 0: no task is known */
    uint32_t node;    /* 0: the stack is not known */
    bool on_core;
};

/* Iterates over the rows of one CPU_SAMPLES record, in the order of time. */
struct cup_cpu_reader {
    struct cup_r_cpu_samples fixed;
    int64_t period_ns;      /* mean time between two samples of a thread */
    struct cup_cpu_row row; /* the current one */
    uint32_t count;         /* rows read so far */
    bool damaged;           /* rows are missing, as in struct cup_stack_use_reader */

    /* private: time of the last sample, in units of CUP_CPU_SAMPLES_NS from start_ns. */
    uint64_t units;
    const unsigned char *at, *end;
};

/* The record must stay valid until the last row was read. */
void cup_cpu_start(struct cup_cpu_reader *reader, const struct cup_record *record);

/* Reads the next row into reader->row. False after the last sound row; then `damaged` is final. */
bool cup_cpu_next(struct cup_cpu_reader *reader);

/* "cpu", "read", ...; NULL for uses that only newer versions know. */
const char *cup_stack_use_name(uint32_t use);
