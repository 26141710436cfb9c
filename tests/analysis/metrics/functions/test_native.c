/* Native frames in the stacks of a run: what they are called, that they change nothing of what
 * Python functions have, and where they are told. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/functions/folded.h"
#include "analysis/metrics/functions/functions.h"
#include "cli/verbs.h"
#include "plot/flame/flame.h"
#include "tests/analysis/native_files.h"
#include "tests/analysis/stack_logs.h"
#include "tests/analysis/support.h"

#define MS(n) ((uint64_t)(n)*1000000)

enum { LIBRARY = 1, INTERPRETER, OTHER_LIBRARY }; /* modules */
enum { PATHS = 700, NATIVE_NODES = 200 };

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH];
static struct native_file library, interpreter;
static struct cup_profile profile;
static struct cup_call_tree tree;
static struct cup_functions functions;

static void set_up(void)
{
    make_scratch(scratch);
    make_scratch(outside);
    make_native(&library, outside, "libkernels.so.2", "");
    make_native(&interpreter, outside, "libpython3.11.so.1.0", "");
}

static void unload(void)
{
    cup_functions_free(&functions);
    cup_call_tree_free(&tree);
    cup_profile_free(&profile);
}

static void tear_down(void)
{
    unload();
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(native, .init = set_up, .fini = tear_down);

static void load(void)
{
    static const struct cup_load_options options = {.run = CUP_ALL_RUNS};
    static const struct cup_call_ask all;
    struct cup_error error;
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_call_tree_make(&tree, &profile, &all), 0);
    cr_assert_eq(cup_functions_make(&functions, &tree, CUP_ALL_PREFIXES), 0);
}

/* ---- logs --------------------------------------------------------------------------------- */

static void add_modules(struct log_builder *b)
{
    builder_string(b, PATHS + LIBRARY, library.path);
    builder_string(b, PATHS + INTERPRETER, interpreter.path);
    builder_string(b, PATHS + OTHER_LIBRARY, "/nowhere/libgone.so");
    builder_module(b, LIBRARY, PATHS + LIBRARY, library.build_id, library.build_id_bytes);
    builder_module(b, INTERPRETER, PATHS + INTERPRETER, interpreter.build_id,
                   interpreter.build_id_bytes);
    builder_module(b, OTHER_LIBRARY, PATHS + OTHER_LIBRARY, library.build_id,
                   library.build_id_bytes);
}

static struct cup_stack_node in_library(uint32_t parent, int place)
{
    return (struct cup_stack_node){parent, CUP_NODE_NATIVE + LIBRARY, library.places[place]};
}

static struct cup_stack_node in_interpreter(uint32_t parent, uint32_t at)
{
    return (struct cup_stack_node){parent, CUP_NODE_NATIVE + INTERPRETER, at};
}

/* Six frames above a node: two of the interpreter's that have no names, one of it that has, again
 * one that has none, and two of the library. Returns the last one. */
static uint32_t add_chain(struct log_builder *b, uint32_t first, uint32_t under)
{
    const struct cup_stack_node nodes[] = {
        in_interpreter(under, 8),
        in_interpreter(first, 16),
        in_interpreter(first + 1, interpreter.places[P_OUTER]),
        in_interpreter(first + 2, 8),
        in_library(first + 3, P_LAMBDA),
        in_library(first + 4, P_STATIC_INNER),
    };
    builder_stacks(b, first, nodes, 6);
    return first + 5;
}

/* What happens at UNDER, or, with NATIVE, at native frames above it; 0: at no stack. */
static void add_use(struct log_builder *b, bool native, uint32_t first, uint32_t under,
                    enum cup_stack_use use)
{
    const uint32_t node = native ? add_chain(b, first, under) : under;
    const struct cup_stack_use_row row = {node, use, 3, 30000, MS(7)};
    builder_uses(b, under == N_OPEN ? 3 : 1, &row, 1);
}

static void save(bool native)
{
    static const uint32_t under[] = {N_WORK,   N_PROCESS, N_SELECT, N_ARRAY,
                                     N_HELPER, N_FETCH,   N_OPEN,   0};
    struct log_builder b;
    build_stack_log(&b);
    add_modules(&b);
    for (uint32_t i = 0; i < sizeof under / sizeof *under; i++) {
        add_use(&b, native, NATIVE_NODES + 30 * i, under[i], CUP_U_READ);
        add_use(&b, native, NATIVE_NODES + 30 * i + 10, under[i], CUP_U_ALLOC);
        add_use(&b, native, NATIVE_NODES + 30 * i + 20, under[i], CUP_U_IO_WAIT);
    }
    builder_finish(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
}

/* ---- rows as text ------------------------------------------------------------------------- */

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void print_text(FILE *out, uint32_t string)
{
    const struct cup_text text = cup_call_text(&tree, string);
    fprintf(out, "%.*s|", (int)text.length, text.length ? text.bytes : "");
}

static char *row_text(const struct cup_function_row *row, uint32_t function, uint32_t line)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (function == UINT32_MAX)
        print_text(out, row->of);
    else {
        print_text(out, tree.functions[function].name);
        print_text(out, tree.functions[function].file);
        print_text(out, tree.functions[function].package);
    }
    fprintf(out, "%u|%d", line, row->user);
    for (int i = 0; i < CUP_WEIGHT_COUNT; i++)
        fprintf(out, " %llu/%llu", (unsigned long long)row->self.of[i],
                (unsigned long long)row->total.of[i]);
    fclose(out);
    return text;
}

enum rows_of { FUNCTIONS, LINES, PACKAGES };

/* All rows, sorted, one a line. */
static char *rows_text(const struct cup_function_rows *rows, enum rows_of of)
{
    char **lines = calloc(rows->count + 1, sizeof *lines), *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < rows->count; i++) {
        const struct cup_function_row *row = &rows->rows[i];
        const struct cup_call_frame *frame = of == LINES ? &tree.frames[row->of] : NULL;
        lines[i] = row_text(row,
                            frame            ? frame->function
                            : of == PACKAGES ? UINT32_MAX
                                             : row->of,
                            frame ? frame->line : 0);
    }
    qsort(lines, rows->count, sizeof *lines, by_text);
    for (size_t i = 0; i < rows->count; i++) {
        fprintf(out, "%s\n", lines[i]);
        free(lines[i]);
    }
    free(lines);
    fclose(out);
    return text;
}

static const struct cup_function_row *native_row(const char *name)
{
    for (size_t i = 0; i < functions.natives.count; i++) {
        const struct cup_function *function = &tree.functions[functions.natives.rows[i].of];
        const struct cup_text text = cup_call_text(&tree, function->name);
        if (text.length == strlen(name) && memcmp(text.bytes, name, text.length) == 0)
            return &functions.natives.rows[i];
    }
    return NULL;
}

/* ---- sums --------------------------------------------------------------------------------- */

/* Each figure of what is told of Python, with native frames and without. */
Test(native, what_python_functions_have_is_the_same)
{
    char *before[3], *after[3];
    struct cup_functions without;
    save(false);
    load();
    cr_assert_eq(functions.natives.count, 0);
    before[0] = rows_text(&functions.functions, FUNCTIONS);
    before[1] = rows_text(&functions.lines, LINES);
    before[2] = rows_text(&functions.packages, PACKAGES);
    without = functions;
    functions = (struct cup_functions){0};
    unload();
    save(true);
    load();
    cr_assert_gt(functions.natives.count, 0);
    after[0] = rows_text(&functions.functions, FUNCTIONS);
    after[1] = rows_text(&functions.lines, LINES);
    after[2] = rows_text(&functions.packages, PACKAGES);
    for (int i = 0; i < 3; i++) {
        cr_expect_str_eq(before[i], after[i]);
        free(before[i]);
        free(after[i]);
    }
    cr_expect_arr_eq(&without.all, &functions.all, sizeof without.all);
    cr_expect_arr_eq(&without.unknown, &functions.unknown, sizeof without.unknown);
    cr_expect_arr_eq(without.phases, functions.phases, sizeof without.phases);
    cup_functions_free(&without);
}

Test(native, native_functions_have_rows_of_their_own)
{
    save(true);
    load();
    const struct cup_function_row *inner = native_row("static_inner");
    const struct cup_function_row *lambda = native_row("main::{lambda(int)#1}::operator()");
    cr_assert(inner && lambda);
    cr_expect_eq(inner->self.of[CUP_W_READ], 8 * 30000);
    cr_expect_eq(inner->self.of[CUP_W_ALLOC], 8 * 30000);
    cr_expect_eq(inner->self.of[CUP_W_WAIT], 8 * MS(7));
    cr_expect_eq(inner->total.of[CUP_W_READ], 8 * 30000);
    cr_expect_eq(inner->total.of[CUP_W_CPU], 0);
    cr_expect_eq(lambda->self.of[CUP_W_READ], 0);
    cr_expect_eq(lambda->total.of[CUP_W_READ], 8 * 30000);
    cr_expect_eq(native_row("outer")->total.of[CUP_W_READ], 8 * 30000);
    cr_expect_not(native_row("(interpreter)"), "each has one that is named above it");
    cr_expect_eq(functions.natives.count, 3);
    cr_expect(tree.has_native);
    cr_expect_eq(functions.native.of[CUP_W_READ], 8 * 30000);
    cr_expect_eq(functions.native.of[CUP_W_CPU], 0);
}

/* ---- folding ------------------------------------------------------------------------------ */

/* The frames of what is at a node, from the outermost on, by name, separated by ';'. */
static char *stack_text(uint32_t node)
{
    uint32_t path[CUP_CALL_DEPTH_MOST], depth = 0;
    char *text, name[CUP_FRAME_ROOM];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (; node; node = tree.nodes[node].parent)
        path[depth++] = tree.frames[tree.nodes[node].frame].function;
    while (depth--)
        fprintf(out, "%s%s", cup_function_text(&tree, path[depth], 0, name), depth ? ";" : "");
    fclose(out);
    return text;
}

static void expect_stack(enum cup_weight weight, const char *expected)
{
    bool seen = false;
    for (size_t i = 0; i < tree.row_count; i++) {
        if (!tree.rows[i].weights.of[weight])
            continue;
        char *text = stack_text(tree.rows[i].node);
        cr_expect_str_eq(text, expected);
        seen = true;
        free(text);
    }
    cr_expect(seen, "%s", expected);
}

static void save_nodes(const struct cup_stack_node *nodes, uint32_t count, enum cup_stack_use use)
{
    struct log_builder b;
    const struct cup_stack_use_row row = {NATIVE_NODES + count - 1, use, 1, 100, MS(1)};
    build_stack_log(&b);
    add_modules(&b);
    builder_stacks(&b, NATIVE_NODES, nodes, count);
    builder_uses(&b, 1, &row, 1);
    builder_finish(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
}

#define WORK_TEXT "Runner._work_function (coffea/processor/executor.py:1621)"

Test(native, what_the_interpreter_does_on_the_way_is_left_out)
{
    const struct cup_stack_node nodes[] = {
        in_interpreter(N_WORK, 8),
        in_interpreter(NATIVE_NODES, 16),
        in_interpreter(NATIVE_NODES + 1, interpreter.places[P_OUTER]),
        in_interpreter(NATIVE_NODES + 2, 24),
        in_library(NATIVE_NODES + 3, P_OUTER),
    };
    save_nodes(nodes, 5, CUP_U_POLL_WAIT);
    load();
    expect_stack(CUP_W_POLL_WAIT,
                 WORK_TEXT ";outer (libpython3.11.so.1.0);outer (libkernels.so.2)");
}

Test(native, what_only_the_interpreter_does_is_one_frame)
{
    const struct cup_stack_node nodes[] = {
        in_interpreter(N_WORK, 8),
        in_interpreter(NATIVE_NODES, 16),
        in_interpreter(NATIVE_NODES + 1, 24),
    };
    save_nodes(nodes, 3, CUP_U_POLL_WAIT);
    load();
    expect_stack(CUP_W_POLL_WAIT, WORK_TEXT ";(interpreter) (libpython3.11.so.1.0)");
}

Test(native, what_no_python_function_called_is_above_one_that_is_not_known)
{
    const struct cup_stack_node nodes[] = {in_library(0, P_LAMBDA),
                                           {NATIVE_NODES, CUP_NODE_NATIVE, 77}};
    save_nodes(nodes, 2, CUP_U_POLL_WAIT);
    load();
    expect_stack(CUP_W_POLL_WAIT, "(not known);main::{lambda(int)#1}::operator() "
                                  "(libkernels.so.2);(native, in no module)");
    cr_expect_eq(functions.unknown.of[CUP_W_POLL_WAIT], MS(1));
}

/* Frames that are left out in the middle are native. */
Test(native, a_gap_is_native)
{
    const struct cup_stack_node nodes[] = {{N_WORK, CUP_NODE_CUT, 0},
                                           in_library(NATIVE_NODES, P_OUTER),
                                           {NATIVE_NODES + 1, CUP_NODE_CUT, 0},
                                           in_interpreter(NATIVE_NODES + 2, 8)};
    save_nodes(nodes, 4, CUP_U_POLL_WAIT);
    load();
    expect_stack(CUP_W_POLL_WAIT,
                 WORK_TEXT ";(native frames left out);outer (libkernels.so.2);(native frames left "
                           "out);(interpreter) (libpython3.11.so.1.0)");
    cr_expect_eq(tree.orphans, 0);
}

/* So are those of a stack without Python; what Python leaves out stays what it is. */
Test(native, what_is_left_out_below_native_frames_is_native)
{
    const struct cup_stack_node nodes[] = {{0, CUP_NODE_CUT, 0}, in_library(NATIVE_NODES, P_OUTER)};
    save_nodes(nodes, 2, CUP_U_POLL_WAIT);
    load();
    expect_stack(CUP_W_POLL_WAIT, "(not known);(native frames left out);outer (libkernels.so.2)");
    unload();
    const struct cup_stack_node helper[] = {{N_HELPER, CUP_NODE_CUT, 0},
                                            in_library(NATIVE_NODES, P_OUTER)};
    save_nodes(helper, 2, CUP_U_IO_WAIT);
    load();
    size_t at = 0;
    while (at < tree.row_count && !tree.rows[at].weights.of[CUP_W_IO_WAIT])
        at++;
    cr_assert_lt(at, tree.row_count);
    uint32_t innermost = cup_call_python(&tree, tree.rows[at].node);
    cr_expect_eq(cup_call_function(&tree, innermost)->kind, CUP_FRAME_HELPER);
    unload();
    const struct cup_stack_node python[] = {
        {0, CUP_NODE_CUT, 0}, {NATIVE_NODES, SELECT, 0}, in_library(NATIVE_NODES + 1, P_OUTER)};
    save_nodes(python, 3, CUP_U_POLL_WAIT);
    load();
    expect_stack(CUP_W_POLL_WAIT, "(frames left out);select (mine.py:30);outer (libkernels.so.2)");
}

/* C code that calls back hides neither process() nor whose line it was. */
Test(native, a_phase_is_seen_through_native_frames)
{
    const struct cup_stack_node nodes[] = {in_library(N_WORK, P_OUTER),
                                           {NATIVE_NODES, SELECT, 0},
                                           in_library(NATIVE_NODES + 1, P_OUTER)};
    save_nodes(nodes, 3, CUP_U_POLL_WAIT);
    load();
    expect_stack(CUP_W_POLL_WAIT,
                 WORK_TEXT ";outer (libkernels.so.2);select (mine.py:30);outer (libkernels.so.2)");
    cr_expect_eq(functions.phases[CUP_PHASE_PROCESS].of[CUP_W_POLL_WAIT], MS(1));
}

/* Of the user's line where there is one, else of the innermost of Python's. */
Test(native, branches_are_of_a_line_of_python)
{
    enum { TREE = 900, PT };
    const struct cup_stack_node nodes[] = {in_library(N_WORK, P_OUTER),
                                           in_library(N_SELECT, P_OUTER)};
    const struct cup_stack_use_row rows[] = {{NATIVE_NODES, CUP_USE_BRANCHES + 1, 1, 10, 0},
                                             {NATIVE_NODES + 1, CUP_USE_BRANCHES + 1, 1, 10, 0}};
    const struct cup_r_branch branch = {.branch = 1, .tree = TREE, .name = PT};
    struct log_builder b;
    build_stack_log(&b);
    builder_string(&b, TREE, "Events");
    builder_string(&b, PT, "Jet_pt");
    BUILDER_ADD(&b, CUP_R_BRANCH, branch);
    add_modules(&b);
    builder_stacks(&b, NATIVE_NODES, nodes, 2);
    builder_uses(&b, 1, rows, 2);
    builder_finish(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
    load();
    cr_assert_eq(tree.branch_count, 2);
    for (int i = 0; i < 2; i++)
        cr_expect_eq(tree.functions[tree.frames[tree.branches[i].frame].function].kind,
                     CUP_FRAME_PYTHON);
}

/* ---- several processes -------------------------------------------------------------------- */

/* It lies in other directories. */
Test(native, functions_of_one_library_are_one_on_all_hosts)
{
    struct log_builder b;
    save(true);
    shell("mkdir %s/elsewhere && cp %s %s/elsewhere", outside, library.path, outside);
    snprintf(library.path, sizeof library.path, "%s/elsewhere/libkernels.so.2", outside);
    build_stack_log(&b);
    builder_header(&b)->pid = 77;
    add_modules(&b);
    const uint32_t node = add_chain(&b, NATIVE_NODES, N_SELECT);
    const struct cup_stack_use_row row = {node, CUP_U_READ, 1, 5, 0};
    builder_uses(&b, 1, &row, 1);
    builder_finish(&b);
    save_log(&b, scratch, "two.cup");
    builder_free(&b);
    load();
    cr_expect_eq(functions.natives.count, 3);
    cr_expect_eq(native_row("static_inner")->self.of[CUP_W_READ], 8 * 30000 + 5);
    cr_expect_eq(tree.modules.rows[0].addresses, 2, "different ones");
    cr_expect_eq(tree.modules.rows[INTERPRETER - 1].addresses, 3, "of both processes");
}

Test(native, a_library_that_is_not_here_is_told_by_offsets)
{
    const struct cup_stack_node nodes[] = {{N_WORK, CUP_NODE_NATIVE + OTHER_LIBRARY, 0x1234}};
    save_nodes(nodes, 1, CUP_U_POLL_WAIT);
    load();
    expect_stack(CUP_W_POLL_WAIT, WORK_TEXT ";libgone.so+0x1234");
}

/* ---- where it is told --------------------------------------------------------------------- */

#define RUN(verb, ...) run_verb(outside, verb, (const char *const[]){__VA_ARGS__, NULL})

static void expect_in(const char *text, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_expect(strstr(text, parts[i]), "%s: %s", parts[i], text);
}

Test(native, the_report_has_tables_of_them)
{
    static const char *const parts[] = {
        "Native functions",      "lie in functions with names", "native frames are known for",
        "Longest waits, native", "Most bytes read, native",     "static_inner",
        "libkernels.so.2",       "Most bytes allocated, n"};
    save(true);
    cr_assert_eq(RUN(cup_verb_report, "report", scratch, "--only", "functions"), CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    expect_in(text, parts, sizeof parts / sizeof *parts);
    cr_expect_not(strstr(text, "Most CPU time, native"), "%s", text);
    cr_expect_not(strstr(text, "No names of"), "%s", text);
    free(text);
}

Test(native, the_report_says_why_there_are_no_names)
{
    const struct cup_stack_node nodes[] = {{N_WORK, CUP_NODE_NATIVE + OTHER_LIBRARY, 0x1234}};
    save_nodes(nodes, 1, CUP_U_READ);
    cr_assert_eq(RUN(cup_verb_report, "report", scratch, "--only", "functions"), CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    cr_expect(strstr(text, "No function names for libgone.so: there is no such file here."), "%s",
              text);
    free(text);
}

Test(native, the_report_tells_what_is_missing)
{
    struct log_builder b;
    const struct cup_stack_node node = in_library(N_WORK, P_OUTER);
    const struct cup_stack_use_row row = {NATIVE_NODES, CUP_U_READ, 1, 100, 0};
    build_stack_log(&b);
    add_modules(&b);
    builder_header(&b)->health[CUP_H_NATIVE_MISSED] = 5;
    builder_header(&b)->health[CUP_H_NATIVE_APART] = 6;
    builder_stacks(&b, NATIVE_NODES, &node, 1);
    builder_uses(&b, 1, &row, 1);
    builder_finish(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
    cr_assert_eq(RUN(cup_verb_report, "report", scratch, "--only", "functions"), CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    static const char *const parts[] = {"Stacks without native frames",
                                        "gone: ", "above all Python functions", "not found: 6."};
    expect_in(text, parts, 4);
    free(text);
}

Test(native, the_json_holds_them)
{
    save(true);
    json_t *report = report_json(scratch, outside);
    const json_t *section = json_object_get(report, "functions");
    const json_t *natives = json_object_get(section, "native");
    const json_t *row = json_row(natives, "function", "static_inner");
    cr_expect(json_is_null(json_object_get(row, "prefix")));
    cr_expect_str_eq(json_string_value(json_object_get(row, "kind")), "native");
    cr_expect_str_eq(json_string_value(json_object_get(row, "package")), "libkernels");
    cr_expect_eq(json_integer_value(json_object_get(row, "read_bytes")), 8 * 30000);
    cr_expect(json_is_null(json_object_get(row, "cpu_s")), "no sample has native frames");
    cr_expect(json_is_null(json_object_get(row, "total_cpu_samples")));
    row = json_row(natives, "prefix", "merge");
    cr_expect_eq(json_integer_value(json_object_get(row, "total_read_bytes")), 30000);
    row = json_row(json_object_get(section, "native_packages"), "package", "libkernels");
    cr_expect_eq(json_integer_value(json_object_get(row, "alloc_bytes")), 8 * 30000);
    row = json_row(json_object_get(section, "modules"), "path", library.path);
    cr_expect_str_eq(json_string_value(json_object_get(row, "names")), "read");
    cr_expect_eq(json_integer_value(json_object_get(row, "named")), 2);
    cr_expect_eq(strlen(json_string_value(json_object_get(row, "build_id"))),
                 2 * library.build_id_bytes);
    json_decref(report);
}

Test(native, two_runs_are_compared_by_them_too)
{
    static const char *const parts[] = {"bytes allocated, self, native, for each",
                                        "static_inner (libkernels.so.2)"};
    char one[2 * SUPPORT_PATH];
    save(false);
    snprintf(one, sizeof one, "%s/one.json", outside);
    cr_assert_eq(RUN(cup_verb_report, "report", scratch, "--json", one), CUP_EXIT_DONE);
    save(true);
    cr_assert_eq(RUN(cup_verb_compare, "compare", one, scratch, "--only", "functions"),
                 CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    expect_in(text, parts, 2);
    cr_expect(strstr(text, "static_inner") > strstr(text, "native, for each"),
              "in tables of their own: %s", text);
    free(text);
}

static const struct cup_flame_box *box_of(const struct cup_flame *flame, const char *whole)
{
    for (size_t i = 0; i < flame->count; i++)
        if (strcmp(flame->boxes[i].whole, whole) == 0)
            return &flame->boxes[i];
    cr_assert(false, "no box of %s", whole);
    return NULL;
}

Test(native, boxes_have_names_without_the_library)
{
    struct cup_arena arena = {0};
    struct cup_folded folded;
    struct cup_flame_left_out left_out = {0};
    const struct cup_flame_weight weight = {.weight = CUP_W_READ};
    save(true);
    load();
    cr_assert_eq(cup_fold(&folded, &tree, CUP_W_READ, CUP_ALL_PREFIXES, CUP_FOLD_USER_LINES), 0);
    const struct cup_flame *flame = cup_flame_make(&arena, &tree, &folded, &weight, 1, &left_out);
    cr_assert(flame);
    cr_expect_str_eq(box_of(flame, "static_inner (libkernels.so.2)")->name, "static_inner");
    cr_expect_str_eq(box_of(flame, "main::{lambda(int)#1}::operator() (libkernels.so.2)")->name,
                     "main::{lambda(int)#1}::operator()");
    cup_folded_free(&folded);
    cup_arena_clear(&arena);
}

Test(native, a_table_for_spreadsheets_has_them)
{
    static const char *const parts[] = {"function,file,path,", "\nstatic_inner,libkernels.so.2,",
                                        ",libkernels,false,native,"};
    char target[2 * SUPPORT_PATH];
    save(true);
    snprintf(target, sizeof target, "%s/export", outside);
    cr_assert_eq(RUN(cup_verb_export, "export", scratch, "--to", "csv", "-o", target),
                 CUP_EXIT_DONE);
    char *text = read_text_in(target, "native.csv"),
         *others = read_text_in(target, "functions.csv");
    expect_in(text, parts, 3);
    cr_expect(!strstr(others, "static_inner"), "%s", others);
    free(text);
    free(others);
    remove_scratch(target);
}
