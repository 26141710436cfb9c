/* Native frames: they are those of known functions, with Python functions between them; and the
 * program notices nothing, whatever it does with libraries, threads and exceptions. */
#include "tests/e2e/child.h"
#include "tests/e2e/process.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(native, .timeout = 900);

#define WORKLOAD(name) CUP_TOP "/tests/workloads/" name

/* With and without the library it is the same; its logs are in LOGS. */
static void run_both(const struct child *plain, const char *logs)
{
    struct child without = *plain, with = child_recorded(plain, logs);
    child_run(&without);
    child_run(&with);
    cr_log_info("%s %s", without.argv[0], without.argv[1]);
    child_expect_same(&without, &with);
    cr_expect(without.status == 0, "%s%s", without.out, without.err);
    child_free(&without);
    child_free(&with);
}

/* ---- known functions ------------------------------------------------------------------------ */

static void judge_with(const char *python, const char *plugin)
{
    char *logs = test_directory();
    run_both(&(struct child){.argv = {python, WORKLOAD("native_job.py"), CUP_BUILD "/tests/trace",
                                      plugin}},
             logs);
    free(output_of(&(struct child){.argv = {python, WORKLOAD("native_check.py"), logs, plugin}}));
    test_directory_remove(logs);
}

static void judge(const char *python)
{
    judge_with(python, NULL);
}

Test(native, functions_are_those_that_were_called)
{
    for_each_python(judge);
}

static void judge_used_again(const char *python)
{
    judge_with(python, "b");
}

/* A library that no frame lay in was unloaded, and another one came to lie there. */
Test(native, an_address_that_is_used_again_is_named_after_who_has_it)
{
    for_each_python(judge_used_again);
}

/* ---- with Python's -------------------------------------------------------------------------- */

static void compare_with_getframe(const char *python)
{
    char *directory = test_directory();
    char *out = output_of(
        &(struct child){.argv = {python, WORKLOAD("stacks_equal.py"),
                                 CUP_BUILD "/tests/trace/libstacks.so", directory, "native"}});
    const char *stacks = strchr(out, ' ');
    cr_expect(stacks && atoi(stacks) > 30000, "%s", out);
    cr_expect(strstr(out, ", 0 apart\n") != NULL, "%s", out);
    cr_expect(strstr(out, ", 0 native") == NULL, "%s", out);
    free(out);
    test_directory_remove(directory);
}

Test(native, python_frames_among_them_are_those_of_getframe)
{
    for_each_python(compare_with_getframe);
}

/* ---- stress --------------------------------------------------------------------------------- */

static char *stressed(const char *python, const char *workload)
{
    char *logs = test_directory();
    run_both(&(struct child){.argv = {python, workload},
                             .settings = {"PYTHONMALLOC=malloc", "CUPPING_STACKS=stress"}},
             logs);
    cr_expect(raw_number(logs, "stacks_taken") > 10000, "%s: few stacks were read", workload);
    cr_expect(raw_number(logs, "native") > 100, "%s: no native frames", workload);
    cr_expect(raw_number(logs, "taken_for_others") == 0, "%s", workload);
    return logs;
}

/* Would wait for ever if libunwind asked the loader. */
Test(native, the_loaders_lock_is_not_taken)
{
    test_directory_remove(stressed(CUP_PYTHON, WORKLOAD("native_locks.py")));
}

static void stress_forks(const char *python)
{
    test_directory_remove(stressed(python, WORKLOAD("native_forks.py")));
}

Test(native, forks_while_frames_are_read)
{
    for_each_python(stress_forks);
}

/* ---- the switch ----------------------------------------------------------------------------- */

struct seen {
    long long native, feature, stacks;
};

static struct seen seen_with(const char *setting)
{
    char *logs = test_directory();
    struct child child = {.argv = {CUP_PYTHON, WORKLOAD("run_task.py"), "-c", "bytearray(8 << 20)"},
                          .settings = {setting}};
    child = child_recorded(&child, logs);
    child_run(&child);
    cr_expect(child.status == 0 && !*child.err, "%s", child.err);
    child_free(&child);
    struct seen seen = {raw_number(logs, "native"), raw_number(logs, "native_seen"),
                        raw_number(logs, "nodes")};
    test_directory_remove(logs);
    return seen;
}

static void expect_on(const char *setting, bool on)
{
    struct seen seen = seen_with(setting);
    cr_expect_eq(seen.native > 0, on, "%s: %lld", setting, seen.native);
    cr_expect_eq(seen.feature, on, "%s", setting);
    cr_expect_gt(seen.stacks, 0, "%s: Python's are seen in any case", setting);
}

Test(native, can_be_switched_off)
{
    expect_on("CUPPING_NATIVE", true);
    expect_on("CUPPING_NATIVE=1", true);
    expect_on("CUPPING_NATIVE=0", false);
    expect_on("CUPPING_NATIVE=2", true);
}

/* A file that is no library, where the loader looks first. */
Test(native, without_libunwind_there_are_none)
{
    char *directory = test_directory();
    const char *file = text("%s/libunwind.so.8", directory);
    fclose(fopen(file, "w"));
    expect_on(text("LD_LIBRARY_PATH=%s", directory), false);
    test_directory_remove(directory);
}
