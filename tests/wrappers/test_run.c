/* cupping-run: what it sets, what it refuses, and that the command is left alone otherwise. */
#include "tests/wrappers/shell.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY CUP_TOP "/build/libcupping.so"

TestSuite(cupping_run, .init = shell_enter, .fini = shell_leave, .timeout = 60);

/* One clear line on stderr, nothing on stdout, this status. */
static void refused(const struct shell_result *result, int status, const char *part)
{
    cr_expect_eq(result->status, status, "status %d, not %d: %s", result->status, status,
                 result->err);
    cr_expect_eq(lines_of(result->err), 1, "not one line: %s", result->err);
    cr_expect(has(result->err, part), "no word of %s: %s", part, result->err);
    cr_expect_str_empty(result->out);
}

Test(cupping_run, sets_the_library_and_an_absolute_directory)
{
    const struct shell_result *r = shell("$run -o 'my prof' -- sh -c 'echo $LD_PRELOAD; "
                                         "echo \"$CUPPING_DIR\"; pwd'; ls");
    char *lines[4] = {0};

    cr_assert_eq(r->status, 0, "%s", r->err);
    cr_assert_str_empty(r->err);
    char *text = strdup(r->out), *save = NULL;
    for (int i = 0; i < 4; i++)
        lines[i] = strtok_r(i ? NULL : text, "\n", &save);
    cr_expect_str_eq(lines[0], LIBRARY);
    cr_assert_eq(lines[1][0], '/');
    cr_expect_str_eq(strrchr(lines[1], '/'), "/my prof");
    cr_expect(has(r->out, "cupping-latest\nmy prof\n"));
    free(text);
}

Test(cupping_run, leaves_the_variables_of_the_user_alone)
{
    /* Each lower-case word of the scripts, because the names of their variables are among them. */
    const char *export = "for word in $(grep -oh '\\b[a-z][a-z_]*' $run $worker | sort -u); do\n"
                         "echo \"export $word=mine\"; done >words\n"
                         "printf '#!/bin/sh\\nexec env\\n' >dask; chmod +x dask\n"
                         "export CDPATH=/tmp PATH=$PWD:$PATH; . ./words; env | sort >before";
    const char *compare =
        "sort | diff before - | grep '^[<>]' | grep -v '^. [CL][A-Z_]*=/\\|^. _='";

    cr_expect_str_empty(shell("top_run=$run; %s; $top_run -o p env | %s", export, compare)->out);
    cr_expect_str_empty(shell("top_worker=$worker; %s; $top_worker | %s", export, compare)->out);
}

/* Functions of bash, and others that a shell cannot name. */
Test(cupping_run, keeps_variables_whose_names_are_no_identifiers)
{
    static const char environment[] = "env \"it=it's\" 'BASH_FUNC_g%%=() {\n echo \"it'\\''s\"\n}' "
                                      "'BASH_FUNC_f%%=() { echo in f; g; }' 'a.b=1\nc=2' 2=two";
    const struct shell_result *r =
        shell("%s env -0 | sort -z >outside; %s $run -o p env -0 | sort -z | "
              "grep -zv '^CUPPING_DIR=\\|^LD_PRELOAD=' | cmp outside -",
              environment, environment);
    cr_expect_eq(r->status, 0, "%s%s", r->out, r->err);
    r = shell("%s $run -o p bash -c 'f; echo $LD_PRELOAD'", environment);
    cr_expect_str_eq(r->out, "in f\nit's\n" LIBRARY "\n", "%s", r->err);
}

Test(cupping_run, does_not_look_for_its_directory_along_cdpath)
{
    cr_expect_str_eq(
        shell("mkdir other other/p; CDPATH=other $run -o p sh -c 'echo ${CUPPING_DIR#$PWD}'")->out,
        "/p\n");
}

Test(cupping_run, prints_nothing_and_passes_the_status_on)
{
    const struct shell_result *r = shell("$run -o p sh -c 'exit 7'");

    cr_expect_eq(r->status, 7);
    cr_expect_str_empty(r->out);
    cr_expect_str_empty(r->err);
    cr_expect_eq(shell("$run -o p -- sh -c 'kill -TERM $$'")->status, 128 + 15);
}

Test(cupping_run, becomes_the_command)
{
    /* The same process: a signal sent to what was started reaches the command. */
    const struct shell_result *r = shell("$run -o p -- sh -c 'echo $$' >pid & echo $!; wait $!; "
                                         "cat pid");
    char *second = strchr(r->out, '\n');

    cr_assert(second);
    *second++ = '\0';
    cr_expect_eq(atoi(r->out), atoi(second), "%s and %s", r->out, second);
}

Test(cupping_run, keeps_what_is_preloaded_in_front)
{
    cr_expect_str_eq(shell("LD_PRELOAD=libm.so.6 $run -o p sh -c 'echo $LD_PRELOAD'")->out,
                     "libm.so.6:" LIBRARY "\n");
    cr_expect_str_eq(
        shell("LD_PRELOAD='libm.so.6 libdl.so.2' $run -o p sh -c 'echo $LD_PRELOAD'")->out,
        "libm.so.6 libdl.so.2:" LIBRARY "\n");
    cr_expect_str_eq(shell("$run -o p -- $run -o q -- sh -c 'echo $LD_PRELOAD'")->out, LIBRARY "\n",
                     "nested: once");
}

Test(cupping_run, makes_a_directory_of_its_own_each_time)
{
    const struct shell_result *r = shell("for i in 1 2 3; do $run true; done; ls -d cupping-2*");

    cr_expect_str_empty(r->err);
    cr_expect_eq(lines_of(r->out), 3, "%s", r->out);
}

Test(cupping_run, latest_is_a_relative_link_that_follows)
{
    cr_expect_str_eq(shell("$run -o a true; $run -o b true; readlink cupping-latest")->out, "b\n");
    cr_expect(has(shell("$run -o /tmp true; readlink cupping-latest; ls -A")->out, "/tmp\n"));
}

Test(cupping_run, latest_is_left_alone_where_it_is_no_link)
{
    const struct shell_result *r =
        shell("mkdir cupping-latest; $run -o a true && rmdir cupping-latest");

    cr_expect_eq(r->status, 0);
    cr_expect_str_empty(r->err);
}

Test(cupping_run, takes_the_directory_of_the_environment)
{
    cr_expect(has(shell("CUPPING_DIR=given $run sh -c 'echo $CUPPING_DIR'")->out, "/given\n"));
    cr_expect(has(shell("CUPPING_DIR=given $run -o b sh -c 'echo $CUPPING_DIR'")->out, "/b\n"));
}

Test(cupping_run, options_become_variables)
{
    cr_expect_str_eq(shell("$run --output=p --max-bytes=5M --verbose -- "
                           "sh -c 'echo $CUPPING_MAX_BYTES $CUPPING_VERBOSE' 2>/dev/null")
                         ->out,
                     "5M 1\n");
}

Test(cupping_run, an_interval_is_checked)
{
    static const char *const good[] = {"0", "0.0", "0.02", "0.5", "1", "2.50", "60", "60.0", "010"};
    static const char *const bad[] = {"",   "0.019", "0.002", "60.001", "61",   "100",
                                      "-1", "1s",    "1e1",   ".5",     "1.2.3"};
    char command[128], expected[32];
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(command, sizeof command, "$run -o p --interval=%s sh -c 'echo $CUPPING_INTERVAL'",
                 good[i]);
        snprintf(expected, sizeof expected, "%s\n", good[i]);
        cr_expect_str_eq(shell(command)->out, expected);
    }
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(command, sizeof command, "$run -o q --interval '%s' true", bad[i]);
        refused(shell(command), 2, "0.02 to 60");
    }
}

Test(cupping_run, limits_that_cannot_be_used_are_refused)
{
    static const char *const good[] = {"1M", "1048576", "5M", "1024K", "4294967295", "2G"};
    static const char *const bad[] = {"lots", "0", "-1", "5MB", "1.5G", "1023K", "G", "4294967296"};
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++)
        cr_expect_eq(shell("$run -o p --max-bytes %s true", good[i])->status, 0, "%s", good[i]);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(shell("$run -o q --max-bytes %s true", bad[i]), 2, "not a size of 1M or more");
    refused(shell("CUPPING_MAX_BYTES=lots $run -o q true"), 2, "CUPPING_MAX_BYTES=lots");
    refused(shell("CUPPING_INTERVAL=61 $run -o q true"), 2, "CUPPING_INTERVAL=61");
    refused(shell("CUPPING_CPU_HZ=1001 $run -o q true"), 2, "from 0 to 1000");
    refused(shell("CUPPING_NATIVE=yes $run -o q true"), 2, "CUPPING_NATIVE=yes");
    refused(shell("CUPPING_SHARE=yes $run -o q true"), 2, "CUPPING_SHARE=yes");
    refused(shell("CUPPING_STACKS=2 $run -o q true"), 2, "CUPPING_STACKS=2");
    cr_expect_str_eq(shell("ls -d q 2>/dev/null")->out, "");
}

Test(cupping_run, leaves_the_commands_own_options_alone)
{
    cr_expect_str_eq(shell("$run -o p echo -o x --verbose -- y")->out, "-o x --verbose -- y\n");
}

Test(cupping_run, wrong_usage_is_status_2)
{
    refused(shell("$run"), 2, "no command");
    refused(shell("$run --nosuch true"), 2, "--nosuch");
    refused(shell("$run -o"), 2, "-o");
    refused(shell("$run --interval"), 2, "--interval");
    refused(shell("$run -o '' true"), 2, "-o");
    cr_expect_str_empty(shell("ls")->out, "nothing was created");
}

Test(cupping_run, refuses_to_wrap_container_launchers)
{
    static const char *const launchers[] = {"docker",  "podman",      "nerdctl",
                                            "shifter", "singularity", "/usr/bin/apptainer"};

    for (unsigned i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const struct shell_result *r = shell("$run -o p -- %s run image", launchers[i]);
        refused(r, 2, "LD_PRELOAD=" LIBRARY);
        cr_expect(has(r->err, "CUPPING_DIR=/"));
    }
    cr_expect_str_empty(shell("ls")->out, "nothing was created");
}

Test(cupping_run, says_what_is_wrong_with_a_command_as_a_shell_does)
{
    refused(shell("$run -o p nosuch-command"), 127, "not found");
    refused(shell("$run -o p ./nosuch"), 127, "no such file");
    refused(shell("$run -o p /etc/passwd"), 126, "not executable");
    refused(shell("$run -o p /tmp"), 126, "not a program");
    refused(shell("cp /bin/true t; chmod u+s t; $run -o p ./t"), 126, "setuid");
    cr_expect_eq(shell("$run -o p echo a")->status, 0, "a shell's builtin is a program, too");
}

Test(cupping_run, says_what_is_wrong_with_a_directory)
{
    refused(shell("$run -o /etc/passwd true"), 1, "/etc/passwd");
    refused(shell("$run -o /proc/nosuch true"), 1, "/proc/nosuch");
}

#define BECOME_NOBODY                                                                              \
    "setpriv --reuid=65534 --clear-groups --inh-caps=+dac_read_search "                            \
    "--ambient-caps=+dac_read_search "

Test(cupping_run, a_directory_that_is_not_ours_is_one_line)
{
    if (shell(BECOME_NOBODY "true")->status != 0)
        cr_skip_test("cannot become another user here");
    /* The checkout may lie where only root may look, so the other user may read everything. */
    refused(shell("chmod 755 .; mkdir p; exec " BECOME_NOBODY "$run -o p true"), 1, "/p");
}

Test(cupping_run, refuses_a_library_where_the_loader_would_split_its_path)
{
    refused(shell("mkdir -p 'a b/build' && cp -r $top/wrappers 'a b' && "
                  "touch 'a b/build/libcupping.so' && 'a b/wrappers/cupping-run' true"),
            1, "spaces and colons");
    refused(shell("mkdir c && cp $run c && c/cupping-run true"), 1, "libcupping.so");
}

Test(cupping_run, refuses_a_library_that_cannot_be_loaded)
{
    const char *install = "mkdir -p bin lib/cupping && cp $run bin && cd lib/cupping";
    refused(shell("%s && cp $top/Makefile libcupping.so; ../../bin/cupping-run true", install), 1,
            "libcupping.so: invalid ELF header");
    /* A file system that is mounted noexec, in a mount namespace of its own. */
    if (shell("unshare -m mount -t tmpfs none lib")->status == 0)
        refused(shell("unshare -m sh -c 'mount -t tmpfs -o noexec none lib/cupping && "
                      "cp $top/build/libcupping.so lib/cupping && bin/cupping-run true'"),
                1, "mounted noexec?");
}

Test(cupping_run, works_through_a_link_and_from_anywhere)
{
    cr_expect_str_eq(shell("ln -s $run here; cd /; \"$OLDPWD/here\" -o \"$OLDPWD/p\" "
                           "sh -c 'echo $LD_PRELOAD'")
                         ->out,
                     LIBRARY "\n");
}

Test(cupping_run, works_in_busybox)
{
    if (shell("command -v busybox")->status != 0)
        cr_skip("no busybox here");
    const struct shell_result *r =
        shell("busybox sh $run -o p -- sh -c 'echo $LD_PRELOAD; exit 3'");
    cr_expect_eq(r->status, 3);
    cr_expect_str_eq(r->out, LIBRARY "\n");
}

Test(cupping_run, installed_it_finds_the_installed_library)
{
    const struct shell_result *r = shell(
        "unset MAKEFLAGS MAKELEVEL; make -s -C $top install PREFIX=/opt/c DESTDIR=$PWD >log 2>&1 "
        "|| { cat log; exit 9; }\n"
        "cd opt/c && bin/cupping-run -o p -- sh -c 'echo $LD_PRELOAD' && bin/cupping --version && "
        "bin/cupping run -o p -- echo ran && cd .. && "
        "make -s -C $top uninstall PREFIX=/opt/c DESTDIR=${PWD%%/opt} && find c -type f");

    cr_assert_eq(r->status, 0, "%s %s", r->out, r->err);
    cr_expect(has(r->out, "/opt/c/lib/cupping/libcupping.so\ncupping "), "%s", r->out);
    cr_expect_eq(lines_of(r->out), 3, "files stay behind: %s", r->out);
}
