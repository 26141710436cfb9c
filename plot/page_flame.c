#include "plot/page_flame.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/write/html.h"
#include "analysis/write/json_writer.h"
#include "plot/flame.h"

static const struct {
    enum cup_weight weight;
    const char *name, *title, *unit, *plot;
} shown[] = {
    {CUP_W_CPU, "cpu", "CPU time", "s", "flame-cpu"},
    {CUP_W_WAIT, "wait", "waits", "s", "flame-wait"},
    {CUP_W_READ, "read", "bytes read", "B", "flame-read"},
    {CUP_W_ALLOC, "alloc", "bytes allocated", "B", "flame-alloc"},
};
enum { SHOWN = sizeof shown / sizeof *shown };

/* Trees of single prefixes, besides that of all tasks. */
enum { PREFIXES = 8 };

/* A box of any of the weights. */
struct node {
    uint32_t parent, frame; /* frame: number, as written */
    uint64_t totals[SHOWN];
};

struct tree {
    struct node *nodes; /* owned; [0] is all */
    size_t count, room;
    struct cup_pair_map at; /* by parent and frame: index + 1 */
};

struct writer {
    const struct cup_totals *totals;
    const struct cup_call_tree *calls;
    struct cup_json json;
    struct cup_pair_map numbers;   /* by function and line: as written + 1 */
    struct cup_call_frame *frames; /* owned; in the order of their numbers */
    size_t frame_count, frame_room;
    uint64_t all[SHOWN]; /* of all tasks */
};

bool cup_page_has_flame(const struct cup_totals *totals)
{
    return totals->calls && totals->calls->row_count > 0;
}

/* ---- functions ---------------------------------------------------------------------------- */

/* Of a function, or of one of its lines, as it is written; CUP_NOTHING without memory. */
static uint32_t number_of(struct writer *writer, const struct cup_folded_node *node)
{
    uint32_t known = cup_pair_map_get(&writer->numbers, node->function, node->line);
    if (known)
        return known - 1;
    if (cup_array_grow(&writer->frames, &writer->frame_room, writer->frame_count,
                       sizeof *writer->frames) != 0 ||
        cup_pair_map_set(&writer->numbers, node->function, node->line,
                         (uint32_t)writer->frame_count + 1) != 0)
        return CUP_NOTHING;
    writer->frames[writer->frame_count] = (struct cup_call_frame){node->function, node->line};
    return (uint32_t)writer->frame_count++;
}

/* ---- trees -------------------------------------------------------------------------------- */

static uint32_t node_of(struct tree *tree, uint32_t parent, uint32_t frame)
{
    uint32_t known = cup_pair_map_get(&tree->at, parent, frame);
    if (known)
        return known - 1;
    if (cup_array_grow(&tree->nodes, &tree->room, tree->count, sizeof *tree->nodes) != 0 ||
        cup_pair_map_set(&tree->at, parent, frame, (uint32_t)tree->count + 1) != 0)
        return CUP_NOTHING;
    tree->nodes[tree->count] = (struct node){.parent = parent, .frame = frame};
    return (uint32_t)tree->count++;
}

/* Adds the boxes of one weight that are wide enough; what a box holds is less than it, so parents
 * of these are, too. */
static int add_boxes(struct writer *writer, struct tree *tree, const struct cup_folded *folded,
                     int weight)
{
    uint32_t *place = calloc(folded->count, sizeof *place);
    double least = CUP_FLAME_LEAST * (double)folded->nodes[0].total;
    int result = place ? 0 : -1;
    if (place)
        tree->nodes[0].totals[weight] = folded->nodes[0].total;
    for (size_t i = 1; i < folded->count && result == 0; i++) {
        const struct cup_folded_node *node = &folded->nodes[i];
        if ((double)node->total < least)
            continue;
        uint32_t number = number_of(writer, node);
        place[i] = number == CUP_NOTHING ? CUP_NOTHING : node_of(tree, place[node->parent], number);
        if (place[i] == CUP_NOTHING)
            result = -1;
        else
            tree->nodes[place[i]].totals[weight] = node->total;
    }
    free(place);
    return result;
}

static void tree_free(struct tree *tree)
{
    free(tree->nodes);
    cup_pair_map_clear(&tree->at);
}

static int tree_make(struct writer *writer, struct tree *tree, uint32_t prefix)
{
    *tree = (struct tree){0};
    if (cup_array_grow(&tree->nodes, &tree->room, 0, sizeof *tree->nodes) != 0)
        return -1;
    tree->nodes[0] = (struct node){0};
    tree->count = 1;
    for (int i = 0; i < SHOWN; i++) {
        struct cup_folded folded;
        if (cup_fold(&folded, writer->calls, shown[i].weight, prefix, CUP_FOLD_USER_LINES) != 0)
            return -1;
        int result = add_boxes(writer, tree, &folded, i);
        cup_folded_free(&folded);
        if (result != 0)
            return -1;
    }
    return 0;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void put(struct writer *writer, const char *name, struct cup_value value)
{
    cup_json_value(&writer->json, name, value);
}

static void put_tree(struct writer *writer, const struct tree *tree, struct cup_text title)
{
    cup_json_row(&writer->json, NULL);
    put(writer, "title", cup_text(title));
    cup_json_list(&writer->json, "parents");
    for (size_t i = 0; i < tree->count; i++)
        put(writer, NULL, cup_count(tree->nodes[i].parent));
    cup_json_end_array(&writer->json);
    cup_json_list(&writer->json, "functions");
    for (size_t i = 0; i < tree->count; i++)
        put(writer, NULL, cup_count(tree->nodes[i].frame));
    cup_json_end_array(&writer->json);
    for (int w = 0; w < SHOWN; w++) {
        cup_json_list(&writer->json, shown[w].name);
        for (size_t i = 0; i < tree->count; i++)
            put(writer, NULL,
                cup_count(*shown[w].unit == 's' ? (tree->nodes[i].totals[w] + 500) / 1000
                                                : tree->nodes[i].totals[w]));
        cup_json_end_array(&writer->json);
    }
    cup_json_end_object(&writer->json);
}

static int put_tree_of(struct writer *writer, uint32_t prefix, struct cup_text title)
{
    struct tree tree;
    int result = tree_make(writer, &tree, prefix);
    if (result == 0 && prefix == CUP_ALL_PREFIXES)
        memcpy(writer->all, tree.nodes[0].totals, sizeof writer->all);
    if (result == 0 && (tree.count > 1 || prefix == CUP_ALL_PREFIXES))
        put_tree(writer, &tree, title);
    tree_free(&tree);
    return result;
}

/* Of all tasks, and of those prefixes that took the most time. */
static int put_trees(struct writer *writer)
{
    const struct cup_profile *profile = writer->totals->profile;
    size_t count;
    uint32_t *order = cup_prefixes_by_time(writer->totals, &count);
    if (!order)
        return -1;
    cup_json_array(&writer->json, "trees");
    int result = put_tree_of(writer, CUP_ALL_PREFIXES, (struct cup_text){"all tasks", 9});
    for (size_t i = 0; i < count && i < PREFIXES && count > 1 && result == 0; i++)
        result = put_tree_of(writer, order[i],
                             cup_profile_text(profile, profile->prefixes[order[i]].name));
    cup_json_end_array(&writer->json);
    free(order);
    return result;
}

static void put_weights(struct writer *writer)
{
    cup_json_array(&writer->json, "weights");
    for (int i = 0; i < SHOWN; i++) {
        cup_json_row(&writer->json, NULL);
        put(writer, "name", cup_string(shown[i].name));
        put(writer, "title", cup_string(shown[i].title));
        put(writer, "unit", cup_string(shown[i].unit));
        cup_json_end_object(&writer->json);
    }
    cup_json_end_array(&writer->json);
}

/* "name (file:line)", and whose it is: a number of cup_flame_kind_names. */
static void put_functions(struct writer *writer)
{
    cup_json_list(&writer->json, "kinds");
    for (int i = 0; i < CUP_FLAME_KINDS; i++)
        put(writer, NULL, cup_string(cup_flame_kind_names[i]));
    cup_json_end_array(&writer->json);
    cup_json_array(&writer->json, "functions");
    for (size_t i = 0; i < writer->frame_count; i++) {
        const struct cup_call_frame *frame = &writer->frames[i];
        char text[CUP_FRAME_ROOM];
        cup_json_list(&writer->json, NULL);
        put(writer, NULL,
            cup_string(cup_function_text(writer->calls, frame->function, frame->line, text)));
        put(writer, NULL, cup_count(cup_flame_kind_of(writer->calls, frame->function)));
        cup_json_end_array(&writer->json);
    }
    cup_json_end_array(&writer->json);
}

static int put_data(struct writer *writer)
{
    cup_json_row(&writer->json, NULL); /* in one line: control characters are taken out */
    put_weights(writer);
    int result = put_trees(writer);
    if (result == 0)
        put_functions(writer);
    cup_json_end_object(&writer->json);
    cup_pair_map_clear(&writer->numbers);
    free(writer->frames);
    return result;
}

/* What has nothing to show has no plot to link to. */
static void put_links(FILE *out, const struct writer *writer)
{
    const char *between = " As pictures:";
    fputs("<p class=\"pictures\">A box is a function, as wide as what it and those below it, which "
          "it "
          "calls, took. Press one to widen it; Escape shows all.",
          out);
    for (int i = 0; i < SHOWN; i++) {
        if (!writer->all[i])
            continue;
        fprintf(out, "%s <a href=\"#plot-%s\">%s</a>", between, shown[i].plot, shown[i].title);
        between = ",";
    }
    fputs(".</p>\n", out);
}

/* As text of an element: so nothing in it can be markup. */
int cup_page_flame(FILE *out, const struct cup_totals *totals)
{
    struct writer writer = {.totals = totals, .calls = totals->calls};
    char *text = NULL;
    size_t bytes;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return -1;
    cup_json_start(&writer.json, memory);
    int result = put_data(&writer);
    if (fclose(memory) != 0)
        result = -1;
    if (result == 0) {
        put_links(out, &writer);
        fputs("<div id=\"flame\" class=\"flame\" hidden></div>\n<pre id=\"flame-data\" hidden>",
              out);
        cup_html_text(out, (struct cup_text){text, bytes - 1}); /* without its newline */
        fputs("</pre>\n", out);
    }
    free(text);
    return result;
}
