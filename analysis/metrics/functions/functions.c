#include "analysis/metrics/functions/functions.h"

#include <stdlib.h>

/* The rows of one kind while they are added up, by index. `last` is the stack that was last added
 * to each row, so that a recursive function is counted once for each stack. */
struct row_sums {
    struct cup_function_row *rows;
    uint32_t *last; /* by row: number of the last stack; 0: none */
    size_t count;
};

static int start_sums(struct row_sums *row_sums, size_t count)
{
    *row_sums = (struct row_sums){.rows = calloc(count + 1, sizeof *row_sums->rows),
                                  .last = calloc(count + 1, sizeof *row_sums->last),
                                  .count = count};
    return row_sums->rows && row_sums->last ? 0 : -1;
}

/* Adds to `total`, at most once for each stack. */
static void add_total(struct row_sums *row_sums, uint32_t at, uint32_t stack,
                      const struct cup_weights *weights)
{
    if (row_sums->last[at] == stack)
        return;
    row_sums->last[at] = stack;
    cup_weights_add(&row_sums->rows[at].total, weights);
}

static bool is_any(const struct cup_weights *weights)
{
    uint64_t any = 0;
    for (int i = 0; i < CUP_WEIGHT_COUNT; i++)
        any |= weights->of[i];
    return any != 0;
}

/* Keeps the rows in which any weight is above 0. */
static void collect_rows(struct row_sums *row_sums, struct cup_function_rows *rows)
{
    *rows = (struct cup_function_rows){.rows = row_sums->rows};
    for (uint32_t i = 0; i < row_sums->count; i++) {
        if (!is_any(&row_sums->rows[i].total))
            continue;
        rows->rows[rows->count] = row_sums->rows[i];
        rows->rows[rows->count++].of = i;
    }
    row_sums->rows = NULL;
}

struct sums {
    struct row_sums functions, lines, packages, natives, native_packages;
};

/* Adds a row's weights to every frame of its stack. The frame "(helper thread)" is not counted for
 * a package, unless it is the innermost: then nothing else is known. */
static void add_totals(struct sums *sums, const struct cup_call_tree *tree,
                       const struct cup_call_row *row, uint32_t stack)
{
    uint32_t python = cup_call_python(tree, row->node);
    for (uint32_t at = row->node; at; at = tree->nodes[at].parent) {
        uint32_t frame = tree->nodes[at].frame, of = tree->frames[frame].function;
        if (tree->functions[of].kind == CUP_FRAME_NATIVE) {
            add_total(&sums->natives, of, stack, &row->weights);
            add_total(&sums->native_packages, tree->functions[of].package, stack, &row->weights);
            continue;
        }
        add_total(&sums->functions, of, stack, &row->weights);
        add_total(&sums->lines, frame, stack, &row->weights);
        if (tree->functions[of].kind != CUP_FRAME_HELPER || at == python)
            add_total(&sums->packages, tree->functions[of].package, stack, &row->weights);
    }
}

/* Adds weights to the function, line and package of the innermost node that is not native. */
static void add_selves(struct cup_functions *to, struct sums *sums, uint32_t python,
                       const struct cup_weights *weights)
{
    const struct cup_call_tree *tree = to->tree;
    const struct cup_call_frame *leaf = &tree->frames[tree->nodes[python].frame];
    const struct cup_function *function = &tree->functions[leaf->function];
    if (function->kind == CUP_FRAME_UNKNOWN && tree->nodes[python].parent == 0)
        cup_weights_add(&to->unknown, weights);
    cup_weights_add(&sums->functions.rows[leaf->function].self, weights);
    cup_weights_add(&sums->lines.rows[tree->nodes[python].frame].self, weights);
    cup_weights_add(&sums->packages.rows[function->package].self, weights);
}

/* STACK: a different number for each call. */
static void add_row(struct cup_functions *to, struct sums *sums, const struct cup_call_row *row,
                    uint32_t stack)
{
    const struct cup_call_tree *tree = to->tree;
    cup_weights_add(&to->all, &row->weights);
    cup_weights_add(&to->phases[tree->nodes[row->node].phase], &row->weights);
    if (row->node == 0)
        return;
    uint32_t python = cup_call_python(tree, row->node);
    if (python)
        add_selves(to, sums, python, &row->weights);
    if (python != row->node) {
        uint32_t native = tree->frames[tree->nodes[row->node].frame].function;
        cup_weights_add(&to->native, &row->weights);
        cup_weights_add(&sums->natives.rows[native].self, &row->weights);
        cup_weights_add(&sums->native_packages.rows[tree->functions[native].package].self,
                        &row->weights);
    }
    add_totals(sums, tree, row, stack);
}

static void add_rows(struct cup_functions *to, struct sums *sums, uint32_t prefix)
{
    for (size_t i = 0; i < to->tree->row_count; i++)
        if (prefix == CUP_ALL_PREFIXES || to->tree->rows[i].prefix == prefix)
            add_row(to, sums, &to->tree->rows[i], (uint32_t)i + 1);
}

/* Marks the rows of the user's code. */
static void mark_user_rows(struct cup_functions *to)
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
    struct sums sums;
    *functions = (struct cup_functions){.tree = tree};
    int result = start_sums(&sums.functions, tree->function_count);
    result |= start_sums(&sums.lines, tree->frame_count);
    result |= start_sums(&sums.packages, tree->strings.count);
    result |= start_sums(&sums.natives, tree->function_count);
    result |= start_sums(&sums.native_packages, tree->strings.count);
    if (result == 0) {
        add_rows(functions, &sums, prefix);
        collect_rows(&sums.functions, &functions->functions);
        collect_rows(&sums.lines, &functions->lines);
        collect_rows(&sums.packages, &functions->packages);
        collect_rows(&sums.natives, &functions->natives);
        collect_rows(&sums.native_packages, &functions->native_packages);
        mark_user_rows(functions);
    }
    struct row_sums *const all[] = {&sums.functions, &sums.lines, &sums.packages, &sums.natives,
                                    &sums.native_packages};
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
