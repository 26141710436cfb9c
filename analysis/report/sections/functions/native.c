/* Native functions: how many have names, whose code they are, and which did the most. */
#include "analysis/report/sections/functions/functions.h"

enum { SHOWN_NAMELESS = 3 };

/* ---- names -------------------------------------------------------------------------------- */

/* Prints how many native code addresses lie in a function with a name. */
static void print_named(const struct cup_page *page, const struct cup_modules *modules)
{
    uint64_t addresses = 0, named = 0, used = 0;
    for (size_t i = 0; i < modules->count; i++) {
        addresses += modules->rows[i].addresses;
        named += modules->rows[i].named;
        used += modules->rows[i].addresses > 0;
    }
    cup_page_line(page, CUP_DIM,
                  "%s in %s: %llu lie in functions with names; the "
                  "others are shown as offsets.",
                  CUP_SHOW_COUNTED(addresses, "code address"), CUP_SHOW_COUNTED(used, "library"),
                  (unsigned long long)named);
}

/* Lists libraries without function names and why: mostly, the file on this machine is not the one
 * that ran. */
static void print_nameless(const struct cup_page *page, const struct cup_modules *modules)
{
    size_t nameless = 0;
    for (size_t i = 0; i < modules->count; i++) {
        const struct cup_module *module = &modules->rows[i];
        struct cup_text file = cup_module_file(module->path);
        if (module->addresses && module->why[0] && !module->named && nameless++ < SHOWN_NAMELESS)
            cup_page_line(page, CUP_WARN, "No function names for %.*s: %s.",
                          file.length < 200 ? (int)file.length : 200, file.length ? file.bytes : "",
                          module->why);
    }
    cup_page_more(page, nameless, SHOWN_NAMELESS, "library without names in --json");
}

/* Prints how many stacks have no native frames, or have them in the wrong place. */
static void print_losses(const struct cup_page *page)
{
    unsigned long long missed = page->profile->health[CUP_H_NATIVE_MISSED],
                       apart = page->profile->health[CUP_H_NATIVE_APART];
    if (missed)
        cup_page_line(page, CUP_WARN,
                      "Stacks without native frames, because a library was being unloaded or was "
                      "gone: %llu.",
                      missed);
    if (apart)
        cup_page_line(page, CUP_WARN,
                      "Stacks whose native frames are above all Python functions, because their "
                      "place among them was not found: %llu.",
                      apart);
}

/* ---- the tables --------------------------------------------------------------------------- */

/* The weight by which packages are sorted: the last one shown, as a rule allocations, because only
 * few packages have the others. */
static enum cup_weight order_of(const struct cup_functions *functions)
{
    int last = CUP_SHOWN_WEIGHTS - 1;
    while (last > 0 && !cup_shown_amount(&functions->native, last))
        last--;
    return cup_shown_weights[last].weight;
}

static void print_hot(const struct cup_page *page, struct cup_functions *functions, int which)
{
    double share = (double)cup_shown_amount(&functions->native, which) /
                   (double)cup_shown_amount(&functions->all, which);
    cup_page_heading(
        page, CUP_FORMAT("%s, native", cup_shown_weights[which].hot),
        CUP_FORMAT("native frames are known for %s of it", CUP_SHOW(share, CUP_UNIT_SHARE)));
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
        cup_page_line(page, CUP_DIM,
                      "Native functions have no CPU time here: CPU samples have no native frames.");
    print_nameless(page, &functions->tree->modules);
    print_losses(page);
    cup_print_packages(page, functions, true, order_of(functions));
    for (int i = 0; i < CUP_SHOWN_WEIGHTS; i++)
        if (cup_shown_amount(&functions->native, i))
            print_hot(page, functions, i);
}
