#include "analysis/compare/run_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/formulas.h"

/* ---- files -------------------------------------------------------------------------------- */

static bool contains(struct cup_text text, const char *part)
{
    return text.length && memmem(text.bytes, text.length, part, strlen(part)) != NULL;
}

struct cup_text cup_same_file(struct cup_text path)
{
    static const char plain[] = "__init__.py";
    size_t at = path.length;
    if (contains(path, "/ipykernel_") || contains(path, "<ipython-input"))
        return (struct cup_text){"notebook", 8};
    if (at >= sizeof plain && memcmp(path.bytes + at - strlen(plain), plain, strlen(plain)) == 0)
        at -= sizeof plain;
    while (at > 0 && path.bytes[at - 1] != '/')
        at--;
    return (struct cup_text){path.bytes + at, path.length - at};
}

/* ---- laying one tree over another --------------------------------------------------------- */

static uint32_t string_of(struct cup_call_tree *to, const struct cup_call_tree *from, uint32_t id)
{
    struct cup_text text = cup_call_text(from, id);
    return text.length ? cup_intern_add(&to->strings, text.bytes, text.length) : 0;
}

static struct cup_text path_of(const struct cup_call_tree *from,
                               const struct cup_function *function)
{
    struct cup_text path = cup_call_text(from, function->path);
    return function->user ? cup_same_file(path) : path;
}

/* Keeps the package and owner of the code: the run may have known more than the path shows. */
static uint32_t function_of(struct cup_call_tree *to, const struct cup_call_tree *from,
                            const struct cup_function *function)
{
    size_t before = to->function_count;
    uint32_t index =
        cup_call_add_function(to, cup_call_text(from, function->name), path_of(from, function), 0,
                              (enum cup_frame_kind)function->kind);
    if (index == CUP_NOTHING || to->function_count == before)
        return index;
    to->functions[index].package = string_of(to, from, function->package);
    to->functions[index].user = function->user;
    return index;
}

/* Nodes of TO in `place`, by those of FROM; parents come first in both. */
static int lay_nodes(struct cup_call_tree *to, const struct cup_call_tree *from, uint32_t *place)
{
    for (size_t i = 1; i < from->node_count; i++) {
        uint32_t function = function_of(to, from, cup_call_function(from, (uint32_t)i));
        uint32_t frame =
            function == CUP_NOTHING ? CUP_NOTHING : cup_call_add_frame(to, function, 0);
        place[i] = frame == CUP_NOTHING
                       ? CUP_NOTHING
                       : cup_call_add_node(to, place[from->nodes[i].parent], frame);
        if (place[i] == CUP_NOTHING)
            return -1;
    }
    return 0;
}

static int lay(struct cup_call_tree *to, const struct cup_call_tree *from, uint32_t as)
{
    uint32_t *place = calloc(from->node_count + 1, sizeof *place);
    int result = place ? lay_nodes(to, from, place) : -1;
    for (size_t i = 0; i < from->row_count && result == 0; i++) {
        uint32_t row = cup_call_row(to, place[from->rows[i].node], as);
        if (row == CUP_NOTHING)
            result = -1;
        else
            cup_weights_add(&to->rows[row].weights, &from->rows[i].weights);
    }
    free(place);
    return result;
}

/* The root has no frame of its own: it uses frame 0, which no other node uses. */
static int start(struct cup_call_tree *tree)
{
    static const struct cup_text name = {"(not known)", 11}, none;
    uint32_t function = cup_call_add_function(tree, name, none, 0, CUP_FRAME_UNKNOWN);
    uint32_t frame = function == CUP_NOTHING ? CUP_NOTHING : cup_call_add_frame(tree, function, 0);
    tree->nodes = frame == CUP_NOTHING ? NULL : calloc(1, sizeof *tree->nodes);
    tree->node_count = tree->node_room = tree->nodes ? 1 : 0;
    return tree->nodes ? 0 : -1;
}

/* ---- of one run --------------------------------------------------------------------------- */

void cup_figures_keep_stacks(struct cup_figures *figures, const struct cup_totals *totals)
{
    struct cup_run_stacks *stacks = calloc(1, sizeof *stacks);
    figures->stacks = stacks;
    if (!stacks || start(&stacks->tree) != 0 || lay(&stacks->tree, totals->calls, 0) != 0) {
        figures->short_of_memory = true;
        return;
    }
    stacks->tree.ask = totals->calls->ask;
    bool by_event = !totals->calls->filtered && cup_events_known(totals);
    stacks->events = by_event ? (double)totals->events : 0;
    stacks->tasks = (double)totals->calls->tasks;
    stacks->sampled = cup_weight_measured(totals->profile, CUP_W_CPU);
}

void cup_run_stacks_keep_sum(struct cup_figures *side, const struct cup_figures *runs, size_t count)
{
    side->stacks = runs[0].ask.stacks ? calloc(1, sizeof *side->stacks) : NULL;
    struct cup_run_stacks *sum = side->stacks;
    bool whole = sum && start(&sum->tree) == 0, by_event = true;
    side->short_of_memory |= runs[0].ask.stacks && !whole;
    for (size_t i = 0; i < count && whole && !side->stacks_missing; i++) {
        const struct cup_run_stacks *stacks = runs[i].stacks;
        side->stacks_missing = cup_run_stacks_missing(&runs[i]);
        if (side->stacks_missing)
            continue;
        side->short_of_memory |= lay(&sum->tree, &stacks->tree, 0) != 0;
        sum->tree.ask = stacks->tree.ask;
        sum->events += stacks->events;
        sum->tasks += stacks->tasks;
        sum->sampled = stacks->sampled && (i == 0 || sum->sampled);
        by_event &= stacks->events > 0;
    }
    if (sum && !by_event)
        sum->events = 0;
    if (side->stacks_missing) {
        cup_run_stacks_free(sum);
        side->stacks = NULL;
    }
}

void cup_run_stacks_free(struct cup_run_stacks *stacks)
{
    if (stacks)
        cup_call_tree_free(&stacks->tree);
    free(stacks);
}

const char *cup_run_stacks_missing(const struct cup_figures *figures)
{
    return figures->stacks                      ? NULL
           : figures->stacks_missing            ? figures->stacks_missing
           : figures->kind == CUP_INPUT_REPORT  ? "a saved report holds no stacks"
           : figures->kind != CUP_INPUT_PROFILE ? "it is no profile, and holds no stacks"
                                                : "stacks were not asked for";
}

/* ---- of several --------------------------------------------------------------------------- */

int cup_run_stacks_merge(struct cup_call_tree *merged, const struct cup_figures *inputs,
                         size_t count)
{
    *merged = (struct cup_call_tree){0};
    int result = start(merged);
    for (size_t i = 0; i < count && result == 0; i++)
        if (inputs[i].stacks)
            result = lay(merged, &inputs[i].stacks->tree, (uint32_t)i);
    return result;
}

bool cup_run_stacks_by_event(const struct cup_figures *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (inputs[i].stacks && !(inputs[i].stacks->events > 0))
            return false;
    return true;
}

double cup_run_stacks_divisor(const struct cup_figures *input, bool by_event)
{
    const struct cup_run_stacks *stacks = input->stacks;
    double divisor = !stacks ? 0 : by_event ? stacks->events : stacks->tasks;
    return divisor > 0 ? divisor : 1;
}
