/* Python stacks as the library reads them: equal to sys._getframe() in every shape, and the
 * program notices nothing even if one is read at every allocation. */
#include "tests/e2e/child.h"
#include "tests/e2e/process.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(stacks, .timeout = 900);

#define WORKLOAD(name) CUP_TOP "/tests/workloads/" name

static const char *const pythons[] = {CUP_PYTHON, CUP_PYTHON_3_9, CUP_PYTHON_3_13, CUP_PYTHON_3_14,
                                      "/usr/bin/python3"};
enum { PYTHONS = sizeof pythons / sizeof *pythons };

/* A Python that is older or newer than any that is known ends with 77. */
static const char *const is_known = "import sys; sys.exit(77 * ((3, 9) > sys.version_info[:2] or "
                                    "sys.version_info[:2] > (3, 15)))";

static bool may_run(const char *python)
{
    struct child child = {.argv = {python, "-c", is_known}};
    if (access(python, X_OK))
        return false;
    child_run(&child);
    bool known = child.status == 0;
    cr_expect(known || (WIFEXITED(child.status) && WEXITSTATUS(child.status) == 77), "%s: 0x%x: %s",
              python, child.status, child.err);
    child_free(&child);
    return known;
}

/* What a workload says that has the library's stacks for itself, in every Python. If one is
 * missing, the test is skipped when the others have passed. */
static void in_every_python(const char *workload, const char *argument,
                            void (*check)(const char *python, const char *out))
{
    const char *missing = NULL;
    for (int i = 0; i < PYTHONS; i++) {
        if (!may_run(pythons[i])) {
            missing = pythons[i];
            continue;
        }
        char *directory = test_directory();
        char *out = output_of(
            &(struct child){.argv = {pythons[i], workload, CUP_BUILD "/tests/trace/libstacks.so",
                                     directory, argument}});
        check(pythons[i], out);
        free(out);
        test_directory_remove(directory);
    }
    if (missing)
        cr_skip_test("the other Pythons passed, but there is no %s that cupping knows", missing);
}

static void many_were_equal(const char *python, const char *out)
{
    const char *count = strchr(out, ' ');
    cr_expect(count && atoi(count) > 30000, "%s: %s", python, out);
}

Test(stacks, are_those_of_getframe)
{
    in_every_python(WORKLOAD("stacks_equal.py"), NULL, many_were_equal);
}

/* Its offsets are not those of any version, but were verified: no loop is compiled for them. */
Test(stacks, are_the_same_in_an_interpreter_that_differs)
{
    in_every_python(WORKLOAD("stacks_equal.py"), "differs", many_were_equal);
}

static void all_were_refused(const char *python, const char *out)
{
    cr_expect(atoi(out) >= 60, "%s: %s", python, out);
}

Test(stacks, wrong_layouts_are_refused)
{
    in_every_python(WORKLOAD("stacks_refused.py"), NULL, all_were_refused);
}

static void it_ended(const char *python, const char *out)
{
    cr_expect_str_eq(out, "ends\n", "%s", python);
}

Test(stacks, are_read_while_the_interpreter_ends)
{
    in_every_python(WORKLOAD("stacks_end.py"), NULL, it_ended);
}

/* ---- stress -------------------------------------------------------------------------------- */

static void expect_unnoticed(const char *python, const char *name)
{
    char *logs = test_directory(), *scratch = test_directory();
    const char *setting = text("STRESS_DIRECTORY=%s", scratch);
    struct child plain = {.argv = {python, WORKLOAD("stacks_stress.py"), name},
                          .settings = {"PYTHONMALLOC=malloc", setting}};
    struct child stressed = plain;
    stressed.settings[2] = "CUPPING_STACKS=stress";
    stressed = child_recorded(&stressed, logs);
    child_run(&plain);
    child_run(&stressed);
    cr_log_info("%s %s", python, name);
    child_expect_same(&plain, &stressed);
    child_free(&plain);
    child_free(&stressed);
    cr_expect(raw_number(logs, "stacks_taken") > 0, "%s %s: no stack was read", python, name);
    cr_expect(raw_number(logs, "nodes") > 0 && raw_number(logs, "codes") > 0);
    cr_expect(raw_number(logs, "stacks_dropped") == 0, "%s %s", python, name);
    cr_expect(raw_number(logs, "taken_for_others") == 0, "%s %s", python, name);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}

static void stress(const char *python)
{
    char *names =
        output_of(&(struct child){.argv = {python, WORKLOAD("stacks_stress.py"), "names"}});
    int count = 0;
    for (char *rest = names, *name; (name = strtok_r(rest, " \n", &rest)); count++)
        if (getenv("SOAK") || count % 3 == 0) /* two seconds each */
            expect_unnoticed(python, name);
    cr_expect(count > 10);
    free(names);
}

/* Half a minute each. */
static void need_soak(const char *python)
{
    if (access(python, X_OK))
        cr_skip_test("%s is not set up", python);
    cup_only_in_soak();
}

Test(stacks, stress_of_3_11)
{
    stress(pythons[0]);
}

Test(stacks, stress_of_3_9)
{
    need_soak(pythons[1]);
    stress(pythons[1]);
}

Test(stacks, stress_of_3_13)
{
    need_soak(pythons[2]);
    stress(pythons[2]);
}

Test(stacks, stress_of_3_14)
{
    need_soak(pythons[3]);
    stress(pythons[3]);
}

/* CPython's own tests of what stacks are made of. */
Test(stacks, stress_of_cpython_tests)
{
    cup_only_in_soak();
    static const char *const modules[] = {"test_generators", "test_coroutines", "test_code",
                                          "test_frame", "test_gc"};
    if (system(CUP_PYTHON " -c 'import test.test_gc' 2>/dev/null >&2"))
        cr_skip_test("CPython's test suite is not installed");
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        char *logs = test_directory();
        struct child plain = {
            .argv = {CUP_PYTHON, WORKLOAD("run_task.py"), WORKLOAD("cpython_tests.py"), modules[i]},
            .settings = {"PYTHONMALLOC=malloc"}};
        struct child stressed = plain;
        stressed.settings[1] = "CUPPING_STACKS=stress";
        stressed = child_recorded(&stressed, logs);
        child_run(&plain);
        child_run(&stressed);
        child_expect_same(&plain, &stressed);
        cr_expect(strstr(plain.out, "ok ") != NULL, "no test passed: %s", plain.out);
        cr_expect(raw_number(logs, "stacks_taken") > 1000, "%s", modules[i]);
        child_free(&plain);
        child_free(&stressed);
        test_directory_remove(logs);
    }
}

/* ---- the switch ---------------------------------------------------------------------------- */

static long long seen_with(const char *setting)
{
    char *logs = test_directory();
    struct child child = {.argv = {CUP_PYTHON, WORKLOAD("run_task.py"), "-c", "pass"},
                          .settings = {setting}};
    child = child_recorded(&child, logs);
    child_run(&child);
    cr_expect(child.status == 0 && !*child.err, "%s", child.err);
    child_free(&child);
    long long seen = raw_number(logs, "seen");
    test_directory_remove(logs);
    return seen;
}

Test(stacks, can_be_switched_off)
{
    cr_expect_eq(seen_with("CUPPING_STACKS"), 1, "on where nothing is said");
    cr_expect_eq(seen_with("CUPPING_STACKS=1"), 1);
    cr_expect_eq(seen_with("CUPPING_STACKS=0"), 0);
    cr_expect_eq(seen_with("CUPPING_STACKS=2"), 1, "what is neither is not used");
}

/* ---- samples ------------------------------------------------------------------------------- */

static void write_text(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(content, file) >= 0 && fclose(file) == 0);
}

/* Each statement is an outermost function of its own, on the same thread. The first one's code
 * object stays, so that the second one has another address. */
Test(stacks, samples_of_statements_that_are_typed)
{
    char *logs = test_directory(), *scratch = test_directory();
    const char *statements = text("%s/statements", scratch);
    write_text(statements, "import sys, time\n"
                           "sys.path.insert(0, '" CUP_TOP "/tests/workloads')\n"
                           "from run_task import run\n"
                           "def compute():\n"
                           "    end = time.thread_time() + 1\n"
                           "    while time.thread_time() < end:\n"
                           "        sum(range(1000))\n"
                           "\n"
                           "code = sys._getframe().f_code; run('first', int)\n"
                           "run('second', compute)\n");
    struct child child = {
        .argv = {"sh", "-c", text("exec '%s' -i <'%s' 2>/dev/null", CUP_PYTHON, statements)},
        .settings = {"CUPPING_CPU_HZ=1000"}};
    child = child_recorded(&child, logs);
    child_run(&child);
    cr_expect_eq(child.status, 0);
    char *dump = dump_of(logs);
    const char *health = strstr(dump, "health:");
    cr_assert_not_null(health);
    long long samples = number_in(health, "cpu_samples");
    long long torn = number_in(health, "cpu_samples_torn");
    cr_expect(samples > 10 && torn < samples / 2, "%lld of %lld samples are torn", torn, samples);
    free(dump);
    child_free(&child);
    test_directory_remove(scratch);
    test_directory_remove(logs);
}
