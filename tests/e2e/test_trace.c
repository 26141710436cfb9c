/* Traced functions (tests/trace/lib*.c), each inside a task: what they notice is the same without
 * and with the library, and what the library counted is what they did. */
#include "preload/hooks.h"
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FUNCTIONS = 160, INPUT_LINES = 65536 };

#define TRACED(name) CUP_BUILD "/tests/trace/" name ".so"

static const char *input_file(const char *directory)
{
    const char *path = text("%s/input", directory);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < INPUT_LINES; i++)
        fprintf(file, "line %010d\n", i);
    fclose(file);
    return path;
}

/* ---- expectations
 * --------------------------------------------------------------------------------- */

/* Python allocates a little as well between a task's begin and end. */
enum { SLACK_BYTES = 256 << 10, SLACK_CALLS = 1000 };

static bool is_lower_bound(const char *counter)
{
    return strncmp(counter, "alloc_", 6) == 0 || strncmp(counter, "freed_", 6) == 0;
}

static void expect_counter(json_t *tasks, const char *function, const char *counter, long expected)
{
    long long counted = task_number(tasks, function, counter);
    if (expected < 0 || (expected == 0 && is_lower_bound(counter)))
        return; /* not compared: the function says so, or is not about memory */
    if (!is_lower_bound(counter)) {
        cr_expect(counted == expected, "%s: %s is %lld, must be %ld", function, counter, counted,
                  expected);
        return;
    }
    long slack = strstr(counter, "calls") ? SLACK_CALLS : SLACK_BYTES;
    cr_expect(counted >= expected && counted <= expected + slack,
              "%s: %s is %lld, must be %ld and little more", function, counter, counted, expected);
}

static void expect_counters(const char *path, json_t *tasks)
{
    char function[128], counter[64];
    long expected;
    int lines = 0;
    FILE *file = fopen(path, "r");
    cr_assert(file != NULL);
    for (; fscanf(file, "%127s %63s %ld", function, counter, &expected) == 3; lines++)
        expect_counter(tasks, function, counter, expected);
    fclose(file);
    cr_expect(lines > 0);
}

/* ---- running
 * ---------------------------------------------------------------------------------------- */

/* Functions that a library exports, in a list of arguments. */
static int find_functions(const char *library, const char **names)
{
    struct child child = {.argv = {"nm", "-D", "--defined-only", "--format=posix", library}};
    child_run(&child);
    cr_assert(child.status == 0, "nm %s: %s", library, child.err);
    int count = 0;
    for (char *line = strtok(child.out, "\n"); line; line = strtok(NULL, "\n")) {
        char *space = strchr(line, ' ');
        if (space && space[1] == 'T' && line[0] != '_' && count < MOST_FUNCTIONS) {
            *space = '\0';
            names[count++] = line;
        }
    }
    return count;
}

static const char *joined(const char *const *names, int count)
{
    const char *all = names[0];
    for (int i = 1; i < count; i++)
        all = text("%s,%s", all, names[i]);
    return all;
}

static struct child tracing(const char *library, const char *source, const char *functions)
{
    return (struct child){
        .argv = {CUP_PYTHON, CUP_TOP "/tests/workloads/traced.py", library, source, functions}};
}

static void trace_all(const char *library)
{
    const char *names[MOST_FUNCTIONS];
    int count = find_functions(library, names);
    cr_assert(count > 0);
    char *logs = test_directory(), *scratch = test_directory();
    struct child plain = tracing(library, input_file(scratch), joined(names, count));
    struct child recorded = child_recorded(&plain, logs);
    child_run(&plain);
    child_run(&recorded);
    child_expect_same(&plain, &recorded);
    json_t *tasks = tasks_of(logs);
    cr_expect(tasks_count(tasks) == (size_t)count, "%zu tasks of %d", tasks_count(tasks), count);
    expect_counters(text("%s/input.expected", scratch), tasks);
    json_decref(tasks);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

Test(trace, hooks_by_name)
{
    trace_all(TRACED("libhooks"));
}

Test(trace, heap)
{
    trace_all(TRACED("libheap"));
}

Test(trace, children)
{
    trace_all(TRACED("libprocess"));
}

Test(trace, locks)
{
    trace_all(TRACED("liblocks"));
}

Test(trace, threads_and_signals)
{
    trace_all(TRACED("libthreads"));
}

/* Fortified calls; the library that makes them must really have been compiled into them. */
Test(trace, fortified)
{
    static const char *const imports[] = {
        "__read_chk",  "__pread_chk",          "__pread64_chk", "__open_2",
        "__open64_2",  "__openat_2",           "__openat64_2",  "__fread_chk",
        "__fgets_chk", "__fread_unlocked_chk", "__fprintf_chk", "__fgets_unlocked_chk"};
    struct child child = {.argv = {"nm", "-D", "--undefined-only", TRACED("libchk")}};
    child_run(&child);
    for (size_t i = 0; i < sizeof imports / sizeof *imports; i++)
        cr_expect(strstr(child.out, text(" %s@", imports[i])) != NULL, "no call of %s", imports[i]);
    child_free(&child);
    trace_all(TRACED("libchk"));
}

/* ---- completeness
 * --------------------------------------------------------------------------------- */

/* Hooks that no try_NAME function calls by name, and the tests that reach them. */
static const char *const tried_elsewhere[] = {
    "clock_gettime", /* every task begins and ends by it */
    "_exit",         /* gate: ends_in_a_task */
    "_Exit",         /* likewise */
    "pclose",        /* number_reused_after_pclose */
};

static bool is_tried(const char *hook)
{
    static const char *const libraries[] = {TRACED("libhooks"), TRACED("libheap"),
                                            TRACED("liblocks")};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_NOW);
        cr_assert(library != NULL, "%s", dlerror());
        if (dlsym(library, text("try_%s", hook)))
            return true;
    }
    for (size_t i = 0; i < sizeof tried_elsewhere / sizeof *tried_elsewhere; i++)
        if (strcmp(hook, tried_elsewhere[i]) == 0)
            return true;
    return false;
}

Test(trace, every_hook_is_tried)
{
    static const char *const hooks[] = {
#define X(name, family, need) #name,
        CUP_HOOKS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        cr_expect(is_tried(hooks[i]), "no traced function tries %s", hooks[i]);
}
