/* Stacks for flame graphs of other tools: as lines of text, and as speedscope reads them. */
#include <inttypes.h>
#include <string.h>

#include "analysis/export/export.h"
#include "analysis/metrics/functions/folded.h"
#include "analysis/write/json_writer.h"

/* X(weight, name, title, speedscope's name of the unit, nanoseconds or bytes in one unit) */
#define EXPORTED_WEIGHTS(X)                                                                        \
    X(CPU, "cpu", "CPU time", "microseconds", 1000)                                                \
    X(WAIT, "wait", "waits of over 1 ms", "microseconds", 1000)                                    \
    X(READ, "read", "bytes read", "bytes", 1)                                                      \
    X(ALLOC, "alloc", "bytes allocated", "bytes", 1)

static const struct exported {
    enum cup_weight weight;
    const char *title, *unit;
    uint64_t scale;
} weights[] = {
#define X(id, name, title, unit, scale) {CUP_W_##id, title, unit, scale},
    EXPORTED_WEIGHTS(X)
#undef X
};
enum { WEIGHTS = sizeof weights / sizeof *weights };

/* What there is at a node itself. */
static uint64_t amount_of(const struct cup_folded_node *node, const struct exported *weight)
{
    return (node->self + weight->scale / 2) / weight->scale;
}

/* The functions of a stack, from the outermost to the node's own. Returns how many there are. */
static uint32_t read_path(const struct cup_folded *folded, uint32_t node,
                          uint32_t path[CUP_CALL_DEPTH_MOST + 1])
{
    uint32_t depth = folded->nodes[node].depth;
    for (uint32_t i = depth; i-- > 0; node = folded->nodes[node].parent)
        path[i] = folded->nodes[node].function;
    return depth;
}

/* ---- collapsed ----------------------------------------------------------------------------- */

/* A ';' in a name would end the frame, so it is replaced. */
static void put_frame(FILE *out, const struct cup_call_tree *tree, uint32_t function)
{
    char text[CUP_FRAME_ROOM];
    cup_function_text(tree, function, 0, text);
    for (char *at = text; (at = strchr(at, ';')) != NULL;)
        *at = ':';
    fputs(text, out);
}

static int write_weight(const struct cup_totals *totals, const struct cup_output *output,
                        const struct exported *weight)
{
    struct cup_folded folded;
    uint32_t path[CUP_CALL_DEPTH_MOST + 1];
    if (cup_fold(&folded, totals->calls, weight->weight, CUP_ALL_PREFIXES, CUP_FOLD_FUNCTIONS) != 0)
        return -1;
    for (uint32_t i = 0; i < folded.count && !cup_output_failed(output); i++) {
        uint64_t amount = amount_of(&folded.nodes[i], weight);
        uint32_t depth = amount ? read_path(&folded, i, path) : 0;
        for (uint32_t k = 0; k < depth; k++) {
            if (k)
                putc(';', output->file);
            put_frame(output->file, totals->calls, path[k]);
        }
        if (amount)
            fprintf(output->file, "%s %" PRIu64 "\n", i == 0 ? "(left out)" : "", amount);
    }
    cup_folded_free(&folded);
    return 0;
}

#define X(id, name, title, unit, scale)                                                            \
    static int write_##id(const struct cup_totals *totals, const struct cup_output *output)        \
    {                                                                                              \
        return write_weight(totals, output, &(struct exported){CUP_W_##id, title, unit, scale});   \
    }
EXPORTED_WEIGHTS(X)
#undef X

const struct cup_export_file cup_collapsed_files[] = {
#define X(id, weight, title, unit, scale) {.name = weight ".collapsed", .write = write_##id},
    EXPORTED_WEIGHTS(X)
#undef X
        {0},
};

/* ---- speedscope: one list of frames, and a profile for each weight ------------------------- */

struct writer {
    const struct cup_totals *totals;
    const struct cup_output *output;
    struct cup_json json;
};

static void put(struct writer *writer, const char *name, struct cup_value value)
{
    cup_json_value(&writer->json, name, value);
}

static void put_frames(struct writer *writer)
{
    const struct cup_call_tree *tree = writer->totals->calls;
    cup_json_object(&writer->json, "shared");
    cup_json_array(&writer->json, "frames");
    for (size_t i = 0; i < tree->function_count; i++) {
        const struct cup_function *function = &tree->functions[i];
        struct cup_text name = cup_call_text(tree, function->name);
        cup_json_row(&writer->json, NULL);
        put(writer, "name", name.length ? cup_text(name) : cup_string("(no name)"));
        if (function->file)
            put(writer, "file", cup_text(cup_call_text(tree, function->file)));
        if (function->first_line)
            put(writer, "line", cup_count(function->first_line));
        cup_json_end_object(&writer->json);
    }
    cup_json_end_array(&writer->json);
    cup_json_end_object(&writer->json);
}

static uint64_t put_samples(struct writer *writer, const struct cup_folded *folded,
                            const struct exported *weight)
{
    uint32_t path[CUP_CALL_DEPTH_MOST + 1];
    uint64_t sum = 0;
    cup_json_array(&writer->json, "samples");
    for (uint32_t i = 0; i < folded->count; i++) {
        if (!amount_of(&folded->nodes[i], weight))
            continue;
        uint32_t depth = read_path(folded, i, path);
        cup_json_list(&writer->json, NULL);
        for (uint32_t k = 0; k < depth; k++)
            put(writer, NULL, cup_count(path[k]));
        cup_json_end_array(&writer->json);
    }
    cup_json_end_array(&writer->json);
    cup_json_list(&writer->json, "weights");
    for (uint32_t i = 0; i < folded->count; i++) {
        uint64_t amount = amount_of(&folded->nodes[i], weight);
        if (amount)
            put(writer, NULL, cup_count(amount));
        sum += amount;
    }
    cup_json_end_array(&writer->json);
    return sum;
}

/* Of the tasks of a prefix, if they have any of the weight. */
static int put_profile(struct writer *writer, const struct exported *weight, uint32_t prefix)
{
    const struct cup_profile *profile = writer->totals->profile;
    struct cup_folded folded;
    char name[300];
    if (cup_fold(&folded, writer->totals->calls, weight->weight, prefix, CUP_FOLD_FUNCTIONS) != 0)
        return -1;
    struct cup_text of = prefix < profile->prefix_count
                             ? cup_profile_text(profile, profile->prefixes[prefix].name)
                             : (struct cup_text){0};
    snprintf(name, sizeof name, "%s%s%.*s", weight->title, of.length ? ", " : "",
             of.length < 200 ? (int)of.length : 200, of.length ? of.bytes : "");
    if (folded.nodes[0].total || prefix == CUP_ALL_PREFIXES) {
        cup_json_object(&writer->json, NULL);
        put(writer, "type", cup_string("sampled"));
        put(writer, "name", cup_string(name));
        put(writer, "unit", cup_string(weight->unit));
        put(writer, "startValue", cup_count(0));
        put(writer, "endValue", cup_count(put_samples(writer, &folded, weight)));
        cup_json_end_object(&writer->json);
    }
    cup_folded_free(&folded);
    return 0;
}

static int put_profiles(struct writer *writer)
{
    int result = 0;
    cup_json_array(&writer->json, "profiles");
    for (int w = 0; w < WEIGHTS && result == 0; w++)
        result = put_profile(writer, &weights[w], CUP_ALL_PREFIXES);
    for (uint32_t i = 0; i < writer->totals->profile->prefix_count; i++)
        for (int w = 0; w < WEIGHTS && result == 0; w++)
            result = put_profile(writer, &weights[w], i);
    cup_json_end_array(&writer->json);
    return result;
}

int cup_export_speedscope(const struct cup_totals *totals, const struct cup_output *output)
{
    struct writer writer = {.totals = totals, .output = output};
    cup_json_start(&writer.json, output->file);
    cup_json_object(&writer.json, NULL);
    put(&writer, "$schema", cup_string("https://www.speedscope.app/file-format-schema.json"));
    put(&writer, "exporter", cup_string("cupping " CUP_VERSION));
    put(&writer, "name", cup_string(totals->profile->path));
    put(&writer, "activeProfileIndex", cup_count(0));
    put_frames(&writer);
    int result = put_profiles(&writer);
    cup_json_end_object(&writer.json);
    return result;
}
