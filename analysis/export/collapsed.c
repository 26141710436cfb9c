/* Stacks as lines of text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export/export.h"
#include "analysis/export/export_directory.h"
#include "analysis/export/exported_weights.h"
#include "analysis/metrics/functions/folded.h"

/* A ';' in a name would end the frame, so it is replaced. */
static void put_frame(FILE *out, const struct cup_call_tree *tree, uint32_t function)
{
    char text[CUP_FRAME_ROOM];
    cup_function_text(tree, function, 0, text);
    for (char *at = text; (at = strchr(at, ';')) != NULL;)
        *at = ':';
    fputs(text, out);
}

/* From the outermost frame to the node's own. */
static void put_stack(FILE *out, const struct cup_call_tree *tree, const struct cup_folded *folded,
                      uint32_t node)
{
    uint32_t path[CUP_CALL_DEPTH_MOST + 1], depth = folded->nodes[node].depth;
    for (uint32_t i = depth; i-- > 0; node = folded->nodes[node].parent)
        path[i] = folded->nodes[node].function;
    for (uint32_t i = 0; i < depth; i++) {
        if (i)
            putc(';', out);
        put_frame(out, tree, path[i]);
    }
}

static int write_weight(const struct cup_totals *totals, const struct cup_output *output,
                        enum cup_weight weight, uint64_t scale)
{
    struct cup_folded folded;
    if (cup_fold(&folded, totals->calls, weight, CUP_ALL_PREFIXES, CUP_FOLD_FUNCTIONS) != 0)
        return -1;
    for (uint32_t i = 0; i < folded.count && !cup_output_failed(output); i++) {
        uint64_t amount = (folded.nodes[i].self + scale / 2) / scale;
        if (!amount)
            continue;
        if (i == 0)
            fputs("(left out)", output->file);
        put_stack(output->file, totals->calls, &folded, i);
        fprintf(output->file, " %" PRIu64 "\n", amount);
    }
    cup_folded_free(&folded);
    return 0;
}

#define X(id, name, title, unit, scale)                                                            \
    static int write_##id(const struct cup_totals *totals, const struct cup_output *output)        \
    {                                                                                              \
        return write_weight(totals, output, CUP_W_##id, scale);                                    \
    }
CUP_EXPORTED_WEIGHTS(X)
#undef X

int cup_export_collapsed(const struct cup_totals *totals, const char *directory,
                         struct cup_error *error)
{
    static const struct cup_export_file files[] = {
#define X(id, name, title, unit, scale) {name ".collapsed", write_##id, NULL},
        CUP_EXPORTED_WEIGHTS(X)
#undef X
    };
    return cup_export_files(totals, directory, files, sizeof files / sizeof *files, error);
}
