/* Who may read a profile: in every kind of start, only the user who recorded it. */
#include "tests/e2e/child.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(private, .timeout = 240);

/* Runs SCRIPT below each of three umasks, in an empty directory. $job is a program with a task that
 * starts another program; $cluster is one with a scheduler, a nanny, a worker and a client. Then
 * each directory and file at $profile must have this mode. */
static void expect_modes(const char *script, const char *directory_mode, const char *file_mode)
{
    static const char *const masks[] = {"022", "000", "077"};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        char *top = test_directory();
        const struct child run = {
            .argv = {"/bin/sh", "-ec",
                     text("umask %s; cd %s; profile=made\n"
                          "job='" CUP_PYTHON " " CUP_TOP "/tests/workloads/private_job.py task'\n"
                          "cluster='" CUP_PYTHON " " CUP_TOP
                          "/tests/workloads/private_job.py cluster'\n"
                          "cupping=" CUP_BUILD "/cupping wrapper=" CUP_TOP "/wrappers/cupping-run\n"
                          "{ %s\n} >/dev/null\n"
                          "[ -n \"$(find \"$profile\" -name '*.cup' -size +0)\" ]\n"
                          "find \"$profile\" -type d ! -perm %s -printf '%%m %%p\\n' -o "
                          "-type f ! -perm %s -printf '%%m %%p\\n'",
                          masks[i], top, script, directory_mode, file_mode)}};
        char *wrong = output_of(&run);
        cr_expect_str_eq(wrong, "", "umask %s: %s", masks[i], wrong);
        free(wrong);
        test_directory_remove(top);
    }
}

#define ALONE "LD_PRELOAD=" CUP_BUILD "/libcupping.so CUPPING_DIR=$PWD/made $job"

Test(private, the_library_makes_the_directory)
{
    expect_modes(ALONE, "700", "600");
}

Test(private, cupping_run_makes_the_directory)
{
    expect_modes("$wrapper -o made $job", "700", "600");
    expect_modes("$wrapper $job; profile=$(readlink cupping-latest)", "700", "600");
    expect_modes("$cupping run --quiet -o made -- $job", "700", "600");
    expect_modes("$cupping run --quiet -o above/made -- $job; profile=above/made", "700", "600");
}

/* The mode of a directory is its owner's choice, but not what the library puts into it. */
Test(private, a_directory_that_exists_keeps_its_mode)
{
    expect_modes("mkdir -m 755 made; " ALONE, "755", "600");
    expect_modes("mkdir -m 1777 made; $wrapper -o made $job", "1777", "600");
}

Test(private, logs_are_shared_if_the_user_says_so)
{
    expect_modes("export CUPPING_SHARE=group; " ALONE, "750", "640");
    expect_modes("export CUPPING_SHARE=group; $wrapper -o made $job", "750", "640");
    expect_modes("export CUPPING_SHARE=all; $wrapper -o made $job", "755", "644");
    expect_modes("export CUPPING_SHARE=mine; " ALONE, "700", "600");
}

Test(private, merged_logs)
{
    expect_modes("$wrapper -o logs $job; $cupping merge -o all.cup logs; profile=all.cup", "700",
                 "600");
    expect_modes("$wrapper -o logs $job\n"
                 "$cupping merge --per-prefix --tasks 1 -o all.cup logs; profile=all.cup",
                 "700", "600");
    expect_modes("$wrapper -o logs $job; (umask 022; : >all.cup)\n"
                 "$cupping merge -o all.cup logs; profile=all.cup",
                 "700", "644");
}

Test(private, all_processes_of_a_cluster)
{
    expect_modes("$wrapper -o made $cluster", "700", "600");
}
