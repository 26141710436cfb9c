#include "analysis/metrics/functions/user_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint32_t cup_user_frame(const struct cup_call_tree *tree, uint32_t node)
{
    for (; node; node = tree->nodes[node].parent)
        if (cup_call_function(tree, node)->user)
            return tree->nodes[node].frame;
    return CUP_NOTHING;
}

static bool is_helper(const struct cup_call_tree *tree, uint32_t node)
{
    for (; node; node = tree->nodes[node].parent)
        if (cup_call_function(tree, node)->kind == CUP_FRAME_HELPER)
            return true;
    return false;
}

uint32_t cup_heaviest_user_frame(const struct cup_call_tree *tree, enum cup_weight weight,
                                 uint64_t *amount)
{
    uint64_t *amounts = calloc(tree->frame_count + 1, sizeof *amounts);
    uint32_t heaviest = CUP_NOTHING;
    *amount = 0;
    for (size_t i = 0; amounts && i < tree->row_count; i++) {
        const struct cup_call_row *row = &tree->rows[i];
        uint32_t frame = cup_user_frame(tree, row->node);
        if (frame == CUP_NOTHING || row->prefix == CUP_NO_PREFIX || is_helper(tree, row->node))
            continue;
        amounts[frame] += row->weights.of[weight];
        if (amounts[frame] > *amount) {
            *amount = amounts[frame];
            heaviest = frame;
        }
    }
    free(amounts);
    return heaviest;
}

/* True if the directory of the file is a package's, or not there to be looked into. */
static bool may_be_in_package(struct cup_text path)
{
    char init[CUP_LINE_ROOM];
    const char *slash = path.length ? memrchr(path.bytes, '/', path.length) : NULL;
    if (!slash || slash == path.bytes || memmem(path.bytes, path.length, "/ipykernel_", 11))
        return false;
    int length = (int)(slash - path.bytes);
    snprintf(init, sizeof init, "%.*s/__init__.py", length, path.bytes);
    if (access(init, F_OK) == 0)
        return true;
    snprintf(init, sizeof init, "%.*s", length, path.bytes);
    return access(init, F_OK) != 0;
}

const char *cup_frame_place(const struct cup_call_tree *tree, uint32_t frame,
                            char to[CUP_LINE_ROOM])
{
    const struct cup_call_frame *at = &tree->frames[frame];
    const struct cup_function *function = &tree->functions[at->function];
    struct cup_text file = cup_call_text(tree, function->file);
    int parts = may_be_in_package(cup_call_text(tree, function->path)) ? 2 : 1;
    char line[16] = "";
    size_t begin = file.length;
    while (begin > 0 && (file.bytes[begin - 1] != '/' || --parts > 0))
        begin--;
    if (at->line)
        snprintf(line, sizeof line, ":%u", at->line);
    return cup_format(to, "%.*s%s", (int)(file.length - begin < 300 ? file.length - begin : 300),
                      file.length ? file.bytes + begin : "(not known)", line);
}
