/* Which source line requested which branches. */
#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/metrics/functions/call_tree.h"

/* The innermost line of the user's code, because the user can change that one. Without such a line,
 * the innermost Python frame. */
static uint32_t line_of(const struct cup_call_tree *tree, uint32_t node)
{
    for (uint32_t at = node; at; at = tree->nodes[at].parent)
        if (cup_call_function(tree, at)->user)
            return tree->nodes[at].frame;
    uint32_t python = cup_call_python(tree, node);
    return tree->nodes[python ? python : node].frame;
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
