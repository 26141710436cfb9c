#include "analysis/metrics/functions/folded.h"

#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/base/utf8.h"

/* The child of like->parent with that KEY, added as a copy of LIKE if it is new. Returns its index,
 * or CUP_NOTHING without memory. Nodes with the same parent and KEY are merged. */
static uint32_t node_of(struct cup_folded *folded, struct cup_pair_map *map, uint32_t key,
                        const struct cup_folded_node *like)
{
    uint32_t known = cup_pair_map_get(map, like->parent, key);
    if (known)
        return known - 1;
    if (cup_array_grow(&folded->nodes, &folded->room, folded->count, sizeof *folded->nodes) != 0 ||
        cup_pair_map_set(map, like->parent, key, (uint32_t)folded->count + 1) != 0)
        return CUP_NOTHING;
    folded->nodes[folded->count] = *like;
    folded->nodes[folded->count].depth = (uint16_t)(folded->nodes[like->parent].depth + 1);
    return (uint32_t)folded->count++;
}

/* Fills in PLACE, the folded node of each node of the tree. Parents stand before their children, so
 * the parent's place is known. */
static int fold_nodes(struct cup_folded *folded, const struct cup_call_tree *tree,
                      const uint64_t *totals, uint32_t *place, enum cup_fold_by by)
{
    struct cup_pair_map map = {0};
    int result = 0;
    folded->nodes[0] = (struct cup_folded_node){.total = totals[0]};
    folded->count = 1;
    for (size_t i = 1; i < tree->node_count && result == 0; i++) {
        const struct cup_call_node *node = &tree->nodes[i];
        if (!totals[i])
            continue;
        const struct cup_call_frame *frame = &tree->frames[node->frame];
        bool apart = by == CUP_FOLD_USER_LINES && tree->functions[frame->function].user;
        const struct cup_folded_node like = {.parent = place[node->parent],
                                             .function = frame->function,
                                             .node = (uint32_t)i,
                                             .line = apart ? frame->line : 0,
                                             .phase = node->phase};
        uint32_t key = apart ? (uint32_t)tree->function_count + node->frame : frame->function;
        place[i] = node_of(folded, &map, key, &like);
        if (place[i] == CUP_NOTHING)
            result = -1;
        else
            folded->nodes[place[i]].total += totals[i];
    }
    cup_pair_map_clear(&map);
    return result;
}

/* A node's own amount is its total less the totals of its children. */
static void find_selves(struct cup_folded *folded)
{
    for (size_t i = 0; i < folded->count; i++)
        folded->nodes[i].self = folded->nodes[i].total;
    for (size_t i = 1; i < folded->count; i++)
        folded->nodes[folded->nodes[i].parent].self -= folded->nodes[i].total;
}

int cup_fold(struct cup_folded *folded, const struct cup_call_tree *tree, enum cup_weight weight,
             uint32_t prefix, enum cup_fold_by by)
{
    *folded = (struct cup_folded){0};
    uint64_t *totals = cup_call_totals(tree, weight, prefix);
    uint32_t *place = calloc(tree->node_count + 1, sizeof *place);
    int result =
        totals && place &&
                cup_array_grow(&folded->nodes, &folded->room, 0, sizeof *folded->nodes) == 0
            ? fold_nodes(folded, tree, totals, place, by)
            : -1;
    free(totals);
    free(place);
    if (result == 0)
        find_selves(folded);
    else
        cup_folded_free(folded);
    return result;
}

void cup_folded_free(struct cup_folded *folded)
{
    free(folded->nodes);
    *folded = (struct cup_folded){0};
}

/* Appends TEXT to `to`, with '?' for control characters and bytes that are not UTF-8. Stops before
 * `end`. Returns the new end of the text. */
static char *append_clean(char *to, const char *end, struct cup_text text)
{
    const char *at = text.bytes, *stop = text.length ? at + text.length : at;
    while (at < stop) {
        uint32_t code;
        size_t length = cup_utf8_next(at, stop, &code);
        bool shown = cup_utf8_is_harmless(code);
        if (to + (shown ? length : 1) >= end)
            break;
        if (shown)
            memcpy(to, at, length);
        else
            *to = '?';
        to += shown ? length : 1;
        at += length;
    }
    return to;
}

char *cup_function_text(const struct cup_call_tree *tree, uint32_t index, uint32_t line,
                        char to[CUP_FRAME_ROOM])
{
    enum { PLACE = CUP_FRAME_ROOM - 220, LINE = 16 };
    const struct cup_function *function = &tree->functions[index];
    struct cup_text file = cup_call_text(tree, function->file);
    char *end = append_clean(to, to + 200, cup_call_text(tree, function->name));
    *end = '\0';
    if (!file.length || (function->kind == CUP_FRAME_NATIVE && !function->named))
        return to;
    /* Of a long path, the end is kept. */
    size_t cut = file.length > PLACE - LINE ? file.length - (PLACE - LINE) : 0;
    *end++ = ' ';
    *end++ = '(';
    end = append_clean(end, end + PLACE, (struct cup_text){file.bytes + cut, file.length - cut});
    line = line ? line : function->first_line;
    if (line)
        end += snprintf(end, LINE, ":%u", line);
    snprintf(end, 2, ")");
    return to;
}
