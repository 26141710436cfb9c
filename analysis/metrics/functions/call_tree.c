#include "analysis/metrics/functions/call_tree.h"

#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/metrics/functions/user_lines.h"

const char *const cup_weight_names[CUP_WEIGHT_COUNT] = {CUP_WEIGHTS(CUP_NAME_OF)};

const char *const cup_weight_texts[CUP_WEIGHT_COUNT] = {
#define X(id, name, unit, text) text,
    CUP_WEIGHTS(X)
#undef X
};

const enum cup_unit cup_weight_units[CUP_WEIGHT_COUNT] = {
#define X(id, name, unit, text) unit,
    CUP_WEIGHTS(X)
#undef X
};

struct cup_value cup_weight_value(enum cup_weight weight, uint64_t amount)
{
    return cup_weight_units[weight] == CUP_UNIT_SECONDS ? cup_seconds((int64_t)amount)
                                                        : cup_count(amount);
}

const char *cup_stacks_missing(const struct cup_profile *profile)
{
    if (cup_profile_measured(profile, CUP_FEATURE_STACKS))
        return NULL;
    return "no process took stacks: they were switched off, or the library does not know this "
           "Python's layout, or is an older one; `cupping report --only health` has its notes";
}

bool cup_weight_measured(const struct cup_profile *profile, enum cup_weight weight)
{
    bool sampled = weight == CUP_W_CPU || weight == CUP_W_OFF_CPU || weight == CUP_W_SAMPLES;
    return cup_profile_measured(profile, CUP_FEATURE_STACKS | (sampled ? CUP_FEATURE_CPU : 0));
}

/* ---- making ------------------------------------------------------------------------------- */

/* Appends a zeroed entry. Returns its index, or CUP_NOTHING without memory. */
#define APPEND(tree, entries, entry)                                                               \
    append(&(tree)->entries, &(tree)->entry##_room, &(tree)->entry##_count, sizeof *(tree)->entries)
static uint32_t append(void *items, size_t *room, size_t *count, size_t size)
{
    char *base;
    if (*count >= CUP_NOTHING || cup_array_grow(items, room, *count, size) != 0)
        return CUP_NOTHING;
    memcpy(&base, items, sizeof base);
    memset(base + *count * size, 0, size);
    return (uint32_t)(*count)++;
}

static uint32_t string(struct cup_call_tree *tree, struct cup_text text)
{
    return text.length ? cup_intern_add(&tree->strings, text.bytes, text.length) : 0;
}

static struct cup_code_place find_place(struct cup_call_tree *tree, struct cup_text path,
                                        enum cup_frame_kind kind)
{
    const struct cup_code_place place = cup_code_place(path, kind == CUP_FRAME_NATIVE);
    size_t below = place.user ? cup_installed_below(&tree->installed, path) : 0;
    return below ? cup_package_place(path, below) : place;
}

static void describe_function(struct cup_call_tree *tree, struct cup_function *function,
                              struct cup_text name, struct cup_text path, enum cup_frame_kind kind)
{
    const struct cup_code_place place = find_place(tree, path, kind);
    function->name = string(tree, name);
    function->path = string(tree, path);
    function->file = string(tree, place.shown);
    function->package = string(tree, place.package);
    function->kind = (uint8_t)kind;
    if (kind != CUP_FRAME_PYTHON)
        return;
    function->user = place.user;
    function->phase = (uint8_t)cup_phase_of(place.shown, name, place.user);
    function->calls_process = cup_calls_process(place.shown, name);
}

/* Two functions are the same if their names, files as shown and first lines are equal. */
uint32_t cup_call_add_function(struct cup_call_tree *tree, struct cup_text name,
                               struct cup_text path, uint32_t first_line, enum cup_frame_kind kind)
{
    const struct cup_code_place place = find_place(tree, path, kind);
    uint32_t named = string(tree, name), shown = string(tree, place.shown);
    uint32_t site = cup_pair_map_get(&tree->sites, named, shown);
    if (!site) {
        site = (uint32_t)tree->sites.map.count + 1;
        if (cup_pair_map_set(&tree->sites, named, shown, site) != 0)
            return CUP_NOTHING;
    }
    uint32_t known = cup_pair_map_get(&tree->function_at, site, first_line);
    if (known)
        return known - 1;
    uint32_t index = APPEND(tree, functions, function);
    if (index == CUP_NOTHING ||
        cup_pair_map_set(&tree->function_at, site, first_line, index + 1) != 0)
        return CUP_NOTHING;
    describe_function(tree, &tree->functions[index], name, path, kind);
    tree->functions[index].first_line = first_line;
    return index;
}

uint32_t cup_call_add_frame(struct cup_call_tree *tree, uint32_t function, uint32_t line)
{
    uint32_t known = cup_pair_map_get(&tree->frame_at, function, line);
    if (known)
        return known - 1;
    uint32_t index = APPEND(tree, frames, frame);
    if (index == CUP_NOTHING || cup_pair_map_set(&tree->frame_at, function, line, index + 1) != 0)
        return CUP_NOTHING;
    tree->frames[index] = (struct cup_call_frame){function, line};
    return index;
}

/* The phase of the caller's stack or the one that this function marks: the one with the higher
 * precedence. */
static uint8_t phase_of(const struct cup_call_tree *tree, uint32_t parent,
                        const struct cup_function *function)
{
    uint8_t marked = function->phase, before = tree->nodes[parent].phase;
    uint32_t caller = cup_call_python(tree, parent);
    if (function->user && caller && cup_call_function(tree, caller)->calls_process)
        marked = CUP_PHASE_PROCESS;
    return marked > before ? marked : before;
}

uint32_t cup_call_add_node(struct cup_call_tree *tree, uint32_t parent, uint32_t frame)
{
    uint32_t known = cup_pair_map_get(&tree->node_at, parent, frame);
    if (known)
        return known - 1;
    if (tree->node_count >= CUP_CALL_NODES_MOST ||
        tree->nodes[parent].depth >= CUP_CALL_DEPTH_MOST) {
        tree->left_out++;
        return parent;
    }
    uint32_t index = APPEND(tree, nodes, node);
    if (index == CUP_NOTHING || cup_pair_map_set(&tree->node_at, parent, frame, index + 1) != 0)
        return CUP_NOTHING;
    const struct cup_function *function = &tree->functions[tree->frames[frame].function];
    tree->nodes[index] = (struct cup_call_node){.parent = parent,
                                                .frame = frame,
                                                .depth = tree->nodes[parent].depth + 1,
                                                .phase = phase_of(tree, parent, function)};
    tree->has_native |= function->kind == CUP_FRAME_NATIVE;
    tree->has_helpers |= function->kind == CUP_FRAME_HELPER;
    return index;
}

uint32_t cup_call_row(struct cup_call_tree *tree, uint32_t node, uint32_t prefix)
{
    uint32_t known = cup_pair_map_get(&tree->row_at, node, prefix);
    if (known)
        return known - 1;
    if (node && tree->row_count >= CUP_CALL_ROWS_MOST) {
        tree->left_out++;
        return cup_call_row(tree, 0, prefix);
    }
    uint32_t index = APPEND(tree, rows, row);
    if (index == CUP_NOTHING || cup_pair_map_set(&tree->row_at, node, prefix, index + 1) != 0)
        return CUP_NOTHING;
    tree->rows[index] = (struct cup_call_row){.node = node, .prefix = prefix};
    return index;
}

void cup_call_tree_free(struct cup_call_tree *tree)
{
    cup_intern_clear(&tree->strings);
    cup_installed_clear(&tree->installed);
    free(tree->functions);
    free(tree->frames);
    free(tree->nodes);
    free(tree->rows);
    free(tree->slices.rows);
    cup_pair_map_clear(&tree->slices.row_at);
    free(tree->branches);
    cup_modules_free(&tree->modules);
    cup_pair_map_clear(&tree->sites);
    cup_pair_map_clear(&tree->function_at);
    cup_pair_map_clear(&tree->frame_at);
    cup_pair_map_clear(&tree->node_at);
    cup_pair_map_clear(&tree->row_at);
    cup_pair_map_clear(&tree->branch_at);
    *tree = (struct cup_call_tree){0};
}

/* ---- which source line requested which branches --------------------------------------------- */

/* The innermost line of the user's code, because the user can change that one. Without such a line,
 * the innermost Python frame. */
static uint32_t line_of(const struct cup_call_tree *tree, uint32_t node)
{
    uint32_t user = cup_user_frame(tree, node), python = cup_call_python(tree, node);
    return user != CUP_NOTHING ? user : tree->nodes[python ? python : node].frame;
}

static struct cup_line_branch *place_of(struct cup_call_tree *tree, uint32_t frame, uint32_t branch)
{
    uint32_t known = cup_pair_map_get(&tree->branch_at, frame, branch);
    if (known)
        return &tree->branches[known - 1];
    if (cup_array_grow(&tree->branches, &tree->branch_room, tree->branch_count,
                       sizeof *tree->branches) != 0 ||
        cup_pair_map_set(&tree->branch_at, frame, branch, (uint32_t)tree->branch_count + 1) != 0)
        return NULL;
    struct cup_line_branch *place = &tree->branches[tree->branch_count++];
    *place = (struct cup_line_branch){.frame = frame, .branch = branch};
    return place;
}

int cup_call_add_branch(struct cup_call_tree *tree, uint32_t node, uint32_t branch,
                        uint64_t baskets, uint64_t compressed_bytes)
{
    struct cup_line_branch *place = place_of(tree, line_of(tree, node), branch);
    if (!place)
        return -1;
    place->baskets += baskets;
    place->compressed_bytes += compressed_bytes;
    return 0;
}

static int by_line(const void *a, const void *b)
{
    const struct cup_line_branch *one = a, *other = b;
    if (one->frame != other->frame)
        return one->frame < other->frame ? -1 : 1;
    if (one->compressed_bytes != other->compressed_bytes)
        return one->compressed_bytes > other->compressed_bytes ? -1 : 1;
    return (one->branch > other->branch) - (one->branch < other->branch);
}

void cup_call_sort_branches(struct cup_call_tree *tree)
{
    if (tree->branch_count)
        qsort(tree->branches, tree->branch_count, sizeof *tree->branches, by_line);
}

/* ---- asking ------------------------------------------------------------------------------- */

uint32_t cup_call_python(const struct cup_call_tree *tree, uint32_t node)
{
    while (node && cup_call_function(tree, node)->kind == CUP_FRAME_NATIVE)
        node = tree->nodes[node].parent;
    return node;
}

static void add_up(uint64_t *totals, const struct cup_call_row *rows, size_t count,
                   enum cup_weight weight, uint32_t group)
{
    for (size_t i = 0; i < count; i++)
        if (group == CUP_ALL_PREFIXES || rows[i].prefix == group)
            totals[rows[i].node] += rows[i].weights.of[weight];
}

uint64_t *cup_call_totals(const struct cup_call_tree *tree, enum cup_weight weight, uint32_t prefix)
{
    uint64_t *totals = calloc(tree->node_count + 1, sizeof *totals);
    if (!totals)
        return NULL;
    bool sliced = prefix >= CUP_SLICE_GROUP && prefix < CUP_SLICE_GROUP + CUP_SLICES_MOST;
    if (sliced)
        add_up(totals, tree->slices.rows, tree->slices.row_count, weight, prefix - CUP_SLICE_GROUP);
    else
        add_up(totals, tree->rows, tree->row_count, weight, prefix);
    for (size_t i = tree->node_count; i-- > 1;)
        totals[tree->nodes[i].parent] += totals[i];
    return totals;
}
