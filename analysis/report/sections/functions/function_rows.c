/* Functions in the JSON and in CSV: rows of functions, lines, packages and phases, over all tasks
 * and by the prefix of the tasks. */
#include <stdlib.h>

#include "analysis/metrics/functions/functions.h"
#include "analysis/report/sections/functions/functions.h"

/* Which tasks and which functions the rows of a table are about. */
struct part_of {
    const struct cup_functions *functions;
    uint32_t prefix; /* index, CUP_NO_PREFIX or CUP_ALL_PREFIXES */
    bool native;
};

static struct cup_value tree_text(const struct cup_report_rows *rows, uint32_t string)
{
    return cup_text(cup_call_text(rows->totals->calls, string));
}

/* ---- fields that several tables have ------------------------------------------------------ */

/* "(no task)" for CUP_NO_PREFIX; null for CUP_ALL_PREFIXES. */
static struct cup_value prefix_name(const struct cup_report_rows *rows)
{
    uint32_t prefix = ((const struct part_of *)rows->of)->prefix;
    return prefix < rows->profile->prefix_count
               ? cup_row_text(rows, rows->profile->prefixes[prefix].name)
               : cup_string(prefix == CUP_NO_PREFIX ? "(no task)" : NULL);
}

#define PREFIX_FIELDS(X) X("prefix", TEXT, prefix_name(rows))

static const char *const kinds[] = {"python", "native", "helper", "cut", "unknown"};

#define FUNCTION_FIELDS(X)                                                                         \
    X("function", TEXT, tree_text(rows, function->name))                                           \
    X("file", TEXT, tree_text(rows, function->file))                                               \
    X("path", TEXT, tree_text(rows, function->path))                                               \
    X("first_line", ID, cup_count_if(function->first_line, function->first_line))                  \
    X("package", TEXT, tree_text(rows, function->package))                                         \
    X("user", BOOL, cup_bool(function->user))                                                      \
    X("kind", TEXT, cup_string(kinds[function->kind]))

#define LINE_FIELDS(X)                                                                             \
    FUNCTION_FIELDS(X)                                                                             \
    X("line", ID, cup_count_if(frame->line, frame->line))

static struct cup_value *fill_frame(struct cup_report_rows *rows, uint32_t of,
                                    struct cup_value *values)
{
    const struct cup_call_frame *frame = &rows->totals->calls->frames[of];
    const struct cup_function *function = &rows->totals->calls->functions[frame->function];
    CUP_FILL(values, LINE_FIELDS);
    return values;
}

/* CPU samples have no native frames, so native functions have no CPU time. */
static bool is_known(const struct cup_profile *profile, enum cup_weight weight, bool native)
{
    bool sampled = weight == CUP_W_CPU || weight == CUP_W_OFF_CPU || weight == CUP_W_SAMPLES;
    return cup_weight_measured(profile, weight) && !(native && sampled);
}

static struct cup_value weight_of(const struct cup_profile *profile, int weight,
                                  const struct cup_weights *weights, bool native)
{
    return cup_value_if(is_known(profile, (enum cup_weight)weight, native),
                        cup_weight_value((enum cup_weight)weight, weights->of[weight]));
}

static struct cup_value *fill_weights(struct cup_report_rows *rows,
                                      const struct cup_weights *weights, struct cup_value *values)
{
    for (int i = 0; i < CUP_WEIGHT_COUNT; i++)
        *values++ =
            weight_of(rows->profile, i, weights, ((const struct part_of *)rows->of)->native);
    return values;
}

static void fill_self_and_total(struct cup_report_rows *rows, const struct cup_function_row *row,
                                struct cup_value *values)
{
    fill_weights(rows, &row->total, fill_weights(rows, &row->self, values));
}

#define SELF_PART CUP_NAMED_PART("", cup_weight_names, CUP_WEIGHT_COUNT)
#define TOTAL_PART CUP_NAMED_PART("total_", cup_weight_names, CUP_WEIGHT_COUNT)

/* ---- functions ---------------------------------------------------------------------------- */

static void fill_function(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_function_row *row = item;
    const struct cup_function *function = &rows->totals->calls->functions[row->of];
    CUP_FILL(values, FUNCTION_FIELDS);
    fill_self_and_total(rows, row, values);
}

#define PREFIX_FUNCTION_FIELDS(X) PREFIX_FIELDS(X) FUNCTION_FIELDS(X)

static void fill_prefix_function(struct cup_report_rows *rows, const void *item,
                                 struct cup_value *values)
{
    CUP_FILL(values, PREFIX_FIELDS);
    fill_function(rows, item, values);
}

static int list_rows(struct cup_report_rows *rows, const struct cup_function_rows *functions)
{
    return cup_add_rows(rows, functions->rows, functions->count, sizeof *functions->rows);
}

/* The rows over all tasks, for CSV: the JSON makes `functions` once for all its tables. */
static int list_all_tasks(struct cup_report_rows *rows, bool native)
{
    struct cup_functions functions;
    const struct part_of of = {&functions, CUP_ALL_PREFIXES, native};
    if (!rows->totals->calls)
        return 0;
    if (cup_functions_make(&functions, rows->totals->calls, CUP_ALL_PREFIXES) != 0)
        return -1;
    cup_function_rows_sort(&functions.functions, CUP_W_CPU, true, true);
    cup_function_rows_sort(&functions.natives, CUP_W_ALLOC, true, false);
    rows->of = &of;
    int result = list_rows(rows, native ? &functions.natives : &functions.functions);
    rows->of = NULL;
    cup_functions_free(&functions);
    return result;
}

static int list_functions(struct cup_report_rows *rows)
{
    const struct part_of *of = rows->of;
    return of ? list_rows(rows, &of->functions->functions) : list_all_tasks(rows, false);
}

static int list_natives(struct cup_report_rows *rows)
{
    const struct part_of *of = rows->of;
    return of ? list_rows(rows, &of->functions->natives) : list_all_tasks(rows, true);
}

#define FUNCTION_PARTS CUP_ROW_PART(FUNCTION_FIELDS, fill_function), SELF_PART, TOTAL_PART
#define PREFIX_FUNCTION_PARTS                                                                      \
    CUP_ROW_PART(PREFIX_FUNCTION_FIELDS, fill_prefix_function), SELF_PART, TOTAL_PART
const struct cup_report_table cup_functions_table = {CUP_TABLE_PARTS(FUNCTION_PARTS),
                                                     list_functions};
const struct cup_report_table cup_natives_table = {CUP_TABLE_PARTS(FUNCTION_PARTS), list_natives};
static const struct cup_report_table functions_by_prefix = {CUP_TABLE_PARTS(PREFIX_FUNCTION_PARTS),
                                                            list_functions, .name = "by_prefix"};
static const struct cup_report_table natives_by_prefix = {CUP_TABLE_PARTS(PREFIX_FUNCTION_PARTS),
                                                          list_natives, .name = "native"};

/* ---- lines, and the branches that they read ------------------------------------------------- */

/* Lists the user's lines only: packages have many, which the user cannot change. */
static int list_lines(struct cup_report_rows *rows)
{
    const struct cup_function_rows *lines = &((const struct part_of *)rows->of)->functions->lines;
    for (size_t i = 0; i < lines->count; i++)
        if (lines->rows[i].user)
            cup_add_row(rows, &lines->rows[i]);
    return 0;
}

static void fill_line(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_function_row *row = item;
    fill_self_and_total(rows, row, fill_frame(rows, row->of, values));
}

static const struct cup_report_table lines_table = {
    CUP_TABLE_PARTS(CUP_ROW_PART(LINE_FIELDS, fill_line), SELF_PART, TOTAL_PART), list_lines,
    .name = "lines"};

#define BRANCH_FIELDS(X)                                                                           \
    X("tree", TEXT, cup_row_text(rows, rows->profile->branches[row->branch].tree))                 \
    X("branch", TEXT, cup_row_text(rows, rows->profile->branches[row->branch].name))               \
    X("baskets", COUNT, cup_count(row->baskets))                                                   \
    X("compressed_bytes", BYTES, cup_count(row->compressed_bytes))

static void fill_branch(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_line_branch *row = item;
    values = fill_frame(rows, row->frame, values);
    CUP_FILL(values, BRANCH_FIELDS);
}

CUP_LIST_ARRAY(list_branches, rows->totals->calls->branches, rows->totals->calls->branch_count)

static const struct cup_report_table branches_table = {
    CUP_TABLE_PARTS(CUP_ROW_PART(LINE_FIELDS, fill_branch), CUP_ROW_PART(BRANCH_FIELDS, NULL)),
    list_branches, .name = "branches"};

/* ---- packages and phases -------------------------------------------------------------------- */

#define PACKAGE_FIELDS(X) X("package", TEXT, tree_text(rows, row->of))

static void fill_package(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_function_row *row = item;
    CUP_FILL(values, PACKAGE_FIELDS);
    fill_self_and_total(rows, row, values);
}

static int list_packages(struct cup_report_rows *rows)
{
    const struct part_of *of = rows->of;
    return list_rows(rows, of->native ? &of->functions->native_packages : &of->functions->packages);
}

#define PACKAGE_PARTS CUP_ROW_PART(PACKAGE_FIELDS, fill_package), SELF_PART, TOTAL_PART
static const struct cup_report_table packages_table = {CUP_TABLE_PARTS(PACKAGE_PARTS),
                                                       list_packages, .name = "packages"};
static const struct cup_report_table native_packages_table = {
    CUP_TABLE_PARTS(PACKAGE_PARTS), list_packages, .name = "native_packages"};

/* `item` points to the phase's weights in functions->phases. */
#define PHASE_FIELDS(X)                                                                            \
    PREFIX_FIELDS(X)                                                                               \
    X("phase", TEXT,                                                                               \
      cup_string(cup_phase_names[(const struct cup_weights *)item - of->functions->phases]))

static void fill_phase(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct part_of *of = rows->of;
    CUP_FILL(values, PHASE_FIELDS);
    fill_weights(rows, item, values);
}

static int list_phases(struct cup_report_rows *rows)
{
    const struct part_of *of = rows->of;
    return cup_add_rows(rows, of->functions->phases, CUP_PHASE_COUNT,
                        sizeof *of->functions->phases);
}

static const struct cup_report_table phases_table = {
    CUP_TABLE_PARTS(CUP_ROW_PART(PHASE_FIELDS, fill_phase), SELF_PART), list_phases,
    .name = "phases"};

/* ---- libraries ------------------------------------------------------------------------------ */

static struct cup_value build_id(struct cup_report_rows *rows, struct cup_text bits)
{
    char hex[2 * CUP_BUILD_ID_MOST + 1] = "";
    for (size_t i = 0; i < bits.length && i < CUP_BUILD_ID_MOST; i++)
        snprintf(hex + 2 * i, 3, "%02x", (unsigned char)bits.bytes[i]);
    return bits.length ? cup_row_string(rows, hex) : cup_null();
}

/* Whether the functions of a library have names, and why not. */
#define MODULE_FIELDS(X)                                                                           \
    X("path", TEXT, cup_text(module->path))                                                        \
    X("build_id", TEXT, build_id(rows, module->build_id))                                          \
    X("names", TEXT, cup_string(cup_module_state_names[module->state]))                            \
    X("why", TEXT, cup_string(module->why[0] ? module->why : NULL))                                \
    X("addresses", COUNT, cup_count(module->addresses))                                            \
    X("named", COUNT, cup_count(module->named))

CUP_FILL_ITEM(fill_module, struct cup_module, module, MODULE_FIELDS)

static int list_modules(struct cup_report_rows *rows)
{
    const struct cup_modules *modules = &rows->totals->calls->modules;
    for (size_t i = 0; i < modules->count; i++)
        if (modules->rows[i].addresses)
            cup_add_row(rows, &modules->rows[i]);
    return 0;
}

static const struct cup_report_table modules_table = {CUP_TABLE_FIELDS(MODULE_FIELDS, fill_module),
                                                      list_modules, .name = "modules"};

/* ---- the section -------------------------------------------------------------------------- */

static void put_weights(struct report *report, const char *before, const struct cup_weights *w)
{
    for (int i = 0; i < CUP_WEIGHT_COUNT; i++) {
        char name[CUP_KEY_ROOM];
        snprintf(name, sizeof name, "%s%s", before, cup_weight_names[i]);
        put(report, name, weight_of(report->profile, i, w, false));
    }
}

/* Writes an array: the rows over all tasks unless `all` is NULL, then the rows of each prefix that
 * has any. */
static int put_by_prefix(struct report *report, const struct cup_report_table *table,
                         const struct part_of *all, bool native)
{
    int result = 0;
    cup_json_array(&report->json, table->name);
    if (all)
        result = cup_put_more_rows(report, table, all);
    for (uint32_t i = 0; i <= report->profile->prefix_count && result == 0; i++) {
        struct cup_functions functions;
        uint32_t prefix = i < report->profile->prefix_count ? i : CUP_NO_PREFIX;
        if (cup_functions_make(&functions, report->totals->calls, prefix) != 0)
            return -1;
        if (functions.functions.count)
            result =
                cup_put_more_rows(report, table, &(struct part_of){&functions, prefix, native});
        cup_functions_free(&functions);
    }
    cup_json_end_array(&report->json);
    return result;
}

static void put_sums(struct report *report, const struct cup_functions *functions)
{
    const struct cup_call_tree *tree = functions->tree;
    put(report, "tasks", cup_count(tree->tasks));
    put(report, "processes", cup_count(tree->processes));
    put(report, "processes_without", cup_count(tree->without));
    put_weights(report, "", &functions->all);
    put_weights(report, "unknown_", &functions->unknown);
    put_weights(report, "native_", &functions->native);
    put(report, "left_out", cup_count(tree->left_out));
    put(report, "orphans", cup_count(tree->orphans));
    put(report, "damaged_records", cup_count(tree->damaged));
}

static int put_tables(struct report *report, const struct cup_functions *functions)
{
    const struct part_of all = {functions, CUP_ALL_PREFIXES, false};
    const struct part_of native = {functions, CUP_ALL_PREFIXES, true};
    if (cup_put_rows(report, &cup_functions_table, &all) != 0 ||
        cup_put_rows(report, &lines_table, &all) != 0 ||
        cup_put_rows(report, &branches_table, &all) != 0 ||
        cup_put_rows(report, &packages_table, &all) != 0 ||
        put_by_prefix(report, &phases_table, &all, false) != 0 ||
        put_by_prefix(report, &natives_by_prefix, &native, true) != 0 ||
        cup_put_rows(report, &native_packages_table, &native) != 0 ||
        cup_put_rows(report, &modules_table, &all) != 0)
        return -1;
    return put_by_prefix(report, &functions_by_prefix, NULL, false);
}

int cup_put_functions(struct report *report)
{
    struct cup_functions functions;
    if (!report->totals->calls) {
        put(report, "functions", cup_null());
        return 0;
    }
    if (cup_functions_make(&functions, report->totals->calls, CUP_ALL_PREFIXES) != 0)
        return -1;
    cup_function_rows_sort(&functions.functions, CUP_W_CPU, true, true);
    cup_function_rows_sort(&functions.lines, CUP_W_CPU, true, true);
    cup_function_rows_sort(&functions.packages, CUP_W_CPU, false, false);
    cup_json_object(&report->json, "functions");
    put_sums(report, &functions);
    int result = put_tables(report, &functions);
    cup_json_end_object(&report->json);
    cup_functions_free(&functions);
    return result;
}
