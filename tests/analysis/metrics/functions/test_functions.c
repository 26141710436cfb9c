/* Stacks of two workers as one tree, and what is summed up over it: worked out by hand
 * (stack_logs.h), and logs that no library would write. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/metrics/functions/code_place.h"
#include "analysis/metrics/functions/functions.h"
#include "analysis/metrics/functions/installed_files.h"
#include "analysis/metrics/functions/source_line.h"
#include "cli/verbs.h"
#include "tests/analysis/stack_logs.h"
#include "tests/analysis/support.h"

#define MS(n) ((uint64_t)(n)*1000000)

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH];
static struct cup_profile profile;
static struct cup_call_tree tree;
static struct cup_functions functions;

static void set_up(void)
{
    make_scratch(scratch);
    make_scratch(outside);
}

static void tear_down(void)
{
    cup_functions_free(&functions);
    cup_call_tree_free(&tree);
    cup_profile_free(&profile);
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(functions, .init = set_up, .fini = tear_down);

static void load(const struct cup_call_ask *ask)
{
    static const struct cup_load_options options = {.run = CUP_ALL_RUNS};
    static const struct cup_call_ask all;
    struct cup_error error;
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_call_tree_make(&tree, &profile, ask ? ask : &all), 0);
    cr_assert_eq(cup_functions_make(&functions, &tree, CUP_ALL_PREFIXES), 0);
}

static void load_stacks(const struct cup_call_ask *ask)
{
    save_stack_logs(scratch);
    load(ask);
}

static bool is_text(uint32_t string, const char *expected)
{
    struct cup_text text = cup_call_text(&tree, string);
    return text.length == strlen(expected) && memcmp(text.bytes, expected, text.length) == 0;
}

static const struct cup_function_row *row_of(const char *name)
{
    const struct cup_function_rows *rows = &functions.functions;
    for (size_t i = 0; i < rows->count; i++)
        if (is_text(tree.functions[rows->rows[i].of].name, name))
            return &rows->rows[i];
    cr_assert(false, "no row of %s", name);
    return NULL;
}

static const struct cup_function_row *line_of(const char *name, uint32_t line)
{
    for (size_t i = 0; i < functions.lines.count; i++) {
        const struct cup_call_frame *frame = &tree.frames[functions.lines.rows[i].of];
        if (frame->line == line && is_text(tree.functions[frame->function].name, name))
            return &functions.lines.rows[i];
    }
    cr_assert(false, "no row of %s, line %u", name, line);
    return NULL;
}

static const struct cup_function_row *package(const char *name)
{
    for (size_t i = 0; i < functions.packages.count; i++)
        if (is_text(functions.packages.rows[i].of, name))
            return &functions.packages.rows[i];
    cr_assert(false, "no row of %s", name);
    return NULL;
}

/* ---- whose code --------------------------------------------------------------------------- */

static void expect_place(const char *path, bool native, const char *package, const char *shown)
{
    const struct cup_text text = {path, strlen(path)};
    const struct cup_code_place place = cup_code_place(text, native);
    cr_expect(place.package.length == strlen(package) &&
                  memcmp(place.package.bytes, package, strlen(package)) == 0,
              "%s: %.*s", path, (int)place.package.length, place.package.bytes);
    cr_expect(place.shown.length == strlen(shown) &&
                  memcmp(place.shown.bytes, shown, strlen(shown)) == 0,
              "%s: %.*s", path, (int)place.shown.length, place.shown.bytes);
    cr_expect_eq(place.user, strcmp(package, "user") == 0, "%s", path);
}

static void expect_python_place(const char *path, const char *package, const char *shown)
{
    expect_place(path, false, package, shown);
}

Test(functions, paths_tell_whose_code_it_is)
{
    expect_python_place("/v/lib/python3.11/site-packages/coffea/util.py", "coffea",
                        "coffea/util.py");
    expect_python_place("/v/lib/python3.11/site-packages/six.py", "six", "six.py");
    expect_python_place("/usr/lib/python3/dist-packages/numpy/core/a.py", "numpy",
                        "numpy/core/a.py");
    expect_python_place("/usr/lib/python3.9/threading.py", "stdlib", "threading.py");
    expect_python_place("/x/lib64/python3.13/json/decoder.py", "stdlib", "json/decoder.py");
    expect_python_place("/usr/lib/python311.zip/queue.py", "stdlib", "queue.py");
    expect_python_place("<frozen importlib._bootstrap>", "stdlib", "<frozen importlib._bootstrap>");
    expect_python_place("<__array_function__ internals>", "numpy",
                        "<__array_function__ internals>");
    expect_python_place("<ipython-input-3-abc>", "user", "<ipython-input-3-abc>");
    expect_python_place("<string>", "generated", "<string>");
    expect_python_place("/home/me/python3/work.py", "user", "/home/me/python3/work.py");
    expect_python_place("/tmp/ipykernel_7/12.py", "user", "/tmp/ipykernel_7/12.py");
    expect_python_place("/s/dask-scratch-space/worker-a1/mine/p.py", "user", "mine/p.py");
    expect_python_place("work.py", "user", "work.py");
    expect_python_place("", "unknown", "");
}

static void expect_library(const char *path, const char *package, const char *shown)
{
    expect_place(path, true, package, shown);
}

Test(functions, paths_tell_whose_library_it_is)
{
    expect_library("/v/lib/python3.11/site-packages/numpy/_core/_u.cpython-311-x86_64-linux-gnu.so",
                   "numpy", "numpy/_core/_u");
    expect_library("/v/lib/python3.11/site-packages/numpy.libs/libopenblas-r0.3.so", "numpy",
                   "numpy.libs/libopenblas-r0.3.so");
    expect_library("/v/lib/python3.11/site-packages/_cffi_backend.abi3.so", "_cffi_backend",
                   "_cffi_backend");
    expect_library("/usr/lib/python3/dist-packages/lz4/a.so", "lz4", "lz4/a.so");
    expect_library("/usr/lib/python3.11/lib-dynload/_zlib.cpython-311-x86_64-linux-gnu.so",
                   "stdlib", "lib-dynload/_zlib");
    expect_library("/opt/conda/bin/python3.11", "python", "python3.11");
    expect_library("/opt/conda/lib/libpython3.11.so.1.0", "python", "libpython3.11.so.1.0");
    expect_library("/usr/bin/python", "python", "python");
    expect_library("/usr/lib/libpythonic.so", "libpythonic", "libpythonic.so");
    expect_library("/lib/x86_64-linux-gnu/libz.so.1", "libz", "libz.so.1");
    expect_library("/lib/libc-2.31.so", "libc", "libc-2.31.so");
    expect_library("/home/me/fast", "fast", "fast");
    expect_library("[vdso]", "[vdso]", "[vdso]");
    expect_library(".so", "native", ".so");
    expect_library("", "native", "");
}

/* ---- sums --------------------------------------------------------------------------------- */

Test(functions, sums_of_a_function_are_its_own_and_with_what_it_calls)
{
    load_stacks(NULL);
    const struct cup_function_row *select = row_of("select"),
                                  *process = row_of("Processor.process");
    cr_assert_eq(select->self.of[CUP_W_CPU], MS(460));
    cr_assert_eq(select->total.of[CUP_W_CPU], MS(460), "it calls itself: once");
    cr_assert_eq(select->self.of[CUP_W_ALLOC], 4096);
    cr_assert_eq(process->self.of[CUP_W_CPU], MS(50));
    cr_assert_eq(process->total.of[CUP_W_CPU], MS(610));
    cr_assert_eq(process->total.of[CUP_W_READ], 1007, "its helper thread's");
    cr_assert_eq(process->total.of[CUP_W_READ_CALLS], 4);
    cr_assert_eq(process->total.of[CUP_W_WAIT], MS(25));
    cr_assert_eq(process->self.of[CUP_W_SLEEP], MS(5));
    cr_assert_eq(row_of("TBranch.array")->self.of[CUP_W_LOCK_WAIT], MS(20));
    cr_assert_eq(row_of("open")->self.of[CUP_W_READ], 500);
    cr_assert_eq(row_of("open")->self.of[CUP_W_WRITE], 10);
    cr_assert_eq(row_of("Runner._work_function")->total.of[CUP_W_CPU], MS(650));
    cr_assert_eq(row_of("Runner._work_function")->self.of[CUP_W_CPU], 0);
}

Test(functions, nothing_is_lost_nor_counted_twice)
{
    load_stacks(NULL);
    struct cup_weights sum = {{0}}, phases = {{0}};
    for (size_t i = 0; i < functions.functions.count; i++)
        cup_weights_add(&sum, &functions.functions.rows[i].self);
    for (int i = 0; i < CUP_PHASE_COUNT; i++)
        cup_weights_add(&phases, &functions.phases[i]);
    cr_assert_arr_eq(sum.of, functions.all.of, sizeof sum.of);
    cr_assert_arr_eq(phases.of, functions.all.of, sizeof sum.of);
    cr_assert_eq(functions.all.of[CUP_W_CPU], MS(680));
    cr_assert_eq(functions.all.of[CUP_W_SAMPLES], 68);
    cr_assert_eq(functions.all.of[CUP_W_READ], 1507);
    cr_assert_eq(functions.all.of[CUP_W_RECV], 7);
    cr_assert_eq(functions.unknown.of[CUP_W_CPU], MS(30));
    uint64_t *totals = cup_call_totals(&tree, CUP_W_CPU, CUP_ALL_PREFIXES);
    cr_assert_eq(totals[0], MS(680));
    free(totals);
    cr_assert_eq(tree.tasks, 4);
    cr_assert_eq(tree.orphans + tree.damaged + tree.left_out + tree.lost_logs, 0);
}

/* Their venvs, the copies of the user's file and the ids of their strings differ. */
Test(functions, functions_of_two_workers_are_the_same)
{
    load_stacks(NULL);
    cr_assert_eq(tree.processes, 2);
    const struct cup_function *select = &tree.functions[row_of("select")->of];
    cr_assert(is_text(select->file, "mine.py"));
    cr_assert(select->user);
    cr_assert_eq(select->first_line, 30);
    cr_assert_eq(tree.node_count, 12, "the root, ten nodes, and one of no known stack");
}

Test(functions, lines_are_apart)
{
    load_stacks(NULL);
    cr_assert_eq(line_of("select", 31)->self.of[CUP_W_CPU], MS(360));
    cr_assert_eq(line_of("select", 31)->total.of[CUP_W_CPU], MS(460));
    cr_assert_eq(line_of("select", 32)->self.of[CUP_W_CPU], MS(100));
    cr_assert_eq(line_of("Processor.process", 12)->total.of[CUP_W_CPU], MS(510));
    cr_assert_eq(line_of("Processor.process", 14)->total.of[CUP_W_READ], 1007);
    cr_assert_eq(line_of("Runner._work_function", 1624)->total.of[CUP_W_CPU], MS(650));
}

Test(functions, packages_and_phases)
{
    load_stacks(NULL);
    cr_assert_eq(package("user")->self.of[CUP_W_CPU], MS(510));
    cr_assert_eq(package("user")->total.of[CUP_W_CPU], MS(610));
    cr_assert_eq(package("uproot")->self.of[CUP_W_CPU], MS(140));
    cr_assert_eq(package("fsspec")->self.of[CUP_W_READ], 1007);
    cr_assert_eq(package("uproot")->total.of[CUP_W_READ], 1507);
    cr_assert_eq(functions.phases[CUP_PHASE_PROCESS].of[CUP_W_CPU], MS(510));
    cr_assert_eq(functions.phases[CUP_PHASE_DECOMPRESS].of[CUP_W_CPU], MS(100));
    cr_assert_eq(functions.phases[CUP_PHASE_COLUMNS].of[CUP_W_READ], 1007);
    cr_assert_eq(functions.phases[CUP_PHASE_OPEN].of[CUP_W_READ], 500);
    cr_assert_eq(functions.phases[CUP_PHASE_OTHER].of[CUP_W_CPU], MS(30));
}

/* A callable of any name that the work function calls is process(). */
Test(functions, what_the_runner_calls_is_process_whatever_its_name)
{
    struct cup_text executor = {"coffea/processor/executor.py", 28}, work = {"_work_function", 14};
    cr_assert(cup_calls_process(executor, work));
    cr_assert_not(cup_calls_process(executor, (struct cup_text){"_compress", 9}));
    cr_assert_eq(
        cup_phase_of((struct cup_text){"x.py", 4}, (struct cup_text){"A.process", 9}, true),
        CUP_PHASE_PROCESS);
    cr_assert_eq(cup_phase_of((struct cup_text){"x.py", 4}, (struct cup_text){"work", 4}, true),
                 CUP_PHASE_OTHER);
    cr_assert_eq(cup_phase_of((struct cup_text){"distributed/protocol/pickle.py", 30},
                              (struct cup_text){"dumps", 5}, false),
                 CUP_PHASE_SERIALISE);
}

/* ---- some of the tasks -------------------------------------------------------------------- */

static uint64_t cpu_of(const struct cup_call_ask *ask)
{
    cup_functions_free(&functions);
    cup_call_tree_free(&tree);
    cr_assert_eq(cup_call_tree_make(&tree, &profile, ask), 0);
    cr_assert_eq(cup_functions_make(&functions, &tree, CUP_ALL_PREFIXES), 0);
    return functions.all.of[CUP_W_CPU];
}

Test(functions, tasks_can_be_chosen)
{
    load_stacks(NULL);
    cr_assert_eq(cpu_of(&(struct cup_call_ask){.prefix = "chunk"}), MS(640));
    cr_assert_eq(functions.all.of[CUP_W_RECV], 0, "of no task");
    cr_assert_eq(cpu_of(&(struct cup_call_ask){.prefix = "merge"}), MS(40));
    cr_assert_eq(cpu_of(&(struct cup_call_ask){.dataset = "DY"}), MS(80));
    cr_assert_eq(cpu_of(&(struct cup_call_ask){.worker = "two"}), MS(60));
    cr_assert_eq(cpu_of(&(struct cup_call_ask){.worker = "tcp://10.0.0.2:40000"}), MS(60));
    cr_assert_eq(cpu_of(&(struct cup_call_ask){.worker = "node1:4243"}), MS(60));
    cr_assert_eq(cpu_of(&(struct cup_call_ask){.dataset = "TT", .worker = "one"}), MS(500));
    cr_assert_eq(cpu_of(&(struct cup_call_ask){.prefix = "none"}), 0);
    cr_assert_eq(tree.orphans, 0);
}

Test(functions, prefixes_are_apart)
{
    load_stacks(NULL);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < profile.prefix_count; i++) {
        uint64_t *totals = cup_call_totals(&tree, CUP_W_CPU, i);
        sum += totals[0];
        free(totals);
    }
    cr_assert_eq(sum, MS(680));
}

/* ---- hostile logs ------------------------------------------------------------------------- */

#define USES(builder, task, ...)                                                                   \
    builder_uses(builder, task, (const struct cup_stack_use_row[]){__VA_ARGS__},                   \
                 sizeof((const struct cup_stack_use_row[]){__VA_ARGS__}) /                         \
                     sizeof(struct cup_stack_use_row))

static void finish_and_load(struct log_builder *b)
{
    builder_finish(b);
    save_log(b, scratch, "one.cup");
    builder_free(b);
    load(NULL);
}

/* Nodes that are their own parents, or each other's, or name functions that nobody introduced. */
Test(functions, stacks_have_no_cycles)
{
    struct log_builder b;
    build_stack_log(&b);
    const struct cup_stack_node nodes[] = {{101, SELECT, 0},
                                           {103, SELECT, 2},
                                           {102, SELECT, 4},
                                           {N_WORK, 99, 0},
                                           {0, 0, 0},
                                           {N_WORK, CUP_NODE_CUT, 0},
                                           {0, CUP_NODE_NATIVE + 7, 16}};
    builder_stacks(&b, 101, nodes, sizeof nodes / sizeof *nodes);
    USES(&b, 1, {101, CUP_U_CPU, 1, 0, MS(1)}, {102, CUP_U_CPU, 1, 0, MS(1)},
         {103, CUP_U_CPU, 1, 0, MS(1)}, {104, CUP_U_CPU, 1, 0, MS(1)},
         {105, CUP_U_CPU, 1, 0, MS(1)}, {106, CUP_U_CPU, 1, 0, MS(1)},
         {107, CUP_U_CPU, 1, 0, MS(1)}, {4000000000u, CUP_U_CPU, 1, 0, MS(1)},
         {4000000000u, CUP_USE_BRANCHES - 1, 1, 1, 1});
    finish_and_load(&b);
    cr_assert_eq(functions.all.of[CUP_W_CPU], MS(620 + 8));
    cr_assert_eq(tree.orphans, 6, "two parents, a function, a module, a node in two rows");
    for (uint32_t i = 1; i < tree.node_count; i++)
        cr_assert_lt(tree.nodes[i].parent, i);
}

Test(functions, a_stack_of_any_depth_ends)
{
    enum { DEPTH = 100000 };
    struct log_builder b;
    build_stack_log(&b);
    for (uint32_t first = 0; first < DEPTH; first += 1000) {
        struct cup_stack_node nodes[1000];
        for (uint32_t i = 0; i < 1000; i++)
            nodes[i] = (struct cup_stack_node){first + i ? 100 + first + i - 1 : 0,
                                               (first + i) % 2 ? SELECT : PROCESS, 0};
        builder_stacks(&b, 100 + first, nodes, 1000);
    }
    USES(&b, 1, {100 + DEPTH - 1, CUP_U_CPU, 1, 0, MS(1)});
    finish_and_load(&b);
    cr_assert_eq(functions.all.of[CUP_W_CPU], MS(621));
    cr_assert_leq(tree.node_count, 12u + CUP_CALL_DEPTH_MOST);
    cr_assert_gt(tree.left_out, 0);
}

/* Told to be more than there is. */
Test(functions, tails_that_are_cut_are_read_as_far_as_they_go)
{
    struct log_builder b;
    build_stack_log(&b);
    const struct cup_stack_node node = {N_WORK, SELECT, 0};
    const struct cup_r_stacks stacks = {.first = 101, .count = UINT32_MAX};
    builder_record(&b, CUP_R_STACKS, &stacks, sizeof stacks, &node, sizeof node);
    const struct cup_r_stacks wraps = {.first = UINT32_MAX, .count = 1};
    builder_record(&b, CUP_R_STACKS, &wraps, sizeof wraps, &node, sizeof node);
    const struct cup_r_stack_use uses = {.task = 1, .rows = 1000};
    const unsigned char rows[] = {101,        CUP_U_READ, 1,    9,    0,    1,
                                  CUP_U_READ, 0xff,       0xff, 0xff, 0xff, 0xff};
    builder_record(&b, CUP_R_STACK_USE, &uses, sizeof uses, rows, sizeof rows);
    const struct cup_r_code code = {.id = 50, .name_bytes = UINT32_MAX, .table_bytes = 100};
    builder_record(&b, CUP_R_CODE, &code, sizeof code, "name", 4);
    const unsigned char large[] = {1,    CUP_U_READ, 1,    0xff, 0xff, 0xff, 0xff,
                                   0xff, 0xff,       0xff, 0xff, 0xff, 1,    0};
    builder_record(&b, CUP_R_STACK_USE, &(struct cup_r_stack_use){.task = 1, .rows = 1},
                   sizeof uses, large, sizeof large);
    const unsigned char longer[] = {1,    CUP_U_READ, 1,    0x89, 0x80, 0x80, 0x80,
                                    0x80, 0x80,       0x80, 0x80, 0x80, 2,    0};
    builder_record(&b, CUP_R_STACK_USE, &(struct cup_r_stack_use){.task = 1, .rows = 1},
                   sizeof uses, longer, sizeof longer);
    finish_and_load(&b);
    cr_assert_eq(functions.all.of[CUP_W_READ], 1016);
    cr_assert_eq(tree.damaged, 5);
}

/* Each byte of the records wrong, one after the other. */
Test(functions, any_byte_may_be_wrong)
{
    struct log_builder b;
    build_stack_log(&b);
    builder_finish(&b);
    size_t records = (size_t)builder_header(&b)->records_offset;
    for (size_t at = records; at < b.size; at += 3) {
        b.bytes[at] ^= (unsigned char)(1 + at * 7 % 255);
        save_log(&b, scratch, "one.cup");
        b.bytes[at] ^= (unsigned char)(1 + at * 7 % 255);
        static const struct cup_load_options options = {.run = CUP_ALL_RUNS};
        struct cup_error error;
        if (cup_profile_load(&profile, scratch, &options, &error) != 0)
            continue;
        cr_assert_eq(cup_call_tree_make(&tree, &profile, &(struct cup_call_ask){NULL}), 0);
        cr_assert_eq(cup_functions_make(&functions, &tree, CUP_ALL_PREFIXES), 0);
        cup_functions_free(&functions);
        cup_call_tree_free(&tree);
        cup_profile_free(&profile);
    }
    builder_free(&b);
}

/* ---- what is told ------------------------------------------------------------------------- */

#define RUN(verb, ...) run_verb(outside, verb, (const char *const[]){__VA_ARGS__, NULL})

Test(functions, the_report_tells_them)
{
    save_stack_logs(scratch);
    cr_assert_eq(RUN(cup_verb_report, "report", scratch, "--only", "functions"), CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    static const char *const parts[] = {
        "4 tasks, ",
        "680 ms CPU",
        "1.51 kB read",
        "3.0 %",
        "decompress ",
        "Functions of your own",
        "select",
        "mine.py:30",
        "Lines of your own",
        "mine.py:31",
        "Most bytes read",
        "_fetch",
        "local.py:7",
        "4.4 % of the CPU time has no known stack",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_expect(strstr(text, parts[i]), "%s: %s", parts[i], text);
    free(text);
    cr_assert_eq(
        RUN(cup_verb_report, "report", scratch, "--only", "functions", "--prefix", "merge"),
        CUP_EXIT_DONE);
    text = read_text_in(outside, "out");
    cr_assert(strstr(text, "40.0 ms CPU"), "%s", text);
    cr_assert(strstr(text, "Only tasks of prefix merge."), "%s", text);
    cr_assert_not(strstr(text, "select"), "%s", text);
    free(text);
    cr_assert_eq(RUN(cup_verb_report, "report", scratch, "--prefix", "merge"), CUP_EXIT_USAGE);
    cr_assert_eq(
        RUN(cup_verb_report, "report", scratch, "--only", "functions", "--prefix", "misspelt"),
        CUP_EXIT_FAILED);
}

/* The file of the analysis, as it was when the run began. */
static void write_source(const char *path, const char *text, time_t changed)
{
    const struct timespec times[] = {{changed, 0}, {changed, 0}};
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static const char *source_line(const char *path, const char *function, uint32_t first_line,
                               uint32_t line)
{
    static char text[CUP_CODE_ROOM];
    const struct cup_source source = {
        {path, strlen(path)}, {function, strlen(function)}, first_line, INT64_C(1000) * 1000000000};
    return cup_source_line(&source, line, text) ? text : NULL;
}

Test(functions, source_text_is_of_the_file_that_ran_or_not_at_all)
{
    static const char text[] = "import numpy\n\n@decorator\ndef select(events):\n"
                               "    jets = events.Jet  \r\n\nsquare = lambda x: x * x\n";
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/mine.py", outside);
    write_source(path, text, 999);
    cr_expect_str_eq(source_line(path, "Processor.select", 3, 5), "jets = events.Jet");
    cr_expect_str_eq(source_line(path, "<lambda>", 7, 7), "square = lambda x: x * x");
    cr_expect_null(source_line(path, "select", 3, 6), "the line is empty");
    cr_expect_null(source_line(path, "select", 3, 99), "there is no such line");
    cr_expect_null(source_line(path, "selects", 3, 5), "another function begins there");
    cr_expect_null(source_line(path, "sel", 3, 5), "another function begins there");
    cr_expect_null(source_line(path, "select", 5, 5), "nothing begins there");
    cr_expect_null(source_line(outside, "select", 3, 5), "it is a directory");
    write_source(path, text, 1001);
    cr_expect_null(source_line(path, "select", 3, 5), "the file is younger than the run");
    cr_expect_null(source_line("/nowhere/mine.py", "select", 3, 5));
}

Test(functions, the_heaviest_lines_of_the_users_code)
{
    save_stack_logs(scratch);
    cr_assert_eq(RUN(cup_verb_report, "report", scratch, "--only", "lines"), CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    cr_expect(strstr(text, "Heaviest lines of your own code"), "%s", text);
    cr_expect(strstr(text, "mine.py:31"), "%s", text);
    cr_expect_null(strstr(text, "local.py"), "%s", text);
    free(text);
}

/* ---- packages outside of site-packages ----------------------------------------------------- */

static void write_in(const char *directory, const char *name, const char *text)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    for (char *slash = path + strlen(directory) + 1; (slash = strchr(slash, '/')) != NULL;
         *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    write_source(path, text, 999);
}

/* As `pip install --target` leaves it, with files of the user next to it. */
static void write_packages(void)
{
    write_in(outside, "hist-2.0.dist-info/RECORD",
             "hist-2.0.dist-info/RECORD,,\nhist/__init__.py,sha256=x,0\n"
             "hist/core.py,sha256=x,9\nhist/dask/__init__.py,,\nhist/dask/all.py,,\nsix.py,,\n");
    write_in(outside, "hist/__init__.py", "");
    write_in(outside, "hist/dask/__init__.py", "");
    write_in(outside, "cuts/__init__.py", "");
}

static void expect_below(struct cup_installed *installed, const char *name, const char *shown)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/%s", outside, name);
    for (int i = 0; i < 2; i++) { /* found, and remembered */
        size_t below = cup_installed_below(installed, (struct cup_text){path, strlen(path)});
        cr_expect_str_eq(below ? path + below : "", shown, "%s", name);
    }
}

Test(functions, files_that_pip_installed_elsewhere_are_found_by_their_record)
{
    struct cup_installed installed = {0};
    write_packages();
    expect_below(&installed, "hist/core.py", "hist/core.py");
    expect_below(&installed, "hist/dask/all.py", "hist/dask/all.py");
    expect_below(&installed, "six.py", "six.py");
    expect_below(&installed, "sixth.py", "");
    expect_below(&installed, "processor.py", "");
    expect_below(&installed, "cuts/muons.py", "");
    cr_expect_eq(cup_installed_below(&installed, (struct cup_text){"/x.py", 5}), 0);
    cr_expect_eq(cup_installed_below(&installed, (struct cup_text){"x.py", 4}), 0);
    cup_installed_clear(&installed);
}

/* The heaviest lines of a run with a function in that file. */
static char *lines_with(const char *path)
{
    enum { ODD = 60, FILE_OF_ODD = 61 };
    const struct cup_stack_node node = {0, ODD, 0};
    const struct cup_stack_use_row use = {ODD, CUP_U_CPU, 1, 0, MS(900)};
    struct log_builder b;
    build_stack_log(&b);
    builder_string(&b, FILE_OF_ODD, path);
    builder_code(&b, ODD, FILE_OF_ODD, "fill", 5, NULL, 0);
    builder_stacks(&b, ODD, &node, 1);
    builder_uses(&b, 1, &use, 1);
    builder_finish(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
    cr_assert_eq(RUN(cup_verb_report, "report", scratch, "--only", "lines"), CUP_EXIT_DONE);
    return read_text_in(outside, "out");
}

static void expect_line(const char *path, const char *shown)
{
    char *text = lines_with(path), line[100];
    snprintf(line, sizeof line, "\n  %s", shown);
    cr_expect(strstr(text, line), "%s: %s", shown, text);
    free(text);
}

Test(functions, lines_of_packages_are_not_the_users_own)
{
    char path[2 * SUPPORT_PATH];
    write_packages();
    snprintf(path, sizeof path, "%s/hist/core.py", outside);
    char *text = lines_with(path);
    cr_expect_null(strstr(text, "core.py"), "%s", text);
    free(text);
    snprintf(path, sizeof path, "%s/cuts/core.py", outside);
    expect_line(path, "cuts/core.py ");
    snprintf(path, sizeof path, "%s/core.py", outside);
    expect_line(path, "core.py ");
    expect_line("/nowhere/hist/core.py", "hist/core.py ");
    expect_line("/tmp/ipykernel_1/2.py", "2.py ");
}

Test(functions, a_run_without_stacks_says_why)
{
    struct log_builder b;
    build_golden_log(&b);
    save_log(&b, scratch, "one.cup");
    builder_free(&b);
    cr_assert_eq(RUN(cup_verb_report, "report", scratch, "--only", "functions"), CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    cr_assert(strstr(text, "n/a: no process took stacks"), "%s", text);
    free(text);
    json_t *report = report_json(scratch, outside);
    cr_assert(json_is_null(json_object_get(report, "functions")));
    const char *source =
        json_string_value(json_object_get(json_object_get(report, "sources"), "functions"));
    cr_assert(source && strncmp(source, "n/a: no process", 15) == 0, "%s", source);
    json_decref(report);
}

Test(functions, the_json_holds_them)
{
    save_stack_logs(scratch);
    json_t *report = report_json(scratch, outside);
    const json_t *section = json_object_get(report, "functions");
    const json_t *row = json_row(json_object_get(section, "rows"), "function", "select");
    cr_assert_float_eq(json_number_value(json_object_get(row, "cpu_s")), 0.46, 1e-9);
    cr_assert_float_eq(json_number_value(json_object_get(row, "total_cpu_s")), 0.46, 1e-9);
    cr_assert_eq(json_integer_value(json_object_get(row, "first_line")), 30);
    cr_assert(json_is_true(json_object_get(row, "user")));
    row = json_row(json_object_get(section, "phases"), "phase", "decompress");
    cr_assert_float_eq(json_number_value(json_object_get(row, "cpu_s")), 0.1, 1e-9);
    row = json_row(json_object_get(section, "by_prefix"), "prefix", "merge");
    cr_assert(row);
    row = json_row(json_object_get(section, "packages"), "package", "fsspec");
    cr_assert_eq(json_integer_value(json_object_get(row, "read_bytes")), 1007);
    cr_assert_eq(json_array_size(json_object_get(section, "lines")), 4);
    json_decref(report);
}

Test(functions, a_dump_tells_the_records)
{
    char path[2 * SUPPORT_PATH];
    save_stack_logs(scratch);
    snprintf(path, sizeof path, "%s/one.cup", scratch);
    cr_assert_eq(RUN(cup_verb_dump, "dump", path), CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    static const char *const parts[] = {
        "CODE id=3 file=#2 first_line=30 python=3.11 table_bytes=16 qualname=\"select\"",
        "NODES first=1 count=10",
        "NODE 2 parent=1 code=2 at=4",
        "NODE 7 parent=6 helper",
        "STACK_USE task=1 rows=2",
        "ROW node=3 alloc count=1 bytes=4096 ns=0",
        "CPU_SAMPLES tid=77 rows=2 period_ns=124780544",
        "ROW task=1 node=3 on_core samples=1 start=",
        " blocked samples=3 start=",
        " stacks=on",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_expect(strstr(text, parts[i]), "%s: %s", parts[i], text);
    free(text);
}

/* ---- two runs ----------------------------------------------------------------------------- */

/* A: both logs, 3,000 events. B: the first one, 2,000 events, in which select() is at another line.
 */
static void save_two(char other[SUPPORT_PATH])
{
    struct log_builder b;
    save_stack_logs(scratch);
    make_scratch(other);
    build_stack_log(&b);
    builder_code(&b, 60, 2, "added", 99, NULL, 0);
    const struct cup_stack_node node = {N_WORK, 60, CUP_AT_UNKNOWN};
    const struct cup_stack_use_row use = {60, CUP_U_CPU, 1, 0, MS(200)};
    builder_stacks(&b, 60, &node, 1);
    builder_uses(&b, 1, &use, 1);
    builder_finish(&b);
    save_log(&b, other, "one.cup");
    builder_free(&b);
}

static void expect_comparison(const char *first, const char *second)
{
    static const char *const parts[] = {
        "CPU time, self, for each event",
        "added (mine.py)      0 s  100 us   +100 us      new",
        "select (mine.py)  230 us  200 us  -30.0 us  -13.0 %",
        "bytes read, with all it calls, for each event",
        "open (uproot/reading.py)",
        "-0.250 B     gone",
    };
    cr_assert_eq(RUN(cup_verb_compare, "compare", first, second, "--only", "functions"),
                 CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_expect(strstr(text, parts[i]), "%s: %s", parts[i], text);
    free(text);
}

Test(functions, two_runs_are_compared_for_each_event)
{
    char other[SUPPORT_PATH];
    save_two(other);
    expect_comparison(scratch, other);
    remove_scratch(other);
}

Test(functions, saved_reports_are_compared_likewise)
{
    char other[SUPPORT_PATH], one[2 * SUPPORT_PATH], two[2 * SUPPORT_PATH];
    save_two(other);
    snprintf(one, sizeof one, "%s/one.json", outside);
    snprintf(two, sizeof two, "%s/two.json", outside);
    cr_assert_eq(RUN(cup_verb_report, "report", scratch, "--json", one), CUP_EXIT_DONE);
    cr_assert_eq(RUN(cup_verb_report, "report", other, "--json", two), CUP_EXIT_DONE);
    expect_comparison(one, two);
    remove_scratch(other);
}

/* The first log, with a function of a file. */
static void save_added(const char *directory, const char *path, unsigned ms)
{
    enum { PATH = 900, ADDED = 60 };
    struct log_builder b;
    const struct cup_stack_node node = {N_WORK, ADDED, CUP_AT_UNKNOWN};
    const struct cup_stack_use_row use = {ADDED, CUP_U_CPU, 1, 0, MS(ms)};
    build_stack_log(&b);
    builder_string(&b, PATH, path);
    builder_code(&b, ADDED, PATH, "added", 99, NULL, 0);
    builder_stacks(&b, ADDED, &node, 1);
    builder_uses(&b, 1, &use, 1);
    builder_finish(&b);
    save_log(&b, directory, "one.cup");
    builder_free(&b);
}

static void expect_added_once(const char *first, const char *second)
{
    cr_assert_eq(RUN(cup_verb_compare, "compare", first, second, "--only", "functions"),
                 CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    cr_expect(strstr(text, "added (theirs.py)  100 us  200 us  +100 us  +100.0 %"), "%s", text);
    cr_expect(!strstr(text, "gone"), "%s", text);
    free(text);
}

Test(functions, a_copy_of_the_analysis_elsewhere_is_compared)
{
    char other[SUPPORT_PATH], one[2 * SUPPORT_PATH];
    make_scratch(other);
    save_added(scratch, "/home/me/first/theirs.py", 200);
    save_added(other, "/data/second/theirs.py", 400);
    snprintf(one, sizeof one, "%s/one.json", outside);
    cr_assert_eq(RUN(cup_verb_report, "report", scratch, "--json", one), CUP_EXIT_DONE);
    expect_added_once(scratch, other);
    expect_added_once(one, other);
    remove_scratch(other);
}

/* With so much CPU time in it that nearly all stacks end there. */
static void save_mostly_select(const char *directory, unsigned seconds)
{
    struct log_builder b;
    build_stack_log(&b);
    const struct cup_stack_use_row use = {N_SELECT, CUP_U_CPU, 100, 0,
                                          seconds * UINT64_C(1000000000)};
    builder_uses(&b, 1, &use, 1);
    builder_finish(&b);
    save_log(&b, directory, "one.cup");
    builder_free(&b);
}

Test(functions, that_are_on_all_stacks_are_one_row_of_a_comparison)
{
    char other[SUPPORT_PATH];
    make_scratch(other);
    save_mostly_select(scratch, 100);
    save_mostly_select(other, 200);
    cr_assert_eq(RUN(cup_verb_compare, "compare", scratch, other, "--only", "functions"),
                 CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    cr_expect(strstr(text, "(all): 3 functions that are on nearly all stacks"), "%s", text);
    cr_expect(strstr(text, "select (mine.py)  50.2 ms  100 ms"), "alone among self: %s", text);
    cr_expect(!strstr(text, "Processor.process (mine.py)"), "%s", text);
    free(text);
    remove_scratch(other);
}

Test(functions, a_run_without_stacks_is_not_compared)
{
    char other[SUPPORT_PATH];
    struct log_builder b;
    save_stack_logs(scratch);
    make_scratch(other);
    build_golden_log(&b);
    save_log(&b, other, "one.cup");
    builder_free(&b);
    cr_assert_eq(RUN(cup_verb_compare, "compare", scratch, other, "--only", "functions"),
                 CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    cr_assert(strstr(text, "has no stacks"), "%s", text);
    free(text);
    remove_scratch(other);
}

/* ---- branches ----------------------------------------------------------------------------- */

/* Asked for below a function of a package, and of the user's own; of a branch that no record names;
 * and by a use that only newer writers know. */
Test(functions, branches_are_of_the_users_line)
{
    enum { TREE = 900, PT, ETA };
    struct log_builder builder;
    build_stack_log(&builder);
    builder_string(&builder, TREE, "Events");
    builder_string(&builder, PT, "Jet_pt");
    builder_string(&builder, ETA, "Jet_eta");
    const struct cup_r_branch pt = {.branch = 1, .tree = TREE, .name = PT};
    const struct cup_r_branch eta = {.branch = 2, .tree = TREE, .name = ETA};
    BUILDER_ADD(&builder, CUP_R_BRANCH, pt);
    BUILDER_ADD(&builder, CUP_R_BRANCH, eta);
    const struct cup_stack_use_row uses[] = {
        {N_SELECT, CUP_USE_BRANCHES + 1, 1, 100, 0}, {N_ARRAY, CUP_USE_BRANCHES + 1, 3, 900, 0},
        {N_ARRAY, CUP_USE_BRANCHES + 2, 4, 1000, 0}, {N_ARRAY, CUP_USE_BRANCHES + 9, 5, 500, 0},
        {N_ARRAY, CUP_USE_MOST + 1, 5, 500, 0},
    };
    builder_uses(&builder, 1, uses, sizeof uses / sizeof *uses);
    builder_finish(&builder);
    save_log(&builder, scratch, "branches.cup");
    builder_free(&builder);
    load(NULL);
    cr_assert_eq(tree.branch_count, 3);
    const struct cup_line_branch *rows = tree.branches;
    uint64_t sums[2] = {0}; /* of process, line 14, and of select, line 31 */
    for (int i = 0; i < 3; i++) {
        const struct cup_call_frame *frame = &tree.frames[rows[i].frame];
        bool below = is_text(tree.functions[frame->function].name, "Processor.process");
        cr_expect_eq(frame->line, below ? 14 : 31);
        sums[!below] += rows[i].compressed_bytes + rows[i].baskets;
    }
    cr_expect_eq(sums[0], 1907);
    cr_expect_eq(sums[1], 101);
    cr_expect_eq(tree.orphans, 1);
}
