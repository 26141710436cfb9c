#include "cli/dump/dump_records.h"

#include <inttypes.h>

#include "analysis/log/log_stacks.h"

void cup_dump_code(FILE *out, const struct cup_record *record)
{
    struct cup_code code;
    cup_code_read(&code, record);
    const struct cup_r_code *r = &code.fixed;
    fprintf(out, " id=%" PRIu32 " file=#%" PRIu32 " first_line=%" PRIu32 " python=3.%" PRIu16,
            r->id, r->file, r->first_line, r->minor);
    fprintf(out, " table_bytes=%" PRIu32, r->table_bytes);
    cup_dump_text(out, r->is_qualified ? "qualname" : "name",
                  (const unsigned char *)code.name.bytes, code.name.length);
}

void cup_dump_module(FILE *out, const struct cup_record *record)
{
    struct cup_r_module r = cup_read_module(record);
    const unsigned char *id = cup_record_tail(record);
    size_t tail = cup_record_tail_bytes(record);
    fprintf(out, " id=%" PRIu32 " path=#%" PRIu32 " base=%#" PRIx64 " build_id=", r.id, r.path,
            r.base);
    for (size_t i = 0; i < r.build_id_bytes && i < tail; i++)
        fprintf(out, "%02x", id[i]);
}

static void print_frame(FILE *out, const struct cup_stack_node *node)
{
    if (node->of & CUP_NODE_NATIVE)
        fprintf(out, "module=%" PRIu32 " offset=%#" PRIx32, node->of & ~CUP_NODE_NATIVE, node->at);
    else if (node->of == CUP_NODE_CUT)
        fputs("cut", out);
    else if (node->of == CUP_NODE_HELPER)
        fputs("helper", out);
    else if (node->of == CUP_NODE_UNKNOWN)
        fputs("unknown", out);
    else if (node->at == CUP_AT_UNKNOWN)
        fprintf(out, "code=%" PRIu32 " at=unknown", node->of);
    else
        fprintf(out, "code=%" PRIu32 " at=%" PRIu32, node->of, node->at);
}

void cup_dump_stacks(FILE *out, const struct cup_record *record)
{
    struct cup_r_stacks r = cup_read_stacks(record); /* that of NODES is the same */
    struct cup_nodes_reader nodes;
    fprintf(out, " first=%" PRIu32 " count=%" PRIu32, r.first, r.count);
    cup_nodes_start(&nodes, record);
    while (cup_nodes_next(&nodes)) {
        cup_dump_row(out, "NODE");
        fprintf(out, " %" PRIu32 " parent=%" PRIu32 " ", nodes.id, nodes.node.parent);
        print_frame(out, &nodes.node);
    }
    if (nodes.damaged)
        fputs(" (nodes are missing)", out);
}

void cup_dump_nodes(FILE *out, const struct cup_record *record)
{
    cup_dump_stacks(out, record);
}

static void print_use(FILE *out, const struct cup_stack_use_row *row)
{
    const char *name = cup_stack_use_name(row->use);
    cup_dump_row(out, "ROW");
    fprintf(out, " node=%" PRIu32, row->node);
    if (name)
        fprintf(out, " %s", name);
    else
        fprintf(out, " use=%" PRIu32, row->use);
    fprintf(out, " count=%" PRIu64 " bytes=%" PRIu64 " ns=%" PRIu64, row->count, row->bytes,
            row->ns);
}

void cup_dump_stack_use(FILE *out, const struct cup_record *record)
{
    struct cup_stack_use_reader reader;
    cup_stack_use_start(&reader, record);
    fprintf(out, " task=%" PRIu32 " rows=%" PRIu32, reader.fixed.task, reader.fixed.rows);
    while (cup_stack_use_next(&reader))
        print_use(out, &reader.row);
    if (reader.damaged)
        fputs(" (rows are damaged)", out);
}

static void print_cpu(FILE *out, const struct cup_cpu_row *row)
{
    cup_dump_row(out, "ROW");
    fprintf(out, " task=%" PRIu32 " node=%" PRIu32 " %s samples=%" PRIu64, row->task, row->node,
            row->on_core ? "on_core" : "blocked", row->samples);
    cup_dump_time(out, "start", row->start_ns);
    fprintf(out, " ns=%" PRId64, row->stop_ns - row->start_ns);
}

void cup_dump_cpu_samples(FILE *out, const struct cup_record *record)
{
    struct cup_cpu_reader reader;
    cup_cpu_start(&reader, record);
    fprintf(out, " tid=%" PRIu32 " rows=%" PRIu32 " period_ns=%" PRId64, reader.fixed.tid,
            reader.fixed.rows, reader.period_ns);
    while (cup_cpu_next(&reader))
        print_cpu(out, &reader.row);
    if (reader.damaged)
        fputs(" (rows are damaged)", out);
}
