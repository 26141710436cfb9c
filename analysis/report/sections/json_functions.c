/* Functions: rows of functions, lines, packages and phases, over all tasks and by their prefix. */
#include <stdlib.h>

#include "analysis/metrics/functions/functions.h"
#include "analysis/report/page/json_page.h"

/* The CPU's samples have no native frames: what native functions used of it is in none. */
static bool is_known(const struct report *report, enum cup_weight weight, bool native)
{
    bool sampled = weight == CUP_W_CPU || weight == CUP_W_OFF_CPU || weight == CUP_W_SAMPLES;
    return cup_weight_measured(report->profile, weight) && !(native && sampled);
}

/* Amounts as keys of the row that is open; null where they were not measured. */
static void put_weights(struct report *report, const char *before, const struct cup_weights *w,
                        bool native)
{
    for (int i = 0; i < CUP_WEIGHT_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", before, cup_weight_names[i]);
        put(report, name,
            is_known(report, (enum cup_weight)i, native)
                ? cup_weight_value((enum cup_weight)i, w->of[i])
                : cup_null());
    }
}

static void put_both(struct report *report, const struct cup_function_row *row, bool native)
{
    put_weights(report, "", &row->self, native);
    put_weights(report, "total_", &row->total, native);
}

static struct cup_value tree_text(const struct cup_call_tree *tree, uint32_t string)
{
    return cup_text(cup_call_text(tree, string));
}

static const char *const kinds[] = {"python", "native", "helper", "cut", "unknown"};

static void put_function(struct report *report, const struct cup_call_tree *tree, uint32_t of)
{
    const struct cup_function *function = &tree->functions[of];
    put(report, "function", tree_text(tree, function->name));
    put(report, "file", tree_text(tree, function->file));
    put(report, "path", tree_text(tree, function->path));
    put(report, "first_line", function->first_line ? cup_count(function->first_line) : cup_null());
    put(report, "package", tree_text(tree, function->package));
    put(report, "user", cup_bool(function->user));
    put(report, "kind", cup_string(kinds[function->kind]));
}

/* PREFIX: index, CUP_NO_PREFIX or CUP_ALL_PREFIXES, which is null. */
static void put_prefix(struct report *report, uint32_t prefix)
{
    put(report, "prefix",
        prefix < report->profile->prefix_count
            ? text_of(report, report->profile->prefixes[prefix].name)
            : cup_string(prefix == CUP_NO_PREFIX ? "(no task)" : NULL));
}

static void put_functions(struct report *report, const struct cup_functions *functions,
                          const char *name, uint32_t prefix)
{
    const struct cup_function_rows *rows = &functions->functions;
    if (name)
        cup_json_array(&report->json, name);
    for (size_t i = 0; i < rows->count; i++) {
        cup_json_row(&report->json, NULL);
        if (prefix != CUP_ALL_PREFIXES)
            put_prefix(report, prefix);
        put_function(report, functions->tree, rows->rows[i].of);
        put_both(report, &rows->rows[i], false);
        cup_json_end_object(&report->json);
    }
    if (name)
        cup_json_end_array(&report->json);
}

static void put_lines(struct report *report, const struct cup_functions *functions)
{
    const struct cup_call_tree *tree = functions->tree;
    cup_json_array(&report->json, "lines");
    for (size_t i = 0; i < functions->lines.count; i++) {
        const struct cup_function_row *row = &functions->lines.rows[i];
        const struct cup_call_frame *frame = &tree->frames[row->of];
        if (!row->user) /* those of packages are many, and nobody's to change */
            continue;
        cup_json_row(&report->json, NULL);
        put_function(report, tree, frame->function);
        put(report, "line", frame->line ? cup_count(frame->line) : cup_null());
        put_both(report, row, false);
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

/* Lines of the user's, and the branches that uproot asked for on their behalf. */
static void put_branches(struct report *report, const struct cup_call_tree *tree)
{
    cup_json_array(&report->json, "branches");
    for (size_t i = 0; i < tree->branch_count; i++) {
        const struct cup_line_branch *row = &tree->branches[i];
        const struct cup_branch *branch = &report->profile->branches[row->branch];
        const struct cup_call_frame *frame = &tree->frames[row->frame];
        cup_json_row(&report->json, NULL);
        put_function(report, tree, frame->function);
        put(report, "line", frame->line ? cup_count(frame->line) : cup_null());
        put(report, "tree", text_of(report, branch->tree));
        put(report, "branch", text_of(report, branch->name));
        put(report, "baskets", cup_count(row->baskets));
        put(report, "compressed_bytes", cup_count(row->compressed_bytes));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

/* Of all tasks, or of those of one prefix. */
static void put_natives(struct report *report, const struct cup_functions *functions,
                        uint32_t prefix)
{
    for (size_t i = 0; i < functions->natives.count; i++) {
        cup_json_row(&report->json, NULL);
        put_prefix(report, prefix);
        put_function(report, functions->tree, functions->natives.rows[i].of);
        put_both(report, &functions->natives.rows[i], true);
        cup_json_end_object(&report->json);
    }
}

static void put_build_id(struct report *report, struct cup_text bits)
{
    char hex[2 * CUP_BUILD_ID_MOST + 1] = "";
    for (size_t i = 0; i < bits.length && i < CUP_BUILD_ID_MOST; i++)
        snprintf(hex + 2 * i, 3, "%02x", (unsigned char)bits.bytes[i]);
    put(report, "build_id", cup_string(bits.length ? hex : NULL));
}

/* Those in which frames lie: whether their functions have names, and why not. */
static void put_modules(struct report *report, const struct cup_modules *modules)
{
    cup_json_array(&report->json, "modules");
    for (size_t i = 0; i < modules->count; i++) {
        const struct cup_module *module = &modules->rows[i];
        if (!module->addresses)
            continue;
        cup_json_row(&report->json, NULL);
        put(report, "path", cup_text(module->path));
        put_build_id(report, module->build_id);
        put(report, "names", cup_string(cup_module_state_names[module->state]));
        put(report, "why", cup_string(module->why[0] ? module->why : NULL));
        put(report, "addresses", cup_count(module->addresses));
        put(report, "named", cup_count(module->named));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

static void put_packages(struct report *report, const struct cup_functions *functions, bool native)
{
    const struct cup_function_rows *rows =
        native ? &functions->native_packages : &functions->packages;
    cup_json_array(&report->json, native ? "native_packages" : "packages");
    for (size_t i = 0; i < rows->count; i++) {
        const struct cup_function_row *row = &rows->rows[i];
        cup_json_row(&report->json, NULL);
        put(report, "package", tree_text(functions->tree, row->of));
        put_both(report, row, native);
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

static void put_phases(struct report *report, const struct cup_functions *functions,
                       uint32_t prefix)
{
    for (int i = 0; i < CUP_PHASE_COUNT; i++) {
        cup_json_row(&report->json, NULL);
        put_prefix(report, prefix);
        put(report, "phase", cup_string(cup_phase_names[i]));
        put_weights(report, "", &functions->phases[i], false);
        cup_json_end_object(&report->json);
    }
}

/* ---- by prefix ---------------------------------------------------------------------------- */

/* What is written of the tasks of each prefix that did something. */
typedef void (*prefix_writer)(struct report *report, const struct cup_functions *functions,
                              uint32_t prefix);

static void put_prefix_functions(struct report *report, const struct cup_functions *functions,
                                 uint32_t prefix)
{
    put_functions(report, functions, NULL, prefix);
}

static int each_prefix(struct report *report, prefix_writer write)
{
    for (uint32_t i = 0; i <= report->profile->prefix_count; i++) {
        uint32_t prefix = i < report->profile->prefix_count ? i : CUP_NO_PREFIX;
        struct cup_functions functions;
        if (cup_functions_make(&functions, report->totals->calls, prefix) != 0)
            return -1;
        if (functions.functions.count)
            write(report, &functions, prefix);
        cup_functions_free(&functions);
    }
    return 0;
}

/* ---- the section -------------------------------------------------------------------------- */

static int put_all(struct report *report, struct cup_functions *functions)
{
    const struct cup_call_tree *tree = functions->tree;
    cup_function_rows_sort(&functions->functions, CUP_W_CPU, true, true);
    cup_function_rows_sort(&functions->lines, CUP_W_CPU, true, true);
    cup_function_rows_sort(&functions->packages, CUP_W_CPU, false, false);
    cup_json_object(&report->json, "functions");
    put(report, "tasks", cup_count(tree->tasks));
    put(report, "processes", cup_count(tree->processes));
    put(report, "processes_without", cup_count(tree->without));
    put_weights(report, "", &functions->all, false);
    put_weights(report, "unknown_", &functions->unknown, false);
    put_weights(report, "native_", &functions->native, false);
    put(report, "left_out", cup_count(tree->left_out));
    put(report, "orphans", cup_count(tree->orphans));
    put(report, "damaged_records", cup_count(tree->damaged));
    put_functions(report, functions, "rows", CUP_ALL_PREFIXES);
    put_lines(report, functions);
    put_branches(report, tree);
    put_packages(report, functions, false);
    cup_json_array(&report->json, "phases");
    put_phases(report, functions, CUP_ALL_PREFIXES);
    int result = each_prefix(report, put_phases);
    cup_json_end_array(&report->json);
    cup_json_array(&report->json, "native");
    put_natives(report, functions, CUP_ALL_PREFIXES);
    if (result == 0)
        result = each_prefix(report, put_natives);
    cup_json_end_array(&report->json);
    put_packages(report, functions, true);
    put_modules(report, &tree->modules);
    cup_json_array(&report->json, "by_prefix");
    if (result == 0)
        result = each_prefix(report, put_prefix_functions);
    cup_json_end_array(&report->json);
    cup_json_end_object(&report->json);
    return result;
}

int cup_report_put_functions(struct report *report)
{
    struct cup_functions functions;
    if (!report->totals->calls) {
        put(report, "functions", cup_null());
        return 0;
    }
    if (cup_functions_make(&functions, report->totals->calls, CUP_ALL_PREFIXES) != 0)
        return -1;
    int result = put_all(report, &functions);
    cup_functions_free(&functions);
    return result;
}

int cup_report_put_natives(struct report *report)
{
    struct cup_functions functions;
    if (!report->totals->calls)
        return 0;
    if (cup_functions_make(&functions, report->totals->calls, CUP_ALL_PREFIXES) != 0)
        return -1;
    cup_function_rows_sort(&functions.natives, CUP_W_ALLOC, true, false);
    open_rows(report, "native");
    for (size_t i = 0; i < functions.natives.count; i++) {
        cup_json_row(&report->json, NULL);
        put_function(report, functions.tree, functions.natives.rows[i].of);
        put_both(report, &functions.natives.rows[i], true);
        cup_json_end_object(&report->json);
    }
    close_rows(report);
    cup_functions_free(&functions);
    return 0;
}
