/* CODE, MODULE, STACKS and STACK_USE records: their parts, checked. See log_format.h. */
#ifndef CUPPING_LOG_STACKS_H
#define CUPPING_LOG_STACKS_H

#include "analysis/base/intern.h"
#include "analysis/log/line_table.h"
#include "analysis/log/log_reader.h"

/* An amount of a sound row is below this: sums of very many still fit. */
#define CUP_STACK_VALUE_LIMIT (UINT64_C(1) << 53)

/* The parts of a CODE record, which stays where it is; what its tail lacks is empty. */
struct cup_code {
    struct cup_r_code told;
    struct cup_text name;
    struct cup_line_table lines;
};
void cup_code_read(struct cup_code *code, const struct cup_record *record);

/* The parts of a MODULE record, likewise. */
struct cup_module_told {
    struct cup_r_module told;
    struct cup_text build_id;
};
void cup_module_read(struct cup_module_told *module, const struct cup_record *record);

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
    struct cup_r_stack_use told;
    struct cup_stack_use_row row; /* the last one that was handed out */
    uint32_t count;               /* of those */
    bool damaged;                 /* rows are missing: cut, impossible, or not as many as told */

    const unsigned char *at, *end; /* the iterator's own */
};

/* The record stays where it is until the last row was handed out. */
void cup_stack_use_start(struct cup_stack_use_reader *reader, const struct cup_record *record);

/* The next one into reader->row; false after the last sound one: then `damaged` is settled. */
bool cup_stack_use_next(struct cup_stack_use_reader *reader);

/* "cpu", "read"; NULL for uses of newer writers. */
const char *cup_stack_use_name(uint32_t use);

#endif
