/* Which lines of the user's code take the time. */
#include "analysis/live/live_log.h"
#include "analysis/log/log_stacks.h"
#include "analysis/metrics/functions/code_place.h"

static uint32_t keep_text(struct cup_live *live, struct cup_text text)
{
    return text.length ? cup_intern_add(&live->known.strings, text.bytes, text.length) : 0;
}

/* A number above 0 for the pair, which is new if the map does not have it. */
static uint32_t number_of(struct cup_live *live, uint32_t a, uint32_t b)
{
    uint32_t known = cup_pair_map_get(&live->place_at, a, b);
    if (known)
        return known;
    known = (uint32_t)live->place_at.map.count + 1;
    if (cup_pair_map_set(&live->place_at, a, b, known) != 0)
        live->out_of_memory = true;
    return known;
}

void cup_live_code(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r)
{
    struct cup_code read;
    cup_code_read(&read, r);
    struct cup_text path =
        cup_intern_text(&live->known.strings, cup_live_string(log, read.fixed.file));
    const struct cup_code_place place = cup_code_place(path, false);
    struct cup_live_code *code = CUP_LIVE_APPEND(live, log, codes, code);
    if (!code)
        return;
    cup_live_map(live, &log->codes_at, read.fixed.id, (uint32_t)log->code_count);
    if (!place.user || cup_installed_below(&live->installed, path))
        return;
    code->minor = read.lines.minor;
    code->first_line = read.lines.first_line;
    code->name = keep_text(live, read.name);
    code->file = keep_text(live, place.shown);
    code->table =
        keep_text(live, (struct cup_text){(const char *)read.lines.bytes, read.lines.size});
    /* Bit 31 keeps these pairs apart from those of names and files. */
    uint32_t function = number_of(live, code->name, code->file);
    code->site = number_of(live, function | UINT32_C(1) << 31, code->first_line);
}

/* Index + 1 of the line at which an instruction is. */
static uint32_t line_of(struct cup_live *live, const struct cup_live_code *code, uint32_t at)
{
    struct cup_text table = cup_intern_text(&live->known.strings, code->table);
    const struct cup_line_table lines = {.bytes = (const unsigned char *)table.bytes,
                                         .size = table.length,
                                         .minor = code->minor,
                                         .first_line = code->first_line};
    uint32_t number = at == CUP_AT_UNKNOWN ? 0 : cup_line_at(&lines, at);
    uint32_t known = cup_pair_map_get(&live->line_at, code->site, number);
    if (known)
        return known;
    struct cup_live_line *line = CUP_LIVE_APPEND(live, live, lines, line);
    if (!line ||
        cup_pair_map_set(&live->line_at, code->site, number, (uint32_t)live->line_count) != 0) {
        live->out_of_memory = true;
        return 0;
    }
    line->file = code->file;
    line->name = code->name;
    line->line = number;
    return (uint32_t)live->line_count;
}

/* A node stands for the innermost line of the user's code on its stack. */
static void add_node(struct cup_live *live, struct cup_live_log *log, uint32_t id,
                     const struct cup_stack_node *node)
{
    bool is_python = node->of < CUP_NODE_CUT && node->of != CUP_NODE_UNKNOWN;
    uint32_t code = is_python ? cup_id_map_get(&log->codes_at, node->of) : 0;
    uint32_t line = code && log->codes[code - 1].site
                        ? line_of(live, &log->codes[code - 1], node->at)
                        : cup_id_map_get(&log->nodes, node->parent);
    if (line)
        cup_live_map(live, &log->nodes, id, line);
}

void cup_live_stacks(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r)
{
    struct cup_nodes_reader nodes;
    cup_nodes_start(&nodes, r);
    while (!live->out_of_memory && cup_nodes_next(&nodes))
        add_node(live, log, nodes.id, &nodes.node);
}

void cup_live_stack_use(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r)
{
    struct cup_stack_use_reader reader;
    cup_stack_use_start(&reader, r);
    uint32_t task = reader.fixed.task;
    bool whole = live->from_ns == INT64_MIN && live->to_ns == INT64_MAX;
    uint32_t known = task ? cup_id_map_get(&log->tasks_at, task) : 0;
    if (known == CUP_LIVE_UNWANTED || (known == 0 && !whole))
        return;
    while (cup_stack_use_next(&reader)) {
        uint32_t at = cup_id_map_get(&log->nodes, reader.row.node);
        struct cup_live_line *line = at ? &live->lines[at - 1] : NULL;
        bool waits = reader.row.use >= CUP_U_IO_WAIT && reader.row.use <= CUP_U_POLL_WAIT;
        if (reader.row.use == CUP_U_CPU && known)
            live->closed.cpu_ns += reader.row.ns;
        if (reader.row.use == CUP_U_OFF_CPU && known)
            live->closed.off_cpu_ns += reader.row.ns;
        if (line && reader.row.use == CUP_U_CPU)
            line->cpu_ns += reader.row.ns;
        if (line && waits)
            line->wait_ns += reader.row.ns;
    }
}
