#include "analysis/log/log_stacks.h"

#include "analysis/log/log_number.h"
#include "include/log_pairs.h"

void cup_code_read(struct cup_code *code, const struct cup_record *record)
{
    *code = (struct cup_code){.fixed = cup_read_code(record)};
    const unsigned char *tail = cup_record_tail(record);
    size_t left = cup_record_tail_bytes(record);
    size_t name = code->fixed.name_bytes < left ? code->fixed.name_bytes : left;
    size_t table = code->fixed.table_bytes < left - name ? code->fixed.table_bytes : left - name;
    code->name = (struct cup_text){(const char *)tail, name};
    code->lines = (struct cup_line_table){.bytes = tail + name,
                                          .size = table,
                                          .minor = code->fixed.minor,
                                          .first_line = code->fixed.first_line};
}

void cup_module_read(struct cup_module_written *module, const struct cup_record *record)
{
    *module = (struct cup_module_written){.fixed = cup_read_module(record)};
    module->build_id = cup_record_text(record, module->fixed.build_id_bytes);
}

/* ---- nodes -------------------------------------------------------------------------------- */

void cup_nodes_start(struct cup_nodes_reader *reader, const struct cup_record *record)
{
    struct cup_r_nodes fixed = cup_read_nodes(record); /* that of STACKS is the same */
    *reader = (struct cup_nodes_reader){.packed = record->type == CUP_R_NODES,
                                        .left = fixed.count,
                                        .id = fixed.first - 1,
                                        .at = cup_record_tail(record)};
    reader->end = reader->at + cup_record_tail_bytes(record);
}

static bool take_plain_node(struct cup_nodes_reader *reader)
{
    if ((size_t)(reader->end - reader->at) < sizeof reader->node)
        return false;
    memcpy(&reader->node, reader->at, sizeof reader->node);
    reader->at += sizeof reader->node;
    return true;
}

static bool take_packed_node(struct cup_nodes_reader *reader)
{
    uint64_t step, of, place;
    if (!cup_number_next(&reader->at, reader->end, &step) ||
        !cup_number_next(&reader->at, reader->end, &of) ||
        !cup_number_next(&reader->at, reader->end, &place) || (step | of | place) > UINT32_MAX)
        return false;
    reader->node = (struct cup_stack_node){reader->id + 1 - (uint32_t)step,
                                           (uint32_t)(of >> 1 | of << 31), (uint32_t)place - 1};
    return true;
}

bool cup_nodes_next(struct cup_nodes_reader *reader)
{
    if (!reader->left || reader->damaged)
        return false;
    reader->damaged = reader->id >= UINT32_MAX - 1 ||
                      !(reader->packed ? take_packed_node(reader) : take_plain_node(reader));
    reader->left--;
    reader->id++;
    return !reader->damaged;
}

/* ---- rows --------------------------------------------------------------------------------- */

void cup_stack_use_start(struct cup_stack_use_reader *reader, const struct cup_record *record)
{
    *reader = (struct cup_stack_use_reader){.fixed = cup_read_stack_use(record)};
    reader->is_short = reader->fixed.rows & CUP_USE_ROWS_SHORT;
    reader->fixed.rows &= ~CUP_USE_ROWS_SHORT;
    reader->at = cup_record_tail(record);
    reader->end = reader->at + cup_record_tail_bytes(record);
}

static bool next_number(struct cup_stack_use_reader *reader, uint64_t *number)
{
    return cup_number_next(&reader->at, reader->end, number);
}

/* Reads the node and the use of a row, and *FOLLOW: which of its values follow. */
static bool take_place(struct cup_stack_use_reader *reader, uint64_t *follow)
{
    uint64_t node = 0, use = 0, head;
    bool is_same;
    *follow = CUP_USE_ROW_COUNT | CUP_USE_ROW_BYTES | CUP_USE_ROW_NS;
    if (!next_number(reader, &head))
        return false;
    is_same = reader->is_short && head & CUP_USE_ROW_SAME;
    node = is_same ? 0 : reader->is_short ? head >> 1 : head;
    use = head >> 1;
    if (!is_same && !next_number(reader, &use))
        return false;
    if (reader->is_short) {
        *follow &= use;
        use = (use >> 3) + (is_same ? reader->row.use : 0);
    }
    if (node > UINT32_MAX - reader->row.node || use > UINT32_MAX)
        return false;
    reader->row.node += (uint32_t)node;
    reader->row.use = (uint32_t)use;
    return true;
}

/* Reads a row. False at the end, or at damage. */
static bool take_row(struct cup_stack_use_reader *reader)
{
    struct cup_stack_use_row *row = &reader->row;
    uint64_t follow;
    row->count = 1;
    row->bytes = row->ns = 0;
    return take_place(reader, &follow) &&
           (!(follow & CUP_USE_ROW_COUNT) || next_number(reader, &row->count)) &&
           (!(follow & CUP_USE_ROW_BYTES) || next_number(reader, &row->bytes)) &&
           (!(follow & CUP_USE_ROW_NS) || next_number(reader, &row->ns)) &&
           row->count < CUP_STACK_VALUE_LIMIT && row->bytes < CUP_STACK_VALUE_LIMIT &&
           row->ns < CUP_STACK_VALUE_LIMIT;
}

bool cup_stack_use_next(struct cup_stack_use_reader *reader)
{
    if (reader->count < reader->fixed.rows && take_row(reader)) {
        reader->count++;
        return true;
    }
    reader->damaged = reader->count != reader->fixed.rows;
    return false;
}

/* ---- rows over time ----------------------------------------------------------------------- */

void cup_cpu_start(struct cup_cpu_reader *reader, const struct cup_record *record)
{
    *reader = (struct cup_cpu_reader){.fixed = cup_read_cpu_samples(record)};
    reader->period_ns = (int64_t)reader->fixed.period * CUP_CPU_SAMPLES_NS;
    reader->at = cup_record_tail(record);
    reader->end = reader->at + cup_record_tail_bytes(record);
}

/* Reads a number if the row has it; otherwise sets *number to 0. Returns false only at damage. */
static bool take_if(struct cup_cpu_reader *reader, bool is_there, uint64_t *number)
{
    *number = 0;
    return !is_there || cup_number_next(&reader->at, reader->end, number);
}

/* Adds a signed difference to an id. Returns false if the result does not fit. */
static bool add_difference(uint32_t *id, uint64_t difference)
{
    uint64_t value = cup_pairs_undo(difference, *id);
    *id = (uint32_t)value;
    return value <= UINT32_MAX;
}

static int64_t time_of(const struct cup_cpu_reader *reader)
{
    return (int64_t)((uint64_t)reader->fixed.start_ns + reader->units * CUP_CPU_SAMPLES_NS);
}

/* Reads a row. False at damage, such as a time years after the record's start. */
static bool take_cpu_row(struct cup_cpu_reader *reader)
{
    enum { UNITS_MOST = 1 << 30 };
    uint64_t bits, step, task, node, more, length;
    if (!take_if(reader, true, &bits) || !take_if(reader, true, &step) ||
        !take_if(reader, bits & CUP_CPU_ROW_TASK, &task) ||
        !take_if(reader, bits & CUP_CPU_ROW_NODE, &node) ||
        !take_if(reader, bits & CUP_CPU_ROW_SEVERAL, &more) ||
        !take_if(reader, bits & CUP_CPU_ROW_SEVERAL, &length))
        return false;
    struct cup_cpu_row *row = &reader->row;
    if (!add_difference(&row->task, task) || !add_difference(&row->node, node) ||
        step > UNITS_MOST || length > UNITS_MOST || reader->units > UNITS_MOST ||
        more >= CUP_STACK_VALUE_LIMIT)
        return false;
    row->on_core = bits & CUP_CPU_ROW_ON;
    row->samples = 1 + more;
    reader->units += step;
    row->start_ns = time_of(reader);
    reader->units += length;
    row->stop_ns = time_of(reader);
    return true;
}

bool cup_cpu_next(struct cup_cpu_reader *reader)
{
    if (reader->count < reader->fixed.rows && take_cpu_row(reader)) {
        reader->count++;
        return true;
    }
    reader->damaged = reader->count != reader->fixed.rows;
    return false;
}

/* ---- names -------------------------------------------------------------------------------- */

const char *cup_stack_use_name(uint32_t use)
{
    static const char *const names[] = {CUP_STACK_USES(CUP_NAME_OF)};
    return use < CUP_STACK_USE_COUNT ? names[use] : NULL;
}
