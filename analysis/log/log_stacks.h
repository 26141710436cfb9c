/* CODE, MODULE, STACKS, STACK_USE and CPU_SAMPLES records: their parts, checked. See log_format.h.
 */
#ifndef CUPPING_ANALYSIS_LOG_LOG_STACKS_H
#define CUPPING_ANALYSIS_LOG_LOG_STACKS_H

#include "analysis/base/intern.h"
#include "analysis/log/line_table.h"
#include "analysis/log/log_reader.h"

/* An amount of a sound row is below this: sums of very many still fit. */
#define CUP_STACK_VALUE_LIMIT (UINT64_C(1) << 53)

/* The parts of a CODE record, which stays where it is; what its tail lacks is empty. */
struct cup_code {
    struct cup_r_code fixed;
    struct cup_text name;
    struct cup_line_table lines;
};
void cup_code_read(struct cup_code *code, const struct cup_record *record);

/* The parts of a MODULE record, likewise. */
struct cup_module_written {
    struct cup_r_module fixed;
    struct cup_text build_id;
};
void cup_module_read(struct cup_module_written *module, const struct cup_record *record);

/* How many nodes a STACKS record really holds; the i-th of them. */
uint32_t cup_stack_node_count(const struct cup_record *record);
struct cup_stack_node cup_stack_node_at(const struct cup_record *record, uint32_t i);

struct cup_stack_use_row {
    uint32_t node; /* 0: not known */
    uint32_t use;  /* enum cup_stack_use, or one that only newer writers use */
    uint64_t count, bytes, ns;
};

/* The rows of one STACK_USE record, from first to last. */
struct cup_stack_use_reader {
    struct cup_r_stack_use fixed;
    struct cup_stack_use_row row; /* the last one that was handed out */
    uint32_t count;               /* of those */
    bool damaged;                 /* rows are missing: cut, impossible, or not as many as told */

    const unsigned char *at, *end; /* the iterator's own */
};

/* The record stays where it is until the last row was handed out. */
void cup_stack_use_start(struct cup_stack_use_reader *reader, const struct cup_record *record);

/* The next one into reader->row; false after the last sound one: then `damaged` is settled. */
bool cup_stack_use_next(struct cup_stack_use_reader *reader);

/* A thread, found alike by one or more samples of CPU_SAMPLES. */
struct cup_cpu_row {
    int64_t start_ns, stop_ns; /* of the first and of the last sample, since the epoch, to within
                                  CUP_CPU_SAMPLES_NS */
    uint64_t samples;          /* at least one */
    uint32_t task;             /* 0: no task is known */
    uint32_t node;             /* 0: the stack is not known */
    bool on_core;
};

/* The rows of one CPU_SAMPLES record, in the order of time. */
struct cup_cpu_reader {
    struct cup_r_cpu_samples fixed;
    int64_t period_ns;      /* mean time between two samples of a thread */
    struct cup_cpu_row row; /* the last one that was handed out */
    uint32_t count;         /* of those */
    bool damaged;           /* as of uses */

    uint64_t units; /* the iterator's own: time of the last sample since start_ns */
    const unsigned char *at, *end;
};

/* The record stays where it is until the last row was handed out. */
void cup_cpu_start(struct cup_cpu_reader *reader, const struct cup_record *record);

/* The next one into reader->row; false after the last sound one: then `damaged` is settled. */
bool cup_cpu_next(struct cup_cpu_reader *reader);

/* "cpu", "read"; NULL for uses of newer writers. */
const char *cup_stack_use_name(uint32_t use);

#endif
