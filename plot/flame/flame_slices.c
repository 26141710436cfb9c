#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/write/json_writer.h"
#include "plot/flame/flame.h"

/* With several runs, the number of samples is written, too: from it, flame.js calculates the
 * sampling error of a change. */
enum { SAMPLES = CUP_FLAME_WEIGHTS, AMOUNTS };
static const enum cup_weight weights[AMOUNTS] = {CUP_W_CPU, CUP_W_WAIT, CUP_W_READ, CUP_W_ALLOC,
                                                 CUP_W_SAMPLES};

/* Different pairs, numbered as they come. */
struct pairs {
    struct cup_pair_map numbers; /* number + 1 */
    struct pair {
        uint32_t first, second;
    } * rows; /* owned */
    size_t count, room;
};

struct writer {
    const struct cup_flame_slices *slices;
    struct cup_json json;
    struct pairs frames; /* function and line, in the order of the output */
    struct pairs nodes;  /* boxes of the tree that all slices share: parent and frame; [0] is the
                            root */
};

/* ---- boxes -------------------------------------------------------------------------------- */

/* Returns the number of a pair, adding it if it is new; CUP_NOTHING without memory. */
static uint32_t number_pair(struct pairs *pairs, uint32_t first, uint32_t second)
{
    uint32_t known = cup_pair_map_get(&pairs->numbers, first, second);
    if (known)
        return known - 1;
    if (cup_array_grow(&pairs->rows, &pairs->room, pairs->count, sizeof *pairs->rows) != 0 ||
        cup_pair_map_set(&pairs->numbers, first, second, (uint32_t)pairs->count + 1) != 0)
        return CUP_NOTHING;
    pairs->rows[pairs->count] = (struct pair){first, second};
    return (uint32_t)pairs->count++;
}

static void free_pairs(struct pairs *pairs)
{
    cup_pair_map_clear(&pairs->numbers);
    free(pairs->rows);
}

static bool is_wide(const struct cup_folded *folded, size_t node)
{
    return (double)folded->nodes[node].total >= CUP_FLAME_LEAST * (double)folded->nodes[0].total;
}

/* Adds the wide boxes of a slice. A box is never wider than its parent, so the parent of a wide box
 * is wide, and has been added before it. */
static int add_boxes(struct writer *writer, const struct cup_folded *folded)
{
    uint32_t *place = calloc(folded->count + 1, sizeof *place);
    int result = place ? 0 : -1;
    for (size_t i = 1; i < folded->count && result == 0; i++) {
        if (!is_wide(folded, i))
            continue;
        const struct cup_folded_node *node = &folded->nodes[i];
        uint32_t frame = number_pair(&writer->frames, node->function, node->line);
        place[i] = frame == CUP_NOTHING ? CUP_NOTHING
                                        : number_pair(&writer->nodes, place[node->parent], frame);
        result = place[i] == CUP_NOTHING ? -1 : 0;
    }
    free(place);
    return result;
}

static int fold_slice(struct writer *writer, size_t slice, int amount, struct cup_folded *folded)
{
    return cup_fold(folded, writer->slices->calls, weights[amount],
                    writer->slices->slices[slice].prefix, CUP_FOLD_USER_LINES);
}

static int find_boxes(struct writer *writer)
{
    struct pairs *nodes = &writer->nodes;
    if (cup_array_grow(&nodes->rows, &nodes->room, 0, sizeof *nodes->rows) != 0)
        return -1;
    nodes->rows[nodes->count++] = (struct pair){0};
    for (size_t slice = 0; slice < writer->slices->count; slice++)
        for (int amount = 0; amount < CUP_FLAME_WEIGHTS; amount++) {
            struct cup_folded folded;
            if (fold_slice(writer, slice, amount, &folded) != 0)
                return -1;
            int result = add_boxes(writer, &folded);
            cup_folded_free(&folded);
            if (result != 0)
                return -1;
        }
    return 0;
}

/* ---- amounts ------------------------------------------------------------------------------ */

/* The amounts of one slice, for each box. */
struct amounts {
    uint64_t *of[AMOUNTS]; /* owned */
};

/* Fills in the amounts of the boxes that are wide in this slice. When runs are compared, boxes that
 * are wide in any run get their amounts in all of them. */
static int fill_amounts(struct writer *writer, const struct cup_folded *folded,
                        struct amounts *amounts, int amount)
{
    uint32_t *place = calloc(folded->count + 1, sizeof *place); /* index of the box + 1; 0: none */
    if (!place)
        return -1;
    place[0] = 1;
    amounts->of[amount][0] = folded->nodes[0].total;
    for (size_t i = 1; i < folded->count; i++) {
        const struct cup_folded_node *node = &folded->nodes[i];
        uint32_t number = cup_pair_map_get(&writer->frames.numbers, node->function, node->line);
        if (!number || !place[node->parent] || (!writer->slices->compared && !is_wide(folded, i)))
            continue;
        place[i] = cup_pair_map_get(&writer->nodes.numbers, place[node->parent] - 1, number - 1);
        if (!place[i])
            continue;
        amounts->of[amount][place[i] - 1] = node->total;
    }
    free(place);
    return 0;
}

static int fill_all_amounts(struct writer *writer, size_t slice, struct amounts *amounts)
{
    int result = 0, most = writer->slices->compared ? AMOUNTS : SAMPLES;
    for (int amount = 0; amount < most && result == 0; amount++) {
        struct cup_folded folded;
        amounts->of[amount] = calloc(writer->nodes.count, sizeof *amounts->of[amount]);
        if (!amounts->of[amount] || fold_slice(writer, slice, amount, &folded) != 0)
            return -1;
        result = fill_amounts(writer, &folded, amounts, amount);
        cup_folded_free(&folded);
    }
    return result;
}

static void free_amounts(struct amounts *amounts)
{
    for (int amount = 0; amount < AMOUNTS; amount++)
        free(amounts->of[amount]);
}

/* ---- writing ------------------------------------------------------------------------------ */

static void write_value(struct writer *writer, const char *name, struct cup_value value)
{
    cup_json_value(&writer->json, name, value);
}

static bool is_seconds(int amount)
{
    return cup_weight_units[weights[amount]] == CUP_UNIT_SECONDS;
}

/* Rounds to microseconds; bytes and samples are whole. */
static int64_t round_amount(const struct amounts *amounts, int amount, size_t node)
{
    uint64_t exact = amounts->of[amount][node];
    return (int64_t)(is_seconds(amount) ? (exact + 500) / 1000 : exact);
}

/* Writes the boxes' own amounts (without their callees') as pairs: distance to the previous box in
 * the list, amount. Boxes without an own amount, which are most, are skipped. */
static int write_amounts(struct writer *writer, const struct amounts *amounts, int amount)
{
    int64_t *own = calloc(writer->nodes.count, sizeof *own);
    size_t before = 0;
    if (!own)
        return -1;
    for (size_t i = 0; i < writer->nodes.count; i++) {
        own[i] += round_amount(amounts, amount, i);
        if (i)
            own[writer->nodes.rows[i].first] -= round_amount(amounts, amount, i);
    }
    cup_json_list(&writer->json, amount == SAMPLES ? "samples" : cup_flame_weights[amount].name);
    for (size_t i = 0; i < writer->nodes.count; i++) {
        if (own[i] == 0)
            continue;
        write_value(writer, NULL, cup_count(i - before));
        write_value(writer, NULL, cup_signed(own[i]));
        before = i;
    }
    cup_json_end_array(&writer->json);
    free(own);
    return 0;
}

static int write_slice(struct writer *writer, size_t slice, const struct amounts *amounts)
{
    int result = 0;
    const struct cup_flame_slice *of = &writer->slices->slices[slice];
    cup_json_row(&writer->json, NULL);
    write_value(writer, "title", cup_text(of->title));
    if (of->group)
        write_value(writer, "group", cup_string(of->group));
    if (of->per > 0)
        write_value(writer, "per", cup_real(of->per));
    write_value(writer, "sampled", cup_bool(of->sampled));
    for (int amount = 0; amount < AMOUNTS && result == 0; amount++)
        if (amounts->of[amount])
            result = write_amounts(writer, amounts, amount);
    cup_json_end_object(&writer->json);
    return result;
}

/* Slices without any amount are not offered; runs always are. */
static bool has_any(const struct writer *writer, const struct amounts *amounts)
{
    bool any = writer->slices->compared;
    for (int i = 0; i < CUP_FLAME_WEIGHTS; i++)
        any |= amounts->of[i][0] > 0;
    return any;
}

static int write_slices(struct writer *writer,
                        uint64_t all[CUP_FLAME_SLICES_MOST][CUP_FLAME_WEIGHTS])
{
    int result = 0;
    cup_json_array(&writer->json, "slices");
    for (size_t slice = 0; slice < writer->slices->count && result == 0; slice++) {
        struct amounts amounts = {.of = {NULL}};
        result = fill_all_amounts(writer, slice, &amounts);
        for (int i = 0; i < CUP_FLAME_WEIGHTS && result == 0; i++)
            all[slice][i] = amounts.of[i][0];
        if (result == 0 && (slice == 0 || has_any(writer, &amounts)))
            result = write_slice(writer, slice, &amounts);
        free_amounts(&amounts);
    }
    cup_json_end_array(&writer->json);
    return result;
}

static void write_boxes(struct writer *writer)
{
    cup_json_list(&writer->json, "parents");
    for (size_t i = 0; i < writer->nodes.count; i++)
        write_value(writer, NULL, cup_count(writer->nodes.rows[i].first));
    cup_json_end_array(&writer->json);
    cup_json_list(&writer->json, "frames");
    for (size_t i = 0; i < writer->nodes.count; i++)
        write_value(writer, NULL, cup_count(writer->nodes.rows[i].second));
    cup_json_end_array(&writer->json);
}

static void write_weights(struct writer *writer)
{
    cup_json_array(&writer->json, "weights");
    for (int i = 0; i < CUP_FLAME_WEIGHTS; i++) {
        cup_json_row(&writer->json, NULL);
        write_value(writer, "name", cup_string(cup_flame_weights[i].name));
        write_value(writer, "title", cup_string(cup_flame_weights[i].title));
        write_value(writer, "unit", cup_string(is_seconds(i) ? "s" : "B"));
        cup_json_end_object(&writer->json);
    }
    cup_json_end_array(&writer->json);
}

/* Writes the functions: "name (file:line)", and an index of cup_flame_kind_names. */
static void write_functions(struct writer *writer)
{
    const struct cup_call_tree *calls = writer->slices->calls;
    cup_json_list(&writer->json, "kinds");
    for (int i = 0; i < CUP_FLAME_KINDS; i++)
        write_value(writer, NULL, cup_string(cup_flame_kind_names[i]));
    cup_json_end_array(&writer->json);
    cup_json_array(&writer->json, "functions");
    for (size_t i = 0; i < writer->frames.count; i++) {
        const struct pair *frame = &writer->frames.rows[i];
        char text[CUP_FRAME_ROOM];
        cup_json_list(&writer->json, NULL);
        write_value(writer, NULL,
                    cup_string(cup_function_text(calls, frame->first, frame->second, text)));
        write_value(writer, NULL, cup_count(cup_flame_kind_of(calls, frame->first)));
        cup_json_end_array(&writer->json);
    }
    cup_json_end_array(&writer->json);
}

static void write_compared(struct writer *writer)
{
    static const double shades[] = CUP_FLAME_SHADES;
    if (!writer->slices->compared)
        return;
    write_value(writer, "baseline", cup_count(writer->slices->baseline));
    write_value(writer, "each", cup_string(writer->slices->by_event ? "event" : "task"));
    cup_json_list(&writer->json, "shades");
    for (int i = 0; i < CUP_FLAME_SHADE_COUNT; i++)
        write_value(writer, NULL, cup_real(shades[i]));
    cup_json_end_array(&writer->json);
    write_value(writer, "alloc_step", cup_count(CUP_FLAME_ALLOC_STEP));
}

int cup_flame_slices_put(FILE *out, const struct cup_flame_slices *slices,
                         uint64_t amounts[CUP_FLAME_SLICES_MOST][CUP_FLAME_WEIGHTS])
{
    struct writer writer = {.slices = slices};
    int result = find_boxes(&writer);
    cup_json_start(&writer.json, out);
    cup_json_row(&writer.json, NULL); /* one line: cup_json_row() writes no line breaks */
    if (result == 0) {
        write_compared(&writer);
        write_weights(&writer);
        write_functions(&writer);
        write_boxes(&writer);
        result = write_slices(&writer, amounts);
    }
    cup_json_end_object(&writer.json);
    free_pairs(&writer.frames);
    free_pairs(&writer.nodes);
    return result;
}
