/* Native functions: how many have names, whose code they are, and which did the most. */
#include "analysis/report/sections/functions/functions.h"

enum { SHOWN_PACKAGES = 8, SHOWN_NAMELESS = 3 };

/* ---- names -------------------------------------------------------------------------------- */

/* Prints how many native code addresses lie in a function with a name. */
static void print_named(const struct cup_page *page, const struct cup_modules *modules)
{
    uint64_t addresses = 0, named = 0, used = 0;
    char line[300];
    for (size_t i = 0; i < modules->count; i++) {
        addresses += modules->rows[i].addresses;
        named += modules->rows[i].named;
        used += modules->rows[i].addresses > 0;
    }
    snprintf(line, sizeof line,
             "%llu code addresses in %llu libraries: %llu lie in functions with names; the others "
             "are shown as offsets.",
             (unsigned long long)addresses, (unsigned long long)used, (unsigned long long)named);
    cup_print_line(page, CUP_DIM, line);
}

/* Lists libraries without function names and why: mostly, the file on this machine is not the one
 * that ran. */
static void print_nameless(const struct cup_page *page, const struct cup_modules *modules)
{
    size_t nameless = 0;
    for (size_t i = 0; i < modules->count; i++) {
        const struct cup_module *module = &modules->rows[i];
        struct cup_text file = cup_module_file(module->path);
        char line[400];
        if (!module->addresses || !module->why[0] || module->named || nameless++ >= SHOWN_NAMELESS)
            continue;
        snprintf(line, sizeof line, "No function names for %.*s: %s.",
                 file.length < 200 ? (int)file.length : 200, file.length ? file.bytes : "",
                 module->why);
        cup_print_line(page, CUP_WARN, line);
    }
    cup_page_more(page, nameless > SHOWN_NAMELESS ? nameless - SHOWN_NAMELESS : 0,
                  "libraries without names in --json");
}

/* Prints how many stacks have no native frames, or have them in the wrong place. */
static void print_losses(const struct cup_page *page)
{
    const uint64_t *health = page->profile->health;
    char line[300];
    if (health[CUP_H_NATIVE_MISSED]) {
        snprintf(line, sizeof line,
                 "Stacks without native frames, because a library was being unloaded or was gone: "
                 "%llu.",
                 (unsigned long long)health[CUP_H_NATIVE_MISSED]);
        cup_print_line(page, CUP_WARN, line);
    }
    if (health[CUP_H_NATIVE_APART]) {
        snprintf(line, sizeof line,
                 "Stacks whose native frames are above all Python functions, because their place "
                 "among them was not found: %llu.",
                 (unsigned long long)health[CUP_H_NATIVE_APART]);
        cup_print_line(page, CUP_WARN, line);
    }
}

/* ---- packages ----------------------------------------------------------------------------- */

static uint64_t amount_of(const struct cup_weights *weights, int which)
{
    return weights->of[cup_shown_weights[which].weight];
}

static unsigned add_columns(const struct cup_functions *functions, struct cup_column *columns)
{
    unsigned count = 0;
    columns[count++] = (struct cup_column){"package", CUP_FIT_LEFT, 0};
    for (int i = 0; i < CUP_SHOWN_WEIGHTS; i++) {
        if (!amount_of(&functions->native, i))
            continue;
        columns[count++] = (struct cup_column){cup_shown_weights[i].heading, CUP_FIT_RIGHT, 0};
        columns[count++] = (struct cup_column){"share", CUP_FIT_RIGHT, 1};
    }
    return count;
}

static void add_amounts(struct cup_table *table, const struct cup_functions *functions,
                        const struct cup_weights *self)
{
    for (int i = 0; i < CUP_SHOWN_WEIGHTS; i++) {
        enum cup_weight weight = cup_shown_weights[i].weight;
        if (!amount_of(&functions->native, i))
            continue;
        cup_table_add_value(table, cup_weight_value(weight, amount_of(self, i)),
                            cup_weight_units[weight]);
        cup_table_add_value(
            table, cup_ratio((double)amount_of(self, i), (double)amount_of(&functions->all, i)),
            CUP_UNIT_SHARE);
    }
}

/* The weight by which packages are sorted: the last one shown, as a rule allocations, because only
 * few packages have the others. */
static enum cup_weight order_of(const struct cup_functions *functions)
{
    int last = CUP_SHOWN_WEIGHTS - 1;
    while (last > 0 && !amount_of(&functions->native, last))
        last--;
    return cup_shown_weights[last].weight;
}

/* True if the package itself has any of the weights shown. Others were only callers. */
static bool is_shown(const struct cup_functions *functions, const struct cup_weights *self)
{
    for (int i = 0; i < CUP_SHOWN_WEIGHTS; i++)
        if (amount_of(&functions->native, i) && amount_of(self, i))
            return true;
    return false;
}

static void print_packages(const struct cup_page *page, struct cup_functions *functions)
{
    struct cup_function_rows *rows = &functions->native_packages;
    struct cup_column columns[CUP_TABLE_COLUMNS];
    struct cup_table table;
    size_t most = cup_shown_rows(page, SHOWN_PACKAGES), some = 0;
    cup_page_heading(page, "Packages, native", "self, by the library of the innermost C function");
    cup_function_rows_sort(rows, order_of(functions), false, false);
    cup_table_start(&table, columns, add_columns(functions, columns));
    for (size_t i = 0; i < rows->count; i++) {
        if (!is_shown(functions, &rows->rows[i].self) || some++ >= most)
            continue;
        cup_table_add(&table, cup_call_text(functions->tree, rows->rows[i].of));
        add_amounts(&table, functions, &rows->rows[i].self);
    }
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, some > most ? some - most : 0, "packages in --json");
}

/* ---- functions ---------------------------------------------------------------------------- */

static void print_hot(const struct cup_page *page, struct cup_functions *functions, int which)
{
    char heading[80], detail[120], share[CUP_HUMAN_READABLE_ROOM];
    cup_print_human_readable(share,
                             cup_ratio((double)amount_of(&functions->native, which),
                                       (double)amount_of(&functions->all, which)),
                             CUP_UNIT_SHARE);
    snprintf(heading, sizeof heading, "%s, native", cup_shown_weights[which].hot);
    snprintf(detail, sizeof detail, "native frames are known for %s of it", share);
    cup_page_heading(page, heading, detail);
    cup_print_hot(page, functions, &functions->natives, which, "library");
}

void cup_print_natives(const struct cup_page *page, struct cup_functions *functions)
{
    if (functions->natives.count == 0)
        return;
    cup_page_heading(
        page, "Native functions",
        "the same amounts are also in the rows of the Python function that called them");
    print_named(page, &functions->tree->modules);
    if (functions->all.of[CUP_W_CPU])
        cup_print_line(
            page, CUP_DIM,
            "Native functions have no CPU time here: CPU samples have no native frames.");
    print_nameless(page, &functions->tree->modules);
    print_losses(page);
    print_packages(page, functions);
    for (int i = 0; i < CUP_SHOWN_WEIGHTS; i++)
        if (amount_of(&functions->native, i))
            print_hot(page, functions, i);
}
