/* Sections that a program names, from Python and from C: they contain exactly what was done in
 * them, and do not change the program. */
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TestSuite(sections, .timeout = 120);

static bool is(json_t *row, const char *name, const char *text)
{
    const char *value = json_string_value(json_object_get(row, name));
    return text ? value && strcmp(value, text) == 0 : value == NULL;
}

/* The row of a section, and of what is within PARENT (NULL: nothing), in a task; NULL: there is
 * none. */
static json_t *row_in(json_t *report, const char *key, const char *section, const char *parent)
{
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(json_object_get(report, "sections"), "by_task"), index,
                       row) if (is(row, "key", key) && is(row, "section", section) &&
                                is(row, "parent", parent)) return row;
    return NULL;
}

static json_t *row_of(json_t *report, const char *key, const char *section)
{
    return row_in(report, key, section, NULL);
}

static double number(json_t *row, const char *name)
{
    json_t *value = json_object_get(row, name);
    cr_assert(json_is_number(value), "no number %s", name);
    return json_number_value(value);
}

/* The row of a section's sums over all tasks. */
static json_t *sums_of(json_t *report, const char *section)
{
    json_t *rows = json_object_get(json_object_get(report, "sections"), "rows"), *row;
    size_t i;
    json_array_foreach(rows, i, row) if (is(row, "section", section)) return row;
    cr_assert(false, "no section %s", section);
    return NULL;
}

static void expect(json_t *report, const char *key, const char *section, const char *parent,
                   int entries, int read_bytes)
{
    json_t *row = row_in(report, key, section, parent);
    cr_assert(row != NULL, "%s: no section %s", key ? key : "(no task)", section);
    cr_expect(number(row, "entries") == entries, "%s: entered %g times", section,
              number(row, "entries"));
    cr_expect(number(row, "read_bytes") == read_bytes, "%s: %g bytes read", section,
              number(row, "read_bytes"));
    cr_expect(number(row, "cpu_s") >= 0 && number(row, "wall_s") > 0);
}

static void expect_sections(json_t *report)
{
    expect(report, "nested", "outer", NULL, 3, 4500);
    expect(report, "nested", "inner", "outer", 3, 1500);
    expect(report, "by_decorator", "decorated", NULL, 2, 30);
    expect(report, "raises", "raising", NULL, 1, 7);
    expect(report, "left_open", "left open", NULL, 1, 11);
    expect(report, "helper", "with a helper", NULL, 1, 500000);
    expect(report, "begun_elsewhere", "of a thread", NULL, 4, 14000);
    expect(report, "coroutines", "first", NULL, 1, 700);
    expect(report, "many", "many", NULL, 20000, 0);
    expect(report, "many", "deep", "deep", 99, 0);
    expect(report, NULL, "no task", NULL, 1, 17);
    /* It began while the other one was under way on the same thread. */
    cr_expect(number(row_in(report, "coroutines", "second", "first"), "wall_s") >
              number(row_of(report, "coroutines", "first"), "wall_s"));
}

/* 5 MB are held at a time, and 15 MB were allocated. */
static void expect_memory(json_t *report)
{
    json_t *inner = row_in(report, "nested", "inner", "outer"),
           *outer = row_of(report, "nested", "outer");
    cr_expect_float_eq(number(inner, "peak_live_bytes"), 5e6, 1e6);
    cr_expect_float_eq(number(outer, "peak_live_bytes"), 5e6, 1e6);
    cr_expect_float_eq(number(inner, "alloc_bytes"), 15e6, 1e6);
    /* The task had freed 50 MB that it did not allocate. */
    json_t *below = row_of(report, "frees_what_was_there", "after freeing");
    json_t *further = row_in(report, "frees_what_was_there", "still below", "after freeing");
    cr_expect_float_eq(number(below, "peak_live_bytes"), 5e6, 1e5);
    cr_expect_leq(number(further, "peak_live_bytes"), 1e5);
    /* Its thread's realloc() failed five times. */
    json_t *helped = sums_of(report, "with a helper");
    cr_expect_float_eq(number(helped, "alloc_bytes"), 10e6, 1e6);
    cr_expect_float_eq(number(helped, "freed_bytes"), 10e6, 1e6);
    json_t *elsewhere = row_of(report, "begun_elsewhere", "of a thread");
    cr_expect_float_eq(number(elsewhere, "alloc_bytes"), 12e6, 1e6);
}

static void expect_value(json_t *report)
{
    json_t *rows = json_object_get(json_object_get(report, "sections"), "values");
    json_t *value = json_array_get(rows, 0);
    cr_assert_eq(json_array_size(rows), 1);
    cr_expect(is(value, "value", "answer"));
    cr_expect(number(value, "count") == 2 && number(value, "sum") == 39.5);
    cr_expect(number(value, "least") == -2.5 && number(value, "most") == 42);
}

static void check(const char *python)
{
    char *logs = test_directory(), *scratch = test_directory();
    struct child plain = {
        .argv = {python, CUP_TOP "/tests/workloads/sections.py", text("%s/read", scratch)}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&plain);
    child_run(&recorded);
    child_expect_same(&plain, &recorded);
    json_t *report = report_of(logs);
    expect_sections(report);
    expect_memory(report);
    expect_value(report);
    json_t *sections = json_object_get(report, "sections");
    cr_expect(number(sections, "rows_left_out") == 0 && number(sections, "dropped") == 0);
    json_decref(report);
    child_free(&plain);
    child_free(&recorded);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(sections, from_python)
{
    for_each_python(check);
}

/* The header, as a C and as a C++ program has it, linked in every way: it runs without the library,
 * and is seen with it. */
Test(sections, from_c)
{
    static const char *const ways[][6] = {{"cc", "-O2", "-std=c99", "-Wall", "-Werror", NULL},
                                          {"cc", "-O0", "-no-pie", "-fPIC", NULL},
                                          {"c++", "-x", "c++", "-O2", NULL}};
    char *scratch = test_directory();
    const char *program = text("%s/program", scratch);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char *logs = test_directory();
        struct child compiler = {.argv = {NULL}};
        size_t words = 0;
        for (; ways[i][words]; words++)
            compiler.argv[words] = ways[i][words];
        compiler.argv[words++] = "-I" CUP_TOP "/include";
        compiler.argv[words++] = "-o";
        compiler.argv[words++] = program;
        compiler.argv[words++] = CUP_TOP "/tests/workloads/sections.c";
        child_run(&compiler);
        cr_assert(compiler.status == 0, "%s", compiler.err);
        struct child plain = {.argv = {program}}, recorded = child_recorded(&plain, logs);
        child_run(&plain);
        child_run(&recorded);
        cr_expect_str_eq(plain.out, "0 24\n");
        cr_expect_str_eq(recorded.out, "1 24\n");
        json_t *report = report_of(logs);
        expect(report, NULL, "outer", NULL, 2, 0);
        expect(report, NULL, "inner", "outer", 6, 0);
        json_decref(report);
        child_free(&compiler);
        child_free(&plain);
        child_free(&recorded);
        test_directory_remove(logs);
    }
    test_directory_remove(scratch);
}

/* As an extension of Python's has it: its sections are of the task that calls it. */
Test(sections, from_a_library_within_a_task)
{
    char *scratch = test_directory(), *logs = test_directory();
    const char *library = text("%s/library.so", scratch);
    struct child compiler = {.argv = {"cc", "-O2", "-shared", "-fPIC", "-Dmain=program",
                                      "-I" CUP_TOP "/include", "-o", library,
                                      CUP_TOP "/tests/workloads/sections.c"}};
    child_run(&compiler);
    cr_assert(compiler.status == 0, "%s", compiler.err);
    struct child plain = {.argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/run_task.py", "-c",
                                   text("import ctypes; ctypes.CDLL('%s').program()", library)}};
    struct child recorded = child_recorded(&plain, logs);
    child_run(&recorded);
    cr_assert(recorded.status == 0, "%s", recorded.err);
    json_t *report = report_of(logs);
    expect(report, "run_task", "outer", NULL, 2, 0);
    expect(report, "run_task", "inner", "outer", 6, 0);
    json_decref(report);
    child_free(&compiler);
    child_free(&recorded);
    test_directory_remove(logs);
    test_directory_remove(scratch);
}
