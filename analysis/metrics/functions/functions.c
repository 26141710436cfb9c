#include "analysis/metrics/functions/functions.h"

#include <stdlib.h>

/* One kind of rows while they are made: by index, and which was counted last in the stack that is
 * being gone down. */
struct making {
    struct cup_function_row *rows;
    uint32_t *last; /* number of that stack; 0: none */
    size_t count;
};

static int start_sums(struct making *making, size_t count)
{
    *making = (struct making){.rows = calloc(count + 1, sizeof *making->rows),
                              .last = calloc(count + 1, sizeof *making->last),
                              .count = count};
    return making->rows && making->last ? 0 : -1;
}

/* Once for each stack. */
static void add_total(struct making *making, uint32_t at, uint32_t stack,
                      const struct cup_weights *weights)
{
    if (making->last[at] == stack)
        return;
    making->last[at] = stack;
    cup_weights_add(&making->rows[at].total, weights);
}

static bool is_any(const struct cup_weights *weights)
{
    uint64_t any = 0;
    for (int i = 0; i < CUP_WEIGHT_COUNT; i++)
        any |= weights->of[i];
    return any != 0;
}

/* Those that have anything. */
static void collect_rows(struct making *making, struct cup_function_rows *rows)
{
    *rows = (struct cup_function_rows){.rows = making->rows};
    for (uint32_t i = 0; i < making->count; i++) {
        if (!is_any(&making->rows[i].total))
            continue;
        rows->rows[rows->count] = making->rows[i];
        rows->rows[rows->count++].of = i;
    }
    making->rows = NULL;
}

struct makings {
    struct making functions, lines, packages, natives, native_packages;
};

/* All frames of a stack, which the row tells the innermost of. That a helper takes over is no
 * package's, unless nothing else is known of what it did. */
static void add_totals(struct makings *makings, const struct cup_call_tree *tree,
                       const struct cup_call_row *row, uint32_t stack)
{
    uint32_t python = cup_call_python(tree, row->node);
    for (uint32_t at = row->node; at; at = tree->nodes[at].parent) {
        uint32_t frame = tree->nodes[at].frame, of = tree->frames[frame].function;
        if (tree->functions[of].kind == CUP_FRAME_NATIVE) {
            add_total(&makings->natives, of, stack, &row->weights);
            add_total(&makings->native_packages, tree->functions[of].package, stack, &row->weights);
            continue;
        }
        add_total(&makings->functions, of, stack, &row->weights);
        add_total(&makings->lines, frame, stack, &row->weights);
        if (tree->functions[of].kind != CUP_FRAME_HELPER || at == python)
            add_total(&makings->packages, tree->functions[of].package, stack, &row->weights);
    }
}

/* PYTHON: the innermost node that is not native. */
static void add_selves(struct cup_functions *to, struct makings *makings, uint32_t python,
                       const struct cup_weights *weights)
{
    const struct cup_call_tree *tree = to->tree;
    const struct cup_call_frame *leaf = &tree->frames[tree->nodes[python].frame];
    const struct cup_function *function = &tree->functions[leaf->function];
    if (function->kind == CUP_FRAME_UNKNOWN && tree->nodes[python].parent == 0)
        cup_weights_add(&to->unknown, weights);
    cup_weights_add(&makings->functions.rows[leaf->function].self, weights);
    cup_weights_add(&makings->lines.rows[tree->nodes[python].frame].self, weights);
    cup_weights_add(&makings->packages.rows[function->package].self, weights);
}

/* STACK: a number of its own for each row. */
static void add_row(struct cup_functions *to, struct makings *makings,
                    const struct cup_call_row *row, uint32_t stack)
{
    const struct cup_call_tree *tree = to->tree;
    cup_weights_add(&to->all, &row->weights);
    cup_weights_add(&to->phases[tree->nodes[row->node].phase], &row->weights);
    if (row->node == 0)
        return;
    uint32_t python = cup_call_python(tree, row->node);
    if (python)
        add_selves(to, makings, python, &row->weights);
    if (python != row->node) {
        uint32_t native = tree->frames[tree->nodes[row->node].frame].function;
        cup_weights_add(&to->native, &row->weights);
        cup_weights_add(&makings->natives.rows[native].self, &row->weights);
        cup_weights_add(&makings->native_packages.rows[tree->functions[native].package].self,
                        &row->weights);
    }
    add_totals(makings, tree, row, stack);
}

static void add_rows(struct cup_functions *to, struct makings *makings, uint32_t prefix)
{
    for (size_t i = 0; i < to->tree->row_count; i++)
        if (prefix == CUP_ALL_PREFIXES || to->tree->rows[i].prefix == prefix)
            add_row(to, makings, &to->tree->rows[i], (uint32_t)i + 1);
}

/* Whose rows they are. */
static void tell_users(struct cup_functions *to)
{
    const struct cup_call_tree *tree = to->tree;
    for (size_t i = 0; i < to->functions.count; i++)
        to->functions.rows[i].user = tree->functions[to->functions.rows[i].of].user;
    for (size_t i = 0; i < to->lines.count; i++)
        to->lines.rows[i].user = tree->functions[tree->frames[to->lines.rows[i].of].function].user;
    uint32_t user = cup_intern_find(&tree->strings, "user", 4);
    for (size_t i = 0; i < to->packages.count; i++)
        to->packages.rows[i].user = user && to->packages.rows[i].of == user;
}

int cup_functions_make(struct cup_functions *functions, const struct cup_call_tree *tree,
                       uint32_t prefix)
{
    struct makings makings;
    *functions = (struct cup_functions){.tree = tree};
    int result = start_sums(&makings.functions, tree->function_count);
    result |= start_sums(&makings.lines, tree->frame_count);
    result |= start_sums(&makings.packages, tree->strings.count);
    result |= start_sums(&makings.natives, tree->function_count);
    result |= start_sums(&makings.native_packages, tree->strings.count);
    if (result == 0) {
        add_rows(functions, &makings, prefix);
        collect_rows(&makings.functions, &functions->functions);
        collect_rows(&makings.lines, &functions->lines);
        collect_rows(&makings.packages, &functions->packages);
        collect_rows(&makings.natives, &functions->natives);
        collect_rows(&makings.native_packages, &functions->native_packages);
        tell_users(functions);
    }
    struct making *const all[] = {&makings.functions, &makings.lines, &makings.packages,
                                  &makings.natives, &makings.native_packages};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]->rows);
        free(all[i]->last);
    }
    return result;
}

void cup_functions_free(struct cup_functions *functions)
{
    free(functions->functions.rows);
    free(functions->lines.rows);
    free(functions->packages.rows);
    free(functions->natives.rows);
    free(functions->native_packages.rows);
    *functions = (struct cup_functions){0};
}

/* ---- order -------------------------------------------------------------------------------- */

static int by_key(const void *left, const void *right)
{
    const struct cup_function_row *a = left, *b = right;
    if (a->first != b->first)
        return a->first ? -1 : 1;
    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return (a->of > b->of) - (a->of < b->of);
}

void cup_function_rows_sort(struct cup_function_rows *rows, enum cup_weight weight, bool total,
                            bool user_first)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct cup_function_row *row = &rows->rows[i];
        row->key = (total ? &row->total : &row->self)->of[weight];
        row->first = user_first && row->user;
    }
    if (rows->count)
        qsort(rows->rows, rows->count, sizeof *rows->rows, by_key);
}
