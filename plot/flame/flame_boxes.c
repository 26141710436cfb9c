#include "plot/flame/flame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cup_flame_kind_names[CUP_FLAME_KINDS] = {
    [CUP_FLAME_USER] = "your own",
    [CUP_FLAME_COFFEA] = "coffea",
    [CUP_FLAME_READING] = "reading",
    [CUP_FLAME_ARRAYS] = "arrays",
    [CUP_FLAME_DASK] = "Dask",
    [CUP_FLAME_STDLIB] = "Python's own",
    [CUP_FLAME_OTHER] = "other packages",
};

enum cup_flame_kind cup_flame_kind_of(const struct cup_call_tree *tree, uint32_t function)
{
    static const struct {
        const char *package;
        enum cup_flame_kind kind;
    } kinds[] = {
        {"coffea", CUP_FLAME_COFFEA},          {"uproot", CUP_FLAME_READING},
        {"fsspec", CUP_FLAME_READING},         {"fsspec_xrootd", CUP_FLAME_READING},
        {"XRootD", CUP_FLAME_READING},         {"aiohttp", CUP_FLAME_READING},
        {"cramjam", CUP_FLAME_READING},        {"lz4", CUP_FLAME_READING},
        {"zstandard", CUP_FLAME_READING},      {"xxhash", CUP_FLAME_READING},
        {"pyarrow", CUP_FLAME_READING},        {"awkward", CUP_FLAME_ARRAYS},
        {"awkward_cpp", CUP_FLAME_ARRAYS},     {"numpy", CUP_FLAME_ARRAYS},
        {"numba", CUP_FLAME_ARRAYS},           {"hist", CUP_FLAME_ARRAYS},
        {"boost_histogram", CUP_FLAME_ARRAYS}, {"vector", CUP_FLAME_ARRAYS},
        {"correctionlib", CUP_FLAME_ARRAYS},   {"scipy", CUP_FLAME_ARRAYS},
        {"pandas", CUP_FLAME_ARRAYS},          {"dask", CUP_FLAME_DASK},
        {"distributed", CUP_FLAME_DASK},       {"dask_awkward", CUP_FLAME_DASK},
        {"tornado", CUP_FLAME_DASK},           {"stdlib", CUP_FLAME_STDLIB},
        {"python", CUP_FLAME_STDLIB},
    };
    const struct cup_function *of = &tree->functions[function];
    struct cup_text package = cup_call_text(tree, of->package);
    if (of->user)
        return CUP_FLAME_USER;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (cup_text_is(package, kinds[i].package))
            return kinds[i].kind;
    return CUP_FLAME_OTHER;
}

/* ---- which nodes are shown
 * ------------------------------------------------------------------------ */

/* A node that is wide enough for a box, with its sort keys. */
struct place {
    uint32_t node, parent;
    uint64_t total;
};

static int by_parent(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* Where the box of a node is. */
struct spot {
    double from;
    uint32_t widest; /* its widest callee; 0: none is wide enough */
    bool works;      /* a function that it calls, directly or not, is not of Dask or Python */
    bool above;      /* it has no box, because it stands above those; see is_above() */
    uint16_t row;
    bool placed;
};

struct making {
    struct cup_arena *arena;
    const struct cup_call_tree *tree;
    const struct cup_folded *folded;
    struct cup_flame *plot;
    double scale; /* nanoseconds or bytes for one unit of the axis */
    struct place *places;
    size_t place_count;
    struct spot *spots; /* one for each node */
    uint32_t start;     /* last of the functions that nearly all stacks begin with; 0: none */
    struct cup_flame_left_out *left_out;
};

static bool is_of_dask_or_python(const struct making *making, uint32_t node)
{
    enum cup_flame_kind kind =
        cup_flame_kind_of(making->tree, making->folded->nodes[node].function);
    return kind == CUP_FLAME_DASK || kind == CUP_FLAME_STDLIB;
}

/* Marks the nodes below which the tasks' own functions stand. Parents stand before their callees.
 */
static void find_work(struct making *making)
{
    for (uint32_t i = (uint32_t)making->folded->count; i-- > 1;)
        if (making->spots[i].works || !is_of_dask_or_python(making, i))
            making->spots[making->folded->nodes[i].parent].works = true;
}

static int find_places(struct making *making)
{
    const struct cup_folded *folded = making->folded;
    struct cup_arena *arena = making->arena;
    double least = CUP_FLAME_LEAST * (double)folded->nodes[0].total;
    making->places = cup_arena_take(arena, folded->count, sizeof *making->places);
    making->spots = cup_arena_take(arena, folded->count, sizeof *making->spots);
    making->plot->boxes = cup_arena_take(arena, CUP_FLAME_BOXES + 1, sizeof *making->plot->boxes);
    if (!making->places || !making->spots || !making->plot->boxes)
        return -1;
    for (uint32_t i = 1; i < folded->count; i++)
        if ((double)folded->nodes[i].total >= least)
            making->places[making->place_count++] =
                (struct place){i, folded->nodes[i].parent, folded->nodes[i].total};
        else
            making->left_out->hidden++;
    if (making->place_count)
        qsort(making->places, making->place_count, sizeof *making->places, by_parent);
    for (size_t i = making->place_count; i-- > 0;)
        making->spots[making->places[i].parent].widest = making->places[i].node;
    find_work(making);
    return 0;
}

static const struct cup_function *function_of(const struct making *making, uint32_t node)
{
    return &making->tree->functions[making->folded->nodes[node].function];
}

static double share_of(const struct making *making, uint32_t part, uint32_t of)
{
    return (double)making->folded->nodes[part].total / (double)making->folded->nodes[of].total;
}

/* Skips the functions that nearly all stacks begin with: the first box is the callee of the last
 * one. */
static void skip_shared_functions(struct making *making)
{
    uint32_t next;
    while ((next = making->spots[making->start].widest) != 0 &&
           share_of(making, next, 0) >= CUP_FLAME_SHARED && !function_of(making, next)->user) {
        making->start = next;
        making->left_out->shared++;
    }
}

/* True if the node gets no box because it only passes on, see CUP_FLAME_PASSED. */
static bool is_passed(const struct making *making, uint32_t node)
{
    uint32_t caller = making->folded->nodes[node].parent, callee = making->spots[node].widest;
    const struct cup_function *of = function_of(making, node);
    return caller && callee && !of->user && of->package == function_of(making, caller)->package &&
           of->package == function_of(making, callee)->package &&
           share_of(making, node, caller) >= CUP_FLAME_PASSED &&
           share_of(making, callee, node) >= CUP_FLAME_PASSED;
}

/* True if the node gets no box because it is one of the functions that start threads and tasks:
 * asyncio, threading, concurrent.futures and distributed, above the task's own functions, and on
 * the threads that help it. */
static bool is_above(const struct making *making, uint32_t node)
{
    uint32_t parent = making->folded->nodes[node].parent;
    bool begins = parent == making->start || making->spots[parent].above ||
                  (parent && function_of(making, parent)->kind == CUP_FRAME_HELPER);
    return begins && making->spots[node].works && is_of_dask_or_python(making, node);
}

/* ---- boxes -------------------------------------------------------------------------------- */

/* Shortens "Processor.select" to "select", "f.<locals>.<lambda>" to "<lambda>"; with a line,
 * "select:31". */
static const char *short_name(struct making *making, const char *whole, uint32_t line)
{
    size_t length = strcspn(whole, " ");
    const char *from = whole;
    char name[CUP_FRAME_ROOM];
    for (size_t i = 0; i + 1 < length; i++)
        if (whole[i] == '.' && whole[i + 1] != '.')
            from = whole + i + 1;
    int shown = (int)(length - (size_t)(from - whole));
    if (line)
        snprintf(name, sizeof name, "%.*s:%u", shown, from, line);
    else
        snprintf(name, sizeof name, "%.*s", shown, from);
    return cup_arena_text(making->arena, name, strlen(name));
}

/* Shortens "take_gil (libpython3.11.so.1.0)" to "take_gil". C++ names contain spaces and brackets,
 * too, but the library comes last. */
static const char *native_name(struct making *making, const char *whole)
{
    size_t length = strlen(whole), at = length;
    while (at > 0 && !(whole[at] == ' ' && whole[at + 1] == '('))
        at--;
    return cup_arena_text(making->arena, whole, at && whole[length - 1] == ')' ? at : length);
}

static const char *make_box_name(struct making *making, uint32_t node, const char *whole,
                                 uint32_t line)
{
    const struct cup_function *of = node ? function_of(making, node) : NULL;
    if (of && of->kind == CUP_FRAME_PYTHON)
        return short_name(making, whole, line);
    return of && of->kind == CUP_FRAME_NATIVE && of->named ? native_name(making, whole) : whole;
}

/* "uproot.read", of "read" and its package. The user's functions stay as they are. */
static const char *add_package(struct making *making, uint32_t node, const char *name)
{
    const struct cup_function *of = node ? function_of(making, node) : NULL;
    struct cup_text package = of ? cup_call_text(making->tree, of->package) : (struct cup_text){0};
    char text[CUP_FRAME_ROOM];
    if (!of || of->user || of->kind != CUP_FRAME_PYTHON || !package.length ||
        cup_text_is(package, "stdlib"))
        return name;
    int length = snprintf(text, sizeof text, "%.*s.%.200s",
                          (int)(package.length < 60 ? package.length : 60), package.bytes, name);
    return cup_arena_text(making->arena, text, (size_t)length);
}

/* "uproot.models.TTree.Model_TTree.read" of "Model_TTree.read (uproot/models/TTree.py:30)"; with a
 * line, "processor.Dimuon.process:28". Other names stay as they are. */
static const char *qualify_name(struct making *making, uint32_t node, const char *whole,
                                uint32_t line)
{
    const struct cup_function *of = node ? function_of(making, node) : NULL;
    const char *bracket = strstr(whole, " (");
    const char *file = bracket ? bracket + 2 : "", *end = file + strcspn(file, ":)");
    char name[CUP_FRAME_ROOM], at[16] = "";
    if (!of || of->kind != CUP_FRAME_PYTHON || end - file < 4 || strncmp(end - 3, ".py", 3) != 0)
        return whole;
    for (const char *slash = file; of->user && slash < end; slash++)
        if (*slash == '/') /* the user's files have paths, not packages */
            file = slash + 1;
    if (line)
        snprintf(at, sizeof at, ":%u", line);
    int module = snprintf(name, sizeof name, "%.*s", (int)(end - 3 - file), file);
    for (int i = 0; i < module; i++)
        if (name[i] == '/')
            name[i] = '.';
    snprintf(name + module, sizeof name - (size_t)module, ".%.*s%s", (int)(bracket - whole), whole,
             at);
    return cup_arena_text(making->arena, name, strlen(name));
}

static void add_box(struct making *making, uint32_t node)
{
    const struct cup_folded_node *of = &making->folded->nodes[node];
    const struct spot *spot = &making->spots[node];
    struct cup_flame *plot = making->plot;
    char text[CUP_FRAME_ROOM] = "all";
    if (node)
        cup_function_text(making->tree, of->function, of->line, text);
    const char *whole = cup_arena_text(making->arena, text, strlen(text));
    const char *name = make_box_name(making, node, whole, of->line);
    plot->boxes[plot->count++] = (struct cup_flame_box){
        .from = spot->from / making->scale,
        .to = (spot->from + (double)of->total) / making->scale,
        .self = (double)of->self / making->scale,
        .row = spot->row,
        .kind = (uint8_t)(node ? cup_flame_kind_of(making->tree, of->function) : CUP_FLAME_OTHER),
        .is_all = node == 0 || function_of(making, node)->kind == CUP_FRAME_HELPER,
        .node = node,
        .name = name,
        .packaged = add_package(making, node, name),
        .qualified = qualify_name(making, node, whole, of->line),
        .whole = whole};
    plot->rows = spot->row + 1u > plot->rows ? spot->row + 1u : plot->rows;
}

/* A function that only passes on gets no box; its callees take its row. */
static void place_node(struct making *making, uint32_t node, double from)
{
    struct spot *spot = &making->spots[node];
    bool above = is_above(making, node), passed = !above && is_passed(making, node);
    bool shown = !above && !passed;
    *spot = (struct spot){.from = from,
                          .widest = spot->widest,
                          .works = spot->works,
                          .above = above,
                          .row = making->spots[making->folded->nodes[node].parent].row + shown,
                          .placed = true};
    making->left_out->passed += passed;
    making->left_out->above += above;
    if (shown)
        add_box(making, node);
}

/* Places are sorted by parent, and parents come before their callees: so the place of a parent is
 * known when its callees are placed. */
static void place_all(struct making *making)
{
    double next = 0;
    uint32_t parent = CUP_NOTHING;
    add_box(making, 0);
    making->spots[making->start].placed = true;
    for (size_t i = 0; i < making->place_count; i++) {
        const struct place *of = &making->places[i];
        if (!making->spots[of->parent].placed || making->plot->count >= CUP_FLAME_BOXES)
            continue;
        if (of->parent != parent)
            next = making->spots[of->parent].from;
        parent = of->parent;
        place_node(making, of->node, next);
        next += (double)of->total;
    }
}

/* ---- the whole picture
 * ---------------------------------------------------------------------------- */

struct cup_flame *cup_flame_make(struct cup_arena *arena, const struct cup_call_tree *tree,
                                 const struct cup_folded *folded,
                                 const struct cup_flame_weight *weight, double scale,
                                 struct cup_flame_left_out *left_out)
{
    struct making making = {.arena = arena,
                            .tree = tree,
                            .folded = folded,
                            .plot = cup_arena_take(arena, 1, sizeof *making.plot),
                            .scale = scale,
                            .left_out = left_out};
    bool seconds = cup_weight_units[weight->weight] == CUP_UNIT_SECONDS;
    *left_out = (struct cup_flame_left_out){0};
    if (!making.plot || find_places(&making) != 0)
        return NULL;
    making.plot->unit = seconds ? CUP_AXIS_SECONDS : CUP_AXIS_BYTES;
    making.plot->what = weight->what;
    making.plot->all = (double)folded->nodes[0].total / scale;
    skip_shared_functions(&making);
    place_all(&making);
    return making.plot;
}

char *cup_flame_left_out_text(char to[CUP_FLAME_LEFT_OUT_TEXT],
                              const struct cup_flame_left_out *left_out)
{
    const size_t room = CUP_FLAME_LEFT_OUT_TEXT;
    const char *between = " Left out: ";
    char number[64];
    size_t length = 0;
    to[0] = '\0';
    if (left_out->shared) {
        length += (size_t)snprintf(to, room, "%s%s that nearly all stacks begin with", between,
                                   cup_count_text(number, left_out->shared, "function"));
        between = "; ";
    }
    if (left_out->above) {
        length += (size_t)snprintf(to + length, room - length, "%s%s above those of the tasks",
                                   between, cup_count_text(number, left_out->above, "function"));
        between = "; ";
    }
    if (left_out->passed) {
        length +=
            (size_t)snprintf(to + length, room - length, "%s%s that pass%s on 95 %% to one callee",
                             between, cup_count_text(number, left_out->passed, "function"),
                             left_out->passed == 1 ? "es" : "");
        between = "; ";
    }
    if (left_out->hidden)
        length += (size_t)snprintf(
            to + length, room - length, "%s%s box%s below 0.1 %%", between,
            cup_print_human_readable(number, cup_count(left_out->hidden), CUP_UNIT_COUNT),
            left_out->hidden == 1 ? "" : "es");
    if (length)
        snprintf(to + length, room - length, ".");
    return to;
}
