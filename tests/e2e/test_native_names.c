/* Names of native functions, from the frames in a log to the report: programs do known work in
 * known functions of C and C++. */
#include "tests/e2e/child.h"
#include "tests/e2e/process.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(native_names, .timeout = 600);

#define MIB(n) ((json_int_t)(n) << 20)

static char *logs; /* the log is in its directory "profile" */
static json_t *report;

/* What the tasks of native_job.py do. */
static void record(const char *python, const char *setting)
{
    const char *profile;
    logs = test_directory();
    profile = text("%s/profile", logs);
    cr_assert_eq(mkdir(profile, 0700), 0);
    struct child child = {
        .argv = {python, CUP_TOP "/tests/workloads/native_job.py", CUP_BUILD "/tests/trace"},
        .settings = {setting}};
    child = child_recorded(&child, profile);
    child_run(&child);
    cr_assert(child.status == 0, "%s%s", child.out, child.err);
    child_free(&child);
    report = cup_report(logs);
}

static void end(void)
{
    json_decref(report);
    test_directory_remove(logs);
}

static const json_t *section(const char *name)
{
    return json_object_get(json_object_get(report, "functions"), name);
}

static bool is_text(const json_t *row, const char *name, const char *expected)
{
    const char *text = json_string_value(json_object_get(row, name));
    return text ? expected && strcmp(text, expected) == 0 : !expected;
}

/* A row of a function; PREFIX NULL: of all tasks. */
static const json_t *row_of(const json_t *rows, const char *prefix, const char *function)
{
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)rows, i, row)
    {
        if (is_text(row, "prefix", prefix) && is_text(row, "function", function))
            return row;
    }
    char *all = json_dumps(rows, JSON_INDENT(1));
    cr_assert(false, "no row of %s, %s: %.20000s", prefix ? prefix : "all", function, all);
    return NULL;
}

static json_int_t number(const json_t *row, const char *name)
{
    return json_integer_value(json_object_get(row, name));
}

/* ---- C ------------------------------------------------------------------------------------ */

/* A file of 4 MiB, read in pieces of one by a function that is not exported. */
static void expect_reads(void)
{
    const json_t *row = row_of(section("native"), "reads", "read_all");
    cr_expect_eq(number(row, "read_bytes"), MIB(4));
    cr_expect(is_text(row, "file", "libnative.so") && is_text(row, "package", "libnative"));
    cr_expect(is_text(row, "kind", "native"));
    row = row_of(section("native"), "reads", "native_reads");
    cr_expect_eq(number(row, "read_bytes"), 0);
    cr_expect_eq(number(row, "total_read_bytes"), MIB(4));
    row = row_of(section("by_prefix"), "reads", "reads");
    cr_expect_eq(number(row, "read_bytes"), MIB(4), "it is the Python function's own as well");
    row = row_of(section("native"), "reads_in_thread", "read_all");
    cr_expect_eq(number(row, "read_bytes"), MIB(4));
    row = row_of(section("native"), NULL, "read_all");
    cr_expect_eq(number(row, "read_bytes"), MIB(12), "three tasks");
}

/* Python calls C, which calls Python, which calls C. */
static void expect_calls_back(void)
{
    const json_t *row = row_of(section("native"), "calls_back", "native_calls_back");
    cr_expect_geq(number(row, "total_alloc_bytes"), MIB(8));
    row = row_of(section("native"), "calls_back", "take_some");
    cr_expect_geq(number(row, "alloc_bytes"), MIB(8));
    row = row_of(section("native"), "calls_back_twice", "native_calls_back");
    cr_expect_eq(number(row, "total_read_bytes"), MIB(4), "once, although it is there twice");
}

/* ---- C++ ---------------------------------------------------------------------------------- */

static void expect_throws(void)
{
    const json_t *row = row_of(section("native"), "throws", "kitchen::drop");
    cr_expect_geq(number(row, "total_alloc_bytes"), MIB(8));
    row_of(section("native"), "throws", "kitchen::serve<double>");
}

/* ---- libraries ---------------------------------------------------------------------------- */

static void expect_modules(void)
{
    size_t i, seen = 0;
    json_t *row;
    json_array_foreach((json_t *)section("modules"), i, row)
    {
        const char *path = json_string_value(json_object_get(row, "path"));
        if (!path || !strstr(path, "/tests/trace/"))
            continue;
        cr_expect(is_text(row, "names", "read"), "%s", path);
        cr_expect_eq(number(row, "named"), number(row, "addresses"), "%s", path);
        seen++;
    }
    cr_expect_geq(seen, 2);
}

static void check_names(const char *python)
{
    cr_log_info("%s", python);
    record(python, NULL);
    expect_reads();
    expect_calls_back();
    expect_throws();
    expect_modules();
    end();
}

Test(native_names, are_told_with_what_the_functions_did)
{
    for_each_python(check_names);
}

/* ---- without ------------------------------------------------------------------------------ */

static json_t *python_rows(const char *setting)
{
    record(CUP_PYTHON, setting);
    json_t *rows = json_deep_copy(section("by_prefix"));
    cr_expect_eq(json_array_size(section("native")) > 0, strcmp(setting, "CUPPING_NATIVE=1") == 0);
    end();
    return rows;
}

/* Reads that are large enough all count, and are the same to the byte. */
Test(native_names, change_nothing_of_python_functions)
{
    static const char *const tasks[] = {"reads", "reads_in_thread", "calls_back_twice"};
    json_t *with = python_rows("CUPPING_NATIVE=1"), *without = python_rows("CUPPING_NATIVE=0");
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        size_t at, compared = 0;
        json_t *row;
        json_array_foreach(without, at, row)
        {
            const char *function = json_string_value(json_object_get(row, "function"));
            if (!is_text(row, "prefix", tasks[i]) || !number(row, "total_read_bytes"))
                continue;
            const json_t *other = row_of(with, tasks[i], function);
            cr_expect_eq(number(row, "read_bytes"), number(other, "read_bytes"), "%s", function);
            cr_expect_eq(number(row, "total_read_bytes"), number(other, "total_read_bytes"), "%s",
                         function);
            compared++;
        }
        cr_expect_gt(compared, 0, "%s", tasks[i]);
    }
    json_decref(with);
    json_decref(without);
}
