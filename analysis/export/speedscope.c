/* Stacks as speedscope reads them: one list of frames, and a profile for each weight. */
#include <stdlib.h>

#include "analysis/export/export.h"
#include "analysis/export/export_directory.h"
#include "analysis/export/exported_weights.h"
#include "analysis/metrics/functions/folded.h"
#include "analysis/write/json_writer.h"

#include "analysis/base/version.h"
struct shown_weight {
    enum cup_weight weight;
    const char *title, *unit;
    uint64_t scale;
};

static const struct shown_weight shown[] = {
#define X(id, name, title, unit, scale) {CUP_W_##id, title, unit, scale},
    CUP_EXPORTED_WEIGHTS(X)
#undef X
};
enum { SHOWN = sizeof shown / sizeof *shown };

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

/* What there is at a node itself. */
static uint64_t amount_of(const struct cup_folded_node *node, const struct shown_weight *weight)
{
    return (node->self + weight->scale / 2) / weight->scale;
}

static void put_sample(struct writer *writer, const struct cup_folded *folded, uint32_t node)
{
    uint32_t path[CUP_CALL_DEPTH_MOST + 1], depth = folded->nodes[node].depth;
    for (uint32_t i = depth; i-- > 0; node = folded->nodes[node].parent)
        path[i] = folded->nodes[node].function;
    cup_json_list(&writer->json, NULL);
    for (uint32_t i = 0; i < depth; i++)
        put(writer, NULL, cup_count(path[i]));
    cup_json_end_array(&writer->json);
}

static uint64_t put_samples(struct writer *writer, const struct cup_folded *folded,
                            const struct shown_weight *weight)
{
    uint64_t sum = 0;
    cup_json_array(&writer->json, "samples");
    for (uint32_t i = 0; i < folded->count; i++)
        if (amount_of(&folded->nodes[i], weight))
            put_sample(writer, folded, i);
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
static int put_profile(struct writer *writer, const struct shown_weight *weight, uint32_t prefix)
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
    for (int w = 0; w < SHOWN && result == 0; w++)
        result = put_profile(writer, &shown[w], CUP_ALL_PREFIXES);
    for (uint32_t i = 0; i < writer->totals->profile->prefix_count; i++)
        for (int w = 0; w < SHOWN && result == 0; w++)
            result = put_profile(writer, &shown[w], i);
    cup_json_end_array(&writer->json);
    return result;
}

static int write_speedscope(const struct cup_totals *totals, const struct cup_output *output)
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

int cup_export_speedscope(const struct cup_totals *totals, const char *path,
                          struct cup_error *error)
{
    return cup_export_file(totals, path, write_speedscope, error);
}
