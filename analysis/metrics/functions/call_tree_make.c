/* Puts the stacks of all logs into one tree, one log after the other: while the logs are loaded, or
 * by reading them again. */

#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/base/id_map.h"
#include "analysis/log/log_stacks.h"
#include "analysis/metrics/functions/call_tree.h"

/* A code object of the log that is being read. */
struct known_code {
    uint32_t function;
    size_t table; /* offset of its line table in maker.tables */
    struct cup_line_table lines;
};

/* State while the logs are read. The maps have ids of the current log as keys, and are cleared
 * after each log. */
struct cup_call_maker {
    struct cup_call_tree *tree;
    const struct cup_profile *profile;
    const struct cup_call_ask *ask;
    struct cup_record_taker taker;
    uint32_t process;             /* index in profile->processes */
    struct cup_id_map strings;    /* id in tree->strings */
    struct cup_id_map codes;      /* index + 1 in `known` */
    struct cup_id_map modules;    /* index + 1 in tree->modules */
    struct cup_id_map nodes;      /* index + 1 in tree->nodes */
    struct cup_id_map tasks;      /* by number: prefix + 2; 1: the task was not asked for */
    struct cup_id_map task_index; /* by number: index + 1 in profile->tasks; empty without slices */
    struct cup_id_map counted;    /* by number: 1 if the task is in tree->tasks already */
    struct cup_pair_map frames;   /* by code and offset: index + 1 in tree->frames */
    struct known_code *known;
    size_t known_count, known_room;
    unsigned char *tables; /* line tables, one after the other */
    size_t table_bytes, table_room;
    struct cup_native_frames natives; /* kept over all logs */
    bool out_of_memory;
};

static void map_id(struct cup_call_maker *maker, struct cup_id_map *into, uint32_t id,
                   uint32_t value)
{
    if (cup_id_map_set(into, id, value) != 0)
        maker->out_of_memory = true;
}

/* ---- functions and modules ---------------------------------------------------------------- */

static void on_string(struct cup_call_maker *maker, const struct cup_record *record)
{
    struct cup_r_string fixed = cup_read_string(record);
    size_t tail = cup_record_tail_bytes(record);
    size_t bytes = fixed.bytes < tail ? fixed.bytes : tail;
    uint32_t id =
        cup_intern_add(&maker->tree->strings, (const char *)cup_record_tail(record), bytes);
    maker->out_of_memory |= id == 0;
    map_id(maker, &maker->strings, fixed.id, id);
}

/* Copies a line table; false without memory. */
static bool keep_table(struct cup_call_maker *maker, struct known_code *known,
                       const struct cup_line_table *lines)
{
    size_t wanted = maker->table_bytes + lines->size;
    if (wanted > maker->table_room) {
        size_t room = wanted > 2 * maker->table_room ? wanted : 2 * maker->table_room;
        unsigned char *tables = realloc(maker->tables, room);
        if (!tables)
            return false;
        maker->tables = tables;
        maker->table_room = room;
    }
    if (lines->size)
        memcpy(maker->tables + maker->table_bytes, lines->bytes, lines->size);
    known->lines = *lines;
    known->table = maker->table_bytes;
    maker->table_bytes = wanted;
    return true;
}

static void on_code(struct cup_call_maker *maker, const struct cup_record *record)
{
    struct cup_code code;
    cup_code_read(&code, record);
    uint32_t path = cup_id_map_get(&maker->strings, code.fixed.file);
    maker->tree->orphans += code.fixed.file && !path;
    if (cup_array_grow(&maker->known, &maker->known_room, maker->known_count,
                       sizeof *maker->known) != 0) {
        maker->out_of_memory = true;
        return;
    }
    struct known_code *known = &maker->known[maker->known_count++];
    known->function =
        cup_call_add_function(maker->tree, code.name, cup_call_text(maker->tree, path),
                              code.fixed.first_line, CUP_FRAME_PYTHON);
    if (known->function == CUP_NOTHING || !keep_table(maker, known, &code.lines))
        maker->out_of_memory = true;
    map_id(maker, &maker->codes, code.fixed.id, (uint32_t)maker->known_count);
}

static void on_module(struct cup_call_maker *maker, const struct cup_record *record)
{
    struct cup_module_written module;
    cup_module_read(&module, record);
    uint32_t path = cup_id_map_get(&maker->strings, module.fixed.path);
    uint32_t index =
        cup_native_module(&maker->natives, cup_call_text(maker->tree, path), module.build_id,
                          &maker->profile->processes[maker->process].header);
    if (index == CUP_NOTHING)
        maker->out_of_memory = true;
    else
        map_id(maker, &maker->modules, module.fixed.id, index + 1);
}

/* ---- frames ------------------------------------------------------------------------------- */

/* A frame that is no function: frames left out, an unknown frame, or the step to a helper thread.
 */
static uint32_t special_frame(struct cup_call_maker *maker, const char *name,
                              enum cup_frame_kind kind)
{
    uint32_t function = cup_call_add_function(maker->tree, (struct cup_text){name, strlen(name)},
                                              (struct cup_text){0}, 0, kind);
    return function == CUP_NOTHING ? CUP_NOTHING : cup_call_add_frame(maker->tree, function, 0);
}

static uint32_t unknown_frame(struct cup_call_maker *maker)
{
    return special_frame(maker, "(not known)", CUP_FRAME_UNKNOWN);
}

static uint32_t native_frame(struct cup_call_maker *maker, uint32_t module, uint32_t offset)
{
    uint32_t index = cup_id_map_get(&maker->modules, module);
    maker->tree->orphans += module && !index;
    return index ? cup_native_frame(&maker->natives, index - 1, offset)
                 : special_frame(maker, "(native, in no module)", CUP_FRAME_NATIVE);
}

static uint32_t python_frame(struct cup_call_maker *maker, uint32_t code, uint32_t at)
{
    uint32_t index = cup_id_map_get(&maker->codes, code);
    if (!index) {
        maker->tree->orphans++;
        return unknown_frame(maker);
    }
    uint32_t frame = cup_pair_map_get(&maker->frames, code, at);
    if (frame)
        return frame - 1;
    const struct known_code *known = &maker->known[index - 1];
    struct cup_line_table lines = known->lines;
    lines.bytes = lines.size ? maker->tables + known->table : NULL;
    uint32_t line = at == CUP_AT_UNKNOWN ? 0 : cup_line_at(&lines, at);
    frame = cup_call_add_frame(maker->tree, known->function, line);
    if (frame != CUP_NOTHING && cup_pair_map_set(&maker->frames, code, at, frame + 1) != 0)
        return CUP_NOTHING;
    return frame;
}

/* Whether frames that the log leaves out below PARENT are native. Python frames are left out only
 * at the outer end of a stack, or of a helper thread's part of it; below another frame, only native
 * ones can be missing. */
static bool is_native_gap(const struct cup_call_maker *maker, uint32_t parent)
{
    if (!parent)
        return false;
    uint8_t kind = cup_call_function(maker->tree, parent)->kind;
    return kind == CUP_FRAME_PYTHON || kind == CUP_FRAME_NATIVE;
}

/* The frame of a recorded node. PARENT: index in tree->nodes of its caller; 0: none. */
static uint32_t frame_of(struct cup_call_maker *maker, const struct cup_stack_node *node,
                         uint32_t parent)
{
    if (node->of & CUP_NODE_NATIVE)
        return native_frame(maker, node->of & ~CUP_NODE_NATIVE, node->at);
    switch (node->of) {
    case CUP_NODE_UNKNOWN:
        return unknown_frame(maker);
    case CUP_NODE_CUT:
        return is_native_gap(maker, parent)
                   ? cup_native_gap(maker->tree)
                   : special_frame(maker, "(frames left out)", CUP_FRAME_CUT);
    case CUP_NODE_HELPER:
        return special_frame(maker, "(helper thread)", CUP_FRAME_HELPER);
    default:
        return python_frame(maker, node->of, node->at);
    }
}

/* The node for FRAME below PARENT, added if it is new. Returns its index in tree->nodes. */
static uint32_t find_or_add_node(struct cup_call_maker *maker, uint32_t parent, uint32_t frame)
{
    const struct cup_call_tree *tree = maker->tree;
    bool native = tree->functions[tree->frames[frame].function].kind == CUP_FRAME_NATIVE;
    return native ? cup_native_add_node(maker->tree, parent, frame)
                  : cup_call_add_node(maker->tree, parent, frame);
}

/* Adds a recorded node to the tree. A log writes parents before their children; a node whose parent
 * was not seen yet is put below "(not known)", so damaged logs cannot make a cycle. */
static void add_node(struct cup_call_maker *maker, uint32_t id, const struct cup_stack_node *node)
{
    uint32_t parent = cup_id_map_get(&maker->nodes, node->parent);
    maker->tree->orphans += node->parent && !parent;
    if (node->parent && !parent)
        parent = cup_call_add_node(maker->tree, 0, CUP_UNKNOWN_FRAME) + 1;
    uint32_t caller = parent ? parent - 1 : 0, frame = frame_of(maker, node, caller);
    uint32_t index = frame == CUP_NOTHING ? CUP_NOTHING : find_or_add_node(maker, caller, frame);
    if (index == CUP_NOTHING)
        maker->out_of_memory = true;
    else
        map_id(maker, &maker->nodes, id, index + 1);
}

static void on_stacks(struct cup_call_maker *maker, const struct cup_record *record)
{
    struct cup_nodes_reader nodes;
    cup_nodes_start(&nodes, record);
    while (!maker->out_of_memory && cup_nodes_next(&nodes))
        add_node(maker, nodes.id, &nodes.node);
    maker->tree->damaged += nodes.damaged;
}

/* ---- uses --------------------------------------------------------------------------------- */

_Static_assert(CUP_W_POLL_WAIT - CUP_W_IO_WAIT == (int)CUP_U_POLL_WAIT - (int)CUP_U_IO_WAIT,
               "the weights have all kinds of waits, in their order");

/* Adds what a row says to the weights that it is about: at most three of them. */
static void add_use(struct cup_weights *w, const struct cup_stack_use_row *row)
{
    switch (row->use) {
    case CUP_U_READ:
        w->of[CUP_W_READ] += row->bytes;
        w->of[CUP_W_READ_CALLS] += row->count;
        w->of[CUP_W_READ_TIME] += row->ns;
        break;
    case CUP_U_WRITE:
        w->of[CUP_W_WRITE] += row->bytes;
        break;
    case CUP_U_SERVER_RECV:
        w->of[CUP_W_READ] += row->bytes;
        w->of[CUP_W_RECV] += row->bytes;
        break;
    case CUP_U_RECV:
        w->of[CUP_W_RECV] += row->bytes;
        break;
    case CUP_U_ALLOC:
        w->of[CUP_W_ALLOC] += row->bytes;
        break;
    case CUP_U_IO_WAIT:
    case CUP_U_GIL_WAIT:
    case CUP_U_LOCK_WAIT:
    case CUP_U_SLEEP:
    case CUP_U_POLL_WAIT:
        w->of[CUP_W_IO_WAIT + row->use - CUP_U_IO_WAIT] += row->ns;
        w->of[CUP_W_WAIT] += row->ns;
        break;
    case CUP_U_CPU:
        w->of[CUP_W_CPU] += row->ns;
        w->of[CUP_W_SAMPLES] += row->count;
        break;
    case CUP_U_OFF_CPU:
        w->of[CUP_W_OFF_CPU] += row->ns;
        break;
    default: /* a kind that only newer libraries record */
        break;
    }
}

/* Index in tree->nodes of a recorded node. For an unknown one it is the stack "(not known)". */
static uint32_t node_of(struct cup_call_maker *maker, uint32_t node)
{
    uint32_t known = cup_id_map_get(&maker->nodes, node);
    if (known)
        return known - 1;
    maker->tree->orphans += node != 0;
    uint32_t frame = unknown_frame(maker);
    return frame == CUP_NOTHING ? CUP_NOTHING : cup_call_add_node(maker->tree, 0, frame);
}

/* Sets *prefix to the prefix of a task, CUP_NO_PREFIX for an unknown one. Returns false if the task
 * is not among those that were asked for. */
static bool prefix_of(struct cup_call_maker *maker, uint32_t task, uint32_t *prefix)
{
    uint32_t known = task ? cup_id_map_get(&maker->tasks, task) : 0;
    bool whole = !maker->tree->filtered && !maker->profile->selective;
    if (known > 1) {
        *prefix = known - 2;
        return true;
    }
    *prefix = CUP_NO_PREFIX;
    maker->tree->orphans += whole && task;
    return whole;
}

/* The task, if slices need it; NULL if there are no slices or the task is not known. */
static const struct cup_task *sliced_task(const struct cup_call_maker *maker, uint32_t task)
{
    uint32_t known = maker->tree->slices.count ? cup_id_map_get(&maker->task_index, task) : 0;
    return known ? &maker->profile->tasks[known - 1] : NULL;
}

static void count_task(struct cup_call_maker *maker, uint32_t task)
{
    if (task == 0 || cup_id_map_get(&maker->counted, task))
        return;
    maker->tree->tasks++;
    map_id(maker, &maker->counted, task, 1);
}

/* Baskets of a branch that no record defines are dropped, and counted as orphans. */
static void add_branch(struct cup_call_maker *maker, const struct cup_stack_use_row *row,
                       uint32_t node)
{
    uint32_t branch = cup_branch_of(maker->profile, maker->process, row->use - CUP_USE_BRANCHES);
    maker->tree->orphans += branch == 0;
    if (branch && cup_call_add_branch(maker->tree, node, branch - 1, row->count, row->bytes) != 0)
        maker->out_of_memory = true;
}

static void add_row(struct cup_call_maker *maker, const struct cup_stack_use_row *row,
                    uint32_t node, uint32_t prefix)
{
    uint32_t index = cup_call_row(maker->tree, node, prefix);
    if (index == CUP_NOTHING)
        maker->out_of_memory = true;
    else
        add_use(&maker->tree->rows[index].weights, row);
}

static void add_sliced_row(struct cup_call_maker *maker, const struct cup_stack_use_row *row,
                           uint32_t node, const struct cup_task *task)
{
    struct cup_weights weights = {{0}};
    add_use(&weights, row);
    if (cup_call_add_sliced(maker->tree, node, task, &weights) != 0)
        maker->out_of_memory = true;
}

static void on_stack_use(struct cup_call_maker *maker, const struct cup_record *record)
{
    struct cup_stack_use_reader reader;
    uint32_t prefix;
    cup_stack_use_start(&reader, record);
    if (!prefix_of(maker, reader.fixed.task, &prefix))
        return;
    count_task(maker, reader.fixed.task);
    const struct cup_task *task = sliced_task(maker, reader.fixed.task);
    while (!maker->out_of_memory && cup_stack_use_next(&reader)) {
        uint32_t node = node_of(maker, reader.row.node);
        if (node == CUP_NOTHING) {
            maker->out_of_memory = true;
        } else if (reader.row.use >= CUP_USE_BRANCHES && reader.row.use <= CUP_USE_MOST) {
            add_branch(maker, &reader.row, node);
        } else {
            add_row(maker, &reader.row, node, prefix);
            if (task)
                add_sliced_row(maker, &reader.row, node, task);
        }
    }
    maker->tree->damaged += reader.damaged;
}

/* ---- CPU samples -------------------------------------------------------------------------- */

static void pass_samples(struct cup_call_maker *maker, const struct cup_cpu_reader *reader)
{
    const struct cup_cpu_row *row = &reader->row;
    uint32_t prefix;
    if (!prefix_of(maker, row->task, &prefix))
        return;
    const struct cup_call_samples samples = {.process = maker->process,
                                             .tid = reader->fixed.tid,
                                             .node = node_of(maker, row->node),
                                             .count = row->samples,
                                             .start_ns = row->start_ns,
                                             .stop_ns = row->stop_ns,
                                             .on_core = row->on_core};
    if (samples.node == CUP_NOTHING)
        maker->out_of_memory = true;
    else
        maker->ask->samples(maker->ask->context, maker->tree, &samples);
}

static void on_cpu_samples(struct cup_call_maker *maker, const struct cup_record *record)
{
    struct cup_cpu_reader reader;
    cup_cpu_start(&reader, record);
    while (!maker->out_of_memory && cup_cpu_next(&reader))
        pass_samples(maker, &reader);
    maker->tree->damaged += reader.damaged;
}

/* ---- tasks -------------------------------------------------------------------------------- */

/* SERVER: NULL if not known. */
static bool is_of_worker(const struct cup_call_maker *maker, uint32_t process_index,
                         const struct cup_server *server)
{
    const struct cup_profile *profile = maker->profile;
    const struct cup_log_header *header = &profile->processes[process_index].header;
    char process[sizeof header->host + 16];
    snprintf(process, sizeof process, "%.*s:%u", (int)sizeof header->host, header->host,
             header->pid);
    return strcmp(process, maker->ask->worker) == 0 ||
           (server &&
            (cup_text_is(cup_profile_text(profile, server->address), maker->ask->worker) ||
             cup_text_is(cup_profile_text(profile, server->name), maker->ask->worker)));
}

static bool is_asked(const struct cup_call_maker *maker, const struct cup_task *task)
{
    const struct cup_profile *profile = maker->profile;
    const struct cup_call_ask *ask = maker->ask;
    const struct cup_item *item = cup_task_item(profile, task);
    if (ask->prefix &&
        !cup_text_is(
            cup_profile_text(profile, profile->prefixes[cup_task_prefix(profile, task)].name),
            ask->prefix))
        return false;
    if (ask->dataset &&
        !(item && cup_text_is(cup_profile_text(profile, cup_source_of(profile, item)->dataset),
                              ask->dataset)))
        return false;
    return !ask->worker ||
           is_of_worker(maker, cup_task_process(profile, task), cup_task_server(profile, task));
}

static bool is_asked_sum(const struct cup_call_maker *maker, const struct cup_task_sum *sum)
{
    const struct cup_profile *profile = maker->profile;
    const struct cup_call_ask *ask = maker->ask;
    if (ask->prefix &&
        !cup_text_is(cup_profile_text(profile, profile->prefixes[sum->prefix].name), ask->prefix))
        return false;
    if (ask->dataset && !((sum->what & CUP_SUM_HAS_ITEM) &&
                          cup_text_is(cup_profile_text(profile, sum->dataset), ask->dataset)))
        return false;
    return !ask->worker || is_of_worker(maker, sum->process,
                                        sum->server ? &profile->servers[sum->server - 1] : NULL);
}

/* The tasks of a sum are counted here, because their STACK_USE records are joined. */
static void find_sums(struct cup_call_maker *maker, uint32_t process)
{
    const struct cup_profile *profile = maker->profile;
    for (size_t i = 0; i < profile->task_sum_count; i++) {
        const struct cup_task_sum *sum = &profile->task_sums[i];
        if (sum->process != process)
            continue;
        bool asked = is_asked_sum(maker, sum);
        map_id(maker, &maker->tasks, sum->number, asked ? sum->prefix + 2 : 1);
        if (!asked || !sum->values[CUP_T_WITH_STACKS])
            continue;
        map_id(maker, &maker->counted, sum->number, 1);
        maker->tree->tasks += sum->values[CUP_T_WITH_STACKS];
    }
}

static void find_tasks(struct cup_call_maker *maker, uint32_t process)
{
    const struct cup_profile *profile = maker->profile;
    for (size_t i = profile->processes[process].first_task;
         i < profile->task_count && cup_task_process(profile, &profile->tasks[i]) == process; i++) {
        const struct cup_task *task = &profile->tasks[i];
        map_id(maker, &maker->tasks, task->number,
               is_asked(maker, task) ? cup_task_prefix(profile, task) + 2 : 1);
        if (maker->tree->slices.count)
            map_id(maker, &maker->task_index, task->number, (uint32_t)i + 1);
    }
    if (profile->processes[process].summed.tasks)
        find_sums(maker, process);
}

/* ---- logs --------------------------------------------------------------------------------- */

static void on_record(struct cup_call_maker *maker, const struct cup_record *record)
{
    if (record->type == CUP_R_STRING)
        on_string(maker, record);
    else if (record->type == CUP_R_CODE)
        on_code(maker, record);
    else if (record->type == CUP_R_MODULE)
        on_module(maker, record);
    else if (record->type == CUP_R_STACKS || record->type == CUP_R_NODES)
        on_stacks(maker, record);
    else if (record->type == CUP_R_STACK_USE)
        on_stack_use(maker, record);
    else if (record->type == CUP_R_CPU_SAMPLES)
        on_cpu_samples(maker, record);
}

static void clear_log_maps(struct cup_call_maker *maker)
{
    cup_id_map_clear(&maker->strings);
    cup_id_map_clear(&maker->codes);
    cup_id_map_clear(&maker->modules);
    cup_id_map_clear(&maker->nodes);
    cup_id_map_clear(&maker->tasks);
    cup_id_map_clear(&maker->task_index);
    cup_id_map_clear(&maker->counted);
    cup_pair_map_clear(&maker->frames);
    maker->known_count = maker->table_bytes = 0;
}

static void take_log(void *context, uint32_t index, struct cup_kept_records *records)
{
    struct cup_call_maker *maker = context;
    const struct cup_process *process = &maker->profile->processes[index];
    const struct cup_record *record;
    if (maker->out_of_memory)
        return;
    if (!cup_process_has(maker->profile, index, CUP_FEATURE_STACKS)) {
        maker->tree->without += process->tasks > 0;
        return;
    }
    maker->tree->processes++;
    maker->process = index;
    if (!process->log_path || cup_kept_rewind(records, process->log_path) != 0) {
        maker->tree->lost_logs++;
        return;
    }
    find_tasks(maker, index);
    while (!maker->out_of_memory && (record = cup_kept_next(records)) != NULL)
        on_record(maker, record);
    clear_log_maps(maker);
}

/* The root stands for no function, but every node has a frame: the root's is the first frame, "(not
 * known)". */
static int add_root(struct cup_call_maker *maker)
{
    struct cup_call_tree *tree = maker->tree;
    if (unknown_frame(maker) == CUP_NOTHING ||
        cup_array_grow(&tree->nodes, &tree->node_room, 0, sizeof *tree->nodes) != 0)
        return -1;
    tree->nodes[0] = (struct cup_call_node){0};
    tree->node_count = 1;
    return 0;
}

static uint64_t types_for(const struct cup_call_ask *ask)
{
    return CUP_STACK_TYPES | (ask->samples ? UINT64_C(1) << CUP_R_CPU_SAMPLES : 0);
}

struct cup_call_maker *cup_call_tree_start(struct cup_call_tree *tree,
                                           const struct cup_profile *profile,
                                           const struct cup_call_ask *ask)
{
    struct cup_call_maker *maker = malloc(sizeof *maker);
    *tree = (struct cup_call_tree){
        .profile = profile,
        .ask = {.prefix = ask->prefix, .dataset = ask->dataset, .worker = ask->worker},
        .filtered = ask->prefix || ask->dataset || ask->worker};
    if (ask->slices)
        tree->slices = *ask->slices;
    if (!maker)
        return NULL;
    *maker = (struct cup_call_maker){.tree = tree,
                                     .profile = profile,
                                     .ask = ask,
                                     .natives = {.tree = tree},
                                     .taker = {types_for(ask), take_log, maker}};
    maker->out_of_memory = add_root(maker) != 0;
    return maker;
}

const struct cup_record_taker *cup_call_tree_taker(const struct cup_call_maker *maker)
{
    return &maker->taker;
}

int cup_call_tree_finish(struct cup_call_maker *maker)
{
    int result = maker->out_of_memory ? -1 : 0;
    cup_call_sort_branches(maker->tree);
    cup_modules_settle(&maker->tree->modules);
    cup_pair_map_clear(&maker->natives.frames);
    free(maker->known);
    free(maker->tables);
    free(maker);
    return result;
}

int cup_call_tree_make(struct cup_call_tree *tree, const struct cup_profile *profile,
                       const struct cup_call_ask *ask)
{
    struct cup_call_maker *maker = cup_call_tree_start(tree, profile, ask);
    if (!maker)
        return -1;
    struct cup_kept_records records = {.types = maker->taker.types, .too_many = true};
    for (uint32_t i = 0; i < profile->process_count; i++)
        take_log(maker, i, &records);
    cup_kept_free(&records);
    return cup_call_tree_finish(maker);
}
